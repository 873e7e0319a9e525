"""Hypotheses are values: frozen, readable, in JSON and back."""

import json
import math
from dataclasses import FrozenInstanceError
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.code_lists import Includes
from privpac.classes.values.hashes import InBucket, Keyed
from privpac.classes.values.missing_entries import IsMissing
from privpac.classes.values.points import OneOf
from privpac.classes.vectors.boxes import Box, Conjunction
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.classes.vectors.parities import Parity
from privpac.classes.vectors.subspaces import AffineSubspace


def test_a_constant_is_a_frozen_value():
    assert Constant(True) == Constant(True)
    assert Constant(True)([1, 2]).tolist() == [True, True]
    with pytest.raises(FrozenInstanceError):
        Constant(True).label = False


def test_json_round_trip():
    assert Hypothesis.from_json(Constant(False).to_json()) == Constant(False)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not JSON"),
        ("[1]", "not a privpac hypothesis"),
        ('{"label": true}', "not a privpac hypothesis"),
        ('{"hypothesis": "Constant", "label": true}', "another format"),
        ('{"privpac": 2, "hypothesis": "Constant", "label": true}', "another format"),
        ('{"privpac": 1, "hypothesis": "Popen", "label": true}', "unknown to this version"),
        ('{"privpac": 1, "hypothesis": "Constant"}', "unknown to this version"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": true, "more": 1}', "unknown to this version"),
        ('{"privpac": 1, "hypothesis": ["Constant"], "label": true}', "unknown to this version"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": {"pickle": "x"}}', "not describe a Constant"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": "yes"}', "not describe a Constant"),
    ],
)
def test_foreign_json_is_refused(text, match):
    with pytest.raises(ValueError, match=match):
        Hypothesis.from_json(text)


SECRET = "987654321"
ONE_OF_EACH = [
    Constant(True),
    Includes(frozenset(["J10"]), ";"),
    Threshold(37),
    Interval(3, 5),
    Box((1, None), (2, 3)),
    Conjunction(3, (0,), (2,)),
    Parity(3, (0, 2)),
    HalfSpace((3, -2), 5),
    AffineSubspace(5, (3, 1), ((2, 4),)),
    OneOf(frozenset(["EV"])),
    IsMissing(("NA",)),
    InBucket(key=12345, a=678, b=9, buckets=40, bucket=17),
    Keyed(a=3, b=1, p=7, k=2),
    GroupFrom("Boeing", 1998),
    OnPath(("usr", "lib"), "/"),
    HasPrefix("J10", None),
    HasSuffix("JB", None),
    AtOrAbove(("J", "J10")),
    AtOrBelow("J", frozenset(["J10"])),
    Listed(("a", "b"), (True, False)),
    ColumnRule(Threshold(37), "delay"),
    Composed("or", (False, True, True, True), (Threshold(37), Threshold(3, above=False))),
    Split(Threshold(37), Split(OneOf(frozenset([40])), Constant(True), Constant(False)), Constant(False)),
    Scorecard((Threshold(37), Threshold(3, above=False)), (2, -1), 1),
    Answer("late"),
    LabelSplit(Threshold(37), Answer("late"), LabelSplit(Threshold(3), Answer("early"), Answer("on time"))),
]
WRONG = [
    *[None, True, 0, -1, 1, 2**70, 0.5, math.nan, "", "and", SECRET, [], [1], [None], {}, {"a": 1}, {"hypothesis": 5}],
    *[
        {kind: content}
        for kind in ("date", "tuple", "set", "bytes", "datetime64", "x")
        for content in (5, None, "@", [])
    ],
    *[{"float": content} for content in (None, SECRET, "nan", [1])],
    *[{"decimal": content} for content in ("abc", "sNaN", "Infinity", [0, [1], 2])],
    *[{"fraction": content} for content in ("1/0", SECRET, 0.5)],
    *[{"datetime64": content} for content in (["2020", "@@"], [SECRET], ["NaT", "D"], [5, "D"])],
    *[{"tuple": content} for content in ([], [1], [1, 1], ["a", None], [{"tuple": []}], [[1]], [True] * 3)],
    *[{"set": content} for content in ([], [{"decimal": "sNaN"}], [{"set": [1]}])],
    {"hypothesis": "Constant", "label": True},
    {"hypothesis": "Constant"},
    [{"hypothesis": "Constant", "label": True}],
    [{"hypothesis": "Constant", "label": True}, 1],
]


def test_there_is_one_of_each():
    assert {type(h) for h in ONE_OF_EACH} == {
        cls for cls in Hypothesis._by_name.values() if cls.__module__.startswith("privpac.")
    }


@pytest.mark.parametrize("h", ONE_OF_EACH, ids=lambda h: type(h).__name__)
def test_any_json_is_a_hypothesis_that_reads_and_writes_or_a_value_error(h):
    """Every field of every hypothesis, with every wrong value."""
    whole = json.loads(h.to_json())
    for part, wrong in product(whole.keys() - {"privpac", "hypothesis"}, WRONG):
        try:
            found = Hypothesis.from_json(json.dumps(whole | {part: wrong}))
        except ValueError as error:
            never_written = isinstance(wrong, float) and not math.isfinite(wrong)
            told = "not JSON as privpac writes it" if never_written else f"not describe a {type(h).__name__}"
            assert told in str(error)
        else:
            again = Hypothesis.from_json(found.to_json())
            assert again == found or repr(again) == repr(found)  # not a number equals nothing
            assert isinstance(hash(found), int)
            str(found).encode()


@pytest.mark.parametrize(
    "text",
    [
        None,
        5,
        b"\xff\xfe\xfa",
        '{"privpac": 1, "hypothesis": "Threshold", "above": true, "cut": ' + "9" * 5000 + "}",
        "[" * 10**5,
        '{"privpac": 1, "hypothesis": "Constant", "label": ' + '{"tuple": [' * 400 + "]}" * 400 + "}",
        '{"privpac": 1, "hypothesis": "ColumnRule", "column": 0, "part": '
        + '{"hypothesis": "ColumnRule", "column": 0, "part": ' * 900
        + '{"hypothesis": "Constant", "label": true}'
        + "}" * 901,
    ],
)
def test_json_that_cannot_be_read_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"not JSON|not describe"):
        Hypothesis.from_json(text)


def test_a_second_hypothesis_of_a_name_is_refused():
    with pytest.raises(TypeError, match="called Constant already"):
        type("Constant", (Hypothesis,), {})
    assert Hypothesis.from_json(Constant(True).to_json()) == Constant(True)


def test_a_hypothesis_without_fields_of_a_dataclass_is_unknown_to_json():
    type("Unknown", (Hypothesis,), {"__call__": lambda self, column: None, "sentence": lambda self, x="x": x})
    with pytest.raises(ValueError, match="unknown to this version"):
        Hypothesis.from_json('{"privpac": 1, "hypothesis": "Unknown"}')
    del Hypothesis._by_name["Unknown"]


@pytest.mark.parametrize(
    "table",
    [
        {"x": [0, 1, 2], "y": [0, 1, 2]},
        pd.DataFrame({"x": [0, 1, 2], "y": [0, 1, 2]}),
        pl.DataFrame({"x": [0, 1, 2], "y": [0, 1, 2]}),
        [(0, 0), (1, 1), (2, 2)],
        np.array([[0, 0], [1, 1], [2, 2]]),
        [0, 1, 2],
    ],
    ids=lambda table: type(table).__module__,
)
def test_a_constant_has_one_label_for_each_record(table):
    assert Constant(True)(table).tolist() == [True] * 3


def test_json_is_plain():
    assert json.loads(Constant(True).to_json()) == {"privpac": 1, "hypothesis": "Constant", "label": True}
