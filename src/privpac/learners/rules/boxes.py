"""Boxes: one exponential mechanism over all boxes of a public grid.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/rule_learner.md

Throughout this file
    d, a     number of coordinates, and number of values of each
    g        cells per coordinate, of w values each (the last may have fewer): the most for which there are at most
             MOST_BOXES boxes of cells. If g = a, the boxes of cells are all boxes. Private cuts may make other cells
    W        positive minus negative records of each cell of the grid: the gain of a box is the sum of W in it

A strip bounds all coordinates but the last; the boxes in it are the intervals of the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.vectors.boxes import Box, Rectangles
from privpac.data.domains.grid import Grid
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Universe
from privpac.learners.grids.grids import negative_excess, running_totals
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.blockwise_exponential import BlockExponential
from privpac.privacy.bisection import smallest_upto
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

MOST_BOXES = 10**8  # boxes that a fit counts: a few seconds
WIDEST = 8  # values of a cell; with wider cells, other learners come first
DIMENSIONS = 6  # with more dimensions, there would be too few cells


@dataclass(frozen=True)
class BoxCells:
    """A grid whose coordinates are cut into at most ``most`` cells of equal width, or by private cuts.

    >>> cells = BoxCells(Grid(0, 1023, dim=2), 140)
    >>> cells.width, cells.side, cells.boxes
    (8, 128, 68161537)
    >>> BoxCells(Grid(0, 1023, dim=2), 140, ((0, 200, 701), (0, 100))).boxes
    19
    """

    grid: Grid
    most: int
    released_starts: tuple[tuple[int, ...], ...] | None = None  # where cells begin, if cuts were released privately

    @property
    def width(self) -> int:
        """The number w of values of a cell."""
        return -(-self.grid.side // self.most)

    @property
    def side(self) -> int:
        """The number g of cells of a coordinate."""
        return -(-self.grid.side // self.width)

    @cached_property
    def starts(self) -> tuple[tuple[int, ...], ...]:
        """Where the cells of each coordinate begin, counted from low."""
        return self.released_starts or (tuple(range(0, self.grid.side, self.width)),) * self.grid.dim

    @property
    def boxes(self) -> int:
        """The number of boxes of cells, including the empty one."""
        return prod(len(cells) * (len(cells) + 1) // 2 for cells in self.starts) + 1

    @staticmethod
    def of(grid: Grid, limit: int = MOST_BOXES) -> BoxCells:
        """As many cells as ``limit`` boxes allow.

        >>> [BoxCells.of(Grid(0, 10**6, dim)).side for dim in (2, 3, 4, 6)]
        [140, 29, 13, 6]
        """
        too_many = smallest_upto(limit, lambda g: (g * (g + 1) // 2) ** grid.dim >= limit) or 2
        return BoxCells(grid, min(too_many - 1, grid.side))

    def balance(self, sample: Sample) -> Ints:
        """W: for each cell, its positive minus its negative records."""
        codes = offsets(self.grid, sample)
        starts = [np.array(firsts, dtype=codes.dtype) for firsts in self.starts]
        cells = [np.searchsorted(firsts, x, side="right") - 1 for firsts, x in zip(starts, codes.T, strict=True)]
        W = np.zeros(list(map(len, starts)), dtype=np.int64)
        np.subtract.at(W, tuple(cells), negative_excess(sample))
        return W

    def draw(self, cost: Budget, records: Records, ask: Ask) -> Hypothesis:
        """A box of cells, chosen by its errors."""

        def errors(sample: Sample) -> BoxStrips:
            return BoxStrips.of(self.balance(sample), sample.positives)

        return self.box(*ask(BlockExponential(cost), records.see(errors)))

    def box(self, block: int, place: int) -> Hypothesis:
        """The box at a place of a block of ``BoxStrips``; block 0 has only the empty box."""
        if block == 0:
            return Constant(False)
        strip, start = divmod(place, len(self.starts[-1]) + 1 - block)
        intervals = [np.triu_indices(len(cells)) for cells in self.starts[:-1]]  # first and last cells
        chosen = np.unravel_index(strip, [len(first) for first, _ in intervals])
        sides = [(int(first[i]), int(last[i])) for (first, last), i in zip(intervals, chosen, strict=True)]
        sides.append((start, start + block - 1))
        low, coordinates = self.grid.low, list(zip(self.starts, sides, strict=True))
        lows = [low + cells[i] if i else None for cells, (i, _) in coordinates]
        highs = [low + cells[j + 1] - 1 if j + 1 < len(cells) else None for cells, (_, j) in coordinates]
        return Box(tuple(lows), tuple(highs))


def offsets(grid: Grid, sample: Sample) -> NDArray[Any]:
    """The coordinates of the records, counted from low."""
    return np.asarray(sample.points.astype(object if grid.side > 2**62 else np.int64) - grid.low)


@dataclass(frozen=True, eq=False)
class BoxStrips:
    """The errors of the empty box, then for b = 1 … g those of all boxes that are b cells wide in the last coordinate.

    >>> [block.tolist() for block in BoxStrips.of(np.array([4, -1, 2]), positives=6)]
    [[6], [[2, 7, 4]], [[3, 5]], [[1]]]
    """

    sums: Ints  # a row for each strip: sums of W over the first 0, 1, … g cells of the last coordinate
    positives: int

    @staticmethod
    def of(W: Ints, positives: int) -> BoxStrips:
        """All strips of the grid of cells."""
        sums = W
        for _ in range(W.ndim - 1):  # replace the first axis by the intervals of its coordinate, and move it back
            first, last = np.triu_indices(len(sums))
            sums = running_totals(sums, 0)
            sums = np.moveaxis(sums[last + 1] - sums[first], 0, -2)
        sums = running_totals(sums, sums.ndim - 1)
        return BoxStrips(sums.reshape(-1, W.shape[-1] + 1), positives)

    def __iter__(self) -> Iterator[Ints]:
        yield np.array([self.positives])
        for b in range(1, self.sums.shape[1]):
            yield self.positives - (self.sums[:, b:] - self.sums[:, :-b])


class RectangleLearner(Learner):
    """Learn a box. All boxes of the grid are candidates or, if there are too many, all boxes of equal public cells.

    Privacy   ε, for all inputs: rule learner, Theorem 1
    Utility   noisy labels or not, against the best box of cells: rule learner, Theorem 2
    Time      counts at most MOST_BOXES boxes for any n: a few seconds

    >>> from privpac import PrivateClassifier
    >>> x, y = np.meshgrid(np.arange(30), np.arange(30))
    >>> points, inside = np.column_stack([x.ravel(), y.ravel()]), ((x > 9) & (y < 20)).ravel()
    >>> clf = PrivateClassifier(Rectangles(0, 29, dim=2), method="RectangleLearner", epsilon=3, feature=[0, 1])
    >>> print(clf.fit(points, inside).hypothesis_)
    x₁ ≥ 10 and x₂ ≤ 19
    """

    concept_class: Rectangles
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Rectangles,)
    title: ClassVar[str] = "exponential mechanism over all boxes"
    theorem: ClassVar[str] = "rule learner, Theorem 2"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(Rectangles(0, 2, dim=2), "9 points", ((0, 0), (1, 2))),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return 1 < len(concept_class.domain.columns) <= DIMENSIONS

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        return BoxCells.of(self.concept_class.domain).draw(self.cost, records, ask)

    def failure(self, n: int, alpha: float) -> float:
        return self.chance(log(BoxCells.of(self.concept_class.domain).boxes), n, alpha)

    @property
    def automatic(self) -> bool:  # type: ignore[override]
        """Whether cells are narrow; all records may lie in one wide cell."""
        return BoxCells.of(self.concept_class.domain).width <= WIDEST

    @property
    def reference_rules(self) -> tuple[str, ...]:
        w = BoxCells.of(self.concept_class.domain).width
        text = f"the best rule means the best box made of cells {w} values wide in each coordinate"
        return (text,) if w > 1 else ()
