"""Limits on how many columns a file has and on how their names are written, checked before any record is read.

An engine may take seconds for every thousand columns, so even a small file with many columns could occupy it for long.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import count

from privpac.refusals.refusal import Refused

MOST_COLUMNS = 10_000
LONGEST_NAME = 1_000  # characters
# Unicode's classes of characters that change the direction in which other letters are written.
DIRECTION_CHANGES = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


def check_heading(names: Sequence[str], most: int = MOST_COLUMNS) -> None:
    """Refused if there are more than ``most`` names, or if one is too long or has control characters; quotes no name.

    >>> check_heading(["age", "ward"], most=1)
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: the table has more than 1 columns, which are too many here; write the ...
    """
    if len(names) > most:
        too_many = f"the table has more than {most:,} columns, which are too many here"
        raise Refused("source", f"{too_many}; write the columns that you need to another file")
    if any(len(name) > LONGEST_NAME for name in names):
        raise Refused("source", f"the name of a column has more than {LONGEST_NAME:,} characters; rename the column")
    if any(map(_is_control, set().union(*names))):
        raise Refused("source", "the name of a column has a control character; rename the column")


def checked_names(cells: Sequence[str], most: int = MOST_COLUMNS) -> list[str]:
    """The names in the cells of a first row. Refused if they cannot be names of columns.

    A column without a name gets a number as its name. If names differ only in upper and lower case, the later ones get
    a number at their end, as in DuckDB, which does not distinguish case.

    >>> checked_names(["age", "", "Age"])
    ['age', 'column1', 'Age_1']
    """
    names = [name or f"column{i}" for i, name in enumerate(cells)]
    if not names or any("\0" in name for name in names):  # no engine accepts a NUL in a name
        raise Refused("source", "the first line must name the columns")
    check_heading(names, most)
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        first, second = [number for number, name in enumerate(names, 1) if name == repeated[0]][:2]
        twice = f"the first line, which must name the columns, has the same name in columns {first} and {second}"
        raise Refused("source", f"{twice}; rename one of them")
    return _numbered(names)


def _numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that differs from an earlier one only in upper and lower case."""
    numbered, earlier, taken = list[str](), set[str](), {name.casefold() for name in names}  # the sets in lower case
    for name in names:
        is_new = name.casefold() not in earlier
        unique = name if is_new else next(f"{name}_{i}" for i in count(1) if f"{name}_{i}".casefold() not in taken)
        numbered.append(unique)
        earlier.add(unique.casefold())
        taken.add(unique.casefold())
    return numbered


def _is_control(letter: str) -> bool:
    """Whether a terminal or a browser obeys the letter instead of showing it."""
    return unicodedata.category(letter) in ("Cc", "Cs") or unicodedata.bidirectional(letter) in DIRECTION_CHANGES
