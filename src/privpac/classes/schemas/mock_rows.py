"""Made-up rows that fit a schema. Each entry comes from a hash of its column and row, not from records or coins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from math import floor, log10

from privpac.classes.hypothesis import Value
from privpac.classes.schemas.columns import Column
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.values.whole_numbers import is_whole
from privpac.refusals.refusal import Refused

BITS = 128  # of a hash
FEW = 5  # how many different texts are made up for a column, and the most steps of a made-up code
ONE_IN = 10  # one in ten entries is missing, where entries may be missing
DIGITS = 4  # significant digits of the largest made-up number in a column
STEPS = "0123456789"  # the steps of a made-up code


def mock_rows(
    columns: Sequence[Column], rows: int, labels: Mapping[str, Sequence[Value]], units: Mapping[str, int]
) -> dict[str, list[Value]]:
    """Columns of made-up values, by name.

    ``labels`` has the possible values of the column of labels, ``units`` the number of rows of each unit.
    """
    if not is_whole(rows) or isinstance(rows, bool) or rows < 0:
        raise Refused.must("rows", "be a whole number, at least 0")
    table: dict[str, list[Value]] = {
        name: [values[_below(len(values), name, i)] for i in range(rows)] for name, values in labels.items()
    }
    table |= {name: [f"unit {1 + i // size}" for i in range(rows)] for name, size in units.items()}
    return table | {column.name: [_value(column, i) for i in range(rows)] for column in columns}


def both_sides(condition: LabelCondition) -> list[Value]:
    """A list: first an entry that does not meet the condition, then entries that do.

    >>> both_sides(LabelCondition("price", at_least=5000))
    [4999, 5000]
    """
    if condition.at_least is not None:
        step = timedelta(days=1) if isinstance(condition.at_least, date) else 1
        return [condition.at_least - step, condition.at_least]  # type: ignore[operator]
    chosen = condition.one_of or ()
    number = next(i for i in range(len(chosen) + 1) if {i, f"other {i}"}.isdisjoint(chosen))
    unlisted = f"other {number}" if isinstance(chosen[0], str) else number
    return [unlisted, *chosen]


def _below(size: int, name: str, row: int) -> int:
    """A number from 0 to ``size`` − 1 that depends on nothing but the name of the column and the row."""
    digest = blake2b(f"{name}\0{row}".encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()
    return int.from_bytes(digest, "big") * size >> BITS


def _value(column: Column, row: int) -> Value:
    """A value that the column may hold; None for one entry in ten, if entries may be missing."""
    if column.missing and not _below(ONE_IN, f"{column.name} is missing", row):
        return None
    if column.ordered:
        return _on_line(column, row)
    if column.values is not None:
        return column.values[_below(len(column.values), column.name, row)]
    return _code(column, row) if column.kind == "code" else f"{column.kind} {_below(FEW, column.name, row)}"


def _on_line(column: Column, row: int) -> Value:
    """A value between the bounds of an ordered column."""
    low, high = column.low, column.high
    if isinstance(low, datetime):
        return low + timedelta(seconds=_below(1 + int((high - low).total_seconds()), column.name, row))
    if isinstance(low, date):
        return low + timedelta(days=_below(1 + (high - low).days, column.name, row))
    if column.kind == "integer":
        return low + _below(1 + high - low, column.name, row)
    return _number(column, row)


def _number(column: Column, row: int) -> Value:
    """A multiple of a round step between the bounds; a decimal number has no more places than its bounds."""
    low, high = Decimal(str(column.low)), Decimal(str(column.high))
    largest = max(abs(low), abs(high), Decimal(1).scaleb(-300))
    step = Decimal(1).scaleb(floor(log10(largest)) + 1 - DIGITS)
    if column.kind == "decimal":
        places = min(int(bound.as_tuple().exponent) for bound in (low, high))
        step = max(step, Decimal(1).scaleb(places))
    number = low + step * _below(1 + int((high - low) / step), column.name, row)
    return number if column.kind == "decimal" else float(number)


def _code(column: Column, row: int) -> str:
    """A few digits, with separators between them if the code has any."""
    steps = min(column.height or FEW, FEW)
    return (column.separator or "").join(STEPS[_below(len(STEPS), column.name, row * FEW + i)] for i in range(steps))
