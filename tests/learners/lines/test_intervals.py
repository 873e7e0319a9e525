"""Intervals on lines of every kind, with few records, and certificates that hold."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betaincinv

from privpac.classes.hypothesis import Constant
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.boxes import Box, Rectangles
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.lines.intervals import IntervalLearner
from privpac.privacy.budget import Budget
from tests.grid import over


def fitted(x, y, concept_class, **parameters):
    return PrivateClassifier(concept_class, feature=None, **parameters, method="IntervalLearner").fit(x, y)


@pytest.mark.slow
@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_certificates_hold(regime):
    """Thin mass beside the ends of the interval and heavy atoms elsewhere: at most β of the fits may exceed α."""
    rng, α, β, runs = np.random.default_rng(6), 0.2, 0.2, 150
    learner = PrivateClassifier(
        Intervals(0, 999), epsilon=1, alpha=α, beta=β, regime=regime, feature=None, method="IntervalLearner"
    )
    n = learner.certified_n()
    atoms, noise = np.array([0, 399, 400, 600, 601, 999]), 0.0 if regime == "realizable" else 0.1
    mass = np.array([0.2, α + 0.01, 0.1, 0.1, α + 0.01, 0.18])
    true = (atoms >= 400) & (atoms <= 600)
    failures = 0
    for _ in range(runs):
        i = rng.choice(6, n, p=mass / mass.sum())
        rule = learner.fit(atoms[i], (true[i] ^ (rng.random(n) < noise)).astype(int)).hypothesis_
        failures += (1 - 2 * noise) * mass[rule(atoms) != true].sum() / mass.sum() > α
    assert failures == 0 or betaincinv(failures, runs - failures + 1, 1e-7) <= β


def test_certified_figures():
    learner = PrivateClassifier(Intervals(0, 2**20 - 1), epsilon=1, method="IntervalLearner")
    n = learner.certified_n()
    assert learner.certified_alpha(n) <= Fraction(1, 10) < learner.certified_alpha(n - 1)
    assert (
        PrivateClassifier(
            Intervals(0, 2**20 - 1), epsilon=1, regime="realizable", method="IntervalLearner"
        ).certified_n()
        < n
    )
    assert learner.learner().failure(0, 0.1) == 1


def test_lines_of_every_kind():
    days = [date(2026, 1, 1 + i % 28) for i in range(2800)]
    late = [int(date(2026, 1, 10) <= day <= date(2026, 1, 20)) for day in days]
    rule = fitted(days, late, Intervals(date(2026, 1, 1), date(2026, 12, 31)), epsilon=3).hypothesis_
    assert rule == Interval(date(2026, 1, 10), date(2026, 1, 20))
    x = np.linspace(-1, 1, 2001)
    learner = fitted(x, (abs(x) < 0.5).astype(int), Intervals(-2.0, 2.0), epsilon=3)
    assert np.mean(learner.predict(x) != (abs(x) < 0.5)) < 0.05
    wide = [10**30 + i for i in range(1000)]
    rule = fitted(wide, [int(i >= 500) for i in range(1000)], Intervals(0, 10**31), epsilon=3).hypothesis_
    assert abs(rule.low - wide[500]) < 200


def test_boxes_of_one_coordinate_are_intervals():
    learner = PrivateClassifier(Rectangles(-500, 500, dim=1), epsilon=3, feature=[0], method="IntervalLearner")
    x = np.arange(-500, 500).reshape(-1, 1)
    rule = learner.fit(x, (x[:, 0] >= 100).astype(int)).hypothesis_
    assert isinstance(rule, Box)
    assert abs(rule.low[0] - 100) < 60


def test_one_class_void_records_and_very_few():
    for x, y in ([[5] * 2000, [1] * 2000], [[5] * 2000, [0] * 2000]):
        learner = fitted(x, y, Intervals(0, 9), epsilon=3)
        assert (learner.predict(x) == y).all()
    learner = fitted([None, 99, 5] * 700, [0, 1, 1] * 700, Intervals(0, 9), epsilon=3, on_invalid="default")
    assert learner.predict([5]) == [1]
    assert isinstance(fitted([3], [1], Intervals(0, 9)).hypothesis_, (Interval, Constant))
    assert fitted([3], [1], Intervals(0, 9)).guarantee_.utility is None


def test_which_classes_it_learns():
    assert IntervalLearner.supports(Intervals(0, 9))
    assert not IntervalLearner.supports(Thresholds(0, 9, direction="above"))
    assert not IntervalLearner.supports(Rectangles(0, 9, dim=2))
    with pytest.raises(ValueError, match="outside"):
        fitted([10], [1], Intervals(0, 9))


def test_the_ledger_has_one_pure_entry():
    learner = fitted([1, 2, 3], [0, 1, 0], Intervals(0, 9), epsilon=0.5)
    assert learner.privacy_ == Budget(Fraction(1, 2))
    assert [entry.theorem for entry in learner.ledger_.entries] == ["interval learner, Theorem 1"]


@over("cells", [1, 2, 5, 16, 100])
def test_a_line_has_few_cells_whatever_the_distribution(cells):
    """Theorem 2: each cell ends before the cut at which its records would have more than 1/m of the probability."""
    rng = np.random.default_rng(cells)
    for power in (0, 1, 8):
        masses = rng.random(300) ** power
        masses /= masses.sum()
        number, within = 1, 0.0
        for each in masses.tolist():  # of the records between a cut and the next one
            within += each
            if within > 1 / cells + 1e-12:
                number, within = number + 1, 0.0
        assert number <= cells
