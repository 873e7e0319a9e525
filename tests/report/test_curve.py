"""The curve of certified errors."""

import re
import xml.etree.ElementTree as ET

from privpac.report.curve import draw_curve

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
    assert "you are here: too few" in texts(picture)
    assert "<circle" not in picture.svg


def test_axes_are_named_by_powers_of_ten():
    assert {"100", "1 000", "10 000", "0.1", "0.01", "1"} <= set(texts(draw_curve(POINTS, 1000)))


def test_all_is_drawn_on_the_picture():
    for n in (1, 100, 10000, 10**7):
        numbers = [float(v) for v in re.findall(r' (?:x|x1|x2|cx)="([\d.-]+)"', draw_curve(POINTS, n).svg)]
        assert all(0 <= v <= 400 for v in numbers)
