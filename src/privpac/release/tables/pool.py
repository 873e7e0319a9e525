"""A pool of weighted rows of cells, whose tables come close to noisy ones. Only released numbers are read here.

The strongest dependences that form a tree give a distribution of rows; rows drawn from it are the pool. Mirror descent
then weighs the rows so that all tables come close to the noisy ones.

Throughout this file
    w      the weights of the rows of the pool, in records         w₀     the weights before the descent, all equal
    y, σ²  a noisy count and the variance of its noise             m      the same count by w
    n      the sum of the weights
    θ      potentials, a number for each count: up to a constant, ln w is the sum of those of the counts a row is in

The descent minimizes Σ (m − y)²/2 + τ·σ²·KL(w, w₀) + λ·|Θ|: the noise in y would otherwise go into the weights. Θ is
the matrix of the potentials of all pairs of columns, with a row and a column for each cell, and |Θ| the sum of the
absolute values of its eigenvalues. Dependence often has few causes, so that Θ is nearly a matrix of low rank, and
noise is not. Blocks of Θ that no table measures may take any value.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import prod, sqrt
from typing import Any, NamedTuple
from zlib import compress, decompressobj, error

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy, entropy
from privpac.exact.one_thread import one_thread
from privpac.refusals.refusal import InOtherWords
from privpac.release.postprocessing.consistency import ColumnSet, Floats, as_tables
from privpac.release.tables.noisy_tables import TINY, NoisyTables
from privpac.release.tables.synthetic_rows import tree_rows

# No bound depends on these numbers: errors are measured, whatever the weights are.
STEPS, STEP = 160, 0.2
ANEW = 120  # the momentum starts anew at this step; otherwise it would soon fit noise
PRIOR = 0.006  # τ
RANK = 0.4  # λ/(σ·√c) for c counts in a row of Θ; the largest eigenvalue of noise alone is about 2·σ·√c
LARGEST_MATRIX = 600  # rows of Θ; a larger one would take longer than all the rest
MOST_ROWS, MOST_NUMBERS = 200_000, 16_000_000  # rows of the pool; rows times tables
ROWS_PER_RECORD, FEWEST_ROWS = 16, 2000
MOST_WEIGHT = 2**62  # the weight of all rows, in millionths of a record
MOST_BYTES = 2**28  # the rows in a file
PARTS = 10**6  # weights are whole numbers of millionths of a record


@one_thread()
def descent(tables: NoisyTables, rows: NDArray[Any]) -> Floats:
    """The weights w of the rows: mirror descent with momentum that starts anew after uphill steps and near the end."""
    n, member, prior = tables.total, membership(rows, tables.shape, tables.noisy), PRIOR * tables.variance
    y = np.concatenate([table.ravel() for table in tables.consistent.values()])
    scale = max(n, 1.0) + prior  # gradients grow in proportion to it; potentials do not
    low_rank = _LowRank(tables, STEP / scale)
    θ, speed, last, k = np.zeros(len(y)), np.zeros(len(y)), np.inf, 0
    for step in range(STEPS):
        off = _weights(member @ θ, n) @ member - y
        loss = float(off @ off)
        speed, k = (speed, k) if loss <= last and step != ANEW else (np.zeros(len(y)), 0)
        last, k = loss, k + 1
        # In potentials, the gradient of KL(w, w₀) is θ: ln(w/w₀) is the sum of a row's potentials, up to a constant.
        moved = low_rank(θ + k / (k + 3) * speed - STEP / scale * (off + prior * θ))
        θ, speed = moved, moved - θ
    return _weights(member @ θ, n)


class _LowRank:
    """The proximal step of λ·|Θ|, which moves the eigenvalues of Θ toward 0.

    Blocks that no table measures keep what the last step gave them, as in soft-impute.
    """

    def __init__(self, tables: NoisyTables, step: float) -> None:
        self.sets, self.shape = tuple(tables.noisy), tables.shape
        first = [0, *accumulate(tables.shape)]  # where the rows of each column begin in Θ
        self.blocks = {pair: tuple(slice(first[i], first[i + 1]) for i in pair) for pair in self.sets if len(pair) == 2}
        self.matrix = np.zeros((first[-1], first[-1]))
        counts = np.zeros(first[-1])  # how many counts each row of Θ has
        for (i, j), (rows, columns) in self.blocks.items():
            counts[rows] += self.shape[j]
            counts[columns] += self.shape[i]
        self.shrinkage = step * RANK * sqrt(tables.variance * counts.max())

    def __call__(self, θ: Floats) -> Floats:
        if not self.blocks or len(self.matrix) > LARGEST_MATRIX:
            return θ
        tables, matrix = as_tables(θ, self.sets, self.shape), self.matrix
        for pair, (rows, columns) in self.blocks.items():
            matrix[rows, columns], matrix[columns, rows] = tables[pair], tables[pair].T
        values, vectors = np.linalg.eigh(matrix)
        self.matrix = (vectors * (np.sign(values) * np.maximum(np.abs(values) - self.shrinkage, 0))) @ vectors.T
        for pair, block in self.blocks.items():
            tables[pair] = self.matrix[block]
        return np.concatenate([table.ravel() for table in tables.values()])


def membership(rows: NDArray[Any], shape: Sequence[int], sets: Iterable[ColumnSet]) -> csr_array:
    """A sparse matrix with a 1 where a row of the pool belongs to a count; the counts of one set after another.

    >>> membership(np.array([[0, 1], [1, 1]]), (2, 2), [(0, 1)]).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    places, first = [], 0  # for each set, where each row belongs; the number of its first count
    for columns in sets:
        sides = [shape[i] for i in columns]
        places.append(first + np.ravel_multi_index([rows[:, i] for i in columns], sides))
        first += prod(sides)
    ones, ends = np.ones(len(places) * len(rows)), np.arange(len(rows) + 1) * len(places)
    return csr_array((ones, np.stack(places, axis=1).ravel(), ends), shape=(len(rows), first))


def _weights(logs: Floats, total: float) -> Floats:
    """The weights with these logarithms, up to a constant, and this sum."""
    weights = np.exp(logs - logs.max())
    return np.asarray(weights * (total / weights.sum()))


class Pool(NamedTuple):
    """Rows of cells, and the weight of each in millionths of a record."""

    rows: NDArray[Any]
    weights: Ints

    def packed(self) -> tuple[str, str]:
        """Rows and weights as texts that a file can hold; no column has more than 256 cells.

        >>> pool = Pool(np.array([[0, 1], [7, 1]]), np.array([5, 700]))
        >>> Pool.unpacked(*pool.packed(), width=2).rows.tolist()
        [[0, 1], [7, 1]]
        """
        return _text(self.rows.T.astype(np.uint8)), _text(self.weights.astype("<i8"))

    @staticmethod
    def unpacked(rows: str, weights: str, width: int) -> Pool:
        """The pool that ``packed`` wrote, with ``width`` columns; ValueError for other texts."""
        with InOtherWords(lambda _: ValueError("this text does not hold the rows of a pool"), (error, ValueError)):
            cells, weight = np.frombuffer(_bytes(rows), np.uint8), np.frombuffer(_bytes(weights), "<i8")
        if len(cells) != width * len(weight) or (weight < 0).any() or weight.sum(dtype=np.float64) > MOST_WEIGHT:
            raise ValueError(
                "this pool does not have the columns of the table; if an earlier version of privpac released a table "
                "of one column, read the file with that version"
            )
        return Pool(cells.reshape(width, -1).T, weight.astype(np.int64))


def dependent_rows(tables: NoisyTables, size: int, coins: Entropy) -> NDArray[np.int64]:
    """``size`` rows in which columns depend on each other as in a tree of their strongest dependences."""
    return tree_rows(tables.singles, tables.shrunk, size, coins, TINY)


def pool_of(tables: NoisyTables) -> Pool:
    """The weighted pool. The seed is fixed, so that equal tables give equal pools; only released numbers are used."""
    size = min(MOST_ROWS, MOST_NUMBERS // len(tables.noisy), max(int(ROWS_PER_RECORD * tables.total), FEWEST_ROWS))
    rows = dependent_rows(tables, size, entropy(0))
    weights = np.rint(PARTS * descent(tables, rows)).astype(np.int64)
    return Pool(rows[weights > 0], weights[weights > 0])


def _text(array: NDArray[Any]) -> str:
    return b64encode(compress(array.tobytes())).decode("ascii")


def _bytes(text: str) -> bytes:
    return decompressobj().decompress(b64decode(text, validate=True), MOST_BYTES)
