"""The task of a command, from options or a schema: what to learn, and from which columns.

An option that repeats what the schema declares is refused, so that people can read and sign the file alone.
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.class_options import ClassOptions
from privpac.cli.sources import schema_file
from privpac.cli.spelling import option
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import IN_SCHEMA, Refused, Setting, Sketch

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.classes.concept_class import ConceptClass
    from privpac.classes.schemas.schema import Schema

SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="TOML",
        callback=schema_file,
        help="The file that declares columns, labels, and units; without --class, a tree or a scorecard over all.",
    ),
]


@dataclass(frozen=True)
class Task:
    """What to learn from which columns."""

    concept_class: ConceptClass
    x: list[str] | None
    y: str
    classes: Sequence[Any]
    unit: str | None = None
    max_records: int | None = None
    schema: Schema | None = None
    weights: Any = None

    def check(self, table: ir.Table) -> None:
        """Refused if the table lacks a column of the schema."""
        if self.schema is not None:
            self.schema.check_names(table.columns)

    @property
    def columns(self) -> str | None:
        """The columns that rules over the whole schema read, and those that they cannot read; None for other rules."""
        if self.schema is None or not self.concept_class.domain.column_names:
            return None
        names = self.concept_class.domain.column_names
        read = ", ".join(map(str, names))
        if len(names) < len(self.schema.testable):  # a rule about one column
            return read
        others = ", ".join(column.name for column in self.schema.columns if not column.testable)
        return f"{read}{others and f' (not {others}: neither bounds nor values are declared)'}"


def report_names(schema: Schema | None, **names: str) -> dict[str, str]:
    """The title, purpose, and owner, from the options or from the schema; Refused if both name the same one."""
    declared = {name: getattr(schema, name, "") for name in names}
    if twice := [name for name in names if names[name] and declared[name]]:
        raise Refused(twice[0], Setting(twice[0]), IN_SCHEMA)
    return {name: names[name] or declared[name] for name in names}


def rule_for_misfits(typed: InvalidRule | None, schema: Schema | None) -> InvalidRule:
    """What happens to records that do not fit: as the option or the schema says; refused if both do."""
    declared = schema.on_invalid if schema else None
    if typed is not None and declared is not None:
        raise Refused("on_invalid", Setting("on_invalid"), IN_SCHEMA)
    return typed or declared or "raise"


def task_of(
    of: ClassOptions,
    file: Path | None,
    x: list[str] | None,
    *,
    y: str | None,
    classes: Sequence[Any] | None,
    unit: str | None,
    max_records: int | None,
    weights: str | None = None,
) -> Task:
    """The task that the options and the schema in ``file`` describe together."""
    from privpac.classes.schemas.schema import Schema
    from privpac.data.values.spelling import error_costs

    schema = None if file is None else Schema.read(file)
    label, units = (schema.label, schema.unit) if schema else (None, None)
    pairs = {"y": (y, label), "classes": (classes, label), "unit": (unit, units), "max_records": (max_records, units)}
    if twice := [name for name, (value, declared) in pairs.items() if value is not None and declared is not None]:
        raise Refused(twice[0], Setting(twice[0]), IN_SCHEMA)
    concept_class, x = class_of(of, schema, x)
    costs: Any = None if weights is None else error_costs(weights)
    if label is not None:
        y, classes = label.column, label.classes
        if costs is not None and label.weights is not None:
            raise Refused("class_weight", Setting("class_weight"), IN_SCHEMA)
        costs = label.weights if costs is None else costs
    if units is not None:
        unit, max_records = units.column, units.max_records
    if y is None:
        why = "the schema declares no [label]; add it, or name" if schema else "name"
        raise Refused("y", f"{why} the column of labels: ", Setting.to("y", Sketch("name")))
    return Task(concept_class, x, y, classes or (0, 1), unit, max_records, schema, costs)


def class_of(
    of: ClassOptions, schema: Schema | None, x: list[str] | None, *, distribution: bool = False
) -> tuple[ConceptClass, list[str] | None]:
    """The class, and the columns ``x``; None in place of ``x`` if the class names its columns itself."""
    from privpac.classes.schemas.classes_by_name import OF_ALL_COLUMNS, over_schema

    if schema is None:
        return of.build(), x
    named = (name for name, options in OF_ALL_COLUMNS.items() if {*options} & {*of.typed_options})
    name = of.class_name or next(named, "auto")
    concept_class = over_schema(schema, name, of.typed_options, x, option, distribution=distribution)
    return concept_class, None if concept_class.domain.column_names else x


def feature_of(concept_class: ConceptClass, x: list[str] | None) -> Any:
    """The parameter ``feature`` of a class: the columns that it reads; () for a class that names its own columns."""
    from privpac.classes.schemas.classes_by_name import columns_read

    return columns_read(concept_class, x)
