"""Classes as people describe them: by name and options, over bounds or over a schema."""

import pytest

from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.schemas.classes_by_name import (
    class_from_options,
    classes_for,
    columns_read,
    combinations,
    grouping_columns,
    over_schema,
)
from privpac.classes.schemas.schema import Schema

SCHEMA = Schema.parse("""
[columns.age]
kind = "integer"
low = 0
high = 120
[columns.job]
kind = "category"
values = ["clerk", "nurse"]
[columns.icd]
kind = "code"
""")


def test_classes_over_bounds_and_over_a_schema_are_the_same():
    assert class_from_options("intervals", {"low": "0", "high": "120"}) == over_schema(SCHEMA, "intervals", {}, ["age"])
    assert over_schema(SCHEMA, "intervals", {}, ["age"]) == Intervals(0, 120)
    assert isinstance(over_schema(SCHEMA, "trees", {"depth": 1}, None), Trees)
    cards = over_schema(SCHEMA, "scorecards", {}, None), over_schema(SCHEMA, "scorecards", {"pairs": True}, None)
    assert all(isinstance(each, Scorecards) for each in cards) and [each.pairs for each in cards] == [False, True]


def test_every_reader_reads_its_column():
    for column in SCHEMA.columns:
        for name in classes_for(column):
            given = {"k": 2} if name == "sparse-sets" else {}
            assert over_schema(SCHEMA, name, given, [column.name]) is not None


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: class_from_options(None, {}), "class_name"),
        (lambda: class_from_options("no such", {}), "class_name"),
        (lambda: class_from_options("intervals", {"low": "0"}), "high"),
        (lambda: class_from_options("points", {"low": "0"}), "low"),
        (lambda: class_from_options("intervals", {"low": "9", "high": "0"}), "low"),
        (lambda: over_schema(SCHEMA, "thresholds", {"low": "0"}, ["age"]), "low"),
        (lambda: over_schema(SCHEMA, "trees", {}, ["age"]), "x"),
        (lambda: over_schema(SCHEMA, "trees", {"k": 2}, None), "k"),
        (lambda: over_schema(SCHEMA, "thresholds", {}, None), "x"),
        (lambda: over_schema(SCHEMA, "thresholds", {}, ["nobody"]), "x"),
        (lambda: over_schema(SCHEMA, "thresholds", {}, ["job"]), "class_name"),
        (lambda: over_schema(SCHEMA, "half-planes", {}, ["age"]), "class_name"),
        (lambda: grouping_columns("a,,b"), "by"),
        (lambda: grouping_columns("a,a"), "by"),
        (lambda: columns_read(Thresholds(0, 9, direction="above"), ["a", "b"]), "x"),
        (lambda: columns_read(combinations(["a", "b"]), ["a"]), "x"),
    ],
)
def test_what_is_wrong_is_named(call, parameter):
    with pytest.raises(ValueError) as refused:
        call()
    assert refused.value.parameter == parameter


def test_the_columns_that_are_read():
    assert columns_read(Thresholds(0, 9, direction="above"), ["age"]) == "age"
    assert columns_read(class_from_options("half-planes", {"side": "5"}), ["x,y"]) == ["x", "y"]
    assert columns_read(combinations(["a", "b"]), None) == ()
