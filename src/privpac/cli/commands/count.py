"""``privpac count``: how many records have each value, or each combination of values of several columns.

The values need not be declared: those that occur often enough are shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options
from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.drafts import drafts, save_drafts
from privpac.cli.fits import Hold, run_release, say_unit_limit, seconds_of
from privpac.cli.output import Json, Proofs, budget_numbers, first_rows, print_json, print_rows, say
from privpac.cli.schema_options import units_of
from privpac.cli.sources import Data, Encoding, Separator, Table, file_format
from privpac.refusals.refusal import InOtherWords, Refusal, Refused

if TYPE_CHECKING:
    from privpac.release.release import Release

CHOSEN_BY = ("concept_class", "feature", "columns")  # parameters of the library that --by stands for


def count(
    data: Data,
    *,
    by: Annotated[str, typer.Option(metavar="COLUMN,…", help="The columns whose values are counted together.")],
    table: Table = None,
    separator: Separator = None,
    encoding: Encoding = None,
    epsilon: options.Epsilon = "1",
    delta: options.Delta = None,
    allow_large_delta: options.LargeDelta = False,
    unit: options.Unit = None,
    max_records: options.MaxRecords = None,
    on_invalid: options.OnInvalid = None,
    top: Annotated[int, typer.Option(min=0, help="How many counts to print, the largest first.")] = 20,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write all counts.")] = None,
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Count the records of each value, or of each combination of values, privately."""
    from privpac.classes.schemas.classes_by_name import combinations, grouping_columns
    from privpac.data.files.csv_files import csv_text
    from privpac.data.open_table import opened
    from privpac.release.release_request import ReleaseRequest

    unit, max_records = units_of(None, unit, max_records)
    names, paying_account, seconds = grouping_columns(by), account(budget, once), seconds_of(hold)
    request = ReleaseRequest(
        combinations(names), epsilon=epsilon, delta=delta, on_invalid=on_invalid or "raise", max_records=max_records,
        allow_large_delta=allow_large_delta, random_state=seed, budget=payer(paying_account, once),
    )  # fmt: skip
    form = file_format(None, separator, encoding)
    request.algorithm(1)  # refuses wrong parameters before the table is opened
    with charge_note(paying_account), drafts({"out": out}, [data, file_of(budget)]) as places:
        records = opened(data, table, form, at_once=True)
        with InOtherWords(_about_by, Refused):
            release = run_release(request, records, unit, seconds)
        saved = save_drafts(places, {"out": lambda: csv_text(release.counts())})
        files = {"counts": saved.written["out"]} if saved.written else {}
        if as_json:
            print_json(_plain(release) | {"written": files})
        else:
            _say(release, len(release.counts()["records"]) if saved.lost else top, files, proofs, unit)
            say_remaining_budget(paying_account)
        saved.check("counts")


def _about_by(error: Refused) -> Refusal:
    """The refusal of a parameter of the library, about the option that stands for it; no schema is read here."""
    from privpac.data.counting.groups import DECLARE_MISSING

    if error.parameter not in CHOSEN_BY:
        return error
    return Refused("by", *(part for part in error.sentence.parts if part != DECLARE_MISSING))


def _plain(release: Release) -> dict[str, Any]:
    counts, certain = release.counts(), release.guarantee.certain
    bounds = {} if certain is None else {"off_by_at_most": certain.shown, "any_other_at_most": certain.unseen}
    cost = budget_numbers(release.guarantee.certificate.privacy)
    return {"n": release.n} | cost | bounds | {"counts": first_rows(counts)}


def _say(release: Release, top: int, written: dict[str, str], proofs: bool, unit: str | None) -> None:
    counts, bounds = release.counts(), release.guarantee.certain
    off = "" if bounds is None else f" ± {bounds.shown}"
    rows = [row | {"records": f"{row['records']}{off}"} for row in first_rows(counts, top)]
    total = len(counts["records"])
    if rows or not total:
        print_rows(rows, as_json=False, empty="no value occurs often enough to be shown")
    if total > len(rows):
        typer.echo(f"{total - len(rows)} more {'is' if total == len(rows) + 1 else 'are'} shown with --top {total}")
    if bounds is not None:
        typer.echo(f"any other: at most {bounds.unseen}")
    certificate = release.guarantee.certificate
    say_unit_limit(release, unit)
    say(f"privacy: {certificate.cited if proofs else certificate.claim}")
    for name, path in written.items():
        typer.echo(f"{name}: {path}")
