"""Any hashable values are their own codes."""

import math

import numpy as np
import pytest

from privpac.data.anything import Anything


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


@pytest.mark.parametrize("values", [[1, None], [math.nan], ["a", "b", "c"]])
def test_misfits(values):
    with pytest.raises(ValueError, match=r"missing|more distinct"):
        Anything(2).encode(values)
