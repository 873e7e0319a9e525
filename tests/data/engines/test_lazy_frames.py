"""The rows of a LazyFrame arrive in DuckDB as they were, once, and a few at a time."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.engines.duckdb_rows import FIRST_POLARS, LazyRows, copied_table, is_lazy, lazy_rows, streaming_table
from privpac.refusals.refusal import Refused

pytestmark = pytest.mark.skipif(int(pl.__version__.partition(".")[0]) < FIRST_POLARS, reason="this polars is collected")
SECRET = 4711
NOON = datetime(2026, 7, 1, 12, 0, 0, 123456)
COLUMNS = {
    "int": pl.Series([2**60 + 1, None, -3], dtype=pl.Int64),
    "small": pl.Series([1, 2, None], dtype=pl.UInt8),
    "large": pl.Series([2**64 - 1, 0, 3], dtype=pl.UInt64),
    "float": pl.Series([0.1, None, -2.5], dtype=pl.Float64),
    "narrow": pl.Series([0.1, 3.0, None], dtype=pl.Float32),
    "bit": pl.Series([True, None, False]),
    "text": pl.Series(["AB", "ab", None]),
    "name": pl.Series(["AB", "ab", None], dtype=pl.Categorical),
    "day": pl.Series([date(1, 1, 1), None, date(9999, 12, 31)]),
    "time": pl.Series([NOON, None, datetime(1969, 12, 31, 23, 59, 59, 999999)]),
    "coarse": pl.Series([NOON, None, datetime(1, 1, 1)], dtype=pl.Datetime("ms")),
    "instant": pl.Series([NOON.replace(tzinfo=UTC), None, NOON.replace(tzinfo=UTC)]),
    "decimal": pl.Series([Decimal("1.50"), None, Decimal("-2.25")]),
    "bytes": pl.Series([b"\xff", b"", None]),
}


def found(table, name):
    """The entries of a column, as the engine returns them, with their counts."""
    answer = group_counts(table, [name], rule="default")
    values = answer.columns[0].tolist()
    return sorted(zip(map(repr, values), answer.counts.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", COLUMNS)
def test_values_arrive_as_they_were(name):
    query = pl.DataFrame({name: COLUMNS[name]}).lazy()
    there = [value for value in COLUMNS[name].to_list() if value is not None]
    expected = sorted((repr(value), there.count(value)) for value in {*there})
    assert found(streaming_table(lazy_rows(query)), name) == found(copied_table(lazy_rows(query)), name) == expected


def test_categories_are_texts_in_every_batch():
    names = [f"C{i % 3}" for i in range(200_000)]
    query = pl.LazyFrame({"x": names}).with_columns(pl.col("x").cast(pl.Categorical))
    assert [count for _, count in found(streaming_table(lazy_rows(query)), "x")] == [66_667, 66_667, 66_666]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": [timedelta(seconds=1)]}),
        pl.DataFrame({"x": [[1, 2]]}),
        pl.DataFrame({"x": [{"a": 1}]}),
        pl.DataFrame({"x": [1], "X": [2]}),
        pl.DataFrame({"": [1]}),
        pl.DataFrame(),
    ],
    ids=["duration", "list", "struct", "two of a name", "no name", "no columns"],
)
def test_other_rows_must_be_collected(frame):
    assert is_lazy(frame.lazy()) and lazy_rows(frame.lazy()) is None


def test_batches_of_an_old_polars_are_not_trusted(monkeypatch):
    """If a query fails in polars 1.36, its batches end without an error."""
    monkeypatch.setattr(pl, "__version__", "1.36.1")
    assert lazy_rows(pl.LazyFrame({"x": [1]})) is None


def test_rows_are_read_once():
    runs = []

    def seen(rows):
        runs.append(len(rows))
        return rows

    rows = lazy_rows(pl.LazyFrame({"x": [1, 2, 2]}).map_batches(seen))
    assert isinstance(rows, LazyRows)
    table = streaming_table(rows)
    assert table.columns == ("x",) and not runs  # asking for the types starts nothing
    assert group_counts(table, ["x"]).n == sum(runs) == 3
    with pytest.raises(Refused, match="the LazyFrame failed"):
        group_counts(table, ["x"])
    assert sum(runs) == 3


def test_rows_that_stay_are_read_once_and_counted_twice():
    runs = []
    table = copied_table(lazy_rows(pl.LazyFrame({"x": [1, 2, 2]}).map_batches(lambda rows: runs.append(1) or rows)))
    assert [group_counts(table, ["x"]).n for _ in range(2)] == [3, 3] and len(runs) == 1


@pytest.mark.parametrize("kept", [streaming_table, copied_table])
def test_a_query_that_fails_in_the_middle_is_told_without_records(kept):
    """No part of the rows is taken for all of them."""
    numbers = np.arange(300_000)
    numbers[250_000] = SECRET + 2**40
    query = pl.LazyFrame({"x": numbers}).select(pl.col("x").cast(pl.Int32))
    with pytest.raises(Refused, match="the LazyFrame failed before its last row") as refusal:
        group_counts(kept(lazy_rows(query)), ["x"])
    assert str(SECRET) not in str(refusal.value) and refusal.value.__cause__ is None


def test_batches_have_the_types_of_the_schema():
    read = pa.table(lazy_rows(pl.LazyFrame({"x": ["a"], "y": [1]}).filter(pl.col("y") > 1)))
    assert read.num_rows == 0 and read.column_names == ["x", "y"]
