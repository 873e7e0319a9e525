"""What a command learns: as its options say, or as a schema declares.

An option that says what the schema already declares is refused, so that the file alone is what people read and sign.

Main declarations
    SchemaFile     the option --schema
    Task           the class, and the columns that hold features, labels, and units
    named_by       the title, the purpose, and the owner of a release
    task           the task of a command
    class_of       the class of a command, and the column it reads
    feature_of     the columns that a class reads, as the parameter ``feature``
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.classes import Described
from privpac.data.refusal import Refused, Setting, Sketch, retold

if TYPE_CHECKING:
    from privpac.classes.base import ConceptClass
    from privpac.classes.schema import Column, Schema

SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="TOML",
        help="The file that declares the columns, labels, and units; without --class, trees over all its columns.",
    ),
]
ON_ONE_COLUMN = ("thresholds", "intervals", "points", "sparse-sets", "starts-with", "ends-with", "root-paths")
ON_ALL_COLUMNS = ("trees", "scorecards")
DECLARED = ("low", "high", "kind", "step", "size", "separator", "height", "part")  # options that a schema replaces
LEAVE = " is declared by the schema; leave it out, or change the schema"


@dataclass(frozen=True)
class Task:
    """What to learn from which columns."""

    concept_class: ConceptClass
    x: list[str] | None
    y: str
    classes: tuple[Any, ...]
    unit: str | None = None
    max_records: int | None = None
    schema: Schema | None = None

    def check(self, table: Any) -> None:
        """Refused if the table lacks a column of the schema."""
        if self.schema is not None:
            self.schema.check_names(table.columns)

    def named(self, **given: str) -> dict[str, str]:
        """The title, the purpose, and the owner for the report, as options or the schema say."""
        return named_by(self.schema, **given)

    @property
    def columns(self) -> str | None:
        """Which columns of the schema the rules read, if they read all that they can."""
        if self.schema is None or not self.concept_class.domain.column_names:
            return None
        read = ", ".join(column.name for column in self.schema.testable)
        others = ", ".join(column.name for column in self.schema.columns if not column.testable)
        return f"{read}{others and f' (not {others}: neither bounds nor values are declared)'}"


def named_by(schema: Schema | None, **given: str) -> dict[str, str]:
    """What people call a release, as options or the schema say."""
    declared = {name: getattr(schema, name, "") for name in given}
    if twice := [name for name in given if given[name] and declared[name]]:
        raise Refused(twice[0], Setting(twice[0]), LEAVE)
    return {name: given[name] or declared[name] for name in given}


def task(
    of: Described,
    file: Path | None,
    x: list[str] | None,
    *,
    y: str | None,
    classes: tuple[Any, ...] | None,
    unit: str | None,
    max_records: int | None,
) -> Task:
    """The task that options describe, or the schema in a file."""
    from privpac.classes.schema import Schema

    schema = None if file is None else Schema.read(file)
    label, units = (schema.label, schema.unit) if schema else (None, None)
    given = {"y": (y, label), "classes": (classes, label), "unit": (unit, units), "max_records": (max_records, units)}
    if twice := [name for name, (value, held) in given.items() if value is not None and held is not None]:
        raise Refused(twice[0], Setting(twice[0]), LEAVE)
    concept_class, x = class_of(of, schema, x)
    if label is not None:
        y, classes = label.column, label.classes
    if units is not None:
        unit, max_records = units.column, units.max_records
    if y is None:
        why = "the schema declares no [label]; add it, or name" if schema else "name"
        raise Refused("y", f"{why} the column of labels: ", Setting.to("y", Sketch("name")))
    return Task(concept_class, x, y, classes or (0, 1), unit, max_records, schema)


def class_of(of: Described, schema: Schema | None, x: list[str] | None) -> tuple[ConceptClass, list[str] | None]:
    """The class, and the columns that it reads unless it names them itself."""
    if schema is None:
        return of.build(), x
    name = of.class_name or "trees"
    if twice := [each for each in of.given if each in DECLARED]:
        raise Refused(twice[0], Setting(twice[0]), LEAVE)
    if name in ON_ALL_COLUMNS:
        if x:
            raise Refused("x", f"{name} read all columns of the schema; leave out ", Setting("x"))
        return _over_all(name, schema, of.given), None
    if name not in ON_ONE_COLUMN:
        taking = ", ".join([*ON_ALL_COLUMNS, *ON_ONE_COLUMN])
        raise Refused("class_name", f"with a schema, choose one of {taking}; for other classes, leave out the schema")
    if not x or len(x) != 1:
        raise Refused("x", "the rule reads 1 column of the schema; name it: ", Setting.to("feature", Sketch("name")))
    try:
        column = schema.column(x[0])
    except Refused as error:
        raise retold(error, "x") from None
    return _on_one(name, column, of.given), x


def feature_of(concept_class: ConceptClass, x: list[str] | None) -> Any:
    """The columns that a class reads, as ``feature``; () if the class names them itself."""
    if concept_class.domain.column_names:
        if x:
            raise Refused("x", "the parts of the class already name their columns; leave out ", Setting("x"))
        return ()
    wanted = len(concept_class.domain.columns)
    names = x[0].split(",") if x and len(x) == 1 < wanted else x or []
    if len(names) != wanted:
        if wanted == 1:
            raise Refused("x", "the rule reads 1 column; name it: ", Setting.to("feature", Sketch("name")))
        if wanted > 3:
            raise Refused("x", f"the rule reads {wanted} columns; list them: ", Setting.to("x", "A,B,C,…"))
        how = [part for name in "ABC"[:wanted] for part in (" ", Setting.to("x", name))]
        raise Refused("x", f"the rule reads {wanted} columns; name them:", *how)
    return names[0] if wanted == 1 else names


def _over_all(name: str, schema: Schema, given: dict[str, Any]) -> ConceptClass:
    """A class of tests on all columns that have some."""
    from privpac.classes.scorecards import Scorecards

    if idle := [each for each in given if name != "trees" or each != "depth"]:
        raise Refused(
            idle[0], Setting(idle[0]), f" does not apply to {name} over the columns of a schema; leave it out"
        )
    return Scorecards(*schema.parts()) if name == "scorecards" else schema.trees(**given)


def _on_one(name: str, column: Column, given: dict[str, Any]) -> ConceptClass:
    """A class on the values of one declared column."""
    from privpac.classes.shell import in_shell, options_of

    if name not in (fitting := _readers(column)):
        choose = " or ".join(fitting)
        raise Refused("class_name", f"{name} do not read the column {column.name!r} as it is declared; choose {choose}")
    taken = options_of(in_shell()[name])
    found = Described(name, given | {each: value for each, value in column.options.items() if each in taken}).build()
    return found if column.categories is None else found.among(column.categories)


def _readers(column: Column) -> list[str]:
    """The classes of rules about one column that read this one."""
    if column.ordered:
        return ["thresholds", "intervals"]
    if column.categories is not None:
        return ["points"]
    return ["points", "sparse-sets", *(["starts-with", "ends-with", "root-paths"] if column.kind == "code" else [])]
