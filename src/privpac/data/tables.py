"""Columns of a table, picked by name or by position, whatever the table is.

A table is a DataFrame (pandas, polars, pyarrow), a mapping of names to columns, a two-dimensional array, or a list of
rows. A row is a tuple, whose entries have positions, or a mapping, whose entries have names.

Main declarations
    pick       one column of a table, as an array
    part       the same as the table has it
    entries    all entries of a table as a two-dimensional array
    records    how many records a column or a table has
    RowView        a row as a value, by whose columns its entries are picked
    common     the domain of what reads several domains at once
    Columns    the rows whose entry in each named column lies in a domain: a domain itself
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.any_values import Anything
from privpac.data.columns import column, numbered, objects, parts
from privpac.data.listing import Listing
from privpac.data.values import hashables, shown

NO_TABLE = "expected a table: a DataFrame, a dict of columns, a two-dimensional array or a list of rows"
RAGGED = "a table needs at least one column, and columns of one length"


def pick(table: Any, key: Hashable) -> NDArray[Any]:
    """The column called ``key``; an integer is a position, counted from 0.

    >>> pick({"delay": [37, 2], "carrier": ["EV", "UA"]}, "carrier").tolist()
    ['EV', 'UA']
    >>> pick([(37, "EV"), (2, "UA")], 0).tolist()
    [37, 2]
    """
    return column(part(table, key), f"column {key!r}")


def part(table: Any, key: Hashable) -> Any:
    """The same column as the table has it, whatever its entries are.

    >>> part({"delay": [37, 2]}, "delay")
    [37, 2]
    """
    what = f"column {key!r}"
    table = _plain(table)
    if isinstance(table, np.ndarray):
        if not isinstance(key, int) or not 0 <= key < table.shape[1]:
            raise ValueError(f"the array has {table.shape[1]} columns, known by their positions, and no {what}")
        return table[:, key]
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        return objects(_from_rows(table, key))
    named = parts(table)
    found = named[key : key + 1] if isinstance(key, int) and key >= 0 else []
    found = found or [(name, values) for name, values in named if name == key]
    if not found:
        there = f"its columns are {', '.join(str(name) for name, _ in named)}" if named else "it has no columns"
        raise ValueError(f"the table has no {what}; {there}")
    if len(found) > 1:
        raise ValueError(f"more than one column is called {key!r}; pick it by its position")
    return found[0][1]


def entries(table: Any) -> NDArray[Any]:
    """All entries of a table as a two-dimensional array, the columns in their order.

    Rows that are mappings have none that one row could not change for the others: they are refused.

    >>> entries({"a": [1, 2], "b": [3, 2**70]}).tolist()
    [[1, 3], [2, 1180591620717411303424]]
    """
    table = _plain(table)
    if isinstance(table, np.ndarray):
        return table
    if isinstance(table, Mapping) or hasattr(table, "columns"):
        columns = [column(values, f"column {name!r}") for name, values in parts(table)]
        if len({len(each) for each in columns}) != 1:
            raise ValueError(RAGGED)
        alike = len({each.dtype for each in columns}) == 1
        return np.stack(columns if alike else [objects(each) for each in columns], axis=1)
    rows = _rows(table)
    if any(isinstance(row, Mapping) for row in rows):
        raise TypeError("rows that are mappings have no first and second column; make tuples or a dict of columns")
    if len({len(row) for row in rows}) > 1:
        raise ValueError("the rows differ in length; every row needs an entry for each column")
    array = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for i, row in enumerate(rows):
        array[i] = objects(row)
    return array


def width(table: Any) -> int | None:
    """How many columns a table has; None for a list of rows, which are read one by one.

    >>> width({"delay": [37], "carrier": ["EV"]}), width(np.zeros((5, 3))), width([(37, "EV")])
    (2, 3, None)
    """
    if isinstance(table, np.ndarray) and table.ndim == 2:
        return int(table.shape[1])
    return len(parts(table)) if isinstance(table, Mapping) or hasattr(table, "columns") else None


def records(table: Any) -> int:
    """How many records a column or a table has.

    >>> records({"delay": [37, 2, 5], "carrier": ["EV", "UA", "EV"]}), records([(37, "EV")]), records(range(3))
    (3, 1, 3)
    """
    if isinstance(table, Mapping):
        lengths = {records(values) for values in table.values()}
        if len(lengths) != 1:
            raise ValueError(RAGGED)
        return lengths.pop()
    whole = isinstance(table, Sized) and not isinstance(table, (np.ma.MaskedArray, Set, str, bytes))
    return len(table) if whole else len(column(table, "values"))


def _plain(table: Any) -> Any:
    """A column whose entries are rows is a list of rows; other arrays must have two dimensions."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim == 1 and table.dtype.kind == "O":
        return table.tolist()
    if table.ndim != 2 or isinstance(table, np.ma.MaskedArray):
        raise ValueError(NO_TABLE)
    return table


def _rows(table: Any) -> list[Any]:
    if isinstance(table, (str, bytes)) or not hasattr(table, "__iter__"):
        raise TypeError(NO_TABLE)
    rows = list(table)
    if not all(isinstance(row, (tuple, list, np.ndarray, Mapping)) for row in rows):
        raise TypeError(NO_TABLE)
    return rows


def _from_rows(table: Any, key: Hashable) -> list[Any]:
    picked = []
    for row in _rows(table):
        has = key in row if isinstance(row, Mapping) else isinstance(key, int) and 0 <= key < len(row)
        if not has:
            raise ValueError(f"some rows have no column {key!r}; tuples are read by position, mappings by name")
        picked.append(row[key])
    return picked


@dataclass(frozen=True)
class RowView(Mapping[Hashable, Any]):
    """A row as a value: it can stand in sets, and its entries are picked by their columns.

    >>> RowView(("delay", "carrier"), (37, "EV"))["carrier"]
    'EV'
    """

    columns: tuple[Hashable, ...]
    cells: tuple[Any, ...]

    def __getitem__(self, key: Hashable) -> Any:
        return dict(zip(self.columns, self.cells, strict=True))[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        return ", ".join(f"{shown(key)}: {shown(cell)}" for key, cell in zip(self.columns, self.cells, strict=True))


@dataclass(frozen=True)
class Columns:
    """All rows with entries of ``domains`` in ``names``. They are their own codes.

    Where all rows must be listed, 0 … size − 1 stand for them, the last column running fastest.

    >>> from privpac.data.listing import Listing
    >>> flights = Columns(("carrier", "late"), (Listing(("EV", "UA")), Listing((False, True))))
    >>> flights.size, str(flights.decode(2))
    (4, 'carrier: UA, late: False')
    """

    names: tuple[Hashable, ...]
    domains: tuple[Any, ...]

    @property
    def size(self) -> int | float:
        """How many rows there are, ``math.inf`` if a column has infinitely many values."""
        size: int | float = math.prod(domain.size for domain in self.domains)
        return size

    def rows(self, table: Any) -> list[RowView]:
        """The rows of a table, each with the columns of this domain alone; ValueError if some lie outside it."""
        columns = [pick(table, name) for name in self.names]
        for name, domain, values in zip(self.names, self.domains, columns, strict=True):
            try:
                domain.encode(values)
            except (TypeError, ValueError) as error:
                raise type(error)(f"column {name!r}: {error}") from None
        if len({len(values) for values in columns}) > 1:
            raise ValueError("the columns differ in length; every record needs an entry in each")
        cells = [hashables(values, "a column") for values in columns]
        return [RowView(self.names, row) for row in zip(*cells, strict=True)]

    def encode(self, table: Any) -> NDArray[Any]:
        """The rows themselves."""
        return objects(self.rows(table))

    def decode(self, code: RowView | int) -> RowView:
        """The row itself, or the one that a number stands for."""
        if isinstance(code, RowView):
            return code
        code = numbered(code, self.size)
        cells: list[Any] = []
        for domain in reversed(self.domains):
            code, digit = divmod(code, domain.size)
            cells.append(domain.decode(digit))
        return RowView(self.names, tuple(reversed(cells)))


def common(domains: Sequence[Any]) -> Any:
    """The domain on which all can be read: one for all, or the columns of all.

    >>> common([Columns(("a",), (Anything(),)), Columns(("b", "a"), (Anything(), Listing(("x", "y"))))]).names
    ('a', 'b')
    """
    on_columns = [isinstance(domain, Columns) for domain in domains]
    if any(on_columns) and not all(on_columns):
        raise ValueError(
            "some parts read a column and some read whole points; put .on(column) on every part or on none"
        )
    whole = "the points"
    parts = [dict(zip(each.names, each.domains, strict=True)) if all(on_columns) else {whole: each} for each in domains]
    agreed: dict[Hashable, Any] = {}
    for part in parts:
        for name, values in part.items():
            agreed[name] = _agreed(agreed.get(name, values), values, f"column {name!r}" if all(on_columns) else whole)
    return Columns(tuple(agreed), tuple(agreed.values())) if all(on_columns) else agreed[whole]


def _agreed(one: Any, other: Any, what: str) -> Any:
    """The domain of both; what takes any values takes those of the other, if they are as many as it says.

    Listed names may differ in order.
    """
    if isinstance(one, Anything) and one.limit in (None, other.size):
        return other
    listed = isinstance(one, Listing) and isinstance(other, Listing) and set(one.names) == set(other.names)
    anything = isinstance(other, Anything) and other.limit in (None, one.size)
    if not (anything or listed or one == other):
        raise ValueError(
            f"the parts declare different domains for {what}; declare the same for all, "
            "or put each part on a column of its own: .on(column)"
        )
    return one
