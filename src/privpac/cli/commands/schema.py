"""``privpac schema``: begin a schema, and check a table against it."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.drafts import drafts
from privpac.cli.output import Json, OutputRow, print_rows, say
from privpac.cli.sources import Data, Table, known_as, schema_file
from privpac.refusals.refusal import Refused, Setting, parts_of

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.classes.schemas.schema import Column, Schema

schema = typer.Typer(add_completion=False, no_args_is_help=True, help="Declare the columns of a table once, in a file.")

CURATOR = "These counts are exact and NOT private: they are for the table's curator only. Nothing is spent."


@schema.command()
def init(
    data: Data,
    *,
    table: Table = None,
    out: Annotated[Path | None, typer.Option(metavar="TOML", help="Where to write. Default: standard output.")] = None,
) -> None:
    """Begin a schema from the names and storage types of the columns; no record is read.

    Bounds, categories, and labels are left to you, because a schema is public.
    """
    from privpac.classes.schemas.template import template
    from privpac.data.open_table import open_table

    if out is not None and out.exists() and out.is_file():
        raise Refused("out", f"{out} exists already; remove it, or choose another name for ", Setting("out"))
    with drafts({"out": out}, [data]) as (file,):
        records = open_table(data, table)
        source = "a database" if "://" in data else known_as(data)
        text = template(dict(records.schema().items()), f"{source}, table {table}" if table else source)
        if file is None:
            typer.echo(text, nl=False)
            return
        file.write(text)
        file.keep()
        typer.echo(f"{out}: {len(records.columns)} columns, from names and storage types alone; now fill it in")


@schema.command()
def check(
    data: Data,
    *,
    schema: Annotated[Path, typer.Option(metavar="TOML", callback=schema_file, help="The schema.")] = Path(
        "schema.toml"
    ),
    table: Table = None,
    as_json: Json = False,
) -> None:
    """Count the records that do not fit a schema. The counts are not private: they are for the curator only."""
    from privpac.classes.schemas.schema import Schema
    from privpac.data.open_table import open_table

    declared = Schema.read(schema)
    records = open_table(data, table)
    declared.check_names(records.columns)
    try:
        rows = _rows(declared, records)
    except (TypeError, ValueError) as error:  # a column of a type that cannot be read
        raise Refused("data", *parts_of(error)) from None
    if as_json:
        typer.echo(json.dumps({"note": CURATOR, "columns": rows}, indent=2, ensure_ascii=False))
        return
    say(CURATOR)
    typer.echo()
    print_rows(rows, as_json=False)
    typer.echo()
    say(_advice(rows))


def _rows(declared: Schema, table: ir.Table) -> list[OutputRow]:
    """One row for each column, the label and the unit first."""
    from privpac.data.counting.misfits import misfits, unit_misfits
    from privpac.data.domains.listing import Listing
    from privpac.data.values.spelling import labels
    from privpac.data.values.value_text import in_list

    rows: list[OutputRow] = []
    if label := declared.label:
        counts = misfits(Listing(labels(label.classes, table, label.column)), table, label.column)
        rows.append(_row(label.column, f"label: {in_list(label.classes)}", *counts))
    if unit := declared.unit:
        nameless, beyond = unit_misfits(table, unit.column, unit.max_records)
        rows.append(_row(unit.column, f"unit: at most {unit.max_records} records", nameless, 0, beyond))
    for column in declared.columns:
        counts = misfits(column.concept_class.domain, table, column.name)
        rows.append(_row(column.name, _kind(column), *counts))
    return rows


def _row(name: str, declared: str, missing: int, unreadable: int, outside: int) -> OutputRow:
    counts = {"missing": missing, "unreadable": unreadable, "outside": outside}
    return {"column": name, "declared as": declared} | counts


def _kind(column: Column) -> str:
    """What is declared, in a few words."""
    from privpac.data.values.value_text import readable_bound

    if column.ordered:
        return f"{column.kind} from {readable_bound(column.low)} to {readable_bound(column.high)}"
    if column.kind == "category":
        return "any category" if column.values is None else f"one of {len(column.values)} categories"
    return column.kind


def _advice(rows: list[OutputRow]) -> str:
    """What to do about records that do not fit."""
    if not any(row[name] for row in rows for name in ("missing", "unreadable", "outside")):
        return "All records fit."
    rule = "`privpac learn` refuses records that do not fit, unless --on-invalid says otherwise"
    return f"Widen what is declared only for reasons that do not come from these counts. {rule}."
