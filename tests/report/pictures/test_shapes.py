"""What pictures are made of: strips, labels and pills, grouped digits, the plane, the curve of certified errors."""

import re
import xml.etree.ElementTree as ET

import pytest

from privpac.classes.picture_shapes import Plane
from privpac.classes.vectors.half_spaces import half_plane
from privpac.report.numbers import grouped
from privpac.report.pictures.log_curves import draw_curve
from privpac.report.pictures.shapes import WIDTH, Strip, bar, escaped, label, line, pills, short, stacked
from privpac.report.rule_pictures import plane

SVG = "{http://www.w3.org/2000/svg}"


def test_strips_are_stacked_from_top_to_bottom():
    root = ET.fromstring(stacked([Strip(20, (label(0, 14, "a"),)), Strip(30, (bar(0, 0, 9, 9, "yes"),))], "t").svg)
    assert root.get("viewBox") == f"0 0 {WIDTH} 50"
    assert [g.get("transform") for g in root.iter(f"{SVG}g")] == ["translate(0 0.0)", "translate(0 20.0)"]


def test_text_is_escaped_and_printable():
    assert escaped('<script>"&\x07') == "&lt;script&gt;&quot;&amp;�"
    root = ET.fromstring(stacked([Strip(9, (label(0, 0, "<b>\ud800"), line(0, 0, 1, 1)))], "<t>").svg)
    assert [text.text for text in root.iter(f"{SVG}text")] == ["<b>�"]


def test_pills_take_as_many_lines_as_they_need():
    one, two = pills([("a", True)]), pills([("a long name of something", True)] * 3)
    assert two.height > one.height
    boxes = ET.fromstring(stacked([two], "t").svg).iter(f"{SVG}rect")
    assert all(float(box.get("x")) + float(box.get("width")) <= WIDTH for box in boxes)


def test_long_names_are_cut():
    assert short("abc", 3) == "abc"
    assert short("abcd", 3) == "ab…"


@pytest.mark.parametrize(("n", "text"), [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")])
def test_groups_of_three(n, text):
    assert grouped(n) == text


def test_an_empty_part_is_not_drawn():
    assert "polygon" not in "".join(plane(Plane((), 0, 10, ("a", "b"))).shapes)
    drawn = "".join(plane(Plane(half_plane((1, 0), 5, 0, 10), 0, 10, ("<a>", "b"))).shapes)
    assert "polygon" in drawn
    assert "&lt;a&gt;" in drawn


POINTS = [(100, 0.5), (1000, 0.05), (10000, 0.006)]


def texts(picture):
    return [text.text for text in ET.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_release_stands_on_the_curve():
    picture = draw_curve(POINTS, 1000)
    (through,) = re.findall(r'points="([^"]+)"', picture.svg)
    (x, y) = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', picture.svg)[0]
    assert f"{x},{y}" == through.split()[1]
    assert "you are here" in texts(picture)


def test_too_few_records_are_marked_beside_the_curve():
    picture = draw_curve(POINTS, 20)
    assert "you are here: too few records" in texts(picture)
    assert "<circle" not in picture.svg


def test_axes_are_named_by_powers_of_ten():
    assert {"100", "1,000", "10,000", "10 %", "1 %", "100 %"} <= set(texts(draw_curve(POINTS, 1000)))


def test_all_is_drawn_on_the_picture():
    for n in (1, 100, 10000, 10**7):
        numbers = [float(v) for v in re.findall(r' (?:x|x1|x2|cx)="([\d.-]+)"', draw_curve(POINTS, n).svg)]
        assert all(0 <= v <= 400 for v in numbers)
