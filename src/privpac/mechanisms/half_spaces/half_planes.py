"""Private selection of a half-plane of a square grid: every set that a half-plane cuts out has candidates.

[MT07]  docs/references.bib        proof: docs/proofs/half_plane_learner.md

Throughout this file
    N          the grid is {0 … N}²
    S          2^bits, the number of slopes u = 1 − S, 3 − S, …, S − 1
    chart      upright: points have the values S·y − u·x; flat: S·x − u·y
    candidate  a chart, a slope, an integer c, and a side: the rule value ≥ c, or its complement
    level      the candidates with the same number of errors
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, log, prod
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights, probabilities
from privpac.exact.subsets import chosen_of
from privpac.mechanisms.half_spaces.dual_lines import (
    MOST_BITS,
    MOST_POINTS,
    DualLines,
    Edges,
    NearLevels,
    at_level,
    level_sizes,
)
from privpac.mechanisms.half_spaces.simplest_half_plane import Normal, smallest_numbers
from privpac.mechanisms.selection.exponential import Menu, Selection, reach, short_list
from privpac.privacy.bisection import smallest_between
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism

SPARE_BITS = 4  # about log₂ S − log₂ N²; with more, half-planes have more nearly equal numbers of candidates
Rule = tuple[Normal, int]  # (w, b): w·x ≥ b
Charts = tuple[DualLines, DualLines]  # upright, flat


def slope_bits(N: int) -> int:
    """log₂ S: S exceeds 16·N²."""
    return 2 * max(N, 2).bit_length() + SPARE_BITS


def log_rivals(N: int) -> float:
    """ln(T/g): T is the number of all candidates, g the fewest that one half-plane of the grid has (Lemma 2)."""
    S, side = 1 << slope_bits(N), max(N, 2)
    return log(4 * side**3 * (3 * N + 2)) - log(1 - 2 * side**2 / S)


@dataclass(frozen=True, eq=False)
class PlaneTally:
    """The numbers of records with label 0 and with label 1 at each of some distinct points, and of void records."""

    points: Ints
    zeros: Ints
    ones: Ints
    void: int

    @staticmethod
    def of(sample: Sample) -> PlaneTally:
        """The records of a sample."""
        points, zeros, ones = sample.tally()
        return PlaneTally(points.reshape(-1, 2).astype(np.int64), zeros, ones, sample.size - int((zeros + ones).sum()))

    def subsample(self, m: int, coins: Entropy) -> PlaneTally:
        """m of the records, chosen uniformly."""
        return self.with_counts(chosen_of(self.counts, m, coins))

    @property
    def counts(self) -> Ints:
        """The records with label 0, then those with label 1, then void ones."""
        return np.concatenate([self.zeros, self.ones, [self.void]])

    def with_counts(self, counts: Ints) -> PlaneTally:
        """The same points with other counts."""
        zeros, ones, void = np.split(counts, [len(self.zeros), -1])
        return PlaneTally(self.points, zeros, ones, int(void[0]))

    def charts(self, N: int, bits: int) -> Charts:
        """The points with more records of one label than of the other, in both charts."""
        w = self.ones - self.zeros
        (x, y), w = self.points[w != 0].T, w[w != 0]
        zeros, ones = int(self.zeros.sum()), int(self.ones.sum())
        return DualLines(x, y, w, zeros, ones, N, bits), DualLines(y, x, w, zeros, ones, N, bits)


@dataclass(frozen=True)
class HalfPlaneExponential(Selection):
    """(w, b) of a half-plane w·x ≥ b of {0 … N}², in small numbers, with probability ∝ (candidates)·e^(−ε·errors/2).

    The number of candidates of each half-plane is public. The records determine how many candidates make e errors.

    >>> from privpac.exact.entropy import SYSTEM
    >>> square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> tally = PlaneTally(square, zeros=np.array([99, 99, 0, 0]), ones=np.array([0, 0, 99, 99]), void=1)
    >>> HalfPlaneExponential(Budget(1), 1).release(tally, SYSTEM)
    ((1, 0), 1)
    """

    cost: Budget
    N: int
    name: ClassVar[str] = "half-plane exponential"
    theorem: ClassVar[str] = "half plane learner, Theorem 1"

    @property
    def bits(self) -> int:
        """log₂ S for this grid."""
        return slope_bits(self.N)

    def check(self, data: PlaneTally) -> PlaneTally:
        """The number of records is public, and so is this refusal."""
        if min(int(data.counts.sum()), (self.N + 1) ** 2) > MOST_POINTS or self.bits > MOST_BITS:
            few = f"{MOST_POINTS} records, or a grid of at most that many points"
            raise ValueError(f"half-planes are selected on grids of a side up to 2^17, from at most {few}")
        return data

    def menu(self, data: PlaneTally) -> Menu:
        """A short list of the levels near the best; the full list is made only if a draw needs it."""
        charts, rate = data.charts(self.N, self.bits), self.cost.epsilon / 2
        candidates = 2 * (3 * self.N + 2) << (2 * self.bits)
        near = NearLevels(charts[0].total, reach(candidates.bit_length(), rate), min(charts[0].zeros, charts[0].ones))
        near_edges = [list(lines.edges(near)) for lines in charts]
        listed = self._menu(charts, [edges.__iter__ for edges in near_edges], near.most)
        return short_list(listed, lambda: self._menu(charts, [lines.edges for lines in charts], near.total))

    def _menu(self, charts: Charts, edges: Sequence[Callable[[], Iterable[Edges]]], most: int) -> Menu:
        """The levels with at most ``most`` errors, the fewest first; ``edges`` returns all of their edges, by chart."""
        total = charts[0].total
        sizes = [level_sizes(lines, batches()) for lines, batches in zip(charts, edges, strict=True)]
        counts: Counter[int] = Counter()
        for chart_sizes in sizes:
            counts.update({e: size for e, size in chart_sizes.items() if e <= most})
            counts.update({total - e: size for e, size in chart_sizes.items() if total - e <= most})
        levels = sorted(counts)

        def outcome(group: int, member: int) -> Rule:
            """The member in the order of charts, sides, slopes, and c."""
            e = levels[group]
            for flat, (lines, size) in enumerate(zip(charts, sizes, strict=True)):
                for complement, level in enumerate((e, total - e)):
                    if member < size.get(level, 0):
                        j, c = _member(lines, at_level(edges[flat](), level), level, member)
                        return self.rule(bool(flat), bool(complement), j, c)
                    member -= size.get(level, 0)
            raise AssertionError("a level has no more members than were counted")

        return Weights(-np.array(levels), self.cost.epsilon / 2, [counts[e] for e in levels]), outcome

    def rule(self, flat: bool, complement: bool, j: int, c: int) -> Rule:
        """The half-plane of a candidate in small numbers."""
        S = 1 << self.bits
        u = 2 * j + 1 - S
        w = (S, -u) if flat else (-u, S)
        return smallest_numbers((-w[0], -w[1]), 1 - c, self.N) if complement else smallest_numbers(w, c, self.N)

    def law(self, data: PlaneTally) -> dict[Rule, arb]:
        """The probability of every half-plane. For small grids: all candidates are listed, once."""
        tally = self.check(data)
        weights, _ = self.menu(tally)
        weights = weights.complete() if weights.complete else weights
        by_errors = dict(zip((-weights.scores).tolist(), enumerate(probabilities(weights)), strict=True))
        law: dict[Rule, arb] = {}
        counts: Counter[Rule] = Counter()
        for gap in grid_gaps(self.N, self.bits):
            counts[gap.rule] += gap.following - gap.value
        for (w, b), candidates in counts.items():
            labels = tally.points @ np.array(w) >= b
            group, probability = by_errors[int(np.where(labels, tally.zeros, tally.ones).sum())]
            with ctx.workprec(128):
                law[w, b] = probability * candidates / weights.count(group)
        return law


def _member(lines: DualLines, edges: tuple[Edges, Edges], level: int, member: int) -> tuple[int, int]:
    """The slope j and the c of a candidate "value ≥ c" with this level, in the order of slopes and of c."""
    below, above = edges

    def before(j: int) -> int:
        """The number of members with smaller slopes."""
        return below.until(j).value_sum(lines.bits) - above.until(j).value_sum(lines.bits)

    j = smallest_between(lambda k: before(k) > member, 0, 1 << lines.bits) - 1
    member -= before(j)
    values, levels = lines.gaps(j)
    for value, following, gap_level in zip(values[:-1], values[1:], levels, strict=True):
        if gap_level == level:
            if member < following - value:
                return j, value + 1 + member
            member -= following - value
    raise AssertionError("a slope has no more members than were counted")


class GridGap(NamedTuple):
    """The candidates of a chart, side, and slope with value < c ≤ following, neighboring values of grid points."""

    flat: bool
    complement: bool
    j: int
    value: int
    following: int
    rule: Rule  # the same for all these candidates


@cache
def grid_gaps(N: int, bits: int) -> tuple[GridGap, ...]:
    """All candidates of a small grid, together where they label the grid alike."""
    x, y = (column.ravel() for column in np.indices((N + 1, N + 1)))
    # Point i has w = 2^i, so the level of a gap is the set of the points below it, as a bit mask.
    grid = DualLines(x, y, 1 << np.arange(len(x)), 0, (1 << len(x)) - 1, N, bits)
    selection, rules, gaps = HalfPlaneExponential(Budget(1), N), dict[tuple[int, bool, bool], Rule](), list[GridGap]()
    for j in range(1 << bits):
        values, below = grid.gaps(j)
        for value, following, points in zip(values[:-1], values[1:], below, strict=True):
            for flat, complement in product((False, True), repeat=2):
                if (points, flat, complement) not in rules:
                    rules[points, flat, complement] = selection.rule(flat, complement, j, following)
                gaps.append(GridGap(flat, complement, j, value, following, rules[points, flat, complement]))
    return tuple(gaps)


@dataclass(frozen=True)
class SubsampledHalfPlane(Mechanism):
    """The selection on a uniform random subset of ``m`` records; it costs less than the selection on all records."""

    cost: Budget
    selection: HalfPlaneExponential
    m: int
    name: ClassVar[str] = "half-plane exponential on some records"
    theorem: ClassVar[str] = "half plane learner, Theorem 3"

    def release(self, data: PlaneTally, coins: Entropy) -> Rule:
        rule: Rule = self.selection.release(data.subsample(self.m, coins), coins)
        return rule

    def law(self, data: PlaneTally) -> dict[Rule, arb]:
        """The probability of every half-plane. For few records: all choices of m of them are listed."""
        law: defaultdict[Rule, arb] = defaultdict(lambda: arb(0))
        counts = data.counts.tolist()
        for chosen in product(*(range(count + 1) for count in counts)):
            if sum(chosen) == self.m:
                share = prod(map(comb, counts, chosen))
                for rule, probability in self.selection.law(data.with_counts(np.array(chosen))).items():
                    with ctx.workprec(128):
                        law[rule] += probability * share / comb(sum(counts), self.m)
        return dict(law)
