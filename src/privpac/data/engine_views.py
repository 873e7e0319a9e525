"""A table as it is seen in an engine: its columns in exact forms, and which records count.

Main declarations
    EngineView        the records, and those that count
    in_exact_forms    a table's records, by the exact forms of some columns
    told_name         the column of entries as they are told
    stored_name       the column of entries as they are stored
    check_columns     refuses a column that the table lacks, or whose type its records decide
    may_be_record     whether the names of its columns may be a record
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from privpac.data.clickhouse_settings import check_settings
from privpac.data.close_names import did_you_mean, same_letters
from privpac.data.declared_types import check_types
from privpac.data.engine_units import slots
from privpac.data.forms import WITH_NAN, Form, form
from privpac.data.long_texts import shortened
from privpac.data.refusal import Refused
from privpac.data.sqlite_files import check_utf8
from privpac.data.units import Quota


class EngineView(NamedTuple):
    """All records, and those that count: at most k of each unit."""

    records: Any
    chosen: Any


def in_exact_forms(
    table: Any,
    names: dict[str, str],
    quota: Quota | None = None,
    *,
    told: bool = False,
    stored: Sequence[str] = (),
) -> EngineView:
    """The columns ``names`` of an Ibis table in exact forms, each under the name of its place; with their units.

    With units, or if they are to be ``told``, entries are also there as they are told; at the places ``stored``, also
    as they are stored.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2], "plane": ["N1", "N2"]}))
    >>> in_exact_forms(flights, {"x0": "delay"}).records.columns
    ('x0',)
    """
    unit = {} if quota is None else {"unit": quota.unit}
    if table.get_backend().name == "sqlite":
        check_utf8(table.get_backend().con)
    if table.get_backend().name == "clickhouse":
        check_settings(table.get_backend())
    check_columns(table, list(unit.values()), "quota")
    forms = _forms(table, names | unit)
    as_stored = {stored_name(place): table[names[place]] for place in stored}
    records = table.select(**_columns(forms, told=told or quota is not None), **as_stored)
    return EngineView(records, records if quota is None else slots(records, list(names), quota))


def told_name(place: str) -> str:
    """The column that holds the entries at this place as they are told.

    >>> told_name("x0")
    'x0 told'
    """
    return f"{place} told"


def stored_name(place: str) -> str:
    """The column that holds the entries at this place as they are stored.

    >>> stored_name("x0")
    'x0 stored'
    """
    return f"{place} stored"


def may_be_record(table: Any) -> bool:
    """Whether the names of the columns may be a record: the first line of a text file is not always a heading.

    >>> import ibis, pyarrow
    >>> [may_be_record(ibis.memtable(pyarrow.table({"delay": each}))) for each in (["37"], [37])]
    [True, False]
    """
    in_file = table.get_backend().name == "duckdb"
    return in_file and all(each.is_string() for each in table.schema().values())


def check_columns(table: Any, names: Sequence[str], parameter: str) -> None:
    """Refused if a column is missing, or if its records decide its type.

    If the names of the columns may be a record, only what was typed is shown.
    """
    absent = [name for name in names if name not in table.columns]
    if absent and may_be_record(table):
        raise Refused(
            parameter,
            f"the table has no column {absent[0]!r}; the first line of a CSV file must name the columns, separated by "
            f"commas, and this name is not among the {len(table.columns)} there"
            f"{did_you_mean(absent[0], same_letters(absent[0], table.columns))}",
        )
    if absent:
        there = f"{', '.join(table.columns)}{did_you_mean(absent[0], table.columns)}"
        raise Refused(parameter, f"the table has no column {absent[0]!r}; its columns are {there}")
    check_types(table, names, parameter)


def _forms(table: Any, names: dict[str, str]) -> dict[str, Form]:
    """The form of each column, by its place; a unit that is NaN is missing."""
    engine = table.get_backend().name
    forms = {place: form(table[name], name, engine, unit=place == "unit") for place, name in names.items()}
    if "unit" in forms and forms["unit"].exact.type().is_floating() and engine in WITH_NAN:
        number = forms["unit"].exact
        number = number.isnan().ifelse(import_module("ibis").null(), number)
        forms["unit"] = Form(number, number)
    if "unit" in forms:  # which is compared, and never told
        forms["unit"] = Form(forms["unit"].told, shortened(forms["unit"].exact, engine))
    return forms


def _columns(forms: dict[str, Form], told: bool) -> dict[str, Any]:
    """The columns of a view: each as the engine compares it and, if ``told``, also as it is hashed or read."""
    exact = {place: each.exact for place, each in forms.items()}
    return exact | {told_name(place): each.told for place, each in forms.items() if told}
