"""``privpac summarize``: count, sum, mean, and quartiles of a column, by groups, with intervals."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options
from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.drafts import drafts, save_drafts
from privpac.cli.fits import Hold, misfit_advice, run_release, say_unit_limit, seconds_of
from privpac.cli.output import Json, OutputRow, Proofs, budget_numbers, first_rows, print_json, print_rows, say
from privpac.cli.schema_options import page_names, rule_for_misfits, units_of
from privpac.cli.sources import Data, Table, schema_file
from privpac.cli.spelling import OF_PRIVACY
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.release.sanitizer import Frame
    from privpac.release.summarize import Summary

MOST_ROWS = 40  # the most groups that are printed if a file holds all of them


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
    epsilon: options.Epsilon = "1",
    beta: Annotated[str, typer.Option(rich_help_panel=OF_PRIVACY, help="How often some interval may fail.")] = "0.05",
    unit: options.Unit = None,
    max_records: options.MaxRecords = None,
    on_invalid: options.OnInvalid = None,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write the table.")] = None,
    report: options.ReportFile = None,
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Count, sum, mean, and quartiles of a column, for each group, privately."""
    from privpac.classes.schemas.classes_by_name import grouping_columns
    from privpac.classes.schemas.schema import Schema
    from privpac.data.files.csv_files import csv_text
    from privpac.release.summarize import Summary, summary_request
    from privpac.report.pages.release import release_page

    if schema is None:
        raise Refused("schema", "declare the columns in a schema: ", Setting.to("schema", "schema.toml"))
    declared, paying_account, seconds = Schema.read(schema), account(budget, once), seconds_of(hold)
    unit, max_records = units_of(declared, unit, max_records)
    groups = [] if by is None else grouping_columns(by)
    request = summary_request(
        declared, of, groups, quartiles=not no_quartiles, beta=beta, epsilon=epsilon,
        on_invalid=rule_for_misfits(on_invalid, declared),
        max_records=max_records, random_state=seed, budget=payer(paying_account, once),
    )  # fmt: skip
    request.algorithm(1)  # refuses wrong parameters before the table is opened
    with charge_note(paying_account), drafts({"out": out, "report": report}, [data, schema, file_of(budget)]) as places:
        records = declared.open(data, table)
        summary = Summary(run_release(request, records, unit, seconds))
        rows = summary.table()
        page = partial(release_page, summary.release, page_names(declared, budget))
        saved = save_drafts(places, {"out": lambda: csv_text(rows), "report": page})
        files = {"table" if option == "out" else option: path for option, path in saved.written.items()}
        if as_json:
            about = (
                {"n": summary.release.n} | budget_numbers(summary.certificate.privacy) | {"beta": float(summary.beta)}
            )
            print_json(about | {"groups": first_rows(rows), "written": files})
        else:
            if misfits := summary.release.misfits(misfit_advice(data, table, schema)):
                say(f"unfit:   {misfits}")
            _say(summary, rows, files, proofs, unit)
            say_remaining_budget(paying_account)
        saved.check("table")


def _say(summary: Summary, table: Frame, written: dict[str, str], proofs: bool, unit: str | None) -> None:
    groups = len(table["records"])
    rows = first_rows(table, MOST_ROWS if "table" in written else groups)
    by = len(summary.groups[0].group)
    print_rows([_short(row, by, summary.ends) for row in rows], as_json=False)
    if groups > len(rows):
        typer.echo(f"{groups - len(rows)} more groups are in the file that --out names")
    say_unit_limit(summary.release, unit)
    say(f"intervals: all of them hold with probability ≥ {float(1 - summary.beta):g}, for these records")
    if summary.release.answers_.remark:
        say(f"values: {summary.release.answers_.remark}")
    say(f"privacy: {summary.certificate.cited if proofs else summary.certificate.claim}")
    for name, path in written.items():
        typer.echo(f"{name}: {path}")


def _short(row: OutputRow, groups: int, ends: tuple[Any, Any]) -> OutputRow:
    """The first ``groups`` entries of a row, then each number with its interval in parentheses.

    A quartile is a dash if only the declared ``ends`` of the column bound it.
    """
    from privpac.data.values.value_text import entry_text

    entries = list(row.items())
    short: OutputRow = {name: entry_text(value) for name, value in entries[:groups]}
    for name, value in entries[groups:]:
        if f"{name} low" in row:
            low, high = row[f"{name} low"], row[f"{name} high"]
            unknown = name in {"q25", "median", "q75"} and (low, high) == ends and low != high
            short[name] = f"{'–' if unknown else _number(value)} ({_number(low)} … {_number(high)})"
    return short


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if abs(value) < 10**4 else f"{value:.0f}"
