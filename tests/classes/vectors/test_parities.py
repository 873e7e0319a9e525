"""Parities: patterns, dimensions, evaluation, sentences, hostile input."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.classes.vectors.parities import Parities, Parity
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns, rows_of
from tests.grid import over


def parities(d, affine):
    subsets = [subset for k in range(d + 1) for subset in combinations(range(d), k)]
    values = (1, 0) if affine else (1,)
    return [lambda x, s=s, b=b: sum(x[i] for i in s) % 2 == b for s in subsets for b in values]


@over("affine", [False, True])
@over("d", [1, 2, 3])
def test_parities_have_the_dimensions_and_the_size_of_their_definition(d, affine):
    cls, points = Parities(d, affine), list(product((0, 1), repeat=d))
    assert_known(cls, parities(d, affine), points)
    assert cls.size == len(rows_of(parities(d, affine), points)) == cls.materialize().size


@pytest.mark.audit
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 4), min_size=1, max_size=7), st.booleans())
def test_patterns_are_those_of_all_parities(points, affine):
    assert_patterns(Parities(4, affine), parities(4, affine), points)
    for row, h in zip(Parities(4, affine).patterns(points), Parities(4, affine).representatives(points), strict=True):
        assert (h(points) == row).all()


def test_hundreds_of_bits():
    points = np.random.default_rng(2).integers(0, 2, (6, 300))
    cls = Parities(300, affine=True)
    assert len(cls.patterns(points)) == 2**6  # six independent points
    assert cls.log_size == pytest.approx(301 * np.log(2))
    code = int(cls.encode(points)[0])
    assert code >= 2**64 and cls.decode(code) == tuple(points[0].tolist())


@pytest.mark.parametrize(
    ("h", "sentence"),
    [
        (Parity(3, (0, 2)), "x₁ ⊕ x₃ = 1"),
        (Parity(3, (1,), 0), "x₂ = 0"),
        (Parity(3, ()), "never"),
        (Parity(3, (), 0), "always"),
    ],
)
def test_parities_read_as_equations_and_come_back(h, sentence):
    assert str(h) == sentence
    assert_comes_back(h)


def test_bits_may_be_booleans_and_there_may_be_none():
    assert Parity(2, (0, 1))(np.array([[True, False], [True, True]])).tolist() == [True, False]
    assert Parity(2, (0, 1))([]).tolist() == []


@pytest.mark.parametrize("table", [[(0, 2)], [(0,)], [(0, 0.5)], [(0, None)], [(987654321, 0)]])
def test_what_is_not_two_bits_is_refused(table):
    for ask in (Parity(2, (0,)), Parities(2).patterns):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask(table)
        assert "987654321" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Parities(0),
        lambda: Parities(2.0),
        lambda: Parity(2, (2,)),
        lambda: Parity(2, (0, 0)),
        lambda: Parity(2, (0,), 2),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises((TypeError, ValueError)):
        make()


def test_too_many_patterns_are_refused():
    with pytest.raises(ValueError, match="choose fewer points"):
        Parities(60).patterns(np.eye(60, dtype=int))
