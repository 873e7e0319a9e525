"""``privpac schema``: begin a schema, have one suggested, check a table against it, and make up rows that fit."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli import options
from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.drafts import drafts, save_drafts
from privpac.cli.fits import Hold, run_fit, seconds_of
from privpac.cli.output import Json, OutputRow, budget_numbers, print_json, print_rows, say
from privpac.cli.program import PlainCommand, PlainGroup
from privpac.cli.sources import (
    EXAMPLE,
    Data,
    DecimalComma,
    Encoding,
    Separator,
    Table,
    display_name,
    file_format,
    schema_file,
)
from privpac.cli.spelling import OF_PRIVACY
from privpac.refusals.refusal import Refused, Setting, parts_of

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.classes.schemas.schema import Column, Schema
    from privpac.data.files.file_format import FileFormat
    from privpac.release.suggestions.suggested_schema import SuggestedSchema
    from privpac.release.suggestions.suggestion_request import SuggestionPreview

schema = typer.Typer(
    cls=PlainGroup, add_completion=False, no_args_is_help=True, help="Declare the columns of a table once, in a file."
)

NewSchema = Annotated[Path | None, typer.Option(metavar="TOML", help="Where to write. Default: standard output.")]
CURATOR = "These counts are exact and NOT private: they are for the table's curator only. Nothing is spent."

RULES = {  # what happens to records that do not fit, by the rule of the schema
    None: "`privpac learn` refuses records that do not fit, unless --on-invalid says otherwise.",
    "raise": "`privpac learn` refuses records that do not fit, as on_invalid in the schema says.",
    "default": 'With on_invalid = "default" in the schema, records that do not fit count toward n and nothing else.',
    "clamp": 'With on_invalid = "clamp" in the schema, values outside the bounds move to the nearest one; other '
    "records that do not fit count toward n and nothing else.",
}


@schema.command(cls=PlainCommand)
def init(
    data: Data,
    *,
    table: Table = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    out: NewSchema = None,
) -> None:
    """Begin a schema from the names and storage types of the columns; no record is read.

    Bounds, categories, and labels are left to you, because a schema is public.
    """
    from privpac.classes.schemas.template import template
    from privpac.data.open_table import opened

    form = file_format(None, separator, encoding, decimal_comma)
    _check_new(out)
    with drafts({"out": out}, [data]) as files:
        records, file = opened(data, table, form), files["out"]
        _check_heading(records)
        text = template(dict(records.schema().items()), _table_name(data, table), form.declared)
        if file is None:
            typer.echo(text, nl=False)
            return
        file.write(text)
        file.keep()
        typer.echo(f"{out}: {len(records.columns)} columns, from names and storage types alone; now fill it in")


def _check_new(out: Path | None) -> None:
    """Refuse to replace a schema that someone may have edited."""
    if out is not None and out.exists() and out.is_file():
        raise Refused("out", f"{out} exists already; remove it, or choose another name for ", Setting("out"))


def _check_heading(records: ir.Table) -> None:
    """Refused if the first line of a text file looks like a record: its cells would stand in a public schema."""
    from privpac.classes.shell_options import is_text
    from privpac.data.engines.views import may_be_record

    if may_be_record(records) and not all(map(is_text, records.columns)):
        record = "the first line looks like a record, because it has a number or a date where names of columns must be"
        raise Refused("data", f"{record}; add a line that names the columns, each by a word")


def _table_name(data: str, table: str | None) -> str:
    """The name of the table for the first line of its schema."""
    source = "a database" if "://" in data else display_name(data)
    return f"{source}, table {table}" if table else source


@schema.command(cls=PlainCommand)
def suggest(
    data: Data,
    *,
    y: Annotated[str | None, typer.Option(help="The column of labels that rules will predict.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…",
            help="The columns to look at: with fewer columns, each is measured more precisely. Default: all.",
        ),
    ] = None,
    unit: options.Unit = None,
    table: Table = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    epsilon: options.Epsilon = "0.5",
    delta: options.Delta = None,
    allow_large_delta: options.LargeDelta = False,
    beta: Annotated[
        str,
        typer.Option(rich_help_panel=OF_PRIVACY, help="The probability that any statement in the schema is wrong."),
    ] = "0.05",
    out: NewSchema = None,
    preview: Annotated[bool, typer.Option("--preview", help="Say what it would cost and show; spend nothing.")] = False,
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    as_json: Json = False,
) -> None:
    """Suggest a schema from noisy counts, at one price for all columns. Edit what it suggests."""
    from privpac.classes.schemas.classes_by_name import names_in
    from privpac.data.files.file_format import FileFormat
    from privpac.data.open_table import opened
    from privpac.release.suggestions.suggestion_request import SuggestionRequest

    _check_new(out)
    form = FileFormat(separator, encoding, decimal_comma or None)
    paying_account, seconds = account(budget, once), seconds_of(hold)
    request = SuggestionRequest(
        epsilon, delta, y=y, columns=None if columns is None else names_in(columns, "columns"), beta=beta,
        budget=payer(paying_account, once), allow_large_delta=allow_large_delta, random_state=seed,
    )  # fmt: skip
    request.conditions()  # refuse wrong parameters before any file is opened
    with charge_note(paying_account), drafts({"out": out}, [data, file_of(budget)]) as files:
        if decimal_comma:
            opened(data, table, form)  # refuses a database
        # It is not yet known which columns are numbers, so no column is read with decimal commas.
        records = opened(data, table, replace(form, numbers=frozenset()), at_once=True)
        _check_heading(records)
        if preview:
            _say_preview(request.preview(records, unit), as_json, "records" if unit is None else "units")
            return
        run_fit("suggesting", request.fit, records, unit, _table_name(data, table), form.declared, held=seconds)
        suggested = request.suggestion_
        saved = save_drafts(files, {"out": lambda: suggested.text})
        path = saved.written.get("out")
        if as_json:
            print_json(_plain_suggestion(suggested, path))
        elif path is None:
            typer.echo(suggested.text, nl=False)
            say_remaining_budget(paying_account, err=True)
        else:
            _say_suggestion(suggested, data, path, budget)
            say_remaining_budget(paying_account)
        saved.check("schema")


def _say_preview(ahead: SuggestionPreview, as_json: bool, counted: str) -> None:
    """Say what a suggestion would cost, and what it could see; n counts records or units."""
    cost = ahead.cost
    if as_json:
        seen = {"ranges_from": ahead.ranges_from, "values_from": ahead.values_from}
        print_json(budget_numbers(cost) | {"n": ahead.n, "columns": ahead.columns} | seen)
        return
    say(f"price:   {cost} for {ahead.columns} columns of {ahead.n:,} {counted} together; nothing is spent yet")
    values = "" if ahead.values_from is None else f"; single values from about {ahead.values_from:,}"
    say(f"seen:    ranges that about {ahead.ranges_from:,} {counted} or more share{values}")


def _say_suggestion(suggested: SuggestedSchema, data: str, path: str, budget: str | None) -> None:
    """Say which columns are suggested, what it cost, and what to do next."""
    names = [column.source.name for column in suggested.suggestions if column.declared is None]
    wanted = len([column for column in suggested.suggestions if column.source.role == "column"])
    label = "" if suggested.label is None else " and the label"
    without = f"; not suggested: {', '.join(names)}" if names else ""
    say(f"schema:  {path}: {len(suggested.columns)} of {wanted} columns{label}{without}")
    say(f"privacy: {suggested.certificate.claim}")
    if suggested.columns:
        displayed = display_name(data)
        place = displayed if displayed.startswith(EXAMPLE) or "://" in data else data
        paying = []
        if budget is not None:  # the URL of a database may hold a password
            paying = ["--budget", budget if file_of(budget) else f"URL#{budget.rpartition('#')[2]}"]
        learning = shlex.join(["privpac", "learn", place, "--schema", path, *paying])
        made_up = shlex.join(["privpac", "schema", "mock", path, "--out", "mock.csv"])
        say(f"next:    edit it; try it on made-up rows, {made_up}; then {learning}")


def _plain_suggestion(suggested: SuggestedSchema, path: str | None) -> dict[str, object]:
    about = {"n": suggested.algorithm.n} | budget_numbers(suggested.statement.spent)
    fits = {name: float(share) for name, share in suggested.at_least.items()}
    written = {} if path is None else {"schema": path}
    return about | {"at_least": fits, "schema": suggested.text, "written": written}


@schema.command(cls=PlainCommand)
def mock(
    schema: Annotated[Path, typer.Argument(metavar="TOML", callback=schema_file, help="The schema.")],
    *,
    rows: Annotated[int, typer.Option(min=0, help="How many rows.")] = 1000,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write. Default: standard output.")] = None,
) -> None:
    """Make up rows that fit a schema, to try commands on them before anything is spent. No record is read."""
    from privpac.classes.schemas.schema import Schema
    from privpac.data.files.csv_files import csv_text

    declared = Schema.read(schema)
    form = declared.files
    table = {name: [_in_file(form, name, entry) for entry in entries] for name, entries in declared.mock(rows).items()}
    text = csv_text(table, form.separator or ",")
    with drafts({"out": out}, [schema]) as files:
        if (file := files["out"]) is None:
            typer.echo(text, nl=False)
            return
        file.write(text, form.encoding or "utf-8")
        file.keep()
        say(f"{out}: {rows:,} made-up rows that fit {schema}; they say nothing about any record")


def _in_file(form: FileFormat, name: str, entry: object) -> object:
    """An entry as files spell it."""
    if isinstance(entry, date) and name in form.dates:
        return entry.strftime(form.dates[name])
    return str(entry).replace(".", ",") if isinstance(entry, float | Decimal) and form.comma(name) else entry


@schema.command(cls=PlainCommand)
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

    declared = Schema.read(schema)
    records = declared.open(data, table)
    declared.check_names(records.columns)
    try:
        rows = _rows(declared, records)
    except (TypeError, ValueError) as error:  # a column of a type that cannot be read
        raise Refused("data", *parts_of(error)) from None
    if as_json:
        print_json({"note": CURATOR, "columns": rows})
        return
    say(CURATOR)
    typer.echo()
    print_rows(rows, as_json=False)
    typer.echo()
    say(_advice(rows, declared))


def _rows(declared: Schema, table: ir.Table) -> list[OutputRow]:
    """One row for each column, the label and the unit first."""
    from privpac.data.counting.misfits import misfits, unit_misfits
    from privpac.data.domains.listing import Listing
    from privpac.data.values.spelling import stored_labels
    from privpac.data.values.value_text import in_list

    rows: list[OutputRow] = []
    if label := declared.label:
        if label.condition:
            # Entries outside the domain of the condition have a label as well: no, or, above a bound, yes.
            counts = misfits(label.condition.domain, table, label.column)._replace(outside=0)
            rows.append(_row(label.column, f"label: {label.name}", *counts))
        else:
            counts = misfits(Listing(tuple(stored_labels(label.classes, table, label.column))), table, label.column)
            rows.append(_row(label.column, f"label: {in_list(label.classes)}", *counts))
    if unit := declared.unit:
        missing, beyond = unit_misfits(table, unit.column, unit.max_records)
        rows.append(_row(unit.column, f"unit: at most {_records(unit.max_records)}", missing, 0, beyond))
    for column in declared.columns:
        counts = misfits(column.part.domain.columns[0], table, column.name)
        rows.append(_row(column.name, _kind(column) + ", or missing" * column.missing, *counts))
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


def _records(n: int) -> str:
    return "1 record" if n == 1 else f"{n:,} records"


def _advice(rows: list[OutputRow], declared: Schema) -> str:
    """What to do about records that do not fit, and what the schema makes of them."""
    misfits = sum(bool(row[name]) for row in rows for name in ("missing", "unreadable", "outside"))
    beyond = ""
    if declared.unit and rows[bool(declared.label)]["outside"]:  # records beyond the limit of a unit do fit
        misfits -= 1
        beyond = f" Of each unit, `privpac learn` counts at most {_records(declared.unit.max_records)}."
    if not misfits:
        return f"All records fit.{beyond}"
    widen = "Widen what is declared only for reasons that do not come from these counts."
    return f"{widen} {RULES[declared.on_invalid]}{beyond}"
