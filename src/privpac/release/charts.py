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
from privpac.data.values.value_text import value_text

MOST_BARS = 30  # keys or prefixes in a chart
MOST_SIDE = 16  # rows or columns of a heat map
DEPENDENCE = "% dependence"  # the unit of a heat map of columns
DIGITS = re.compile(r"((?:(?<![\w.])-)?[0-9]{1,300}(?:\.[0-9]{1,300})?)")  # a minus sign stands before, not between
MOST_PAIRS_DRAWN = 3  # pairs of columns, each with a heat map of its own


@dataclass(frozen=True)
class Bars:
    """Names with their counts; ``more`` keys are not drawn."""

    name: str
    bars: tuple[tuple[str, int], ...]
    more: int = 0
    unlisted: bool = False


class Prefix(NamedTuple):
    """A prefix of a tree: how many steps it has, its name, and how many records have it."""

    depth: int
    name: str
    records: int


@dataclass(frozen=True)
class CountTree:
    """Prefixes, each after the one that it continues; ``more`` are not drawn."""

    name: str
    prefixes: tuple[Prefix, ...]
    more: int = 0
    unlisted: bool = False


@dataclass(frozen=True)
class Steps:
    """Some numbers of a line, in order, and how many records lie below each; ``marks`` are quantiles with their shares.

    Between two of the numbers, the count rises evenly.
    """

    name: str
    line: Line
    numbers: tuple[int, ...]
    below: tuple[int, ...]
    marks: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True)
class HeatMap:
    """A table of numbers; None where nothing is shown. ``unit`` says what they count."""

    across: str
    down: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    numbers: tuple[tuple[int | None, ...], ...]
    unit: str = "records"
    unlisted: bool = False


Chart = Bars | CountTree | Steps | HeatMap


def key_bars(name: str, keys: Sequence[tuple[Hashable, ...]], counts: Sequence[int], *, unlisted: bool = False) -> Bars:
    """The bars of all keys, or of the most frequent ones.

    >>> key_bars("carrier", [("EV",), ("UA",)], [300, 700]).bars
    (('EV', 300), ('UA', 700))
    """
    chosen = range(len(keys)) if len(keys) <= MOST_BARS else nlargest(MOST_BARS, range(len(keys)), counts.__getitem__)
    bars = tuple((" · ".join(map(value_text, keys[i])), counts[i]) for i in chosen)
    return Bars(name, bars, len(keys) - len(bars), unlisted)


def heaviest(
    name: str, depths: Sequence[int], counts: Sequence[int], named: Callable[[int], str], *, unlisted: bool = False
) -> CountTree:
    """The prefixes with the largest counts, and all those that they continue; ``named`` names a prefix by its place.

    >>> heaviest("code", [1, 2], [700, 500], ["J", "J1"].__getitem__).prefixes[1]
    Prefix(depth=2, name='J1', records=500)
    """
    above: list[int] = []  # the path to a prefix, by position
    parents: list[int | None] = []
    for i, depth in enumerate(depths):
        while above and depths[above[-1]] >= depth:
            above.pop()
        parents.append(above[-1] if above else None)
        above.append(i)
    chosen: set[int] = set()
    for i in nlargest(MOST_BARS, range(len(counts)), counts.__getitem__):
        path: set[int] = set()
        at: int | None = i
        while at is not None and at not in chosen:
            path.add(at)
            at = parents[at]
        if len(chosen | path) <= MOST_BARS:
            chosen |= path
    drawn = tuple(Prefix(depths[i], named(i), counts[i]) for i in sorted(chosen))
    return CountTree(name, drawn, len(counts) - len(drawn), unlisted)


def crosstab(
    names: tuple[str, str], counts: Mapping[tuple[Hashable, ...], int], *, unlisted: bool = False
) -> HeatMap | None:
    """The counts of pairs; None if rows or columns are too many.

    Declared values keep their order. Others arrive by falling counts, so they are sorted into their natural order.

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
    """Numbers by size, also those inside texts; texts as in a dictionary."""
    parts = DIGITS.split(value_text(value).replace("−", "-"))
    return tuple((0, float(each), "") if i % 2 else (1, 0.0, each.casefold()) for i, each in enumerate(parts) if each)


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
            value_text(each).replace(f" ≤ {column} ≤ ", " … ").replace(f" ≤ {column} < ", " … <") for each in cells
        )
        return ChartColumn(str(column), tuple(short))


def pair_charts(columns: Sequence[ChartColumn], tables: Mapping[tuple[int, int], Ints]) -> tuple[HeatMap, ...]:
    """If there are many pairs, how much each two columns depend on each other; then the most dependent pairs.

    >>> columns = [ChartColumn("a", ("0", "1")), ChartColumn("b", ("0", "1"))]
    >>> pair_charts(columns, {(0, 1): np.array([[5, 0], [0, 5]])})[0].numbers
    ((5, 0), (0, 5))
    """
    strength = {pair: _dependence(table) for pair, table in tables.items()}
    few = [pair for pair in tables if all(1 < len(columns[i].cells) <= MOST_SIDE for i in pair)]
    drawn = [
        HeatMap(columns[j].name, columns[i].name, columns[j].cells, columns[i].cells, _rows(tables[i, j]))
        for i, j in nlargest(MOST_PAIRS_DRAWN, few, strength.__getitem__)
    ]
    if len(tables) <= MOST_PAIRS_DRAWN or len(columns) > MOST_SIDE:
        return tuple(drawn)
    names = tuple(each.name for each in columns)
    each = range(len(columns))
    percent = {key: round(100 * share) for (i, j), share in strength.items() for key in ((i, j), (j, i))}
    shares = tuple(tuple(percent.get((i, j)) for j in each) for i in each)
    return (HeatMap("", "", names, names, shares, DEPENDENCE), *drawn)


def table_charts(columns: Sequence[ChartColumn], tables: Mapping[tuple[int, ...], Ints]) -> tuple[Chart, ...]:
    """The charts of tables: those of pairs of columns if there are any, otherwise bars of single columns."""
    pairs = {(chosen[0], chosen[1]): table for chosen, table in tables.items() if len(chosen) == 2}
    if pairs:
        return pair_charts(columns, pairs)
    some = enumerate(columns[:MOST_PAIRS_DRAWN])
    return tuple(key_bars(name, [(cell,) for cell in cells], tables[i,].tolist()) for i, (name, cells) in some)


def table_subject(names: Sequence[str], order: int) -> str:
    """What tables of at most ``order`` columns answer.

    >>> table_subject(["sex", "job"], 2), table_subject(["a", "b", "c", "d"], 2)
    ('How many records have each combination of sex and job', \
'How many records have each combination of at most 2 of 4 columns')
    """
    named = " and ".join(names) if len(names) < 4 else f"{len(names)} columns"
    what = "value" if min(order, len(names)) == 1 else "combination"
    some = f"at most {order} of " * (1 < order < len(names))
    return f"How many records have each {what} of {some}{named}"


def _rows(table: Ints) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())


def _dependence(table: Ints) -> float:
    """The distance in total variation from the table with the same sums of rows and columns and without dependence."""
    total = max(float(table.sum()), 1.0)
    alone = np.multiply.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(np.abs(table - alone).sum() / (2 * total))
