"""Dates as files spell them: "%d.%m.%Y" for 31.01.2026. They are rewritten as 2026-01-31, which every domain reads.

A text that does not have the declared form stays as it is. Whether a date exists is decided where all dates are read,
so 31.02.2026 becomes 2026-02-31, which no domain reads.

Throughout this file
    directive    a letter after % in the declared form, such as d
    part         a directive with its %, or the text between two directives
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from privpac.data.values.value_text import sql_text
from privpac.refusals.refusal import Refused

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# How many digits a directive reads; and how many if it follows or precedes another number without a sign in between.
DIGITS = {"d": "1,2", "m": "1,2", "Y": "4", "y": "2", "H": "1,2", "M": "1,2", "S": "1,2", "f": "1,6"}
ADJACENT_DIGITS = {"d": "2", "m": "2", "H": "2", "M": "2", "S": "2", "f": "6"}
FIRST_OF_1900S = 69  # as in POSIX: two digits from 69 on mean 1969 to 1999, and smaller ones 2000 to 2068
DIRECTIVES = "%d, %m, %Y (31.01.2026), or %y (26), %b (Jan), %H, %M, %S, %f"
SPACE = r"[ \t\n\f\r]*"  # not \s*: to Python, a vertical tab is a space, but not to DuckDB
EXAMPLE = 'such as format = "%d/%m/%Y" for 31/01/2026'


@dataclass(frozen=True)
class DateFormat:
    """How a column spells dates or times, in the words of ``strptime``.

    >>> DateFormat("%d.%m.%Y").pattern
    '[ \\\\t\\\\n\\\\f\\\\r]*([0-9]{1,2})\\\\.([0-9]{1,2})\\\\.([0-9]{4})[ \\\\t\\\\n\\\\f\\\\r]*'
    >>> DateFormat("%d.%q.%Y")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: a format may have %d, %m, %Y (31.01.2026), or %y (26), %b (Jan), %H, ...
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise Refused("format", f"format must be a text, {EXAMPLE}")
        names = self._names
        if not set(names) <= {*DIGITS, "b"} or len(set(names)) < len(names):
            raise Refused("format", f"a format may have {DIRECTIVES}, each once, {EXAMPLE}")
        if not ("d" in names and ("m" in names) != ("b" in names) and ("Y" in names) != ("y" in names)):
            raise Refused("format", f"a format needs a day, a month, and a year, {EXAMPLE}")
        if any(finer in names and coarser not in names for coarser, finer in ("HM", "MS", "Sf")):
            raise Refused("format", 'a format with minutes needs hours, and so on: format = "%d/%m/%Y %H:%M"')

    @cached_property
    def _parts(self) -> list[str]:
        """The parts of the form, in order."""
        return [part for part in re.split(r"(%.?)", self.text) if part]

    @property
    def _names(self) -> list[str]:
        """The directives, in order."""
        return [part[1:] for part in self._parts if part.startswith("%") and part != "%%"]

    @cached_property
    def pattern(self) -> str:
        """A regular expression, as DuckDB and Python read it, with a group for each directive."""
        return f"{SPACE}{''.join(self._patterns())}{SPACE}"

    def _patterns(self) -> Iterator[str]:
        parts = self._parts
        for i, part in enumerate(parts):
            if not part.startswith("%") or part == "%%":
                yield re.escape("%" if part == "%%" else part)
            elif part == "%b":
                yield f"({'|'.join(''.join(f'[{a}{a.upper()}]' for a in month) for month in MONTHS)})"
            else:
                others = [*parts[max(i - 1, 0) : i], *parts[i + 1 : i + 2]]  # the parts before and after this one
                is_adjacent = any(other.startswith("%") for other in others)
                name = part[1:]
                digits = ADJACENT_DIGITS.get(name, DIGITS[name]) if is_adjacent else DIGITS[name]
                yield f"([0-9]{{{digits}}})"

    def sql(self, cell: str) -> str:
        """DuckDB's SQL for the date in ``cell``, rewritten as 2026-01-31; a cell in another form stays unchanged."""
        names = self._names
        pattern = sql_text(self.pattern)
        text_of = {name: f"regexp_extract({cell}, {pattern}, {i})" for i, name in enumerate(names, 1)}
        year = (
            text_of.get("Y")
            or f"(CASE WHEN {text_of['y']} < '{FIRST_OF_1900S}' THEN '20' ELSE '19' END || {text_of['y']})"
        )
        month = text_of.get("m") or f"list_position({list(MONTHS)}, lower({text_of['b']}))::VARCHAR"
        date = " || '-' || ".join([year, f"lpad({month}, 2, '0')", f"lpad({text_of['d']}, 2, '0')"])
        clock = [f"lpad({text_of[name]}, 2, '0')" for name in "HMS" if name in text_of]
        if len(clock) == 1:
            clock.append("'00'")  # hours alone
        if clock:
            date += " || ' ' || " + " || ':' || ".join(clock)
        if "f" in text_of:
            date += f" || '.' || {text_of['f']}"
        return f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN {date} ELSE {cell} END"
