"""A table of numbers as a heat map: the larger the number, the stronger the color."""

from __future__ import annotations

from collections.abc import Iterator

from privpac.release.charts import HeatMap
from privpac.report.numbers import grouped
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, label, short, text_width

LEAST_ROOM, MOST_ROOM = 64, 176  # pixels for the names of rows
SMALL_LETTER, LINE = 7.4, 15  # pixels: the width of a small letter, and the height of a line of them
UPRIGHT, LINES = 44, 3  # the most letters of a turned name, and the most lines of the name of a row
FAINTEST = 0.06  # the opacity of a cell that counts 0
STRONG = 0.7  # numbers in cells this strong or stronger have the color of text on a filled part


def heat_map(chart: HeatMap, unseen: int | None = None) -> Strip:
    """The table; cells without a number are dashed, and their true count is at most ``unseen``.

    Long names of rows take several lines; long names of columns are turned.

    >>> strip = heat_map(HeatMap("job", "sex", ("clerk", "nurse"), ("f", "m"), ((3, None), (0, 5))))
    >>> "".join(strip.shapes).count('class="empty')
    1
    """
    longest_name = max(map(text_width, (*chart.rows, chart.down)))
    room = min(max(LEAST_ROOM, SMALL_LETTER * longest_name + 10), MOST_ROOM)
    side = (WIDTH - room) / len(chart.columns)
    names = [_lines(name, int((room - 10) / SMALL_LETTER)) for name in chart.rows]
    height = max(min(max(side, 22), 34), LINE * max(map(len, names)) + 6)
    longest = max(map(text_width, chart.columns))
    flat = SMALL_LETTER * longest <= side - 4  # names of columns need not be turned
    top = 24 * bool(chart.across) + (22 if flat else SMALL_LETTER * min(longest, UPRIGHT) + 12)
    numbers = [number for row in chart.numbers for number in row if number is not None]
    roomy = all(SMALL_LETTER * len(grouped(number)) <= side - 4 for number in numbers)  # numbers fit into cells
    largest = max([1, *numbers])
    shapes = [
        label(0, top - 8, short(chart.down, int((room - 6) / LETTER)), "strong"),
        label(room, 14, short(chart.across, int((WIDTH - room) / LETTER)), "strong"),
    ]
    shapes += [_column(name, room + side * i, side, top, flat) for i, name in enumerate(chart.columns)]
    for j, (name, row) in enumerate(zip(names, chart.numbers, strict=True)):
        y = top + height * j
        first = y + height / 2 + 5 - LINE * (len(name) - 1) / 2
        shapes += [label(0, first + LINE * k, part, "number") for k, part in enumerate(name)]
        for i, number in enumerate(row):
            shapes += _cell(number, largest, (room + side * i, y, side, height), roomy)
    bottom = top + height * len(chart.rows)
    shapes += _legend_of(chart, largest, LEAST_ROOM, bottom + 12)
    if chart.unlisted and unseen is not None:
        shapes.append(label(LEAST_ROOM, bottom + 44, f"dashed or not listed: at most {grouped(unseen)}", "faint"))
        bottom += 22
    return Strip(bottom + 34, tuple(shapes))


def _lines(name: str, letters: int) -> list[str]:
    """The name in lines of at most ``letters`` letters, broken at spaces where possible.

    >>> _lines("a long name of a row", 8), _lines("Antidisestablishment", 9)
    (['a long', 'name of', 'a row'], ['Antidises', 'tablishme', 'nt'])
    """
    lines: list[str] = []
    remainder = name
    while remainder and len(lines) < LINES:
        if text_width(remainder) <= letters or len(lines) == LINES - 1:
            lines.append(short(remainder, letters))
            break
        fitting = max((i for i in range(1, len(remainder)) if text_width(remainder[:i]) <= letters), default=1)
        space = remainder.rfind(" ", 1, fitting + 1)
        end = fitting if space < 1 else space
        lines.append(remainder[:end])
        remainder = remainder[end:].lstrip(" ")
    return lines or [""]


def _column(name: str, x: float, side: float, top: float, flat: bool) -> str:
    if flat:
        return label(x + side / 2, top - 8, name, "faint", "middle")
    text = label(0, 0, short(name, UPRIGHT), "faint")
    return f'<g transform="translate({x + side / 2 + 4:.1f} {top - 6:.1f}) rotate(-90)">{text}</g>'


def _cell(number: int | None, largest: int, place: tuple[float, float, float, float], roomy: bool) -> Iterator[str]:
    x, y, width, height = place
    box = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{width - 2:.1f}" height="{height - 2:.1f}" rx="2"'
    if number is None:
        yield f'<rect class="empty dashed" {box}/>'
        return
    strength = max(number, 0) / largest
    yield f'<rect class="heat" fill-opacity="{_opacity(strength)}" {box}/>'
    if roomy:
        kind = "number on" if strength >= STRONG else "number"
        yield label(x + width / 2, y + height / 2 + 4.5, grouped(number), kind, "middle")


def _opacity(strength: float) -> str:
    return f"{FAINTEST + (1 - FAINTEST) * strength:.2f}"


def _legend_of(chart: HeatMap, largest: int, x: float, y: float) -> Iterator[str]:
    for i in range(6):
        place = f'x="{x + 14 * i:.1f}" y="{y:.1f}" width="14" height="10"'
        yield f'<rect class="heat" fill-opacity="{_opacity(i / 5)}" {place}/>'
    yield label(x - 6, y + 9, "0", "faint", "end")
    yield label(x + 90, y + 9, f"{grouped(largest)} {chart.unit}", "faint")
