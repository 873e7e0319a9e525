"""What commands print: tables for people, aligned columns for pipes, JSON for programs.

Main declarations
    OutputRow      one line of a table: names and values
    print_rows     prints rows in the form that suits the output
    working        a block that takes long; a terminal shows how far it is
"""

# ruff: noqa: PLC0415  (rich is needed on terminals only)
from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer

from privpac.data.progress import heard
from privpac.privacy.budget import Budget

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OutputRow = dict[str, Any]


def print_rows(rows: list[OutputRow], as_json: bool, empty: str = "") -> None:
    """Rows as JSON, as a framed table on a terminal, or as aligned columns that never wrap in files and pipes."""
    if as_json:
        typer.echo(json.dumps(rows, default=_json_value, indent=2, ensure_ascii=False))
    elif not rows:
        typer.echo(empty)
    elif sys.stdout.isatty():
        _print_frame([list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)])
    else:
        _print_columns([list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)])


@contextmanager
def working(what: str) -> Iterator[None]:
    """A block that takes long: if stderr is a terminal, it shows what is done and how far it is."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    from privpac.report.numbers import grouped

    with Console(stderr=True).status(what) as status:

        def show(how_far: str, *numbers: int) -> None:
            status.update(f"{what}: {how_far.format(*map(grouped, numbers))}")

        with heard(show):
            yield


def _json_value(value: Budget | datetime) -> object:
    if isinstance(value, datetime):
        return _day(value)
    return {"epsilon": float(value.epsilon), "delta": float(value.delta)}


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return _day(value) if isinstance(value, datetime) else str(value)


def _day(moment: datetime) -> str:
    """Charges have a day, UTC, and no hour."""
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
    for row in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
