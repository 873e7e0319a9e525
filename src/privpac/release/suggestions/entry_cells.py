"""The key of an entry in the histogram of its column: a listed cell such as "a whole number from 32 to 63", or itself.

An entry's key depends on this entry and on the public form of its column, and on nothing else. The lists of cells are
public and finite, so that a count of each can be released whether or not a record has it.

Throughout this file
    e       the power of two of a number x: 2^e ≤ |x| < 2^(e+1); numbers too near to 0 for the list share a cell with 0
    form    what is public about a column: what its entries may be
    cell    (kind,), (kind, year), (kind, e), or (kind, sign, e); ("missing", i) stands for the text BLANKS[i];
            ("written", order, sign, clock, year) for dates such as 31/01/2026 in the PERIOD years from ``year`` on
    order   "d" if the day comes first, "m" if the month does, "?" if both may, "Y" if the year does
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache
from itertools import product
from math import frexp, isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privpac.classes.schemas.columns import Column
from privpac.data.files.date_formats import DateFormat
from privpac.data.files.file_format import with_point
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array, objects
from privpac.data.values.equal_values import canonical
from privpac.data.values.spelling import TIME

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt

Form = Literal[
    "text", "comma", "value", "integer", "number", "date", "datetime", "truth", "label", "true label", "size"
]
Cell = tuple[Any, ...]

MISSING: Cell = ("missing",)
BEYOND: Cell = ("beyond",)  # an entry that no schema can declare: too large, too long, or of a type without order
BLANKS = ("NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "none", "?", "-", ".", "*", "missing", "Missing")
LARGEST = 63  # the largest e of a whole number
FINEST, WIDEST = -64, 64  # the least and the largest e of other numbers
YEARS = range(1900, 2100)
PERIOD = 5  # the number of years in a cell of dates that are not written as 2026-01-31
LONGEST = 100  # the most characters of a category or of a number
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
DATE_LENGTH = len("2026-01-31")
# such as 31/1/2026 8:30
WRITTEN = re.compile(r"\d{1,4}(?P<sign>[./-])\d{1,2}(?P=sign)\d{1,4}( \d{1,2}(:\d\d){1,2})?", re.ASCII)
CLOCKS = ("", " %H:%M", " %H:%M:%S")  # by the number of colons
SIGNS = (-1, 1)
TRUTHS: tuple[Cell, Cell] = (("truth", 0), ("truth", 1))


@cache
def cells(form: Form) -> tuple[Cell, ...]:
    """All cells of a form, in a public order.

    >>> len(cells("integer")), len(cells("text")), cells("true label")
    (131, 2245, (('missing',), ('beyond',), ('truth', 0), ('truth', 1)))
    """
    integers = [("integer", 0), *(("integer", sign, e) for sign in SIGNS for e in range(LARGEST + 1))]
    numbers = [("number", 0), *(("number", sign, e) for sign in SIGNS for e in range(FINEST, WIDEST + 1))]
    days, times = ([(kind, year) for year in YEARS] for kind in ("date", "datetime"))
    written = [("written", *parts) for parts in product("dm?Y", "/.-", CLOCKS, YEARS[::PERIOD])]
    texts = [*(("missing", i) for i in range(len(BLANKS))), *integers, *numbers, *days, *times, *written]
    listed: dict[Form, list[Cell]] = {
        "text": texts,
        "comma": texts,
        "value": [*integers, *numbers, *days, *times, *TRUTHS],
        "integer": integers,
        "number": numbers,
        "date": days,
        "datetime": times,
        "truth": [*TRUTHS],
        "label": [],
        "true label": [*TRUTHS],
        "size": [("size", e) for e in range(LARGEST + 1)],
    }
    return MISSING, BEYOND, *listed[form]


def key_of(form: Form, entry: object) -> Hashable:
    """The cell of an entry, or the entry itself, as a text or a whole number, if it has none.

    >>> [key_of("text", each) for each in ("37", "0.2", "2026-01-31", "?", "EV")]
    [('integer', 1, 5), ('number', 1, -3), ('date', 2026), ('missing', 9), 'EV']
    >>> key_of("label", "1.0"), key_of("value", -5), key_of("number", 4), key_of("value", None)
    (1, ('integer', -1, 2), ('number', 1, 2), ('missing',))
    """
    if missing(entry):
        return MISSING
    try:
        return _KEYS.get(form, _key)(entry_value(form, entry))
    except (ValueError, TypeError, ArithmeticError):
        return BEYOND


def entry_in_memory(entry: object) -> Hashable:
    """The same value for all equal entries; None for a missing one. True and False become cells, not the numbers 1, 0.

    >>> [entry_in_memory(each) for each in (1.0, True, None, object(), ("truth", 1))]
    [1, ('truth', 1), None, ('beyond',), ('beyond',)]
    """
    if missing(entry):
        return None
    if isinstance(entry, bool | np.bool_):
        return TRUTHS[bool(entry)]
    try:
        value = canonical(entry)
    except Exception:  # whatever a value may raise
        return BEYOND
    return BEYOND if isinstance(value, tuple) else value


def without_truths(entries: Array) -> Array:
    """The entries of ``entry_in_memory``, but with 0 and 1 for truth values, as everywhere else."""
    return objects(entry[1] if entry in TRUTHS else entry for entry in entries.tolist())


def entry_value(form: Form, entry: object) -> Any:
    """The value of an entry that is not missing: a number, a day, a time, or a text. A text may spell the others.

    The value of a date that is not written as 2026-01-31 is its cell.

    >>> entry_value("text", "37"), entry_value("value", "37"), entry_value("text", "2026-02-30")
    (Decimal('37'), '37', '2026-02-30')
    >>> entry_value("comma", "1.234,5"), entry_value("comma", "37.5")
    (Decimal('1234.5'), '37.5')
    >>> entry_value("text", "31/01/2026 8:30"), entry_value("text", "03.04.1999"), entry_value("text", "31/02/2026")
    (('written', 'd', '/', ' %H:%M', 2025), ('written', '?', '.', '', 1995), '31/02/2026')
    """
    if not isinstance(entry, str) or form not in ("text", "comma", "label") or len(entry) > LONGEST:
        return entry
    text = entry.strip()
    number = with_point(text) if form == "comma" else text
    if NUMBER.fullmatch(number):
        return Decimal(number)
    if form != "label" and TIME.fullmatch(text):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:  # a day that does not exist
            return entry
        return moment.date() if len(text) == DATE_LENGTH else moment
    return entry if form == "label" else _written(text) or entry


def date_format(cell: Cell) -> str:
    """How dates in this cell are written, in the words of ``strptime``; the order must be known.

    >>> date_format(("written", "d", "/", " %H:%M", 2025))
    '%d/%m/%Y %H:%M'
    """
    order, sign, clock = map(str, cell[1:4])
    return sign.join({"d": ("%d", "%m", "%Y"), "m": ("%m", "%d", "%Y"), "Y": ("%Y", "%m", "%d")}[order]) + clock


def _written(text: str) -> Cell | None:
    """The cell of a date that is not written as 2026-01-31; None if the text is no such date."""
    match = WRITTEN.fullmatch(text)
    if not match:
        return None
    forms = [("written", order, match["sign"], CLOCKS[text.count(":")]) for order in ("d", "m", "Y")]
    moments = {form: moment for form in forms if (moment := written_value(date_format(form), text)) is not None}
    if not moments or (year := next(iter(moments.values())).year) not in YEARS:
        return None
    kind, order, *rest = next(iter(moments))
    return kind, order if len(moments) == 1 else "?", *rest, year - year % PERIOD


def written_value(style: str, text: str) -> date | None:
    """The day or time that a text spells in this style of ``strptime``, as it would be read from a file; else None.

    >>> written_value("%d/%m/%Y", "31/01/2026"), written_value("%m/%d/%Y", "31/01/2026")
    (datetime.date(2026, 1, 31), None)
    """
    if not _pattern(style).fullmatch(text):
        return None
    try:
        moment = datetime.strptime(text.strip(), style)
    except ValueError:  # a day that does not exist
        return None
    return moment if "%H" in style else moment.date()


@cache
def _pattern(style: str) -> re.Pattern[str]:
    return re.compile(DateFormat(style).pattern)


def fits_line(column: Column, value: object) -> bool:
    """Whether the value of an entry lies between the bounds of a column, and is of its kind.

    >>> ages = Column("age", "integer", low=0, high=120)
    >>> [fits_line(ages, each) for each in (Decimal("37.0"), 36.5, 121, "old", 10**400)]
    [True, False, False, False, False]
    """
    try:
        return _between(column, value)
    except (ValueError, TypeError, ArithmeticError):  # a number beyond all floats, or a time with a zone
        return False


def _between(column: Column, value: object) -> bool:
    low, high = column.low, column.high
    if column.kind in ("date", "datetime"):
        if not isinstance(value, date):
            return False
        moment = value if isinstance(value, datetime) else datetime.combine(value, time.min)
        return bool(low <= (moment.date() if column.kind == "date" else moment) <= high)
    if not isinstance(value, int | float | Decimal) or not isfinite(value):
        return False
    return bool(low <= value <= high) and (column.kind != "integer" or value == int(value))


def form_of(kind: dt.DataType, *, label: bool = False) -> Form | None:
    """The form of a column with this type of Ibis; None if no schema can declare it."""
    if kind.is_boolean():
        return "true label" if label else "truth"
    if label:
        return "label" if kind.is_string() or kind.is_numeric() else None
    matches: dict[Form, bool] = {
        "text": kind.is_string(),
        "integer": kind.is_integer(),
        "number": kind.is_floating() or kind.is_decimal(),
        "date": kind.is_date(),
        "datetime": kind.is_timestamp() and getattr(kind, "timezone", None) is None,
    }
    return next((form for form, match in matches.items() if match), None)


def _key(value: object) -> Hashable:
    """The key of a value, whatever the form of its column."""
    if isinstance(value, int | float | Decimal):
        if not isfinite(value):
            return BEYOND
        return _integer(value) if value == int(value) else _number(value)
    if isinstance(value, date):
        return _time(value, "datetime" if isinstance(value, datetime) else "date")
    return value if isinstance(value, tuple) and value[0] == "written" else _name(value)


def _value(value: object) -> Hashable:
    return value if isinstance(value, tuple) and value in TRUTHS else _key(value)


def _text(value: object) -> Hashable:
    return ("missing", BLANKS.index(value)) if isinstance(value, str) and value in BLANKS else _key(value)


def _integer(value: Any) -> Cell:
    number = int(value)
    return _signed("integer", number, abs(number).bit_length() - 1, 0, LARGEST)


def _number(value: Any) -> Cell:
    number = float(value)
    return _signed("number", number, frexp(number)[1] - 1, FINEST, WIDEST) if isfinite(number) else BEYOND


def _signed(kind: str, number: float, e: int, finest: int, widest: int) -> Cell:
    """The cell of a number, if cells exist for e from ``finest`` to ``widest``."""
    if number == 0 or e < finest:
        return (kind, 0)
    return (kind, 1 if number > 0 else -1, e) if e <= widest else BEYOND


def _time(value: object, kind: str) -> Cell:
    return (kind, value.year) if isinstance(value, date) and value.year in YEARS else BEYOND


def _label(value: object) -> Hashable:
    """The key of a label: 1, 1.0, "1.0", and True are the same label, as for learners."""
    if isinstance(value, tuple) and value in TRUTHS:
        return int(value[1])
    if not isinstance(value, int | float | Decimal):
        return _name(value)
    return int(value) if isfinite(value) and abs(value) < 10**LARGEST and value == int(value) else BEYOND


def _name(value: object) -> Hashable:
    """A short text as its own key. Half a character cannot be written to a file: ``encode`` raises for it."""
    return value if isinstance(value, str) and len(value) <= LONGEST and value.encode() else BEYOND


def _truth(value: object) -> Cell:
    return ("truth", int(bool(value)))


_KEYS: dict[Form, Callable[[Any], Hashable]] = {  # every other form uses ``_key``
    "text": _text,
    "comma": _text,
    "value": _value,
    "integer": _integer,
    "number": _number,
    "date": lambda value: _time(value, "date"),
    "datetime": lambda value: _time(value, "datetime"),
    "truth": _truth,
    "label": _label,
    "true label": _truth,
    "size": lambda value: ("size", min(int(value).bit_length() - 1, LARGEST)),
}
