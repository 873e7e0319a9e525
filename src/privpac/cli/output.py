"""What commands print: tables for people, aligned columns for pipes, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from itertools import islice
from numbers import Real
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.data.files.progress import listening
from privpac.privacy.budget import Budget

if TYPE_CHECKING:
    from privpac.release.sanitizer import Frame

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Proofs = Annotated[bool, typer.Option("--proofs", help="Also print the theorems and assumptions behind each claim.")]
OutputRow = dict[str, Any]
WIDTH = 100  # the longest line for people, in characters
LINE_NAME = re.compile("[a-z][a-z ]{1,24}: ")  # the beginning of a line such as "rule:    delay ≥ 37"
TEXT_COLUMN = len("privacy: ")  # the column where the text after such a name begins
SPACE_AT_SIGN = re.compile("(?<=[=≠≥≤<>+±]) | (?=[=≠≥≤<>±%])")  # lines are not broken here
GLUE = "\0"  # stands for such a space while lines are broken
NARROWEST = 20  # the last column is wrapped only if it is at least this wide


def say(line: str, *, err: bool = False) -> None:
    """Print a sentence in short lines. After a name, as in ``rule: …``, all lines but the first are indented."""
    width = min(WIDTH, get_terminal_size((WIDTH, 24)).columns)
    typer.echo("\n".join(_lines(line, width, " " * TEXT_COLUMN if LINE_NAME.match(line) else "")), err=err)


def _lines(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most this width, broken at spaces; a sign stays with its number.

    >>> _lines("rule:    late = 1 if delay ≥ 37, otherwise 0", 30, " " * 9)
    ['rule:    late = 1 if', '         delay ≥ 37, otherwise', '         0']
    """
    glued = SPACE_AT_SIGN.sub(GLUE, text)
    lines = wrap(
        glued, width, subsequent_indent=indent,
        expand_tabs=False, replace_whitespace=False, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(GLUE, " ") for line in lines]


def print_json(plain: object, *, indent: int | None = 2, default: Callable[[Any], object] = str) -> None:
    """Print a value as JSON; ``default`` converts values that JSON cannot represent."""
    typer.echo(json.dumps(plain, default=default, indent=indent, ensure_ascii=False))


def print_rows(rows: list[OutputRow], as_json: bool, empty: str = "") -> None:
    """Print rows as JSON, as a framed table on a terminal, or as aligned columns in files and pipes.

    Aligned columns are never cut off; only a long text in the last one is wrapped. ``empty`` is printed if there are no
    rows, except as JSON.
    """
    if as_json:
        print_json(rows, default=_json_value)
    elif not rows:
        typer.echo(empty)
    else:
        cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        (_print_frame if sys.stdout.isatty() else _print_columns)(cells)


def first_rows(table: Frame, most: int | None = None) -> list[OutputRow]:
    """The first rows of a table, or all of them, as names and values.

    >>> first_rows({"carrier": ["EV", "UA"], "records": [300, 20]}, 1)
    [{'carrier': 'EV', 'records': 300}]
    """
    rows = zip(*table.values(), strict=True)
    return [dict(zip(table, row, strict=True)) for row in islice(rows, most)]


@contextmanager
def working(what: str) -> Iterator[None]:
    """A block that may take a long time.

    On a terminal, a status line says ``what`` is being done, and how far along it is.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    from privpac.report.numbers import grouped

    with Console(stderr=True).status(what) as status:

        def show(progress: str, *numbers: int) -> None:
            status.update(f"{what}: {progress.format(*map(grouped, numbers))}")

        with listening(show):
            yield


def _json_value(value: Budget | datetime) -> object:
    if isinstance(value, datetime):
        return _day(value)
    return budget_numbers(value)


def budget_numbers(cost: Budget) -> dict[str, float]:
    """A budget for JSON."""
    return {"epsilon": float(cost.epsilon), "delta": float(cost.delta)}


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "NO"  # catches the eye: "private" is NO for coins that came from a seed
    text = _day(value) if isinstance(value, datetime) else str(value)
    return text.replace("-", "−", 1) if isinstance(value, Real | Decimal) and text.startswith("-") else text


def _day(moment: datetime) -> str:
    """The day of a time that is in UTC already; the hour of a charge is not recorded."""
    return f"{moment:%Y-%m-%d}"


def _print_frame(cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*cells[0])
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_columns(cells: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    before = sum(widths[:-1]) + 2 * len(widths[:-1])
    # Wrapping a very narrow column would make the table harder to read.
    room = WIDTH - before if WIDTH - before >= NARROWEST else max(widths[-1], 1)
    for row in cells:
        first, *rest = _lines(row[-1], room) or [""]
        aligned = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        typer.echo("  ".join([*aligned, first]).rstrip())
        for line in rest:
            typer.echo(" " * before + line)
