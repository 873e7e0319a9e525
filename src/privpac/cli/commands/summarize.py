"""``privpac summarize``: count, sum, mean, and quartiles of a column, by groups, with intervals."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.commands.budget import account, file_of, payer
from privpac.cli.commands.release import units_of
from privpac.cli.drafts import draft_kept, drafts
from privpac.cli.fits import Held, seconds_of
from privpac.cli.interruption import charge_note, say_remaining_budget
from privpac.cli.output import Json, OutputRow, Proofs, print_rows, say
from privpac.cli.panels import OF_PRIVACY
from privpac.cli.release_options import (
    Epsilon,
    Key,
    MaxRecords,
    OnInvalid,
    Paying,
    Seed,
    Unit,
    check_request,
    checking,
    first_rows,
    released,
    rule_for_misfits,
    say_unit_limit,
)
from privpac.cli.sources import Data, Table, schema_file
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.release.sanitizer import Frame
    from privpac.release.summarize import Summary

MOST_ROWS = 40  # groups that are printed if a file holds all of them


def summarize(
    data: Data,
    *,
    of: Annotated[str, typer.Option(metavar="COLUMN", help="The column of numbers.")],
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="TOML", callback=schema_file, help="The file that declares the columns."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN,…", help="The columns of groups; their values are declared.")
    ] = None,
    no_quartiles: Annotated[
        bool, typer.Option("--no-quartiles", help="Leave out quartiles, so that counts and sums get all of ε.")
    ] = False,
    table: Table = None,
    epsilon: Epsilon = "1",
    beta: Annotated[str, typer.Option(rich_help_panel=OF_PRIVACY, help="How often some interval may fail.")] = "0.05",
    unit: Unit = None,
    max_records: MaxRecords = None,
    on_invalid: OnInvalid = None,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write the table.")] = None,
    budget: Paying = None,
    once: Key = None,
    hold: Held = None,
    seed: Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Count, sum, mean, and quartiles of a column, for each group, privately."""
    from privpac.classes.schemas.classes_by_name import columns_of
    from privpac.classes.schemas.schema import Schema
    from privpac.data.files.csv_files import csv_text
    from privpac.release.summarize import Summary, summary_request

    if schema is None:
        raise Refused("schema", "declare the columns in a schema: ", Setting.to("schema", "schema.toml"))
    declared, watched, seconds = Schema.read(schema), account(budget, once), seconds_of(hold)
    unit, max_records = units_of(declared, unit, max_records)
    groups = [] if by is None else columns_of(by)
    request = summary_request(
        declared, of, groups, quartiles=not no_quartiles, beta=beta, epsilon=epsilon,
        on_invalid=rule_for_misfits(on_invalid, declared),
        max_records=max_records, random_state=seed, budget=payer(watched, once),
    )  # fmt: skip
    check_request(request, unit)
    with charge_note(watched), drafts({"out": out}, [data, schema, file_of(budget)]) as (place,):
        records = declared.open(data, table)
        found = Summary(released(request, records, unit, seconds))
        rows = found.table()
        lost = place is not None and not draft_kept(place, lambda draft: draft.write(csv_text(rows)))
        written = {} if place is None or lost else {"table": str(place.asked)}
        if as_json:
            plain = _plain(found, rows) | {"written": written}
            typer.echo(json.dumps(plain, indent=2, ensure_ascii=False, default=str))
        else:
            if misfits := found.release.misfits(checking(data, table, schema)):
                say(f"unfit:   {misfits}")
            _say(found, rows, written, proofs, unit)
            say_remaining_budget(watched)
        if lost:
            raise Refused("out", f"{out} could not be written; the budget is spent, so save the table printed above")


def _plain(found: Summary, table: Frame) -> dict[str, object]:
    """A summary for JSON."""
    cost = found.certificate.privacy
    about = {"n": found.release.n, "epsilon": float(cost.epsilon), "delta": float(cost.delta)}
    return about | {"beta": float(found.beta), "groups": first_rows(table, _size(table))}


def _size(table: Frame) -> int:
    """The number of groups."""
    return len(table["records"])


def _say(found: Summary, table: Frame, written: dict[str, str], proofs: bool, unit: str | None) -> None:
    rows = first_rows(table, MOST_ROWS if written else _size(table))
    print_rows([_short(row) for row in rows], as_json=False)
    if _size(table) > len(rows):
        typer.echo(f"{_size(table) - len(rows)} more groups are in the file that --out names")
    say_unit_limit(found.release, unit)
    say(f"intervals: all of them hold with probability ≥ {float(1 - found.beta):g}, for these records")
    if found.release.answers_.remark:
        say(f"values: {found.release.answers_.remark}")
    say(f"privacy: {found.certificate.cited if proofs else found.certificate.claim}")
    for name, path in written.items():
        typer.echo(f"{name}: {path}")


def _short(row: OutputRow) -> OutputRow:
    """A row whose numbers have their intervals behind them."""
    return {
        name: f"{_number(value)} ({_number(row[f'{name} low'])} … {_number(row[f'{name} high'])})"
        if f"{name} low" in row
        else value
        for name, value in row.items()
        if not (name.endswith((" low", " high")) and name.rpartition(" ")[0] in row)
    }


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if abs(value) < 10**4 else f"{value:.0f}"
