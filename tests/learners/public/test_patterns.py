"""Candidates by patterns on public records: what they are, and that the certificate holds where it is hard."""

import numpy as np
import pytest

from privpac.classes import And, Intervals, Points, Rectangles, Thresholds
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.public.patterns import PublicPatternLearner, candidates, most_listed, rule_errors
from privpac.learners.public.requests import with_public
from privpac.requests.reading import Reading
from tests.grid import over

LONG = Thresholds(0, 10**9, direction="above")


def test_there_is_one_candidate_for_each_pattern_on_public_records():
    both = WithPublic(LONG, PublicRecords.of([70, 20, 70, 20]))
    labels = {tuple(rule([20, 70]).tolist()) for rule in candidates(both)}
    assert labels == {(True, True), (False, True), (False, False)} and len(candidates(both)) == 3


def test_errors_are_counted_by_definition():
    rng = np.random.default_rng(1)
    x, y, times = rng.integers(0, 50, 30), rng.random(30) < 0.5, rng.integers(1, 4, 30)
    rules = candidates(WithPublic(Intervals(0, 50), PublicRecords.of(range(0, 50, 9))))
    expected = [int(times[rule(x) != y].sum()) for rule in rules]
    assert rule_errors(rules, Intervals(0, 50).domain, Sample(x, y, times, 90, x)).tolist() == expected


GROWN = And(Thresholds(0, 9).on("a"), Points().on("b"))
KINDS = [
    (Thresholds(0.0, 1.0), [0.1, 0.5], [0.1, 0.5, np.nextafter(0.5, 1), -0.0]),
    (Thresholds(0, 2**200), [2**150, 2**60, 7], [2**150, 2**150 + 1, 7, 6]),
    (Points(), ["a", "é", "e\u0301", "b"], ["a", "A", "é", "e\u0301"]),
    (Points(), [1, 2, "x"], [1, 2, "x", "1"]),
    (GROWN, {"a": [1, 5], "b": ["x", "y"]}, {"a": [1, 5, 9, 0], "b": ["x", "y", "z", "x"]}),
]


@over("seed", range(4))
@over(("H", "public", "X"), KINDS)
def test_errors_are_sums_over_records_read_alone(seed, H, public, X):
    """Whatever else is in the table, and in whatever types a column of several values is held."""
    both = with_public(H, public, ()) if H is GROWN else with_public(H, public, None)
    y, rules = np.random.default_rng(seed).integers(0, 2, 4), candidates(both)

    def errors(rows):
        table = {name: [X[name][i] for i in rows] for name in X} if H is GROWN else [X[i] for i in rows]
        reading = Reading(H.domain, 0 if H is GROWN else None, "raise")
        return rule_errors(rules, H.domain, reading.gathered(table, reading.table(table), y[rows], None, (0, 1)).sample)

    assert errors([*range(4)]).tolist() == sum(errors([i]) for i in range(4)).tolist()


def test_as_many_records_are_listed_as_have_few_patterns():
    for H in (LONG, Intervals(0, 10**9), Rectangles(0, 10**6, 2)):
        most = most_listed(H)
        supported = [PublicPatternLearner.supports(WithPublic(H, PublicRecords(m))) for m in (most, most + 1)]
        assert supported == [True, False]


def test_records_that_repeat_are_listed_once():
    many = PublicRecords.of(np.arange(2**17) % 100)
    assert PublicPatternLearner.supports(WithPublic(Intervals(0, 10**6), many))


def test_weights_count_all_candidates():
    """Half of them is proved by a reflection that weights break."""
    even, weighted = (
        PrivateClassifier(LONG, feature=None, public=range(99), class_weight=w).learner() for w in (None, {0: 1, 1: 9})
    )
    assert isinstance(weighted, PublicPatternLearner)
    assert np.exp(weighted.log_candidates) == pytest.approx(100) == 2 * np.exp(even.log_candidates)


def test_a_certificate_does_not_depend_on_the_domain():
    sizes = {
        PrivateClassifier(Intervals(0, high), feature=None, public=list(range(300))).certified_n()
        for high in (10**4, 10**9)
    }
    assert len(sizes) == 1


@pytest.mark.audit
@pytest.mark.parametrize(("regime", "noise"), [("realizable", 0.0), ("agnostic", 0.3)])
def test_a_certificate_fails_as_seldom_as_it_says(regime, noise):
    """With probability 5 % at most; 20 or more of 100 fits have a probability below 1e-7 then.

    Public records are new each time.
    """
    rng, high, m = np.random.default_rng(), 10**6, 150
    bad, α, n = 0, 0.2, None
    for _ in range(100):
        x = np.where(
            rng.random((2, 5000)) < 0.5, rng.integers(400_000, 400_050, (2, 5000)), rng.integers(0, high, (2, 5000))
        )
        clf = PrivateClassifier(LONG, regime=regime, alpha=α, feature=None, public=x[0, :m])
        n = n or clf.certified_n()  # depends on the number of public records, for they hardly repeat
        n = max(n, clf.certified_n())
        points = x[1, :n]
        rule = clf.fit(points, (points >= 400_025) ^ (rng.random(n) < noise)).hypothesis_
        between = rule(np.arange(400_000, 400_050)) != (np.arange(400_000, 400_050) >= 400_025)
        beyond = (rule(np.arange(0, high, 1000)) != (np.arange(0, high, 1000) >= 400_025)).mean()
        bad += (1 - 2 * noise) * (between.mean() + beyond) / 2 > α
    assert n < 5000 and bad < 20


def test_candidates_of_the_model_hold_no_public_record(tmp_path):
    ages = list(range(20, 80)) * 30
    clf = PrivateClassifier(Thresholds(0, 10**6), feature=None, public=[123_456, *range(20, 80)] * 5, epsilon=5)
    clf.fit(ages, [age >= 50 for age in ages]).save(tmp_path / "model.json")
    assert "123456" not in (tmp_path / "model.json").read_text("utf-8")
