"""Half-planes and half-spaces: counts, dimensions, exact evaluation, sentences, hostile input."""

import math

import numpy as np
import pandas as pd
import pytest

from privpac.classes.hypothesis import Constant
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpace, HalfSpaces, half_plane
from privpac.dimensions.littlestone import littlestone_dimension
from tests.classes.definitions import assert_comes_back, dimension
from tests.grid import over


def scanned(grid, reach):
    """Half-planes by all small normals and every bias."""
    V = np.array(grid)
    rows = set()
    for w in np.ndindex(*(2 * reach + 1,) * V.shape[1]):
        values = V @ (np.array(w) - reach)
        rows |= {tuple(values >= b) for b in range(values.min(), values.max() + 2)}
    return rows


@over(("a", "count"), [(1, 2), (2, 14), (3, 58), (4, 174), (5, 402)])
def test_the_known_counts_of_half_planes(a, count):
    cls = HalfPlanes(a)
    assert cls.size == cls.materialize().size == count


def test_half_planes_are_those_of_all_normals():
    cls = HalfPlanes(4)
    grid = [(x, y) for x in range(4) for y in range(4)]
    assert set(map(tuple, cls.patterns(grid).tolist())) == scanned(grid, 7)


@pytest.mark.slow
@pytest.mark.parametrize(("d", "count"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_the_known_counts_of_threshold_functions(d, count):
    cls = HalfSpaces(d, 2)
    assert cls.materialize().size == count <= cls.size


@pytest.mark.parametrize("a", [2, 3, 6, 11])
def test_sizes_on_a_line_and_in_the_plane_are_exact(a):
    assert HalfSpaces(1, a).size == 2 * a == HalfSpaces(1, a).materialize().size
    pairs = sum(
        math.gcd(x - u, y - v) == 1
        for x in range(a)
        for y in range(a)
        for u in range(x + 1)
        for v in range(a)
        if (u, v) < (x, y)
    )
    assert HalfPlanes(a).size == 2 + 2 * pairs


def test_sizes_beyond_counting_are_upper_bounds():
    n = 2**80
    assert HalfPlanes(2**40).size == n * n - n + 2
    assert HalfPlanes(2**17).size < HalfPlanes(2**17 + 1).size
    assert HalfPlanes(2**40).log_size == pytest.approx(160 * np.log(2))


@pytest.mark.audit
def test_17_by_17():
    c = HalfPlanes(17).materialize()
    assert c.size == HalfPlanes(17).size == 50914
    points = np.array(c.points)
    for i in range(0, c.size, 997):
        assert (c.concepts[i](points) == c.matrix[i]).all()


@pytest.mark.audit
@over(("a", "value"), [*enumerate([3, 5, 7, 8, 9, 10, 11, 11, 12], start=2)])
def test_the_known_littlestone_dimensions_of_half_planes(a, value):
    assert littlestone_dimension(HalfPlanes(a)).value == value


@pytest.mark.parametrize(
    "cls", [HalfSpaces(1, 1), HalfSpaces(1, 5), HalfSpaces(3, 1), HalfPlanes(2), HalfPlanes(3), HalfSpaces(3, 2)]
)
def test_closed_forms_are_dimensions(cls):
    rows = set(map(tuple, cls.materialize().matrix.tolist()))
    kinds = ["VC"] if cls.side > 1 and cls.dim > 1 else ["VC", "Littlestone", "threshold", "dual VC"]
    for kind in kinds:
        assert cls.known(kind).value == dimension(kind, rows)
    assert cls.known("VC").why.startswith("docs/proofs/dimensions.md, ")
    assert cls.known("width") is None
    assert HalfPlanes(3).known("Littlestone") is None


def test_a_simplex_is_shattered_in_five_dimensions():
    simplex = [(0,) * 5, *np.eye(5, dtype=int).tolist()]
    assert len(HalfSpaces(5, 9).patterns(simplex)) == 2**6


def test_points_that_repeat_count_once():
    points = [(0, 0), (1, 2), (0, 0)]
    assert HalfPlanes(3).patterns(points).astype(int).tolist() == [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]]
    assert len(HalfPlanes(3).representatives(points)) == 4


@pytest.mark.parametrize(
    ("normal", "bias", "sentence"),
    [
        ((3, -2), 5, "3·x₁ − 2·x₂ ≥ 5"),
        ((-3, 2), -5, "3·x₁ − 2·x₂ ≤ 5"),
        ((0, 1), -4, "x₂ ≥ −4"),
        ((0, -1, 7), 0, "x₂ − 7·x₃ ≤ 0"),
        ((0, 0), 0, "always"),
        ((0, 0), 1, "never"),
    ],
)
def test_half_spaces_read_as_inequalities_and_come_back(normal, bias, sentence):
    assert str(HalfSpace(normal, bias)) == sentence
    assert_comes_back(HalfSpace(normal, bias))


@pytest.mark.parametrize(
    "table",
    [
        [(1, 2), (3, 0)],
        [[1, 2], [3, 0]],
        np.array([[1, 2], [3, 0]], dtype=np.uint8),
        np.array([[1, 2], [3, 0]], dtype=object),
        pd.DataFrame({"a": [1, 3], "b": [2, 0]}),
        {"a": [1, 3], "b": np.array([2, 0])},
    ],
)
def test_any_table_of_integers_is_read(table):
    assert HalfSpace((1, -1), 1)(table).tolist() == [False, True]


def test_integers_of_any_width_are_exact():
    huge = HalfSpace((2**70, -1), 1)
    assert huge([(1, 2**70), (1, 2**70 - 1)]).tolist() == [False, True]
    assert HalfSpace((2**62, 2**62), 0)([(2, 2), (-2, -2)]).tolist() == [True, False]
    assert HalfSpace((1, 1), 2**64)(np.array([[2**63, 2**63]], dtype=np.uint64)).tolist() == [True]
    assert HalfSpace((1,), -(2**63))(np.array([[-(2**63)]])).tolist() == [True]
    assert_comes_back(huge)


def test_no_records_have_no_labels():
    assert HalfSpace((1, 2), 3)([]).tolist() == []
    assert HalfSpace((1, 2), 3)(np.zeros((0, 2), dtype=int)).dtype == bool


@pytest.mark.parametrize(
    "table",
    [
        [(1, 987654321.5)],
        [(1, None)],
        [(1, float("nan"))],
        [("1", "2")],
        [3, 4],
        "ab",
        5,
        pd.DataFrame({"a": [1.0], "b": [2.5]}),
        [(1, 2), (1, 2, 3)],
        [(987654321,)],
        np.zeros(3, dtype=int),
        np.ma.masked_array([[1, 2]]),
    ],
)
def test_what_is_no_table_of_integers_is_refused(table):
    with pytest.raises((TypeError, ValueError)) as caught:
        HalfSpace((1, 2), 3)(table)
    assert "987654321" not in str(caught.value)


@pytest.mark.parametrize("points", [[], [(0, 3)], [(-1, 0)], [(0, 0, 0)], [(0.5, 1)], [(987654321, 0)]])
def test_points_off_the_grid_are_refused(points):
    for ask in (HalfPlanes(3).patterns, HalfPlanes(3).materialize, HalfPlanes(3).representatives):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask(points)
        assert "987654321" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: HalfPlanes(0),
        lambda: HalfPlanes(2.0),
        lambda: HalfSpaces(0, 3),
        lambda: HalfSpaces(101, 3),
        lambda: HalfSpaces(6, 3).representatives([(0,) * 6]),
        lambda: HalfSpaces(6, 3, margin=0),
        lambda: HalfSpaces(6, 3, margin=1.5),
        lambda: HalfSpaces(6, 3, margin="0.5"),
        lambda: HalfSpaces(True, 3),
        lambda: HalfSpace((), 1),
        lambda: HalfSpace((1.5,), 1),
        lambda: HalfSpace((1,), None),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises((TypeError, ValueError)):
        make()


def test_too_large_a_grid_is_not_listed():
    with pytest.raises(ValueError, match="name the points"):
        HalfPlanes(2**16).materialize()


def test_too_many_points_are_refused():
    with pytest.raises(ValueError, match="choose fewer points"):
        HalfPlanes(100).patterns(
            [(i, i * i % 97) for i in range(97)] * 2 + [(x, y) for x in range(30) for y in range(30)]
        )


def test_half_planes_are_values():
    assert HalfPlanes(3) == HalfPlanes(3) != HalfPlanes(4)
    assert repr(HalfPlanes(3)) == "HalfPlanes(side=3)"
    assert HalfPlanes(3).decode(5) == (1, 2)
    assert HalfPlanes(3).encode([(1, 2)]).tolist() == [5]
    assert HalfPlanes(3).representatives([(1, 1)]) == [Constant(False), Constant(True)]


def test_a_normal_of_zeros_reads_integers_of_any_width():
    assert HalfSpace((0,), 0)([(2**70,)]).tolist() == [True]
    assert HalfSpace((0, 0), 1)([(-(2**70), 3)]).tolist() == [False]


def area(corners):
    following = [*corners[1:], corners[0]] if corners else []
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(corners, following, strict=True))) / 2


@over(
    ("normal", "bias", "expected"),
    [((1, 0), 3, 70), ((0, -1), -3, 30), ((1, 1), 10, 50), ((-1, -1), -10, 50), ((1, 1), 21, 0), ((1, 1), 0, 100)],
)
def test_the_part_has_the_right_area(normal, bias, expected):
    assert area(half_plane(normal, bias, 0, 10)) == expected


@pytest.mark.parametrize("normal", [(3, -2), (-3, 2), (1, 7), (0, 1)])
def test_its_corners_belong_to_the_half_plane(normal):
    corners = half_plane(normal, 5, -10, 10)
    assert all(normal[0] * x + normal[1] * y >= 5 for x, y in corners)
    inside = HalfSpace(normal, 5)([(x, y) for x in range(-10, 11) for y in range(-10, 11)]).mean()
    assert float(area(corners)) / 400 == pytest.approx(inside, abs=0.05)
