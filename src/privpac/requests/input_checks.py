"""Checks of the caller's data before scikit-learn sees it, because its error messages may quote records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.engines.batches import ROWS
from privpac.data.engines.declared_types import check_relation
from privpac.data.engines.duckdb_rows import check_scans, copied_table, is_lazy, lazy_rows, streaming_table
from privpac.data.engines.queries import failure_sentence
from privpac.data.values.value_text import sql_name
from privpac.refusals.refusal import InOtherWords, Refused, RefusedType, Setting, refusal_about

SAME_NAME = "two columns of the table have the same name; rename one of them"
NOT_FINITE = (
    "X contains NaN or inf. Fill in these entries or leave out their records, or say ",
    Setting.to("on_invalid", "default"),
    ", which counts such records toward n and nothing else, or 'clamp', which also moves infinities to the bounds",
)


def check_readable(values: object, name: str) -> Any:
    """``values`` unchanged; refused if they are not records or would be misread.

    >>> check_readable(np.ma.array([37, 2], mask=[True, False]), "y")
    Traceback (most recent call last):
    privpac.refusals.refusal.RefusedType: y has a mask, which privpac does not read; ...
    """
    if isinstance(values, np.ma.MaskedArray):
        raise RefusedType(
            name, f"{name} has a mask, which privpac does not read; fill it with .filled(nan), or use a list with None"
        )
    if isinstance(values, Iterator):
        raise RefusedType(name, f"{name} can be read only once; give a list, an array, or a table")
    if _is_relation(values):
        raise RefusedType(name, f"{name} is a query of DuckDB; name a column of X, or give {name}.df()")
    if hasattr(values, "collect"):  # a table of Spark, or a column of polars that is a query
        raise RefusedType(name, f"{name} is a query that has not run; give {name}.collect(), or an Ibis table")
    if hasattr(values, "toarray"):
        raise RefusedType(name, f"{name} is sparse data, but dense data is required; give {name}.toarray()")
    if isinstance(values, str | bytes | PathLike):
        raise RefusedType(name, f"{name} is text, not a table; to read a file, open it first: privpac.open_table(path)")
    if getattr(values, "ndim", 1) == 0:
        raise Refused(name, f"{name} is a single value. Reshape your data: one row, or one entry, for each record")
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise Refused(name, f"Complex data not supported: {name} must hold real numbers, text, dates, or names")
    return values


def fetch_query(X: Any, names: Iterable[Any] = (), *labels_and_units: Any, once: bool = False) -> Any:
    """``X`` unchanged, unless it is a DuckDB relation or a polars LazyFrame; then its rows, as a table.

    The table has only the columns ``names``, if X has all of them. If the ``labels_and_units`` are names of columns of
    X, or None, it is a table of DuckDB, which then counts the records. With ``once``, the rows of a LazyFrame are read
    only once, so that DuckDB need not store them.

    >>> import duckdb
    >>> fetch_query(duckdb.sql("SELECT 37 AS delay, 'EV' AS carrier"), ["delay"]).columns, fetch_query([37])
    (('delay',), [37])
    """
    lazy = is_lazy(X)
    if not lazy and not _is_relation(X):
        return X
    with InOtherWords(_unanswered):
        columns, selected = X.collect_schema().names() if lazy else X.columns, list(dict.fromkeys(names))
        if not selected or not set(selected) <= set(columns):  # positions of columns, or a name to be refused later
            selected = columns
        in_duckdb = all(isinstance(column, str | None) for column in labels_and_units)
        if lazy:
            query = X.select(selected)
            check_scans(query)
            rows = lazy_rows(query) if in_duckdb else None
            if rows is None:
                return query.collect()
            return streaming_table(rows) if once else copied_table(rows)
        check_relation(X)
        _check_different(columns, selected)
        rows = X.project(", ".join(map(sql_name, selected))).to_arrow_reader(ROWS)
        return copied_table(rows) if in_duckdb else rows.read_all()


def _unanswered(error: Exception) -> Exception:
    """A refusal in place of the error of a query, which may quote records."""
    return refusal_about(error, "X") if isinstance(error, Refused) else Refused("X", failure_sentence(error))


def _check_different(columns: Iterable[str], selected: Iterable[str]) -> None:
    """Refuse a selected name that several columns have, because DuckDB would read the first of them."""
    times = Counter(name.lower() for name in columns)
    if any(times[name.lower()] > 1 for name in selected):
        raise Refused("X", f"{SAME_NAME} (to DuckDB, upper and lower case are the same)")


def _is_relation(values: object) -> bool:
    return type(values).__name__ == "DuckDBPyRelation" and type(values).__module__.partition(".")[0].endswith("duckdb")


def finite(array: NDArray[Any]) -> NDArray[Any]:
    """``array`` unchanged; ValueError if it contains NaN or infinite floats."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Refused("X", *NOT_FINITE)
    return array


def column_key(feature: object) -> Any:
    """The name of a column unchanged; its position as a Python integer."""
    if isinstance(feature, bool | np.bool_):
        raise RefusedType.must("feature", "be the name or the position of a column, not True or False")
    return int(feature) if isinstance(feature, np.integer) else feature


def is_array_like(values: object) -> bool:
    """Whether the only use of ``values`` is to convert them to an array."""
    return hasattr(values, "__array__") and not hasattr(values, "ndim") and not isinstance(values, Iterable)
