"""Fields are of the types they are declared to be, or refused."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from privpac.classes.tree_orders.spider import Spider
from privpac.classes.typed_fields import fit_fields
from privpac.classes.values.points import OneOf, Points, SparseSets
from privpac.classes.vectors.boxes import Box, Conjunctions, Rectangles
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpace
from privpac.classes.vectors.parities import Parities, Parity
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces


@dataclass(frozen=True)
class Value:
    number: int = 0
    truth: bool = False
    share: float = 0.0
    text: str | None = None
    row: tuple[int | None, ...] = ()
    rows: tuple[tuple[int, ...], ...] = ()
    some: frozenset[Hashable] = frozenset()
    key: Hashable = None
    whatever: Any = None

    def __post_init__(self) -> None:
        fit_fields(self)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"number": np.int8(3)}, 3),
        ({"truth": np.bool_(True)}, True),
        ({"share": 3}, 3.0),
        ({"text": "a"}, "a"),
        ({"row": [np.int64(1), None]}, (1, None)),
        ({"rows": np.array([[1, 2], [3, 4]])}, ((1, 2), (3, 4))),
        ({"some": {1, "a"}}, frozenset([1, "a"])),
        ({"key": (1, "a")}, (1, "a")),
        ({"whatever": [1]}, [1]),
    ],
)
def test_what_fits_is_kept_in_python_s_types(given, kept):
    ((name, _),) = given.items()
    value = getattr(Value(**given), name)
    assert value == kept
    assert repr(value) == repr(kept) or name == "some"


@pytest.mark.parametrize(
    "given",
    [
        {"number": True},
        {"number": 1.0},
        {"number": "1"},
        {"number": None},
        {"truth": 1},
        {"share": "0.5"},
        {"share": True},
        {"text": 3},
        {"row": "12"},
        {"row": 5},
        {"row": {1, 2}},
        {"row": (1, "a")},
        {"rows": (1, 2)},
        {"some": "ab"},
        {"some": ["a"]},
        {"some": (1, 2)},
        {"key": ([1],)},
    ],
)
def test_what_does_not_fit_is_refused_by_name_and_without_a_quote(given):
    ((name, _),) = given.items()
    with pytest.raises(TypeError, match=f"^{name} of Value must be [a-zA-Z |,.\\[\\]]+$"):
        Value(**given)


def test_a_long_tuple_that_fits_is_shared():
    row = tuple(range(1000))
    assert Value(row=row).row == row
    names = tuple(map(str, range(1000)))
    assert Value(key=names).key is names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Box([1], [2]), Box((1,), (2,))),
        (OneOf({1}), OneOf(frozenset([1]))),
        (HalfSpace(np.array([3, -2]), np.int64(5)), HalfSpace((3, -2), 5)),
        (Parity(3, [0, 2]), Parity(3, (0, 2))),
        (AffineSubspace(5, [3, 1], [[2, 4]]), AffineSubspace(5, (3, 1), ((2, 4),))),
        (HalfPlanes(np.int64(3)), HalfPlanes(3)),
        (Points(np.int64(3)), Points(3)),
        (SparseSets(np.int64(2), np.int64(3)), SparseSets(2, 3)),
        (Rectangles(np.int8(0), np.int8(5), np.int8(2)), Rectangles(0, 5, 2)),
        (AffineSubspaces(np.int64(2), np.int64(3), np.int64(1)), AffineSubspaces(2, 3, 1)),
        (Spider(np.uint8(8)), Spider(8)),
    ],
)
def test_equal_values_are_equal_however_they_are_given(one, other):
    assert (one, hash(one), repr(one)) == (other, hash(other), repr(other))


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneOf("ab"),
        lambda: Parities(2, affine=2),
        lambda: Conjunctions(2, monotone=1),
        lambda: Box("12", (1, 2)),
        lambda: HalfSpace((1.0,), 0),
        lambda: Points(True),
    ],
)
def test_nothing_is_taken_for_something_else(make):
    with pytest.raises(TypeError, match=" must be "):
        make()
