"""``privpac plan``: how many records it takes to learn a class.

Main declarations
    plan    the command
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.classes import Described, names_a_class
from privpac.cli.declared import SchemaFile, class_of
from privpac.cli.drafts import drafts
from privpac.cli.output import Json, OutputRow, print_rows
from privpac.cli.spelling import spelled
from privpac.data.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.planning import Plan


@names_a_class
def plan(
    *,
    of: Described,
    schema: SchemaFile = None,
    x: Annotated[list[str] | None, typer.Option(help="With --schema: the column that the rule reads.")] = None,
    alpha: Annotated[str, typer.Option(help="The error to plan for.")] = "0.1",
    beta: Annotated[str, typer.Option(help="The acceptable probability of a larger error.")] = "0.05",
    epsilon: Annotated[str, typer.Option(help="The total privacy loss ε.")] = "1",
    delta: Annotated[
        str | None, typer.Option(help="The total δ; 0 for pure learners. Default: min(1e-6, 1/(100·n)).")
    ] = None,
    regime: Annotated[
        str, typer.Option(help="agnostic: labels may be noisy. realizable: some rule makes no error.")
    ] = "agnostic",
    n: Annotated[int | None, typer.Option(help="The number of records you have; plan the error for it.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Also show the bounds printed in papers.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Draw n against α, ε, and the size of the domain.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how many records provably suffice for each learner of a class, next to the published bounds."""
    from privpac.classes.schema import Schema
    from privpac.planning import plan as planned

    if x and schema is None:
        raise Refused("x", Setting("x"), " names a column of a schema; add ", Setting.to("schema", "schema.toml"))
    with drafts({"plot": plot}, [*of.files, schema]) as (picture,):
        concept_class, _ = class_of(of, None if schema is None else Schema.read(schema), x)
        found = planned(concept_class, alpha=alpha, beta=beta, epsilon=epsilon, delta=delta, regime=regime, n=n)
        if as_json:
            goal = asdict(found.goal if n is None else found.goal.of(n))
            goal["delta"] = None if goal.pop("tied") else goal["delta"]
            asked = {"class": found.title} | goal | {"regime": found.regime, "n": found.n}
            answer = {"best": found.best and found.best.learner, "rows": [row.plain() for row in found.rows]}
            typer.echo(json.dumps(asked | answer, indent=2, ensure_ascii=False))
        else:
            _show(found, published)
        if picture:
            found.draw().save(picture.draft)
            picture.keep()


def _show(found: Plan, published: bool) -> None:
    """The learners' rows, and the papers' rows if ``published``."""
    shown = found if published else replace(found, rows=tuple(row for row in found.rows if row.title))
    typer.echo(f"{found.question}\n")
    named = zip(shown.rows, shown.cells(), strict=True)
    rows: list[OutputRow] = [{"learner": row.learner, "how": row.title or None, **cells} for row, cells in named]
    print_rows(rows, as_json=False, empty="no learner learns this class")
    hidden = len(found.rows) - len(shown.rows)
    notes = [
        *map(spelled, shown.notes),
        *([f"{hidden} published bound{'s' * (hidden > 1)} not shown; add --published"] if hidden else []),
    ]
    typer.echo("".join(f"\n{note}" for note in notes))
