"""Text read as values: entries of text files, and labels that people type.

A text file holds numbers and dates only as text. The declared domain says how each text is read, so no record decides
how another one is read. A text that spells no value of a line becomes None, and its record does not fit. (Where entries
may be missing, ``WithMissing`` keeps such a text, so that it does not pass for a missing entry.)

Typed labels are whole numbers if all are whole numbers, and text otherwise. For a Boolean column, 0, no, and false mean
False, and 1, yes, and true mean True.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np

from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array, objects
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir

# 2026-11-15 08:30:00.5; with an offset, 2026-11-15T08:30Z or 2026-11-15 08:30+01:00
TIME = re.compile(r"(?P<time>\d{4}-\d\d-\d\d(?P<hour>[ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?)", re.ASCII)
ZONED = re.compile(TIME.pattern + r" ?(?P<offset>Z|[+-]\d\d(:?\d\d)?)", re.ASCII)
INTEGER_DIGITS = 1000  # a longer integer is beyond every bound, and 1e999999999 would not fit into memory
TRUTH = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True}


def spelled(kind: str, texts: Array) -> Array:
    """The values that ``texts`` spell on a line of this kind (see ``kind_of``), None where a text spells no value.

    Entries that are not text stay unchanged, and so does every text on a line of texts.

    >>> spelled("integer", np.array(["37", "36.5", "old"], dtype=object)).tolist()
    [37, Decimal('36.5'), None]
    """
    if texts.dtype.kind != "O" or kind == "string":
        return texts
    reader = READERS.get(kind, _time)
    if kind != "integer":
        return objects([_value(reader, text) for text in texts])
    # Most integers are spelled with digits alone, and ``int`` reads these fastest.
    return objects(
        [
            int(text)
            if type(text) is str and text.isdecimal() and len(text) <= INTEGER_DIGITS
            else _value(reader, text)
            for text in texts
        ]
    )


def names_spelled(names: Iterable[Hashable], texts: Array) -> Array:
    """The declared ``names`` that ``texts`` spell. Other texts, and entries that are not text, stay unchanged.

    Numbers may be spelled in any way (1, 1.0), and True may also be written as true, False as false.

    >>> names_spelled((0, 1), np.array(["1", "0.0", "yes"], dtype=object)).tolist()
    [1, 0, 'yes']
    """
    if texts.dtype.kind != "O":
        return texts
    numbers = [(_value(_number, str(name)), name) for name in names]
    name_of_number = {number: name for number, name in numbers if not missing(number)}
    name_of_text: dict[str, Hashable] = {str(name).lower(): name for name in names if isinstance(name, bool)}
    name_of_text |= {str(name): name for name in names}

    entries = texts.tolist()
    distinct_texts = {entry for entry in entries if type(entry) is str}
    meaning = {text: name_of_text.get(text, name_of_number.get(_value(_number, text), text)) for text in distinct_texts}
    return objects([meaning[entry] if type(entry) is str else entry for entry in entries])


def _value(reader: Callable[[str], Hashable], text: object) -> object:
    """``reader(text)``, or None if the reader cannot read the text; an entry that is not text is returned unchanged."""
    try:
        return reader(text) if isinstance(text, str) else text
    except (ValueError, TypeError, InvalidOperation):
        return None


def _number(text: str) -> int | Decimal:
    """The number that a text spells: an int if it is whole and has at most INTEGER_DIGITS digits, else a decimal."""
    number = Decimal(text)
    if number.is_nan():
        raise ValueError  # a signaling NaN cannot even be looked up
    if not number:
        return 0  # a zero may have any exponent
    whole = number.is_finite() and number.adjusted() < INTEGER_DIGITS and number == number.to_integral_value()
    return int(number) if whole else number


def _time(text: str) -> np.datetime64 | datetime:
    """The time that a text spells, to the nanosecond; with Z or an offset, a zoned datetime, to the microsecond."""
    if TIME.fullmatch(text.strip()):  # numpy also reads "today", and years of any length
        return np.datetime64(text.strip())
    match = ZONED.fullmatch(text.strip())
    if not match or not match["hour"]:  # a day has no offset
        raise ValueError
    clock = np.datetime64(match["time"]).astype("datetime64[us]").item()
    if not isinstance(clock, datetime):  # an integer, because a datetime cannot have the year 0
        raise TypeError
    offset = f"{match['offset']}00".replace(":", "")[:5]  # "+0100" for "+01" and for "+01:00"
    zone = UTC if offset.startswith("Z") else datetime.strptime(offset, "%z").tzinfo
    return clock.replace(tzinfo=zone)


READERS: dict[str, Callable[[str], Hashable]] = {"integer": _number, "float": float, "decimal": Decimal}


def typed_labels(text: str) -> tuple[int, ...] | tuple[str, ...]:
    """The labels in a typed list, (negative, positive) or three or more; integers if all are whole numbers.

    >>> typed_labels("0,1"), typed_labels("no, yes")
    ((0, 1), ('no', 'yes'))
    """
    names = [name.strip() for name in text.split(",")]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        rule = " takes two different labels, the negative one first, such as 0,1 or no,yes; or more, such as a,b,c"
        raise Refused("classes", Setting("classes"), rule)
    are_whole = all(re.fullmatch(r"[+-]?\d+", name) for name in names)
    return tuple(map(int, names)) if are_whole else tuple(names)


def error_costs(text: str) -> tuple[str, ...] | str:
    """The typed costs of errors: one text per label, in the order of the labels, or a word such as "balanced".

    >>> error_costs("1,9"), error_costs("balanced")
    (('1', '9'), 'balanced')
    """
    return tuple(cost.strip() for cost in text.split(",")) if "," in text else text.strip()


def stored_labels(typed: Sequence[Hashable], table: ir.Table, y: str) -> Sequence[Hashable]:
    """The labels as the column ``y`` of the table stores them: for a Boolean column, True and False.

    >>> import ibis, pyarrow
    >>> table = ibis.memtable(pyarrow.table({"late": [True], "sex": ["m"]}))
    >>> stored_labels(("no", "yes"), table, "late"), stored_labels(("f", "m"), table, "sex")
    ((False, True), ('f', 'm'))
    """
    if not isinstance(typed, tuple):
        return typed  # a condition such as "delay > 30"; it reads the column itself
    boolean = y in table.columns and table.schema()[y].is_boolean()
    truth_values = [TRUTH.get(str(name).lower()) for name in typed]
    return tuple(truth_values) if boolean and len(typed) == 2 and None not in truth_values else typed
