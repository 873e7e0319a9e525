"""Rows whose combinations of cells are as frequent as noisy counts say. Only released numbers are read here.

[CL68]  docs/references.bib

The strongest dependences that form a tree give a distribution of rows; rows drawn from it are the pool. Mirror descent
(release/descent.py) then weighs the rows so that all tables come close to the noisy ones.

Main declarations
    Pool         rows of cells with their weights
    pool_of      the pool of noisy tables
    chow_liu     the tree
    tree_rows    rows of the tree
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple
from zlib import compress, decompressobj, error

import numpy as np
from numpy.typing import NDArray

from privpac.data.refusal import InOtherWords
from privpac.data.sample import Ints
from privpac.exact.entropy import Entropy, entropy
from privpac.exact.shuffles import shuffled
from privpac.release.consistency import Floats
from privpac.release.descent import descent
from privpac.release.noisy_tables import TINY, NoisyTables, Pair

MOST_ROWS, MOST_NUMBERS = 200_000, 16_000_000  # of the pool; of rows × tables
ROWS_PER_RECORD, FEWEST_ROWS = 16, 2000
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
        with InOtherWords(lambda _: ValueError("this text does not hold the rows of a pool"), (error, ValueError)):
            held, weighed = np.frombuffer(_octets(rows), np.uint8), np.frombuffer(_octets(weights), "<i8")
        if len(held) != width * len(weighed) or (weighed < 0).any() or weighed.sum(dtype=np.float64) > MOST_WEIGHT:
            raise ValueError(
                "this pool does not have the columns of the table; if an earlier version of privpac released a table "
                "of one column, read the file with that version"
            )
        return Pool(held.reshape(width, -1).T, weighed.astype(np.int64))


def pool_of(tables: NoisyTables) -> Pool:
    """The weighted pool; equal tables have equal pools, since nothing private is decided here."""
    size = min(MOST_ROWS, MOST_NUMBERS // len(tables.noisy), max(int(ROWS_PER_RECORD * tables.total), FEWEST_ROWS))
    rows = tree_rows(tables, size, entropy(0))
    weights = np.rint(PARTS * descent(tables, rows)).astype(np.int64)
    return Pool(rows[weights > 0], weights[weights > 0])


def chow_liu(tables: Mapping[Pair, Floats], width: int) -> list[tuple[int | None, int]]:
    """The edges (parent, child) of the tree with the most information, parents first; None for a first column [CL68].

    Columns that no table connects make several trees.

    >>> chow_liu({(0, 1): np.eye(2), (0, 2): np.ones((2, 2)), (1, 2): np.ones((2, 2)) + np.eye(2)}, 4)
    [(None, 0), (0, 1), (1, 2), (None, 3)]
    """
    told = {pair: information(table) for pair, table in tables.items()}
    inside, edges = set[int](), list[tuple[int | None, int]]()
    while len(inside) < width:
        near = [pair for pair in told if (pair[0] in inside) != (pair[1] in inside)]
        best = max(near, key=told.__getitem__, default=(None, min({*range(width)} - inside)))
        edges.append(best if best[0] is None or best[0] in inside else (best[1], best[0]))
        inside.add(edges[-1][1])
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


def tree_rows(tables: NoisyTables, size: int, coins: Entropy) -> NDArray[np.int64]:
    """Rows from the distribution of the tree; a cell gets its share of the rows of its parent, rounded up or down."""
    width = len(tables.shape)
    rows = np.zeros((size, width), dtype=np.int64)
    for parent, child in chow_liu(tables.shrunk, width):
        if parent is None:
            rows[:, child] = _shares(tables.singles[child], size, coins)
            continue
        table = tables.shrunk[parent, child] if parent < child else tables.shrunk[child, parent].T
        for cell in range(tables.shape[parent]):
            here = np.flatnonzero(rows[:, parent] == cell)
            rows[here, child] = _shares(table[cell], len(here), coins)
    return rows


def _shares(weights: Floats, size: int, coins: Entropy) -> NDArray[np.intp]:
    """``size`` numbers in random order, each as often as its weight says, rounded up or down."""
    ends = np.cumsum(weights + TINY)
    found = np.searchsorted(ends, (np.arange(size) + 0.5) * (ends[-1] / max(size, 1)), side="right")
    return np.asarray(np.minimum(found, len(weights) - 1)[shuffled(size, coins)])


def _text(array: NDArray[Any]) -> str:
    return b64encode(compress(array.tobytes())).decode("ascii")


def _octets(text: str) -> bytes:
    return decompressobj().decompress(b64decode(text, validate=True), MOST_OCTETS)
