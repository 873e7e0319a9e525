"""Classes as people describe them: by a name and its options, over bounds or over the columns of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from privpac.classes.compositions.compose import And
from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.trees import Trees, typed_depth
from privpac.classes.schemas.schema import Column, Schema
from privpac.classes.shell_options import in_shell, options_of
from privpac.classes.values.points import Points
from privpac.refusals.absent_names import did_you_mean
from privpac.refusals.refusal import IN_SCHEMA, Part, Refusal, Refused, Setting, Sketch, parts_of, refusal_about

ON_ONE_COLUMN = ("thresholds", "intervals", "points", "sparse-sets", "starts-with", "ends-with", "root-paths")
ON_ALL_COLUMNS = ("auto", "trees", "scorecards")
OPTIONS_OVER_SCHEMA = {"trees": ("depth",), "scorecards": ("pairs",)}  # of the classes that read all columns
DECLARED = ("low", "high", "kind", "step", "size", "separator", "height", "part")  # options that a schema replaces
UNNAMED = (
    "name the class of rules, ",
    Setting.to("class_name", "thresholds"),
    ", or declare all columns in a schema, ",
    Setting.to("schema", "schema.toml"),
)


def class_from_options(
    name: str | None, options: Mapping[str, Any], option_of: Callable[[str], str] = str
) -> ConceptClass:
    """The class of this name with these options; Refused if an option is missing, misplaced, or wrong.

    ``option_of`` gives the option that sets a parameter of the class.
    """
    kinds = in_shell()
    if name is None:
        raise Refused("class_name", *UNNAMED)
    if name not in kinds:
        advice = did_you_mean(name, kinds) or f"; choose one of {', '.join(kinds)}"
        raise Refused("class_name", f"there is no class {name!r}{advice}")
    kind, options = kinds[name], dict(options)
    class_options = options_of(kind)
    if foreign := [option for option in options if option not in class_options]:
        about = f" does not apply to the class {name}; its options are "
        raise Refused(foreign[0], Setting(foreign[0]), about, *_settings(class_options))
    if missing := [option for option, needed in class_options.items() if needed and option not in options]:
        if missing != ["part"]:
            raise Refused(missing[0], f"the class {name} needs ", *_settings(missing))
        options["part"] = []
    try:
        return kind.from_shell(**options)
    except (TypeError, ValueError) as error:  # bad input, such as bounds of two kinds
        wrong = option_of(error.parameter) if isinstance(error, Refusal) else "class_name"
        raise Refused(wrong if wrong in class_options else "class_name", *parts_of(error)) from None


def over_schema(
    schema: Schema,
    name: str,
    options: Mapping[str, Any],
    x: list[str] | None,
    option_of: Callable[[str], str] = str,
    *,
    distribution: bool = False,
) -> ConceptClass:
    """The class over the columns of a schema, or over its column ``x``.

    With ``distribution``, its members are queries about the distribution of the column, not rules to be learned.
    """
    if repeated := [option for option in options if option in DECLARED]:
        raise Refused(repeated[0], Setting(repeated[0]), IN_SCHEMA)
    if name in ON_ALL_COLUMNS:
        if x:
            raise Refused("x", f"{_rules(name)} read all columns of the schema; leave out ", Setting("x"))
        return _over_all(name, schema, options)
    if name not in ON_ONE_COLUMN:
        choices = ", ".join([*ON_ALL_COLUMNS, *ON_ONE_COLUMN])
        raise Refused("class_name", f"with a schema, choose one of {choices}; for other classes, leave out the schema")
    if not x or len(x) != 1:
        raise Refused("x", "the rule reads 1 column of the schema; name it: ", Setting.to("feature", Sketch("name")))
    try:
        column = schema.column(x[0])
    except Refused as error:
        raise refusal_about(error, "x") from None
    if distribution and column.missing and column.ordered and name in classes_for(column):
        # As rules, thresholds on such a column become trees; as queries, they stay thresholds.
        queries = _on_one(name, replace(column, missing=False, na=()), options, option_of)
        return queries.on(column.name, missing=True, na=column.na)
    return _on_one(name, column, options, option_of)


def columns_read(concept_class: ConceptClass, x: list[str] | None) -> str | list[str] | tuple[()]:
    """The columns that a class reads, among those typed as ``x``; () if the class names its columns itself."""
    if concept_class.domain.column_names:
        if x:
            raise Refused("x", "the parts of the class already name their columns; leave out ", Setting("x"))
        return ()
    number = len(concept_class.domain.columns)
    names = x or []
    if len(names) == 1 < number:
        names = names[0].split(",")  # all names in one option
    if len(names) != number:
        if number == 1:
            raise Refused("x", "the rule reads 1 column; name it: ", Setting.to("feature", Sketch("name")))
        if number > 3:
            raise Refused("x", f"the rule reads {number} columns; list them: ", Setting.to("x", "A,B,C,…"))
        how = [part for name in "ABC"[:number] for part in (" ", Setting.to("x", name))]
        raise Refused("x", f"the rule reads {number} columns; name them:", *how)
    return names[0] if number == 1 else names


def classes_for(column: Column) -> list[str]:
    """The names of the classes of rules that can be learned about this column alone."""
    if column.ordered:
        return ["thresholds", "intervals"]
    if column.categories is not None:
        return ["points", "sparse-sets"]
    return ["points", "sparse-sets", *(["starts-with", "ends-with", "root-paths"] if column.kind == "code" else [])]


def names_in(text: str, parameter: str) -> list[str]:
    """The names of columns in a text, where commas separate them."""
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        takes = " takes names of different columns, separated by commas: carrier,origin"
        raise Refused(parameter, Setting(parameter), takes)
    return names


def grouping_columns(text: str) -> list[str]:
    """The names of the columns to count by; "records" is refused, because the counts have that name."""
    names = names_in(text, "by")
    if "records" in names:
        raise Refused("by", "the counts are called records; rename the column that is called records, too")
    return names


def combinations(names: list[str]) -> ConceptClass:
    """The queries that name one value of each column."""
    parts = [Points().on(name) for name in names]
    return parts[0] if len(parts) == 1 else And(*parts)


def _settings(names: Iterable[str]) -> tuple[Part, ...]:
    """The options, separated by commas."""
    return tuple(part for name in names for part in (", ", Setting(name)))[1:]


def _over_all(name: str, schema: Schema, options: Mapping[str, Any]) -> ConceptClass:
    """The class of this name over all columns that trees read."""
    if foreign := [option for option in options if option not in OPTIONS_OVER_SCHEMA.get(name, ())]:
        about = f" does not apply to {_rules(name)} over the columns of a schema; leave it out"
        raise Refused(foreign[0], Setting(foreign[0]), about)
    if name == "auto":
        return schema.auto()
    if name == "scorecards":
        return schema.scorecards(pairs=bool(options.get("pairs")))
    return schema.trees(depth=typed_depth(options.get("depth")))


def _rules(name: str) -> str:
    """What refusals call the rules of a class."""
    return "trees and scorecards" if name == "auto" else name


def _on_one(name: str, column: Column, options: Mapping[str, Any], option_of: Callable[[str], str]) -> ConceptClass:
    """The class of this name over one column."""
    if name not in (fitting := classes_for(column)):
        choose = " or ".join(fitting)
        raise Refused("class_name", f"{name} do not read the column {column.name!r} as it is declared; choose {choose}")
    if column.missing and name != "thresholds":
        why = f"entries of {column.name!r} may be missing, and {name} have no rule for that; learn trees, "
        raise Refused("x", why, Setting.to("class_name", "trees"))
    class_options = options_of(in_shell()[name])
    declared = {option: value for option, value in column.options.items() if option in class_options}
    concept_class = class_from_options(name, {**options, **declared}, option_of)
    if column.missing:  # a tree of depth 1 is a cut that also chooses a label for missing entries
        return Trees(concept_class.on(column.name, missing=True, na=column.na), depth=1)
    return concept_class if column.categories is None else concept_class.among(column.categories)
