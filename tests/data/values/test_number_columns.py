"""Columns of numbers are read at once, and a missing entry changes none of the others."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.on_invalid import valid
from privpac.data.values.columns import cells, numbers_and_gaps

LARGE = 2**60 + 1  # between two floats
HOLDERS = {
    "polars": lambda values, kind: pl.Series(values, dtype={"int64": pl.Int64, "bool": pl.Boolean}.get(kind)),
    "pyarrow": lambda values, kind: pa.array(values, {"int64": pa.int64(), "bool": pa.bool_()}.get(kind)),
    "chunks": lambda values, kind: pa.chunked_array([values[:1], values[1:]], {"bool": pa.bool_()}.get(kind)),
    "pandas": lambda values, kind: pd.Series(values, dtype={"int64": "Int64", "bool": "boolean"}.get(kind, "Float64")),
    "pandas of arrow": lambda values, kind: pd.Series(values, dtype=f"{kind}[pyarrow]"),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_integers_without_gaps_are_numpys(holder):
    found = cells(HOLDERS[holder]([LARGE, -3], "int64"), "values")
    assert found.dtype == np.int64 and found.tolist() == [LARGE, -3]


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize(("values", "kind"), [([LARGE, None, 3], "int64"), ([None, True], "bool"), ([None], "bool")])
def test_a_gap_changes_no_other_entry(holder, values, kind):
    found = cells(HOLDERS[holder](values, kind), "values").tolist()
    assert found == values and list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_missing_float_is_nan(holder):
    found = cells(HOLDERS[holder]([0.1, None, -0.0], "double"), "values")
    assert found.dtype == np.float64 and str(found.tolist()) == "[0.1, nan, -0.0]"


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([2**100], dtype=pl.Int128),
        pl.Series(["37"]),
        pa.array(["37"]),
        pa.array([np.float16(1.5)], pa.float16()),
        pd.Series([1]),
        [1],
    ],
)
def test_other_columns_are_left_to_others(values):
    assert numbers_and_gaps(values) is None


def test_unsigned_integers_stay_whole():
    for column in (pa.array([2**64 - 1, None], pa.uint64()), pl.Series([2**64 - 1, None], dtype=pl.UInt64)):
        assert cells(column, "values").tolist() == [2**64 - 1, None]


@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("line", [Line(0, 120), Line(0, 120, step=5), Line(0, 2**63), Line(-(2**70), 2**70)])
def test_integers_with_gaps_fit_as_each_fits_alone(line, rule):
    values = [37, None, -1, 121, None, 2**60 + 1, 2**80]
    for listed in (values, values[:-1], [None, None], []):  # with 2^80, integers are not numpy's
        found, fits = valid(line, np.array(listed, dtype=object), rule)
        alone = [valid(line, np.array([each], dtype=object), rule) for each in listed]
        assert fits.tolist() == [bool(each[1][0]) for each in alone]
        assert line.encode(found).tolist() == [line.encode(each[0]).tolist()[0] for each in alone if each[1][0]]


@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("holder", HOLDERS)
def test_records_with_a_gap_are_void_in_a_column_and_in_a_table(holder, rule):
    """As they are in a list of Python's values; the other columns lose the same records."""
    ages, others = [37, None, -4, LARGE, 52, None], [1, 2, 3, None, 5, 6]
    column, other = (HOLDERS[holder](values, "int64") for values in (ages, others))
    pairs = [(Line(0, 120), column, ages)]
    domain = Columns(("age", "other"), (Line(0, 120), Line(0, 120)))
    pairs += [(domain, {"age": column, "other": other}, {"age": ages, "other": others})]
    pairs += [
        (domain, {"age": column, "other": list(map(str, others))}, {"age": ages, "other": list(map(str, others))})
    ]
    for each, held, listed in pairs:
        found, known = valid(each, held, rule), valid(each, listed, rule)
        assert found[1].tolist() == known[1].tolist()
        assert [part.tolist() for part in each.split(found[0])] == [part.tolist() for part in each.split(known[0])]


@pytest.mark.parametrize("holder", ["polars", "pyarrow", "chunks"])
def test_a_gap_makes_no_python_object_of_the_others(holder):
    """10⁷ integers, of which some were missing, took ten times as long as without gaps."""
    ages = [*range(10_000, 110_000), None]
    column = HOLDERS[holder](ages, "int64")
    tracemalloc.start()
    try:
        _, fits = valid(Line(0, 10**6), column, "clamp")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (fits.sum(), most < 50 * len(ages)) == (100_000, True)  # 100 bytes for each, with objects


def test_columns_of_several_lengths_are_refused_with_gaps_and_without():
    domain = Columns(("age", "other"), (Line(0, 120), Line(0, 120)))
    for ages in (pa.array([37, None]), pa.array([37, 38])):
        with pytest.raises(ValueError, match="differ in length"):
            valid(domain, {"age": ages, "other": pa.array([1, 2, 3])}, "clamp")


@pytest.mark.parametrize("holder", HOLDERS)
def test_numbers_without_gaps_take_no_shorter_way(holder):
    """There is a mask, or a new column of floats, whether or not some are missing: the same steps."""
    for values, kind in (([37, 52], "int64"), ([True, False], "bool")):
        assert numbers_and_gaps(HOLDERS[holder](values, kind))[1].tolist() == [False, False]
    floats, absent = numbers_and_gaps(HOLDERS[holder]([0.5, 1.5], "float64"))
    assert floats.tolist() == [0.5, 1.5] and absent is None
