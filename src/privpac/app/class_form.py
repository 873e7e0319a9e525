"""The fields that describe a class: its name and its options, or a column of a schema.

Main declarations
    class_fields    the fields, with what was given in them
    chosen_class    the class that was given, and the columns that its rules read
    ChosenClass     both, and the schema if there is one
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from privpac.app.markup import FormField
from privpac.app.session import Session
from privpac.classes.base import ConceptClass
from privpac.classes.described import ON_ALL_COLUMNS, ON_ONE_COLUMN, built, over_schema
from privpac.classes.schema import Schema
from privpac.classes.shell import in_shell, options_of
from privpac.data.refusal import Refused, Setting

LABELS = {
    "low": "Least value",
    "high": "Largest value",
    "kind": "Kind of values",
    "step": "Distance between cuts",
    "zone": "Time zone",
    "k": "Most values in a rule",
    "s": "Most codes in a cell",
    "size": "Number of values",
    "height": "Most steps",
    "dim": "Dimension",
    "side": "Side of the grid",
    "bits": "Bits",
    "part": "Columns, a line each",
    "depth": "Depth",
    "columns": "Columns",
    "at_most": "Most equalities",
}
FIRST: dict[str, dict[str, str]] = {  # what the fields of a class hold before anything is typed
    "thresholds": {"low": "0", "high": "120"},
    "intervals": {"low": "0", "high": "120"},
    "central-half-planes": {"low": "-100", "high": "100"},
    "equalities": {"columns": "a,b,c,d", "at_most": "2"},
    "flats": {"length": "8", "dim": "2"},
    "half-planes": {"side": "100"},
    "half-spaces": {"dim": "3", "side": "20"},
    "has-any": {"k": "2", "s": "5"},
    "rectangles": {"low": "0", "high": "99", "dim": "2"},
    "sparse-sets": {"k": "3", "size": "1000"},
    "points": {"size": "1000"},
    "spider": {"bits": "8"},
    "starts-with": {"height": "5"},
    "ends-with": {"height": "5"},
    "root-paths": {"height": "5"},
    **{
        name: {"part": "delay thresholds 0 120\ncarrier points AA,DL,UA"}
        for name in ("and", "or", "majority", "trees", "scorecards", "marginals")
    },
}


@dataclass(frozen=True)
class ChosenClass:
    """A class, the columns that its rules read unless it names them itself, and its schema."""

    concept_class: ConceptClass
    x: list[str] | None
    schema: Schema | None = None


def class_fields(session: Session, given: dict[str, str], *, columns: bool = True) -> list[FormField]:
    """The fields; ``columns`` asks for the names of columns even without a schema."""
    made = []
    if session.schemas:
        offered = {"": "none: bounds below"} | {name: name for name in session.schemas}
        hint = "A schema declares the columns, their bounds, and the labels."
        made.append(FormField("Schema", "schema", given.get("schema", ""), hint, offered, reloads=True))
    schema, name = session.schema(given.get("schema", "")), _class_name(session, given)
    made.append(FormField("Class of rules", "class", name, "", {each: each for each in _offered(schema)}, reloads=True))
    if schema is not None:
        if name in ON_ONE_COLUMN:
            names = {each.name: each.name for each in schema.columns}
            made.append(FormField("Column the rule reads", "x", given.get("x", next(iter(names))), "", names))
        return made + ([_option("depth", given, name)] if name == "trees" else [])
    if columns and "part" not in options_of(in_shell()[name]) and name != "equalities":
        several = "Several columns with commas between them." if name in ("rectangles", "half-planes") else ""
        made.append(FormField("Column the rule reads", "x", given.get("x", ""), several))
    return made + [_option(each, given, name) for each in options_of(in_shell()[name])]


def chosen_class(session: Session, given: dict[str, str]) -> ChosenClass:
    """The class that the fields describe."""
    schema, name = session.schema(given.get("schema", "")), _class_name(session, given)
    x = [given["x"].strip()] if given.get("x", "").strip() else None
    taken = ["depth"] if schema is not None else options_of(in_shell()[name])
    said = {each: (FIRST.get(name, {}) | given).get(each, "").strip() for each in taken}
    options = {each: _value(name, each, text) for each, text in said.items() if text}
    if schema is None:
        return ChosenClass(built(name, options), x)
    options = options if name == "trees" else {}
    x = None if name in ON_ALL_COLUMNS else x
    return ChosenClass(over_schema(schema, name, options, x), x, schema)


def _class_name(session: Session, given: dict[str, str]) -> str:
    offered = _offered(session.schema(given.get("schema", "")))
    asked = given.get("class", "thresholds")
    return asked if asked in offered else offered[0]


def _offered(schema: Schema | None) -> list[str]:
    """The classes that a form can describe: with a schema, those about its columns; otherwise all without files."""
    if schema is not None:
        return [*ON_ALL_COLUMNS, *ON_ONE_COLUMN]
    return [
        name for name, kind in in_shell().items() if not any(_type(kind, each) is Path for each in options_of(kind))
    ]


def _hint(kind: type[ConceptClass], name: str) -> Any:
    return get_args(get_type_hints(kind.from_shell, include_extras=True)[name])


def _type(kind: type[ConceptClass], name: str) -> Any:
    """The type of an option: str, int, float, Path, list[str], or some words."""
    return next(each for each in get_args(_hint(kind, name)[0]) if each is not type(None))


def _option(name: str, given: dict[str, str], class_name: str) -> FormField:
    kind = in_shell()[class_name]
    label, about = LABELS.get(name, name.replace("_", " ").capitalize()), _hint(kind, name)[1].help
    value = given.get(name, FIRST.get(class_name, {}).get(name, ""))
    needed = options_of(kind)[name] or name in FIRST.get(class_name, {})
    bare = name in ("low", "high") and needed
    return FormField(label, name, value, "" if bare else about, lines=5 * (name == "part"), rare=not needed)


def _value(class_name: str, name: str, text: str) -> Any:
    """An option in its type."""
    kind = _type(in_shell()[class_name], name)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise Refused(name, Setting(name), " must be a number") from None
    return [line for line in text.splitlines() if line.strip()] if get_origin(kind) is list else text
