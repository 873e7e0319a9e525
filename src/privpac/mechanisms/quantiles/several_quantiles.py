"""Several quantiles together, in order, for about the cost of ⌈log₂(m + 1)⌉ medians instead of m.

[KSS22]  docs/references.bib        proof: docs/proofs/quantiles.md

The middle quantile is drawn first and cuts the records and the line in two. The others are drawn within their halves,
and so on: a binary tree with a quantile at each node. One substituted record leaves one node of a level and enters
another, and each of the two changes its scores by at most max(τ, 1 − τ). So a level costs less than two medians, and
one median if all its fractions τ are ½.

Throughout this file
    τ         a wanted quantile; within a node, the wanted fraction of the node's records
    z         a cut of the line: records below z go left, the others right
    s, L      the number of records in the node, and the number below z; the score of z is −|L − τ·s|
    ε_l, Δ_l  the share of ε that level l spends, and the most that one record changes all scores of the level together
    k         the number of tie bits: k random bits refine each record's value, so that a heavy value can be cut in two
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import ceil, floor
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from privpac.data.domains.line import Line
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, Weights, draw, probabilities
from privpac.mechanisms.noise.gaussian import jointly
from privpac.mechanisms.quantiles.median import RARE, quantile_mechanism
from privpac.mechanisms.quantiles.one_quantile import LineValue, Quantile, QuantileExponential, ln
from privpac.mechanisms.selection.exponential import reach, short_list
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.option_words import QuantileMethod

FINEST_FRACTION = 2**30  # the largest denominator of a fraction τ: rounding moves a wanted rank by less than one record
# With fewer records than this, scores in units of 1/FINEST_FRACTION, and values with their tie bits, stay small.
MOST_RECORDS = 2**31
Cut = Callable[[int, int], tuple[int, int]]  # (group, member) → (z, records below z)


@dataclass(frozen=True)
class Node:
    """A node that draws quantile number ``index``, at the fraction ``tau`` of the node's records; and its subtrees."""

    index: int
    tau: Fraction
    depth: int
    left: Node | None
    right: Node | None

    def __iter__(self) -> Iterator[Node]:
        """The nodes below this one, then this one."""
        yield from self.left or ()
        yield from self.right or ()
        yield self


def balanced_tree(taus: Sequence[Fraction]) -> Node:
    """The balanced tree over increasing quantiles.

    >>> [(node.index, str(node.tau), node.depth) for node in balanced_tree([Fraction(i, 4) for i in (1, 2, 3)])]
    [(0, '1/2', 1), (2, '1/2', 1), (1, '1/2', 0)]
    """
    edges = [Fraction(0), *taus, Fraction(1)]

    def build(i: int, j: int, depth: int) -> Node | None:
        if i == j:
            return None
        mid = (i + j) // 2
        low, high = edges[i], edges[j + 1]
        tau = ((taus[mid] - low) / (high - low)).limit_denominator(FINEST_FRACTION)
        return Node(mid, tau, depth, build(i, mid, depth + 1), build(mid + 1, j, depth + 1))

    root = build(0, len(taus), 0)
    if root is None:
        raise ValueError("there are no quantiles; ask for at least one")
    return root


class RefinedValues(NamedTuple):
    """Sorted records on the line refined by tie bits: record i is at position values[i]·2^bits + ties[i]."""

    values: Integers
    ties: NDArray[np.uint64]
    bits: int

    @staticmethod
    def without_ties(values: Integers) -> RefinedValues:
        """Sorted records on the line itself: there are no tie bits."""
        return RefinedValues(values, np.zeros(len(values), dtype=np.uint64), 0)

    def between(self, i: int, j: int) -> list[int]:
        """The positions of records i … j − 1."""
        refined = zip(self.values[i:j].tolist(), self.ties[i:j].tolist(), strict=True)
        return [(int(v) << self.bits) + t for v, t in refined]


class Span(NamedTuple):
    """What a node divides: the records first … last − 1 and the cuts low … high − 1."""

    first: int
    last: int
    low: int
    high: int


def break_ties(ordered: Integers, coins: Entropy) -> RefinedValues:
    """Sorted records, each refined by k random bits and sorted again; k is the bit length of the public n."""
    n, k = len(ordered), len(ordered).bit_length()
    ties = np.frombuffer(coins.octets(8 * n), dtype=np.uint64) >> np.uint64(64 - k)
    # A value may fill 64 bits. Its rank among the distinct values leaves room for the ties, and sorts alike.
    rank = np.cumsum(np.append(False, ordered[1:] != ordered[:-1])).astype(np.uint64)
    return RefinedValues(ordered, np.sort((rank << np.uint64(k)) | ties) & np.uint64(2**k - 1), k)


def cut_menu(positions: RefinedValues, τ: Fraction, rate: Fraction, span: Span) -> tuple[Weights, Cut]:
    """The cuts of a node, grouped by L; cut z weighs exp(−rate·|L − τ·s|). A member is (z, number of records below z).

    Only cuts with L near τ·s are listed, if they include one with |L − τ·s| ≤ 1: the others together then weigh at most
    2^-64 of it. The draw lists the others only if it needs them.
    """
    size = span.last - span.first

    def cuts(i: int, j: int) -> tuple[list[int], list[int]]:
        """For L = i, i + 1, …, j: the first cut with this L, and how many there are."""
        inner = positions.between(span.first + max(i - 1, 0), span.first + min(j + 1, size))
        ends = [span.low - 1] * (i == 0) + inner + [span.high - 1] * (j == size)
        return [end + 1 for end in ends[:-1]], [b - a for a, b in pairwise(ends)]

    def menu_of(ranks: Sequence[int], starts: list[int], counts: list[int]) -> tuple[Weights, Cut]:
        scores = [-abs(rank * τ.denominator - size * τ.numerator) for rank in ranks]
        weights = Weights(scores, rate / τ.denominator, counts)
        return weights, lambda group, member: (starts[group] + member, span.first + ranks[group])

    far = reach((span.high - span.low).bit_length(), rate) + 1
    i, j = max(floor(τ * size) - far, 0), min(ceil(τ * size) + far, size)
    starts, counts = cuts(i, j)
    best_ranks = range(max(ceil(τ * size) - 1, i), min(floor(τ * size) + 1, j) + 1)
    if not any(counts[rank - i] for rank in best_ranks):  # No cut is near: list all of them.
        i, j, (starts, counts) = 0, size, cuts(0, size)

    def everything() -> tuple[Weights, Cut]:
        order = [*range(i, j + 1), *range(i), *range(j + 1, size + 1)]  # the full list starts with the short one
        return menu_of(order, *([column[rank] for rank in order] for column in cuts(0, size)))

    near = menu_of(range(i, j + 1), starts, counts)
    return near if len(counts) == size + 1 else short_list(near, everything)


@dataclass(frozen=True)
class QuantileTree(Mechanism):
    """Increasing quantiles by a tree of cuts; ε-DP. Each level spends ``growth`` times the ε of the level above it."""

    cost: Budget
    line: Line
    taus: tuple[Fraction, ...]
    growth: Fraction = Fraction(1)
    name: ClassVar[str] = "quantile tree"
    theorem: ClassVar[str] = "quantiles, Theorem 1"

    def check(self, data: ArrayLike) -> Integers:
        ordered = QuantileExponential(self.cost, self.line).check(data)
        if len(ordered) >= MOST_RECORDS:
            raise ValueError("this method supports fewer than 2^31 records; ask for one quantile at a time")
        return ordered

    def expected_rank_error(self, n: int) -> int:
        """A rough estimate of the rank error, summed over all levels. It compares methods; it guarantees nothing."""
        spread = ln(self.line.size << n.bit_length()) + ln((1 - RARE) / RARE)
        return sum(ceil(spread / rate) for rate in self.rates(balanced_tree(self.taus)))

    def rates(self, root: Node) -> list[Fraction]:
        """The rate ε_l/(2Δ_l) of each level. Δ_l is at least 1, for a record that is replaced within one node."""
        depths = range(1 + max(v.depth for v in root))
        changes = [sorted(max(v.tau, 1 - v.tau) for v in root if v.depth == d) for d in depths]
        sensitivities = [max(Fraction(1), sum(level[-2:], Fraction(0))) for level in changes]
        shares = [share.epsilon for share in self.cost.split([self.growth**d for d in depths])]
        return [share / (2 * Δ) for share, Δ in zip(shares, sensitivities, strict=True)]

    def release(self, data: Integers, coins: Entropy) -> list[LineValue]:
        root, positions = balanced_tree(self.taus), break_ties(data, coins)
        rates, chosen = self.rates(root), dict[int, int]()

        def descend(node: Node | None, span: Span) -> None:
            if node is None:
                return
            z, rank = span.low, span.first
            if span.low < span.high:
                weights, cut = cut_menu(positions, node.tau, rates[node.depth], span)
                group = draw(weights, coins)
                z, rank = cut(group, coins.below(weights.count(group)))
            chosen[node.index] = z
            descend(node.left, Span(span.first, rank, span.low, z))
            descend(node.right, Span(rank, span.last, z, span.high))

        descend(root, Span(0, len(data), 0, self.line.size << positions.bits))
        return [self.line.decode(chosen[i] >> positions.bits) for i in range(len(self.taus))]

    def law(self, data: ArrayLike) -> dict[tuple[LineValue, ...], arb]:
        """The exact law without tie bits. For small data.

        It is enough for an audit: privacy is claimed for any fixed tie bits, and a refined line is a line.
        """
        ordered, root = self.check(data), balanced_tree(self.taus)
        positions, rates = RefinedValues.without_ties(ordered), self.rates(root)

        def descend(node: Node | None, span: Span) -> dict[tuple[int, ...], arb]:
            if node is None:
                return {(): arb(1)}
            if span.low == span.high:
                return {(span.low,) * len(list(node)): arb(1)}
            weights, cut = cut_menu(positions, node.tau, rates[node.depth], span)
            law: defaultdict[tuple[int, ...], arb] = defaultdict(lambda: arb(0))
            for group, probability in enumerate(probabilities(weights.complete() if weights.complete else weights)):
                for member in range(weights.count(group)):
                    z, rank = cut(group, member)
                    left = descend(node.left, Span(span.first, rank, span.low, z))
                    right = descend(node.right, Span(rank, span.last, z, span.high))
                    for (a, p), (b, q) in product(left.items(), right.items()):
                        law[(*a, z, *b)] += probability / weights.count(group) * p * q
            return dict(law)

        with ctx.workprec(128):
            law = descend(root, Span(0, len(ordered), 0, self.line.size))
        return {tuple(map(self.line.decode, cuts)): p for cuts, p in law.items()}


@dataclass(frozen=True)
class SeparateQuantiles(Mechanism):
    """Each quantile by its own selection at an equal share of (ε, δ), and the answers sorted; (ε, δ)-DP."""

    cost: Budget
    line: Line
    taus: tuple[Fraction, ...]
    n: int  # the public number of records, on which the method may depend
    method: QuantileMethod = "auto"
    name: ClassVar[str] = "separate quantiles"
    theorem: ClassVar[str] = "quantiles, Theorem 2"

    @cached_property
    def parts(self) -> tuple[Quantile, ...]:
        """One selection for each quantile."""
        shares = zip(self.cost.split(len(self.taus)), self.taus, strict=True)
        return tuple(quantile_mechanism(share, self.line, τ, self.n, self.method) for share, τ in shares)

    def check(self, data: ArrayLike) -> Integers:
        return self.parts[0].check(data)

    def release(self, data: Integers, coins: Entropy) -> list[LineValue]:
        return sorted(part.release(data, coins) for part in self.parts)

    def law(self, data: ArrayLike) -> dict[tuple[LineValue, ...], arb]:
        law: defaultdict[tuple[LineValue, ...], arb] = defaultdict(lambda: arb(0))
        with ctx.workprec(128):
            for answers, p in jointly(part.law(data) for part in self.parts).items():
                law[tuple(sorted(answers))] += p
        return dict(law)
