"""How a class is written in a shell: ``--class thresholds --low 0 --high 2^64-1``.

A class that can be named there has a ``shell_name`` and a method ``from_shell``, whose parameters are options of the
types below. Options that mean the same have one name, and one type, in all classes.

Main declarations
    Option        what an option is for
    Low … Part    the options of all classes
    in_shell      the classes that have a shell name
    bound         a bound as it is written: 7, 2^64-1, 0.5, 2026-01-31, J10
    whole         a whole number as it is written
"""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privpac.data.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.classes.base import ConceptClass

WHOLE_NUMBER = re.compile(r"([+-]?\d[\d_]*)(?:(?:\^|\*\*)(\d+)(?:([+-])(\d+))?)?")
MOST_BITS = 2**22  # that a bound may have


@dataclass(frozen=True)
class Option:
    """What an option is for, and what stands for its value in a help text."""

    help: str
    metavar: str | None = None


Low = Annotated[str | None, Option("Least value: 0, -2^31, 0.5, 2026-01-31, A00.")]
High = Annotated[str | None, Option("Largest value: 120, 2^64-1, 99.5, 2026-12-31, Z99.")]
Kind = Annotated[
    str | None,
    Option("Of values: integer, float64, decimal, date, datetime, string. Of taxonomies: root_path, subtree."),
]
Direction = Annotated[str | None, Option("Of thresholds: above (x ≥ t), below (x < t) or either.")]
Size = Annotated[str | None, Option("How many points there may be; any number, if not given.")]
Separator = Annotated[str | None, Option('Between the steps of a path; "": a step is a character.')]
Height = Annotated[int | None, Option("How many steps a path may have.")]
Bits = Annotated[int | None, Option("Of a spider's values.")]
Side = Annotated[str | None, Option("Half-planes and half-spaces live on {0 … side − 1}^dim.")]
Centre = Annotated[str | None, Option("Where the borders of half-planes meet.", "X,Y")]
Dim = Annotated[int | None, Option("How many columns a half-space or a rectangle reads.")]
Parents = Annotated[Path | None, Option("The lines name,parent of a taxonomy.", "CSV")]
Matrix = Annotated[Path | None, Option("A line of 0 and 1 for each concept of an explicit class.", "CSV")]
Part = Annotated[list[str] | None, Option("Of and, or, majority: 'delay thresholds 0 999', 'carrier points'.", "TEXT")]


def in_shell() -> dict[str, type[ConceptClass]]:
    """The classes that can be named in a shell.

    >>> "thresholds" in in_shell()
    True
    """
    from privpac import classes  # noqa: PLC0415  (all of which may have a name here)

    members = [each for each in vars(classes).values() if isinstance(each, type) and "shell_name" in vars(each)]
    return dict(sorted((vars(each)["shell_name"], each) for each in members))


def options_of(kind: type[ConceptClass]) -> dict[str, bool]:
    """The options of a class, and whether each is needed.

    >>> from privpac.classes.line import Intervals
    >>> options_of(Intervals)
    {'low': True, 'high': True, 'kind': False}
    """
    parameters = signature(kind.from_shell).parameters.values()
    return {each.name: each.default is each.empty for each in parameters}


def column_part(text: str) -> ConceptClass:
    """'COLUMN CLASS [LOW HIGH [DIRECTION]]', quoted as in a shell.

    >>> column_part("delay thresholds 0 999")
    OnColumn(concept_class=Thresholds(low=0, high=999, kind=None, direction='above'), column='delay')
    """
    parts = {name: kind for name, kind in in_shell().items() if kind.shell_words}
    words = shlex.split(text)
    if len(words) < 2 or words[1] not in parts or len(words) > 5:
        reads = f"a part reads 'COLUMN CLASS LOW HIGH DIRECTION' with one of {', '.join(parts)} for CLASS"
        raise Refused("part", reads)
    column, name, *rest = words
    kind = parts[name]
    return kind.from_shell(**dict(zip(kind.shell_words, rest, strict=False))).on(column)


def bound(text: str, kind: str | None = None, parameter: str = "low") -> Any:
    """A bound as it is written; ``kind`` decides where it could be read in several ways.

    >>> bound("2^64-1"), bound("0.5"), bound("2026-01-31"), bound("J10"), bound("7", "string")
    (18446744073709551615, 0.5, datetime.date(2026, 1, 31), 'J10', '7')
    """
    readers: dict[str, Callable[[str], Any]] = {
        "integer": _integer,
        "float64": float,
        "decimal": Decimal,
        "date": date.fromisoformat,
        "datetime": datetime.fromisoformat,
        "string": str,
    }
    if kind is not None and kind not in readers:
        raise Refused.must("kind", f"be one of {', '.join(readers)}")
    for name in [kind] if kind else ["integer", "float64", "date", "datetime", "string"]:
        try:
            return readers[name](text)
        except (ValueError, InvalidOperation):
            continue
    like = "7 or 2^64-1, 0.5, 2026-01-31, 2026-01-31T12:00"
    raise Refused(parameter, f"{text!r} is not written as {kind} is: {like}")


def both_bounds(low: str | None, high: str | None, kind: str | None) -> tuple[Any, Any]:
    """Both bounds, None where one is not given."""
    return None if low is None else bound(low, kind), None if high is None else bound(high, kind, "high")


def whole(text: str | None, parameter: str, before: str = "") -> int:
    """A whole number as it is written.

    >>> whole("2^16", "side")
    65536
    """
    try:
        return _integer(text or "")
    except ValueError:
        wrong = before, Setting(parameter), " must be a whole number such as 120 or 2^16"
        raise Refused(parameter, *wrong) from None


def _integer(text: str) -> int:
    found = WHOLE_NUMBER.fullmatch(text.strip())
    if not found:
        raise ValueError("no whole number")
    base, power, sign, rest = found.groups()
    if power is None:
        return int(base)
    if abs(int(base)).bit_length() * int(power) > MOST_BITS:
        raise ValueError(f"a bound may have at most {MOST_BITS} bits")
    minus = -1 if base.startswith("-") else 1  # −2^31 is −(2^31)
    return int(minus * abs(int(base)) ** int(power) + int(f"{sign}{rest}" if sign else 0))


def parents_in(path: Path) -> list[tuple[str, str | None]]:
    """The lines name,parent of a CSV file; a first line of these words is a heading, an empty parent means the root."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if any(line)]
    if any(len(line) != 2 for line in lines):
        raise Refused("parents", f"the lines of {path} must have two cells: name,parent")
    if lines and [cell.lower() for cell in lines[0]] == ["name", "parent"]:
        lines.pop(0)
    return [(name, parent or None) for name, parent in lines]
