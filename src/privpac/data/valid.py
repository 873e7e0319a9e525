"""Records that do not fit the declared domain, and the public rule that says what becomes of them.

What becomes of a record depends on that record alone, and under "clamp" and "default" no record stops anything:
whatever happens when a value is read, happens to its own record.

Throughout this file
    rule     "raise": refuse, before anything is spent. "clamp": an ordered value goes to the nearest bound, numbers
             between two of the domain are rounded down, paths and texts are cut; what has no nearest one is void.
             "default": whatever does not fit is void
    void     a record that counts in n and in no score
    fits     which records are not void; None if none is
    fitted   one value as the domain knows it, or VOID

Main declarations
    RULES         the three rules
    valid         the values that fit, and which records they belong to
    columns_of    the columns that a domain reads, one by one
    domains_of    their domains
    assembled     columns as a domain reads them
    kept          some records of a column or of a table
    picked        one column of a table
    entry         one entry of a row
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.anything import Anything
from privpac.data.canonical import among, canonical
from privpac.data.codes import time_codes
from privpac.data.columns import cells, objects
from privpac.data.grid import Grid
from privpac.data.hierarchy import Hierarchy
from privpac.data.line import MISSING, Line
from privpac.data.listed import exact
from privpac.data.listing import Listing
from privpac.data.pairs import Pairs
from privpac.data.paths import Paths, path
from privpac.data.tables import Columns, part, width

RULES = ("raise", "clamp", "default")
VOID = None  # a missing value fits no domain, so None can stand for whatever does not
Mask = NDArray[np.bool_]
Fitted = tuple[NDArray[Any], Mask]  # one value per record, and which of them count


def valid(domain: Any, values: Any, rule: str) -> tuple[Any, Mask | None]:
    """What ``domain`` can encode of ``values``, and which records it belongs to (None: all of them).

    Under "raise" the values are returned as they are: encoding them refuses what does not fit.

    >>> from privpac.data.line import Line
    >>> values, fits = valid(Line(0, 120), [37, -1, None, 121, 36.9], "clamp")
    >>> values.tolist(), fits.tolist()
    ([37, 0, 120, 36], [True, True, False, True, True])
    >>> valid(Line(0, 120), [37, -1, None, 121, 36.9], "default")[0].tolist()
    [37]
    """
    if rule not in RULES:
        raise ValueError(f"on_invalid must be one of {', '.join(RULES)}")
    if rule == "raise":
        return values, None
    found = [
        _column(each, column, rule == "clamp")
        for each, column in zip(domains_of(domain), columns_of(domain, values), strict=True)
    ]
    if len({len(fits) for _, fits in found}) > 1:
        raise ValueError("the columns differ in length; every record needs an entry in each")
    fits = np.logical_and.reduce([each for _, each in found])
    whole = fits.all()
    table = assembled(domain, [column if whole else column[fits] for column, _ in found])
    return table, None if whole else fits


def columns_of(domain: Any, values: Any) -> list[NDArray[Any]]:
    """The columns that ``domain`` reads, entry by entry; a row that lacks an entry has none there.

    >>> [column.tolist() for column in columns_of(Grid(0, 9, dim=2), [(3, 4), (5,)])]
    [[3, None], [4, None]]
    """
    if isinstance(domain, Columns):
        return [picked(values, name) for name in domain.names]
    if isinstance(domain, Grid):
        return [_bits(each) for each in _coordinates(values, domain.dim)]
    return _coordinates(values, 2) if isinstance(domain, Pairs) else [cells(values, "values")]


def domains_of(domain: Any) -> Sequence[Any]:
    """The domain of each of the columns that ``domain`` reads.

    >>> len(domains_of(Grid(0, 9, dim=2))), domains_of(Anything())
    (2, [Anything(limit=None)])
    """
    if isinstance(domain, Columns):
        return domain.domains
    if isinstance(domain, Grid):
        return [Line(domain.low, domain.high)] * domain.dim
    return [Anything(), Line(0, 2**domain.bits - 1)] if isinstance(domain, Pairs) else [domain]


def assembled(domain: Any, columns: Sequence[NDArray[Any]]) -> Any:
    """Columns as ``domain`` and rules about it read them: one alone, or a table.

    >>> assembled(Grid(0, 9, dim=2), [np.array([3, 5]), np.array([4, 6])]).tolist()
    [[3, 4], [5, 6]]
    """
    if isinstance(domain, Columns):
        return dict(zip(domain.names, columns, strict=True))
    if isinstance(domain, Grid):
        return np.stack(columns, axis=1)
    return dict(enumerate(columns)) if isinstance(domain, Pairs) else columns[0]


def kept(values: Any, which: Mask) -> Any:
    """The records of a column, or of a dict of columns, that are chosen.

    >>> kept({"age": np.array([3, 4])}, np.array([False, True]))
    {'age': array([4])}
    """
    if isinstance(values, Mapping):
        return {name: each[which] for name, each in values.items()}
    return values[which]


def picked(table: Any, key: Any) -> NDArray[Any]:
    """One column of a table, whatever its entries are; of rows that have no such entry, nothing.

    >>> picked([{"age": 37}, {}], "age").tolist()
    [37, None]
    """
    if width(table) is not None:
        return cells(part(table, key), f"column {key!r}")
    return objects(entry(row, key) for row in table)


def entry(row: Any, key: Any) -> Any:
    """The entry of a row that is a tuple, by position, or a mapping, by name; None if it has none.

    >>> entry({"age": 37}, "age"), entry((37, "EV"), 1), entry((37,), 1)
    (37, 'EV', None)
    """
    if isinstance(row, Mapping):
        return row.get(key, VOID)
    rows = isinstance(row, tuple | list) or (isinstance(row, np.ndarray) and row.ndim > 0)
    placed = rows and isinstance(key, int) and 0 <= key < len(row)
    return row[key] if placed else VOID


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    """A coordinate that is False or True counts as 0 or 1."""
    if values.dtype.kind == "b":
        return values.astype(np.int64)
    return (
        objects(int(x) if isinstance(x, bool | np.bool_) else x for x in values) if values.dtype.kind == "O" else values
    )


def _coordinates(table: Any, count: int) -> list[NDArray[Any]]:
    """The columns of a table by position; of rows that have more or fewer entries, nothing."""
    if isinstance(table, tuple) and len(table) == 2 == count:  # two columns, as Pairs reads them
        return [cells(each, "values") for each in table]
    if width(table) not in (None, count):
        raise ValueError(f"the rule reads {count} columns; choose them first")
    if width(table) is not None:
        return [picked(table, i) for i in range(count)]
    rows = [row if hasattr(row, "__len__") and len(row) == count else () for row in table]
    return [objects(entry(row, i) for row in rows) for i in range(count)]


def _column(domain: Any, values: NDArray[Any], clamp: bool) -> Fitted:
    """Every value of one column as the domain knows it."""
    if values.ndim != 1:
        raise ValueError("values must be one-dimensional")
    if isinstance(domain, Line):
        return _line(domain, values, clamp)
    form = among(domain.names) if isinstance(domain, Listing | Hierarchy) else canonical
    known = frozenset(map(form, domain.names)) if isinstance(domain, Listing | Hierarchy) else None

    def fitted(value: Any) -> Any:
        if isinstance(domain, Paths):
            return _node(domain, value, clamp)
        return value if known is None or value in known else VOID

    return _one_by_one(values, form, fitted)


def _node(paths: Paths, text: Any, clamp: bool) -> Any:
    """The text of a node; a path that is too deep is cut, or void."""
    node = path(text, paths.separator)
    if paths.height is None or len(node) <= paths.height:
        return text
    return paths.decode(node[: paths.height]) if clamp else VOID


def _one_by_one(values: NDArray[Any], form: Callable[[Any], Any], fitted: Callable[[Any], Any]) -> Fitted:
    """Each value by itself, in its form; one that cannot be read is void."""

    def safely(value: Any) -> Any:
        try:
            known = form(value)
            return VOID if known is None else fitted(known)
        except Exception:  # whatever it was, it must not reach the other records
            return VOID

    found = objects(safely(value) for value in (values if values.dtype.kind in "mM" else values.tolist()))
    return found, np.array([value is not VOID for value in found], dtype=bool)


def _line(line: Line, values: NDArray[Any], clamp: bool) -> Fitted:
    """Arrays of numbers and times at once, anything else value by value."""
    dtype = _dtype(line)
    if dtype.kind in "iuf" and values.dtype.kind in "iuf" and values.dtype.itemsize <= 8:
        sides = line.sides(values)
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            whole = np.floor(values) if dtype.kind in "iu" and values.dtype.kind == "f" else values
            return _bounded(line, whole, sides, dtype), _counted(sides, clamp) & (clamp | (whole == values))
    if dtype.kind == "M" and values.dtype.kind == "M":
        within = np.clip(time_codes(values, line.kind), line.first, line.last)
        return within.view(dtype), _counted(line.sides(values), clamp)
    ready = Line(line.low, line.high, "clamp" if clamp else "raise")
    known: dict[Any, Any] = {}  # columns repeat themselves

    def fitted(value: Any) -> Any:
        key = type(value), value
        if key not in known:
            known[key] = _value(ready, value)
        return known[key]

    return _one_by_one(values, exact, fitted)


def _dtype(line: Line) -> np.dtype[Any]:
    """The type of numpy that holds every value of the line."""
    if line.kind == "integer":
        fitting = (t for t in (np.int64, np.uint64) if np.iinfo(t).min <= line.low and line.high <= np.iinfo(t).max)
        return np.dtype(next(fitting, object))
    return np.dtype({"float": np.float64, "decimal": object, "string": object}.get(line.kind, line.kind))


def _counted(sides: NDArray[np.int8], clamp: bool) -> Mask:
    return np.asarray(sides != MISSING if clamp else sides == 0)


def _bounded(line: Line, values: NDArray[Any], sides: NDArray[np.int8], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The values within the bounds, and the bounds for the others."""
    bounded = np.full(len(values), line.low, dtype=dtype)
    within = sides == 0
    bounded[within] = values[within].astype(dtype)
    bounded[sides == 1] = line.high
    return bounded


def _value(line: Line, value: Any) -> Any:
    """One value as the line numbers it; one that the line refuses is void."""
    if line.kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # one missing value makes floats of integers
    return line.decode(int(line.encode([value])[0]))
