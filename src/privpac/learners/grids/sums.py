"""Sums over the cells of a grid: what is labeled 1 by each combination of rules.

Throughout this file
    W        a number for each combination of cells
    G        the boolean function of a composition, as a table
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from privpac.data.samples.sample import Ints


class Labels(Protocol):
    """The rules of one part of a composition."""

    def sums(self, W: Ints, axis: int = 0) -> Ints:
        """For each rule, W summed over the cells of an axis that the rule labels 1."""


def running_totals(W: Ints, axis: int) -> Ints:
    """The sums over the first 0, 1, 2, … entries of an axis; slice by slice, which is faster than numpy's own sums.

    >>> running_totals(np.array([[1, 2], [3, 4]]), 0).tolist()
    [[0, 0], [1, 2], [4, 6]]
    """
    shape = list(W.shape)
    shape[axis] += 1
    totals = np.zeros(shape, dtype=np.int64)
    sums, terms = np.moveaxis(totals, axis, 0), np.moveaxis(W, axis, 0)
    if axis + 1 == W.ndim:
        np.cumsum(W, axis=axis, out=totals[..., 1:])
    else:
        for i, term in enumerate(terms):
            np.add(sums[i], term, out=sums[i + 1])
    return totals


def positive_sums(W: Ints, parts: Sequence[Labels], table: tuple[bool, ...]) -> Ints:
    """W summed over the cells that each G(h₁, …, h_k) labels 1: an axis for each part, behind those of W without one.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.data.domains.line import Line
    >>> from privpac.learners.grids.grids import PartRules, ColumnPart
    >>> part = PartRules(ColumnPart(Thresholds(0, 99, direction="above"), "delay"), Line(0, 99), 4)
    >>> positive_sums(np.array([1, 2, 3, 4]), (part,), table=(True, False)).tolist()
    [0, 1, 3, 6, 10]
    """
    k = len(parts)

    def from_part(i: int, W: Ints, table: tuple[bool, ...]) -> Ints | int:
        """The sums by parts i, i + 1, …; the axes before i have rules already in place of cells."""
        if not any(table):
            return 0
        if i == k:
            return W
        half, inside = len(table) // 2, parts[i].sums(W, i)
        second = from_part(i + 1, inside, table[half:])
        if not any(table[:half]):  # so it is for every part of a conjunction
            return second
        return from_part(i + 1, W.sum(axis=i, keepdims=True) - inside, table[:half]) + second

    sums = from_part(0, W, table)
    return np.moveaxis(sums, range(k), range(-k, 0)) if isinstance(sums, np.ndarray) else np.zeros((), dtype=np.int64)
