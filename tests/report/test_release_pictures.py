"""Pictures of releases: what is drawn, where, and with which bounds."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from privpac.classes.values.points import Points
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.paths import Paths
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from privpac.release.charts import Bars, CountTree, HeatMap, Prefix, Steps
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.histograms import KeyCounts
from privpac.release.private_release import PrivateRelease
from privpac.release.release import Guarantee, Release
from privpac.report.pictures.bars import BAR_LENGTH, NAME_ROOM, CountMargins, count_bars
from privpac.report.pictures.distributions import BOTTOM, LEFT, RIGHT, TOP, distribution
from privpac.report.pictures.heat_maps import heat_map
from privpac.report.pictures.shapes import WIDTH, stacked
from privpac.report.release_pictures import draw_release, margins_of

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "<b>&\"'\x00\ud800" + "x" * 300


def drawn(strip):
    return ET.fromstring(stacked([strip], "a release").svg.encode("utf-8", "backslashreplace"))


def texts(strip):
    return [each.text for each in drawn(strip).iter(f"{SVG}text")]


def boxes(strip, kind):
    return [each for each in drawn(strip).iter(f"{SVG}rect") if each.get("class").split()[0] == kind]


def test_bars_are_as_long_as_their_counts():
    strip = count_bars(Bars("", (("a", 900), ("b", 300))), CountMargins(100, None), 5000, 30)
    lengths = [float(each.get("width")) for each in boxes(strip, "yes")]
    assert lengths == pytest.approx([0.9 * BAR_LENGTH, 0.3 * BAR_LENGTH], abs=0.1)
    whisker = next(each for each in drawn(strip).iter(f"{SVG}line"))
    assert float(whisker.get("x1")) == pytest.approx(NAME_ROOM + 0.8 * BAR_LENGTH, abs=0.1)
    assert float(whisker.get("x2")) == pytest.approx(NAME_ROOM + BAR_LENGTH, abs=0.1)


def test_bounds_stay_between_none_and_all_records():
    strip = count_bars(Bars("", (("a", 5), ("b", 99))), CountMargins(27, None), 100, 30)
    ends = [(float(each.get("x1")), float(each.get("x2"))) for each in drawn(strip).iter(f"{SVG}line")]
    assert all(NAME_ROOM <= x <= NAME_ROOM + BAR_LENGTH + 0.1 for pair in ends for x in pair)


def test_the_last_bar_is_for_values_that_are_not_shown():
    keys = Bars("carrier", (("EV", 300),), more=99_970, unlisted=True)
    assert texts(count_bars(keys, CountMargins(27, 54), 1000, 30)) == [
        *("carrier", "EV", "300", "and 99,970 more", "any other value", "at most 54"),
    ]
    assert "any value" in texts(count_bars(Bars("", (), unlisted=True), CountMargins(27, 54), 1000, 30))
    declared = Bars("carrier", (("EV", 300),))
    assert texts(count_bars(declared, CountMargins(27, 54), 1000, 30)) == ["carrier", "EV", "300"]
    assert texts(count_bars(declared, CountMargins(None, None), 1000, 30)) == ["carrier", "EV", "300"]


def test_small_pictures_count_what_they_leave_out():
    strip = count_bars(Bars("", tuple((str(i), 9) for i in range(20)), more=5), CountMargins(1, None), 100, 8)
    assert len(boxes(strip, "yes")) == 8 and "and 17 more" in texts(strip)


def test_trees_are_indented():
    tree = CountTree("code", (Prefix(1, "J", 700), Prefix(2, "J1", 500), Prefix(40, "deep", 2)), unlisted=True)
    strip = count_bars(tree, CountMargins(9, 9), 1000, 30)
    places = {each.text: float(each.get("x")) for each in drawn(strip).iter(f"{SVG}text")}
    assert places["J"] == 0 < places["J1"] < places["deep"] < NAME_ROOM / 2 + 10
    assert "any other code" in places


def steps(line, numbers, below, marks=(), margin=20):
    return distribution(Steps("age", line, numbers, below, marks), margin, 1000)


def curve_of(strip):
    (curve,) = drawn(strip).iter(f"{SVG}polyline")
    return [tuple(map(float, point.split(","))) for point in curve.get("points").split()]


def test_the_curve_jumps_at_values_and_rises_in_cells():
    strip = steps(Line(0, 4), (0, 1, 5), (0, 600, 1000))
    high = BOTTOM - TOP
    step = (RIGHT - LEFT) / 4
    expected = [(LEFT, BOTTOM), (LEFT, BOTTOM - 0.6 * high), (LEFT + step, BOTTOM - 0.6 * high), (RIGHT, TOP)]
    assert curve_of(strip) == [pytest.approx(each, abs=0.1) for each in expected]


def test_the_band_is_the_margin_on_both_sides():
    band = next(drawn(steps(Line(0, 4), (0, 1, 5), (0, 600, 1000), margin=100)).iter(f"{SVG}polygon"))
    heights = [float(point.split(",")[1]) for point in band.get("points").split()]
    high = BOTTOM - TOP
    above = [0.1, 0.7, 0.7, 1]
    below = [0.9, 0.5, 0.5, 0]
    assert heights == pytest.approx([BOTTOM - share * high for share in above + below], abs=0.1)
    assert not list(drawn(steps(Line(0, 4), (0, 1, 5), (0, 600, 1000), margin=None)).iter(f"{SVG}polygon"))


@pytest.mark.parametrize(
    ("line", "numbers", "below", "marks", "told"),
    [
        (
            Line(0, 2**64 - 1),
            (0, 10, 99, 10**7, 2**64),
            (0, 0, 500, 999, 1000),
            [(0.5, 98)],
            {"98", "age (logarithmic)"},
        ),
        (Line(0, 2**2000), (0, 5, 7, 2**2000 + 1), (0, 0, 1000, 1000), [(0.5, 5)], {"5", "6"}),
        (Line(0.0, 1.7e308), (0, 9, 2**62), (0, 1000, 1000), [(0.5, 3)], {"age"}),
        (Line(date(2026, 1, 1), date(2026, 12, 31)), (0, 31, 365), (0, 900, 1000), [(0.5, 15)], {"2026-01-16"}),
        (Line("A" * 90, "Z" * 90), (0, 2**1000, 2**1500), (0, 500, 1000), [(0.5, 2**1000)], {"age"}),
        (Line(Decimal("0.00"), Decimal("9.99")), (0, 1000), (0, 1000), [(0.5, 500)], {"5.00", "9.99"}),
        (Line(3, 3), (0, 1), (0, 1000), [(0.5, 0)], {"3"}),
        (Line(0, 9), (0, 10), (0, 0), [], {"0", "9"}),  # all records are void
    ],
)
def test_lines_of_all_kinds_have_a_picture(line, numbers, below, marks, told):
    strip = steps(line, (*numbers[:-1], min(numbers[-1], line.size)), below, tuple(marks))
    assert told <= set(texts(strip))
    assert all(LEFT <= x <= RIGHT and TOP <= y <= BOTTOM for x, y in curve_of(strip))


def test_the_tails_are_left_out():
    told = texts(steps(Line(0, 10**6), (0, 100, 200, 10**6 + 1), (0, 1, 999, 1000)))
    assert {"101", "198"} <= set(told) and "1000000" not in told


def test_long_curves_are_thinned():
    many = tuple(range(20_001))
    strip = distribution(Steps("x", Line(0, 19_999), many, many), 5, 20_000)
    assert len(curve_of(strip)) < 700
    assert curve_of(strip)[-1] == pytest.approx((RIGHT, TOP), abs=0.1)


def test_heat_grows_with_the_number():
    strip = heat_map(HeatMap("job", "sex", ("clerk", "nurse"), ("f", "m"), ((300, None), (0, 600)), unlisted=True), 54)
    cells = boxes(strip, "heat")[:3]
    assert [float(each.get("fill-opacity")) for each in cells] == pytest.approx([0.53, 0.06, 1.0])
    assert len(boxes(strip, "empty")) == 1
    assert {"300", "0", "600", "600 records", "dashed or not listed: at most 54"} <= set(texts(strip))


def test_names_of_rows_and_columns_are_whole():
    names = ("Transferred from another hospital", "Admitted through the emergency room", "Elective")
    strip = heat_map(HeatMap("discharge", "admission", names, names, ((1, 2, 3),) * 3))
    told = " ".join(texts(strip))
    assert all(told.count(name) >= 2 for name in names) and "…" not in told  # once across, once down


def test_numbers_that_do_not_fit_are_left_out():
    names = tuple(f"a long name {i}" for i in range(16))
    strip = heat_map(HeatMap("x", "y", names, names, ((123_456,) * 16,) * 16))
    assert "123,456" not in texts(strip) and "123,456 records" in texts(strip)


@pytest.mark.parametrize(
    "strip",
    [
        count_bars(
            Bars(NASTY, ((NASTY, 10**15), ("東" * 99, 9)), 10**6, unlisted=True), CountMargins(9, 9**9), 10**16, 30
        ),
        heat_map(HeatMap(NASTY, NASTY, (NASTY, "東" * 99), (NASTY, "b"), ((1, 2), (None, 10**12)))),
        distribution(Steps(NASTY, Line(0, 9), (0, 5, 10), (0, 9, 9), ((0.5, 9),)), 3, 9),
    ],
)
def test_nothing_leaves_the_picture(strip):
    """As far as the widths of letters are known: capitals and digits are about 8 units wide, small print 7."""
    for text in drawn(strip).iter(f"{SVG}text"):
        width = (7 if text.get("class") in ("faint", "number") else 8) * len(text.text)
        end = {"start": 1, "end": 0, "middle": 0.5}[text.get("text-anchor")] * width
        assert float(text.get("x")) + end <= WIDTH + 1, text.text
        assert "<" not in text.text or "\x00" not in text.text


def test_margins_are_those_that_are_certain_or_follow_from_measured_answers():
    def margins(guarantee, answers=None):
        return margins_of(Release(answers or KeyCounts(9, Anything(), (), ()), guarantee, (), "x"))

    certificate = Certificate(Budget(1))
    measured = Guarantee(certificate, 9, measured=3, beta=Fraction(1, 20))
    assert margins(Guarantee(certificate, 9, 2, 4)) == (2, 4)
    assert margins(measured) == (3, 3)
    assert margins(Guarantee(certificate, 9)) == (None, None)
    paths = CodeCounts(9, Paths("/", 3), "root_path", (("a",),), (5,))
    assert margins(measured, paths) == (6, 6)  # records at a node: a difference of two answers
    assert margins(replace(measured, measured=5), paths) == (9, 9)
    assert margins(replace(measured, measured=12)) == (12, 12)  # answers of a grid may lie below 0
    assert margins(measured, replace(paths, declared=(("a",),))) == (None, None)


def test_a_release_is_drawn_from_what_it_releases():
    release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["EV"] * 300 + ["UA"] * 700 + ["rare"])
    svg = draw_release(release.release_).svg
    assert "EV" in svg and "at most 54" in svg and "rare" not in svg
