"""Noisy tables made consistent with each other. Only released numbers are read here.

proof: docs/proofs/marginals.md, Lemma 3

Throughout this file
    S, T, U    sets of columns; a set has a table of counts, one for each combination of cells of its columns
    g_T        the effect of T: the part of T's table that no smaller set of columns explains. Its mean along each
               column is 0
    alike      for T ⊆ S, how many cells of S's table belong to one cell of T's: they differ in other columns alone

The table of U is the sum over T ⊆ U of g_T, where each number is divided evenly among the cells of U that belong to its
cell of T. So tables agree with each other if they have the same g. The noise of all counts has the same variance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ColumnSet = tuple[int, ...]  # columns, in increasing order


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of tables: g_T for every subset T of their sets, an array with an axis for each column of T."""

    shape: tuple[int, ...]
    parts: Mapping[ColumnSet, Floats]

    @property
    def total(self) -> float:
        """The number of records in all cells."""
        return float(self.parts[()])

    @property
    def rank(self) -> int:
        """The degrees of freedom of all tables together, without the total."""
        return sum(prod(self.shape[i] - 1 for i in T) for T in self.parts if T)

    def table(self, columns: ColumnSet) -> Floats:
        """The table of these columns, with an axis for each."""
        counts = np.zeros([self.shape[i] for i in columns])
        for T in _subsets(columns):
            alike = prod(self.shape[i] for i in columns if i not in T)
            counts += _spread_out(self.parts[T], T, columns) / alike
        return counts


def consistent_effects(tables: Mapping[ColumnSet, Floats], shape: Sequence[int], total: float | None = None) -> Effects:
    """The effects that fit noisy tables best, by least squares; ``total`` is the number of all records, if it is known.

    >>> pairs = {(0, 1): np.array([[30.0, 10], [0, 60]]), (1, 2): np.array([[25.0, 5], [1, 69]])}
    >>> both = consistent_effects(pairs, (2, 2, 2), total=100)
    >>> both.table((0, 1)).sum(axis=0).tolist() == both.table((1, 2)).sum(axis=1).tolist() == both.table((1,)).tolist()
    True
    """
    sums: dict[ColumnSet, Any] = defaultdict(float)
    weights: dict[ColumnSet, float] = defaultdict(float)
    for S, table in tables.items():
        for T in _subsets(S):
            alike = prod(shape[i] for i in S if i not in T)
            # S estimates g_T by alike·effect, with a variance proportional to alike. So its weight is 1/alike, and
            # weight times estimate is the effect.
            sums[T] = sums[T] + _effect(table, S, T)
            weights[T] += 1 / alike
    parts = {T: np.asarray(sums[T] / weights[T]) for T in sums}
    if total is not None:
        parts[()] = np.asarray(float(total))
    return Effects(tuple(shape), parts)


def _effect(table: Floats, S: ColumnSet, T: ColumnSet) -> Floats:
    """The part of a table that depends on exactly the columns T: averaged along the others, centered along these."""
    effect = table.mean(axis=tuple(i for i, column in enumerate(S) if column not in T))
    for axis in range(len(T)):
        effect = effect - effect.mean(axis=axis, keepdims=True)
    return np.asarray(effect)


def _spread_out(part: Floats, T: ColumnSet, columns: ColumnSet) -> Floats:
    """``part`` with an axis for each of ``columns``, of length 1 for those that are not in T."""
    sides = iter(part.shape)
    return part.reshape([next(sides) if column in T else 1 for column in columns])


def _subsets(columns: ColumnSet) -> list[ColumnSet]:
    return [T for k in range(len(columns) + 1) for T in combinations(columns, k)]


def nonnegative(values: Floats, total: float) -> Floats:
    """The nearest numbers that are not negative and have the sum ``total``: the Euclidean projection onto a simplex.

    >>> nonnegative(np.array([5.0, 3.0, -4.0]), 6.0).tolist()
    [4.0, 2.0, 0.0]
    """
    flat = values.reshape(-1)
    falling = np.sort(flat)[::-1]
    over = (np.cumsum(falling) - total) / np.arange(1, len(flat) + 1)
    last = np.flatnonzero(falling >= over)[-1]  # the first entry always qualifies, since total ≥ 0
    return np.asarray(np.maximum(flat - over[last], 0).reshape(values.shape))


def as_tables(flat: NDArray[Any], sets: Sequence[ColumnSet], shape: Sequence[int]) -> dict[ColumnSet, Floats]:
    """The tables, by their columns, whose counts a flat array lists one after another."""
    sides = [[shape[i] for i in columns] for columns in sets]
    parts = np.split(np.asarray(flat, dtype=np.float64), np.cumsum([prod(side) for side in sides])[:-1])
    return {columns: part.reshape(side) for columns, part, side in zip(sets, parts, sides, strict=True)}
