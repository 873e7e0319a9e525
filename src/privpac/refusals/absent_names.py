"""Names of files and columns that do not exist: sentences about them, with the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

TABLE_FILE = "; give the path of a CSV, Parquet, Excel, DuckDB, or SQLite file"


class NoSuchColumn(ValueError):
    """A table lacks a column."""


def no_such_file(path: object, instead: str = TABLE_FILE, *, kind: str = "file") -> FileNotFoundError:
    """The error about a path at which there is no file or folder.

    >>> no_such_file("visits.csv")
    FileNotFoundError('there is no file visits.csv; give the path of a CSV, Parquet, Excel, DuckDB, or SQLite file')
    """
    return FileNotFoundError(f"there is no {kind} {path}{instead}")


def no_file_ending(ending: str, folder: object) -> FileNotFoundError:
    """The error about a folder in which no file has this ending.

    >>> str(no_file_ending(".parquet", "visits"))
    'no file ends with .parquet in visits; give the path of a CSV, Parquet, Excel, DuckDB, or SQLite file'
    """
    return FileNotFoundError(f"no file ends with {ending} in {folder}{TABLE_FILE}")


def no_such_column(
    name: object, names: Iterable[object] = (), instead: str | None = None, *, has: str = "the table has"
) -> str:
    """The sentence about a missing column. It begins with ``has``, which says what lacks the column.

    It ends with ``instead``, which says what to do, or else with the ``names`` that exist and the one probably meant.

    >>> no_such_column("dealy", ["delay", "carrier"])
    "the table has no column 'dealy'; its columns are delay, carrier; did you mean 'delay'?"
    >>> no_such_column(3, instead="pick one of its 2 columns by its position, counted from 0", has="the array has")
    'the array has no column 3; pick one of its 2 columns by its position, counted from 0'
    """
    known = list(names)
    columns = f"its columns are {', '.join(map(str, known))}" if known else "it has no columns"
    return f"{has} no column {name!r}; {instead or columns + did_you_mean(name, known)}"


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """The question to add to a refusal; empty if no name is close.

    >>> did_you_mean("dealy", ["delay", "carrier"]), did_you_mean("x", ["delay"])
    ("; did you mean 'delay'?", '')
    """
    if not isinstance(name, str):
        return ""
    known_texts = [known for known in names if isinstance(known, str)]
    close = same_letters(name, known_texts) or get_close_matches(name, known_texts, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def same_letters(name: str, names: Iterable[str]) -> list[str]:
    """The names with the same letters and digits as the one that was typed.

    >>> same_letters("dep_delay", ["Dep Delay", "arr_delay"])
    ['Dep Delay']
    """
    letters = _letters(name)
    return [known for known in names if letters and _letters(known) == letters]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
