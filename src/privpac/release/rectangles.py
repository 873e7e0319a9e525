"""How many points of a grid lie in each rectangle.

proof: docs/proofs/marginals.md, Theorem 3

Throughout this file
    N      the side of the grid, whose rows and columns are numbered 0 … N − 1
    h      the number of records in each cell, an N × N array
    B      a public matrix of whole numbers with N columns; the entries of B·h·Bᵀ get noise, and rectangles follow
    F      F[i, j]: how many records lie in rows below i and columns below j, an (N + 1) × (N + 1) array
    known  n if no record can be void, otherwise None

The count of a rectangle is F at its four corners, added and subtracted. With δ > 0, B is about the square root of the
matrix whose row i sums the values up to i, in units of 1/SCALE; without δ, its rows are the sum of all values and the
differences of the halves of the line, of each half, of each quarter, ….
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.vectors.boxes import Box, Rectangles
from privpac.data.domains.grid import Grid
from privpac.data.samples.sample import Ints, Sample
from privpac.data.values.value_text import value_text
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.gaussian import DiscreteGaussian
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused
from privpac.release.charts import MOST_SIDE, Chart, HeatMap
from privpac.release.explicit import point_counts
from privpac.release.noise_choice import Noise, NoisySanitizer, public_total
from privpac.release.postprocessing.consistency import Floats, nonnegative
from privpac.release.postprocessing.fitted_weights import fitted_weights
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Answers, Frame

LARGEST_SIDE = 256
FITTED_SIDE = 128  # the largest side of grids that are fitted by weights of their cells
COMPARED_SIDE = 64  # the largest side of grids whose pairs of cells are all compared
SCALE = 16  # the unit of the entries of B
FARTHEST = 2**53  # the largest entry of F, so that the gap is a machine integer


@dataclass(frozen=True)
class GridAnswers(Answers):
    """F, row by row. The count of a small rectangle may come out below 0."""

    n: int
    grid: Grid
    sums: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if self.F.shape != (self.grid.side + 1,) * 2 or self.F[0].any() or self.F[:, 0].any():
            raise ValueError("give the sums of all rows and columns of the grid, which begin with 0")

    @cached_property
    def F(self) -> Ints:  # noqa: N802  (the legend's name)
        """The sums as an array."""
        return np.array(self.sums, dtype=np.int64)

    def count(self, query: Hypothesis) -> int:
        if isinstance(query, Constant):
            return int(self.F[-1, -1]) if query.label else 0
        if not isinstance(query, Box) or len(query.low) != 2:
            raise Refused("query", "this release answers rectangles of two columns, such as Box((2, 0), (5, 3))")
        (a, b), (c, d) = (self._span(*side) for side in zip(query.low, query.high, strict=True))
        return int(self.F[b, d] - self.F[a, d] - self.F[b, c] + self.F[a, c])

    def _span(self, low: int | None, high: int | None) -> tuple[int, int]:
        """The first number of one side of a rectangle, and the first number after it."""
        ends = self.grid.low if low is None else low, self.grid.high if high is None else high
        first, last = (min(max(end, self.grid.low - 1), self.grid.high + 1) - self.grid.low for end in ends)
        first, stop = max(first, 0), min(last + 1, self.grid.side)
        return min(first, stop), stop

    @property
    def fitting(self) -> tuple[int, int]:
        """How many records lie on the grid: one answer, that of the largest rectangle."""
        return int(self.F[-1, -1]), 1

    def gap(self, sample: Sample) -> int:
        """The largest error of a rectangle.

        With e the errors of F, it is the largest range of e[k] − e[i] along the columns, over all rows i < k.
        """
        return _widest(self.F - _summed(grid_counts(sample, self.grid)))

    @property
    def farthest(self) -> int:
        return self.n + _widest(self.F)  # answers may lie below 0 or above n

    @property
    def _cells(self) -> Ints:
        return np.diff(np.diff(self.F, axis=0), axis=1)

    def counts(self) -> Frame:
        return {**self._frame(np.arange(self.grid.size)), "records": [*self._cells.reshape(-1).tolist()]}

    @property
    def subject(self) -> str:
        return "How many records lie in each rectangle"

    def drawing(self) -> tuple[Chart, ...]:
        """Blocks of cells, which are rectangles; the second column increases upward."""
        sides = np.linspace(0, self.grid.side, min(self.grid.side, MOST_SIDE) + 1).astype(int)
        blocks = np.diff(np.diff(self.F[np.ix_(sides, sides)], axis=0), axis=1)
        spans = [(self.grid.low + a, self.grid.low + b - 1) for a, b in pairwise(sides.tolist())]
        names = tuple(value_text(a) if a == b else f"{value_text(a)} … {value_text(b)}" for a, b in spans)
        numbers = tuple(map(tuple, blocks.T[::-1].tolist()))
        return (HeatMap("x1", "x2", names, names[::-1], numbers),) if self.grid.side > 1 else ()

    def rows(self, size: int, coins: Entropy) -> Frame:
        return self._frame(spread(self._cells.reshape(-1).tolist(), size, coins))

    def _frame(self, numbers: NDArray[Any]) -> Frame:
        places = np.unravel_index(numbers, (self.grid.side,) * 2)
        x, y = ([self.grid.low + place for place in column.tolist()] for column in places)
        return {"x1": x, "x2": y}


def grid_counts(sample: Sample, grid: Grid) -> Ints:
    """h: how many records lie in each cell."""
    return point_counts(sample, grid).reshape(grid.side, grid.side)


def _summed(h: NDArray[Any]) -> NDArray[Any]:
    """F, from h."""
    return np.pad(h.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


def _widest(sums: Ints) -> int:
    """The largest absolute value of a rectangle whose corners are entries of ``sums``."""
    strips = (sums[i + 1 :] - sums[i] for i in range(len(sums) - 1))
    return max(int((strip.max(axis=1) - strip.min(axis=1)).max()) for strip in strips)


@lru_cache(maxsize=16)
def strategy(side: int, pure: bool) -> Ints:
    """The matrix B for a grid of this side; ``pure`` if δ = 0.

    >>> strategy(4, pure=False).tolist()
    [[16, 0, 0, 0], [8, 16, 0, 0], [6, 8, 16, 0], [5, 6, 8, 16]]
    >>> strategy(3, pure=True).tolist()
    [[1, 1, 1], [1, 1, -1], [1, -1, 0], [0, 0, 1]]
    """
    if not pure:
        root = [1.0]  # the coefficients of (1 − z)^(−1/2): the square root of the matrix of sums
        for k in range(1, side):
            root.append(root[-1] * (2 * k - 1) / (2 * k))
        steps = np.rint(SCALE * np.array(root)).astype(np.int64)
        return np.tril(steps[np.abs(np.subtract.outer(np.arange(side), np.arange(side)))])
    padded = 1 << (side - 1).bit_length()  # the side, rounded up to a power of 2 that can be halved
    rows = [np.ones(padded, dtype=np.int64)]
    length = padded
    while length > 1:
        half = np.repeat([1, -1], length // 2)
        rows += [np.pad(half, (first, padded - first - length)) for first in range(0, padded, length)]
        length //= 2
    cut = np.array(rows)[:, :side]
    return cut[cut.any(axis=1)]


@lru_cache(maxsize=16)
def squared_change(side: int) -> int:
    """The largest sum of squares by which B·h·Bᵀ changes if a record moves to another cell, or becomes void.

    On large grids, it is only an upper bound.

    >>> squared_change(1) == 16**4, squared_change(2)
    (True, 135168)
    """
    B = strategy(side, pure=False)
    G = B.T @ B
    squares = np.diag(G)
    if side > COMPARED_SIDE:
        return 2 * int(squares.max()) ** 2  # no entry of B is negative
    pairs = (
        squares[i] * squares[:, None] + squares[k] * squares - 2 * G[i, k] * G
        for i in range(side)
        for k in range(i + 1)
    )
    return max(int(squares.max()) ** 2, *(int(changes.max()) for changes in pairs))


@dataclass(frozen=True)
class GridSanitizer(NoisySanitizer):
    """Noisy sums over a grid of two columns, fitted, from which every rectangle follows.

    Privacy   ε or (ε, δ) for all inputs: marginals, Theorem 3
    Time      O(n + N³); up to 1500 rounds of O(N³) to fit a grid whose side is at most 128

    >>> from privpac.release.private_release import PrivateRelease
    >>> release = PrivateRelease(Rectangles(0, 15, 2), epsilon=1, delta=1e-6).fit([(3, 3)] * 6000 + [(12, 5)] * 4000)
    >>> abs(release.answer(Box((0, 0), (7, 15))) - 0.6) < 0.05
    True
    """

    concept_class: Rectangles
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Rectangles,)
    title: ClassVar[str] = "fitted noisy sums over a grid"
    theorem: ClassVar[str] = "marginals, Theorem 3"

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        assert isinstance(concept_class, Rectangles)
        return concept_class.dim == 2 and concept_class.domain.side <= LARGEST_SIDE

    @property
    def noise(self) -> Noise:
        """Noise for the largest change of B·h·Bᵀ by one substitution."""
        side, cost = self.concept_class.domain.side, self.terms.cost
        if cost.delta:
            return DiscreteGaussian(cost, squared_change(side))
        return DiscreteLaplaces(cost, 2 * int(np.abs(strategy(side, pure=True)).sum(axis=0).max()) ** 2)

    def run(self, records: Records, ask: Ask) -> GridAnswers:
        grid, n = self.concept_class.domain, records.size
        B = strategy(grid.side, not self.cost.delta)
        sums = records.see(lambda sample: (B @ grid_counts(sample, grid) @ B.T).reshape(-1))
        noisy = np.asarray(ask(self.noise, sums), np.float64).reshape(len(B), len(B))
        h = cells_near(noisy, B, float(self.noise.variance), public_total(self.terms, n), n)
        F = np.clip(np.rint(_summed(h)), -FARTHEST, FARTHEST).astype(int)
        return GridAnswers(n, grid, tuple(map(tuple, F.tolist())))


def cells_near(y: Floats, B: Ints, variance: float, known: int | None, n: int) -> Floats:
    """An estimate of h with B·h·Bᵀ near y: fitted weights ≥ 0; on large grids, or without a fit, unbiased counts."""
    inverse = np.linalg.pinv(B.astype(np.float64))
    unbiased = inverse @ y @ inverse.T
    total = float(min(max(unbiased.sum(), 0), n)) if known is None else float(known)
    # The total is corrected in proportion to the covariance of each count with the total, an outer product.
    covariance = inverse @ inverse.T @ np.ones(B.shape[1])
    unbiased += np.outer(covariance, covariance) * ((total - unbiased.sum()) / covariance.sum() ** 2)
    if B.shape[1] > FITTED_SIDE:
        return unbiased
    sides = [nonnegative(unbiased.sum(axis=axis), total) for axis in (1, 0)]
    M, shape = B.astype(np.float64), unbiased.shape
    # The weights are fitted to the part of y that some h explains, with the corrected total.
    w = fitted_weights(
        (M @ unbiased @ M.T).reshape(-1),
        lambda w: (M @ w.reshape(shape) @ M.T).reshape(-1),
        lambda r: (M.T @ r.reshape(len(M), len(M)) @ M).reshape(-1),
        np.outer(*sides).reshape(-1) / max(total, 1.0),  # the start: rows and columns are independent
        unbiased.size * variance,  # the expected square of the noise
    )
    return unbiased if w is None else w.reshape(shape)
