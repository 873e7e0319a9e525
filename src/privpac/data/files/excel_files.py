"""Excel workbooks, read cell by cell: what one cell holds never changes how another one is read.

The first row that is not empty names the columns, and each later row that is not empty is one record, even if it holds
nothing but errors. Cells to the right of the last name are not read. Every cell becomes a text in one fixed form,
whatever the other cells of its column hold: a number as 37 or 37.5, a date as 2026-01-31, a time as
2026-01-31T08:30:00, a duration as 26:30:00, a truth value as true or false. Empty cells, errors such as #DIV/0! and
#SPILL!, and cells that cannot be read are missing. For a formula, the value that Excel stored with it is read. Merged
cells hold one value, which belongs to the first of their rows and columns; the other rows lack it. A row with a date or
a duration beyond all calendars has no value in any column. In the older format (.xls), a row of errors alone counts as
empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from privpac.data.files.date_formats import DateFormat
from privpac.data.files.file_format import FileFormat
from privpac.data.files.headings import checked_names
from privpac.data.files.sheet_cells import readable_cells
from privpac.data.values.line_codes import EXACT_FLOATS
from privpac.refusals.refusal import InOtherWords, Refused, Setting, Sketch

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".xlsx", ".xlsm", ".xls")
MIDNIGHT = time()
NO_READER = "Excel files are read with python-calamine; install it with: pip install 'privpac[excel]'"
Cell = str | bool | int | float | date | time | timedelta | None


def excel_table(files: Sequence[str | bytes], sheet: str | None, file_format: FileFormat, most: int) -> pa.Table:
    """The records of workbooks, each a path or the bytes of a file, as a table of texts of at most ``most`` columns."""
    pa = import_module("pyarrow")
    tables = []
    for file in files:
        names, rows = _named_rows(_rows(file, sheet), most)
        columns = ([_text(row[i], file_format, name) for row in rows] for i, name in enumerate(names))
        tables.append(pa.table([pa.array(column, pa.string()) for column in columns], names=names))
    if any(table.column_names != tables[0].column_names for table in tables):
        differ = "the first rows of the workbooks differ; give files that name the same columns in the same order"
        raise Refused("source", differ)
    return pa.concat_tables(tables)


def unpacked_size(content: bytes) -> int:
    """How many bytes a workbook in memory holds, unpacked."""
    try:
        with ZipFile(BytesIO(content)) as parts:
            return sum(part.file_size for part in parts.infolist())
    except BadZipFile:
        return len(content)  # the older format is not packed


def _rows(file: str | bytes, sheet: str | None) -> list[list[Cell]]:
    """The rows of a sheet that are not empty, from its first column on.

    An empty cell, or one with an error, is an empty text; in a row with a time that cannot be read, all cells are None.
    """
    with InOtherWords(lambda _: ImportError(NO_READER), ImportError):
        reader = import_module("python_calamine").CalamineWorkbook
    source = readable_cells(file) or file
    book = reader.from_path(source) if isinstance(source, str) else reader.from_filelike(BytesIO(source))
    names = book.sheet_names
    if sheet is None and len(names) == 1:
        (sheet,) = names
    if sheet not in names:
        why = "the workbook has several sheets" if sheet is None else f"the workbook has no sheet {sheet!r}"
        raise Refused("table", f"{why}; choose one with ", Setting.to("table", Sketch("…")), f": {', '.join(names)}")
    cells = book.get_sheet_by_name(sheet)
    (_, left), (_, right) = cells.start or (0, 0), cells.end or (0, 0)
    unreadable: list[Cell] = [None] * (right + 1 - left)
    empty_on_left: list[Cell] = [""] * left  # the reader leaves out empty columns on the left
    reader_rows, rows = cells.iter_rows(), []
    while (row := _next(reader_rows, unreadable)) is not None:
        rows.append(empty_on_left + row)
    # ``readable_cells`` has left out empty rows, but it does not rewrite the older format.
    return rows if source is not file else [row for row in rows if any(cell != "" for cell in row)]


def _next(rows: Iterator[list[Cell]], unreadable: list[Cell]) -> list[Cell] | None:
    """The next row, if there is one; ``unreadable`` if it has a time that the reader cannot hold."""
    try:
        return next(rows, None)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        # An OverflowError, or a panic of the reader, which is not an Exception: only this row is lost.
        return unreadable


def _named_rows(rows: Sequence[list[Cell]], most: int) -> tuple[list[str], list[list[Cell]]]:
    """The names of the columns, and the records below them."""
    if not rows:
        raise Refused("source", "the sheet is empty; its first row must name the columns")
    width = max((i for i, cell in enumerate(rows[0], 1) if cell != ""), default=0)
    return checked_names([_usual_text(cell) or "" for cell in rows[0][:width]], most), [row[:width] for row in rows[1:]]


def _text(cell: Cell, file_format: FileFormat, name: str) -> str | None:
    """A cell of the column ``name`` as a text file in this format would spell it; None if it is empty."""
    text = _usual_text(cell)
    if isinstance(cell, date) and text and name in file_format.dates:
        # The usual spelling is better, because it keeps the century and the seconds. But if it also matches the
        # declared date format, it would be read in that format.
        declared = file_format.dates[name]
        return cell.strftime(declared) if re.fullmatch(DateFormat(declared).pattern, text) else text
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return text.replace(".", ",") if text and is_number and file_format.comma(name) else text


def _usual_text(cell: Cell) -> str | None:
    """The text of a cell in the fixed form that the docstring of this file describes; None if it is empty."""
    if cell is None or isinstance(cell, str):
        return cell or None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if abs(cell) < EXACT_FLOATS and cell.is_integer() else repr(cell)
    if isinstance(cell, datetime) and cell.time() == MIDNIGHT:
        cell = cell.date()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(cell) if isinstance(cell, int) else cell.isoformat()
