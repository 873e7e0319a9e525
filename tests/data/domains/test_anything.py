"""Any hashable values are their own codes."""

import math
from decimal import Decimal

import numpy as np
import pytest

from privpac.data.domains.anything import Anything


def test_values_come_back_as_python_objects():
    codes = Anything().encode(np.array([1, 2]))
    assert [type(code) for code in codes] == [int, int]
    assert Anything().decode(("a", 1)) == ("a", 1)
    assert Anything().encode([]).shape == (0,)


def test_sizes():
    assert (Anything().size, Anything(5).size) == (math.inf, 5)


@pytest.mark.parametrize("limit", [0, -3, 1.0, True])
def test_bad_limits(limit):
    with pytest.raises(ValueError, match="whole number"):
        Anything(limit)


@pytest.mark.parametrize("values", [[1, None], [math.nan], [Decimal("sNaN")]])
def test_missing_values_are_refused(values):
    with pytest.raises(ValueError, match="missing"):
        Anything(2).encode(values)


def test_whether_a_record_is_accepted_does_not_depend_on_others():
    assert Anything(2).encode(["a", "b", "c"]).tolist() == ["a", "b", "c"]
    assert Anything(3).distinct(["a", "b", "c", "a"]) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="more distinct"):
        Anything(2).distinct(["a", "b", "c"])


def test_tuples_may_hold_tuples():
    assert Anything().encode([("a", ("b", "c")), ("a", "b")]).tolist() == [("a", ("b", "c")), ("a", "b")]
