"""Compositions on a public grid: privacy of the view, what is found, what is certified."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betaincinv

from privpac.audit.claims.case import Case, labeled
from privpac.classes.compositions.compose import And, Compose, Not, Or, Union
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.grids.grids import ColumnPart, rules_of
from privpac.learners.rules.grid_rules import MOST_RULES, RuleLearner
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget

SMALL = Or(Thresholds(0, 3, direction="above").on(0), Thresholds(0, 3, direction="below").on(1))
POINTS = [*labeled([(0, 0), (1, 3), (3, 3)]), None]


def view(records):
    found = rules_of(tuple(map(ColumnPart.of, SMALL.parts)), SMALL.domain, 12)
    valid = [record for record in records if record is not None]
    points = np.array([x for x, _ in valid], dtype=np.uint64).reshape(-1, 2)
    sample = Sample(points, np.array([y for _, y in valid], dtype=bool), None, len(records))
    return -found.errors(sample, SMALL.gate.table).ravel()


def case(view, epsilon=1):
    return Case(
        Exponential(Budget(1)), view, "rules on two columns, three cells each at most", POINTS, 3, Budget(epsilon)
    )


def test_no_neighbors_refute_it():
    assert not case(view).exact().refuted
    assert case(view, Fraction(3, 5)).exact().refuted


def test_a_broken_twin_is_refuted():
    """Records that lie in one cell of the grid with others count twice."""

    def crowded(records):
        return view(records) + view([record for record in records if records.count(record) > 1])

    assert case(crowded).exact().refuted


def flights(rng, n):
    table = {"delay": rng.integers(-60, 1301, n), "hour": rng.integers(0, 24, n), "cold": rng.random(n) < 0.5}
    return table | {"cold": table["cold"].astype(int)}


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_rules_of_two_columns_are_found(noise):
    rng = np.random.default_rng(1)
    table = flights(rng, 6000)
    for H, true in [
        (
            And(Thresholds(-60, 1300, direction="above").on("delay"), Intervals(0, 23).on("hour")),
            (table["delay"] >= 300) & (table["hour"] <= 11),
        ),
        (
            Or(Thresholds(-60, 1300, direction="above").on("delay"), Thresholds(0, 23, direction="below").on("hour")),
            (table["delay"] >= 300) | (table["hour"] < 6),
        ),
    ]:
        labels = (true ^ (rng.random(6000) < noise)).astype(int)
        learner = PrivateClassifier(H, epsilon=1, method="RuleLearner").fit(table, labels)
        assert np.mean(learner.predict(table) != true) < 0.03
        assert learner.privacy_ == Budget(1)


def test_a_grid_is_said_to_be_one():
    coarse = PrivateClassifier(
        And(Thresholds(-60, 1300, direction="above").on("delay"), Thresholds(0, 1439, direction="above").on("minute")),
        method="RuleLearner",
    )
    fine = PrivateClassifier(
        And(Thresholds(-60, 900, direction="above").on("delay"), Thresholds(0, 23, direction="above").on("hour")),
        method="RuleLearner",
    )
    assert "public grid of at most 999 steps" in coarse.learner().assumptions[-1]
    assert len(fine.learner().assumptions) == 1
    utility = (
        coarse.set_params(epsilon=1).fit({"delay": [5] * 9000, "minute": [7] * 9000}, [1] * 9000).guarantee_.utility
    )
    assert utility.assumptions == coarse.learner().assumptions


@pytest.mark.slow
@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_certificates_hold(regime):
    rng, α, β, runs = np.random.default_rng(2), 0.2, 0.2, 100
    H = And(Thresholds(0, 49, direction="above").on(0), Thresholds(0, 49, direction="above").on(1))
    learner = PrivateClassifier(H, epsilon=1, alpha=α, beta=β, regime=regime, method="RuleLearner")
    n = learner.certified_n()
    atoms = np.array([(24, 49), (25, 25), (49, 24), (0, 0)])
    mass, true, noise = (
        np.array([α + 0.01, 0.3, α + 0.01, 0.28]),
        np.array([0, 1, 0, 0], bool),
        0.1 * (regime == "agnostic"),
    )
    failures = 0
    for _ in range(runs):
        i = rng.choice(4, n, p=mass / mass.sum())
        rule = learner.fit(atoms[i], (true[i] ^ (rng.random(n) < noise)).astype(int)).hypothesis_
        failures += (1 - 2 * noise) * mass[rule(atoms) != true].sum() / mass.sum() > α
    assert failures == 0 or betaincinv(failures, runs - failures + 1, 1e-7) <= β


def test_one_class_void_records_and_very_few():
    H = And(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 9, direction="above").on("b"))
    learner = PrivateClassifier(H, epsilon=3, on_invalid="default", method="RuleLearner")
    for label in (0, 1):
        assert (
            learner.fit({"a": [5] * 900, "b": [5] * 900}, [label] * 900).predict({"a": [5], "b": [5]}) == label
        ).all()
    learner.fit({"a": [5, None] * 900, "b": [5, 5] * 900}, [1, 0] * 900)
    assert learner.predict({"a": [5], "b": [5]}) == [1]
    assert learner.fit({"a": [5], "b": [5]}, [1]).guarantee_.utility is None


def test_which_classes_it_learns():
    line = Thresholds(0, 9, direction="above")
    assert RuleLearner.supports(And(line.on("a"), ExplicitClass(np.eye(2)).on("b")))
    assert RuleLearner.supports(Compose(lambda a, b: a or not b, line.on("a"), line.on("b")))
    assert not RuleLearner.supports(And(line.on("a"), Points().on("b")))
    assert not RuleLearner.supports(Union(line.on("a"), line.on("b")))
    assert not RuleLearner.supports(line)
    assert rules_of(tuple(map(ColumnPart.of, SMALL.parts)), SMALL.domain, MOST_RULES).size == 25


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="hour"):
        PrivateClassifier(
            And(Thresholds(0, 9, direction="above").on("delay"), Thresholds(0, 23, direction="above").on("hour")),
            method="RuleLearner",
        ).fit({"delay": [1]}, [1])


def test_compositions_within_compositions_are_learned_and_read_well():
    rng = np.random.default_rng(5)
    X = {"a": rng.integers(0, 100, 3000), "b": rng.integers(0, 100, 3000), "c": rng.choice(["EV", "UA", "B6"], 3000)}
    a, b, c = (
        Thresholds(0, 99, direction="above").on("a"),
        Thresholds(0, 99, direction="above").on("b"),
        Points().on("c"),
    )
    cases = {
        Or(a, Not(b)): ((X["a"] >= 70) | (X["b"] < 30), "a ≥ 70 or b < 30"),
        And(a, Not(c)): ((X["a"] >= 70) & (X["c"] != "EV"), "a ≥ 70 and not (c = EV)"),
        Not(And(a, b)): (~((X["a"] >= 70) & (X["b"] >= 30)), "not (a ≥ 70 and b ≥ 30)"),
    }
    for H, (y, sentence) in cases.items():
        assert str(PrivateClassifier(H, epsilon=30).fit(X, y).hypothesis_) == sentence
