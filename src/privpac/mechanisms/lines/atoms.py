"""Atoms: values that many records share, at most one in each cell of a line.

A split tree needs many records to follow a value down to a cell of its own, because its threshold rises with each
level. Here the value is drawn at once: among W values, about 2·ln(W)/ε records are enough.

proof: docs/proofs/split_tree.md, Theorem 4

Throughout this file
    cells    public stretches of the line, by their first values ``starts``; those of a single value are left out
    W        the number of values of a cell
    c(v)     the number of records with the value v
    τ        ``least``: "no atom" weighs as much as W values that τ records share
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import InOrder, Ints
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, Weights, draw, probabilities
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.noise.gaussian import jointly
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism


@dataclass(frozen=True)
class Atoms(Mechanism):
    """In each cell, v with probability ∝ e^(ε·c(v)/2), or no atom with probability ∝ W·e^(ε·τ/2); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> heaped = InOrder.of(np.array([700] * 300 + [2**40] * 200, dtype=np.uint64), None)
    >>> Atoms(Budget(1), LineTree(2**64), starts=(0, 2**32, 2**50), least=20).release(heaped, SYSTEM)
    (700, 1099511627776)
    """

    cost: Budget
    tree: LineTree
    starts: tuple[int, ...]
    least: int  # τ
    name: ClassVar[str] = "atoms"
    theorem: ClassVar[str] = "split tree, Theorem 4"

    def release(self, data: InOrder, coins: Entropy) -> tuple[int, ...]:
        drawn = (cell.draw_atom(coins) for cell in self._cells(data))
        return tuple(atom for atom in drawn if atom is not None)

    def law(self, data: InOrder) -> dict[tuple[int | None, ...], arb]:
        """The exact law of the atoms of all cells; None is no atom. For small lines."""
        with ctx.workprec(128):
            return jointly(cell.law() for cell in self._cells(data))

    def _cells(self, data: InOrder) -> Iterator[Cell]:
        values, counts = data.runs
        low, high = wide_cells(self.tree, self.starts)
        places = zip(np.searchsorted(values, low), np.searchsorted(values, high, side="right"), strict=True)
        for first, last, (i, j) in zip(low.tolist(), high.tolist(), places, strict=True):
            yield Cell(self, first, last, values[i:j], counts[i:j])


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell with more than one value, the values that records have in it, and how many have each."""

    atoms: Atoms
    low: int
    high: int
    values: Integers
    counts: Ints

    @property
    def weights(self) -> Weights:
        """Groups: no atom, the values without records, then each value with records."""
        width, seen = self.high - self.low + 1, len(self.values)
        members = [width, width - seen, *[1] * seen]
        return Weights(np.append([self.atoms.least, 0], self.counts), self.atoms.cost.half_epsilon, members)

    def draw_atom(self, coins: Entropy) -> int | None:
        """The atom, or None."""
        group = draw(self.weights, coins)
        if group == 0:
            return None
        return self._unseen(coins.below(self._unseen_count)) if group == 1 else self._at(group)

    def law(self) -> dict[int | None, arb]:
        """The probability of each outcome."""
        none, unseen, *seen = probabilities(self.weights)
        law: dict[int | None, arb] = {None: none}
        law |= {self._unseen(rank): unseen / self._unseen_count for rank in range(self._unseen_count)}
        return law | {self._at(2 + i): p for i, p in enumerate(seen)}

    def _at(self, group: int) -> int:
        return int(self.values[group - 2])

    @property
    def _unseen_count(self) -> int:
        """The number of values of the cell without records."""
        return self.high - self.low + 1 - len(self.values)

    def _unseen(self, rank: int) -> int:
        """The value without records that has ``rank`` others below it in the cell."""
        low, number = self.atoms.tree.numbers([self.low, rank])
        before = self.values - low - np.arange(len(self.values)).astype(self.values.dtype)
        return self.low + rank + int(np.searchsorted(before, number, side="right"))


def heaviest(data: InOrder, tree: LineTree, starts: tuple[int, ...], floor: int, width: int = 2) -> int:
    """The most records that share a value, at least ``floor`` ≥ 1. Cells of fewer than ``width`` values are ignored.

    A substitution changes it by at most 1. With a floor of 2s − 1, we look at every s-th record in order and count only
    values that two neighbors among these share: every value of more than 2s − 1 records is such a value.

    >>> values = InOrder.of(np.array([0] * 9 + [5] * 7 + [6] * 2, dtype=np.uint64), None)
    >>> [heaviest(values, LineTree(8), starts, floor) for starts in ((0,), (0, 1)) for floor in (1, 5, 8)]
    [9, 9, 9, 7, 7, 8]
    """
    sampled = data.values[:: max(1, (floor + 1) // 2)] if data.totals is None else data.values.repeat(2)
    values = np.unique(sampled[1:][sampled[1:] == sampled[:-1]])
    low, high = wide_cells(tree, starts, width)
    cell = np.searchsorted(low, values, side="right") - 1
    inside = cell >= 0
    inside[inside] = values[inside] <= high[cell[inside]]
    counts = data.up_to(values[inside]) - data.below(values[inside])
    return int(counts.max(initial=floor))


def wide_cells(tree: LineTree, starts: tuple[int, ...], width: int = 2) -> tuple[Any, Any]:
    """The first and the last values of the cells with at least ``width`` values."""
    low, high = tree.numbers(list(starts)), tree.numbers([*(start - 1 for start in starts[1:]), tree.size - 1])
    wide = np.asarray(high - low >= tree.numbers([width - 1]), dtype=bool)
    return low[wide], high[wide]
