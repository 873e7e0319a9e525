"""The fields that describe a class: its name and its options, or a column of a schema."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, get_args, get_origin, get_type_hints

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.table_editor import TypedTable, after_click
from privpac.app.session import Session
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.schemas.classes_by_name import (
    ON_ALL_COLUMNS,
    ON_ONE_COLUMN,
    OPTIONS_OVER_SCHEMA,
    class_from_options,
    over_schema,
)
from privpac.classes.schemas.schema import Schema
from privpac.classes.shell_options import Option as ShellOption
from privpac.classes.shell_options import in_shell, options_of, parents_of
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.refusals.option_words import BoundKind, words_of
from privpac.refusals.refusal import Refused, Setting
from privpac.report.numbers import grouped

LABELS = {
    "low": "Least value",
    "high": "Largest value",
    "kind": "Kind of values",
    "step": "Distance between cuts",
    "zone": "Time zone",
    "direction": "A rule accepts",
    "k": "Most values in a rule",
    "s": "Most codes in a cell",
    "size": "Number of values",
    "height": "Most steps",
    "dim": "Dimension",
    "side": "Side of the grid",
    "part": "Columns, a line each",
    "pairs": "Tests in a line",
    "at_most": "Most equalities",
    "matrix": "Concepts, a line each",
    "parents": "Names, a line each",
}
# An example of a rule of each class, for people who do not know its name. The most common classes come first.
EXAMPLE_RULES = {
    "thresholds": "age ≥ 65",
    "points": "ward = A",
    "sparse-sets": "ward is one of A, C, F",
    "auto": "a tree or a scorecard over several columns, whichever suits the number of records",
    "trees": "if age ≥ 65, then whether ward = A; otherwise whether stay ≥ 3",
    "scorecards": "points for each finding, and a cut of their sum",
    "intervals": "18 ≤ age ≤ 64",
    "rectangles": "18 ≤ age ≤ 64 and 20 ≤ bmi ≤ 30",
    "starts-with": "the code starts with J4",
    "has-any": "the record has any of the codes I21, I22",
    "and": "age ≥ 65 and ward = A",
    "or": "age ≥ 65 or ward = A",
    "majority": "most of several tests hold",
    "equalities": "ward = A and sex = f, in columns not known before",
    "taxonomy": "a diagnosis and all below it in a tree, or all above it",
    "root-paths": "a folder and all folders that hold it",
    "ends-with": "the number ends with 07",
    "half-spaces": "2·age + 3·stay ≥ 150",
    "half-planes": "beyond a line on a map",
    "central-half-planes": "beyond a line through a given point",
    "marginals": "every combination of values of two columns",
    "explicit": "any rule that you list as a line of 0 and 1",
    "flats": "these bits agree, and that one is 0",
    "spider": "group = 7 and value ≥ 3",
}
FIRST_VALUES: dict[str, dict[str, str]] = {  # the values in the fields of a class before anyone types
    **{name: {"low": "0", "high": "120"} for name in ("thresholds", "intervals")},
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
    "explicit": {"matrix": "AA,DL,UA\n1,0,0\n1,1,0\n0,0,1"},
    "taxonomy": {"parents": "J10,J\nJ11,J\nK20,K\nJ,ICD\nK,ICD", "kind": "root_path"},
    **{name: {"height": "5"} for name in ("starts-with", "ends-with", "root-paths")},
    **{
        name: {"part": "age thresholds 0 120\nward points A,B,C"}
        for name in ("and", "or", "majority", "auto", "trees", "scorecards", "marginals")
    },
}
PASTED_HINTS = {  # options that are files on the command line
    "matrix": "A first line may name the points. Also: JSON.",
    "parents": 'Each name and the one above it: J10,J. Also: JSON, {"J10": "J"}.',
}
SIDES = {"": "values on either side of the cut", "above": "values from the cut up", "below": "values below the cut"}
AS_BOUNDS = {"": "the kind of the bounds"}
ONE_OR_TWO = {"": "one", "yes": "one or two: age ≥ 40 and job ≠ clerk"}
TREE_RULES = {"root_path": "a name and all above it", "subtree": "a name and all below it"}
WHOLE = re.compile("-?[0-9]{1,18}")
PART_HINT = (
    "Ranges: age thresholds 0 110 step=10. Values: ward points A,B,C. Codes: icd starts-with J,K. Quote a name with "
    "spaces: 'length of stay'."
)
COLUMN_HINT = "Its name, as the table has it."
LONGEST_TEXT = 20_000  # bytes; it is a part of the address of a page


@dataclass(frozen=True)
class ChosenClass:
    """A class, its schema, and the columns x that its rules read; x is None if the class names them itself.

    Without a schema, x is the text of one field, which may hold several names with commas between them.
    """

    concept_class: ConceptClass
    x: list[str] | None
    schema: Schema | None = None


def class_editor(session: Session, values: FormValues) -> TypedTable | None:
    """The table of an explicit class, for people to edit by clicks; None for other classes."""
    explicit = _schema_and_class(session, values) == (None, "explicit")
    return TypedTable.read(values["matrix"], "matrix") if explicit else None


def as_stored(concept_class: ConceptClass, table: Any, column: Any) -> ConceptClass:
    """The class with names as the column stores them: typed names are text, and a column may hold whole numbers."""
    if not (isinstance(column, str) and _is_whole(table, column)):
        return concept_class
    if isinstance(concept_class, Taxonomy):
        pairs = [(_number(name), _number(above)) for name, above in concept_class.domain.pairs]
        return Taxonomy(pairs, concept_class.kind)
    if isinstance(concept_class, ExplicitClass):
        labels, points = concept_class.matrix_on(concept_class.all_points), map(_number, concept_class.all_points)
        return ExplicitClass(labels, points=points, concepts=concept_class.concepts)
    return concept_class


def stored_name(name: str, table: Any, column: str) -> Any:
    """A typed name as the column stores it: text, or a whole number."""
    return _number(name) if _is_whole(table, column) else name


def _is_whole(table: Any, column: str) -> bool:
    return column in table.columns and bool(table.schema()[column].is_integer())


def _number(name: Any) -> Any:
    return int(name) if isinstance(name, str) and WHOLE.fullmatch(name) else name


def class_fields(session: Session, values: FormValues, *, columns: bool = True) -> list[FormField]:
    """The fields of the form. With ``columns``, a field asks which column a rule reads, even without a schema."""
    fields = schema_field(session, values)
    schema, name = _schema_and_class(session, values)
    offered = {class_name: class_name for class_name in _offered_classes(schema)}
    hint = f"A rule looks like this: {EXAMPLE_RULES[name]}." if name in EXAMPLE_RULES else ""
    fields.append(FormField("Class of rules", "class", name, hint, offered, reloads=True))
    if schema is not None:
        if name in ON_ONE_COLUMN:
            names = {column.name: column.name for column in schema.columns}
            fields.append(FormField("Column the rule reads", "x", values.get("x", next(iter(names))), "", names))
        return fields + [_option_field(option, values, name) for option in OPTIONS_OVER_SCHEMA.get(name, ())]
    if columns and _names_a_column(name):
        several = " Several with commas between them." if name in ("rectangles", "half-planes") else ""
        fields.append(FormField("Column the rule reads", "x", values.get("x", ""), f"{COLUMN_HINT}{several}"))
    return fields + [_option_field(option, values, name) for option in options_of(in_shell()[name])]


def schema_field(session: Session, values: FormValues) -> list[FormField]:
    """The field that chooses a schema, if there is one."""
    if not session.schemas:
        return []
    offered = {"": "none: bounds below"} | {name: name for name in session.schemas}
    hint = "A schema declares the columns, their bounds, and the labels."
    return [FormField("Schema", "schema", schema_name(session, values), hint, offered, reloads=True)]


def _names_a_column(name: str) -> bool:
    """Whether the form asks which column the rules read; some classes name their columns themselves."""
    return "part" not in options_of(in_shell()[name]) and name != "equalities"


def chosen_class(session: Session, values: FormValues) -> ChosenClass:
    """The class that the fields describe."""
    schema, name = _schema_and_class(session, values)
    reads_x = schema is not None or _names_a_column(name)
    x = [values["x"].strip()] if reads_x and values.get("x", "").strip() else None
    names = OPTIONS_OVER_SCHEMA.get(name, ()) if schema is not None else options_of(in_shell()[name])
    texts = {option: (FIRST_VALUES.get(name, {}) | values).get(option, "").strip() for option in names}
    options = {option: _value(name, option, text) for option, text in texts.items() if text}
    if schema is None:
        pasted = name in ("explicit", "taxonomy")
        return ChosenClass(_pasted_class(name, options) if pasted else class_from_options(name, options), x)
    x = None if name in ON_ALL_COLUMNS else x
    concept_class = over_schema(schema, name, options, x)
    return ChosenClass(concept_class, None if concept_class.domain.column_names else x, schema)


def _pasted_class(name: str, options: dict[str, Any]) -> ConceptClass:
    """An explicit class or a taxonomy, from the text in its field."""
    field = "matrix" if name == "explicit" else "parents"
    text = options.get(field, "")
    if len(text.encode()) > LONGEST_TEXT:
        most = f" may have at most {grouped(LONGEST_TEXT)} bytes here; the commands take a file of any size"
        raise Refused(field, Setting(field), f"{most}: --class {name} --{field} FILE")
    if name == "explicit":
        return TypedTable.read(text, "matrix").concept_class("matrix")
    return Taxonomy(_parents(text), options.get("kind", "root_path"))


def _parents(text: str) -> Any:
    """Names and those above them, from lines or from JSON."""
    if text.split() in ([], ["{}"], ["{", "}"]):
        raise Refused("parents", Setting("parents"), " needs a line for each name and the one above it, such as J10,J")
    if not text.lstrip().startswith("{"):
        return parents_of(text, "the taxonomy")
    try:
        pairs = json.loads(text, object_pairs_hook=list)  # a list keeps a name that occurs twice
    except (ValueError, RecursionError):
        raise Refused("parents", 'this is not JSON; write {"J10": "J", "J11": "J"}') from None
    if not all(isinstance(above, str | None) for _, above in pairs):
        raise Refused("parents", 'each name needs the one above it, as text: {"J10": "J", "J": null}')
    return pairs


def _schema_and_class(session: Session, values: FormValues) -> tuple[Schema | None, str]:
    """The schema and the name of the class; the first one until someone chooses."""
    schema, name = session.schema(schema_name(session, values)), values.get("class", "")
    offered = _offered_classes(schema)
    return schema, name if name in offered else offered[0]


def schema_name(session: Session, values: FormValues) -> str:
    """The schema that a form names, "" for none; until someone chooses, the only one, if there is just one."""
    return values.get("schema", next(iter(session.schemas)) if len(session.schemas) == 1 else "")


def _offered_classes(schema: Schema | None) -> list[str]:
    """The classes that a form can describe: with a schema, those about its columns; otherwise all."""
    order = list(EXAMPLE_RULES)
    return [*ON_ALL_COLUMNS, *ON_ONE_COLUMN] if schema is not None else sorted(in_shell(), key=order.index)


def _annotation(class_type: type[ConceptClass], name: str) -> tuple[Any, ShellOption]:
    """The type of a class's option, and the option of the command line with its help text."""
    option_type, shell_option = get_args(get_type_hints(class_type.from_shell, include_extras=True)[name])
    return option_type, shell_option


def _option_field(name: str, values: FormValues, class_name: str) -> FormField:
    class_type = in_shell()[class_name]
    label = LABELS.get(name, name.replace("_", " ").capitalize())
    value = values.get(name, FIRST_VALUES.get(class_name, {}).get(name, ""))
    if name in PASTED_HINTS:
        text = after_click(value.replace("\r", ""), values.get("draw", "")) if name == "matrix" else value
        return FormField(label, name, text, PASTED_HINTS[name], lines=8, loads=True)
    if (class_name, name) == ("taxonomy", "kind"):
        return FormField("A rule accepts", name, value if value in TREE_RULES else "root_path", "", TREE_RULES)
    value = "" if name == "kind" and value in TREE_RULES else value  # the value may come from the form of a taxonomy
    if name in ("kind", "direction"):
        choices = SIDES if name == "direction" else AS_BOUNDS | {word: word for word in words_of(BoundKind)}
        return FormField(label, name, value, "", choices, rare=True)
    if name == "pairs":
        return FormField(label, name, value if value in ONE_OR_TWO else "", "", ONE_OR_TWO)
    needed = options_of(class_type)[name] or name in FIRST_VALUES.get(class_name, {})
    hint = PART_HINT if name == "part" else _annotation(class_type, name)[1].help
    hint = "" if name in ("low", "high") and needed else hint  # required bounds are clear without a hint
    return FormField(label, name, value, hint, lines=5 if name == "part" else 0, rare=not needed)


def _value(class_name: str, name: str, text: str) -> Any:
    """The text of an option as a value of its type."""
    type_or_none, _ = _annotation(in_shell()[class_name], name)
    option_type = next(member for member in get_args(type_or_none) if member is not type(None))
    if option_type in (int, float):
        try:
            return option_type(text)
        except ValueError:
            raise Refused(name, Setting(name), " must be a number") from None
    if option_type is bool:
        return text == "yes"
    return [line for line in text.splitlines() if line.strip()] if get_origin(option_type) is list else text
