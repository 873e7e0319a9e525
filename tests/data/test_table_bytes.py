"""Tables in memory are the tables of the files that hold the same bytes, and nothing is written."""

from io import BytesIO

import pyarrow
import pyarrow.parquet
import pytest

from privpac.data.engines import counted, open_table
from privpac.data.table_bytes import table_of_bytes

CSV = b"delay,late\n37,yes\r\n2,n\xe9\n\n37,yes\n"


def records(table):
    found = counted(table, ["delay"], "late", rule="default")
    return sorted(zip(found.columns[0], found.labels, found.counts, strict=True)), found.n


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
    with pytest.raises(ValueError, match=r"cannot be read|is not a CSV or Parquet file") as refused:
        table_of_bytes(content, name)
    assert "secret" not in str(refused.value)


def test_a_small_file_that_unpacks_to_a_large_table_is_refused(monkeypatch):
    monkeypatch.setattr("privpac.data.table_bytes.MOST_UNPACKED", 50)
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"x": [0] * 10**5}), file)
    with pytest.raises(ValueError, match="unpacks to more than 1 GB"):
        table_of_bytes(file.getvalue(), "a.parquet")
