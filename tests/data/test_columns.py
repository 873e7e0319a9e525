"""Columns are read without a conversion that could change a value."""

import numpy as np
import pandas as pd
import pytest

from privpac.data.columns import column


def test_arrays_stay_as_they_are():
    values = np.array([1, 2], dtype=np.uint8)
    assert column(values, "values") is values


def test_one_missing_value_makes_no_floats_of_its_neighbours():
    assert column([2**53 + 1, None], "values").tolist() == [2**53 + 1, None]
    assert column(pd.Series([2**53 + 1, None], dtype="Int64"), "values").tolist()[0] == 2**53 + 1


@pytest.mark.parametrize(
    "values",
    ["text", b"text", {1: 2}, {1, 2}, 3, np.ma.masked_array([1], mask=[True]), pd.DataFrame({"a": [1], "b": [2]})],
)
def test_what_is_no_column_is_refused(values):
    with pytest.raises(TypeError, match="values must be a list"):
        column(values, "values")


def test_tables_are_refused():
    with pytest.raises(ValueError, match="one-dimensional"):
        column(np.zeros((2, 2)), "values")
