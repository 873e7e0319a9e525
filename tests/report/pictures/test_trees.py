"""Pictures: well-formed SVG that shows every name, escapes what must be escaped, and stays on the page."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.littlestone import littlestone_dimension
from privpac.dimensions.tree_orders.laminar import tree_order
from privpac.dimensions.witnesses import MistakeTree
from privpac.report.pictures.shapes import Picture
from privpac.report.pictures.trees import DEEPEST, draw_mistake_tree, draw_tree_order
from tests.dimensions import yan25

SVG = "{http://www.w3.org/2000/svg}"
CHAIN = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], points=["<a>", "b", "c & d"], concepts="wxyz")


def texts(picture, kind=None):
    nodes = ET.fromstring(picture.svg).iter(f"{SVG}text")
    return [node.text for node in nodes if kind is None or node.get("class") == kind]


def inside(picture):
    """Whether all that is drawn lies on the page."""
    root = ET.fromstring(picture.svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(box.get(side)) for side in ("x", "y", "width", "height"))
        if min(x, y) < 0 or x + w > width or y + h > height:
            return False
    return all(0 <= float(t.get("x")) <= width and 0 <= float(t.get("y")) <= height for t in root.iter(f"{SVG}text"))


def overlapping(picture):
    """Whether two boxes overlap."""
    root = ET.fromstring(picture.svg)
    boxes = [tuple(float(b.get(side)) for side in ("x", "y", "width", "height")) for b in root.iter(f"{SVG}rect")]
    return any(
        a != b and a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]
        for a in boxes
        for b in boxes
    )


def test_a_mistake_tree_shows_points_bits_and_concepts():
    picture = draw_mistake_tree(MistakeTree(("b", "<a>", "c & d"), ("w", "x", "y", "z")))
    assert sorted(texts(picture)) == sorted(["b", "<a>", "c & d", "w", "x", "y", "z", *"010101"])
    assert texts(picture, "bit").count("0") == 3
    assert texts(picture, "leaf") == ["w", "x", "y", "z"]
    assert inside(picture)
    assert not overlapping(picture)


def test_a_deep_tree_is_cut_and_says_so():
    d = DEEPEST + 2
    picture = draw_mistake_tree(MistakeTree(tuple(range(2**d - 1)), tuple(range(2**d))))
    assert texts(picture, "leaf") == ["+2"] * 2**DEEPEST and "+2: levels below that are not drawn" in picture.svg
    assert not overlapping(picture)


def test_one_concept_is_a_leaf():
    assert texts(draw_mistake_tree(MistakeTree((), ("only",)))) == ["only"]


def test_the_empty_class_has_no_picture():
    with pytest.raises(ValueError, match="empty class"):
        draw_mistake_tree(MistakeTree((), ()))
    with pytest.raises(TypeError, match="materialize"):
        draw_mistake_tree(None)


def test_names_that_xml_cannot_hold_are_replaced(tmp_path):
    picture = draw_mistake_tree(MistakeTree(("a\x07b",), ("\ud800", "\u202e")))
    picture.save(tmp_path / "p.svg")
    assert texts(picture, "leaf") == ["�", "�"]
    assert "a�b" in texts(picture)


def test_long_names_are_shortened():
    (text,) = texts(draw_mistake_tree(MistakeTree((), ("x" * 100,))))
    assert text.endswith("…")
    assert len(text) <= 24


def test_names_can_be_chosen():
    assert "POINT B" in texts(draw_mistake_tree(MistakeTree(("b",), ("w", "x")), name=lambda n: f"point {n}".upper()))


def test_a_tree_order_shows_its_nodes():
    picture = draw_tree_order(tree_order(CHAIN))
    assert sorted(texts(picture)) == sorted(["∅", "<a>", "b", "c & d", "w", "x", "y", "z"])
    assert inside(picture)
    assert not overlapping(picture)


def test_proper_nodes_are_filled():
    fork = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")  # no concept ends at a
    boxes = ET.fromstring(draw_tree_order(tree_order(fork)).svg).iter(f"{SVG}rect")
    assert [box.get("class") for box in boxes].count("pill") == 1


def test_trees_that_do_not_fit_are_refused():
    points = ExplicitClass([[x == y for x in range(300)] for y in range(300)])
    with pytest.raises(ValueError, match="shows at most"):
        draw_tree_order(tree_order(points))


def test_pictures_are_shown_and_saved(tmp_path):
    picture = Picture("<svg>é</svg>")
    picture.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text("utf-8") == picture._repr_svg_() == "<svg>é</svg>"


def test_the_pictures_in_the_theory_pages_are_drawn_by_this_code():
    theory = Path(__file__).parents[3] / "docs" / "theory"
    subscript = str.maketrans("12345678", "₁₂₃₄₅₆₇₈")
    points, concepts = ([name.translate(subscript) for name in names] for names in (yan25.POINTS, yan25.POSITIVE))
    example = ExplicitClass(yan25.MATRIX, points=points, concepts=concepts)
    assert (theory / "tree_order.svg").read_text("utf-8") == draw_tree_order(tree_order(example, "h₈")).svg
    tree = littlestone_dimension(example).witness
    assert (theory / "mistake_tree.svg").read_text("utf-8") == draw_mistake_tree(tree).svg
