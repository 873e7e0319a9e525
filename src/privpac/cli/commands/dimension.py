"""``privpac dimension``: the dimensions of a class in a file."""

from __future__ import annotations

import time
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from privpac.cli.drafts import drafts
from privpac.cli.output import Json, OutputRow, print_rows
from privpac.refusals.refusal import Refused, Setting, about, parts_of

if TYPE_CHECKING:
    from privpac.classes.finite.explicit import ExplicitClass
    from privpac.dimensions.dimension import Dimension
    from privpac.dimensions.time_limit import Progress

GATES = ("and", "or", "xor", "majority", "union")
DIMENSIONS = ("vc", "littlestone", "threshold", "dual-vc", "dual-littlestone", "dual-threshold", "irreducibility")


class TimedDimension(NamedTuple):
    """A dimension, and how many seconds it took."""

    dimension: Dimension
    seconds: float


def dimension(
    file: Annotated[
        list[Path],
        typer.Argument(help="CSV with one row of 0s and 1s per concept and one column per point, or JSON."),
    ],
    *,
    compose: Annotated[
        str | None,
        typer.Option(
            metavar="GATE",
            help="With two or more files: bound the dimensions of their and, or, xor, majority, or union.",
        ),
    ] = None,
    what: Annotated[str, typer.Option(help=f"all, or a comma-separated list of: {', '.join(DIMENSIONS)}.")] = "all",
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
    """Compute the VC, Littlestone, and threshold dimensions, their duals, and irreducibility, with witnesses.

    With --compose, several files are the parts of a composition, and the dimensions of the parts bound its own.
    """
    from privpac import report
    from privpac.dimensions.tree_orders.laminar import tree_order as order_of

    pictures = {"mistake_tree": mistake_tree, "tree_order": tree_order}
    if compose is not None or len(file) > 1:
        if drawn := [name for name, path in pictures.items() if path]:
            raise Refused(drawn[0], "bounds have no picture; leave out ", Setting(drawn[0]))
        print_rows(_composed(compose, file, time_limit), as_json)
        return
    concept_class = _read(file[0])
    with drafts(pictures, file) as places:
        dimensions = _dimensions(_names(what, concept_class), concept_class, time_limit)
        rows = [_row(name, *timed, as_json and witness) for name, timed in dimensions.items()]
        print_rows(rows, as_json)
        if witness and not as_json:
            typer.echo()
            for name, timed in dimensions.items():
                typer.echo(f"{name}: {timed.dimension.witness or 'no witness'}")
        if mistakes := places["mistake_tree"]:
            computed = dimensions.get("littlestone")
            littlestone = computed.dimension if computed else _measure("littlestone", concept_class, time_limit)
            with about("mistake_tree"):
                report.draw_mistake_tree(littlestone.witness).save(mistakes.draft)
            mistakes.keep()
        if order := places["tree_order"]:
            with about("tree_order"):
                report.draw_tree_order(order_of(concept_class)).save(order.draft)
            order.keep()


def _composed(compose: str | None, files: list[Path], time_limit: float | None) -> list[OutputRow]:
    """Bounds on the dimensions of a composition from those of its parts [ABMS20, §4]; a row for each dimension.

    All three hold for every gate, whether the parts read the same column or different ones. The number of concepts of
    the composition bounds them, too.
    """
    from privpac.dimensions import closure

    if compose not in GATES:
        raise Refused("compose", "say how the files are combined: ", Setting("compose"), f" {'|'.join(GATES)}")
    if len(files) < 2:
        raise Refused("file", "a composition has two or more parts; name a file for each")
    parts = [_read(file) for file in files]
    if not all(part.size for part in parts):
        raise Refused("file", "a part has no concepts; give each at least one")
    upper = {name: [int(_measure(name, part, time_limit).upper) for part in parts] for name in DIMENSIONS[:3]}
    sizes = [part.size for part in parts]
    united = compose == "union"
    if united:
        concepts, combined = sum(sizes), closure.littlestone_of_unions
        by_parts = closure.threshold_of_unions(upper["threshold"])
    else:
        concepts, combined = prod(sizes), closure.littlestone_of_composition
        by_parts = 2 ** closure.log2_threshold_of_compositions(upper["threshold"]) - 1
    most = concepts.bit_length() - 1  # log₂ of the number of concepts
    bounds = {name: min(combined(upper[name]), most) for name in ("vc", "littlestone")}
    by_tree = closure.threshold_range(bounds["littlestone"])[1]
    bounds["threshold"] = min(by_tree, by_parts, concepts)
    because = {
        "vc": "q points have 2^q patterns, and each part has few of them",
        "littlestone": "a tree of depth q has 2^q paths, and each part labels few of them",
        "threshold": "the sum of the parts" if united else "the Littlestone dimension, or the number of concepts",
    }
    by_count = {"vc": most, "littlestone": most, "threshold": concepts}
    return [
        {"dimension": name}
        | dict(zip(_distinct(files), upper[name], strict=True))
        | {"at most": bounds[name]}
        | {"because": "the number of concepts" if bounds[name] == by_count[name] else because[name]}
        for name in bounds
    ]


def _distinct(files: list[Path]) -> list[str]:
    """The names of the parts; a file that is named again gets its place as well.

    >>> _distinct([Path("a.csv"), Path("b.csv"), Path("a.csv")])
    ['a.csv', 'b.csv', 'a.csv (3)']
    """
    return [str(file) if file not in files[:i] else f"{file} ({i + 1})" for i, file in enumerate(files)]


def _dimensions(
    names: tuple[str, ...], concept_class: ExplicitClass, time_limit: float | None
) -> dict[str, TimedDimension]:
    """The dimensions with these names; on a terminal, shows which one is being computed."""
    from rich.console import Console

    dimensions: dict[str, TimedDimension] = {}
    with Console(stderr=True).status("reading") as status:  # shows nothing unless stderr is a terminal
        for name in names:
            start = time.monotonic()
            measured = _measure(name, concept_class, time_limit, status.update)
            dimensions[name] = TimedDimension(measured, time.monotonic() - start)
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


def _names(what: str, concept_class: ExplicitClass) -> tuple[str, ...]:
    """The dimensions that ``--what`` names."""
    if what == "all":
        # The empty class has no dual, and nothing reduces it.
        return DIMENSIONS if concept_class.size else DIMENSIONS[:3]
    names = tuple(name.strip() for name in what.split(","))
    if unknown := [name for name in names if name not in DIMENSIONS]:
        raise Refused("what", f"there is no dimension {unknown[0]!r}; choose all, or from {', '.join(DIMENSIONS)}")
    return names


def _measure(
    name: str, concept_class: ExplicitClass, limit: float | None, progress: Progress | None = None
) -> Dimension:
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
    value = _number(measured.lower) if measured.exact else None
    bounds = {"at least": _number(measured.lower), "at most": _number(measured.upper)}
    row = {"dimension": name, "value": value} | bounds | {"seconds": round(seconds, 3), "because": measured.reason}
    if not witness:
        return row
    proof = measured.witness
    return row | {"witness": proof and {part.name: _json_part(getattr(proof, part.name)) for part in fields(proof)}}


def _json_part(part: Any) -> Any:
    """A part of a witness for JSON: names as text; labels and numbers as they are."""
    return [item if isinstance(item, bool) else str(item) for item in part] if isinstance(part, tuple) else part


def _number(value: float) -> int | str:
    return int(value) if value < float("inf") else "∞"  # JSON has no infinity
