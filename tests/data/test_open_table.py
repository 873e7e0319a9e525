"""Tables in memory are the tables of the files that hold the same bytes, and nothing is written."""

from io import BytesIO

import pyarrow
import pyarrow.parquet
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.open_table import open_table, table_of_bytes

CSV = b"delay,late\n37,yes\r\n2,n\xe9\n\n37,yes\n"


def records(table):
    found = group_counts(table, ["delay"], "late", rule="default")
    return sorted(zip(found.columns[0], found.labels, found.counts, strict=True)), found.n


@pytest.mark.slow
def test_a_text_is_read_as_its_file_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(CSV)
    table = table_of_bytes(CSV, "a.csv")
    assert records(table) == records(open_table("a.csv")) and records(table) == records(table)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_the_engine_may_not_write():
    table = table_of_bytes(CSV, "a.csv")
    assert table.get_backend().raw_sql("SELECT current_setting('temp_directory')").fetchall() == [("",)]


def test_parquet(tmp_path):
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"delay": [37, 2], "late": ["yes", "no"]}), file)
    assert records(table_of_bytes(file.getvalue(), "a.parquet")) == ([(2, "no", 1), (37, "yes", 1)], 2)


@pytest.mark.parametrize(
    ("content", "name"), [(b"secret", "a.parquet"), (b"\xff\xfes\x00e\x00", "a.csv"), (b"x", "a.csv.gz"), (b"x", "a")]
)
def test_what_cannot_be_read_is_refused_without_quoting_it(content, name):
    with pytest.raises(ValueError, match=r"cannot be read|is not a CSV|is UTF-16, which is not read") as refused:
        table_of_bytes(content, name)
    assert "secret" not in str(refused.value)


def test_a_small_file_that_unpacks_to_a_large_table_is_refused(monkeypatch):
    monkeypatch.setattr("privpac.data.open_table.MOST_UNPACKED", 50)
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"x": [0] * 10**5}), file)
    with pytest.raises(ValueError, match="unpacks to more than 1 GB"):
        table_of_bytes(file.getvalue(), "a.parquet")


def packed(columns, groups):
    """A file with the same records in each of several groups."""
    file, table = BytesIO(), pyarrow.table(columns)
    with pyarrow.parquet.ParquetWriter(file, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return file.getvalue()


def test_a_run_of_equal_numbers_counts_as_many_as_it_unpacks_to(monkeypatch):
    monkeypatch.setattr("privpac.data.open_table.MOST_UNPACKED", 10**6)
    with pytest.raises(ValueError, match="unpacks to more than 1 GB"):
        table_of_bytes(packed({"x": [0] * 10**5}, 1), "a.parquet")
    assert table_of_bytes(packed({"x": [0] * 10**4}, 2), "a.parquet").columns == ("x",)


@pytest.mark.slow
def test_a_long_text_is_in_memory_once_however_often_it_occurs():
    content = packed({"delay": [37] * 1000, "late": ["y" * 10**4] * 1000, "codes": [["z" * 10**4]] * 1000}, 3)
    before = pyarrow.total_allocated_bytes()
    table = table_of_bytes(content, "a.parquet")
    assert pyarrow.total_allocated_bytes() - before < 10**6  # of 6·10⁷
    assert records(table) == ([(37, "y" * 10**4, 3000)], 3000)


def test_a_file_without_records():
    assert records(table_of_bytes(packed({"delay": pyarrow.array([], "int64"), "late": []}, 0), "a.parquet")) == ([], 0)
