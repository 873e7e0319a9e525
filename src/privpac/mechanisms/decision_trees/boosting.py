"""Boosted votes of public tests: each round chooses, by an exponential mechanism, a test that corrects earlier votes.

[MT07] [CR21] [DW00]  docs/references.bib        proof: docs/proofs/scorecards.md

Throughout this file
    ε, δ     the promise                         ε₀     the cost of each round
    t        the number of rounds                T      the number of tests
    b, s     a vote: s is +1 if finding b speaks for the label 1 where it holds and against it elsewhere, −1 if the
             reverse; b < T is a test, finding T always holds, and findings above T are pairs of tests (pairs.py)
    m        the margin of a record: the votes for its label minus those against it
    w(m)     the weight of a record in the next round, an integer between 0 and FULL
    g        for each entry, the weight of its records with label 1 minus that of its records with label 0

A record's weight follows from this record and from the votes released so far. So one record changes what a vote scores
by at most FULL, whatever the other records are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import isqrt
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Weights
from privpac.exact.powers import Floats
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests
from privpac.mechanisms.decision_trees.pairs import MOST_TESTS, Bits, joined, pair_of, pair_weights, pairs
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


@dataclass(frozen=True, eq=False)
class WeightedVoteExponential(Selection):
    """A vote with probability ∝ e^(−ε₀·(weight of the records against it)/(2·FULL)); ε₀-DP, and ε₀²/8-zCDP.

    The data are, for each finding of a public list, the weight of the records that its vote (b, 1) labels rightly minus
    that of the others; (b, −1) has the opposite.
    """

    cost: Budget
    findings: Ints
    name: ClassVar[str] = "exponential over votes"
    theorem: ClassVar[str] = "scorecards, Lemma 1"

    def menu(self, data: Ints) -> Menu:
        for_and_against = np.stack([data, -data], axis=1).ravel()
        return Weights(for_and_against, self.cost.epsilon / (4 * FULL)), lambda group, _: self.vote(group)

    def vote(self, group: int) -> Vote:
        """The vote that is the ``group``-th of the list: (b, 1) and (b, −1) in turn."""
        return int(self.findings[group // 2]), 1 - 2 * (group % 2)


@dataclass(frozen=True, eq=False)
class BoostedVotes(Algorithm):
    """``rounds`` votes of at most ``most`` different findings, one after another; costs at most ``promise``.

    With ``pairs``, two tests may vote as one.

    >>> from privpac.exact.entropy import SYSTEM
    >>> tests = PublicTests((np.array([[0, 1]], bool), np.array([[0, 1]], bool)))
    >>> labels = np.array([False, True, False, True])
    >>> cells, counts = [np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])], np.full(4, 10**5)
    >>> records = CellRecords.by_label(cells, labels, counts, K=2, size=4 * 10**5)
    >>> BoostedVotes(Budget(1, 1e-6), tests, 3).release(records, SYSTEM)
    ((0, 1), (0, 1), (0, 1))
    """

    promise: Budget
    tests: PublicTests
    rounds: int
    most: int = 24
    pairs: bool = False
    name: ClassVar[str] = "boosted votes"
    theorem: ClassVar[str] = "scorecards, Theorem 1"

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise Refused.must("rounds", f"be between 1 and {MOST_ROUNDS}")
        if self.pairs and self.tests.number > MOST_TESTS:
            raise Refused("tests", f"pairs of at most {MOST_TESTS} tests may vote; give fewer tests")

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The promise; without its δ if basic composition allows more."""
        return Budget(self.promise.epsilon) if self.basic else self.promise

    @property
    def round_cost(self) -> Budget:
        """ε₀: the larger of ε/t, by basic composition, and √(8ρ/t), by zero-concentrated privacy (zCDP)."""
        return Budget(max(self.promise.epsilon / self.rounds, self._concentrated))

    @property
    def basic(self) -> bool:
        """Whether basic composition allows at least as much in each round as zCDP."""
        return self._concentrated <= self.promise.epsilon / self.rounds

    @property
    def _concentrated(self) -> Fraction:
        """√(8ρ/t), rounded down; 0 if the promise has no δ."""
        if not self.promise.delta:
            return Fraction(0)
        square = 8 * Concentrated.within(self.promise).rho / self.rounds
        return Fraction(isqrt(int(square * 4**ROOT_BITS)), 2**ROOT_BITS)

    def check(self, data: CellRecords) -> CellRecords:
        if data.size > MOST_RECORDS:
            raise ValueError("a scorecard can be learned from at most 2^38 records; take a part of them")
        return data

    def run(self, data: CellRecords, ask: Ask) -> tuple[Vote, ...]:
        votes: tuple[Vote, ...] = ()
        cost = self.round_cost
        for _ in range(self.rounds):
            allowed = self.allowed(votes)
            votes += (ask(WeightedVoteExponential(cost, allowed), self.gains(data, votes, allowed)),)
        return votes

    def allowed(self, votes: tuple[Vote, ...]) -> Ints:
        """The findings of the next round: all of them, until ``most`` have voted; after that, only these."""
        T = self.tests.number
        voted = {b for b, _ in votes if b != T}
        return self.findings if len(voted) < self.most else np.array([*sorted(voted), T])

    @cached_property
    def findings(self) -> Ints:
        """All findings that may vote."""
        T = self.tests.number
        return np.concatenate([np.arange(T + 1), *([T + 1 + pairs(self.tests)] if self.pairs else [])])

    def gains(self, data: CellRecords, votes: tuple[Vote, ...], allowed: Ints) -> Ints:
        """For each allowed finding b, the weight of the records that (b, 1) labels rightly minus that of the others."""
        total, w = self.totals(data, votes), margin_weights(self.rounds)
        # An entry's positive records have the margin ``total``, its negative ones −total; w begins at the margin −t.
        zeros, ones = data.w
        g = ones * w[self.rounds + total] - zeros * w[self.rounds - total]
        # A finding counts for the label 1 where it holds, and against it elsewhere: inside − (Σ g − inside).
        return 2 * self.inside(data, g, allowed).astype(np.int64) - int(g.sum())

    def inside(self, data: CellRecords, g: Floats, allowed: Ints) -> Floats:
        """For each allowed finding, the sum of g where it holds."""
        if allowed is not self.findings:
            return np.array([g[self.holds(data, b)].sum() for b in allowed.tolist()])
        blocks = zip(self.tests.columns, data.cells, strict=True)
        alone = [np.bincount(cells, weights=g, minlength=len(column)) @ column for column, cells in blocks]
        together = [pair_weights(self.tests, data.cells, g)] if self.pairs else []
        return np.concatenate([*alone, [g.sum()], *together])[allowed]

    def totals(self, data: CellRecords, votes: tuple[Vote, ...]) -> Ints:
        """For each entry, the votes for the label 1 minus those against it."""
        votes_for_1: dict[int, int] = {}  # by finding: its votes with s = 1 minus those with s = −1
        for b, s in votes:
            votes_for_1[b] = votes_for_1.get(b, 0) + s
        total = np.zeros(data.cells.shape[1], dtype=np.int64)
        for b, difference in votes_for_1.items():
            total += np.where(self.holds(data, b), difference, -difference)
        return total

    def holds(self, data: CellRecords, b: int) -> Bits:
        """For each entry, whether finding b holds."""
        T = self.tests.number
        if b == T:
            return np.ones(data.cells.shape[1], dtype=bool)
        if b > T:
            k, i, j = pair_of(b - T - 1, T)
            return joined(k, self.holds(data, i), self.holds(data, j))
        block, row = self.tests.place(b)
        holds: Bits = self.tests.blocks[block][row][data.cells[block]]
        return holds
