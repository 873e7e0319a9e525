"""Pairs of cuts, counted and found, against all pairs listed one by one."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from privpac.data.samples.sample import Sample, Tally
from privpac.mechanisms.lines.intervals import LEAF, CutRuns, gains, pair_at
from tests.grid import over


def listed(tally: Tally, size: int) -> dict[tuple[int, int], int]:
    """Every pair of cuts with its d, by the definition."""
    balance = {int(x): int(b) - int(a) for x, a, b in zip(*tally, strict=True)}
    below = [sum(w for x, w in balance.items() if x < t) for t in range(size + 1)]
    return {(t, stop): below[stop] - below[t] for t, stop in combinations(range(size + 1), 2)}


def random_tally(rng: np.random.Generator, size: int, most: int) -> Tally:
    n = int(rng.integers(0, most + 1))
    counts = rng.integers(1, 4, n)
    return Sample(rng.integers(0, size, n).astype(np.uint64), rng.random(n) < 0.5, counts, int(counts.sum())).tally()


@pytest.mark.slow
def test_pairs_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    for _ in range(150):
        size = int(rng.integers(1, 9))
        tally = random_tally(rng, size, 7)
        pairs, cuts = listed(tally, size), CutRuns.of(tally, size)
        assert gains(cuts, cuts.worst) == Counter(pairs.values())
        assert max(0, *pairs.values()) == cuts.best
        assert min(0, *pairs.values()) == cuts.worst
        for d, count in gains(cuts, cuts.worst).items():
            assert {pair_at(cuts, d, i) for i in range(count)} == {pair for pair, each in pairs.items() if each == d}


@over("share", [0.5, 0.9])
@over("size", [400, 2**64, 2**200])
def test_many_runs_by_polynomials(share, size):
    """Long runs of one label and mixed ones, with multiplicities of any size."""
    rng = np.random.default_rng(2)
    k = 3 * LEAF + 5
    points = sorted({int(x) for x in rng.integers(0, 2**62, 4 * k)} if size > 400 else set(range(0, 400, 2)))[:k]
    points = [x * (size // 2**63) for x in points] if size > 2**64 else points
    ones = rng.random(len(points)) < np.where(np.arange(len(points)) % 100 < 50, share, 1 - share)
    cuts = CutRuns.of(Tally(np.array(points, dtype=object), (~ones).astype(np.int64), ones.astype(np.int64)), size)
    every = Counter()
    for i, j in combinations(range(len(cuts.balance)), 2):
        every[int(cuts.balance[j] - cuts.balance[i])] += cuts.lengths[i] * cuts.lengths[j]
    every[0] += sum(m * (m - 1) // 2 for m in cuts.lengths)
    assert sum(every.values()) == size * (size + 1) // 2
    for floor in (cuts.worst, 0, cuts.best - 3, cuts.best):
        assert gains(cuts, floor) == {d: count for d, count in every.items() if d >= floor}
    for d in (cuts.best, 0, cuts.worst):
        for number in (0, every[d] // 2, every[d] - 1):
            t, stop = pair_at(cuts, d, number)
            balance = cuts.balance[[int(np.searchsorted(cuts.starts, cut, side="right")) - 1 for cut in (t, stop)]]
            assert 0 <= t < stop <= size
            assert balance[1] - balance[0] == d


def test_few_runs_of_many_records_need_no_room_for_their_sums():
    points = np.arange(300)
    counts = np.random.default_rng(3).integers(1, 10**13, 300)
    cuts = CutRuns.of(Tally(points, counts * (points % 2), counts * (1 - points % 2)), 300)
    assert sum(gains(cuts, cuts.worst).values()) == 300 * 301 // 2


def test_no_records():
    cuts = CutRuns.of(Sample(np.array([], dtype=np.uint64), np.array([], dtype=bool), None, 5).tally(), 2**64)
    assert gains(cuts, 0) == {0: 2**63 * (2**64 + 1)}
    assert pair_at(cuts, 0, 2**63 * (2**64 + 1) - 1) == (2**64 - 1, 2**64)


def test_what_is_not_there_is_not_found():
    cuts = CutRuns.of(Tally(np.array([1]), np.array([0]), np.array([1])), 3)
    with pytest.raises(IndexError):
        pair_at(cuts, 1, gains(cuts, 1)[1])
