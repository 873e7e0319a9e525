"""Two cuts at once: one exponential mechanism over all pairs of cuts of two lines, which are never listed.

[MT07]  docs/references.bib        proof: docs/proofs/cut_pairs.md

Throughout this file
    s, t     a cut of the first line and one of the second, 0 ≤ s ≤ N₁, 0 ≤ t ≤ N₂: is x ≥ s, is y ≥ t?
    G        a gate: the label as a boolean function of these two bits
    run      cuts of a line with no record's value between them; all of them label the records alike
    E        for each run of t, the errors of G at the current run of s: changed record by record as s moves upwards
    ρ        e^(−rate); a pair weighs ρ^errors
    M, e     M·ρ^e is the weight of all pairs of one run of s; e is an integer, and M a float that is at least about 1

Moving s over a block of records changes E by the same amount on each of the few stretches between the records' values
of y. So the weights ρ^E of a stretch are added up only once for each block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, Weights, draw, probabilities
from privpac.exact.powers import Floats, Powers
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.refusal import Refused

ROUNDING = Fraction(1, 2**22)  # the part of ε that pays for rounded weights
LONGEST, MOST_RECORDS = 2**900, 2**28  # limits of Theorem 1
LEAST = 4 * ROUNDING  # the least ε
SMALLEST_BLOCK = 64  # the fewest records of a block

Table = tuple[bool, ...]  # G on 00, 01, 10, 11
Pair = tuple[int, int, int]  # the number of G, s, t


class Values(NamedTuple):
    """The distinct values of one column, in order, and the place of each record's value among them."""

    distinct: list[int]
    rank: NDArray[np.intp]

    @staticmethod
    def of(codes: Integers) -> Values:
        """The values of a column of codes."""
        distinct, rank = np.unique(codes, return_inverse=True)
        return Values([int(value) for value in distinct.tolist()], rank.reshape(-1))

    def runs(self, size: int) -> tuple[list[int], list[int]]:
        """The first cut of each run, and the number of its cuts.

        >>> Values.of(np.array([3, 7])).runs(size=10)
        ([0, 4, 8], [4, 4, 3])
        """
        starts = [0, *(value + 1 for value in self.distinct)]
        ends = [*starts[1:], size + 1]
        return starts, [end - start for start, end in zip(starts, ends, strict=True)]


@dataclass(frozen=True, eq=False)
class PairedRecords:
    """Entries of a sample in the order of their first values; the ranks of both columns follow this order."""

    first: Values
    second: Values
    labels: NDArray[np.bool_]
    counts: Ints
    size: int  # n, void records included

    @staticmethod
    def of(x: Integers, y: Integers, sample: Sample) -> PairedRecords:
        """Two columns of codes, and the labels and counts of a sample."""
        counts = np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts
        first, second = Values.of(x), Values.of(y)
        order = np.argsort(first.rank, kind="stable")
        first, second = (Values(column.distinct, column.rank[order]) for column in (first, second))
        return PairedRecords(first, second, sample.labels[order], counts[order], sample.size)

    def wrong(self, G: Table, above_s: NDArray[np.bool_] | bool) -> tuple[Ints, Ints]:
        """For each entry, the errors of G on it if its y < t, and if its y ≥ t; ``above_s`` says whether its x ≥ s."""
        answers = np.array(G)[2 * np.asarray(above_s, dtype=np.intp)[..., None] + np.arange(2)]
        errors = (answers != self.labels[:, None]) * self.counts[:, None]
        return errors[:, 0], errors[:, 1]

    def runs(self, sizes: tuple[int, int]) -> tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]:
        """The first cut of each run and the number of its cuts, for s and for t."""
        return self.first.runs(sizes[0]), self.second.runs(sizes[1])

    def errors(self, G: Table, run: int) -> Ints:
        """The errors for each run of t, if s is in this run."""
        low, high = self.wrong(G, self.first.rank >= run)
        runs = len(self.second.distinct) + 1
        gained = np.zeros(runs, dtype=np.int64)  # the errors that t gains by moving up into each run
        np.add.at(gained, self.second.rank + 1, low - high)
        return int(high.sum()) + np.cumsum(gained)


def scaled_weights(records: PairedRecords, G: Table, members: Floats, powers: Powers) -> Iterator[tuple[Floats, Ints]]:
    """M and e of each run of s, block after block; ``members`` are the numbers of cuts in the runs of t."""
    E = records.errors(G, 0)
    # s enters the next run when it has passed the last entry with a value.
    last = np.append(np.diff(records.first.rank) > 0, True) if len(records.labels) else np.zeros(0, dtype=bool)
    x_below_s, x_above_s = records.wrong(G, False), records.wrong(G, True)
    # What passing an entry adds to the errors, if its y < t and if its y ≥ t.
    low, high = (after - before for after, before in zip(x_below_s, x_above_s, strict=True))
    yield _summed(E[None, :], members, powers)
    block_size = max(SMALLEST_BLOCK, isqrt(len(E)))
    for start in range(0, len(last), block_size):
        block = slice(start, start + block_size)
        ends, rank = np.unique(records.second.rank[block], return_inverse=True)
        first = np.append(0, ends + 1)  # the first run of t of each stretch
        stretch = np.arange(len(first))
        change = np.where(stretch <= rank[:, None], high[block, None], low[block, None]).cumsum(axis=0)
        least = np.minimum.reduceat(E, first)
        lengths = np.diff(np.append(first, len(E)))
        factors = np.add.reduceat(members * powers(E - np.repeat(least, lengths)), first)
        # Before the block, a stretch weighs factor·ρ^least; after some of its entries, factor·ρ^(least + change).
        yield _summed((least + change)[last[block]], factors, powers)
        E = E + np.repeat(change[-1], lengths)


def _summed(errors: Ints, factors: Floats, powers: Powers) -> tuple[Floats, Ints]:
    """Σ factor·ρ^errors of each row, as M and e."""
    e = errors.min(axis=1) if len(errors) else np.zeros(0, dtype=np.int64)
    return (factors * powers(errors - e[:, None])).sum(axis=1), e


@dataclass(frozen=True)
class CutPairs(Mechanism):
    """(number of a gate, s, t) with probability ∝ e^(−ε'·errors/2), ε' = ε − 2^-22; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> x, y = np.repeat(np.arange(100), 100), np.tile(np.arange(100), 100)
    >>> records = PairedRecords.of(x, y, Sample(x, (x >= 40) & (y >= 70), np.full(10_000, 100), 10**6))
    >>> CutPairs(Budget(1), (2**64, 2**64), ((False, False, False, True),)).release(records, SYSTEM)
    (0, 40, 70)
    """

    cost: Budget
    sizes: tuple[int, int]
    gates: tuple[Table, ...]
    name: ClassVar[str] = "exponential over pairs of cuts"
    theorem: ClassVar[str] = "cut pairs, Theorem 1"

    def __post_init__(self) -> None:
        if self.cost.epsilon < LEAST:
            raise Refused.must("epsilon", "be at least 2^-20 for a pair of cuts")
        if max(self.sizes) > LONGEST:
            raise ValueError("a pair of cuts needs lines of at most 2^900 values")

    def check(self, data: PairedRecords) -> PairedRecords:
        if data.size > MOST_RECORDS:  # public, unlike the number of distinct or of valid ones
            raise ValueError("a pair of cuts can be chosen with at most 2^28 records; take a part of them")
        return data

    @property
    def rate(self) -> Fraction:
        """ε'/2: one error more or less changes a weight by e^(ε'/2)."""
        return (self.cost.epsilon - ROUNDING) / 2

    def release(self, data: PairedRecords, coins: Entropy) -> Pair:
        (s_first, s_cuts), (t_first, t_cuts) = data.runs(self.sizes)
        gate, i = divmod(draw(self.s_weights(data), coins), len(s_first))
        j = draw(self.t_weights(data, gate, i), coins)
        return gate, s_first[i] + coins.below(s_cuts[i]), t_first[j] + coins.below(t_cuts[j])

    def law(self, data: PairedRecords) -> dict[Pair, arb]:
        """The probability of every pair, as rigorous balls. For short lines."""
        (s_first, s_cuts), (t_first, t_cuts) = data.runs(self.sizes)
        law: dict[Pair, arb] = {}
        with ctx.workprec(128):
            for group, p in enumerate(probabilities(self.s_weights(self.check(data)))):
                gate, i = divmod(group, len(s_first))
                for j, q in enumerate(probabilities(self.t_weights(data, gate, i))):
                    chance = p * q / (s_cuts[i] * t_cuts[j])
                    pairs = product(range(s_cuts[i]), range(t_cuts[j]))
                    law |= {(gate, s_first[i] + s, t_first[j] + t): chance for s, t in pairs}
        return law

    def s_weights(self, data: PairedRecords) -> Weights:
        """The runs of s, for one gate after another, each with the weight of all its pairs.

        Counts must be integers. 2^53·M is an integer: M is at least about 1, so its binary exponent k is not negative.
        """
        powers = Powers(self.rate, data.size)
        members = np.array(data.second.runs(self.sizes[1])[1], dtype=np.float64)
        scaled = [pair for G in self.gates for pair in scaled_weights(data, G, members, powers)]
        mantissa, exponent = np.frexp(np.concatenate([M for M, _ in scaled]))
        integers = [int(m) << int(k) for m, k in zip(np.ldexp(mantissa, 53).tolist(), exponent.tolist(), strict=True)]
        s_cuts = data.first.runs(self.sizes[0])[1] * len(self.gates)
        counts = np.array([m * cuts for m, cuts in zip(integers, s_cuts, strict=True)], dtype=object)
        return Weights(-np.concatenate([e for _, e in scaled]), self.rate, counts)

    def t_weights(self, data: PairedRecords, gate: int, run: int) -> Weights:
        """The runs of t, if s is in this run."""
        t_cuts = np.array(data.second.runs(self.sizes[1])[1], dtype=object)
        return Weights(-data.errors(self.gates[gate], run), self.rate, t_cuts)
