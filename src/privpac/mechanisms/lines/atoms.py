"""Atoms: values that many records share, with noisy counts.

A split tree needs many records to follow a value down to a cell of its own, because its threshold rises with each
level. Here every value gets noise, and large noisy counts are shown: among W values, ln(W)/x records are enough.

The noise is skewed. A substitution takes a record from one value and adds one to another, so the steep tail is paid for
once, and so is the flat one. Few values without records are shown; an atom may be shown with fewer than it has.

proof: docs/proofs/split_tree.md, Theorem 4

Throughout this file
    cells    public stretches of the line, by their first values ``starts``; those of a single value are left out
    W        the number of values of a cell
    c(v)     the number of records with the value v
    G, H     geometric numbers of the rates x and y: Pr[G = g] ∝ e^(−x·g) for g ≥ 0
    Z        noise, G − H: Pr[Z = z] ∝ e^(−x·z) for z ≥ 0, and ∝ e^(y·z) for z ≤ 0
    T        ``least``: a noisy count is shown if it is at least T. Of W values, about one has G ≥ T
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import ceil, exp, expm1, log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.samples.sample import InOrder, Ints
from privpac.exact.biased_coins import head_count, heads, power_of_e
from privpac.exact.bulk_noise import FEW
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers
from privpac.exact.samplers import geometrics
from privpac.exact.subsets import distinct_numbers
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.noise.gaussian import jointly
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball

STEEP = Fraction(2, 3)  # x/ε: measured
RARE = 2  # ln of how much likelier a cell is to have no atom than to have one: measured
MOST = 2**62  # the largest T: gaps to counts are then machine integers
FARTHEST = 700.0  # exponents are cut to ± this


class Atom(NamedTuple):
    """A value, and how many records have it, with noise."""

    value: int
    noisy: int


class Reached(NamedTuple):
    """A value with c(v) + G ≥ T, and the larger one of c(v) and T. What c(v) + G exceeds it by is geometric again."""

    value: int
    most: int
    least: int  # T


@dataclass(frozen=True)
class Atoms(Mechanism):
    """The values with noisy counts of at least T, in order; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> heaped = InOrder.of(np.array([700] * 3000 + [2**40] * 2000, dtype=np.uint64), None)
    >>> atoms = Atoms(Budget(1), LineTree(2**64), starts=(0, 2**32, 2**50)).release(heaped, SYSTEM)
    >>> [value for value, noisy in atoms if noisy > 1000]
    [700, 1099511627776]
    """

    cost: Budget
    tree: LineTree
    starts: tuple[int, ...]
    name: ClassVar[str] = "atoms"
    theorem: ClassVar[str] = "split tree, Theorem 4"

    def __post_init__(self) -> None:
        if self.least(self.tree.size) > MOST:
            raise ValueError("ε is too small for atoms on this line")

    @property
    def steep(self) -> Fraction:
        """x, the rate of noise above 0."""
        return STEEP * self.cost.epsilon

    @property
    def flat(self) -> Fraction:
        """y, the rate of noise below 0."""
        return (1 - STEEP) * self.cost.epsilon

    def least(self, width: int) -> int:
        """T in a cell of W values, about ln(W)/x."""
        return max(1, ceil(log(width) / float(self.steep)))

    @cached_property
    def _cells(self) -> tuple[Integers, Integers, Ints]:
        """The first and the last values of the cells, and T in each."""
        low, high = wide_cells(self.tree, self.starts)
        widths = (last - first + 1 for first, last in zip(low.tolist(), high.tolist(), strict=True))
        return low, high, np.array([self.least(width) for width in widths], dtype=np.int64)

    def release(self, data: InOrder, coins: Entropy) -> tuple[Atom, ...]:
        reached = [*self._without_records(data, coins), *self._with_records(data, coins)]
        # How many these are is private, so noise for a few of them takes as long as for FEW.
        G, H = (geometrics(rate, max(len(reached), FEW), coins).tolist() for rate in (self.steep, self.flat))
        noisy = ((Atom(v, most + g - h), T) for (v, most, T), g, h in zip(reached, G, H, strict=False))
        return tuple(sorted(atom for atom, T in noisy if atom.noisy >= T))

    def _without_records(self, data: InOrder, coins: Entropy) -> Iterator[Reached]:
        """The values without records that have G ≥ T.

        They are drawn among all values, in a time that does not depend on the records; those with records are dropped.
        """
        drawn = []
        for first, last, T in zip(*(each.tolist() for each in self._cells), strict=True):
            number = head_count(last - first + 1, partial(power_of_e, -self.steep * T), coins)
            drawn += [(first + place, T) for place in distinct_numbers(number, last - first + 1, coins)]
        values = self.tree.numbers([v for v, _ in drawn])
        occupied = data.up_to(values) > data.below(values)
        return (Reached(v, T, T) for (v, T), other in zip(drawn, occupied.tolist(), strict=True) if not other)

    def _with_records(self, data: InOrder, coins: Entropy) -> Iterator[Reached]:
        """The values with records that have c(v) + G ≥ T."""
        (values, counts), (low, high, least) = data.runs, self._cells
        cell = _cells_of(values, low, high)
        inside = (cell >= 0) & (counts > 0)
        values, counts, T = values[inside], counts[inside], least[cell[inside]]
        reach = heads(np.maximum(T - counts, 0), self.steep, coins)
        return map(Reached, *(each[reach].tolist() for each in (values, np.maximum(counts, T), T)))

    def records(self, noisy: int, most: int, width: int) -> float:
        """About how many records an atom has, by its noisy count, if its cell of ``width`` values holds ``most``.

        That is the mean of its noisy count without noise, times the chance that it is an atom at all.
        """
        odds = float(self.steep) * min(noisy, most) - log(width) - RARE
        return max(noisy - _mean(self.steep) + _mean(self.flat), 0.0) / (1 + exp(min(-odds, FARTHEST)))

    def law(self, data: InOrder, reach: int = 1) -> dict[tuple[Atom | None, ...], arb]:
        """The exact law of what is shown of each value of the cells; None is nothing. For small lines.

        Noisy counts of T + ``reach`` and more are merged.
        """
        counts = dict(zip(*(each.tolist() for each in data.runs), strict=True))
        cells = zip(*(each.tolist() for each in self._cells), strict=True)
        with ctx.workprec(128):
            laws = [self._law_of(v, counts.get(v, 0), T, reach) for low, high, T in cells for v in range(low, high + 1)]
            return jointly(laws)

    def _law_of(self, v: int, c: int, T: int, reach: int) -> dict[Atom | None, arb]:
        """The law of what is shown of one value."""
        at_least = [skewed_tail(self.steep, self.flat, k - c) for k in range(T, T + reach + 1)]
        law: dict[Atom | None, arb] = {None: skewed_tail(self.flat, self.steep, c - T + 1)}
        law |= {Atom(v, T + i): p - q for i, (p, q) in enumerate(pairwise(at_least))}
        return law | {Atom(v, T + reach): at_least[-1]}


def skewed_tail(x: Fraction, y: Fraction, least: int) -> arb:
    """Pr[Z ≥ least], as a ball at the working precision. −Z has the rates y and x."""
    up, down = (-ball(x)).exp(), (-ball(y)).exp()
    if least >= 0:
        return up**least * (1 - down) / (1 - up * down)
    return 1 - down ** (1 - least) * (1 - up) / (1 - up * down)


def _mean(rate: Fraction) -> float:
    """The mean of a geometric number."""
    return 1 / expm1(min(float(rate), FARTHEST))


def heaviest(data: InOrder, tree: LineTree, starts: tuple[int, ...], floor: int, width: int = 2) -> int:
    """The most records that share a value of a cell with ``width`` values or more, or ``floor`` ≥ 1 if these are fewer.

    A substitution changes it by at most 1. With a floor of 2s − 1, we look at every s-th record in order and count only
    the values that two neighboring ones of these share: every value of more than 2s − 1 records is among them.

    >>> values = InOrder.of(np.array([0] * 9 + [5] * 7 + [6] * 2, dtype=np.uint64), None)
    >>> [heaviest(values, LineTree(8), starts, floor) for starts in ((0,), (0, 1)) for floor in (1, 5, 8)]
    [9, 9, 9, 7, 7, 8]
    """
    some = data.values[:: max(1, (floor + 1) // 2)] if data.totals is None else data.values.repeat(2)
    values = np.unique(some[1:][some[1:] == some[:-1]])
    inside = values[_cells_of(values, *wide_cells(tree, starts, width)) >= 0]
    counts = data.up_to(inside) - data.below(inside)
    return int(counts.max(initial=floor))


def wide_cells(tree: LineTree, starts: tuple[int, ...], width: int = 2) -> tuple[Any, Any]:
    """The first and the last values of the cells with at least ``width`` values."""
    low, high = tree.numbers(list(starts)), tree.numbers([*(start - 1 for start in starts[1:]), tree.size - 1])
    wide = np.asarray(high - low >= tree.numbers([width - 1]), dtype=bool)
    return low[wide], high[wide]


def _cells_of(values: Integers, low: Integers, high: Integers) -> NDArray[np.intp]:
    """The number of the cell from ``low`` to ``high`` in which each value lies, or −1."""
    cell = np.searchsorted(low, values, side="right") - 1
    inside = cell >= 0
    inside[inside] = values[inside] <= high[cell[inside]]
    return np.where(inside, cell, -1)
