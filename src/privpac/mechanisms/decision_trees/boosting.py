"""Boosted votes of public tests: each round chooses, by an exponential mechanism, a test that corrects earlier votes.

[MT07] [CR21] [DW00]  docs/references.bib        proof: docs/proofs/scorecards.md

Throughout this file
    ε, δ     the promise                         ε₀     the cost of each round
    t        the number of rounds                T      the number of tests; test T always holds
    b, s     a vote: s is +1 if test b speaks for the label 1 where it holds and against it elsewhere, −1 if the reverse
    m        the margin of a record: the votes for its label minus those against it
    w(m)     the weight of a record in the next round, an integer between 0 and FULL

A record's weight follows from this record and from the votes released so far. So one record changes what a vote scores
by at most FULL, whatever the other records are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.decision_trees.counts import Places, PublicTests
from privpac.mechanisms.selection.exponential import Menu, Selection
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from privpac.refusals.refusal import Refused

FULL = 2**12  # the weight of a record that the votes so far do not label rightly
STEP = Fraction(1, 5)  # a vote lowers the logarithm of a weight by this much
MOST_RECORDS, MOST_ROUNDS = 2**38, 2**12  # then all sums are below 2^53, and floats add them exactly
ROOT_BITS = 64  # binary digits of ε₀, which is rounded down

Vote = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Labeled:
    """Entry i lies in cell ``cells[j, i]`` of block j; it has ``ones[i]`` positive and ``zeros[i]`` negative records.

    ``size`` is n, the public number of records.
    """

    cells: Places
    ones: Ints
    zeros: Ints
    size: int

    @staticmethod
    def of(cells: Sequence[Places], labels: np.ndarray, counts: Ints | None, size: int) -> Labeled:
        """Entries in equal cells are added up.

        >>> records = Labeled.of([np.array([2, 0, 2])], np.array([True, False, False]), None, 3)
        >>> records.cells.tolist(), records.ones.tolist(), records.zeros.tolist()
        ([[0, 2]], [0, 1], [1, 1])
        """
        table = np.array(cells, dtype=np.intp).reshape(len(cells), len(labels))
        distinct, where = np.unique(table, axis=1, return_inverse=True)
        weights = np.ones(len(labels), dtype=np.int64) if counts is None else counts
        ones, zeros = (np.zeros(distinct.shape[1], dtype=np.int64) for _ in range(2))
        np.add.at(ones, where.reshape(-1)[labels], weights[labels])
        np.add.at(zeros, where.reshape(-1)[~labels], weights[~labels])
        return Labeled(distinct, ones, zeros, size)


@lru_cache(maxsize=16)
def margin_weights(t: int) -> Ints:
    """w(m) for m = −t … t: FULL up to 0, then ⌊FULL·e^(−m/5)⌋.

    >>> margin_weights(5).tolist()
    [4096, 4096, 4096, 4096, 4096, 4096, 3353, 2745, 2247, 1840, 1506]
    """
    with ctx.workprec(128):
        falling = [_floor(FULL * (-ball(m * STEP)).exp()) for m in range(1, t + 1)]
    weights = np.array([FULL] * (t + 1) + falling, dtype=np.int64)
    weights.setflags(write=False)
    return weights


def _floor(x: arb) -> int:
    whole = x.floor().unique_fmpz()
    assert whole is not None  # e^(−m/5) is irrational, and 128 bits tell it from all integers
    return int(whole)


@dataclass(frozen=True)
class WeightedVoteExponential(Selection):
    """A vote with probability ∝ e^(−ε₀·(weight of the records against it)/(2·FULL)); ε₀-DP, and ε₀²/8-zCDP.

    The data are, for each vote of a public list, the weight of the records for it minus that of those against it.
    """

    cost: Budget
    votes: tuple[Vote, ...]
    name: ClassVar[str] = "exponential over votes"
    theorem: ClassVar[str] = "scorecards, Lemma 1"

    def menu(self, data: Ints) -> Menu:
        return Weights(data, self.cost.epsilon / (4 * FULL)), lambda group, _: self.votes[group]


@dataclass(frozen=True, eq=False)
class BoostedVotes(Algorithm):
    """``rounds`` votes of at most ``most`` different tests, one after another; costs at most ``promise``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> tests = PublicTests((np.array([[0, 1]], bool), np.array([[0, 1]], bool)))
    >>> labels = np.array([False, True, False, True])
    >>> records = Labeled.of([np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])], labels, np.full(4, 10**5), 4 * 10**5)
    >>> BoostedVotes(Budget(1, 1e-6), tests, 3).release(records, SYSTEM)
    ((0, 1), (0, 1), (0, 1))
    """

    promise: Budget
    tests: PublicTests
    rounds: int
    most: int = 24
    name: ClassVar[str] = "boosted votes"
    theorem: ClassVar[str] = "scorecards, Theorem 1"

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise Refused.must("rounds", f"be between 1 and {MOST_ROUNDS}")

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The promise; without its δ if basic composition allows more."""
        return Budget(self.promise.epsilon) if self.simple else self.promise

    @property
    def each(self) -> Budget:
        """ε₀: the larger of ε/t, by basic composition, and √(8ρ/t), by zero-concentrated privacy (zCDP)."""
        return Budget(max(self.promise.epsilon / self.rounds, self._concentrated))

    @property
    def simple(self) -> bool:
        """Whether basic composition allows as much in each round as zCDP."""
        return self._concentrated <= self.promise.epsilon / self.rounds

    @property
    def _concentrated(self) -> Fraction:
        """√(8ρ/t), rounded down; 0 if the promise has no δ."""
        if not self.promise.delta:
            return Fraction(0)
        square = 8 * Concentrated.within(self.promise).rho / self.rounds
        return Fraction(isqrt(int(square * 4**ROOT_BITS)), 2**ROOT_BITS)

    def check(self, data: Labeled) -> Labeled:
        if data.size > MOST_RECORDS:
            raise ValueError("a scorecard can be learned from at most 2^38 records; take a part of them")
        return data

    def run(self, data: Labeled, ask: Ask) -> tuple[Vote, ...]:
        votes: tuple[Vote, ...] = ()
        each = self.each
        for _ in range(self.rounds):
            allowed = self.allowed(votes)
            votes += (ask(WeightedVoteExponential(each, allowed), self.gains(data, votes, allowed)),)
        return votes

    def allowed(self, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
        """The votes of the next round: any test, until ``most`` tests have voted; after that, one of these."""
        T = self.tests.number
        voted = {b for b, _ in votes if b < T}
        tests = range(T) if len(voted) < self.most else sorted(voted)
        return tuple((b, s) for b in (*tests, T) for s in (1, -1))

    @property
    def weights(self) -> Ints:
        """w(m) for all margins m that records may have."""
        return margin_weights(self.rounds)

    def gains(self, data: Labeled, votes: tuple[Vote, ...], allowed: tuple[Vote, ...]) -> Ints:
        """For each allowed vote, the weight of the records for it minus that of those against it."""
        total, w = self.totals(data, votes), self.weights
        # An entry's positive records have the margin ``total``, its negative ones −total; w begins at the margin −t.
        g = (data.ones * w[self.rounds + total] - data.zeros * w[self.rounds - total]).astype(np.float64)
        blocks = zip(self.tests.columns, data.cells, strict=True)
        where = [np.bincount(cells, weights=g, minlength=len(column)) @ column for column, cells in blocks]
        G = int(g.sum())
        # A test counts for the label 1 where it holds, and against it elsewhere: inside − (G − inside).
        gain = [2 * int(inside) - G for inside in np.concatenate([*where, [G]])]
        return np.array([s * gain[b] for b, s in allowed], dtype=np.int64)

    def totals(self, data: Labeled, votes: tuple[Vote, ...]) -> Ints:
        """For each entry, the votes for the label 1 minus those against it."""
        points: dict[int, int] = {}
        for b, s in votes:
            points[b] = points.get(b, 0) + s
        always = points.pop(self.tests.number, 0)
        total = np.full(data.cells.shape[1], always, dtype=np.int64)
        for b, c in points.items():
            j, row = self.tests.place(b)
            total += np.where(self.tests.blocks[j][row], c, -c)[data.cells[j]]
        return total
