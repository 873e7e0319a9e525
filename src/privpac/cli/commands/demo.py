"""``privpac demo``: a private rule learned from 5,000 flights that ship with the package."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from privpac.cli import options
from privpac.cli.drafts import drafts
from privpac.cli.output import Json, Proofs
from privpac.cli.sources import display_name, source


def demo(
    *,
    report: Annotated[Path, typer.Option(metavar="HTML", help="Where to write the page.")] = Path("demo.html"),
    out: options.ModelFile = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Learn from 5,000 flights: how long a departure delay makes a flight arrive half an hour late?"""
    from privpac.classes.lines.thresholds import Thresholds
    from privpac.cli.commands.learn import save_and_print
    from privpac.cli.fits import run_fit
    from privpac.learners.model import model_of
    from privpac.learners.rule_request import RuleRequest
    from privpac.report.pages.frame import PageNames

    place = str(source("example:flights"))
    flights = list(csv.DictReader(Path(place).read_text("utf-8").splitlines()))
    table = {name: [int(flight[name]) for flight in flights] for name in ("dep_delay", "late")}
    request = RuleRequest(Thresholds(-60, 1440, direction="above"), feature="dep_delay", epsilon=1, report_error=True)
    with drafts({"out": out, "report": report}) as places:
        run_fit("learning", request.fit, table, "late")
        names = PageNames(data=display_name(place))
        save_and_print(request, model_of(request, "late"), places, names, as_json=as_json, proofs=proofs)
