"""Risks as bars with intervals."""

from xml.etree import ElementTree

import pytest

from privpac.learners.errors.risks import Region
from privpac.report.pictures.bars import draw_risks


def test_bars_are_as_long_as_risks_and_escape_names():
    picture = draw_risks([Region("x < 5 & y", 0.5, 0.4, 0.6, 0.5, 1), Region("other", 0.1, 0, 1, 0.5)], "<yes>")
    root = ElementTree.fromstring(picture.svg)
    widths = [float(each.get("width")) for each in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert widths[1] == pytest.approx(widths[0] / 2) and widths[3] == pytest.approx(widths[2] / 10)
