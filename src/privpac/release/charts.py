"""The charts of a release, as plain values: answers list their charts, and privpac.report draws them with their bounds.

Throughout this file
    unlisted   keys that are not listed may have records, too, because nobody declared all of them

Main declarations
    Bars           keys and their counts
    CountTree      prefixes and their counts, each below the prefix that it continues
    Steps          how many records lie below each value of a line
    HeatMap        a number for every pair of rows and columns
    Chart          one of these
    key_bars       the bars of the largest counts
    heaviest       the part of a tree with the largest counts
    crosstab       the heat map of the counts of pairs, if rows and columns are few
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

from privpac.data.line import Line
from privpac.data.values import shown

MOST_BARS = 30  # keys or prefixes in a chart
MOST_SIDE = 16  # rows or columns of a heat map


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
    bars = tuple((" · ".join(map(shown, keys[i])), counts[i]) for i in chosen)
    return Bars(name, bars, len(keys) - len(bars), unlisted)


def heaviest(name: str, prefixes: Sequence[Prefix], *, unlisted: bool = False) -> CountTree:
    """The prefixes with the largest counts, and all those that they continue.

    >>> heaviest("code", [Prefix(1, "J", 700), Prefix(2, "J1", 500)]).more
    0
    """
    above: list[int] = []  # the path to a prefix, by position
    parents: list[int | None] = []
    for i, prefix in enumerate(prefixes):
        del above[[prefixes[j].depth < prefix.depth for j in above].count(True) :]
        parents.append(above[-1] if above else None)
        above.append(i)
    kept: set[int] = set()
    for i in nlargest(MOST_BARS, range(len(prefixes)), lambda i: prefixes[i].records):
        path: set[int] = set()
        at: int | None = i
        while at is not None and at not in kept:
            path.add(at)
            at = parents[at]
        if len(kept | path) <= MOST_BARS:
            kept |= path
    drawn = tuple(prefixes[i] for i in sorted(kept))
    return CountTree(name, drawn, len(prefixes) - len(drawn), unlisted)


def crosstab(
    names: tuple[str, str], counts: Mapping[tuple[Hashable, ...], int], *, unlisted: bool = False
) -> HeatMap | None:
    """The counts of pairs, in the order in which rows and columns first appear; None if they are too many.

    >>> crosstab(("sex", "job"), {("f", "clerk"): 3, ("m", "nurse"): 5}).numbers
    ((3, None), (None, 5))
    """
    rows, columns = (list(dict.fromkeys(key[i] for key in counts)) for i in (0, 1))
    if not 1 < len(rows) <= MOST_SIDE or not 1 < len(columns) <= MOST_SIDE:
        return None
    numbers = tuple(tuple(counts.get((row, column)) for column in columns) for row in rows)
    return HeatMap(names[1], names[0], tuple(map(shown, columns)), tuple(map(shown, rows)), numbers, unlisted=unlisted)
