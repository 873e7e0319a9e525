"""Columns of a table, picked by name or by position, whatever the table is.

A table is a DataFrame (pandas, polars, pyarrow), a mapping of names to columns, a two-dimensional array, or a list of
rows. A row is a tuple, whose entries have positions, or a mapping, whose entries have names.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set, Sized
from typing import Any

import numpy as np

from privpac.data.values.columns import Array, cells, column, names, number_reader, objects, parts
from privpac.refusals.absent_names import NoSuchColumn, no_such_column
from privpac.refusals.refusal import InOtherWords

NO_TABLE = "expected a table: a DataFrame, a dict of columns, a two-dimensional array, or a list of rows"
UNREADABLE = "some rows cannot be read, because their own code fails; give tuples or a dict of columns"
HIDE_ROW_ERRORS = InOtherWords(lambda _: ValueError(UNREADABLE))  # an error in a row's own code may quote the row
UNEVEN = "the columns differ in length; every record needs an entry in each column"
UNEVEN_OR_EMPTY = "a table needs at least one column, and all columns must have the same length"


def pick(table: object, key: Hashable) -> Array:
    """The column called ``key``; an integer is a position, counted from 0.

    >>> pick({"delay": [37, 2], "carrier": ["EV", "UA"]}, "carrier").tolist()
    ['EV', 'UA']
    >>> pick([(37, "EV"), (2, "UA")], 0).tolist()
    [37, 2]
    """
    return column(part(table, key), f"column {key!r}")


def part(table: object, key: Hashable) -> Any:
    """The column that :func:`pick` picks, in the type in which the table stores it."""
    table = _plain(table)
    if isinstance(table, np.ndarray):
        if not isinstance(key, int) or not 0 <= key < table.shape[1]:
            instead = f"pick one of its {table.shape[1]} columns by its position, counted from 0"
            raise NoSuchColumn(no_such_column(key, instead=instead, has="the array has"))
        return table[:, key]
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        return objects(_from_rows(table, key))
    if isinstance(table, Mapping) and key in table:
        return table[key]  # the keys of a mapping may be integers, in any order
    if isinstance(key, int) and 0 <= key < (width(table) or 0):
        positions = [key]
    else:
        positions = [i for i, name in enumerate(names(table)) if name == key]
    if not positions:
        raise NoSuchColumn(no_such_column(key, names(table)))
    if len(positions) > 1:
        raise ValueError(f"several columns are called {key!r}; pick one by its position")
    return table.iloc[:, positions[0]] if hasattr(table, "iloc") else parts(table)[positions[0]][1]


def pick_with_gaps(table: Any, key: Hashable) -> Array:
    """The column called ``key``, whose entries may also be rows or lists; None for rows that lack the entry.

    >>> pick_with_gaps([{"age": 37}, {}], "age").tolist()
    [37, None]
    """
    if width(table) is not None:
        return cells(part(table, key), f"column {key!r}")
    return objects(entry(row, key) for row in table)


def stored_column(table: object, key: Hashable) -> Any:
    """One column of a table; numbers stay in the type in which the table stores them, with their gaps."""
    values = None if width(table) is None else part(table, key)
    return pick_with_gaps(table, key) if number_reader(values) is None else values


def entry(row: Any, key: Hashable) -> Any:
    """The entry of a row: by position in a tuple, by name in a mapping; None if the row lacks it.

    >>> entry({"age": 37}, "age"), entry((37, "EV"), 1), entry((37,), 1)
    (37, 'EV', None)
    """
    try:
        if isinstance(row, Mapping):
            return row.get(key)
        has_positions = isinstance(row, tuple | list) or (isinstance(row, np.ndarray) and row.ndim > 0)
        has_entry = has_positions and isinstance(key, int) and 0 <= key < len(row)
        return row[key] if has_entry else None
    except Exception:  # whatever the code of a subclass raises, it must not reach the other records
        return None


def is_row(row: object) -> bool:
    """Whether an entry of a list can be read as a row, by position or by name."""
    try:
        return isinstance(row, (list, tuple, np.ndarray, Mapping))
    except Exception:  # isinstance may run the row's own code
        return False


def coordinates(table: Any, count: int) -> list[Array]:
    """The first ``count`` columns by position; None for rows that have more or fewer entries.

    >>> [column.tolist() for column in coordinates([(3, 4), (5,)], 2)]
    [[3, None], [4, None]]
    """
    if isinstance(table, tuple) and len(table) == 2 == count:  # a pair of columns
        return [cells(values, "values") for values in table]
    if width(table) not in (None, count):
        raise ValueError(f"the rule reads {count} columns, but the table has {width(table)}; select them first")
    if width(table) is not None:
        return [pick_with_gaps(table, i) for i in range(count)]
    rows = [row if _length(row) == count else () for row in table]
    return [objects(entry(row, i) for row in rows) for i in range(count)]


def entries(table: object) -> Array:
    """All entries of a table as a two-dimensional array: a row for each record, the columns in their order.

    Rows that are mappings are refused: one row could change which columns exist.

    >>> entries({"a": [1, 2], "b": [3, 2**70]}).tolist()
    [[1, 3], [2, 1180591620717411303424]]
    """
    table = _plain(table)
    if isinstance(table, np.ndarray):
        return table
    if isinstance(table, Mapping) or hasattr(table, "columns"):
        columns = [column(values, f"column {name!r}") for name, values in parts(table)]
        if len(set(map(len, columns))) != 1:
            raise ValueError(UNEVEN_OR_EMPTY)
        same_type = len({array.dtype for array in columns}) == 1
        return np.stack(columns if same_type else [objects(array) for array in columns], axis=1)
    rows = _rows(table)
    if any(isinstance(row, Mapping) for row in rows):
        raise TypeError("rows that are mappings have no order of columns; give tuples or a dict of columns")
    with HIDE_ROW_ERRORS:
        arrays = [objects(row) for row in rows]
    if len({len(row) for row in arrays}) > 1:
        raise ValueError("the rows differ in length; every row needs an entry for each column")
    return np.stack(arrays) if arrays else np.empty((0, 0), dtype=object)


def width(table: object) -> int | None:
    """How many columns a table has; None for a list of rows, which are read one by one.

    >>> width({"delay": [37], "carrier": ["EV"]}), width(np.zeros((5, 3))), width([(37, "EV")])
    (2, 3, None)
    """
    if isinstance(table, np.ndarray) and table.ndim == 2:
        return int(table.shape[1])
    return len(names(table)) if isinstance(table, Mapping) or hasattr(table, "columns") else None


def records(table: object) -> int:
    """How many records a column or a table has.

    >>> records({"delay": [37, 2, 5], "carrier": ["EV", "UA", "EV"]}), records([(37, "EV")]), records(range(3))
    (3, 1, 3)
    """
    if isinstance(table, Mapping):
        lengths = {records(values) for values in table.values()}
        if len(lengths) != 1:
            raise ValueError(UNEVEN_OR_EMPTY)
        return lengths.pop()
    if isinstance(table, Sized) and not isinstance(table, (np.ma.MaskedArray, Set, str, bytes)):
        return len(table)
    return len(column(table, "values"))


def _length(row: Any) -> int | None:
    """How many entries a row has; None if it has no length, such as an array without dimensions."""
    try:
        return len(row)
    except Exception:  # whatever its own code raises
        return None


def _plain(table: object) -> Any:
    """The table, or the list of rows that an array of objects holds; ValueError for an array that is not a table."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim == 1 and table.dtype.kind == "O":
        return table.tolist()
    if table.ndim != 2 or isinstance(table, np.ma.MaskedArray):
        raise ValueError(NO_TABLE)
    return table


def _rows(table: object) -> list[Any]:
    """The rows of a list of rows; TypeError if it is not one."""
    if isinstance(table, (str, bytes)) or not hasattr(table, "__iter__"):
        raise TypeError(NO_TABLE)
    rows = list(table)
    if not all(map(is_row, rows)):
        raise TypeError(NO_TABLE)
    return rows


def _from_rows(table: object, key: Hashable) -> list[Any]:
    """The entry of every row of a list of rows; ValueError if a row lacks it."""
    column_entries = []
    for row in _rows(table):
        with HIDE_ROW_ERRORS:
            has_entry = key in row if isinstance(row, Mapping) else isinstance(key, int) and 0 <= key < len(row)
            column_entries += [row[key]] if has_entry else []
        if not has_entry:
            instead = "name it by position for tuples, by key for mappings"
            raise ValueError(no_such_column(key, instead=instead, has="some rows have"))
    return column_entries
