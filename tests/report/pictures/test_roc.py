"""Pictures of labeled releases: the curve within its box, its band, and the errors at every cut."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import privpac as pp
from privpac.report.pages.release import release_page
from privpac.report.pictures.roc import BOX, errors_by_cut, in_box, roc
from privpac.report.pictures.shapes import WIDTH
from privpac.report.release_pictures import draw_release


def released(N=100, certify=0.1, classes=("no", "yes"), **asked):
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.3
    x = (rng.beta(2 + 3 * y, 6 - 2 * y) * 100).astype(int)
    front = pp.PrivateRelease(pp.Thresholds(0, N - 1, **asked), epsilon=1, certify=certify, classes=classes)
    return front.fit({"score": x}, np.where(y, *classes[::-1])).release_


def corners(shapes, kind):
    text = "".join(shapes)
    found = re.search(f'class="{kind}" points="([^"]*)"', text)[1]
    return [tuple(map(float, each.split(","))) for each in found.split(" ")]


@pytest.mark.parametrize("N", [100, 2**40])
def test_the_curve_runs_from_corner_to_corner_within_its_box(N):
    release = released(N)
    curve = release.curve()
    strip, (left, right, top, bottom) = roc(curve), BOX
    drawn = corners(strip.shapes, "curve")
    assert drawn[0] == (left, bottom) and drawn[-1] == (right, top) and right <= WIDTH
    assert all(a[0] <= b[0] for a, b in pairwise(drawn))
    assert all(left <= x <= right and top <= y <= bottom for x, y in corners(strip.shapes, "band"))
    assert "share of yes" in "".join(strip.shapes) and f"{curve.auc:.3f}" in "".join(strip.shapes)
    assert in_box(0.5, 0.5) == ((left + right) / 2, (top + bottom) / 2)


def test_errors_by_cut_and_the_whole_picture():
    release = released()
    (chart,) = release.drawing()
    strip = errors_by_cut(release.curve(), chart, release.answers_.cuts()[:-1])
    assert len(corners(strip.shapes, "curve")) > 50 and "labeled no, flagged" in "".join(strip.shapes)
    ElementTree.fromstring(draw_release(release).svg)
    bare = draw_release(released(certify=0)).svg
    assert 'class="band"' not in bare and 'class="band"' in draw_release(release).svg


def test_names_are_escaped_and_the_page_is_about_these_records():
    page = release_page(released(classes=("<no>", "y&s")))
    assert "<no>" not in page and "&lt;no&gt;" in page and "y&amp;s" in page
    assert "not for new ones" in page and "not about new ones" in page and "Some rules" in page
    assert "release.best(weights=(1, 9))" in page and "Quantiles" not in page
    assert "not measured" in release_page(released(certify=0))


def test_releases_without_a_curve_have_rules_and_no_picture_of_one():
    H = pp.ExplicitClass([[0, 1], [1, 1]], points="ab")
    page = release_page(pp.PrivateRelease(H, epsilon=1).fit(list("ab") * 500, [0, 1] * 500).release_)
    assert "Fewest errors: “x = b” finds" in page and "release.curve()" not in page
