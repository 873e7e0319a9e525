"""Classes as people describe them: by a name and its options, over bounds or over the columns of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from privpac.classes.compositions.compose import And
from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.trees import Trees, typed_depth
from privpac.classes.schemas.schema import Column, Schema
from privpac.classes.shell_options import in_shell, options_of
from privpac.classes.values.points import Points
from privpac.refusals.refusal import LEAVE, Part, Refusal, Refused, Setting, Sketch, parts_of, refusal_about
from privpac.refusals.suggestions import did_you_mean

ON_ONE_COLUMN = ("thresholds", "intervals", "points", "sparse-sets", "starts-with", "ends-with", "root-paths")
ON_ALL_COLUMNS = ("auto", "trees", "scorecards")
DECLARED = ("low", "high", "kind", "step", "size", "separator", "height", "part")  # options that a schema replaces
UNNAMED = (
    "name the class of rules, ",
    Setting.to("class_name", "thresholds"),
    ", or declare all columns in a schema, ",
    Setting.to("schema", "schema.toml"),
)


def built(name: str | None, options: Mapping[str, Any], spelled: Callable[[str], str] = str) -> ConceptClass:
    """The class; Refused if an option is missing, misplaced, or wrong.

    ``spelled`` gives the option that corresponds to a parameter of the class.

    >>> built("thresholds", {"low": "0", "high": "2^64-1", "direction": "above"}).size
    18446744073709551617
    """
    kinds = in_shell()
    if name is None:
        raise Refused("class_name", *UNNAMED)
    if name not in kinds:
        advice = did_you_mean(name, kinds) or f"; choose one of {', '.join(kinds)}"
        raise Refused("class_name", f"there is no class {name!r}{advice}")
    kind, options = kinds[name], dict(options)
    taken = options_of(kind)
    if idle := [each for each in options if each not in taken]:
        about = f" does not apply to the class {name}; its options are "
        raise Refused(idle[0], Setting(idle[0]), about, *_settings(taken))
    if missing := [each for each, needed in taken.items() if needed and each not in options]:
        if missing != ["part"]:
            raise Refused(missing[0], f"the class {name} needs ", *_settings(missing))
        options["part"] = []
    try:
        return kind.from_shell(**options)
    except (TypeError, ValueError) as error:  # bad input, such as bounds of two kinds
        wrong = spelled(error.parameter) if isinstance(error, Refusal) else "class_name"
        raise Refused(wrong if wrong in taken else "class_name", *parts_of(error)) from None


def over_schema(
    schema: Schema, name: str, options: Mapping[str, Any], x: list[str] | None, spelled: Callable[[str], str] = str
) -> ConceptClass:
    """The class over the columns of a schema, or over its column ``x``."""
    if twice := [each for each in options if each in DECLARED]:
        raise Refused(twice[0], Setting(twice[0]), LEAVE)
    if name in ON_ALL_COLUMNS:
        if x:
            raise Refused("x", f"{_rules(name)} read all columns of the schema; leave out ", Setting("x"))
        return _over_all(name, schema, options)
    if name not in ON_ONE_COLUMN:
        taking = ", ".join([*ON_ALL_COLUMNS, *ON_ONE_COLUMN])
        raise Refused("class_name", f"with a schema, choose one of {taking}; for other classes, leave out the schema")
    if not x or len(x) != 1:
        raise Refused("x", "the rule reads 1 column of the schema; name it: ", Setting.to("feature", Sketch("name")))
    try:
        column = schema.column(x[0])
    except Refused as error:
        raise refusal_about(error, "x") from None
    return _on_one(name, column, options, spelled)


def columns_read(concept_class: ConceptClass, x: list[str] | None) -> str | list[str] | tuple[()]:
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


def readers(column: Column) -> list[str]:
    """The classes of rules about one column that read this one."""
    if column.ordered:
        return ["thresholds", "intervals"]
    if column.categories is not None:
        return ["points", "sparse-sets"]
    return ["points", "sparse-sets", *(["starts-with", "ends-with", "root-paths"] if column.kind == "code" else [])]


def names_in(text: str, parameter: str) -> list[str]:
    """The names of the columns.

    >>> names_in("carrier, origin", "columns")
    ['carrier', 'origin']
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        takes = " takes names of different columns, separated by commas: carrier,origin"
        raise Refused(parameter, Setting(parameter), takes)
    return names


def columns_of(text: str) -> list[str]:
    """The columns to count by, beside which a column of counts has a name of its own."""
    names = names_in(text, "by")
    if "records" in names:
        raise Refused("by", "the counts are called records; rename the column that is called records, too")
    return names


def combinations(names: list[str]) -> ConceptClass:
    """The queries about one value of each column.

    >>> combinations(["carrier", "origin"]).domain.column_names
    ('carrier', 'origin')
    """
    parts = [Points().on(name) for name in names]
    return parts[0] if len(parts) == 1 else And(*parts)


def _settings(names: Iterable[str]) -> tuple[Part, ...]:
    """The options, separated by commas."""
    return tuple(part for name in names for part in (", ", Setting(name)))[1:]


def _over_all(name: str, schema: Schema, options: Mapping[str, Any]) -> ConceptClass:
    """A class of tests on all columns that have some."""
    if idle := [each for each in options if name != "trees" or each != "depth"]:
        raise Refused(
            idle[0], Setting(idle[0]), f" does not apply to {_rules(name)} over the columns of a schema; leave it out"
        )
    if name == "auto":
        return schema.auto()
    return schema.scorecards() if name == "scorecards" else schema.trees(depth=typed_depth(options.get("depth")))


def _rules(name: str) -> str:
    return "trees and scorecards" if name == "auto" else name


def _on_one(name: str, column: Column, options: Mapping[str, Any], spelled: Callable[[str], str]) -> ConceptClass:
    """A class on the values of one declared column."""
    if name not in (fitting := readers(column)):
        choose = " or ".join(fitting)
        raise Refused("class_name", f"{name} do not read the column {column.name!r} as it is declared; choose {choose}")
    if column.missing and name != "thresholds":
        trees = Setting.to("class_name", "trees")
        raise Refused(
            "x", f"entries of {column.name!r} may be missing, and {name} have no rule for that; learn trees, ", trees
        )
    taken = options_of(in_shell()[name])
    declared = {each: value for each, value in column.options.items() if each in taken}
    concept_class = built(name, {**options, **declared}, spelled)
    if column.missing:  # trees of depth 1 are cuts that also choose a label for missing entries
        return Trees(concept_class.on(column.name, missing=True, na=column.na), depth=1)
    return concept_class if column.categories is None else concept_class.among(column.categories)
