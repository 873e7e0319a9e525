"""The risks of regions as bars with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privpac.learners.errors.risks import LabelRegion, Region
from privpac.report.pictures.shapes import LETTER, WIDTH, Picture, Strip, bar, label, line, short, stacked

ROW = 46  # pixels of a region: its sentence, and its bar below
NUMBER_ROOM = 128  # pixels on the right for a risk with its interval
LENGTH = WIDTH - NUMBER_ROOM
LETTERS = int(WIDTH / LETTER) + 6  # letters of a sentence


def draw_risks(regions: Sequence[Region], positive: str) -> Picture:
    """A bar for each region, as long as its risk, with the interval on it; filled where the rule says ``positive``.

    >>> draw_risks([Region("age ≥ 48", 0.31, 0.27, 0.35, 0.2, label=1)], "yes").svg.count("whisker")
    4
    """
    shapes = [shape for i, region in enumerate(regions) for shape in _row(region, i * ROW)]
    return stacked(
        [Strip(len(regions) * ROW + 8, tuple(shapes))], f"how likely {positive} is in each region of the rule"
    )


def _filled(region: Region) -> str:
    return "yes" if region.label or isinstance(region, LabelRegion) else "no"


def _row(region: Region, y: float) -> Iterator[str]:
    low, high = (LENGTH * share for share in (region.low, region.high))
    middle = y + 31
    yield label(0, y + 16, short(region.sentence, LETTERS))
    yield bar(0, y + 23, LENGTH, 16, "empty", radius=2)
    yield bar(0, y + 23, max(LENGTH * region.risk, 0.5), 16, _filled(region), radius=2)
    yield line(low, middle, high, middle, "whisker")
    yield from (line(x, middle - 5, x, middle + 5, "whisker") for x in (low, high))
    yield label(WIDTH, y + 36, region.numbers, "number", "end")
