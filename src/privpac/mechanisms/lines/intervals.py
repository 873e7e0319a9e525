"""Private selection of an interval of a line: all intervals are candidates, but they are never listed.

An interval is a pair of cuts. Cuts are grouped by the records below them, and pairs by the records between them.

proof: docs/proofs/interval_learner.md

Throughout this file
    N         the size of the line, numbered 0 … N − 1
    t         a cut, 0 ≤ t ≤ N: it has the values 0 … t − 1 below it; an interval l … r is the pair of cuts l < r + 1
    G(t)      positive minus negative records below t
    run       the cuts between two neighboring records' values: they have equal G, and are counted, not listed
    d         G(t') − G(t), the gain of the interval of the values t … t' − 1: it errs on (positives − d) records
    A, B      G in the left and in the right half of some runs; m and k are the lengths of these runs
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar, NamedTuple

import numpy as np
from flint import fmpz_poly
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints, Tally
from privpac.exact.exponential_weights import Integers, Weights
from privpac.mechanisms.selection.exponential import Menu, Selection, reach, short_list
from privpac.privacy.budget import Budget

RunTable = tuple[Ints, Integers]  # G and the length of each run
LEAF = 64  # the pairs of at most this many runs are listed one by one


class CutRuns(NamedTuple):
    """Run j has ``lengths[j]`` cuts from ``starts[j]`` on, with G = ``balance[j]``; both may be integers of any size.

    >>> CutRuns.of(Tally(np.array([2, 5]), zeros=np.array([0, 3]), ones=np.array([2, 0])), 8)
    CutRuns(starts=array([0, 3, 6], dtype=object), lengths=array([3, 3, 3], dtype=object), balance=array([ 0,  2, -1]))
    """

    starts: Integers
    lengths: Integers
    balance: Ints

    @staticmethod
    def of(tally: Tally, size: int) -> CutRuns:
        """The cuts of a line of ``size`` values, from the records at each value."""
        order = np.argsort(tally.points, kind="stable")
        starts = np.append(np.zeros(1, dtype=object), tally.points[order].astype(object) + 1)
        balance = np.append(0, np.cumsum((tally.ones - tally.zeros)[order])).astype(np.int64)
        return CutRuns(starts, np.append(starts[1:], size + 1) - starts, balance)

    @property
    def best(self) -> int:
        """The largest d; 0 if every pair of cuts has d ≤ 0."""
        return int((self.balance - np.minimum.accumulate(self.balance)).max())

    @property
    def worst(self) -> int:
        """The smallest d; 0 if every pair of cuts has d ≥ 0."""
        return int((self.balance - np.maximum.accumulate(self.balance)).min())

    @property
    def pairs_within(self) -> Integers:
        """The number of pairs of cuts within each run: they have d = 0."""
        pairs: Integers = self.lengths * (self.lengths - 1) // 2
        return pairs


def gains(cuts: CutRuns, floor: int) -> Counter[int]:
    """For each d ≥ ``floor``, the number of pairs of cuts t < t' with G(t') − G(t) = d.

    >>> cuts = CutRuns.of(Tally(np.array([2, 5]), zeros=np.array([0, 3]), ones=np.array([2, 0])), 8)
    >>> sorted(gains(cuts, -3).items())  # 9 intervals hold both values, 9 only 5, 9 only 2, and 9 neither
    [(-3, 9), (-1, 9), (0, 9), (2, 9)]
    """
    pairs: Counter[int] = Counter()
    _add_pairs(cuts.balance, cuts.lengths, floor, pairs)
    if floor <= 0:
        pairs[0] += int(cuts.pairs_within.sum())
    return +pairs


def _add_pairs(G: Ints, lengths: Integers, floor: int, totals: Counter[int]) -> None:
    """Add the pairs of different runs: those within each half of the runs, and those across."""
    if len(G) < 2 or G.max() - G.min() < floor:
        return
    if len(G) <= LEAF:
        first, second = np.triu_indices(len(G), 1)
        _add_listed(G[second] - G[first], lengths[first] * lengths[second], floor, totals)
        return
    middle = len(G) // 2
    (A, B), (m, k) = np.split(G, [middle]), np.split(lengths, [middle])
    _add_pairs(A, m, floor, totals)
    _add_pairs(B, k, floor, totals)
    left, right = B.max() - A >= floor, B - A.min() >= floor
    if left.any():
        _add_across((A[left], m[left]), (B[right], k[right]), floor, totals)


def _add_across(left: RunTable, right: RunTable, floor: int, totals: Counter[int]) -> None:
    """Add the pairs of a left run and a right run, one by one or by a product of polynomials in x^(−G) and x^G."""
    (A, m), (B, k) = left, right
    low, high = int(B.min()), int(A.max())
    spans = int(B.max()) - low + 1, high - int(A.min()) + 1
    if len(A) * len(B) <= max(LEAF, *spans):
        _add_listed((B[:, None] - A).ravel(), (k[:, None] * m).ravel(), floor, totals)
        return
    product = (_polynomial(B - low, k, spans[0]) * _polynomial(high - A, m, spans[1])).coeffs()
    for d in range(max(floor, low - high), low - high + len(product)):
        totals[d] += int(product[d - low + high])


def _polynomial(exponents: Ints, coefficients: Integers, span: int) -> fmpz_poly:
    totals = np.zeros(span, dtype=object)
    np.add.at(totals, exponents, coefficients)
    return fmpz_poly(totals.tolist())


def _add_listed(differences: Ints, pairs: Integers, floor: int, totals: Counter[int]) -> None:
    """Add pairs[i] pairs with d = differences[i], for every i where d is at least ``floor``."""
    large = differences >= floor
    values, where = np.unique(differences[large], return_inverse=True)
    counts = np.zeros(len(values), dtype=object)
    np.add.at(counts, where, pairs[large])
    for d, count in zip(values.tolist(), counts.tolist(), strict=True):
        totals[d] += count


def pair_at(cuts: CutRuns, d: int, number: int) -> tuple[int, int]:
    """The pair with this number, from 0, among all pairs of cuts t < t' with G(t') − G(t) = d.

    >>> cuts = CutRuns.of(Tally(np.array([2, 5]), zeros=np.array([0, 3]), ones=np.array([2, 0])), 8)
    >>> [pair_at(cuts, 2, number) for number in (0, 1, 8)]
    [(0, 3), (0, 4), (2, 5)]
    """
    if d == 0:
        ends = np.cumsum(cuts.pairs_within)
        if number < ends[-1]:
            run = int(np.searchsorted(ends, number, side="right"))
            return _pair_within(int(cuts.starts[run]), number - int(ends[run] - cuts.pairs_within[run]))
        number -= int(ends[-1])
    return _pair_across(cuts, d, number)


def _pair_within(start: int, number: int) -> tuple[int, int]:
    """The pair start + i < start + j with the number j(j − 1)/2 + i."""
    j = (1 + isqrt(1 + 8 * number)) // 2
    return start + number - j * (j - 1) // 2, start + j


def _pair_across(cuts: CutRuns, d: int, number: int) -> tuple[int, int]:
    """The pair with this number among the pairs of cuts of different runs, in the order of the second run."""
    G = cuts.balance
    runs = np.flatnonzero(np.isin(G, G + d) | np.isin(G, G - d))
    before: defaultdict[int, int] = defaultdict(int)  # how many cuts of earlier runs have each G
    for run, g, length in zip(runs.tolist(), G[runs].tolist(), cuts.lengths[runs].tolist(), strict=True):
        pairs = length * before[g - d]
        if number < pairs:
            first, second = divmod(number, length)
            return _cut_at(cuts, np.flatnonzero(G[:run] == g - d), first), int(cuts.starts[run]) + second
        number -= pairs
        before[g] += length
    raise IndexError("fewer pairs of cuts have this gain")


def _cut_at(cuts: CutRuns, runs: NDArray[np.intp], number: int) -> int:
    """The cut with this number among all cuts of the runs."""
    ends = np.cumsum(cuts.lengths[runs])
    i = int(np.searchsorted(ends, number, side="right"))
    return int(cuts.starts[runs[i]] + cuts.lengths[runs[i]] - (ends[i] - number))


@dataclass(frozen=True)
class IntervalExponential(Selection):
    """An interval (t, t') of a line of ``size`` values, or None, with probability ∝ e^(−ε·errors/2); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> records = Tally(np.array([20, 60, 90]), zeros=np.array([80, 0, 70]), ones=np.array([0, 99, 1]))
    >>> t, stop = IntervalExponential(Budget(2), 100).release(records, SYSTEM)
    >>> 20 < t <= 60 < stop <= 90
    True
    """

    cost: Budget
    size: int
    name: ClassVar[str] = "exponential over intervals"
    theorem: ClassVar[str] = "interval learner, Theorem 1"

    def menu(self, data: Tally) -> Menu:
        cuts, rate = CutRuns.of(data, self.size), self.cost.epsilon / 2
        floor = max(cuts.best - reach(2 * self.size.bit_length(), rate), cuts.worst)

        def menu_of(least: int) -> Menu:
            intervals = gains(cuts, least)
            intervals[0] += least <= 0  # the empty interval
            d, counts = zip(*sorted((+intervals).items(), reverse=True), strict=True)  # + leaves zeros out

            def outcome(group: int, member: int) -> tuple[int, int] | None:
                if d[group] == 0:
                    return pair_at(cuts, 0, member - 1) if member else None
                return pair_at(cuts, d[group], member)

            return Weights(np.array(d) - data.ones.sum(), rate, np.array(counts, dtype=object)), outcome

        near = menu_of(floor)
        return near if floor == cuts.worst else short_list(near, lambda: menu_of(cuts.worst))
