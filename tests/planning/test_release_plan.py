"""Plans of releases: certified numbers hold and are the least, published ones are beside them, words fit."""

from fractions import Fraction

import pytest

from privpac.classes import And, Points, SparseSets, Thresholds
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.planning import plan
from privpac.planning.bounds import Goal
from privpac.planning.plan_pictures import panels
from privpac.planning.release_plan import release_rows
from privpac.planning.rows import Section
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release.private_release import PrivateRelease

HUNDRED = Points().on("job", values=tuple(range(100)))


def rows(made, section):
    return {row.source: row.n for row in made.rows if row.kind.section is section}


def test_the_certified_number_is_the_least():
    """n records certify α with certainty, n − 1 do not."""
    made = plan(Points(), alpha=0.1, epsilon=1, delta=1e-6, task="release")
    unseen = 2 * TruncatedHistogram(Budget(1, "1e-6")).most
    assert made.best.n == 540 == unseen * 10
    assert plan(Points(), n=540, epsilon=1, delta=1e-6, task="release").best.alpha == 0.1
    assert plan(Points(), n=539, epsilon=1, delta=1e-6, task="release").best.alpha > 0.1
    assert plan(SparseSets(3), alpha=0.1, epsilon=1, delta=1e-6, task="release").best.n == 3 * 540


@pytest.mark.audit
def test_the_share_of_the_certificate_is_paid():
    """Declared values get 0.9·ε; the tenth of ε measures."""
    row = release_rows(HUNDRED, Goal(0.1, 0.05, 1.0, 1e-6))[0]
    assert (row.learner, row.privacy) == ("CategorySanitizer", "ε = 1")
    made = plan(HUNDRED, n=row.n, epsilon=1, task="release").best
    conditions_gap = round(made.alpha * row.n)
    dearer = release_rows(HUNDRED, Goal(0.1, 0.05, float(Fraction(9, 10)), 0))[0]
    assert conditions_gap <= row.n / 10
    assert dearer.n > row.n


def test_the_smallest_epsilon():
    made = plan(Points(), n=10_000, alpha=0.01, delta=1e-6, task="release")
    ε = Fraction(repr(made.best.epsilon))
    assert 2 * TruncatedHistogram(Budget(ε, "1e-6")).most <= 100
    assert 2 * TruncatedHistogram(Budget(ε - Fraction(1, 1000), "1e-6")).most > 100
    assert plan(Points(), n=20, alpha=0.001, delta=1e-6, task="release").best is None


def test_figures_beside_each_other():
    """Thresholds: no certified number, the net mechanism's, orders, and the packing bound."""
    for bits, net, least in ((16, 3940, 71), (64, 17_259, 236)):
        made = plan(Thresholds(0, 2**bits - 1, direction="above"), alpha=0.1, epsilon=1, delta=1e-6, task="release")
        assert rows(made, Section.PUBLISHED)["bbkn14, Theorem 24"] == net
        assert rows(made, Section.LOWER)["bbkn14, Theorem 25"] == least
        assert {"[HR10, §1]", "[GGKM21, Cor. 6.7]", "[BBKN14, Thm 7.1]"} <= set(rows(made, Section.PUBLISHED))
    keys = plan(Points(2**16), alpha=0.1, epsilon=1, delta=1e-6, task="release")
    assert rows(keys, Section.PUBLISHED)["bbkn14, Theorem 24"] == 7273
    assert rows(keys, Section.LOWER)["[BBKN14, Thm 7.2]"] < rows(keys, Section.LOWER)["bbkn14, Theorem 25"] == 71


def test_without_delta_only_pure_releases():
    named = [row.learner for row in plan(HUNDRED, delta=0, task="release").rows if row.title]
    assert "CategorySanitizer" in named and "PointSanitizer" not in named
    assert plan(Points(), delta=0, task="release").best is None


@pytest.mark.slow
def test_words_and_pictures():
    made = plan(HUNDRED, epsilon=1, delta=1e-6, task="release")
    assert "all queries at once" in made.question and "labels" not in made.question
    assert "proper" not in str(made) and made.default == "CategorySanitizer"
    assert {name for panel in panels(made) for name in panel.lines} == {"CategorySanitizer", "PointSanitizer"}
    assert "Records to release" in str(made.draw())


def test_the_default_is_that_of_a_release():
    for H in (Points(), HUNDRED, And(Points().on("a"), Points().on("b"))):
        made = plan(H, epsilon=1, delta=1e-6, n=1000, task="release")
        assert made.default == PrivateRelease(H, epsilon=1, delta=1e-6).algorithm(1000).sanitizer.name


def test_refusals():
    with pytest.raises(Refused, match="task must be one of learning, release"):
        plan(Points(), task="both")
    with pytest.raises(Refused, match="no labels"):
        plan(Points(), regime="realizable", task="release")


def test_what_is_measured_has_no_number_before():
    """On a line, the error depends on the records: the plan says so, and shows the bounds of others."""
    made = plan(Thresholds(0, 2**64 - 1, direction="above"), epsilon=1, task="release")
    assert made.best is None and made.default == "LineSanitizer"
    assert "LineSanitizer measures its error on the records, when it runs." in map(str, made.notes)
    assert [row.n for row in made.rows if row.learner == "LineSanitizer"] == [None]
