"""The task of a command, from options or a schema: what to learn, and from which columns.

An option that repeats what the schema declares is refused, so that people can read and sign the file alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privpac.cli.class_options import ClassOptions
from privpac.cli.spelling import option
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import IN_SCHEMA, Refused, Setting, Sketch

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.classes.concept_class import ConceptClass
    from privpac.classes.schemas.schema import Schema
    from privpac.report.pages.frame import PageNames


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
        """The columns that a rule over a schema reads and, if these are all that rules can read, the columns it cannot.

        None for other rules.
        """
        if self.schema is None or not self.concept_class.domain.column_names:
            return None
        names = self.concept_class.domain.column_names
        read = ", ".join(map(str, names))
        if len(names) < len(self.schema.testable):  # a rule about one column
            return read
        others = ", ".join(column.name for column in self.schema.columns if not column.testable)
        return f"{read}{others and f' (not {others}: neither bounds nor values are declared)'}"


def declared_or_typed(parameter: str, declared: Any, typed: Any) -> Any:
    """What the schema or the option says; None if neither says anything, Refused if both do."""
    if declared is not None and typed is not None:
        raise Refused(parameter, Setting(parameter), IN_SCHEMA)
    return typed if declared is None else declared


def page_names(schema: Schema | None, budget: str | None = None, **typed: str) -> PageNames:
    """The title, purpose, and owner for a report, from the options or the schema; and the account, after #."""
    from privpac.report.pages.frame import PageNames

    title, purpose, owner = (
        declared_or_typed(name, getattr(schema, name, None) or None, typed.get(name) or None)
        for name in ("title", "purpose", "owner")
    )
    about = {"Purpose": purpose, "Owner": owner, "Account": (budget or "").rpartition("#")[2]}
    return PageNames(title or "", {name: text for name, text in about.items() if text})


def rule_for_misfits(typed: InvalidRule | None, schema: Schema | None) -> InvalidRule:
    """What happens to records that do not fit, as the option or the schema says; by default, they are refused."""
    return declared_or_typed("on_invalid", schema.on_invalid if schema else None, typed) or "raise"


def units_of(schema: Schema | None, unit: str | None, max_records: int | None) -> tuple[str | None, int | None]:
    """The column of units, and how many records of each count, from the options or from the schema."""
    from privpac.requests.request import UNIT_AND_LIMIT_TOGETHER

    declared = schema.unit if schema else None
    column = declared_or_typed("unit", declared.column if declared else None, unit)
    k = declared_or_typed("max_records", declared.max_records if declared else None, max_records)
    if (column is None) != (k is None):
        raise Refused("unit", *UNIT_AND_LIMIT_TOGETHER)
    return column, k


def two_labels(typed: str | None) -> Sequence[Any]:
    """The two labels that an option names; Refused if it names more or fewer."""
    from privpac.data.values.spelling import typed_labels

    labels = (0, 1) if typed is None else typed_labels(typed)
    if len(labels) != 2:
        raise Refused("classes", Setting("classes"), " takes two labels here, the negative one first")
    return labels


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
    label = schema.label if schema else None
    y = declared_or_typed("y", label.column if label else None, y)
    classes = declared_or_typed("classes", label.classes if label else None, classes)
    unit, max_records = units_of(schema, unit, max_records)
    concept_class, x = class_of(of, schema, x)
    costs = None if weights is None else error_costs(weights)
    costs = declared_or_typed("class_weight", label.weights if label else None, costs)
    if y is None:
        why = "the schema declares no [label]; add it, or name" if schema else "name"
        raise Refused("y", f"{why} the column of labels: ", Setting.to("y", Sketch("name")))
    return Task(concept_class, x, y, classes or (0, 1), unit, max_records, schema, costs)


def class_of(
    of: ClassOptions, schema: Schema | None, x: list[str] | None, *, distribution: bool = False
) -> tuple[ConceptClass, list[str] | None]:
    """The class, and the columns ``x``; None in place of ``x`` if the class names its columns itself."""
    from privpac.classes.schemas.classes_by_name import OPTIONS_OVER_SCHEMA, over_schema

    if schema is None:
        return of.build(), x
    # Without --class, a typed option that belongs to one of these classes chooses this class.
    named = (name for name, options in OPTIONS_OVER_SCHEMA.items() if {*options} & {*of.typed_options})
    name = of.class_name or next(named, "auto")
    concept_class = over_schema(schema, name, of.typed_options, x, option, distribution=distribution)
    return concept_class, None if concept_class.domain.column_names else x
