"""Bar charts with error margins: of released counts of keys or prefixes, of means, and of the risks of regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from privpac.learners.errors.risks import LabelRegion, Region
from privpac.release.charts import Bars, CountTree, Prefix, Range, Ranges
from privpac.report.numbers import grouped, number_text
from privpac.report.pictures.shapes import LETTER, WIDTH, Picture, Strip, bar, elbow, label, line, short, stacked

BAR_ROW, INDENT = 24, 12  # pixels: the height of a row, and the indent for each step of a prefix
DEEPEST_INDENT = 6  # steps; deeper prefixes are not indented further
NAME_ROOM, COUNT_ROOM = 136, 84  # pixels for names on the left and for numbers on the right
BAR_LENGTH = WIDTH - NAME_ROOM - COUNT_ROOM
RISK_ROW = 46  # pixels of a region: its sentence, and its bar below
RISK_ROOM = 128  # pixels on the right for a risk with its interval
RISK_LENGTH = WIDTH - RISK_ROOM
SENTENCE_LETTERS = int(WIDTH / LETTER) + 6  # letters of a sentence


class CountMargins(NamedTuple):
    """Bounds on true counts; None if they are unknown."""

    shown: int | None  # the largest error of a count that was released
    unseen: int | None  # the largest true count of a key that was not released


def count_bars(chart: Bars | CountTree, margins: CountMargins, n: int, most: int) -> Strip:
    """A row for each key, but at most ``most``: its name, a bar with the margin at its end, and its count.

    Further rows say how many keys are left out, and how large the count of any other key may be.

    >>> strip = count_bars(Bars("carrier", (("EV", 300), ("UA", 700)), unlisted=True), CountMargins(27, 54), 1000, 30)
    >>> "".join(strip.shapes).count("<rect"), "any other value" in "".join(strip.shapes)
    (3, True)
    """
    keys = chart.prefixes if isinstance(chart, CountTree) else [Prefix(1, name, count) for name, count in chart.bars]
    rows, more = keys[:most], chart.more + len(keys[most:])
    unseen = margins.unseen if chart.unlisted else None
    largest = max([1, *(key.records + (margins.shown or 0) for key in rows), unseen or 0])
    scale = BAR_LENGTH / (min(largest, n) or 1)
    title = [label(0, 14, short(chart.name, 40), "strong")] if chart.name else []
    y, shapes = 24.0 * bool(title), list(title)
    for key in rows:
        shapes += _row(key, y, scale, margins.shown, n)
        y += BAR_ROW
    if more:
        shapes.append(label(0, y + 16, f"and {grouped(more)} more", "faint"))
        y += BAR_ROW
    if unseen is not None:
        shapes += _unseen("value" if isinstance(chart, Bars) else "code", y, scale, unseen, bool(rows))
        y += BAR_ROW
    return Strip(y + 14, tuple(shapes))


def _row(key: Prefix, y: float, scale: float, margin: int | None, n: int) -> Iterator[str]:
    """The row of one key; a prefix is indented below the prefix that it continues."""
    indent = INDENT * min(key.depth - 1, DEEPEST_INDENT)
    if indent:
        yield elbow(indent - 7, y, y + 12, indent - 1)
    yield label(indent, y + 16, short(key.name, int((NAME_ROOM - 6 - indent) / LETTER)))
    yield bar(NAME_ROOM, y + 4, max(scale * key.records, 0.5), BAR_ROW - 8, "yes", radius=2)
    if margin:
        low, high = (NAME_ROOM + scale * min(max(key.records + side, 0), n) for side in (-margin, margin))
        yield from _whisker(low, high, y + BAR_ROW / 2)
    yield label(WIDTH, y + 16, grouped(key.records), "number", "end")


def _whisker(low: float, high: float, y: float, reach: float = 4) -> Iterator[str]:
    """An interval with a mark at each end, which extends by ``reach`` above and below."""
    yield line(low, y, high, y, "whisker")
    yield from (line(x, y - reach, x, y + reach, "whisker") for x in (low, high))


def _unseen(what: str, y: float, scale: float, most: int, others: bool) -> Iterator[str]:
    """The row for any key without a row of its own; ``others`` says whether some keys have one."""
    yield label(0, y + 16, f"any {'other ' * others}{what}", "faint")
    yield bar(NAME_ROOM, y + 4, scale * most, BAR_ROW - 8, "no dashed", radius=2)
    yield label(WIDTH, y + 16, f"at most {grouped(most)}", "faint", "end")


def mean_rows(chart: Ranges, most: int) -> Strip:
    """A row for each group on one axis: a dot with its interval, and a band from the lower to the upper quartile.

    >>> strip = mean_rows(Ranges("mean stay", (Range("A", 5, 4, 6, (2, 4, 8)), Range("B", 9, 7, 11))), 30)
    >>> "".join(strip.shapes).count("<circle"), "".join(strip.shapes).count('class="band"')
    (2, 1)
    """
    rows, more = chart.ranges[:most], chart.more + len(chart.ranges[most:])
    ends = [end for group in rows for end in (group.low, group.high, *group.quarters)]
    first, last = min(ends), max(ends)
    right, scale = NAME_ROOM + BAR_LENGTH, BAR_LENGTH / ((last - first) or 1.0)
    y, shapes = 24.0, [label(0, 14, short(chart.name, 40), "strong")]
    for group in rows:
        shapes += _mean_row(group, y, first, scale)
        y += BAR_ROW
    shapes += [line(NAME_ROOM, y + 2, right, y + 2), label(NAME_ROOM, y + 17, number_text(first), "faint")]
    shapes.append(label(right, y + 17, number_text(last), "faint", "end"))
    if more:
        shapes.append(label(0, y + 17, f"and {grouped(more)} more", "faint"))
    return Strip(y + 30, tuple(shapes))


def _mean_row(group: Range, y: float, least: float, scale: float) -> Iterator[str]:
    """The row of one group."""
    middle = y + BAR_ROW / 2

    def x(number: float) -> float:
        return NAME_ROOM + scale * (number - least)

    yield label(0, y + 16, short(group.name, int((NAME_ROOM - 6) / LETTER)))
    if group.quarters:
        first, median, last = map(x, group.quarters)
        yield bar(first, y + 5, max(last - first, 1), BAR_ROW - 10, "band", radius=2)
        yield line(median, y + 5, median, y + BAR_ROW - 5, "curve")
    yield from _whisker(x(group.low), x(group.high), middle)
    yield f'<circle class="yes" cx="{x(group.value):.1f}" cy="{middle:.1f}" r="3.5"/>'
    yield label(WIDTH, y + 16, number_text(group.value), "number", "end")


def draw_risks(regions: Sequence[Region], positive: str) -> Picture:
    """A bar for each region, as long as its risk, with the interval on it; filled where the rule says ``positive``.

    >>> draw_risks([Region("age ≥ 48", 0.31, 0.27, 0.35, 0.2, label=1)], "yes").svg.count("whisker")
    4
    """
    shapes = [shape for i, region in enumerate(regions) for shape in _risk_row(region, i * RISK_ROW)]
    strip = Strip(len(regions) * RISK_ROW + 8, tuple(shapes))
    return stacked([strip], f"how likely {positive} is in each region of the rule")


def _risk_row(region: Region, y: float) -> Iterator[str]:
    low, high = (RISK_LENGTH * share for share in (region.low, region.high))
    kind = "yes" if region.label or isinstance(region, LabelRegion) else "no"
    yield label(0, y + 16, short(region.sentence, SENTENCE_LETTERS))
    yield bar(0, y + 23, RISK_LENGTH, 16, "empty", radius=2)
    yield bar(0, y + 23, max(RISK_LENGTH * region.risk, 0.5), 16, kind, radius=2)
    yield from _whisker(low, high, y + 31, 5)
    yield label(WIDTH, y + 36, region.numbers, "number", "end")
