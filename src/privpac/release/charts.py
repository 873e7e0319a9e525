"""The charts of a release, as plain values: answers list their charts, and the report draws them with their bounds.

Throughout this file
    unlisted   keys that are not listed may have records, too, because nobody declared all of them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

import numpy as np

from privpac.data.domains.line import Line
from privpac.data.samples.sample import Ints
from privpac.data.values.value_text import entry_text, value_text

MOST_BARS = 30  # keys or prefixes in a chart
MOST_SIDE = 16  # rows or columns of a heat map
DEPENDENCE = "% dependence"  # the unit of a heat map of columns
# A number in a text. A minus sign counts only where no letter, digit, or point precedes it.
DIGITS = re.compile(r"((?:(?<![\w.])-)?[0-9]{1,300}(?:\.[0-9]{1,300})?)")
MOST_DRAWN = 3  # heat maps of pairs of columns, or bar charts of single columns


@dataclass(frozen=True)
class Bars:
    """A bar for each name and its count, such as ("EV", 300); ``more`` keys are not drawn."""

    name: str
    bars: tuple[tuple[str, int], ...]
    more: int = 0
    unlisted: bool = False


class Prefix(NamedTuple):
    """A prefix in a tree: how many steps it has, its name, and how many records have it."""

    depth: int
    name: str
    records: int


@dataclass(frozen=True)
class CountTree:
    """Prefixes in preorder: each comes after the prefix that it extends. ``more`` prefixes are not drawn."""

    name: str
    prefixes: tuple[Prefix, ...]
    more: int = 0
    unlisted: bool = False


@dataclass(frozen=True)
class Steps:
    """How many records lie ``below`` some numbers of a line, in order; between two of them, the count rises evenly."""

    name: str
    line: Line
    numbers: tuple[int, ...]
    below: tuple[int, ...]
    marks: tuple[tuple[float, int], ...] = ()  # quantiles: a share of the records, and its number on the line


@dataclass(frozen=True)
class HeatMap:
    """A table of numbers; None where nothing is shown. ``unit`` says what they count."""

    across: str  # the title of the columns
    down: str  # the title of the rows
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    numbers: tuple[tuple[int | None, ...], ...]
    unit: str = "records"
    unlisted: bool = False


class Range(NamedTuple):
    """A number of a group with its interval; ``quarters`` are its quartiles, empty if they are not known."""

    name: str
    value: float
    low: float
    high: float
    quarters: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ranges:
    """A number for each group, such as a mean; ``more`` groups are not drawn."""

    name: str
    ranges: tuple[Range, ...]
    more: int = 0


Chart = Bars | CountTree | Steps | HeatMap | Ranges


def key_bars(name: str, keys: Sequence[tuple[Hashable, ...]], counts: Sequence[int], *, unlisted: bool = False) -> Bars:
    """The bars of all keys, or of the most frequent ones.

    >>> key_bars("carrier", [("EV",), ("UA",)], [300, 700]).bars
    (('EV', 300), ('UA', 700))
    """
    chosen = range(len(keys)) if len(keys) <= MOST_BARS else nlargest(MOST_BARS, range(len(keys)), counts.__getitem__)
    bars = tuple((" · ".join(map(entry_text, keys[i])), counts[i]) for i in chosen)
    return Bars(name, bars, len(keys) - len(bars), unlisted)


def count_tree(
    name: str, depths: Sequence[int], counts: Sequence[int], name_of: Callable[[int], str], *, unlisted: bool = False
) -> CountTree:
    """The prefixes with the largest counts, and all prefixes that they extend.

    Prefixes are numbered in preorder; number i has ``depths[i]`` steps and the name ``name_of(i)``.

    >>> count_tree("code", [1, 2], [700, 500], ["J", "J1"].__getitem__).prefixes[1]
    Prefix(depth=2, name='J1', records=500)
    """
    above: list[int] = []  # the numbers of the prefixes that the current one extends
    parents: list[int | None] = []
    for i, depth in enumerate(depths):
        while above and depths[above[-1]] >= depth:
            above.pop()
        parents.append(above[-1] if above else None)
        above.append(i)
    chosen: set[int] = set()
    for i in nlargest(MOST_BARS, range(len(counts)), counts.__getitem__):
        path: set[int] = set()
        ancestor: int | None = i
        while ancestor is not None and ancestor not in chosen:
            path.add(ancestor)
            ancestor = parents[ancestor]
        if len(chosen | path) <= MOST_BARS:
            chosen |= path
    drawn = tuple(Prefix(depths[i], name_of(i), counts[i]) for i in sorted(chosen))
    return CountTree(name, drawn, len(counts) - len(drawn), unlisted)


def crosstab(
    names: tuple[str, str], counts: Mapping[tuple[Hashable, ...], int], *, unlisted: bool = False
) -> HeatMap | None:
    """The counts of pairs of values; None if there are too few or too many rows or columns for a heat map.

    Declared values keep their order. Others are listed by falling counts, so they are sorted into their natural order.

    >>> crosstab(("sex", "job"), {("f", "clerk"): 3, ("m", "nurse"): 5}).numbers
    ((3, None), (None, 5))
    >>> crosstab(("month", "sex"), {(10, "m"): 5, (9, "f"): 4}, unlisted=True).rows
    ('9', '10')
    """
    rows, columns = (list(dict.fromkeys(key[i] for key in counts)) for i in (0, 1))
    if unlisted:
        rows, columns = sorted(rows, key=_natural), sorted(columns, key=_natural)
    if not 1 < len(rows) <= MOST_SIDE or not 1 < len(columns) <= MOST_SIDE:
        return None
    numbers = tuple(tuple(counts.get((row, column)) for column in columns) for row in rows)
    return HeatMap(
        names[1], names[0], tuple(map(value_text, columns)), tuple(map(value_text, rows)), numbers, unlisted=unlisted
    )


def _natural(value: Hashable) -> tuple[tuple[int, float, str], ...]:
    """The key that sorts numbers by size, also those inside texts, and texts as in a dictionary."""
    parts = DIGITS.split(value_text(value).replace("−", "-"))
    # ``split`` alternates between texts and the numbers between them.
    return tuple((0, float(part), "") if i % 2 else (1, 0.0, part.casefold()) for i, part in enumerate(parts) if part)


class ChartColumn(NamedTuple):
    """A column and the names of its cells."""

    name: str
    cells: tuple[str, ...]

    @staticmethod
    def of(column: Hashable, cells: Sequence[Hashable]) -> ChartColumn:
        """A column whose cells are values, or sentences about it, which are shortened.

        >>> ChartColumn.of("age", ["0 ≤ age ≤ 17", "18 ≤ age ≤ 64", "64.5 ≤ age < 99"]).cells
        ('0 … 17', '18 … 64', '64.5 … <99')
        """
        short = (
            value_text(cell).replace(f" ≤ {column} ≤ ", " … ").replace(f" ≤ {column} < ", " … <") for cell in cells
        )
        return ChartColumn(str(column), tuple(short))


def pair_charts(columns: Sequence[ChartColumn], tables: Mapping[tuple[int, int], Ints]) -> tuple[HeatMap, ...]:
    """The heat maps of the most dependent pairs; with many pairs, first one that shows how much each pair depends.

    >>> columns = [ChartColumn("a", ("0", "1")), ChartColumn("b", ("0", "1"))]
    >>> pair_charts(columns, {(0, 1): np.array([[5, 0], [0, 5]])})[0].numbers
    ((5, 0), (0, 5))
    """
    dependence = {pair: _dependence(table) for pair, table in tables.items()}
    drawable = [pair for pair in tables if all(1 < len(columns[i].cells) <= MOST_SIDE for i in pair)]

    def heat_map(i: int, j: int) -> HeatMap:
        (across, heads), (down, rows) = columns[j], columns[i]
        return HeatMap(across, down, heads, rows, tuple(map(tuple, tables[i, j].tolist())))

    heat_maps = (heat_map(*pair) for pair in nlargest(MOST_DRAWN, drawable, dependence.__getitem__))
    if len(tables) <= MOST_DRAWN or len(columns) > MOST_SIDE:
        return tuple(heat_maps)
    names, width = tuple(column.name for column in columns), range(len(columns))
    percent = {key: round(100 * share) for (i, j), share in dependence.items() for key in ((i, j), (j, i))}
    overview = tuple(tuple(percent.get((i, j)) for j in width) for i in width)
    return (HeatMap("", "", names, names, overview, DEPENDENCE), *heat_maps)


def table_charts(columns: Sequence[ChartColumn], tables: Mapping[tuple[int, ...], Ints]) -> tuple[Chart, ...]:
    """The charts of tables: those of pairs of columns if there are any, otherwise bars of single columns."""
    pairs = {(chosen[0], chosen[1]): table for chosen, table in tables.items() if len(chosen) == 2}
    if pairs:
        return pair_charts(columns, pairs)
    drawn = enumerate(columns[:MOST_DRAWN])
    return tuple(key_bars(name, [(cell,) for cell in cells], tables[i,].tolist()) for i, (name, cells) in drawn)


def table_subject(names: Sequence[str], order: int) -> str:
    """The question that tables of at most ``order`` of these columns answer.

    >>> table_subject(["sex", "job"], 2), table_subject(["a", "b", "c", "d"], 2)
    ('How many records have each combination of sex and job', \
'How many records have each combination of at most 2 of 4 columns')
    """
    columns = " and ".join(names) if len(names) < 4 else f"{len(names)} columns"
    entry = "value" if min(order, len(names)) == 1 else "combination"
    choice = f"at most {order} of " * (1 < order < len(names))
    return f"How many records have each {entry} of {choice}{columns}"


def _dependence(table: Ints) -> float:
    """The total-variation distance from the independent table with the same row and column sums."""
    total = max(float(table.sum()), 1.0)
    independent = np.multiply.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(np.abs(table - independent).sum() / (2 * total))
