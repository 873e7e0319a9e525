"""Values as text for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from numbers import Real

import numpy as np

LAST_READABLE = "\U000323af"  # later characters are unassigned, private, or invisible
NO_SECONDS = re.compile(r"(?<=:\d\d):00(\.0+)?$")  # a time to the minute
MOST_LISTED = 8
LONGEST_DECIMAL = 14_000  # bits: some 4200 digits; Python refuses to write more than 4300


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
        return NO_SECONDS.sub("", text if text == "NaT" else text.replace("T", " "))
    if isinstance(value, (Real, Decimal)):
        return text.replace("-", "−", 1) if text.startswith("-") else text
    return text if text.isprintable() and text.strip() == text != "" else ascii(text)


def in_list(values: Iterable[object]) -> str:
    """Values as alternatives; of many, some.

    >>> in_list(["no", "yes"]), in_list("abc"), in_list(range(20))
    ('no or yes', 'a, b, or c', '0, 1, 2, …, or 19')
    """
    *first, last = map(value_text, values)
    if len(first) < 2:
        return " or ".join([*first, last])
    return f"{', '.join(first if len(first) <= MOST_LISTED else [*first[:3], '…'])}, or {last}"


def _text(value: object) -> str:
    """The value as ``str`` writes it; integers that are too long for that are in hexadecimal."""
    return hex(value) if isinstance(value, int) and value.bit_length() > LONGEST_DECIMAL else str(value)


def readable_bound(bound: object, places: int | None = None) -> str:
    """A bound or a cut as text in a sentence: text up to its first character that cannot be printed, then ….

    Floats have ``places`` decimals, if that is not None.

    Cuts of text are drawn from all texts, so most of their characters are ones that nobody writes. The first of these
    almost always decides on which side a value lies.

    >>> print(readable_bound("J10"), readable_bound("WN\\x00\\U000e4e0f\\U0008b0c1"), readable_bound(0.5, places=3))
    J10 'WN\\x00'… 0.500
    """
    if places is not None and isinstance(bound, float):
        return f"{bound:.{places}f}".replace("-", "−", 1)
    text = _text(bound)
    readable = next((i for i, character in enumerate(text) if not character.isprintable()), len(text))
    return f"{text[: readable + 1]!r}…" if readable + 1 < len(text) else value_text(bound)


def readable_cut(text: str) -> tuple[str, str]:
    """How a cut in the order of texts reads: "≥" or ">", and a text.

    Cuts are drawn from all texts, so most of their characters are ones that nobody writes. The sentence names the
    readable text that separates the readable texts in the same way, if there is one.

    >>> readable_cut("J10"), readable_cut("Widowed\\x00\\U000e4e0f"), readable_cut("T\\U000e4e0f\\x07")
    (('≥', 'J10'), ('>', 'Widowed'), ('≥', 'U'))
    >>> readable_cut("Z\\U000e4e0f"), readable_cut("Widowe[\\U000e4e0f")
    (('>', 'Z…'), ('>', 'Widowe[…'))
    """
    place = next((i for i, character in enumerate(text) if not character.isprintable()), len(text))
    start, rest = text[:place], text[place:]
    if not rest or not start or start[-1].isspace():
        return "≥", readable_bound(text)
    if rest[0] < " ":  # before all readable characters: only ``start`` itself lies between
        return ">", value_text(start)
    if rest[0] > LAST_READABLE:  # after all of them: so do all texts that start like this one
        following = chr(ord(start[-1]) + 1)
        return ("≥", value_text(start[:-1] + following)) if following.isalnum() else (">", f"{value_text(start)}…")
    return "≥", readable_bound(text)
