"""``privpac dimension``: the dimensions of a class in a file."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.drafts import drafts
from privpac.cli.output import Json, OutputRow, print_rows
from privpac.refusals.refusal import Refused, about, parts_of

if TYPE_CHECKING:
    from privpac.classes.finite.explicit import ExplicitClass
    from privpac.dimensions.dimension import Dimension
    from privpac.dimensions.time_limit import Progress

WHAT = ("vc", "littlestone", "threshold", "dual-vc", "dual-littlestone", "dual-threshold", "irreducibility")


def dimension(
    file: Annotated[
        Path,
        typer.Argument(help="CSV with one row of 0s and 1s per concept and one column per point, or JSON."),
    ],
    *,
    what: Annotated[str, typer.Option(help=f"all, or a comma-separated list of: {', '.join(WHAT)}.")] = "all",
    witness: Annotated[bool, typer.Option("--witness", help="Print what proves each value.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="Time for each dimension; after it, bounds are printed."),
    ] = None,
    mistake_tree: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Draw the mistake tree that proves the Littlestone dimension.")
    ] = None,
    tree_order: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Draw the tree order, if the VC dimension is at most 1.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute the VC, Littlestone, and threshold dimensions, their duals, and irreducibility, with witnesses."""
    from privpac import report
    from privpac.dimensions.tree_orders.laminar import tree_order as order_of

    concept_class = _read(file)
    with drafts({"mistake_tree": mistake_tree, "tree_order": tree_order}, [file]) as (mistakes, order):
        dimensions = _dimensions(_chosen(what, concept_class), concept_class, time_limit)
        print_rows([_row(name, *each, as_json and witness) for name, each in dimensions.items()], as_json)
        if witness and not as_json:
            typer.echo()
            for name, (measured, _) in dimensions.items():
                typer.echo(f"{name}: {measured.witness or 'no witness'}")
        if mistakes:
            tree = dimensions.get("littlestone") or (_measure("littlestone", concept_class, time_limit, None), 0.0)
            with about("mistake_tree"):
                report.draw_mistake_tree(tree[0].witness).save(mistakes.draft)
            mistakes.keep()
        if order:
            with about("tree_order"):
                report.draw_tree_order(order_of(concept_class)).save(order.draft)
            order.keep()


def _dimensions(
    names: tuple[str, ...], concept_class: ExplicitClass, time_limit: float | None
) -> dict[str, tuple[Dimension, float]]:
    """The dimensions, with the seconds each took; on a terminal, shows which one is being computed."""
    from rich.console import Console

    dimensions: dict[str, tuple[Dimension, float]] = {}
    with Console(stderr=True).status("reading") as status:  # shows nothing unless stderr is a terminal
        for name in names:
            start = time.monotonic()
            measured = _measure(name, concept_class, time_limit, status.update)
            dimensions[name] = measured, time.monotonic() - start
    return dimensions


def _read(file: Path) -> ExplicitClass:
    from privpac.classes.finite.explicit import ExplicitClass

    json = file.suffix.lower() == ".json"
    try:
        return ExplicitClass.from_json(file.read_text("utf-8-sig")) if json else ExplicitClass.from_csv(file)
    except UnicodeDecodeError:
        raise Refused("file", f"{file} is not UTF-8 text; save it as UTF-8") from None
    except ValueError as error:
        raise Refused("file", *parts_of(error)) from None


def _chosen(what: str, concept_class: ExplicitClass) -> tuple[str, ...]:
    if what == "all":
        return WHAT if concept_class.size else WHAT[:3]  # the empty class has no dual
    names = tuple(name.strip() for name in what.split(","))
    if unknown := [name for name in names if name not in WHAT]:
        raise Refused("what", f"there is no dimension {unknown[0]!r}; choose all, or from {', '.join(WHAT)}")
    return names


def _measure(name: str, concept_class: ExplicitClass, limit: float | None, progress: Progress | None) -> Dimension:
    from privpac import dimensions

    functions = {
        "vc": dimensions.vc_dimension,
        "littlestone": dimensions.littlestone_dimension,
        "threshold": dimensions.threshold_dimension,
        "irreducibility": dimensions.irreducibility,
    }
    with about("what"):
        subject = concept_class.dual() if name.startswith("dual-") else concept_class
    return functions[name.removeprefix("dual-")](subject, time_limit=limit, progress=progress)


def _row(name: str, measured: Dimension, seconds: float, witness: bool) -> OutputRow:
    exact = {"value": _number(measured.lower)} if measured.exact else {"value": None}
    bounds = {"at least": _number(measured.lower), "at most": _number(measured.upper)}
    row = {"dimension": name} | exact | bounds | {"seconds": round(seconds, 3), "because": measured.reason}
    if not witness:
        return row
    proof = measured.witness
    return row | {"witness": proof and {part.name: _told(getattr(proof, part.name)) for part in fields(proof)}}


def _told(part: Any) -> Any:
    """Names as text; labels and numbers as they are."""
    return [each if isinstance(each, bool) else str(each) for each in part] if isinstance(part, tuple) else part


def _number(value: float) -> int | str:
    return int(value) if value < float("inf") else "∞"  # JSON has no infinity
