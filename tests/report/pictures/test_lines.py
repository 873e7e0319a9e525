"""Lines with cuts."""

import re
from datetime import date
from decimal import Decimal

import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.picture_shapes import CutLine
from privpac.data.domains.line import Line
from privpac.report.pictures.lines import LENGTH, START, cut_line
from privpac.report.pictures.shapes import WIDTH
from tests.grid import over


def parts(strip):
    """x, width and class of each part of the line."""
    found = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', "".join(strip.shapes))
    return [(float(x), float(width), kind) for kind, x, width in found]


def texts(strip):
    return re.findall(r">([^<]+)</text>", "".join(strip.shapes))


@over(
    ("domain", "cut", "share"),
    [
        (Line(0, 100), 25, 0.25),
        (Line(0, 2**64), 2**63, 0.5),
        (Line(-1.0, 1.0), 0.5, 0.75),
        (Thresholds(kind="float64", direction="above").domain, 0.0, 0.5),
        (Line(Decimal("0.00"), Decimal("1.00")), Decimal("0.75"), 0.75),
        (Line(date(2026, 1, 1), date(2026, 1, 11)), date(2026, 1, 6), 0.5),
        (Line("A", "Z"), "K", 0.5),
    ],
)
def test_the_cut_stands_where_it_belongs(domain, cut, share):
    (x, width, no), (_, rest, yes) = parts(cut_line(CutLine(domain, "x", (cut,), (False, True))))
    assert (no, yes) == ("no", "yes")
    assert x == START
    assert width == pytest.approx(LENGTH * share, abs=0.1)
    assert width + rest == pytest.approx(LENGTH, abs=0.2)


def test_what_is_not_to_scale_says_so():
    assert "not to scale" not in texts(cut_line(CutLine(Line(0, 100), "x", (50,), (False, True))))
    assert "not to scale" in texts(cut_line(CutLine(Line(0, 100), "x", (1,), (False, True))))
    assert "not to scale" in texts(cut_line(CutLine(Line("A", "Z"), "x", ("K",), (False, True))))
    assert "not to scale" in texts(cut_line(CutLine(None, "x", (3,), (False, True))))


@over("ends", [(0, 0), (0, 100), (99, 100), (100, 100), (50, 51)])
def test_every_part_of_an_interval_can_be_seen(ends):
    strip = cut_line(CutLine(Line(0, 100), None, ends, (False, True, False)))
    assert all(width > 10 for _, width, _ in parts(strip))
    assert sum(width for _, width, _ in parts(strip)) == pytest.approx(LENGTH, abs=0.3)


def test_names_of_cuts_that_touch_stand_together():
    assert "50 … 51" in texts(cut_line(CutLine(Line(0, 100), None, (50, 51), (False, True, False))))
    assert {"10", "90"} <= set(texts(cut_line(CutLine(Line(0, 100), None, (10, 90), (False, True, False)))))
    assert texts(cut_line(CutLine(Line(0, 99), None, (5, 5), (False, True, False)))).count("5") == 1


def test_long_numbers_are_short_at_the_ends():
    assert "1.84e+19" in texts(cut_line(CutLine(Line(0, 2**64 - 1), "key", (2**63,), (False, True))))


@pytest.mark.parametrize(("high", "told"), [(2**2000, "1.15e+602"), (10**4999, "1.00e+4999")], ids=["602", "4999"])
def test_numbers_beyond_all_floats_are_drawn(high, told):
    drawn = cut_line(CutLine(Line(-high, high), "key", (high // 2,), (False, True)))
    assert {told, f"−{told}"} <= set(texts(drawn))


def test_a_cut_beyond_its_line_stands_at_its_end():
    """A file may pair any cut with any line."""
    beyond, last = (cut_line(CutLine(Line(0, 9), None, (cut,), (False, True))) for cut in (10**4000, 9))
    assert beyond.shapes[:3] == last.shapes[:3]


def test_text_that_nobody_can_read_is_short():
    top = chr(0x10FFFF)
    told = texts(cut_line(CutLine(Line("", top * 16), "key", ("WN\x00" + top * 9,), (False, True))))
    assert {"&gt; WN", "&#x27;\\U0010ffff&#x27;…"} <= set(told)


def test_names_stay_on_the_picture():
    strip = cut_line(CutLine(Line(0, 2**64 - 1), "x" * 100, (2**64 - 1,), (False, True)))
    places = [float(x) for x in re.findall(r'<text [^>]*x="([\d.]+)"', "".join(strip.shapes))]
    assert all(0 <= x <= WIDTH for x in places)
