"""Shapes in the picture of a rule, as plain values: a hypothesis lists its shapes, and privpac.report draws them.

Shapes are stacked from top to bottom. Positive parts are filled; negative parts are hollow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.data.domains.line import Line

MOST_DRAWN = 12  # the most names, or steps of a path, in one picture
Corner = tuple[Fraction | int, Fraction | int]  # coordinates (x, y)


@dataclass(frozen=True)
class CutLine:
    """A line, cut where the label changes."""

    line: Line | None  # None: its ends are not known
    name: str | None  # the name of the column; None: not known
    cuts: tuple[Any, ...]  # the values at which a new part begins, from low to high
    labels: tuple[bool, ...]  # the labels of the parts, from low to high: one more than there are cuts


@dataclass(frozen=True)
class Plane:
    """The square from ``low`` to ``high`` in both columns, with its positive part."""

    corners: tuple[Corner, ...]  # the corners of the positive part, in order around it
    low: int
    high: int
    names: tuple[str, ...]  # the names of the two columns


@dataclass(frozen=True)
class DrawnPath:
    """The steps of a path: with ``above``, all are positive; otherwise, only the last one and everything below it."""

    steps: tuple[str, ...]
    above: bool


@dataclass(frozen=True)
class Pills:
    """Names in rounded frames, each with its label."""

    entries: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class DrawnTree:
    """A test, and what follows: another test, or a leaf with its label (a text if there are more than two labels)."""

    test: str
    yes: DrawnTree | bool | str  # where the test holds
    no: DrawnTree | bool | str  # where it does not


@dataclass(frozen=True)
class DrawnWeights:
    """The weight of each column: positive weights favor the positive label, negative ones the other."""

    normal: tuple[int, ...]  # the weights: the normal vector of a half-space
    names: tuple[str, ...]


@dataclass(frozen=True)
class DrawnPoints:
    """A scorecard: a record collects points from tests, and is positive if it has ``enough``."""

    tests: tuple[tuple[str, int], ...]  # each test in words, and the points for passing it
    enough: int


@dataclass(frozen=True)
class Title:
    """The name of a column."""

    name: str


@dataclass(frozen=True)
class Word:
    """A word between shapes."""

    word: str


Shape = CutLine | Plane | DrawnPath | Pills | DrawnTree | DrawnWeights | DrawnPoints | Title | Word


def titled(columns: Sequence[str]) -> tuple[Shape, ...]:
    """The name of the first column, if there is one."""
    return tuple(map(Title, columns[:1]))


def drawn_together(word: str, parts: Iterable[Sequence[Shape]]) -> tuple[Shape, ...]:
    """The shapes of all parts in turn, with ``word`` between two parts."""
    return tuple(shape for part in parts for shape in (Word(word), *part))[1:]  # no word before the first part
