"""The law of the interval learner is that of the exponential mechanism over all intervals, and its promises hold."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.special import betaincinv

from privpac.audit.cases import Case, labelled
from privpac.classes.base import Constant
from privpac.classes.boxes import Box, Rectangles
from privpac.classes.line import Interval, Intervals, Thresholds
from privpac.data.sample import Sample
from privpac.learners.intervals import IntervalExponential, IntervalLearner
from privpac.learners.views.interval_counts import Cuts
from privpac.mechanisms.selection import Exponential
from privpac.privacy.budget import Budget


def tally(records):
    """What the mechanism sees; None is a void record."""
    valid = [record for record in records if record is not None]
    x, y = [x for x, _ in valid], [y for _, y in valid]
    return Sample(np.array(x, dtype=np.uint64), np.array(y, dtype=bool), None, len(records)).tally()


def every_interval(size):
    return [None, *((t, stop) for t in range(size) for stop in range(t + 1, size + 1))]


def errors(interval, records):
    inside = range(*interval) if interval else ()
    return sum((x in inside) != y for x, y in records)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), 1, 60])
def test_the_law_is_that_of_the_exponential_mechanism(epsilon):
    """At ε = 60 most intervals are left out of the first list; the law has them all."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        size, n = int(rng.integers(1, 6)), int(rng.integers(0, 6))
        records = [(int(x), bool(y)) for x, y in zip(rng.integers(0, size, n), rng.random(n) < 0.5, strict=True)]
        law = IntervalExponential(Budget(epsilon), size).law(tally(records))
        names = every_interval(size)
        expected = Exponential(Budget(epsilon)).law([-errors(name, records) for name in names])
        assert set(law) == set(names)
        assert all(law[name].overlaps(expected[i]) for i, name in enumerate(names))
        assert sum(law.values(), arb(0)).overlaps(arb(1))


def test_multiplicities_are_records():
    once = Sample(np.array([1, 1, 3], dtype=np.uint64), np.array([True, True, False]), None, 3)
    counted = Sample(np.array([1, 3], dtype=np.uint64), np.array([True, False]), np.array([2, 1]), 7)
    mechanism = IntervalExponential(Budget(1), 5)
    one, other = mechanism.law(once.tally()), mechanism.law(counted.tally())
    assert all(one[name].overlaps(other[name]) for name in one)


def test_what_is_left_out_weighs_next_to_nothing():
    n = 4000
    rng = np.random.default_rng(5)
    x = np.sort(rng.integers(0, 2**63, n).astype(np.uint64))
    sample = Sample(x, np.arange(n) < n // 2, None, n)
    weights, _ = IntervalExponential(Budget(1), 2**64).menu(sample.tally())
    full = weights.complete()
    listed = len(weights.scores)
    assert listed < len(full.scores)
    assert full.scores[:listed].tolist() == weights.scores.tolist()
    assert full.counts[:listed].tolist() == weights.counts.tolist()
    assert sum(full.counts) == 2**63 * (2**64 + 1) + 1
    beyond = zip(full.scores[listed:], full.counts[listed:], strict=True)
    rest = sum(arb(int(count)) * (arb(int(score - full.scores[0])) / 2).exp() for score, count in beyond)
    assert rest < arb(2) ** -64


def case(mechanism, epsilon=1):
    return Case(mechanism, tally, "intervals", [*labelled(range(3)), None], 3, Budget(epsilon))


def test_no_neighbours_refute_it():
    """All samples of three records, among them those of one label and those that no interval fits."""
    worst = case(IntervalExponential(Budget(1), 3)).exact()
    assert not worst.refuted
    assert case(IntervalExponential(Budget(1), 3), Fraction(3, 5)).exact().refuted  # it is not far from tight


class Snapped(IntervalExponential):
    """A broken twin: ends are moved to records, of which the released interval then tells."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        starts = Cuts.of(data, self.size).starts.tolist()

        def snapped(group, member):
            interval = outcome(group, member)
            return interval and tuple(max(start for start in starts if start <= cut) for cut in interval)

        return weights, snapped


class Listed(IntervalExponential):
    """A broken twin: each group of equal gain weighs as one candidate."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        return type(weights)(weights.scores, weights.rate), lambda group, _: outcome(group, 0)


@pytest.mark.parametrize("twin", [Snapped, Listed])
def test_broken_twins_are_refuted(twin):
    assert case(twin(Budget(1), 3)).exact().refuted


def fitted(x, y, concept_class, **parameters):
    return IntervalLearner(concept_class, feature=None, **parameters).fit(x, y)


@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_certificates_hold(regime):
    """Thin mass beside the ends of the interval and heavy atoms elsewhere: at most β of the fits may exceed α."""
    rng, α, β, runs = np.random.default_rng(6), 0.2, 0.2, 150
    learner = IntervalLearner(Intervals(0, 999), epsilon=1, alpha=α, beta=β, regime=regime, feature=None)
    n = learner.certified_n()
    atoms, noise = np.array([0, 399, 400, 600, 601, 999]), 0.0 if regime == "realizable" else 0.1
    mass = np.array([0.2, α + 0.01, 0.1, 0.1, α + 0.01, 0.18])
    true = (atoms >= 400) & (atoms <= 600)
    failures = 0
    for _ in range(runs):
        i = rng.choice(6, n, p=mass / mass.sum())
        rule = learner.fit(atoms[i], (true[i] ^ (rng.random(n) < noise)).astype(int)).hypothesis_
        failures += (1 - 2 * noise) * mass[rule(atoms) != true].sum() / mass.sum() > α
    assert failures == 0 or betaincinv(failures, runs - failures + 1, 0.001) <= β


def test_certified_figures():
    learner = IntervalLearner(Intervals(0, 2**20 - 1), epsilon=1)
    n = learner.certified_n()
    assert learner.certified_alpha(n) <= Fraction(1, 10) < learner.certified_alpha(n - 1)
    assert IntervalLearner(Intervals(0, 2**20 - 1), epsilon=1, regime="realizable").certified_n() < n
    assert learner._failure(Budget(1), 0, 0.1) == 1


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
    learner = IntervalLearner(Rectangles(-500, 500, dim=1), epsilon=3, feature=[0])
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
    assert IntervalLearner.applies(Intervals(0, 9), "agnostic")
    assert not IntervalLearner.applies(Thresholds(0, 9), "agnostic")
    assert not IntervalLearner.applies(Rectangles(0, 9, dim=2), "agnostic")
    with pytest.raises(ValueError, match="outside"):
        fitted([10], [1], Intervals(0, 9))


def test_the_ledger_has_one_pure_entry():
    learner = fitted([1, 2, 3], [0, 1, 0], Intervals(0, 9), epsilon=0.5)
    assert learner.privacy_ == Budget(Fraction(1, 2))
    assert [entry.theorem for entry in learner.ledger_.entries] == ["interval learner, Theorem 1"]
