"""A decision tree drawn from all trees over public tests, by one exponential mechanism.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    ε, ε'    the promise, and the ε of the weights: ε' = ε − 2^-33, because rounding them costs less than 2^-33
    T        the number of tests            k      the number of tests that a tree may still ask, at most three
    K        the number of labels           w      positive minus negative records of a region, or its records by label
    y        e^rate; a tree weighs y^g times its prior
    g        the gain of a tree: how many records it labels rightly, minus those that it labels wrongly if K = 2
    z_k      the weight of all trees of depth at most k on a region: z_0 = (y^w + y^(−w))/2, or Σ y^(w_l)/K,
             z_k = z_0/2 + Σ z_(k−1)(where a test holds)·z_(k−1)(where it does not)/(2T)
    M·y^g    how z is computed: g is the largest gain of a tree, and M is a float that is neither large nor small

A tree is a label, or (test, tree where it holds, tree where it does not). It is drawn from the top: stop or ask a test,
then each side by itself. Every such choice is one exact draw. If the depth is free, the first draw decides it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations_with_replacement, product
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import MOST_LABELS, Ints
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights, draw, probabilities
from privpac.exact.one_thread import one_thread
from privpac.exact.powers import Floats, Powers, Sums
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests, literal_nets
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.refusal import Refused

ROUNDING = Fraction(1, 2**33)  # the part of ε that pays for rounded weights
MOST_TESTS, MOST_RECORDS, DEEPEST = 2**12, 2**40, 3  # limits of Theorem 1

Tree = int | tuple[int, "Tree", "Tree"]  # a label, or a test and the trees where it holds and where it does not


def mantissa_bits(K: int) -> int:
    """The number of bits after the binary point in every M of a draw, with K labels (tree draw, Theorem 1).

    >>> mantissa_bits(2), mantissa_bits(16)
    (140, 164)
    """
    return 132 + 8 * (K - 1).bit_length()


@dataclass(frozen=True)
class TreePowers(Powers):
    """Powers of y = e^rate, and the weights of trees that are sums of them.

    >>> powers = TreePowers(Fraction(1, 4), 10**9)
    >>> leaf = powers.leaf(np.array([0, -3, 10**9]))
    >>> leaf.M.round(4), leaf.g
    (array([1.    , 0.6116, 0.5   ]), array([         0,          3, 1000000000]))
    """

    several: bool = False  # there are more than two labels

    def leaf(self, w: Ints) -> Sums:
        """z_0 of regions by their positive minus negative records: y^|w|·(1 + y^(−2|w|))/2.

        With several labels, the first axis of w has the records of each label, and z_0 = Σ y^(w_l)/K.

        >>> leaf = TreePowers(Fraction(1, 2), 10, several=True).leaf(np.array([[4], [2], [0]]))
        >>> leaf.M.round(4), leaf.g
        (array([0.5011]), array([4]))
        """
        if self.several:
            g = w.max(axis=0)
            return Sums(reduce(np.add, (self(g - records) for records in w)) / len(w), g)
        g = np.abs(w)
        return Sums(self._leaf_factor(g) if self._leaf_table is None else self._leaf_table.take(g, mode="clip"), g)

    def node(self, stop: Sums, splits: Sums) -> Sums:
        """z_k from z_0 and from z_(k−1)·z_(k−1) of the two sides of each test, which are along the last axis.

        >>> powers = TreePowers(Fraction(1, 4), 10)
        >>> sides = powers.leaf(np.array([[5, 2]])).times(powers.leaf(np.array([[-5, -2]])))
        >>> z = powers.node(powers.leaf(np.array([0])), sides)
        >>> print(np.round(z.M * np.exp(z.g / 4), 4), z.g)
        [1.7094] [10]
        """
        T = splits.g.shape[-1]
        g = np.maximum(stop.g, splits.g.max(axis=-1))
        total = (splits.M * self(g[..., None] - splits.g)).sum(axis=-1)
        return Sums(stop.M * self(g - stop.g) / 2 + total / (2 * T), g)

    def one_test(self, w: Ints, where: Ints) -> Sums:
        """z_1 from w of regions, and from w where each test holds, which are along the last axis.

        With two labels, z_0(a)·z_0(b) = z_0(a + b)/2 + z_0(a − b)/2, so z_1 = 3·z_0(w)/4 + Σ z_0(2·where − w)/(4T).

        >>> z = TreePowers(Fraction(1, 4), 10).one_test(np.array([0]), np.array([[5, 2]]))
        >>> print(np.round(z.M * np.exp(z.g / 4), 4), z.g)
        [1.7094] [10]
        """
        stop = self.leaf(w)
        if self.several:
            return self.node(stop, self.leaf(where).times(self.leaf(w[..., None] - where)))
        splits = self.leaf(2 * where - w[..., None])
        g = np.maximum(stop.g, splits.g.max(axis=-1))
        total = (splits.M * self(g[..., None] - splits.g)).sum(axis=-1)
        return Sums(0.75 * stop.M * self(g - stop.g) + total / (4 * where.shape[-1]), g)

    @cached_property
    def _leaf_table(self) -> Floats | None:
        """M of leaves with the gains 0, 1, …; None if there are too many gains for a table."""
        return None if self._exponents is None else self._leaf_factor(self._exponents)

    def _leaf_factor(self, g: Ints) -> Floats:
        return np.asarray((1 + self._computed(2 * g)) / 2)


@dataclass(frozen=True, eq=False)
class TreeExponential(Mechanism):
    """A tree over ``tests`` of depth at most ``depth``; ε-DP.

    With two labels, a label is a bool; with more, it is a number from 0 on. If the mechanism also ``draws_depth``,
    the depth is free: 1, 2, … or ``depth``, each with the same prior.

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
    labels: int = 2  # K
    draws_depth: bool = False
    name: ClassVar[str] = "exponential over decision trees"
    theorem: ClassVar[str] = "tree draw, Theorem 1"

    def __post_init__(self) -> None:
        if self.cost.epsilon < 2 * ROUNDING:
            raise Refused.must("epsilon", "be at least 2^-32 for a decision tree")
        if self.tests.number > MOST_TESTS or not 0 <= self.depth <= DEEPEST:
            raise Refused("depth", f"a tree may ask at most {DEEPEST} of at most {MOST_TESTS} tests")
        if not 2 <= self.labels <= MOST_LABELS:
            raise Refused.must("classes", f"be 2 to {MOST_LABELS} labels for a decision tree")

    def check(self, data: CellRecords) -> CellRecords:
        if data.size > MOST_RECORDS:
            raise ValueError("a decision tree can be learned from at most 2^40 records; take a part of them")
        return data

    @property
    def rate(self) -> Fraction:
        """ε'/4 or ε'/2: one error more or less changes a gain by 2, or by 1, and a weight by e^(ε'/2)."""
        return (self.cost.epsilon - ROUNDING) / (2 if self.several else 4)

    @property
    def several(self) -> bool:
        """Whether there are more than two labels."""
        return self.labels > 2

    def release(self, data: CellRecords, coins: Entropy) -> Tree:
        return self._draw(data, self._depths, coins)

    def law(self, data: CellRecords) -> dict[Tree, arb]:
        """The probability of every tree, as rigorous balls. For small data and few tests."""
        with ctx.workprec(128):
            return self._law(self.check(data), self._depths)

    @property
    def _depths(self) -> tuple[int, ...]:
        """The depths that the first draw chooses from."""
        if not self.tests.number:
            return (0,)
        return tuple(range(1, self.depth + 1)) if self.draws_depth and self.depth else (self.depth,)

    def _draw(self, records: CellRecords, depths: tuple[int, ...], coins: Entropy) -> Tree:
        number = draw(self.choices(records, *depths), coins) if depths[-1] else 0
        i, choice = divmod(number, 1 + self.tests.number)  # depth i; to stop (0), or to ask test choice − 1
        if choice == 0:
            return self._label(draw(self.label_weights(records), coins))
        depth_below = (depths[i] - 1,)
        yes, no = records.split_by(self.tests, choice - 1)
        return choice - 1, self._draw(yes, depth_below, coins), self._draw(no, depth_below, coins)

    def _law(self, records: CellRecords, depths: tuple[int, ...]) -> dict[Tree, arb]:
        chances = probabilities(self.choices(records, *depths)) if depths[-1] else [arb(1)]
        law: dict[Tree, arb] = {}
        for number, chance in enumerate(chances):
            i, choice = divmod(number, 1 + self.tests.number)
            for tree, p in self._law_after(records, choice, depths[i] - 1).items():
                law[tree] = law.get(tree, arb(0)) + chance * p
        return law

    def _law_after(self, records: CellRecords, choice: int, k: int) -> dict[Tree, arb]:
        """The law of the tree that stops (choice 0) or asks test choice − 1, with k more tests on each side."""
        if choice == 0:
            return {self._label(number): p for number, p in enumerate(probabilities(self.label_weights(records)))}
        yes, no = (self._law(side, (k,)).items() for side in records.split_by(self.tests, choice - 1))
        return {(choice - 1, holds, fails): p * q for (holds, p), (fails, q) in product(yes, no)}

    def _label(self, number: int) -> int:
        return number if self.several else bool(number)

    def label_weights(self, records: CellRecords) -> Weights:
        """y^(−w) for the label 0, y^w for the label 1; with several labels, y^w for each."""
        w = records.net
        return Weights(w if self.several else np.array([-w, w]), self.rate)

    @one_thread()
    def choices(self, records: CellRecords, *depths: int) -> Weights:
        """For each depth k: z_0/2 to stop, z_(k−1)·z_(k−1)/(2T) for each test; all multiplied by 2T.

        Their M are multiples of 2^-bits (tree draw, Theorem 1), so they become integers without rounding.
        """
        powers, bits = TreePowers(self.rate, records.net_bound, self.several), mantissa_bits(self.labels)
        stop, T = powers.leaf(records.net[..., None]), self.tests.number
        gains, M = [], []
        for k in depths:
            sides = weights_below(self.tests, records, k - 1, powers)
            splits = sides.at(0).times(sides.at(1))
            stop_M, *split_M = (int(m) for m in np.ldexp(np.concatenate([stop.M, splits.M]), bits).tolist())
            gains += [stop.g, splits.g]
            M += [T * stop_M, *split_M]
        g, counts = np.concatenate(gains), np.array(M, dtype=object)
        return Weights(g, self.rate, counts)


def weights_below(tests: PublicTests, records: CellRecords, k: int, powers: TreePowers) -> Sums:
    """z_k where each literal holds: 2 × T numbers, at (0, b) where test b holds and at (1, b) where it does not."""
    ((_, with_test, _),) = literal_nets(tests, records)
    leaves = powers.leaf(np.stack([with_test, records.net[..., None] - with_test], axis=-2))
    if k == 0:
        return leaves
    spans, T = tests.spans, tests.number
    if k == 1:
        sums = Sums.unknown(2, T)
        for i, (first, end) in enumerate(spans):
            z = _one_test(tests, records, powers, i)
            sums.put(np.s_[:, first:end], z.shaped((2, -1), (0, 1)))
        return sums
    pairs = Sums.unknown(2, T, 2, T)  # z_1 where two literals hold
    for (i, (first, end)), (j, (later, last)) in combinations_with_replacement(enumerate(spans), 2):
        z, shape = _one_test(tests, records, powers, i, j), (2, end - first, 2, last - later)
        pairs.put(np.s_[:, first:end, :, later:last], z.shaped(shape, (0, 1, 2, 3)))
        pairs.put(np.s_[:, later:last, :, first:end], z.shaped(shape, (2, 3, 0, 1)))
    return powers.node(leaves, pairs.at(np.s_[:, :, 0]).times(pairs.at(np.s_[:, :, 1])))


def _one_test(tests: PublicTests, records: CellRecords, powers: TreePowers, *among: int) -> Sums:
    """z_1 where a literal of each of the blocks ``among`` holds; one axis for each block."""
    sums = Sums.unknown(*(2 * len(tests.blocks[i]) for i in among))
    for batch, with_test, alone in literal_nets(tests, records, *among):
        sums.put(batch, powers.one_test(alone, with_test))
    return sums
