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
DIGITS = {"d": "1,2", "m": "1,2", "Y": "4", "y": "2", "H": "1,2", "M": "1,2", "S": "1,2", "f": "1,6"}
FIXED = {"d": "2", "m": "2", "H": "2", "M": "2", "S": "2", "f": "6"}  # where no other sign separates two numbers
CENTURY = 69  # as in POSIX: a year of two digits from here on is of the last century
DIRECTIVES = "%d, %m, %Y (31.01.2026), or %y (26), %b (Jan), %H, %M, %S, %f"
SPACE = r"[ \t\n\f\r]*"  # what \s means differs: to Python a vertical tab is a space, to DuckDB it is not
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
        if any(each not in {*DIGITS, "b"} for each in names) or len(set(names)) < len(names):
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
                neighbors = [each for each in parts[max(i - 1, 0) : i + 2] if each.startswith("%")]  # and itself
                name = part[1:]
                digits = FIXED.get(name, DIGITS[name]) if len(neighbors) > 1 else DIGITS[name]
                yield f"([0-9]{{{digits}}})"

    def sql(self, cell: str) -> str:
        """The SQL expression of DuckDB for the date that ``cell`` spells, as 2026-01-31; else for the cell."""
        names = self._names
        pattern = sql_text(self.pattern)
        part = {name: f"regexp_extract({cell}, {pattern}, {i})" for i, name in enumerate(names, 1)}
        year = part.get("Y") or f"(CASE WHEN {part['y']} < '{CENTURY}' THEN '20' ELSE '19' END || {part['y']})"
        month = part.get("m") or f"list_position({list(MONTHS)}, lower({part['b']}))::VARCHAR"
        date = " || '-' || ".join([year, *(f"lpad({each}, 2, '0')" for each in (month, part["d"]))])
        clock = [f"lpad({part[name]}, 2, '0')" for name in "HMS" if name in part]
        if clock:
            minutes = clock if len(clock) > 1 else [*clock, "'00'"]
            date += " || ' ' || " + " || ':' || ".join(minutes)
        if "f" in part:
            date += f" || '.' || {part['f']}"
        return f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN {date} ELSE {cell} END"
