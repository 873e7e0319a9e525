"""Several Parquet files are one table only if they store the same columns in the same types."""

import math

import pyarrow as pa
import pyarrow.parquet
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.open_table import open_table
from privpac.refusals.refusal import Refused


def write(folder, **tables):
    for name, columns in tables.items():
        pa.parquet.write_table(pa.table(columns), folder / f"{name}[1].parquet")


WHOLE = {"delay": [1, 2], "late": [0, 1]}


@pytest.mark.parametrize("delay", [[1.4, 2.0], [1.0, math.nan], [1.0, 1e30], ["1", "2"], ["1", "old"]])
def test_files_with_other_types_are_refused_whatever_their_records_hold(tmp_path, delay):
    write(tmp_path, a=WHOLE, b={"delay": delay, "late": [0, 1]})
    other = "VARCHAR" if isinstance(delay[0], str) else "DOUBLE"
    told = (
        rf"column 'delay': a\[1\].parquet stores it as BIGINT and b\[1\].parquet stores it as {other}; write them again"
    )
    with pytest.raises(Refused, match=told):
        open_table(tmp_path)


def test_files_that_lack_a_column_are_refused(tmp_path):
    write(tmp_path, a=WHOLE, b={"late": [0, 1]})
    with pytest.raises(Refused, match=r"b\[1\].parquet lacks it"):
        open_table(tmp_path)
    write(tmp_path, b=WHOLE | {"more": [1, 2]})
    with pytest.raises(Refused, match=r"column 'more': a\[1\].parquet lacks it"):
        open_table(f"{tmp_path}/*.parquet")


def test_the_order_of_columns_does_not_matter(tmp_path):
    write(
        tmp_path,
        a=WHOLE,
        b={"late": [0, 1], "delay": [8, None]},
        c={"delay": pa.array([], "int64"), "late": pa.array([], "int64")},
    )
    answer = group_counts(open_table(tmp_path), ["delay"], "late", rule="default")
    assert sorted(answer.columns[0].tolist()) == [1, 2, 8]
    assert answer.n == 4


def test_a_file_among_them_that_is_not_parquet(tmp_path):
    write(tmp_path, a=WHOLE)
    (tmp_path / "b.parquet").write_text("delay,late")
    with pytest.raises(Refused, match="damaged or not a Parquet file"):
        open_table(tmp_path)


def partition(folder, place, **columns):
    (folder / place).mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table(columns or {"delay": [1, 2]}), folder / place / "part.parquet")


def test_folders_name_columns_whose_values_are_text(tmp_path):
    for year in ("2025", "2026", "old"):  # no value decides how the others are read
        partition(tmp_path, f"year={year}/carrier=B 6")
    partition(tmp_path, "_temporary", other=[1])
    table = open_table(tmp_path)
    assert table.columns == ("delay", "year", "carrier") and table.schema()["year"].is_string()
    answer = group_counts(table, ["year", "carrier"], rule="default", domains=[Line(2000, 2030), Listing(("B 6",))])
    read = zip(*(each.tolist() for each in answer.columns), answer.counts.tolist(), strict=True)
    assert set(read) == {(2025, "B 6", 2), (2026, "B 6", 2), ("old", "B 6", 2)}


def test_folders_above_name_no_columns(tmp_path):
    partition(tmp_path, "year=2025/month=1")
    assert open_table(tmp_path / "year=2025").columns == ("delay", "month")
    assert open_table(tmp_path / "year=2025" / "month=1").columns == ("delay",)
    assert open_table(tmp_path / "year=2025" / "month=1" / "part.parquet").columns == ("delay",)


@pytest.mark.parametrize(
    ("places", "match"),
    [
        (["year=2025", "month=1"], "different columns"),
        (["year=2025/month=1", "year=2025"], "different columns"),
        (["delay=2"], "'delay' is in the files and in the names of their folders"),
        (["DELAY=2"], "'DELAY' is in the files"),
    ],
)
def test_folders_that_make_no_table_are_refused(tmp_path, places, match):
    for place in places:
        partition(tmp_path, place)
    with pytest.raises(Refused, match=match):
        open_table(tmp_path)


@pytest.mark.parametrize(
    ("folders", "told"),
    [
        (["x=1", "x=secret=b"], "write = as %3D"),
        (["x=1", "x=secret?b"], "write = as %3D"),
        (["x=1", "x=secret\\b"], "write = as %3D"),
        (["x=1", "x=secret\nb"], "write = as %3D"),
        (["x=1/X=secret"], "each column once"),
        (["=secret"], "each column once"),
    ],
)
def test_names_of_folders_that_an_engine_would_misread_are_refused(tmp_path, folders, told):
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        write(tmp_path / folder, a=WHOLE)
    with pytest.raises(Refused, match=told) as refused:
        open_table(tmp_path)
    assert "secret" not in str(refused.value)
