"""All thresholds or intervals of a line at once: a distribution function, its quantiles, and synthetic values.

A line is cut into cells, by a tree or in rounds, and the noisy counts of the cells are made to add up and to rise.
Within a cell, records are guessed to be even, or to crowd as the other cells suggest.

proof: docs/proofs/split_tree.md

Throughout this file
    N, n       the size of the line, numbered 0 … N − 1; the number of records, public
    starts     the first numbers of all cells; edges are the starts and the number after the last cell
    beside     records beside the line are void or lack an entry; they share a cell after all others, numbered N
    θ, d, w    the parameters of a split tree: see ``mechanisms.lines.split_tree``
    atom       a value that many records share; one that is heavy, in a cell with others, starts a search for atoms
    found      the search and the atoms that it released; None without a search
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import ceil, floor, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import InOrder, Ints, Sample
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.atoms import Atoms, heaviest
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.lines.split_tree import MOST, SplitTree
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.release.lines.answers import LineCounts, line_of, on_line
from privpac.release.lines.count_rounds import Edges, Round, RoundPlan, all_even, cut_again, nearest
from privpac.release.lines.levels import CountLevels, is_expected, non_decreasing, toward
from privpac.release.lines.within_cells import (
    MOST_BITS,
    Cells,
    Found,
    cells_by_atoms,
    cells_by_ends,
    cells_by_magnitude,
)
from privpac.release.noise_choice import public_total
from privpac.release.postprocessing.consistency import Floats
from privpac.release.sanitizer import Answers, Sanitizer

FEW_VALUES = 500  # the longest line that needs no tree
TEST, SEARCH = Fraction(1, 25), Fraction(3, 10)  # of ε: to ask whether an atom is heavy, and to find atoms if one is
SPLIT = 4, 3, 5  # θ·ε, d·ε, and w·ε, where ε is that of the tree: measured
WIDE = 8  # the fewest values of a cell in which an atom may be heavy: in others, every value has many records
HEAVY = 80  # a heavy atom has at least HEAVY/ε records: measured
LONG = 2**32  # lines with more values are long
MOST_FOR_ROUNDS = 225, 300  # up to this n·ε, rounds beat a tree: on lines that are not long, and on long ones; measured


def tree_share(n: int, epsilon: Fraction) -> Fraction:
    """The tree's share of ε: with few records, it needs more."""
    return Fraction(25 if n * epsilon <= 3000 else 16, 100)


def split_tree(cost: Budget, tree: LineTree) -> SplitTree:
    """The mechanism that grows a split tree at this cost."""
    θ, d, w = (min(max(1, round(scale / cost.epsilon)), MOST) for scale in SPLIT)
    return SplitTree(cost, tree, θ, d, w)


@dataclass(frozen=True)
class LineSanitizer(Sanitizer):
    """All thresholds or intervals of a line: a distribution function, its quantiles, and synthetic values.

    Privacy   ε, for all inputs: split tree, Theorems 1, 2, and 4
    Utility   measured
    Time      one sort; O(log n) for each cell and level of the tree, or each cell of a round

    >>> from privpac.release.private_release import PrivateRelease
    >>> ages = PrivateRelease(Thresholds(0, 120), epsilon=1).fit(np.arange(20, 70).repeat(200))
    >>> abs(ages.answer(Thresholds(0, 120).hypothesis(50)) - 0.4) < 0.05, abs(ages.quantile(0.5) - 44) < 5
    (True, True)
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Thresholds, Intervals, OnColumn)
    title: ClassVar[str] = "noisy counts of the cells of a split tree, or in rounds"
    theorem: ClassVar[str] = "split tree, Theorem 2"
    pure: ClassVar[bool] = True
    reads_missing: ClassVar[bool] = True

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(without_column(concept_class), Thresholds | Intervals)

    def method_text(self, n: int) -> str:
        tree = self._tree
        if self._uses_rounds(n, tree):
            return "noisy counts of cells that are cut finer in each round"
        return "noisy counts of the cells of a split tree" if tree.size > FEW_VALUES else "noisy counts of all values"

    def _uses_rounds(self, n: int, tree: LineTree) -> bool:
        return n * self.cost.epsilon <= MOST_FOR_ROUNDS[tree.size > LONG] and FEW_VALUES < tree.size < 2**MOST_BITS

    @property
    def _tree(self) -> LineTree:
        """The public tree over everything that is counted."""
        return LineTree.of(line_of(self.domain))

    def run(self, records: Records, ask: Ask) -> Answers:
        """Noisy counts of cells; their running sums, made to rise; and the answers that follow from these."""
        n, tree = records.size, self._tree
        count_cells = self._counts_in_rounds if self._uses_rounds(n, tree) else self._counts_in_tree
        starts, counts, found = count_cells(tree, records, ask)
        most = n - 1 if self._beside and n > 1 else n  # a total of n thus says that no record can lie beside the line
        rising = np.rint(non_decreasing(np.clip(np.cumsum(counts), 0, most))).astype(np.int64)[: len(starts)]
        return self._answers(n, cells_by_atoms(tree.size, (starts, (0, *rising.tolist())), found))

    def _answers(self, n: int, cells: Cells) -> Answers:
        tree = self._tree
        finer = cells_by_ends(tree.size, cells, cells_by_magnitude(tree, *cells), n)
        return LineCounts(n, self.domain, *finer, self._intervals, self._misfits)

    def _counts_in_rounds(self, tree: LineTree, records: Records, ask: Ask) -> tuple[Edges, Floats, Found]:
        """The starts and the counts of cells. Those with many records in one round are cut finer for the next one."""
        n, plan, rounds = records.size, self._plan(tree), list[Round]()
        edges = (*plan.edges, tree.size + 1) if self._beside else plan.edges
        in_order = cache(self._in_order)
        for cost in self.cost.split(plan.shares):
            mechanism = DisjointCounts(cost, n)
            cuts = tree.numbers([edge for edge in edges[1:] if edge < tree.size])
            noisy = ask(
                mechanism, records.see(partial(_cell_counts, in_order=in_order, cuts=cuts, beside=self._beside))
            )
            rounds.append(Round(edges, noisy, mechanism.variance))
            finest, counts = nearest(rounds, n)
            edges = self._cut_again(tree, finest, counts, n)
        if not self._beside and self._all_even(rounds, tree, n):
            return (0,), np.array([float(n)]), None
        return tuple(edge for edge in finest if edge < tree.size), counts, None

    def _plan(self, tree: LineTree) -> RoundPlan:
        return RoundPlan.of(tree)

    def _cut_again(self, tree: LineTree, edges: Edges, counts: Floats, n: int) -> Edges:
        return cut_again(tree, edges, counts, n)

    def _all_even(self, rounds: list[Round], tree: LineTree, n: int) -> bool:
        return all(all_even(one_round, tree.size, n) for one_round in rounds)

    def _counts_in_tree(self, tree: LineTree, records: Records, ask: Ask) -> tuple[Edges, Floats, Found]:
        """The starts and the counts of the cells of a split tree, and atoms; on a short line, every value is a cell."""
        n, count_cost, starts, found = records.size, self.cost, tuple(range(min(tree.size, FEW_VALUES))), None
        in_order = cache(self._in_order)
        if tree.size > FEW_VALUES:
            starts, found, count_cost = self._tree_cells(tree, records, ask, in_order)
        levels = CountLevels(len(starts) + self._beside)
        cuts = tree.numbers(list(starts[1:]))
        in_cells = cache(partial(_cell_counts, in_order=in_order, cuts=cuts, beside=self._beside))
        in_groups = partial(_group_counts, levels=levels, in_cells=in_cells)
        mechanism = DisjointCounts(count_cost.split(levels.number)[0], n)
        noisy = [ask(mechanism, records.see(partial(in_groups, level=level))) for level in range(levels.number)]
        counts = levels.least_squares([np.array(level, dtype=np.float64) for level in noisy], n)
        if levels.number > 1 or self._beside or found:
            return starts, counts, found
        return *self._toward_even(starts, counts, mechanism.variance), None

    def _tree_cells(
        self, tree: LineTree, records: Records, ask: Ask, in_order: Callable[[Sample], InOrder]
    ) -> tuple[Edges, Found, Budget]:
        """The starts of the cells of a split tree; the atoms in them, if one is heavy; and what is left of ε."""
        n, ε = records.size, self.cost.epsilon
        share, heavy = tree_share(n, ε), ceil(HEAVY / ε)
        if n < 10 * heavy:  # with so few records, no heavy atom is sought
            tree_cost, left = self.cost.split([share, 1 - share])
            return ask(split_tree(tree_cost, tree), records.see(in_order)), None, left
        tree_cost, test_cost, left = self.cost.split([share, TEST, 1 - share - TEST])
        starts = ask(split_tree(tree_cost, tree), records.see(in_order))
        most = records.see(lambda sample: heaviest(in_order(sample), tree, starts, floor=ceil(heavy / 8), width=WIDE))
        if ask(DiscreteLaplace(test_cost), most) < heavy:
            return starts, None, left
        search_cost, left = left.split([SEARCH, 1 - share - TEST - SEARCH])
        search = Atoms(search_cost, tree, starts)
        return starts, (search, ask(search, records.see(in_order))), left

    def _toward_even(self, starts: Edges, counts: Floats, variance: float) -> tuple[Edges, Floats]:
        return toward_even(starts, self._tree.size, counts, variance)

    def _in_order(self, sample: Sample) -> InOrder:
        """The records on the line, sorted by their numbers."""
        return on_line(sample, self.domain)

    @property
    def _misfits(self) -> bool:
        """Whether some records may be void."""
        return public_total(self.terms, 1) is None

    @property
    def _beside(self) -> bool:
        """Whether some records may lie beside the line."""
        return self._misfits or self.domain.optional

    @property
    def _intervals(self) -> bool:
        return isinstance(without_column(self.concept_class), Intervals)

    def least_gap(self, n: int) -> Fraction | None:
        """The lower bound of [split tree, Proposition 3]."""
        N, ε, β = line_of(self.domain).size, float(self.cost.epsilon), float(self.terms.beta)
        if N < 2 or n < 1:
            return None
        least = floor(((log(N - 1) + log((1 - β) / β)) / ε - 1) / 2 * (1 - 1e-9))
        return Fraction(min(max(least, 0), n // 2), n)


def without_column(concept_class: ConceptClass) -> ConceptClass:
    """The class of a column, without the column."""
    return concept_class.concept_class if isinstance(concept_class, OnColumn) else concept_class


def toward_even(starts: Edges, size: int, counts: Floats, variance: float) -> tuple[Edges, Floats]:
    """The starts and counts of cells, with counts moved toward even ones as far as noise of this variance explains.

    If it explains all of the difference, a line of more than FEW_VALUES values becomes one cell.
    """
    n = counts.sum()
    even = n * np.array([(stop - start) / size for start, stop in pairwise((*starts, size))])
    if size > FEW_VALUES and is_expected(even, counts, variance):
        return (0,), np.array([n])
    return starts, toward(even, counts, variance)


def _group_counts(sample: Sample, level: int, levels: CountLevels, in_cells: Callable[[Sample], Ints]) -> Ints:
    """The number of records in each group of cells of a level."""
    return levels.counts(in_cells(sample))[level]


def _cell_counts(sample: Sample, in_order: Callable[[Sample], InOrder], cuts: NDArray[Any], beside: bool) -> Ints:
    """The number of records in each cell. With ``beside``, the last cell holds those that lie beside the line."""
    records = in_order(sample)
    ends = [records.number, sample.size] if beside else [records.number]
    return np.diff(np.concatenate([[0], records.below(cuts), ends]))
