"""A decision tree drawn from all trees over public tests, by one exponential mechanism.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    ε, ε'    the promise, and what the weights are made for: ε' = ε − 2^-33, which pays for the rounding of weights
    T        the number of tests            k      the number of tests that a tree may still ask, at most three
    w        positive minus negative records of a region
    z_k      the weight of all trees of depth at most k on a region (privpac.mechanisms.decision_trees.sums)

A tree is a label, or (test, tree where it holds, tree where it does not). It is drawn from the top: stop or ask a test,
then each side by itself. Every such choice is one exact draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights, draw, probabilities
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests, literal_nets
from privpac.mechanisms.decision_trees.sums import Powers, Sums
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.refusal import Refused

ROUNDING = Fraction(1, 2**33)  # more than rounded weights cost
MOST_TESTS, MOST_RECORDS, DEEPEST = 2**12, 2**40, 3  # the limits within which that is proved
MANTISSA = 140  # bits: every M in a draw is a multiple of 2^-140

Tree = bool | tuple[int, "Tree", "Tree"]  # a label, or a test and the trees where it holds and where it does not


@dataclass(frozen=True, eq=False)
class TreeExponential(Mechanism):
    """A tree over ``tests`` of depth at most ``depth``; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> xor = PublicTests((np.eye(2, dtype=bool)[:1], np.eye(2, dtype=bool)[:1]))
    >>> records = CellRecords.of([np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])], np.array([-50, 50, 50, -50]), 200)
    >>> first, *sides = TreeExponential(Budget(6), xor, 2).release(records, SYSTEM)
    >>> sides == [(1 - first, False, True), (1 - first, True, False)]
    True
    """

    cost: Budget
    tests: PublicTests
    depth: int
    name: ClassVar[str] = "exponential over decision trees"
    theorem: ClassVar[str] = "tree draw, Theorem 1"

    def __post_init__(self) -> None:
        if self.cost.epsilon < 2 * ROUNDING:
            raise Refused.must("epsilon", "be at least 2^-32 for a decision tree")
        if self.tests.number > MOST_TESTS or not 0 <= self.depth <= DEEPEST:
            raise Refused("depth", f"a tree may ask at most {DEEPEST} of at most {MOST_TESTS} tests")

    def check(self, data: CellRecords) -> CellRecords:
        if data.size > MOST_RECORDS:
            raise ValueError("a decision tree can be learned from at most 2^40 records; take a part of them")
        return data

    @property
    def rate(self) -> Fraction:
        """ε'/4: one error more or less changes a gain by 2, and a weight by e^(ε'/2)."""
        return (self.cost.epsilon - ROUNDING) / 4

    def release(self, data: CellRecords, coins: Entropy) -> Tree:
        return self._draw(data, self._depth, coins)

    def law(self, data: CellRecords) -> dict[Tree, arb]:
        """The probability of every tree, as rigorous balls. For small data and few tests."""
        with ctx.workprec(128):
            return self._law(self.check(data), self._depth)

    @property
    def _depth(self) -> int:
        return self.depth if self.tests.number else 0

    def _draw(self, records: CellRecords, k: int, coins: Entropy) -> Tree:
        choice = draw(self.choices(records, k), coins) if k else 0
        if choice == 0:
            return bool(draw(self.labels(records), coins))
        yes, no = records.split_by(self.tests, choice - 1)
        return choice - 1, self._draw(yes, k - 1, coins), self._draw(no, k - 1, coins)

    def _law(self, records: CellRecords, k: int) -> dict[Tree, arb]:
        stop, *splits = probabilities(self.choices(records, k)) if k else [arb(1)]
        law: dict[Tree, arb] = {bool(label): stop * p for label, p in enumerate(probabilities(self.labels(records)))}
        for b, chosen in enumerate(splits):
            yes, no = (self._law(side, k - 1).items() for side in records.split_by(self.tests, b))
            law |= {(b, above, below): chosen * p * q for (above, p), (below, q) in product(yes, no)}
        return law

    def labels(self, records: CellRecords) -> Weights:
        """y^(−w) for the label 0, y^w for the label 1."""
        w = records.net
        return Weights([-w, w], self.rate)

    def choices(self, records: CellRecords, k: int) -> Weights:
        """z_0/2 to stop, z_(k−1)·z_(k−1)/(2T) for each test, all times 2T; their M as integers, without rounding."""
        powers = Powers(self.rate, records.net_bound)
        stop, sides = powers.leaf(np.array([records.net])), below(self.tests, records, k - 1, powers)
        splits = sides.at(0).times(sides.at(1))
        M = [int(each) for each in np.ldexp(np.concatenate([stop.M, splits.M]), MANTISSA).tolist()]
        counts = np.array([self.tests.number * M[0], *M[1:]], dtype=object)
        return Weights(np.concatenate([stop.g, splits.g]), self.rate, counts)


def below(tests: PublicTests, records: CellRecords, k: int, powers: Powers) -> Sums:
    """z_k where each literal holds: an array of 2 × T."""
    ((_, with_test, _),) = literal_nets(tests, records)
    leaves = powers.leaf(np.stack([with_test, records.net - with_test]))
    if k == 0:
        return leaves
    spans, T = tests.spans, tests.number
    if k == 1:
        sums = Sums.room(2, T)
        for i, (first, end) in enumerate(spans):
            z = _one_test(tests, records, powers, i)
            sums.put(np.s_[:, first:end], z.shaped((2, -1), (0, 1)))
        return sums
    both = Sums.room(2, T, 2, T)
    for (i, (first, end)), (j, (later, last)) in combinations_with_replacement(enumerate(spans), 2):
        z, shape = _one_test(tests, records, powers, i, j), (2, end - first, 2, last - later)
        both.put(np.s_[:, first:end, :, later:last], z.shaped(shape, (0, 1, 2, 3)))
        both.put(np.s_[:, later:last, :, first:end], z.shaped(shape, (2, 3, 0, 1)))
    return powers.node(leaves, both.at(np.s_[:, :, 0]).times(both.at(np.s_[:, :, 1])))


def _one_test(tests: PublicTests, records: CellRecords, powers: Powers, *among: int) -> Sums:
    """z_1 where a literal of each of these blocks holds: an axis for each of them."""
    sums = Sums.room(*(2 * len(tests.blocks[i]) for i in among))
    for some, with_test, alone in literal_nets(tests, records, *among):
        yes, no = powers.leaf(with_test), powers.leaf(alone[..., None] - with_test)
        sums.put(some, powers.node(powers.leaf(alone), yes.times(no)))
    return sums
