"""The pruned trie: counts of prefixes in a tree of codes that nobody can list, top-down, below shown prefixes only.

proof: docs/proofs/pruned_trie.md

Throughout this file
    v       a node: the first steps of a code; its count is the number of records whose codes begin with it
    H       the largest number of steps of a code
    Z       discrete Gaussian noise of the variance σ²; a node is shown if its count plus Z is at least τ
    δ₀      the largest probability with which a node of a single record is shown

A substitution changes at most 2H counts by 1. Nodes that only one of two neighbors has lie on one path, and appear only
if the first of them is shown: τ pays for that once, whatever H is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.domains.paths import PathNode
from privpac.data.samples.prefix_counts import Codes, Layer, Prefixes
from privpac.exact.bulk_noise import FEW, discrete_gaussians, plus
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.gaussian import LARGEST, jointly, law_above, rarely_reached, tails
from privpac.privacy.accounting.gaussian_counts import counts_delta, counts_variance
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import PRECISION

# The share of δ that pays for noise on 2H changed counts. What noise on 2H − 1 of them leaves of δ pays for τ.
NOISE_SHARE = Fraction(7, 8)
ShownLaw = dict[frozenset[tuple[PathNode, int]], arb]


@dataclass(frozen=True)
class PrunedTrie(Mechanism):
    """Noisy counts of the prefixes that reach τ, below prefixes that reach it; and of the ``root``, unless it is None.

    ``height`` is H. If every record has a code, the root's count is n, which is public. ``extra_weight`` is κ: the same
    cost also covers one more number, which may depend on what is shown, with noise of the variance σ²/κ.

    >>> trie = PrunedTrie(Budget(1, 1e-6), height=7)
    >>> trie.least, round(float(trie.variance) ** 0.5, 2)
    (79, 15.93)
    """

    cost: Budget
    height: int
    root: PathNode | None = None
    extra_weight: Fraction = Fraction(0)
    name: ClassVar[str] = "pruned trie"
    theorem: ClassVar[str] = "pruned trie, Theorem 1"

    @cached_property
    def variance(self) -> Fraction:
        """σ²: the smallest that NOISE_SHARE of δ allows."""
        ε, δ = self.cost.epsilon, self.cost.delta
        return counts_variance(Budget(ε, NOISE_SHARE * δ), 2 * self.height, self.extra_weight)

    @cached_property
    def rare(self) -> Fraction:
        """δ₀: what 2H − 1 changed counts leave of δ."""
        ε, δ = self.cost.epsilon, self.cost.delta
        noise = min(counts_delta(ε, 2 * self.height - 1, self.variance, self.extra_weight), NOISE_SHARE * δ)
        return (δ - noise) / (1 - noise)

    @cached_property
    def least(self) -> int:
        """τ: the smallest, at least 2, with Pr[1 + Z ≥ τ] ≤ δ₀; up to 1 + 2⁻²⁰·σ more than that for very wide noise."""
        return 1 + rarely_reached(self.variance, self.rare)

    def check(self, data: Prefixes) -> Prefixes:
        if not isinstance(data, Prefixes):
            raise TypeError("give codes with their counts")
        return self.check_codes(data) if isinstance(data, Codes) else data  # a database engine checks its own prefixes

    def check_codes(self, data: Codes) -> Codes:
        counts = np.asarray(data.counts, dtype=np.int64)
        if len(counts) != len(data.nodes) or len(set(data.nodes)) < len(counts) or (counts < 1).any():
            raise ValueError("give each code once, with a count of at least 1")
        if max(map(len, data.nodes), default=0) > self.height:
            raise ValueError("some codes have more steps than height; declare a height that covers all codes")
        if sum(counts.tolist()) > LARGEST:
            raise ValueError("counts must not add up to more than 2^62")
        return Codes(data.nodes, counts)

    def release(self, data: Prefixes, coins: Entropy) -> dict[PathNode, int]:
        shown: dict[PathNode, int] = {}
        if self.root is not None:
            shown[self.root] = data.total + int(discrete_gaussians(self.variance, 1, coins)[0])

        def visit(layer: Layer) -> NDArray[np.bool_]:
            """Which nodes of this layer are shown, and so have their children visited."""
            size = layer.counts.size
            # The number of nodes is private, so noise for a few of them takes as long as for FEW.
            noisy = plus(layer.counts, discrete_gaussians(self.variance, max(size, FEW), coins)[:size])
            large = np.asarray(noisy >= self.least, dtype=bool)
            shown.update(zip(layer.nodes_at(np.flatnonzero(large)), noisy[large].tolist(), strict=True))
            return large if layer.depth < self.height else np.zeros_like(large)

        data.descend(visit)
        return dict(sorted(shown.items()))  # this order reveals nothing about the order of the records

    def law(self, data: Codes, reach: int | None = None) -> ShownLaw:
        """The exact law, for a few nodes; counts of τ + ``reach`` and more (by default, 8σ) are merged."""
        codes = self.check_codes(data)
        reach = 8 * (isqrt(int(self.variance)) + 1) if reach is None else reach
        counts, total = prefix_counts(codes), int(codes.counts.sum())

        def below(v: PathNode) -> ShownLaw:
            """The law of what is shown below v."""
            children = [u for u in counts if u and u[:-1] == v]
            return joint_law([at_and_below(u) for u in children])

        def at_and_below(v: PathNode) -> ShownLaw:
            """The law of what is shown of v and of the nodes below it."""
            chances = law_above(at_least, counts[v], self.least, self.least + reach)
            law_below = below(v).items()
            law = {shown | {(v, o)}: p * q for o, p in chances.items() for shown, q in law_below}
            return {frozenset[tuple[PathNode, int]](): 1 - at_least(self.least - counts[v])} | law

        with ctx.workprec(PRECISION):
            at_least = tails(self.variance, self.least + reach + total + 2)
            top = next(iter(counts), "")[:0]
            law = below(top)
            if self.root is None:
                return law
            lowest = -reach - 1
            noisy = law_above(at_least, total, lowest + 1, self.least + reach)
            noisy[lowest] = 1 - at_least(lowest + 1 - total)
            return joint_law([law, {frozenset([(self.root, o)]): p for o, p in noisy.items()}])


def prefix_counts(codes: Codes) -> dict[PathNode, int]:
    """The counts of all nodes, the root included, one by one."""
    counts: dict[PathNode, int] = {}
    for node, number in zip(codes.nodes, codes.counts.tolist(), strict=True):
        for depth in range(len(node) + 1):
            counts[node[:depth]] = counts.get(node[:depth], 0) + number
    return counts


def joint_law(laws: Sequence[ShownLaw]) -> ShownLaw:
    """The law of the union of independent outcomes, which have no node in common."""
    return {frozenset[tuple[PathNode, int]]().union(*sets): p for sets, p in jointly(laws).items()}
