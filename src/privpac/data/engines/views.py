"""Views of a table in its engine: columns in exact forms, and the records that count.

With units, the engine itself chooses which k records of each unit count.

Throughout this file
    k       slots of a unit                    key    a text that the caller draws
    place   the name that a view gives to a column of the table: x0, x1, …, y, unit
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from hashlib import md5
from importlib import import_module
from operator import add
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from privpac.data.engines.clickhouse import check_settings
from privpac.data.engines.declared_types import check_names, check_types
from privpac.data.engines.exact_forms import (
    WITH_NAN,
    ExportedColumn,
    comparison_keys,
    engine_function,
    exported_column,
    short_form,
)
from privpac.data.engines.sqlite import check_utf8
from privpac.data.samples.units import NAMELESS, Quota
from privpac.refusals.absent_names import did_you_mean, no_such_column, same_letters
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

MD5 = {"clickhouse": "MD5"}  # in all other engines, the function is called md5


def is_table(table: object) -> TypeGuard[ir.Table]:
    """Whether ``table`` is an Ibis table; does not import Ibis to find out."""
    return type(table).__module__.partition(".")[0] == "ibis"


def check_columns(table: ir.Table, names: Sequence[str], parameter: str) -> None:
    """Refused if a column is missing, or if its records decide its type.

    If the names of the columns may be a record, the error shows only the name that the caller typed.
    """
    check_names(table, parameter)
    missing_names = [name for name in names if name not in table.columns]
    if missing_names and may_be_record(table):
        name = missing_names[0]
        instead = (
            "the first line of a CSV file, and the first row of an Excel sheet, must name the columns (delete what is "
            "above), and this name is not among the "
            f"{len(table.columns)} there{did_you_mean(name, same_letters(name, table.columns))}"
        )
        raise Refused(parameter, no_such_column(name, instead=instead))
    if missing_names:
        raise Refused(parameter, no_such_column(missing_names[0], table.columns))
    check_types(table, names, parameter)


def may_be_record(table: ir.Table) -> bool:
    """Whether the names of the columns may be a record: the first line of a text file is not always a heading.

    >>> import ibis, pyarrow
    >>> [may_be_record(ibis.memtable(pyarrow.table({"delay": delays}))) for delays in (["37"], [37])]
    [True, False]
    """
    may_be_file = table.get_backend().name == "duckdb"
    return may_be_file and all(kind.is_string() for kind in table.schema().values())


class EngineView(NamedTuple):
    """All records, and the ``chosen`` ones, which count: at most k of each unit."""

    records: ir.Table
    chosen: ir.Table


def engine_view(
    table: ir.Table,
    names: dict[str, str],
    quota: Quota | None = None,
    *,
    readable: bool = False,
    stored: Sequence[str] = (),
) -> EngineView:
    """Views of an Ibis table in exact forms; ``names[place]`` is the column at that place, and ``quota`` names units.

    With units, or if ``readable``, the views also have the readable forms of the entries. For the places ``stored``,
    they also have the entries as the table stores them.
    """
    unit = {} if quota is None else {"unit": quota.unit}
    if table.get_backend().name == "sqlite":
        check_utf8(table.get_backend().con)
    if table.get_backend().name == "clickhouse":
        check_settings(table.get_backend())
    check_columns(table, list(unit.values()), "quota")
    forms = _forms(table, names | unit)
    columns = {place: form.comparable for place, form in forms.items()}
    if readable or quota is not None:
        columns |= {readable_name(place): form.readable for place, form in forms.items()}
    records = table.select(**columns, **{stored_name(place): table[names[place]] for place in stored})
    return EngineView(records, records if quota is None else slots(records, list(names), quota))


def readable_name(place: str) -> str:
    """The column that holds the entries at this place in their readable form."""
    return f"{place} readable"


def stored_name(place: str) -> str:
    """The column that holds the entries at this place as the table stores them."""
    return f"{place} stored"


def _forms(table: ir.Table, names: dict[str, str]) -> dict[str, ExportedColumn]:
    """The exported form of each column, by its place; a unit that is NaN counts as missing."""
    engine = table.get_backend().name
    forms = {place: exported_column(table[name], name, engine, unit=place == "unit") for place, name in names.items()}
    if "unit" in forms and forms["unit"].comparable.type().is_floating() and engine in WITH_NAN:
        number = forms["unit"].comparable
        number = number.isnan().ifelse(import_module("ibis").null(), number)
        forms["unit"] = ExportedColumn(number, number)
    if "unit" in forms:  # a unit is compared, and never released
        forms["unit"] = ExportedColumn(forms["unit"].readable, short_form(forms["unit"].comparable, engine))
    return forms


def slots(view: ir.Table, places: Sequence[str], quota: Quota) -> ir.Table:
    """The k records of each unit whose keyed hashes are smallest: see :func:`privpac.data.samples.units.digest`.

    Forms that the engine compares byte by byte tell units and records apart, and sort records with the same hash. Equal
    records of a unit are numbered (``copy``), so that their hashes differ.
    """
    ibis, engine = import_module("ibis"), view.get_backend()
    in_python = engine.name == "sqlite"  # which has no md5 of its own
    if in_python:
        engine.con.create_function("md5", 1, _digest, deterministic=True)
    records = view.filter(view.unit.notnull())
    records = records.mutate(entries=reduce(add, (_with_length(records[readable_name(place)]) for place in places)))
    records, keys = comparison_keys(records, places, engine.name)
    records = records.mutate(copy=ibis.row_number().over(group_by=["unit", *keys], order_by="unit"))
    parts = (_with_length(records[name]) for name in (readable_name("unit"), "entries", "copy"))
    text = reduce(add, parts, ibis.literal(quota.key))
    digest = engine_function(MD5.get(engine.name, "md5"), ("binary" if in_python else "string",), "string")
    records = records.mutate(digest=digest(text.cast("binary") if in_python else text))
    records = records.mutate(rank=ibis.row_number().over(group_by="unit", order_by=["digest", *keys, "copy"]))
    return records.filter(records["rank"] < quota.k)


def _with_length(column: ir.Value) -> ir.StringValue:
    """The text of each entry after its length, as :func:`privpac.data.samples.units.digest` spells it."""
    text = column.cast("string")
    code_points = engine_function("lengthUTF8", ("string",), "int64")  # ClickHouse's own length is in bytes
    length = code_points(text) if text.get_backend().name == "clickhouse" else text.length()
    return (length.cast("string") + ":" + text).fill_null("-")


def _digest(octets: bytes) -> str:
    """The hash of bytes, because a text in SQLite need not be UTF-8."""
    return md5(octets, usedforsecurity=False).hexdigest()


def all_slots(answered: pa.Table, quota: Quota, rule: str) -> int:
    """n, which is k for each unit, from the row that :func:`units_of` asks for.

    Records without a unit are refused under the rule "raise".
    """
    if rule == "raise" and answered["nameless"][0].as_py():
        raise Refused("quota", *NAMELESS)
    return quota.k * int(answered["units"][0].as_py())


def units_of(view: ir.Table) -> ir.Table:
    """A query for one row: how many units there are, and how many records have none (null if no record lacks one).

    Units are grouped and then counted, because ClickHouse's ``nunique`` is an estimate.
    """
    view, keys = comparison_keys(view, ["unit"], view.get_backend().name)
    units = view.group_by(keys).aggregate(records=view.count())
    return units.aggregate(units=units.unit.count(), nameless=units.records.sum(where=units.unit.isnull()))
