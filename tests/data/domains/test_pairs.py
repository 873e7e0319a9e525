"""Two columns, read as one."""

import numpy as np
import pandas as pd
import pytest

from privpac.data.domains.pairs import Pairs, pair


@pytest.mark.parametrize(
    "table",
    [
        [("a", 1), ("b", 2)],
        (["a", "b"], [1, 2]),
        (pd.Series(["a", "b"]), np.array([1, 2])),
        pd.DataFrame({"g": ["a", "b"], "v": [1, 2]}),
        {"g": ["a", "b"], "v": [1, 2]},
    ],
)
def test_both_columns_are_found(table):
    groups, values = pair(table)
    assert (groups.tolist(), values.tolist()) == (["a", "b"], [1, 2])
    assert Pairs(2).encode(table).tolist() == [("a", 1), ("b", 2)]


def test_numbers_keep_their_type_when_columns_do():
    assert pair((["a"], np.array([1], dtype=np.int8)))[1].dtype == np.int8


@pytest.mark.parametrize("value", [-1, 4, None])
def test_values_of_too_many_bits(value):
    with pytest.raises(ValueError, match=r"outside 0 … 2\^2 − 1; declare enough bits"):
        Pairs(2).encode([("a", value)])


def test_a_wider_table_is_refused():
    for table in ({"a": ["x"], "b": [1], "c": [2]}, np.array([["x", "1", "2"]], dtype=object)):
        with pytest.raises(ValueError, match="two columns"):
            pair(table)
