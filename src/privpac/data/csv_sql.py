"""Text files, read without guessing: a line is a record, and no record decides how another one is read.

A CSV file is UTF-8. Its first line names the columns, and each later line that is not empty is one record. A line ends
at a line feed, at a carriage return, or at a carriage return followed by a line feed, whatever ends the other lines.
Each line is split at its separators independently: a quote that is not closed ends with its line, and a line with more
or fewer cells than the first has no value in any column. A cell may be enclosed in double quotes; inside them, two
double quotes stand for one. An empty cell is missing.

Main declarations
    matching      the files that a path or a pattern stands for
    literal       a path that an engine does not read as a pattern
    text_query    the records of text files, all cells as text, in DuckDB's SQL
    TEXT          a sentence that says what a CSV file must be
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from glob import escape, glob
from pathlib import Path

TEXT = (
    "a CSV file is UTF-8 text, with commas between cells, a first line that names the columns, and one line per record"
)
QUOTED = r"""("(?:[^"]|"")*"|[^{0}]*){0}"""
NEVER = "\x1f\x1e\x1f\x1e"  # the engine needs some delimiter; only a line that contains this one is cut


def matching(address: str) -> list[str]:
    """The file at this path, or else the files that match it as a pattern with ``*``, sorted.

    >>> matching("no such file.csv")
    []
    """
    paths = [address] if Path(address).is_file() else sorted(glob(address))  # noqa: PTH207  (Path.glob takes no absolute patterns)
    return [path for path in paths if Path(path).is_file()]


def literal(path: str) -> str:
    """The path as a pattern that matches only the path itself.

    >>> literal("data [1].csv")
    'data [[]1].csv'
    """
    return escape(path)


def text_query(files: Sequence[str], separator: str) -> str:
    """The records of ``files``, whose first lines must be equal; ValueError if they do not name the columns.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "flights.csv")
    ...     _ = file.write_text("delay,late\\n37,yes\\n2,no\\n")
    ...     text_query([str(file)], ",")[:7]
    'SELECT '
    """
    heads = [_head(file, separator) for file in files]
    names = heads[0]
    if any(head != names for head in heads):
        raise ValueError("the first lines of the files differ; give files that name the same columns in the same order")
    if len({name.casefold() for name in names}) < len(names):  # to an engine, age and Age are the same name
        raise ValueError("the first line names a column twice; give each column its own name")
    if not names:
        raise ValueError(f"the first line must name the columns; {TEXT}")
    whole = f"coalesce(len(cells), 0) = {len(names)}"
    columns = (
        f"CASE WHEN {whole} THEN nullif({_unquoted(f'cells[{i}]')}, '') END AS {_name(name)}"
        for i, name in enumerate(names, 1)
    )
    return f"SELECT {', '.join(columns)} FROM ({_split(files, separator)})"


def _head(file: str, separator: str) -> list[str]:
    """The names in the first line; columns without a name are numbered."""
    opened = gzip.open if file.lower().endswith(".gz") else open
    with opened(file, "rt", encoding="utf-8-sig") as lines:
        cells = next(csv.reader([lines.readline()], delimiter=separator), [])
    return [name or f"column{i}" for i, name in enumerate(cells)]


def _split(files: Sequence[str], separator: str) -> str:
    """The cells of each line. The engine only returns lines: it knows no quotes, escapes, or comments."""
    paths = ", ".join(_text(literal(file)) for file in files)
    fixed = "auto_detect = false, header = false, skip = 1, quote = '', escape = '', comment = '', strict_mode = false"
    ends = r"new_line = '\n'"  # the engine takes this as LF, CR, or CRLF; without it, the first line would decide
    lines = (
        f"SELECT line FROM read_csv([{paths}], columns = {{'line': 'VARCHAR'}}, delim = {_text(NEVER)}, "
        f"nullstr = {_text(NEVER[0])}, null_padding = true, {ends}, {fixed})"
    )
    quoted = f"regexp_extract_all(line || {_text(separator)}, {_text(QUOTED.format(separator))}, 1)"
    plain = f"string_split(line, {_text(separator)})"
    return f"""SELECT CASE WHEN contains(line, '"') THEN {quoted} ELSE {plain} END AS cells FROM ({lines})"""


def _unquoted(cell: str) -> str:
    whole = f"""regexp_full_match({cell}, '"(?:[^"]|"")*"')"""
    inner = f"""replace(substr({cell}, 2, length({cell}) - 2), '""', '"')"""
    return f"""CASE WHEN starts_with({cell}, '"') AND {whole} THEN {inner} ELSE {cell} END"""


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
