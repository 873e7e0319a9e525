"""Pairs of cuts: errors and sums against their definitions, the law by brute force, exact audits, broken twins."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.claims.case import Case, labeled
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.exact.powers import Powers
from privpac.mechanisms.decision_trees.cut_pairs import (
    LONGEST,
    ROUNDING,
    CutPairs,
    PairedRecords,
    Values,
    scaled_weights,
)
from privpac.privacy.budget import Budget
from tests.grid import over

GATES = list(product((False, True), repeat=4))
AND = (False, False, False, True)


def records(x, y, labels, counts=None):
    x, y = (np.asarray(each, dtype=np.uint64) for each in (x, y))
    size = len(x) if counts is None else int(counts.sum())
    return PairedRecords.of(x, y, Sample(x, np.asarray(labels, dtype=bool), counts, size))


def some_records(rng, n, N):
    x, y = (rng.integers(size, size=n) for size in N)
    return x, y, rng.random(n) < 0.5, rng.integers(1, 4, n)


def errors(G, s, t, x, y, labels, counts):
    """By definition."""
    return int(counts[np.array(G)[2 * (x >= s) + (y >= t)] != labels].sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 200), st.integers(1, 30), st.integers(1, 300), st.sampled_from(GATES), st.integers(0, 2**30))
def test_sums_over_runs_are_those_of_all_pairs(n, N1, N2, G, seed):
    x, y, labels, counts = table = some_records(np.random.default_rng(seed), n, (N1, N2))
    found, rate = records(x, y, labels, counts), Fraction(1, 2)
    (first, many), (second, some) = found.first.runs(N1), found.second.runs(N2)
    assert sum(many) == N1 + 1 and sum(some) == N2 + 1
    M, e = map(np.concatenate, zip(*scaled_weights(found, G, np.array(some, float), Powers(rate, 800)), strict=True))
    assert len(M) == len(first) and (M >= 0.99).all()
    for run in {0, len(first) // 2, len(first) - 1}:
        expected = [errors(G, first[run], t, *table) for t in second]
        assert found.errors(G, run).tolist() == expected
        assert M[run] * np.exp(-e[run] / 2) == pytest.approx(np.exp(-np.array(expected) / 2) @ some, rel=1e-11)


def law_by_definition(mechanism, table):
    cuts = product(range(len(mechanism.gates)), range(mechanism.sizes[0] + 1), range(mechanism.sizes[1] + 1))
    with ctx.workprec(128):
        rate = arb(mechanism.rate.numerator) / mechanism.rate.denominator
        weights = {each: (-rate * errors(mechanism.gates[each[0]], *each[1:], *table)).exp() for each in cuts}
        total = sum(weights.values(), arb(0))
        return {each: weight / total for each, weight in weights.items()}


@over("gates", [(AND,), (AND, GATES[6]), tuple(GATES)])
@over("n", (0, 1, 5, 200))
def test_the_law_is_that_of_all_pairs(gates, n):
    """Within e^(±2^-23), as the proof says; in fact within 1e-12."""
    table = some_records(np.random.default_rng(n), n, (3, 5))
    mechanism = CutPairs(Budget(1), (3, 5), gates)
    law, expected = mechanism.law(records(*table)), law_by_definition(mechanism, table)
    assert law.keys() == expected.keys()
    assert all(abs(float(law[each] / expected[each]) - 1) < 1e-12 for each in law)


@pytest.mark.audit
def test_released_pairs_have_the_law():
    mechanism, found = CutPairs(Budget(1), (3, 4), (AND,)), records([0, 1, 1], [1, 0, 1], [0, 0, 1])
    law, N = mechanism.law(found), 2500  # runs of several cuts: only their first ones would be seen
    seen = [mechanism.release(found, SYSTEM) for _ in range(N)]
    assert all(abs(seen.count(each) - N * float(p)) < 7 * (N * float(p)) ** 0.5 + 7 for each, p in law.items())


def view(sample):
    kept = [record for record in sample if record is not None]  # void ones have no point
    x, y = np.array([point for point, _ in kept]).reshape(-1, 2).T
    return records(x, y, [label for _, label in kept])


class OnlyNearby(CutPairs):
    """A broken twin: only cuts next to a record's value, and those at the ends, are candidates."""

    def law(self, data):
        kept = [{0, N, *each.distinct} for each, N in zip((data.first, data.second), self.sizes, strict=True)]
        law = {(g, s, t): p for (g, s, t), p in super().law(data).items() if s in kept[0] and t in kept[1]}
        with ctx.workprec(128):
            total = sum(law.values(), arb(0))
            return {each: p / total for each, p in law.items()}


class TwiceTheRate(CutPairs):
    """A broken twin: e^(−ε·errors)."""

    @property
    def rate(self):
        return 2 * super().rate


class RoundedToZero(CutPairs):
    """A broken twin: weights are plain floats, and those that underflow are 0."""

    def law(self, data):
        law = super().law(data)
        best = max(float(p) for p in law.values())
        return {each: arb(0) if float(p) / best < 1e-300 else p for each, p in law.items()}


def case(kind, ε=1, crowd=14):
    universe = [*labeled([(0, 0), (2, 1)]), None]
    mechanism = kind(Budget(ε), (3, 2), (AND, GATES[2]))
    return Case(mechanism, view, "pairs of cuts", universe, 2, Budget(ε), crowd=(((0, 0), True),) * crowd)


@pytest.mark.parametrize(("ε", "crowd"), [(1, 14), (0.2, 70), (6, 0)])
def test_no_neighbors_refute_it(ε, crowd):
    assert not case(CutPairs, ε, crowd).exact().refuted
    assert case(CutPairs, ε, crowd).overspent().exact().refuted  # a tenth more than is charged would be seen


@pytest.mark.parametrize(("twin", "crowd"), [(OnlyNearby, 14), (TwiceTheRate, 14), (RoundedToZero, 1380)])
def test_broken_twins_are_refuted(twin, crowd):
    assert case(twin, crowd=crowd).exact().refuted


def test_far_more_errors_than_a_float_can_weigh():
    """No weight is 0 however many records there are, and the far corner has its probability."""
    found = records([1], [1], [True], np.array([10**8]))
    law = CutPairs(Budget(1), (3, 3), (AND,)).law(found)
    assert all(p > 0 for p in law.values())
    assert float(law[0, 0, 0]) == pytest.approx(1 / 4, rel=1e-6)


def test_long_lines_and_small_epsilon_are_refused_by_name():
    with pytest.raises(ValueError, match="2\\^900"):
        CutPairs(Budget(1), (LONGEST + 1, 2), (AND,))
    with pytest.raises(ValueError, match="epsilon"):
        CutPairs(Budget(ROUNDING), (2, 2), (AND,))


def test_whether_there_are_too_many_records_is_public(monkeypatch):
    """Void records count: neither they nor equal ones may decide whether a fit is refused."""
    monkeypatch.setattr("privpac.mechanisms.decision_trees.cut_pairs.MOST_RECORDS", 3)
    few = np.array([1, 2], dtype=np.uint64)
    mechanism = CutPairs(Budget(1), (9, 9), (AND,))
    mechanism.check(PairedRecords.of(few, few, Sample(few, np.ones(2, dtype=bool), None, 3)))
    with pytest.raises(ValueError, match="at most 2\\^28 records"):
        mechanism.check(PairedRecords.of(few, few, Sample(few, np.ones(2, dtype=bool), None, 4)))


def test_values_beyond_64_bits_keep_their_order():
    codes = np.array([2**80, 3, 2**70, 3], dtype=object)
    values = Values.of(codes)
    assert values.distinct == [3, 2**70, 2**80] and values.rank.tolist() == [2, 0, 1, 0]
