"""``privpac count``: how many records have each value, or each combination of values of several columns.

The values need not be declared: those that occur often enough are shown.
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.drafts import drafts, save_draft
from privpac.cli.fits import Hold, seconds_of
from privpac.cli.output import Json, Proofs, print_rows, say
from privpac.cli.release_options import (
    AccountAddress,
    Delta,
    Epsilon,
    Key,
    LargeDelta,
    MaxRecords,
    OnInvalid,
    Seed,
    Unit,
    check_request,
    first_rows,
    run_release,
    say_unit_limit,
)
from privpac.cli.sources import Data, Encoding, Separator, Table, file_format
from privpac.refusals.refusal import Refused, refusal_about

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
    epsilon: Epsilon = "1",
    delta: Delta = None,
    allow_large_delta: LargeDelta = False,
    unit: Unit = None,
    max_records: MaxRecords = None,
    on_invalid: OnInvalid = None,
    top: Annotated[int, typer.Option(min=0, help="How many counts to print, the largest first.")] = 20,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write all counts.")] = None,
    budget: AccountAddress = None,
    once: Key = None,
    hold: Hold = None,
    seed: Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Count the records of each value, or of each combination of values, privately."""
    from privpac.classes.schemas.classes_by_name import combinations, grouping_columns
    from privpac.data.files.csv_files import csv_text
    from privpac.data.open_table import opened
    from privpac.release.release_request import ReleaseRequest

    names, paying_account, seconds = grouping_columns(by), account(budget, once), seconds_of(hold)
    request = ReleaseRequest(
        combinations(names), epsilon=epsilon, delta=delta, on_invalid=on_invalid or "raise", max_records=max_records,
        allow_large_delta=allow_large_delta, random_state=seed, budget=payer(paying_account, once),
    )  # fmt: skip
    form = file_format(None, separator, encoding)
    check_request(request, unit)
    with charge_note(paying_account), drafts({"out": out}, [data, file_of(budget)]) as (place,):
        records = opened(data, table, form, at_once=True)
        try:
            release = run_release(request, records, unit, seconds)
        except Refused as error:
            if error.parameter not in CHOSEN_BY:
                raise
            raise refusal_about(error, "by") from None
        lost = place is not None and not save_draft(place, lambda draft: draft.write(csv_text(release.counts())))
        written = {} if place is None or lost else {"counts": str(place.argument)}
        if as_json:
            typer.echo(json.dumps(_plain(release) | {"written": written}, indent=2, ensure_ascii=False, default=str))
        else:
            _say(release, len(release.counts()["records"]) if lost else top, written, proofs, unit)
            say_remaining_budget(paying_account)
        if lost:
            raise Refused("out", f"{out} could not be written; the budget is spent, so save the counts printed above")


def _plain(release: Release) -> dict[str, object]:
    """A release of counts for JSON."""
    counts, certain = release.counts(), release.guarantee.certain
    bounds = {} if certain is None else {"off_by_at_most": certain.shown, "any_other_at_most": certain.unseen}
    cost = release.guarantee.certificate.privacy
    about = {"n": release.n, "epsilon": float(cost.epsilon), "delta": float(cost.delta)}
    return about | bounds | {"counts": first_rows(counts, len(counts["records"]))}


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
