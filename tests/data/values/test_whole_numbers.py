"""Whole numbers are integers of any type; truth values are none, under every version of numpy."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.data.values.whole_numbers import is_whole


@pytest.mark.parametrize("value", [0, -(2**70), np.uint8(3), np.int64(-1), np.array(7)])
def test_integers_are_whole(value):
    assert is_whole(value)


@pytest.mark.parametrize("value", [True, np.True_, np.array(False), 1.0, "1", None, Fraction(1), np.float64(2)])
def test_others_are_not(value):
    assert not is_whole(value)


def test_a_truth_value_that_is_an_index_is_not_whole():
    class Old:
        """As numpy 2.2 has them."""

        dtype = np.dtype(bool)

        def __index__(self):
            return 1

    assert not is_whole(Old())
