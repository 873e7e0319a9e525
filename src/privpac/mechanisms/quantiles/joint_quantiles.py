"""Several quantiles at once: one exponential mechanism over all increasing tuples of cuts, which are never listed.

[GJK21]  docs/references.bib        proof: docs/proofs/quantiles.md

A tuple of m cuts divides the records into m + 1 cells, and the wanted quantiles say how many records each cell should
have. The score of the tuple is minus the sum, over all cells, of the difference between the wanted number and the true
one. One substituted record changes two true numbers by one.

Throughout this file
    ε, ε'      the promise, and the ε of the weights: ε' = ε − 2^-24, because rounding them costs less than 2^-24
    t_j        the wanted rank of quantile j: ⌊τ_j·n + ½⌋, with t_0 = 0 and t_(m+1) = n
    B, at      the places of a line (privpac.data.values.float_lengths); B = 1 and at(v) = v unless values are floats
    z          a cut: records below z lie on its left; the record with value v and tie bits b is at at(v)·2^k + b·B
    gap i      all cuts with i records below them, i = 0 … n; there are c_i of them
    y          e^(ε'/4)
    C_r(i)     the number of ways to put r cuts in gap i: r of its c_i cuts in order, with repetition
    F_j(i)     the weight of all cuts 1 … j with cut j in gap i and the next one, if any, in a later gap
    G_j(i)     the weight of all cuts 1 … j in gaps before i, times the weight of the cell from cut j to gap i
    M, g       a weight M·y^g (privpac.exact.powers)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations_with_replacement
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from privpac.data.domains.line import Line
from privpac.data.values.float_lengths import Places
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, Weights, draw, probabilities
from privpac.exact.powers import NOTHING, Floats, Powers, Sums
from privpac.exact.subsets import distinct_numbers
from privpac.mechanisms.quantiles.one_quantile import LineValue, QuantileExponential, ln
from privpac.mechanisms.quantiles.several_quantiles import RefinedValues, break_ties
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.refusal import Refused

ROUNDING = Fraction(1, 2**24)  # the part of ε that pays for rounded weights
LEAST = 4 * ROUNDING  # the least ε
MOST_QUANTILES, MOST_WEIGHTS, LONGEST = 19, 2**22, 2**900  # limits of Theorem 3, and of speed
STEEPEST = Fraction(64)  # the largest rate: with it, one record already decides
MACHINE_RATE, MANTISSA = 6, 53  # up to this rate, M·2^53 is a machine integer


class CutWeights(NamedTuple):
    """The records in order, and the weights of the first 1, 2, … cuts, by gap."""

    records: RefinedValues
    ways: list[Sums]  # C_1, C_2, …
    F: list[Sums]  # F_1, F_2, …
    G: list[Sums]  # G_0, G_1, …

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.records.values)


@dataclass(frozen=True)
class JointQuantiles(Mechanism):
    """Increasing quantiles by one draw from all increasing tuples of cuts; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> quartiles = JointQuantiles(Budget(9), Line(0, 120), tuple(Fraction(i, 4) for i in (1, 2, 3)))
    >>> quartiles.release(quartiles.check([20] * 500 + [40] * 600 + [60] * 500), SYSTEM)
    [20, 40, 60]
    """

    cost: Budget
    line: Line
    taus: tuple[Fraction, ...]
    name: ClassVar[str] = "joint quantiles"
    theorem: ClassVar[str] = "quantiles, Theorem 3"

    def __post_init__(self) -> None:
        if self.cost.epsilon < LEAST:
            raise Refused.must("epsilon", "be at least 2^-22 for several quantiles")

    @staticmethod
    def suits(line: Line, m: int, n: int) -> bool:
        """Whether m quantiles of n records of this line are few enough for a joint draw."""
        return m <= MOST_QUANTILES and m * (n + 1) <= MOST_WEIGHTS and line.room.choices << n.bit_length() <= LONGEST

    def check(self, data: ArrayLike) -> Integers:
        ordered = QuantileExponential(self.cost, self.line).check(data)
        if not self.suits(self.line, len(self.taus), len(ordered)):
            raise ValueError("a joint draw has at most 19 quantiles of at most 2^22 records divided by their number")
        return ordered

    @property
    def rate(self) -> Fraction:
        """ε'/4: one record changes a score by at most 2."""
        return min((self.cost.epsilon - ROUNDING) / 4, STEEPEST)

    def expected_rank_error(self, n: int) -> int:
        """A rough estimate of the rank error. It compares methods; it guarantees nothing."""
        return floor(ln(self.line.room.choices << n.bit_length()) / (2 * self.rate)) + 1

    @cached_property
    def _powers(self) -> Powers:
        return Powers(self.rate, -NOTHING)

    def release(self, data: Integers, coins: Entropy) -> list[LineValue]:
        weights = self._cut_weights(break_ties(data, coins))
        cuts, gap, j = list[int](), None, len(self.taus)
        while j:  # cut j is the last one that is not yet drawn
            gap = draw(self._gaps(weights, j, gap), coins)
            run = draw(self._runs(weights, j, gap), coins) + 1
            first, count = self._cuts(weights.records, gap)
            cuts = [first + offset for offset in _increasing_numbers(run, count, coins)] + cuts
            j -= run
        return [self._value(z, weights.records.bits) for z in cuts]

    def law(self, data: ArrayLike) -> dict[tuple[LineValue, ...], arb]:
        """The exact law without tie bits, which is enough for an audit (``QuantileTree.law``). For small data."""
        weights = self._cut_weights(RefinedValues.without_ties(self.check(data)))
        law: defaultdict[tuple[LineValue, ...], arb] = defaultdict(lambda: arb(0))
        with ctx.workprec(128):
            for cuts, p in self._tuples(weights, len(self.taus), None):
                law[tuple(self._value(z, 0) for z in cuts)] += p
        return dict(law)

    def _tuples(self, weights: CutWeights, j: int, next_gap: int | None) -> Iterator[tuple[tuple[int, ...], arb]]:
        """All cuts 1 … j with their probabilities, given the gap of cut j + 1 (None if cut j is the last)."""
        if not j:
            yield (), arb(1)
            return
        for gap, p in _possible(self._gaps(weights, j, next_gap)):
            first, count = self._cuts(weights.records, gap)
            for run, q in _possible(self._runs(weights, j, gap)):
                last_cuts = list(combinations_with_replacement(range(first, first + count), run + 1))
                for before, r in self._tuples(weights, j - run - 1, gap):
                    yield from ((before + cuts, p * q * r / len(last_cuts)) for cuts in last_cuts)

    def _value(self, z: int, bits: int) -> LineValue:
        """The value that owns the place of the cut z; ``bits`` is the number of tie bits."""
        value: LineValue = self.line.decode(self.line.room.number_at(max(z, 0) >> bits))
        return value

    def _cuts(self, records: RefinedValues, gap: int) -> tuple[int, int]:
        """The first cut of a gap, and how many there are."""
        room, k = self.line.room, records.bits

        def place(i: int) -> int:
            return (room.at(int(records.values[i])) << k) + int(records.ties[i]) * room.extra

        before = place(gap - 1) if gap else -room.extra
        last = place(gap) if gap < len(records.values) else (room.whole << k) + (2**k - 1) * room.extra
        return before + 1, last - before

    def _ranks(self, n: int) -> list[int]:
        """t_0 … t_(m+1)."""
        return [0, *(floor(τ * n + Fraction(1, 2)) for τ in self.taus), n]

    def _cut_weights(self, records: RefinedValues) -> CutWeights:
        """All F and G."""
        n, m, powers = len(records.values), len(self.taus), self._powers
        ranks, ways = self._ranks(n), _ways(gap_sizes(records, self.line.room), self.line.room.extra == 1, m, powers)
        F, G = list[Sums](), [Sums(np.ones(n + 1), -np.abs(np.arange(n + 1) - ranks[1]))]
        weights = CutWeights(records, ways, F, G)
        for j in range(1, m + 1):
            F.append(powers.scaled(reduce(powers.plus, self._by_run(weights, j))))
            if j < m:
                G.append(powers.scaled(next_cells(F[-1], ranks[j + 1] - ranks[j], powers)))
        return weights

    def _by_run(self, weights: CutWeights, j: int) -> list[Sums]:
        """The parts of F_j: its last r cuts lie in the same gap, r = 1, …, j."""
        ranks = self._ranks(weights.n)
        # The cells between cuts of one gap are empty, so their scores are minus the wanted numbers of records.
        gains = (ranks[j - r + 1] - ranks[j] for r in range(1, j + 1))
        return [weights.ways[i].times(weights.G[j - i - 1]).raised(gain) for i, gain in enumerate(gains)]

    def _gaps(self, weights: CutWeights, j: int, next_gap: int | None) -> Weights:
        """The weights of all gaps for cut j, given the gap of cut j + 1 (None if cut j is the last)."""
        n, ranks = weights.n, self._ranks(weights.n)
        i, F = np.arange(n + 1), weights.F[j - 1]
        stop, before = (n, n + 1) if next_gap is None else (next_gap, next_gap)
        cells = F.raised(-np.abs(stop - i - (ranks[j + 1] - ranks[j])))
        return self._weights(Sums(np.where(i < before, cells.M, 0.0), np.where(i < before, cells.g, NOTHING)))

    def _runs(self, weights: CutWeights, j: int, gap: int) -> Weights:
        """The weights of 1, 2, … cuts in this gap, if cut j is the last of them."""
        parts = [part.at([gap]) for part in self._by_run(weights, j)]
        all_parts = Sums(np.concatenate([part.M for part in parts]), np.concatenate([part.g for part in parts]))
        return self._weights(self._powers.scaled(all_parts))

    def _weights(self, numbers: Sums) -> Weights:
        """Numbers whose M are at least about 1, as options of a draw."""
        M = np.ldexp(numbers.M, MANTISSA)
        counts = M.astype(np.int64) if self.rate <= MACHINE_RATE else np.array([int(m) for m in M], dtype=object)
        return Weights(numbers.g, self.rate, counts)


def _possible(weights: Weights) -> list[tuple[int, arb]]:
    """The options of a draw that have a weight, with their probabilities."""
    return [(option, p) for option, p in enumerate(probabilities(weights)) if weights.count(option)]


def gap_sizes(records: RefinedValues, room: Places) -> Floats:
    """c_0 … c_n, all multiplied by the same number, and each within a factor 1 ± 2^-50.

    >>> numbers, ties = np.array([[2, 2, 5], [0, 1, 1]], dtype=np.uint64)
    >>> gap_sizes(RefinedValues(numbers, ties, 1), Places(8))
    array([5., 1., 6., 4.])
    """
    values, full = records.values, 2.0**records.bits
    ties = records.ties.astype(np.float64)
    ends = np.array([0, room.size - 1], dtype=values.dtype)
    numbers = np.diff(np.concatenate([ends[:1], values, ends[1:]])).astype(np.float64)
    apart, extra = room.gaps(values)  # in a unit of their own, so all c are multiplied by the same number
    return apart * full + (numbers * full + np.diff(np.concatenate([[-1], ties, [full - 1]]))) * extra


def _ways(sizes: Floats, small_gaps: bool, m: int, powers: Powers) -> list[Sums]:
    """C_1 … C_m: C_r = C_(r−1)·(c + r − 1)/r. Without ``small_gaps``, r − 1 is negligible and left out."""
    g, ways = np.where(sizes > 0, 0, NOTHING), list[Sums]()
    for r in range(1, m + 1):
        factor = powers.scaled(Sums(np.where(sizes > 0, (sizes + small_gaps * (r - 1)) / r, 0.0), g))
        ways.append(factor if r == 1 else powers.scaled(ways[-1].times(factor)))
    return ways


def next_cells(F: Sums, wanted: int, powers: Powers) -> Sums:
    """G(i) = Σ F(i')·y^(−|i − i' − wanted|) over i' < i, by sums of 1, 2, 4, … neighbors.

    >>> powers, F = Powers(Fraction(1), 99), Sums(np.ones(4), np.zeros(4, dtype=np.int64))
    >>> G = next_cells(F, 2, powers)
    >>> (G.M * np.exp(np.maximum(G.g, -99.0))).round(4)
    array([0.    , 0.3679, 1.3679, 1.7358])
    """
    if wanted == 0:
        return _sums(F, len(F.g), -1, powers).later(1, -1)
    far = _sums(F, len(F.g), -1, powers).later(wanted, 0)  # i' ≤ i − wanted
    return powers.plus(far, _sums(F, wanted - 1, 1, powers).later(1, 1 - wanted))


def _sums(F: Sums, count: int, gain: int, powers: Powers) -> Sums:
    """Σ F(i − s)·y^(gain·s) over s = 0 … count − 1."""
    total, done = Sums(np.zeros_like(F.M), np.full_like(F.g, NOTHING)), 0
    block, size = F, 1  # the sum of ``size`` neighbors
    while count:
        if count % 2:
            total, done = powers.plus(total, block.later(done, gain * done)), done + size
        count //= 2
        if count:
            block, size = powers.plus(block, block.later(size, gain * size)), 2 * size
    return total


def _increasing_numbers(run: int, count: int, coins: Entropy) -> list[int]:
    """A uniformly random list of ``run`` numbers below ``count``, in order, with repetition.

    Subtracting 0, 1, 2, … from distinct numbers below count + run − 1 gives each such list once.
    """
    return [number - place for place, number in enumerate(distinct_numbers(run, count + run - 1, coins))]
