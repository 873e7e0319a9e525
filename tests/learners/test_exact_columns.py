"""No record changes how another one is read: labels, units and points in columns of every library, nulls or not."""

from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

import privpac as pp
from privpac.learners.classifier import PrivateClassifier
from tests.learners.readers import gathered

VALUES = {  # two different ones that rounding could make one, and their type in pyarrow
    "2^53": (2**53, 2**53 + 1, pa.int64()),
    "2^60": (2**60, 2**60 + 1, pa.int64()),
    "-2^63": (-(2**63), -(2**63) + 1, pa.int64()),
    "2^64": (2**64 - 2, 2**64 - 1, pa.uint64()),
    "bytes": (254, 255, pa.uint8()),
    "truth": (False, True, pa.bool_()),
    "floats": (0.1, 0.1 + 2**-56, pa.float64()),
    "decimals": (Decimal(2**60) / 100, Decimal(2**60 + 1) / 100, pa.decimal128(30, 2)),
    "dates": (date(2026, 11, 15), date(2026, 11, 16), pa.date32()),
    "instants": (datetime(2026, 11, 15, 1), datetime(2026, 11, 15, 1, 0, 0, 1), pa.timestamp("us")),
    "times": (time(8, 30), time(8, 30, 0, 1), pa.time64("us")),
    "text": ("a", "b", pa.string()),
}
NULLABLE = {pa.int64(): "Int64", pa.uint64(): "UInt64", pa.uint8(): "UInt8", pa.bool_(): "boolean"}


def columns(values, arrow):
    """The same values in every library; None is a null."""
    array, there = pa.array(values, arrow), [value for value in values if value is not None]
    yield from (values, np.array([*values, None], dtype=object)[:-1], pd.Series(values, dtype=object))
    yield from (array, pa.chunked_array([array.slice(0, 3), array.slice(3)]), array.dictionary_encode())
    yield from (pl.Series(pl.from_arrow(array)), pd.Series(pd.array(values, dtype=pd.ArrowDtype(arrow))))
    yield pd.Series(values, dtype=pd.CategoricalDtype(list(dict.fromkeys(there))))
    yield from (pl.DataFrame({"y": pl.from_arrow(array)})["y"], pa.table({"y": array})["y"])
    if arrow in NULLABLE:
        yield from (pd.array(values, dtype=NULLABLE[arrow]), pd.Series(values, dtype=NULLABLE[arrow]))
    if arrow == pa.string():
        yield pl.Series(values, dtype=pl.Categorical)
    if len(there) == len(values):
        yield np.array(values)


def sample(X, y, unit=None, classes=(0, 1)):
    """The sealed sample, and which of its records are void."""
    learner = PrivateClassifier(pp.Points(), feature=None, classes=classes, on_invalid="default", random_state=3)
    return gathered(learner, X, y, unit)


@pytest.mark.parametrize("last", ["null", "none"])
@pytest.mark.parametrize("kind", VALUES)
def test_a_null_changes_no_label(kind, last):
    zero, one, arrow = VALUES[kind]
    labels = [zero] * 5 + [one] * 4 + [None if last == "null" else zero]
    for y in columns(labels, arrow):
        found = sample(["a"] * 10, y, classes=(zero, one))
        assert (found.size, found.labels[:9].tolist()) == (10, [False] * 5 + [True] * 4)
        assert len(found.labels) == 9 + (last == "none")


@pytest.mark.parametrize("last", ["null", "none"])
@pytest.mark.parametrize("kind", VALUES)
def test_a_null_makes_no_units_one(kind, last):
    zero, one, arrow = VALUES[kind]
    for unit in columns([zero, one, zero, one, None if last == "null" else zero], arrow):
        assert sample(["a"] * 5, [0, 1] * 2 + [1], unit).size == 2


@pytest.mark.parametrize("last", ["null", "none"])
@pytest.mark.parametrize("kind", VALUES)
def test_a_null_changes_no_point(kind, last):
    zero, one, arrow = VALUES[kind]
    points = [zero] * 3 + [one] * 2 + [None if last == "null" else zero]
    for X in columns(points, arrow):
        values, zeros, ones = sample(X, [0, 0, 0, 1, 1, 0]).tally()
        assert values.tolist() == [zero, one]
        assert (zeros.tolist(), ones.tolist()) == ([3 + (last == "none"), 0], [0, 2])


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "UInt64", "uint64[pyarrow]", "int64"])
def test_a_thousand_long_names_are_a_thousand_units(dtype):
    unit = pd.Series(range(2**60, 2**60 + 1000), dtype=dtype)
    assert sample(["a"] * 1000, [0, 1] * 500, unit).size == 1000


@pytest.mark.parametrize("last", [2**60, None])
def test_the_rule_that_is_learned_does_not_hang_on_one_null(last):
    y = pl.Series([2**60] * 500 + [2**60 + 1] * 500 + [last], dtype=pl.Int64)
    learner = pp.PrivateClassifier(
        pp.Points(), epsilon=4, feature=None, classes=(2**60, 2**60 + 1), on_invalid="default"
    )
    assert str(learner.fit(["b"] * 500 + ["a"] * 500 + ["b"], y).hypothesis_) == "x = a"


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_of_one_column_is_that_column(library):
    table = library({"y": [2**60, 2**60 + 1, 2**60]})
    with pytest.warns(DataConversionWarning, match="column-vector"):
        found = sample(["a"] * 3, table, classes=(2**60, 2**60 + 1))
    assert found.labels.tolist() == [False, True, False]
    with pytest.raises(ValueError, match="1d array"):
        sample(["a"] * 2, library({"y": [0, 1], "z": [0, 1]}))


class Tensor:
    """As libraries of tensors have them: numbers of one type, of a type that is not numpy's."""

    dtype = "int64 of another library"
    __dlpack__ = None

    def __init__(self, values):
        self._values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self._values

    def __iter__(self):
        return (Tensor(value) for value in self._values)


def test_tensors_are_read_as_arrays():
    assert sample(["a"] * 2, Tensor([2**60, 2**60 + 1]), classes=(2**60, 2**60 + 1)).labels.tolist() == [False, True]


@pytest.mark.parametrize("nothing", [None, pd.NA, float("nan")])
def test_missing_labels_of_every_kind_are_refused(nothing):
    learner = PrivateClassifier(pp.Points(), feature=None)
    with pytest.raises(ValueError, match="some labels are missing"):
        gathered(learner, ["a", "b"], pd.Series([1, nothing], dtype="object"))
