"""Files with very many columns, or with names that command a terminal, are refused before a record is read."""

from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privpac.data import open_table as opening
from privpac.data.files.headings import LONGEST_NAME, MOST_COLUMNS, check_heading
from privpac.data.open_table import MOST_COLUMNS_IN_MEMORY, MOST_GROUPS, MOST_ROWS, open_table, table_of_bytes
from privpac.refusals.refusal import Refused


def text(names: list[str]) -> bytes:
    return (",".join(names) + "\n" + "1," * len(names)).encode()


def packed(table: pa.Table, **options) -> bytes:
    file = BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def wide(count: int) -> list[str]:
    return [f"c{i}" for i in range(count)]


@pytest.fixture
def unread(monkeypatch):
    """Reading more than names fails the test."""

    def read(*_, **__):
        raise AssertionError("records were read")

    monkeypatch.setattr(opening, "_arrow_table", read)
    monkeypatch.setattr(opening, "Lines", read)


@pytest.mark.parametrize("count", [MOST_COLUMNS_IN_MEMORY + 1, 250_000])
def test_a_text_with_many_columns_is_refused_by_its_first_line(unread, count):
    with pytest.raises(Refused, match="more than 1,000 columns"):
        table_of_bytes(text(wide(count)), "a.csv")


def test_a_parquet_file_with_many_columns_is_refused_by_its_footer(unread):
    few = packed(pa.table({name: [1] for name in wide(MOST_COLUMNS_IN_MEMORY + 1)}), compression="zstd")
    with pytest.raises(Refused, match="more than 1,000 columns"):
        table_of_bytes(few, "a.parquet")
    nested = pa.array([None], pa.struct([(name, pa.int8()) for name in wide(MOST_COLUMNS_IN_MEMORY + 1)]))
    with pytest.raises(Refused, match="more than 1,000 columns"):
        table_of_bytes(packed(pa.table({"a": nested})), "a.parquet")


def test_a_long_footer_is_not_even_parsed(unread, monkeypatch):
    monkeypatch.setattr(pq, "ParquetFile", None)
    content = packed(pa.table({"x" * 10**6: [1]}))
    with pytest.raises(Refused, match="at most 1,000 columns and 1,000 groups"):
        table_of_bytes(content, "a.parquet")


def test_rows_and_groups_are_counted_before_they_are_read(unread):
    with pytest.raises(Refused, match="more than 5,000,000 rows"):
        table_of_bytes(b"a\n" + b"1\n" * (MOST_ROWS + 1), "a.csv")
    with pytest.raises(Refused, match="more than 5,000,000 rows"):
        table_of_bytes(packed(pa.table({"a": pa.repeat(pa.scalar(0, pa.int8()), MOST_ROWS + 1)})), "a.parquet")
    groups = packed(pa.table({"a": list(range(MOST_GROUPS + 1))}), row_group_size=1)
    with pytest.raises(Refused, match="more than 1,000 row groups"):
        table_of_bytes(groups, "a.parquet")


@pytest.mark.parametrize("name", ["age\x1b[2J", "age\x07", "\u202eega", "age\x7f", "a\tb"])
def test_names_that_command_are_refused_and_not_quoted(name):
    for content, file in ((text([name, "late"]), "a.csv"), (packed(pa.table({name: [1]})), "a.parquet")):
        with pytest.raises(Refused, match="has a control character; rename the column") as refusal:
            table_of_bytes(content, file)
        assert name not in str(refusal.value)


def test_names_of_all_alphabets_are_names():
    check_heading(["âge", "Größe", "年齢", "گروه\u200cسنی", "length\u00a0of stay", "👩\u200d⚕️", "x" * LONGEST_NAME])
    with pytest.raises(Refused, match="more than 1,000 characters"):
        check_heading(["x" * (LONGEST_NAME + 1)])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "most"), [("csv", "4,000"), ("parquet", "10,000")])
def test_files_have_a_cap_too(tmp_path, kind, most):
    path, names = tmp_path / f"a.{kind}", wide(MOST_COLUMNS + 1)
    path.write_bytes(text(names) if kind == "csv" else packed(pa.table(dict.fromkeys(names, pa.array([1], pa.int8())))))
    with pytest.raises(Refused, match=f"more than {most} columns"):
        open_table(path)
