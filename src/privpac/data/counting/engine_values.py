"""A column of a table as a domain reads it, in expressions that its engine evaluates, so that no record leaves.

The engine must compare values as Python does. It does so for whole numbers of at most 64 bits, for floats with NaN as
missing, for dates of the years 1 to 9999, and for text, which is compared by its bytes. A column of another type is
refused, and so is a column of text that the domain reads as something else, such as numbers in a CSV file.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import reduce
from importlib import import_module
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Names
from privpac.data.domains.paths import Paths
from privpac.data.domains.with_missing import WithMissing
from privpac.data.engines.exact_forms import INT64, exported_column, without_long
from privpac.data.values.equal_values import canonical
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir


class EngineValues(NamedTuple):
    """The values of a column, NULL where one is missing, and which records fit the domain."""

    values: ir.Value
    fits: ir.BooleanValue


def engine_values(domain: Domain, column: ir.Value, engine: str, rule: InvalidRule) -> EngineValues:
    """The column as ``domain`` reads it; Refused if the engine cannot express that.

    Under "raise" all records fit, because a prediction labels a value beyond the bounds like the bound on its side.

    >>> import ibis
    >>> engine_values(Line(0, 9), ibis.table({"x": "string"}).x, "duckdb", "raise")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: the labels of this table cannot be computed where it lives exactly as ...
    """
    kind = column.type()
    column = without_long(column, engine) if kind.is_string() else column  # a text that is too long is missing
    if isinstance(domain, WithMissing):
        return _with_missing(domain, column, engine, rule)
    if isinstance(domain, Line) and domain.zone is None:
        return _on_line(domain, _ordered(domain, column), rule)
    if isinstance(domain, Names) and _have_one_spelling(domain, kind):
        return EngineValues(column, _true() if rule == "raise" else is_among(column, domain.names, engine))
    if type(domain) is Paths and domain.separator is None and kind.is_string():
        return _cut(column, domain.deepest, rule)
    if type(domain) is Anything and (kind.is_string() or _is_whole(kind)):
        return EngineValues(column, _true() if rule == "raise" else column.notnull())
    raise no_form()


def _with_missing(domain: WithMissing, column: ir.Value, engine: str, rule: InvalidRule) -> EngineValues:
    """The column, in which a missing entry fits as well."""
    if column.type().is_string() and domain.na:
        column = is_among(column, domain.na, engine).ifelse(import_module("ibis").null("string"), column).name("entry")
    line = domain.domain.line
    present = engine_values(domain.domain, column, engine, rule)
    absent = (column if line is None or line.kind == "string" else _ordered(line, column)).isnull()
    return EngineValues(present.values, present.fits | absent)


def is_among(column: ir.Value, values: Iterable[object], engine: str) -> ir.BooleanValue:
    """Whether an entry equals one of the values, as Python compares them; a missing entry equals none."""
    ibis, kind, forms = import_module("ibis"), column.type(), list(map(canonical, values))
    if kind.is_string():
        texts = [form for form in forms if isinstance(form, str)]
        if not all(map(_storable, texts)):
            raise no_form()
        comparable = exported_column(column, column.get_name(), engine).comparable
        equal = [comparable == exported_column(ibis.literal(text), "", engine).comparable for text in texts]
    elif _is_whole(kind):
        numbers = [form for form in forms if isinstance(form, int) and form in INT64]
        equal = [column.cast("int64") == ibis.literal(int(number), "int64") for number in numbers]
    elif kind.is_date():
        equal = [column == ibis.literal(form, "date") for form in forms if type(form) is date]
    else:
        raise no_form()
    return reduce(or_, equal, ibis.literal(False)).fill_null(False)


def as_literal(label: object) -> ir.Scalar:
    """A label as engines write it; Refused if some engine cannot."""
    is_text = isinstance(label, str) and _storable(label)
    if not (is_text or isinstance(label, float) or (isinstance(label, int) and label in INT64)):
        raise no_form()
    return import_module("ibis").literal(label)


def no_form() -> Refused:
    """The refusal of a column or a label that has no exact form in the engine."""
    return Refused(
        "table",
        "the labels of this table cannot be computed where it lives exactly as predict computes them; use predict, "
        "which reads a few rows at a time, or the command privpac predict",
    )


def _ordered(domain: Line, column: ir.Value) -> ir.Value:
    """The column in a type whose order in the engine is that of the line; NULL for values that count as missing."""
    ibis, kind = import_module("ibis"), column.type()
    if domain.kind == "integer" and _is_whole(kind):
        return column
    if domain.kind == "float" and (kind.is_floating() or (_is_whole(kind) and kind.nbytes <= 4)):
        number = column.cast("float64")
        return number.isnan().ifelse(ibis.null(), number) if kind.is_floating() else number
    if domain.kind == "datetime64[D]" and kind.is_date():
        first, last = ibis.literal(date.min, "date"), ibis.literal(date.max, "date")
        return ((column >= first) & (column <= last)).ifelse(column, ibis.null())
    raise no_form()


def _on_line(domain: Line, column: ir.Value, rule: InvalidRule) -> EngineValues:
    """The values between the bounds; under "clamp" also those beyond them, moved to the nearest bound."""
    if rule == "raise":
        return EngineValues(column, _true())
    ibis, kind = import_module("ibis"), column.type()
    low, high = (end.item() if hasattr(end, "item") else end for end in (domain.low, domain.high))
    if domain.kind == "integer":
        if not (low in INT64 and high in INT64):
            raise no_form()  # the engine cannot compare with a bound beyond 64 bits
        column = column.cast("int64")
        # The narrowest type that holds both bounds; sums over the column rely on it to bound its values.
        kind = next(f"int{bits}" for bits in (8, 16, 32, 64) if -(2 ** (bits - 1)) <= low and high < 2 ** (bits - 1))
    least, most = ibis.literal(low, column.type()), ibis.literal(high, column.type())
    within = ((column >= least) & (column <= most)).fill_null(False)
    if rule == "default":
        return EngineValues(within.ifelse(column, ibis.null()).cast(kind), within)
    nearest = ibis.cases((column < least, least), (column > most, most), else_=column)
    return EngineValues(nearest.cast(kind), column.notnull())


def _cut(column: ir.Value, height: int, rule: InvalidRule) -> EngineValues:
    """The codes; those of more than ``height`` characters do not fit, or are cut under "clamp"."""
    if rule == "raise":
        return EngineValues(column, _true())
    if rule == "clamp":
        return EngineValues(column.substr(0, height), column.notnull())
    return EngineValues(column, (column.length() <= height).fill_null(False))


def _have_one_spelling(domain: Names, kind: dt.DataType) -> bool:
    """Whether each name is stored in only one way: as text, a name that is a number could be spelled in several."""
    if _is_whole(kind):
        return all(type(name) is int for name in domain.names)
    return kind.is_string() and all(isinstance(name, str) and not _spells_number(name) for name in domain.names)


def _spells_number(name: str) -> bool:
    try:
        Decimal(name)
    except InvalidOperation:
        return False
    return True


def _storable(text: str) -> bool:
    """Whether every engine can hold the text in a literal."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _is_whole(kind: dt.DataType) -> bool:
    """Whether columns of this kind hold whole numbers of at most 64 bits, with a sign."""
    return kind.is_integer() and not kind.is_uint64()


def _true() -> ir.BooleanScalar:
    return import_module("ibis").literal(True)
