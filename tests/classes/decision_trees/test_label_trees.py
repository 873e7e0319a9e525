"""Trees with several labels as values: what they answer, how they read, and what is refused."""

import numpy as np
import pytest

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split, answer_is, simplified
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from tests.grid import over

LONG, WIDE = ColumnRule(Threshold(5), "length"), ColumnRule(Threshold(2), "width")
RULE = LabelSplit(LONG, LabelSplit(WIDE, Answer("c"), Answer("b")), Answer("a"))
TABLE = {"length": [1, 5, 9, None, 9], "width": [9, 1, 2, 9, None]}


def test_missing_values_pass_no_test():
    assert RULE(TABLE).tolist() == ["a", "b", "c", "a", "b"]
    assert RULE.answers == ("c", "b", "a") and RULE.constant is None and RULE.depth == 2


def test_each_label_against_the_rest_is_a_boolean_rule():
    for label in "abc":
        assert answer_is(RULE, label)(TABLE).tolist() == [each == label for each in RULE(TABLE)]
    assert answer_is(RULE, "d") == Constant(False)


def test_sentences_name_every_label():
    assert str(RULE) == "a if length < 5; c if length ≥ 5 and width ≥ 2; otherwise b"
    assert RULE.sentence() == str(RULE)
    assert str(LabelSplit(LONG, Answer("a"), Answer("a"))) == "always a"


def test_simplified_trees_answer_the_same():
    deep = LabelSplit(LONG, LabelSplit(LONG, RULE, Answer("d")), LabelSplit(WIDE, Answer("a"), Answer("a")))
    short = simplified(deep)
    assert short == RULE and deep(TABLE).tolist() == short(TABLE).tolist()


@over("labels", [("a", "b", "c"), (1, 2, 3), ((1, 2), "x", 2.5)])
def test_numbers_become_labels(labels):
    numbered = LabelSplit(LONG, LabelSplit(WIDE, Answer(2), Answer(1)), Answer(0))
    rule = numbered.with_answers(labels)
    assert rule(TABLE).tolist() == [labels[each] for each in numbered(TABLE)]
    assert pp.Hypothesis.from_json(rule.to_json()) == rule
    assert Constant(True).with_answers(labels) == Constant(True)


def test_leaves_are_of_one_kind():
    for split, leaf in ((LabelSplit, Constant(True)), (Split, Answer("a"))):
        with pytest.raises(TypeError, match="a branch must be"):
            split(LONG, leaf, leaf)
    with pytest.raises(TypeError, match="a branch must be"):
        Split(LONG, RULE, Constant(True))
    with pytest.raises(TypeError, match="not itself a tree"):
        LabelSplit(RULE, Answer("a"), Answer("b"))


def test_pictures_have_a_leaf_for_each_label():
    (drawn,) = RULE.drawing(None, ())
    assert (drawn.no, drawn.yes.yes, drawn.yes.no) == ("a", "c", "b")
    (one,) = Answer("a").drawing(None, ())
    assert "a" in one.entries[0][0]


def test_sql_and_python_give_the_same_labels():
    assert RULE.to_sql() == (
        """CASE WHEN "length" >= 5 THEN CASE WHEN "width" >= 2 THEN 'c' ELSE 'b' END ELSE 'a' END"""
    )
    space = {}
    exec(RULE.to_python(), space)
    rows = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
    assert [space["rule"](row) for row in rows] == RULE(TABLE).tolist()


def test_models_refuse_labels_that_are_not_declared():
    model = {
        "domain": pp.Trees(pp.Thresholds(0, 9).on("length"), pp.Thresholds(0, 9).on("width")).domain,
        "feature": None, "records": 10, "learner": "x", "certificate": pp.Certificate(pp.Budget(1)),
    }  # fmt: skip
    assert pp.Model(RULE, classes=("a", "b", "c"), **model).several
    for rule, classes in ((RULE, ("a", "b")), (RULE, ("a", "b", "d")), (LONG, ("a", "b", "c")), (RULE, ("a",))):
        with pytest.raises(ValueError, match="a rule must answer labels of classes"):
            pp.Model(rule, classes=classes, **model)


def test_releases_and_compositions_take_boolean_rules_only():
    release = pp.PrivateRelease(
        pp.Marginals(*(pp.Thresholds(0, 9, direction="above").on(c) for c in ("length", "width"))), epsilon=1
    )
    release.fit({"length": np.arange(100) % 10, "width": np.arange(100) // 10})
    with pytest.raises((ValueError, TypeError)):
        release.answer(RULE)
