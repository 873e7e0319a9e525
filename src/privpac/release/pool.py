"""Rows whose pairs of cells are as frequent as noisy counts say. Only released numbers are read here.

[CL68]  docs/references.bib

The strongest dependences that form a tree give a distribution of rows; rows drawn from it are the pool. Mirror descent
then weighs the rows of the pool so that the tables of all pairs come close to the noisy ones.

Throughout this file
    w      the weights of the rows of the pool, in records         w₀     the weights before the descent, all equal
    y, σ²  a noisy count and the variance of its noise             m      the same count by w
    n      the sum of the weights

The descent minimizes Σ (m − y)²/2 + τ·σ²·KL(w, w₀): the noise in y would otherwise go into the weights.

Main declarations
    Pool         rows of cells with their weights
    pool_of      the pool of noisy pairs
    chow_liu     the tree
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import compress, decompressobj, error

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from privpac.data.sample import Ints
from privpac.exact.entropy import Entropy, entropy
from privpac.exact.shuffles import shuffled
from privpac.release.pairs import TINY, Floats, NoisyPairs, Pair, column_pairs, numbers_of

MOST_ROWS, MOST_NUMBERS = 100_000, 16_000_000  # of the pool; of rows × pairs
ROWS_PER_RECORD, FEWEST_ROWS = 16, 2000
STEPS, STEP = 120, 0.2  # of the descent
PRIOR = 0.015  # τ
MOST_WEIGHT = 2**62  # of all rows, in millionths of a record
MOST_OCTETS = 2**28  # of a file's rows
PARTS = 10**6  # weights are whole numbers of millionths of a record


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
        """The pool again; ValueError if the texts do not hold one."""
        try:
            held, weighed = np.frombuffer(_octets(rows), np.uint8), np.frombuffer(_octets(weights), "<i8")
        except (error, ValueError):
            raise ValueError("this text does not hold the rows of a pool") from None
        if len(held) != width * len(weighed) or (weighed < 0).any() or weighed.sum() > MOST_WEIGHT:
            raise ValueError("this is not a pool of rows with their weights")
        return Pool(held.reshape(width, -1).T, weighed.astype(np.int64))


def pool_of(pairs: NoisyPairs) -> Pool:
    """The weighted pool; equal pairs have equal pools, since nothing private is decided here."""
    size = min(MOST_ROWS, MOST_NUMBERS // len(pairs.pairs), max(int(ROWS_PER_RECORD * pairs.total), FEWEST_ROWS))
    rows = tree_rows(pairs, size, entropy(0))
    weights = np.rint(PARTS * descent(pairs, rows)).astype(np.int64)
    return Pool(rows[weights > 0], weights[weights > 0])


def chow_liu(tables: Sequence[Floats], pairs: Sequence[Pair], width: int) -> list[Pair]:
    """The edges (parent, child) of the tree with the most information, parents first [CL68].

    >>> chow_liu([np.eye(2), np.ones((2, 2)), np.ones((2, 2)) + np.eye(2)], [(0, 1), (0, 2), (1, 2)], 3)
    [(0, 1), (1, 2)]
    """
    told = {pair: information(table) for pair, table in zip(pairs, tables, strict=True)}
    inside, edges = {0}, list[Pair]()
    while len(inside) < width:
        best = max((pair for pair in pairs if (pair[0] in inside) != (pair[1] in inside)), key=told.__getitem__)
        parent, child = best if best[0] in inside else best[::-1]
        edges.append((parent, child))
        inside.add(child)
    return edges


def information(table: Floats) -> float:
    """The mutual information of two columns, in nats.

    >>> information(np.eye(2)) == np.log(2), information(np.ones((2, 2)))
    (np.True_, 0.0)
    """
    whole = max(table.sum(), TINY)
    alone = np.outer(table.sum(axis=1), table.sum(axis=0)) / whole
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / alone[seen])).sum() / whole)


def tree_rows(pairs: NoisyPairs, size: int, coins: Entropy) -> NDArray[np.int64]:
    """Rows from the distribution of the tree; a cell gets its share of the rows of its parent, rounded up or down."""
    tables, width = dict(zip(pairs.pairs, pairs.shrunk, strict=True)), len(pairs.shape)
    rows = np.zeros((size, width), dtype=np.int64)
    rows[:, 0] = _shares(pairs.singles[0], size, coins)
    for parent, child in chow_liu(pairs.shrunk, pairs.pairs, width):
        table = tables[parent, child] if parent < child else tables[child, parent].T
        for cell in range(pairs.shape[parent]):
            here = np.flatnonzero(rows[:, parent] == cell)
            rows[here, child] = _shares(table[cell], len(here), coins)
    return rows


def _shares(weights: Floats, size: int, coins: Entropy) -> NDArray[np.intp]:
    """``size`` numbers in random order, each as often as its weight says, rounded up or down."""
    ends = np.cumsum(weights + TINY)
    found = np.searchsorted(ends, (np.arange(size) + 0.5) * (ends[-1] / max(size, 1)), side="right")
    return np.asarray(np.minimum(found, len(weights) - 1)[shuffled(size, coins)])


def descent(pairs: NoisyPairs, rows: NDArray[Any]) -> Floats:
    """The weights: mirror descent with momentum, which starts anew whenever a step led uphill.

    The logarithm of a weight is the sum of the potentials of the row's pairs of cells.
    """
    n, member = pairs.total, membership(rows, pairs.shape)
    scale, y = max(n, 1.0), np.concatenate([table.ravel() for table in pairs.consistent])
    potential, speed, last, k = np.zeros(len(y)), np.zeros(len(y)), np.inf, 0
    for _ in range(STEPS):
        off = _weights(member @ potential, n) @ member - y
        loss = float(off @ off)
        speed, k = (speed, k) if loss <= last else (np.zeros(len(y)), 0)
        last, k = loss, k + 1
        speed = k / (k + 3) * speed - STEP / scale * (off + PRIOR * pairs.variance * potential)
        potential = potential + speed
    return _weights(member @ potential, n)


def membership(rows: NDArray[Any], shape: Sequence[int]) -> csr_array:
    """Which pairs of cells each row lies in, in the order of ``pair_counts``.

    >>> membership(np.array([[0, 1], [1, 1]]), (2, 2)).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    pairs = column_pairs(len(shape))
    first = np.append(0, np.cumsum([shape[i] * shape[j] for i, j in pairs]))
    inside = np.stack([numbers_of(rows, shape, pair) + at for pair, at in zip(pairs, first, strict=False)], axis=1)
    entries, ends = np.ones(inside.size), np.arange(len(rows) + 1) * len(pairs)
    return csr_array((entries, inside.ravel(), ends), shape=(len(rows), int(first[-1])))


def _weights(tilt: Floats, total: float) -> Floats:
    weights = np.exp(tilt - tilt.max())
    return np.asarray(weights * (total / weights.sum()))


def _text(array: NDArray[Any]) -> str:
    return b64encode(compress(array.tobytes())).decode("ascii")


def _octets(text: str) -> bytes:
    return decompressobj().decompress(b64decode(text, validate=True), MOST_OCTETS)
