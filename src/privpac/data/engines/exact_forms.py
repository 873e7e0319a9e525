"""How entries leave an engine, so that the engine never decides which of them are equal.

To an engine, 'AB' and 'ab', 1.0 and 1.00, or 0.0 and −0.0 may be equal. Of equal values it returns any one, and other
records decide which. So everything except numbers leaves as the UTF-8 bytes of its text, which every engine compares
byte by byte; this file reads the values that these bytes spell. A number leaves unchanged if it would arrive unchanged,
and as text otherwise: where tables go through pandas, one NULL would turn all integers into floats.

A text of more bytes than a record may hold counts as missing. The engine knows its length without reading it.

To sort, and sometimes to group, MariaDB and MySQL compare only the first 1024 bytes of texts (``max_sort_length``).
Texts that begin alike would then be equal, and one record's text would stand for all of them. So these engines compare
a short form of every text as well.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import LONGEST
from privpac.data.values.columns import Array, arrow_numbers, objects, python_values

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

COMPARE_BEGINNINGS = ("mysql",)  # engines that may compare only the beginnings of texts
COMPARED_DIGITS = 128  # hexadecimal digits that these engines always compare: a digit takes up to eight bytes there
BYTES_FUNCTIONS = {  # the function that returns the bytes of a text, its type, and its further arguments
    "duckdb": ("encode", "binary"),
    "postgres": ("convert_to", "binary", "UTF8"),
    "pyspark": ("hex", "string"),
    "mysql": ("hex", "string"),
    "sqlite": ("hex", "string"),
    "clickhouse": ("hex", "string"),
}
LENGTH_IN_BYTES = {"duckdb": "strlen", "clickhouse": "length", "sqlite": "length"}  # elsewhere: octet_length
WITH_NAN = ("duckdb", "postgres", "pyspark", "clickhouse")  # engines whose floats have NaN and infinities
INT64 = range(-(2**63), 2**63)


class ExportedColumn(NamedTuple):
    """A column as an engine exports it: a readable number or text, and the form by which the engine groups records."""

    readable: ir.Value
    comparable: ir.Value


def exported_column(column: ir.Value, name: str, engine: str, unit: bool = False) -> ExportedColumn:
    """The ``column`` called ``name`` in the forms in which it leaves its engine; ValueError if it has none.

    With ``unit``, a column that cannot name units raises a ValueError, too.

    >>> import ibis
    >>> exported_column(ibis.table({"pause": "interval('s')"}).pause, "pause", "duckdb")
    Traceback (most recent call last):
    ValueError: column 'pause' has a type that cannot be read exactly; ...
    """
    kind = column.type()
    if engine not in BYTES_FUNCTIONS:
        raise ValueError(
            f"privpac does not know how {engine} compares values; write the table to a Parquet file, "
            "table.to_parquet('records.parquet'), and open that: open_table('records.parquet')"
        )
    if _reader(kind) is None or not _text_depends_on_entry(kind, engine):
        raise ValueError(f"column {name!r} has a type that cannot be read exactly; convert it to text or numbers")
    if unit and (kind.is_time() or kind.is_json() or kind.is_array()):
        spellings = "a type in which equal values may be spelled differently"
        raise ValueError(f"column {name!r} has {spellings}; name units by text or numbers")
    if kind.is_floating():
        column = canonical_floats(column, engine)
    if _leaves_unchanged(kind, engine):
        column = without_long(column, engine) if kind.is_binary() else column
        return ExportedColumn(column, column)
    text = column if kind.is_binary() else _text(column, engine)
    is_present = _is_short(text, engine) if _may_be_long(kind, engine) else text.notnull()
    function, bytes_type, *encoding = BYTES_FUNCTIONS[engine]
    entry = text + "" if engine == "duckdb" else text  # otherwise DuckDB encodes a dictionary for every 2048 records
    octets = engine_function(function, (entry.type(), *["string"] * len(encoding)), bytes_type)(entry, *encoding)
    null = import_module("ibis").null()  # set explicitly, because SQLite's hex of NULL is ''
    return ExportedColumn(is_present.ifelse(text, null), is_present.ifelse(octets, null))


def _text(column: ir.Value, engine: str) -> ir.Value:
    """The text of an entry: the same for equal numbers and instants, whatever the settings of the engine."""
    kind = column.type()
    if kind.is_boolean():
        column = column.cast("int8")
    elif engine == "mysql" and kind.is_integer():
        column = column + 0  # a BIT would become the character with this number
    elif kind.is_array() or (engine == "postgres" and (kind.is_date() or kind.is_timestamp())):
        column = engine_function("to_json", (kind,), "json")(column)
    elif engine == "postgres" and kind.is_decimal():
        column = engine_function("trim_scale", (kind,), "decimal")(column)
    elif engine == "clickhouse" and kind.is_timestamp() and kind.timezone is not None:
        column = engine_function("toTimeZone", (kind, "string"), "timestamp('UTC')")(column, "UTC")
    if engine == "clickhouse":  # where a cast to a type without NULL fails at the first NULL
        return engine_function("toString", (column.type(),), "string")(column)
    text = import_module("ibis.expr.datatypes").String
    # Another nullability than the column's forces Ibis to cast even a column that claims to be text, such as an enum.
    return column.cast(text(nullable=not column.type().nullable))


def _text_depends_on_entry(kind: dt.DataType, engine: str) -> bool:
    """Whether the text of an entry of this kind is known to depend on that entry alone.

    It is not known for lists in most engines, and in ClickHouse how a JSON document is stored depends on the others.
    """
    if engine in ("duckdb", "postgres", "pyspark"):
        return True
    return not (kind.is_array() or (kind.is_json() and engine == "clickhouse"))


def canonical_floats(column: ir.Value, engine: str) -> ir.Value:
    """The floats with 0.0 in place of −0.0 and a single NaN: DuckDB may write -nan, and ClickHouse groups by bits.

    In SQLite, whose number columns may hold anything, entries that are not numbers become NULL.
    """
    ibis = import_module("ibis")
    if engine == "sqlite":
        column = column.typeof().isin(["real", "integer"]).ifelse(column, ibis.null())
    if engine in ("duckdb", "clickhouse"):
        column = column.isnan().ifelse(ibis.literal("NaN").cast(column.type()), column)
    return (column == 0).ifelse(column.abs(), column)


def without_long(column: ir.Value, engine: str) -> ir.Value:
    """The column, NULL where an entry has more than LONGEST bytes."""
    return _is_short(column, engine).ifelse(column, import_module("ibis").null())


def _is_short(column: ir.Value, engine: str) -> ir.BooleanValue:
    """Whether an entry has at most LONGEST bytes; False for a missing entry."""
    octets = import_module("ibis.expr.datatypes").Binary(nullable=not column.type().nullable)  # forces Ibis to cast
    entry = column.cast(octets) if engine == "sqlite" else column  # SQLite counts the characters of a text
    of_bytes = engine == "duckdb" and entry.type().is_binary()
    name = "octet_length" if of_bytes else LENGTH_IN_BYTES.get(engine, "octet_length")
    return (engine_function(name, (entry.type(),), "int64")(entry) <= LONGEST).fill_null(False)


def _may_be_long(kind: dt.DataType, engine: str) -> bool:
    """Whether entries of this kind can be long; in SQLite, a column of any kind may hold texts."""
    return engine == "sqlite" or not (kind.is_boolean() or kind.is_integer() or kind.is_temporal() or kind.is_uuid())


def _leaves_unchanged(kind: dt.DataType, engine: str) -> bool:
    """Whether values of this kind leave unchanged: equal values are identical, and they arrive unchanged."""
    if kind.is_floating():
        return True
    if kind.is_boolean() or kind.is_integer() or kind.is_binary():
        return engine in ("duckdb", "postgres", "clickhouse")
    return engine == "duckdb" and (kind.is_decimal() or kind.is_date() or kind.is_timestamp())


def _is_whole_decimal(kind: dt.DataType) -> bool:
    """Whether decimals of this kind are whole numbers, such as the sums of DuckDB."""
    return bool(kind.is_decimal() and kind.scale == 0)


def comparison_keys(view: ir.Table, places: Sequence[str], engine: str) -> tuple[ir.Table, list[str]]:
    """The view with short forms of texts where the engine needs them, and the columns by which to group or sort.

    >>> import ibis
    >>> view = ibis.table({"x0": "string", "x1": "float64"})
    >>> [comparison_keys(view, view.columns, engine)[1] for engine in ("duckdb", "mysql")]
    [['x0', 'x1'], ['x0', 'x1', 'x0 short']]
    """
    cut = [place for place in places if _may_be_cut(view[place], engine)]
    short_forms = {f"{place} short": short_form(view[place], engine) for place in cut}
    return (view.mutate(**short_forms) if cut else view), [*places, *short_forms]


def short_form(form: ir.Value, engine: str) -> ir.Value:
    """``form`` itself; but if the engine may compare only its beginning, the SHA-256 of a long text."""
    if not _may_be_cut(form, engine):
        return form
    digest = engine_function("sha2", ("string", "int64"), "string")(form, 256)
    return (form.length() <= COMPARED_DIGITS).ifelse(form, import_module("ibis").literal("long ") + digest)


def _may_be_cut(form: ir.Value, engine: str) -> bool:
    """Whether the engine may compare only the beginnings of these texts."""
    return engine in COMPARE_BEGINNINGS and form.type().is_string()


@cache
def engine_function(name: str, takes: tuple[str | dt.DataType, ...], returns: str) -> Callable[..., ir.Value]:
    """The engine's built-in function ``name`` for use in queries: its arguments have the types ``takes``."""

    def called(*_: object) -> None: ...

    called.__signature__ = Signature([Parameter(f"a{i}", Parameter.POSITIONAL_ONLY) for i in range(len(takes))])  # type: ignore[attr-defined]
    function: Callable[..., ir.Value] = import_module("ibis").udf.scalar.builtin(
        called, name=name, signature=(takes, returns)
    )
    return function


def imported_values(values: pa.ChunkedArray, kind: dt.DataType, engine: str) -> Array:
    """The entries of a column that had this ``kind`` in its engine: None where one is missing or Python cannot hold it.

    >>> import ibis, pyarrow
    >>> imported_values(pyarrow.array(["4142", None]), ibis.dtype("string"), "sqlite").tolist()
    ['AB', None]
    """
    if _leaves_unchanged(kind, engine):
        entries = _array(values)
        if not _is_whole_decimal(kind):
            return entries
        return objects([None if entry is None else int(entry) for entry in entries])
    numbers, forms = _distinct_forms(values)
    reader = None if kind.is_binary() else _reader(kind)
    texts = _texts(forms) if reader is str else None
    distinct = [_entry(form, reader, kind.is_temporal()) for form in forms.to_pylist()] if texts is None else texts
    entries = objects([*distinct, None])[numbers]  # the number −1 picks None
    if kind.is_timestamp() and kind.timezone is None:
        return entries.astype("datetime64[us]")
    if not kind.is_integer() or (numbers < 0).any():
        return entries
    fit_int64 = all(type(entry) is int and entry in INT64 for entry in distinct)
    return entries.astype(np.int64) if fit_int64 else entries


def _array(values: pa.ChunkedArray) -> Array:
    """A column of an answer: numbers and times in numpy's types, anything else value by value."""
    kinds, kind = import_module("pyarrow.types"), values.type
    is_number = kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind)
    if is_number and not values.null_count:
        return arrow_numbers(values)
    if kinds.is_timestamp(kind) and kind.tz is None:  # a missing time is NaT
        return np.asarray(values.combine_chunks().to_numpy(zero_copy_only=False))
    return python_values(values)


def _distinct_forms(values: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """For each entry its number among the distinct entries, −1 if it is missing; and the distinct entries."""
    arrow = import_module("pyarrow")
    kinds, kind = arrow.types, values.type
    is_text = kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
    large = values.cast(arrow.large_string() if is_text else arrow.large_binary())  # there may be more than 2 GB
    large = large.combine_chunks() if isinstance(large, arrow.ChunkedArray) else large
    encoded = large.dictionary_encode()
    return arrow_numbers(encoded.indices, -1).astype(np.int64), encoded.dictionary


def _texts(forms: pa.Array) -> list[str] | None:
    """The texts that bytes spell, all read at once; None if some are not UTF-8, or if the forms are not bytes."""
    arrow = import_module("pyarrow")
    if not arrow.types.is_large_binary(forms.type):
        return None
    try:
        return list(forms.cast(arrow.large_string()).to_pylist())  # the cast checks that each is UTF-8
    except ValueError:  # Arrow's errors are ValueErrors, too
        return None


def _entry(entry: bytes | str, reader: Callable[[str], Hashable] | None, quoted: bool) -> Hashable:
    """The value that the bytes of an entry spell; the bytes themselves if there is no ``reader``.

    The bytes may also be written in hexadecimal. ``quoted`` says that the text may stand in double quotes.
    """
    try:
        exact = bytes.fromhex(entry) if isinstance(entry, str) else entry
        if reader is None:
            return exact
        text = exact.decode()
        return reader(text.strip('"') if quoted else text)
    except (ValueError, ArithmeticError):  # the error affects only its own record, and may quote it
        return None


def _reader(kind: dt.DataType) -> Callable[[str], Hashable] | None:
    """The function that reads the text of an entry, None if entries of this kind cannot be read."""
    if kind.is_array():
        entry_kind = kind.value_type
        return _tuple if _reader(entry_kind) in (str, int, _bit, _tuple) and not entry_kind.is_json() else None
    if kind.is_timestamp():
        return _local_time if kind.timezone is None else _instant
    if _is_whole_decimal(kind):
        return int
    readers: dict[str, Callable[[str], Hashable]] = {
        **dict.fromkeys(("is_string", "is_uuid", "is_json", "is_binary"), str),
        **{"is_boolean": _bit, "is_integer": int, "is_floating": float, "is_decimal": Decimal},
        **{"is_date": date.fromisoformat, "is_time": time.fromisoformat},
    }
    return next((reader for question, reader in readers.items() if getattr(kind, question)()), None)


def _bit(text: str) -> bool:
    return bool(int(text))


def _local_time(text: str) -> datetime:
    clock = datetime.fromisoformat(text)
    if clock.tzinfo is not None:
        raise ValueError("unexpected time zone")
    return clock


def _instant(text: str) -> datetime:
    """The time in UTC; a text without an offset is in UTC already."""
    clock = datetime.fromisoformat(text)
    return clock.replace(tzinfo=UTC) if clock.tzinfo is None else clock.astimezone(UTC)


def _tuple(text: str) -> Hashable:
    def tuples(value: object) -> Hashable:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return tuples(json.loads(text))
