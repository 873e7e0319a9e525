"""Text files, read without guessing: a line is a record, and no record decides how another one is read.

A CSV file is UTF-8. Its first line names the columns, and each later line that is not empty is one record. A line ends
at a line feed, at a carriage return, or at a carriage return followed by a line feed, whatever ends the other lines.
Each line is split at its separators independently: a quote that is not closed ends with its line. A line with more or
fewer cells than the first, a line that is not UTF-8, and a line of more than 50,000 bytes (or 1,000 for each column, if
that is more) have no value in any column. A cell may be enclosed in double quotes; inside them, two double quotes stand
for one. An empty cell is missing.

Main declarations
    matching      the files that a path or a pattern stands for
    unglobbed     a path that an engine does not read as a pattern
    heading       the names of the columns of text files
    text_query    their records, all cells as text, in DuckDB's SQL
    sql_name      the name of a column in a query
    sql_text      a text in a query
    TEXT          a sentence that says what a CSV file must be
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from glob import escape, glob
from pathlib import Path

from privpac.data.csv_cells import Splitting
from privpac.data.headings import MOST_COLUMNS, check_heading
from privpac.data.refusal import Refused

TEXT = (
    "a CSV file is UTF-8 text, with commas between cells, a first line that names the columns, and one line per record"
)
QUOTED = r"""("(?:[^"]|"")*"|[^{0}]*){0}"""


def matching(address: str) -> list[str]:
    """The file at this path, or the files that match a pattern with ``*``, sorted.

    >>> matching("no such file.csv")
    []
    """
    paths = [address] if Path(address).is_file() else sorted(glob(address))  # noqa: PTH207  (Path.glob takes no absolute patterns)
    return [path for path in paths if Path(path).is_file()]


def unglobbed(path: str) -> str:
    """The path as a pattern that matches only the path itself.

    >>> unglobbed("data [1].csv")
    'data [[]1].csv'
    """
    return escape(path)


def heading(lines: Sequence[bytes], separator: str, most: int = MOST_COLUMNS) -> list[str]:
    """The names in the first lines of some files, which must be equal, at most ``most``; unnamed ones are numbered.

    >>> heading([b"delay,late"], ",")
    ['delay', 'late']
    """
    heads = [_names(line.decode("utf-8-sig"), separator) for line in lines]
    names = heads[0]
    if any(each != names for each in heads):
        differ = "the first lines of the files differ; give files that name the same columns in the same order"
        raise Refused("source", differ)
    if not names or any("\0" in name for name in names):  # which no engine takes in a name
        raise Refused("source", f"the first line must name the columns; {TEXT}")
    check_heading(names, most)
    if len({name.casefold() for name in names}) < len(names):  # to an engine, age and Age are the same name
        raise Refused("source", "the first line names a column twice; give each column its own name")
    return names


def text_query(names: Sequence[str], splitting: Splitting, lines: str) -> str:
    """The records that are in the table ``lines``: in its column ``line``, or split into cells.

    >>> text_query(["delay", "late"], Splitting(2, ","), "lines")[:7]
    'SELECT '
    """
    separator, split = splitting.separator, ", ".join(map(sql_name, splitting.names))
    quoted = f"regexp_extract_all(line || {sql_text(separator)}, {sql_text(QUOTED.format(separator))}, 1)"
    plain = f"string_split(line, {sql_text(separator)})"
    cells = f"""SELECT CASE WHEN contains(line, '"') THEN {quoted} ELSE {plain} END AS cells, {split} FROM {lines}"""
    columns = (
        f"CASE WHEN cells IS NULL THEN {sql_name(cell)} "
        f"WHEN len(cells) = {len(names)} THEN nullif({_unquoted(f'cells[{i}]')}, '') END AS {sql_name(name)}"
        for i, (name, cell) in enumerate(zip(names, splitting.names, strict=True), 1)
    )
    return f"SELECT {', '.join(columns)} FROM ({cells})"


def _names(line: str, separator: str) -> list[str]:
    try:
        cells = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a cell of more than 131,072 characters
        cells = []
    return [name or f"column{i}" for i, name in enumerate(cells)]


def _unquoted(cell: str) -> str:
    whole = f"""regexp_full_match({cell}, '"(?:[^"]|"")*"')"""
    inner = f"""replace(substr({cell}, 2, length({cell}) - 2), '""', '"')"""
    return f"""CASE WHEN starts_with({cell}, '"') AND {whole} THEN {inner} ELSE {cell} END"""


def sql_text(value: str) -> str:
    """A text as a query spells it.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"


def sql_name(value: str) -> str:
    """The name of a column as a query spells it.

    >>> print(sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + value.replace('"', '""') + '"'
