"""Rows that DuckDB reads as they arrive."""

import stat
from pathlib import Path

import pyarrow as pa
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.engines.duckdb_rows import copied_table, duckdb_connection, streaming_table
from privpac.data.files.private_files import own_folder
from privpac.refusals.refusal import Refused

ROWS = pa.table({"x": [1, 2, 2]})


@pytest.mark.parametrize("rows", [streaming_table, copied_table])
def test_rows_are_counted(rows):
    assert sorted(group_counts(rows(ROWS.to_reader()), ["x"]).counts.tolist()) == [1, 2]


def test_rows_that_stay_can_be_read_again():
    table = copied_table(ROWS.to_reader())
    assert [group_counts(table, ["x"]).n for _ in range(2)] == [3, 3]
    assert "rows" not in table.get_backend().list_tables()


def test_a_stream_that_fails_is_refused_without_its_words():
    def batches():
        yield from ROWS.to_batches()
        raise ValueError("secret")

    for rows in (streaming_table, copied_table):
        with pytest.raises(Refused) as refusal:
            group_counts(rows(pa.RecordBatchReader.from_batches(ROWS.schema, batches())), ["x"])
        assert "secret" not in str(refusal.value)


def test_duckdb_gets_at_most_a_gigabyte():
    assert duckdb_connection().raw_sql("SELECT current_setting('memory_limit')").fetchone() == ("953.6 MiB",)


@pytest.mark.slow
def test_records_that_do_not_fit_into_memory_lie_in_a_folder_of_ours(tmp_path, monkeypatch):
    """DuckDB's own place would be .tmp in the current folder, open to everyone."""
    monkeypatch.chdir(tmp_path)
    connection = duckdb_connection()
    connection.raw_sql("SET memory_limit = '20MB'")
    connection.raw_sql("CREATE TABLE records AS SELECT range AS x, md5(range::VARCHAR) AS y FROM range(500000)")
    assert any(Path(own_folder()).iterdir())
    assert stat.S_IMODE(Path(own_folder()).stat().st_mode) == 0o700
    assert list(tmp_path.iterdir()) == []
    connection.disconnect()
