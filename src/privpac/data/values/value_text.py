"""Values as text: for people to read, and for queries in SQL.

Cuts of text are drawn from all texts, so most of their characters are ones that nobody writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from numbers import Real

import numpy as np

LAST_READABLE = "\U000323af"  # later characters are unassigned, private, or invisible
ZERO_SECONDS = re.compile(r"(?<=:\d\d):00(\.0+)?$")  # the end of a time that is a whole number of minutes
MOST_LISTED = 8  # values; a longer list is shortened
LONGEST_DECIMAL = 14_000  # bits, about 4,200 digits; Python refuses to write more than 4,300


def value_text(value: object) -> str:
    """``value`` as text in a sentence; characters that cannot be printed are escaped, numbers have a minus sign.

    >>> from datetime import date
    >>> print(value_text("J10"), value_text(date(2026, 11, 15)), value_text("J\\ud800"), value_text(-3))
    J10 2026-11-15 'J\\ud800' −3
    >>> print(value_text(np.datetime64("2026-11-15T08:30:00")))
    2026-11-15 08:30
    """
    text = _text(value)
    if isinstance(value, np.datetime64) or (isinstance(value, datetime) and value.tzinfo is None):
        return ZERO_SECONDS.sub("", text if text == "NaT" else text.replace("T", " "))
    if isinstance(value, (Real, Decimal)):
        return text.replace("-", "−", 1) if text.startswith("-") else text
    return text if text.isprintable() and text.strip() == text != "" else ascii(text)


def entry_text(value: object) -> str:
    """An entry of a table as text in a sentence; one that is missing is called so.

    >>> entry_text("J10"), entry_text(None)
    ('J10', 'missing')
    """
    return "missing" if value is None else value_text(value)


def in_list(values: Iterable[object]) -> str:
    """Values as a list of alternatives, such as "a, b, or c"; a long list shows the first three and the last.

    >>> in_list(["no", "yes"]), in_list("abc"), in_list(range(20))
    ('no or yes', 'a, b, or c', '0, 1, 2, …, or 19')
    """
    *first, last = map(value_text, values)
    if len(first) < 2:
        return " or ".join([*first, last])
    return f"{', '.join(first if len(first) <= MOST_LISTED else [*first[:3], '…'])}, or {last}"


def _text(value: object) -> str:
    """``str(value)``, or hexadecimal for integers that are too long for ``str``."""
    return hex(value) if isinstance(value, int) and value.bit_length() > LONGEST_DECIMAL else str(value)


def readable_bound(bound: object, places: int | None = None) -> str:
    """A bound or a cut as text in a sentence; floats are written with ``places`` decimals, unless that is None.

    A text ends with "…" after its first character that cannot be printed, which almost always decides on which side of
    the cut a value lies.

    >>> print(readable_bound("J10"), readable_bound("WN\\x00\\U000e4e0f\\U0008b0c1"), readable_bound(0.5, places=3))
    J10 'WN\\x00'… 0.500
    """
    if places is not None and isinstance(bound, float):
        return f"{bound:.{places}f}".replace("-", "−", 1)
    text = _text(bound)
    place = _first_unprintable(text)
    return f"{text[: place + 1]!r}…" if place + 1 < len(text) else value_text(bound)


def _first_unprintable(text: str) -> int:
    """The position of the first character that cannot be printed; the length of the text if all can."""
    return next((i for i, character in enumerate(text) if not character.isprintable()), len(text))


def readable_cut(text: str) -> tuple[str, str]:
    """A cut in the order of texts, for a sentence such as "name ≥ U": the sign "≥" or ">", and a text.

    If some readable text separates all readable texts in the same way, the sentence names that text instead.

    >>> readable_cut("J10"), readable_cut("Widowed\\x00\\U000e4e0f"), readable_cut("T\\U000e4e0f\\x07")
    (('≥', 'J10'), ('>', 'Widowed'), ('≥', 'U'))
    >>> readable_cut("Z\\U000e4e0f"), readable_cut("Widowe[\\U000e4e0f")
    (('>', 'Z…'), ('>', 'Widowe[…'))
    """
    place = _first_unprintable(text)
    start, rest = text[:place], text[place:]
    if not rest or not start or start[-1].isspace():
        return "≥", readable_bound(text)
    if rest[0] < " ":  # before all readable characters: readable texts above the cut are those after ``start``
        return ">", value_text(start)
    if rest[0] > LAST_READABLE:  # after all readable characters: texts that begin with ``start`` lie below the cut
        following = chr(ord(start[-1]) + 1)
        return ("≥", value_text(start[:-1] + following)) if following.isalnum() else (">", f"{value_text(start)}…")
    return "≥", readable_bound(text)


def sql_text(value: str) -> str:
    """A text as a query spells it.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"


def sql_name(value: str) -> str:
    """The name of a column as a query spells it.

    >>> print(sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + value.replace('"', '""') + '"'
