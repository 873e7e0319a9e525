"""The cells of a column: values that no concept of a class on the column tells apart.

Cells are public: they follow from the class. Every declared value lies in exactly one of them. Values are represented
by codes, their numbers in the domain.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn, patterns_of
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.concept_class import Codes, ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.values.declared_values import DeclaredCuts
from privpac.classes.values.points import OneOf
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.refusals.refusal import Refused, RefusedType

MOST_CELLS = 2**12  # the most cells of a column


@dataclass(frozen=True)
class Cells:
    """The cells of ``column``, numbered 0, 1, …; codes from ``starts[i]`` to the next start lie in cell ``homes[i]``.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> ages = cells_of(Thresholds(0, 120).on("age", values=(18, 65)))
    >>> [str(rule) for rule in ages.rules], ages.numbers_of(np.array([17, 18, 120])).tolist()
    (['0 ≤ age ≤ 17', '18 ≤ age ≤ 64', '65 ≤ age ≤ 120'], [0, 1, 2])
    """

    column: str | int
    domain: Domain
    parts: tuple[Hypothesis, ...]  # the rule of each cell, about a value
    starts: tuple[int, ...] = field(repr=False)
    homes: tuple[int, ...] = field(repr=False)  # the cell of each run; saved files contain this name, so it must stay

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise((*self.starts, self.domain.size)))
        if not rising or self.starts[:1] != (0,) or len(self.homes) != len(self.starts):
            raise ValueError("runs of values must be in order and begin at 0, and every run lies in a cell")
        if not set(self.homes) == {*range(self.size)}:
            raise ValueError("every run must lie in one of the cells, and every cell must have a run")
        ColumnRule(self.parts[0], self.column)  # refuses a column that is neither a name nor a position

    @property
    def size(self) -> int:
        return len(self.parts)

    @property
    def rules(self) -> tuple[ColumnRule, ...]:
        """The rule of each cell, about the column."""
        return tuple(ColumnRule(part, self.column) for part in self.parts)

    @cached_property
    def number_of_part(self) -> dict[Hypothesis, int]:
        """The number of the cell that each of ``parts`` describes."""
        return {part: i for i, part in enumerate(self.parts)}

    @property
    def names(self) -> list[Hashable]:
        """Each cell as an entry of a table: the value if it has only one, otherwise its rule as text."""
        return [_name(part, rule) for part, rule in zip(self.parts, self.rules, strict=True)]

    def numbers_of(self, codes: Codes) -> NDArray[np.intp]:
        """The number of the cell in which each code lies."""
        starts = np.array(self.starts, dtype=object if self.domain.size > 2**63 else np.int64)
        runs = np.searchsorted(starts, codes.astype(starts.dtype), side="right") - 1
        return np.asarray(np.array(self.homes, dtype=np.intp)[runs])

    def runs(self, cell: int) -> list[tuple[int, int]]:
        """The first code and the last code of every run of a cell."""
        spans = pairwise((*self.starts, int(self.domain.size)))
        return [(first, stop - 1) for (first, stop), home in zip(spans, self.homes, strict=True) if home == cell]


def cells_of(part: ConceptClass) -> Cells:
    """The cells of a class on a column: parts of a line, or declared values that all concepts treat alike."""
    if not isinstance(part, OnColumn):
        raise RefusedType("part", "every part must read a column of its own, such as Thresholds(0, 120).on('age')")
    if part.missing:
        return _with_missing(cells_of(replace(part, missing=False, na=())), part)
    on_values, domain = part.concept_class, part.domain.columns[0]
    if not domain.numbered:
        declare = "declare the values of every column, such as Points().on('job', values=('clerk', 'nurse'))"
        raise Refused("part", f"the values of column {part.column!r} are not declared; {declare}")
    if domain.line is not None:
        return line_cells(part.column, domain.line, on_values.starts if isinstance(on_values, DeclaredCuts) else None)
    if domain.size > MOST_CELLS:
        raise Refused("part", _too_many(part.column, "values"), "declare fewer")
    values = domain.listed()
    labels, _ = patterns_of(on_values, values)
    # Values with equal columns of labels form a cell. Cells are numbered in the order of their first values.
    _, first, pattern = np.unique(labels, axis=1, return_index=True, return_inverse=True)
    number_of_pattern = np.argsort(np.argsort(first))
    homes = number_of_pattern[pattern.reshape(-1)].tolist()
    members = [frozenset(v for v, home in zip(values, homes, strict=True) if home == i) for i in range(len(first))]
    return Cells(part.column, domain, tuple(map(OneOf, members)), tuple(range(len(values))), tuple(homes))


def _with_missing(cells: Cells, part: OnColumn) -> Cells:
    """The cells of a column, and one more for missing entries, whose code follows all others."""
    domain = part.domain.columns[0]
    parts, starts = (*cells.parts, part.absence.part), (*cells.starts, int(cells.domain.size))
    return Cells(cells.column, domain, parts, starts, (*cells.homes, cells.size))


def line_cells(column: str | int, line: Line, starts: tuple[int, ...] | None) -> Cells:
    """The cells of a line: its parts from each of ``starts`` to the next, or all of its values if that is None."""
    if line.kind == "string":
        text = f"column {column!r} is a line of text, whose parts have no rule; declare its values instead"
        raise Refused("part", text)
    if starts is None:
        if line.size > MOST_CELLS:
            declare = "declare cuts, such as Thresholds(0, 120).on('age', values=(18, 65))"
            raise Refused("part", _too_many(column, "cells"), declare)
        starts = tuple(range(line.size))
    # "finest" means no step. On a line with a step, a number stands for all values up to the next multiple of the step,
    # so the rule of a single number is an interval, too.
    intervals = Intervals(line.low, line.high, step="finest" if line.step is None else line.step, zone=line.zone)
    spans = pairwise((*starts, line.size))
    parts: list[Hypothesis] = [
        OneOf(frozenset([line.decode(a)])) if stop == a + 1 and line.step is None else intervals.at(a, stop - 1)
        for a, stop in spans
    ]
    return Cells(column, line, tuple(parts), starts, tuple(range(len(starts))))


def _too_many(column: str | int, what: str) -> str:
    """The first half of a refusal: the column has too many values or cells (``what``); callers add what to declare."""
    return f"column {column!r} has more than {MOST_CELLS} {what}; "


def _name(part: Hypothesis, rule: Hypothesis) -> Hashable:
    if isinstance(part, OneOf) and len(part.values) == 1:
        return next(iter(part.values))
    return str(rule)
