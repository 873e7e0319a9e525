"""The law is that of the exponential mechanism over all intervals, and no neighbors refute it."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from privpac.audit.claims.case import Case, labeled
from privpac.data.samples.sample import Sample
from privpac.mechanisms.lines.intervals import CutRuns, IntervalExponential
from privpac.mechanisms.selection.exponential import Exponential
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
    return Case(mechanism, tally, "intervals", [*labeled(range(3)), None], 3, Budget(epsilon))


@pytest.mark.slow
def test_no_neighbors_refute_it():
    """All samples of three records, among them those of one label and those that no interval fits."""
    worst = case(IntervalExponential(Budget(1), 3)).exact()
    assert not worst.refuted
    assert case(IntervalExponential(Budget(1), 3), Fraction(3, 5)).exact().refuted  # it is not far from tight


class Snapped(IntervalExponential):
    """A broken twin: ends are moved to records, of which the released interval then tells."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        starts = CutRuns.of(data, self.size).starts.tolist()

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
