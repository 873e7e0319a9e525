"""Strips, labels and pills."""

import xml.etree.ElementTree as ET

from privpac.report.shapes import WIDTH, Strip, bar, label, line, pills, said, short, stacked

SVG = "{http://www.w3.org/2000/svg}"


def test_strips_are_stacked_from_top_to_bottom():
    root = ET.fromstring(stacked([Strip(20, (label(0, 14, "a"),)), Strip(30, (bar(0, 0, 9, 9, "yes"),))], "t").svg)
    assert root.get("viewBox") == f"0 0 {WIDTH} 50"
    assert [g.get("transform") for g in root.iter(f"{SVG}g")] == ["translate(0 0.0)", "translate(0 20.0)"]


def test_text_is_escaped_and_printable():
    assert said('<script>"&\x07') == "&lt;script&gt;&quot;&amp;�"
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
