"""How a concept class is named on the command line: ``--class thresholds --low 0 --high 2^64-1``.

A command that is about a class takes a parameter ``of: Described`` and is decorated by ``names_a_class``, which puts
the options below in its place; ``of.build()`` is the class. Options that the class has no use for are refused.

Main declarations
    Described          the options, as given
    CLASSES            name → the options it takes
    names_a_class      gives a command the options
    bound              a bound as it is written: 7, 2^64-1, 0.5, 2026-01-31, J10
"""

# ruff: noqa: PLC0415  (a command imports what it needs when it runs, so that --help answers at once)
from __future__ import annotations

import csv
import inspect
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from privpac.classes.base import ConceptClass

CLASSES: dict[str, tuple[str, ...]] = {
    "thresholds": ("low", "high", "kind", "direction"),
    "intervals": ("low", "high", "kind"),
    "points": ("size",),
    "root-paths": ("separator", "height"),
    "starts-with": ("separator", "height"),
    "taxonomy": ("parents", "kind"),
    "spider": ("bits",),
    "half-planes": ("side",),
    "central-half-planes": ("low", "high", "centre"),
    "half-spaces": ("dim", "side"),
    "rectangles": ("low", "high", "dim"),
    "explicit": ("matrix",),
    "and": ("part",),
    "or": ("part",),
    "majority": ("part",),
}
NEEDED = {
    "intervals": ("low", "high"),
    "taxonomy": ("parents",),
    "spider": ("bits",),
    "half-planes": ("side",),
    "central-half-planes": ("low", "high"),
    "half-spaces": ("dim", "side"),
    "rectangles": ("low", "high", "dim"),
    "explicit": ("matrix",),
}
PARTS = ("thresholds", "intervals", "points")
WHOLE_NUMBER = re.compile(r"([+-]?\d[\d_]*)(?:(?:\^|\*\*)(\d+)(?:([+-])(\d+))?)?")
LARGEST_POWER = 2**22  # bits that a bound may have


@dataclass(frozen=True, kw_only=True)
class Described:
    """A class by its name and the options that were given.

    >>> Described(class_name="thresholds", low="0", high="2^64-1").build().known("Littlestone").value
    64
    >>> Described(class_name="and", part=["delay thresholds 0 9", "carrier points"]).build().size
    inf
    """

    class_name: Annotated[str, typer.Option("--class", metavar="NAME", help=f"One of {', '.join(CLASSES)}.")]
    low: Annotated[str | None, typer.Option(help="Least value: 0, -2^31, 0.5, 2026-01-31, A00.")] = None
    high: Annotated[str | None, typer.Option(help="Largest value: 120, 2^64-1, 99.5, 2026-12-31, Z99.")] = None
    kind: Annotated[
        str | None,
        typer.Option(
            help="Of values: integer, float64, decimal, date, datetime, string. Of taxonomies: root_path, subtree."
        ),
    ] = None
    direction: Annotated[str | None, typer.Option(help="Of thresholds: above (x ≥ t), below (x < t) or either.")] = None
    size: Annotated[str | None, typer.Option(help="How many points there may be; any number, if not given.")] = None
    separator: Annotated[str | None, typer.Option(help='Between the steps of a path; "": a step is a character.')] = (
        None
    )
    height: Annotated[int | None, typer.Option(help="How many steps a path may have.")] = None
    bits: Annotated[int | None, typer.Option(help="Of a spider's values.")] = None
    side: Annotated[str | None, typer.Option(help="Half-planes and half-spaces live on {0 … side − 1}^dim.")] = None
    centre: Annotated[str | None, typer.Option(metavar="X,Y", help="Where the borders of half-planes meet.")] = None
    dim: Annotated[int | None, typer.Option(help="How many columns a half-space or a rectangle reads.")] = None
    parents: Annotated[Path | None, typer.Option(metavar="CSV", help="The lines name,parent of a taxonomy.")] = None
    matrix: Annotated[
        Path | None, typer.Option(metavar="CSV", help="A line of 0 and 1 for each concept of an explicit class.")
    ] = None
    part: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Of and, or, majority: 'delay thresholds 0 999', 'carrier points'."),
    ] = None

    def build(self) -> ConceptClass:
        """The class; ValueError says which option is missing, misplaced or wrong."""
        from privpac import classes

        self._check()
        given: Any = self  # what is needed is there, as checked
        make: dict[str, Callable[[], ConceptClass]] = {
            "thresholds": self._thresholds,
            "intervals": lambda: classes.Intervals(*self._bounds()),
            "points": lambda: classes.Points(None if self.size is None else whole(self.size, "--size")),
            "root-paths": lambda: classes.RootPaths(self._separator("/"), self.height),
            "starts-with": lambda: classes.StartsWith(self._separator(None), self.height),
            "taxonomy": lambda: classes.Taxonomy(_parents(given.parents), self.kind or "root_path"),
            "spider": lambda: classes.Spider(given.bits),
            "half-planes": lambda: classes.HalfPlanes(whole(self.side, "--side")),
            "central-half-planes": self._central_half_planes,
            "half-spaces": lambda: classes.HalfSpaces(given.dim, whole(self.side, "--side")),
            "rectangles": lambda: classes.Rectangles(whole(self.low, "--low"), whole(self.high, "--high"), given.dim),
            "explicit": lambda: classes.ExplicitClass.from_csv(given.matrix),
        }
        try:
            return make[self.class_name]() if self.class_name in make else self._composition()
        except TypeError as error:  # bounds of two kinds, for example: what was written is at fault
            raise ValueError(str(error)) from None

    def _check(self) -> None:
        if self.class_name not in CLASSES:
            raise ValueError(f"no class is called {self.class_name!r}; choose one of {', '.join(CLASSES)}")
        given = [field.name for field in fields(self)[1:] if getattr(self, field.name) not in (None, [])]
        taken = CLASSES[self.class_name]
        if idle := [name for name in given if name not in taken]:
            raise ValueError(
                f"--{idle[0]} says nothing about the class {self.class_name}, which takes {_options(taken)}"
            )
        if missing := [name for name in NEEDED.get(self.class_name, ()) if getattr(self, name) is None]:
            raise ValueError(f"the class {self.class_name} needs {_options(missing)}")

    def _thresholds(self) -> ConceptClass:
        from privpac.classes.line import WHOLE, Thresholds

        kind = self.kind if self.kind in WHOLE else None
        return Thresholds(*self._bounds(), kind=kind, direction=self.direction or "above")

    def _bounds(self) -> tuple[Any, Any]:
        low, high = (None if text is None else bound(text, self.kind) for text in (self.low, self.high))
        return low, high

    def _separator(self, usual: str | None) -> str | None:
        return usual if self.separator is None else self.separator or None

    def _central_half_planes(self) -> ConceptClass:
        from privpac.classes.central_half_planes import CentralHalfPlanes

        centre = tuple(whole(text, "each part of --centre") for text in (self.centre or "0,0").split(","))
        return CentralHalfPlanes(whole(self.low, "--low"), whole(self.high, "--high"), centre)

    def _composition(self) -> ConceptClass:
        from privpac.classes.compose import And, Majority, Or

        if len(self.part or ()) < 2:
            raise ValueError("name at least two parts: --part 'delay thresholds 0 999' --part 'carrier points'")
        return {"and": And, "or": Or, "majority": Majority}[self.class_name](*map(_part, self.part or ()))


def _part(text: str) -> ConceptClass:
    """'COLUMN CLASS [LOW HIGH [DIRECTION]]', quoted as in a shell."""
    words = shlex.split(text)
    if len(words) < 2 or words[1] not in PARTS or len(words) > 5:
        raise ValueError(f"a part reads 'COLUMN CLASS LOW HIGH DIRECTION' with one of {', '.join(PARTS)} for CLASS")
    column, name, *rest = words
    named: dict[str, Any] = dict(
        zip(("size",) if name == "points" else ("low", "high", "direction"), rest, strict=False)
    )
    return Described(class_name=name, **named).build().on(column)


def names_a_class(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of a class in place of its parameter of type Described."""
    hints = get_type_hints(command, include_extras=True)
    (name,) = [name for name, hint in hints.items() if hint is Described]
    options = get_type_hints(Described, include_extras=True)
    keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty

    @wraps(command)
    def described(*args: Any, **given: Any) -> None:
        parts = {field.name: given.pop(field.name) for field in fields(Described)}
        command(*args, **given, **{name: Described(**parts)})

    parameters = inspect.signature(command).parameters.values()
    own = [each.replace(annotation=hints[each.name]) for each in parameters if each.name != name]
    defaults = {field.name: empty if field.default is MISSING else field.default for field in fields(Described)}
    added = [inspect.Parameter(n, keyword, annotation=options[n], default=defaults[n]) for n in defaults]
    before = [p for p in own if p.kind is not keyword]
    signature = inspect.Signature([*before, *added, *own[len(before) :]], return_annotation=None)
    described.__signature__ = signature  # type: ignore[attr-defined]
    described.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return described


def bound(text: str, kind: str | None = None) -> Any:
    """A bound as it is written; ``kind`` decides where it could be read in several ways.

    >>> bound("2^64-1"), bound("0.5"), bound("2026-01-31"), bound("J10"), bound("7", "string")
    (18446744073709551615, 0.5, datetime.date(2026, 1, 31), 'J10', '7')
    """
    readers: dict[str, Callable[[str], Any]] = {
        "integer": _integer,
        "float64": float,
        "decimal": Decimal,
        "date": date.fromisoformat,
        "datetime": datetime.fromisoformat,
        "string": str,
    }
    if kind is not None and kind not in readers:
        raise ValueError(f"--kind must be one of {', '.join(readers)}")
    for name in [kind] if kind else ["integer", "float64", "date", "datetime", "string"]:
        try:
            return readers[name](text)
        except (ValueError, InvalidOperation):
            continue
    raise ValueError(f"{text!r} is not written as {kind} is: 7 or 2^64-1, 0.5, 2026-01-31, 2026-01-31T12:00")


def whole(text: str | None, option: str) -> int:
    """A whole number as it is written.

    >>> whole("2^16", "--side")
    65536
    """
    try:
        return _integer(text or "")
    except ValueError:
        raise ValueError(f"{option} must be a whole number such as 120 or 2^16") from None


def _integer(text: str) -> int:
    found = WHOLE_NUMBER.fullmatch(text.strip())
    if not found:
        raise ValueError("no whole number")
    base, power, sign, rest = found.groups()
    if power is None:
        return int(base)
    if abs(int(base)).bit_length() * int(power) > LARGEST_POWER:
        raise ValueError(f"a bound may have at most {LARGEST_POWER} bits")
    minus = -1 if base.startswith("-") else 1  # −2^31 is −(2^31)
    return int(minus * abs(int(base)) ** int(power) + int(f"{sign}{rest}" if sign else 0))


def _parents(path: Path) -> list[tuple[str, str | None]]:
    """The lines name,parent of a CSV file; a first line of these words is a heading, an empty parent means the root."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if any(line)]
    if any(len(line) != 2 for line in lines):
        raise ValueError(f"the lines of {path} must have two cells: name,parent")
    if lines and [cell.lower() for cell in lines[0]] == ["name", "parent"]:
        lines.pop(0)
    return [(name, parent or None) for name, parent in lines]


def _options(names: Sequence[str]) -> str:
    return ", ".join(f"--{name}" for name in names)
