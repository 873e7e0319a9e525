"""Excel workbooks: every cell becomes a text in one form, whatever the others in its column hold."""

import sys
from datetime import date, datetime

import pytest

from privpac.data.files.excel_files import unpacked_size
from privpac.data.files.file_format import FileFormat
from privpac.data.open_table import open_table, table_of_bytes
from tests.data.files.workbooks import Duration, Formula, Moment, workbook

HEAD = ["age", "day", "note"]
ODD = ["37", "", True, 37.5, 1e300, -0.0, "#DIV/0!", "=1+1", date(2026, 2, 1), datetime(2026, 2, 1, 8, 30), "ü" * 99]


def records(rows, name="a.xlsx", form=None, **keywords):
    table = table_of_bytes(workbook(rows, **keywords), name, form)
    return [tuple(row.values()) for row in table.to_pyarrow().to_pylist()]


def test_cells_become_texts_in_one_form():
    rows = [[37, date(2026, 1, 31), "x"], [37.5, datetime(2026, 1, 31, 8, 30), True], [2**53 - 1, 0.1, "007"]]
    expected = [("37", "2026-01-31", "x"), ("37.5", "2026-01-31T08:30:00", "true"), (str(2**53 - 1), "0.1", "007")]
    assert records([HEAD, *rows]) == expected


def test_formulas_errors_merged_cells_and_empty_rows():
    formulas = [Formula("<v>38</v>"), Formula(""), "#DIV/0!"]
    rows = [[None] * 3, HEAD, formulas, [None] * 3, ["a", "b", None], [None, None, "c", "beside the table"], [None] * 9]
    assert records(rows, merged="A5:A6") == [("38", None, None), ("a", "b", None), (None, None, "c")]
    assert records([["age", None, "note"], [1, 2, 3]]) == [("1", "2", "3")]
    assert table_of_bytes(workbook([["age", None, "note"]]), "a.xlsx").columns == ("age", "column1", "note")


@pytest.mark.parametrize("odd", ODD, ids=str)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_odd_cell_changes_no_other_record(odd, place):
    rows = [[i, date(2026, 1, 1 + i), f"note {i}"] for i in range(5)]
    changed = [list(row) for row in rows]
    changed[2][place] = odd
    before, after = records([HEAD, *rows]), records([HEAD, *changed])
    assert [each for i, each in enumerate(before) if i != 2] == [each for i, each in enumerate(after) if i != 2]
    assert len(after) == 5


@pytest.mark.parametrize("odd", [Moment("-1e300"), Duration("1e10"), Duration("-1e300"), Moment("1e9")])
def test_a_time_beyond_all_calendars_concerns_its_own_row(odd):
    found = records([[None], [None, *HEAD], [None, 1, 2, 3], [None, 4, odd, 6], [None, 7, 8, 9]])
    assert len(found) == 3 and [found[0], found[2]] == [(None, "1", "2", "3"), (None, "7", "8", "9")]
    assert found[1] in [(None,) * 4, (None, "4", found[1][2], "6")]


@pytest.mark.parametrize(
    ("form", "moment", "text"),
    [
        ("%d.%m.%y", date(1950, 5, 1), "1950-05-01"),
        ("%d.%m.%Y %H:%M", datetime(2026, 5, 1, 8, 30, 45), "2026-05-01T08:30:45"),
        ("%Y-%d-%m", date(2026, 5, 1), "2026-05-01"),
    ],
)
def test_a_date_is_no_other_date_in_the_declared_format(form, moment, text):
    assert records([HEAD, [1, moment, 3]], form=FileFormat(dates={"day": form})) == [("1", text, "3")]


def test_sheets_are_chosen_like_tables(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(workbook([HEAD, [1, 2, 3]], sheets=("Visits", "Notes")))
    assert open_table(tmp_path / "a.xlsx", "Visits").columns == tuple(HEAD)
    with pytest.raises(ValueError, match="several sheets; choose one with table=…: Visits, Notes"):
        open_table(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match="no sheet 'visits'"):
        open_table(tmp_path / "a.xlsx", "visits")
    with pytest.raises(ValueError, match="the sheet is empty"):
        open_table(tmp_path / "a.xlsx", "Notes")


def test_several_workbooks_are_one_table(tmp_path):
    for i in (1, 2):
        (tmp_path / f"{i}.xlsx").write_bytes(workbook([HEAD, [i, 2, 3]]))
    assert open_table(str(tmp_path / "*.xlsx")).to_pyarrow()["age"].to_pylist() == ["1", "2"]
    (tmp_path / "3.xlsx").write_bytes(workbook([[*HEAD, "ward"]]))
    with pytest.raises(ValueError, match="first rows of the workbooks differ"):
        open_table(str(tmp_path / "*.xlsx"))


def test_what_is_not_a_workbook_is_refused(monkeypatch):
    for content in (b"age,late\n", b"PK\x03\x04 secret", workbook([HEAD])[:300]):
        with pytest.raises(ValueError, match="not an Excel file") as refusal:
            table_of_bytes(content, "a.xlsx")
        assert "secret" not in str(refusal.value)
    with pytest.raises(ValueError, match="the same name in columns 1 and 2"):
        table_of_bytes(workbook([["age", "age"]]), "a.xlsx")
    assert table_of_bytes(workbook([["age", "Age"], [1, 2]]), "a.xlsx").columns == ("age", "Age_1")
    assert unpacked_size(workbook([HEAD])) > 1000 and unpacked_size(b"not packed") == 10
    monkeypatch.setattr("privpac.data.open_table.MOST_UNPACKED", 50)
    with pytest.raises(ValueError, match="unpacks to more than 1 GB"):
        table_of_bytes(workbook([HEAD]), "a.xlsx")


def test_without_its_reader_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r"pip install 'privpac\[excel\]'"):
        table_of_bytes(workbook([HEAD]), "a.xlsx")
