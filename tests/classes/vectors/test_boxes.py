"""Boxes and conjunctions: patterns, dimensions, evaluation, sentences, hostile input; names of coordinates."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.classes.vectors.boxes import Box, Conjunction, Conjunctions, Rectangles
from privpac.classes.vectors.vector_class import check_positions, coordinate_names
from privpac.dimensions.littlestone import littlestone_dimension
from tests.classes.definitions import KINDS, assert_comes_back, assert_known, assert_patterns, rows_of
from tests.grid import over


def boxes(low, high, dim):
    sides = [(l, r) for l in range(low, high + 1) for r in range(l, high + 1)]
    inside = [
        lambda x, box=box: all(l <= v <= r for v, (l, r) in zip(x, box, strict=True))
        for box in product(sides, repeat=dim)
    ]
    return [*inside, lambda x: False]


def conjunctions(d, monotone=False):
    wanted = product((None, 1) if monotone else (None, 1, 0), repeat=d)
    literals = [lambda x, w=w: all(b is None or v == b for v, b in zip(x, w, strict=True)) for w in wanted]
    return literals if monotone else [*literals, lambda x: False]


def grid(low, high, dim):
    return list(product(range(low, high + 1), repeat=dim))


@pytest.mark.slow
@over(
    ("low", "high", "dim"), [(0, 0, 1), (0, 0, 3), (-1, 0, 1), (2, 7, 1), (0, 1, 2), (5, 6, 3), (0, 2, 2), (-1, 2, 2)]
)
def test_boxes_have_the_dimensions_and_the_size_of_their_definition(low, high, dim):
    cls, points = Rectangles(low, high, dim), grid(low, high, dim)
    intervals, bits = dim == 1 or low == high, high - low == 1
    unknown = (
        () if intervals else tuple(kind for kind in KINDS if kind != "VC" and not (bits and kind == "Littlestone"))
    )
    assert_known(cls, boxes(low, high, dim), points, unknown)
    assert cls.size == len(rows_of(boxes(low, high, dim), points)) == cls.materialize().size


@over("monotone", [False, True])
@over("d", [1, 2, 3])
def test_conjunctions_have_the_dimensions_and_the_size_of_their_definition(d, monotone):
    cls, points = Conjunctions(d, monotone), grid(0, 1, d)
    assert_known(cls, conjunctions(d, monotone), points, [kind for kind in KINDS if kind not in {"VC", "Littlestone"}])
    assert cls.size == len(rows_of(conjunctions(d, monotone), points)) == cls.materialize().size


@pytest.mark.parametrize("d", [4, 5, 6, 7])
def test_littlestone_of_conjunctions_by_search(d):
    for monotone in (False, True):
        cls = Conjunctions(d, monotone)
        assert littlestone_dimension(cls.materialize()).value == cls.known("Littlestone").value


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=6))
def test_patterns_of_boxes_are_those_of_all(points):
    assert_patterns(Rectangles(0, 3, 2), boxes(0, 3, 2), points)


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=6), st.booleans())
def test_patterns_of_conjunctions_are_those_of_all(points, monotone):
    assert_patterns(Conjunctions(3, monotone), conjunctions(3, monotone), points)


@pytest.mark.parametrize(
    "cls", [Rectangles(0, 4, 2), Rectangles(-(2**80), 2**80, 2), Conjunctions(2), Conjunctions(2, monotone=True)]
)
def test_every_concept_has_the_pattern_that_it_stands_for(cls):
    points = grid(0, 1, 2)[1:] if isinstance(cls, Conjunctions) else [(0, 3), (2, 2), (4, 1), (0, 0)]
    c = cls.materialize(points)
    assert all((h(points) == c[h][c.columns(points)]).all() for h in c.concepts)


@pytest.mark.audit
def test_24_by_24():
    c = Rectangles(0, 23, 2).materialize()
    assert c.matrix.shape == (90001, 576)


def test_many_bits_and_few_points():
    points = np.random.default_rng(1).integers(0, 2, (5, 200))
    assert len(Conjunctions(200).patterns(points)) == 2**5  # 200 bits tell any subset of these apart
    assert Conjunctions(200).size == 3**200 + 1


def test_what_is_too_much_is_refused():
    with pytest.raises(ValueError, match="choose fewer points"):
        Rectangles(0, 10**6, 1).patterns([(i,) for i in range(3000)])
    with pytest.raises(ValueError, match="choose fewer points"):
        Rectangles(0, 999, 3).patterns([(i, -i % 997, i * i % 991) for i in range(200)])


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        ((2, 0), (5, 3), "2 ≤ x₁ ≤ 5 and 0 ≤ x₂ ≤ 3"),
        ((3, None), (None, None), "x₁ ≥ 3"),
        ((None, 4), (-1, 4), "x₁ ≤ −1 and x₂ = 4"),
        ((None,), (None,), "always"),
        ((-(2**70),), (2**70,), f"−{2**70} ≤ x₁ ≤ {2**70}"),
    ],
)
def test_boxes_read_as_inequalities_and_come_back(low, high, sentence):
    assert str(Box(low, high)) == sentence
    assert_comes_back(Box(low, high))


def test_boxes_of_any_width_are_exact():
    assert Box((2**70,), (None,))([(2**70,), (2**70 - 1,), (3,)]).tolist() == [True, False, False]
    assert Box((-(2**70),), (2**70,))(np.array([[3]])).tolist() == [True]
    assert Box((0,), (1,))([]).tolist() == []


@pytest.mark.parametrize(
    ("ones", "zeros", "sentence"), [((0,), (2,), "x₁ and not x₃"), ((), (), "always"), ((11,), (9,), "not x₁₀ and x₁₂")]
)
def test_conjunctions_read_as_literals_and_come_back(ones, zeros, sentence):
    assert str(Conjunction(12, ones, zeros)) == sentence
    assert_comes_back(Conjunction(12, ones, zeros))


def test_bits_may_be_booleans():
    assert Conjunction(2, (0,), (1,))(np.array([[True, False], [True, True]])).tolist() == [True, False]


@pytest.mark.parametrize("table", [[(0, 2)], [(0,)], [(0, 0.5)], [(0, None)], [(987654321, 0)]])
def test_what_is_not_two_bits_is_refused(table):
    for ask in (Conjunction(2, (0,), ()), Conjunctions(2).patterns):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask(table)
        assert "987654321" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rectangles(3, 2, 2),
        lambda: Rectangles(0, 2.5, 2),
        lambda: Rectangles(0, 2, 0),
        lambda: Conjunctions(0),
        lambda: Conjunctions(2.0),
        lambda: Box((1,), (1, 2)),
        lambda: Box((), ()),
        lambda: Box((1.5,), (2,)),
        lambda: Conjunction(2, (2,), ()),
        lambda: Conjunction(2, (0,), (0,)),
        lambda: Conjunction(2, (0.0,), ()),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises((TypeError, ValueError)):
        make()


def test_coordinates_count_from_one_and_keep_the_name():
    assert coordinate_names((), 3, [0]) | coordinate_names(("x2_",), 11, [10]) == {0: "x₁", 10: "x2_₁₁"}


def test_points_are_tuples_whatever_they_came_as():
    c = Rectangles(0, 2, 2).materialize(np.array([[0, 1], [2, 2], [0, 1]]))
    assert c.all_points == ((0, 1), (2, 2))


@pytest.mark.parametrize("positions", [(3,), (-1,), (1, 1)])
def test_positions_must_be_there(positions):
    check_positions(3, (2, 0))
    with pytest.raises(ValueError, match="positions"):
        check_positions(3, positions)
    with pytest.raises(ValueError, match="d must be at least 1"):
        check_positions(0, ())
