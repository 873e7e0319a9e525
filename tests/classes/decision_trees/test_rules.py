"""Decision trees as rules: labels, simplification, JSON, and sentences that mean what the tree does."""

import json
import random
import re

import pytest

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import DEEPEST, Split, implied_outcome, simplified
from privpac.classes.decision_trees.sentences import denial
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.picture_shapes import DrawnTree, Pills
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.points import OneOf
from tests.classes.definitions import assert_comes_back

ON, OFF = Constant(True), Constant(False)
AGE, HOURS = (lambda cut, name=name: ColumnRule(Threshold(cut), name) for name in ("age", "hours"))
TEXTS = ("", "J", "J1", "J10", "J101", "K", "1", "01", None)


def job(*values):
    return ColumnRule(OneOf(frozenset(values)), "job")


def grown(rng, test, depth):
    if depth == 0 or rng.random() < 0.15:
        return Constant(rng.random() < 0.5)
    return Split(test(rng), grown(rng, test, depth - 1), grown(rng, test, depth - 1))


def numeric(rng):
    """A test on columns of numbers, whose sentence Python can read."""
    kind = rng.randrange(4)
    if kind == 0:
        return job(*rng.sample(range(4), rng.choice((1, 1, 2))))
    return ColumnRule(Threshold(rng.randrange(6), above=rng.random() < 0.8), rng.choice(("age", "hours", "job")))


def textual(rng):
    kind = rng.randrange(6)
    some = [text for text in TEXTS if text is not None]
    part = [
        lambda: HasPrefix(rng.choice(some), None),
        lambda: HasSuffix(rng.choice(some), None),
        lambda: OneOf(frozenset(rng.sample(some, 2))),
        lambda: Threshold(rng.choice(some), above=rng.random() < 0.5),
        lambda: AtOrAbove(tuple(rng.sample(some, 2))),
        lambda: AtOrBelow("J", frozenset(["J1", "J10"])),
    ][kind]()
    return ColumnRule(part, "icd")


def by_definition(tree, record):
    while isinstance(tree, Split):
        tree = tree.yes if tree.test([record])[0] else tree.no
    return tree.label


GRID = [
    {"age": a, "hours": h, "job": j, "icd": t}
    for a in (*range(6), None)
    for h in (0, 2, 3, 5, None)
    for j in (*range(4), None)
    for t in ("J10",)
]
ICDS = [{"icd": text} for text in TEXTS]


@pytest.mark.slow
@pytest.mark.parametrize(("test", "rows"), [(numeric, GRID), (textual, ICDS)])
def test_labels_and_simplified_trees(test, rows):
    rng = random.Random(5)
    smaller = 0
    for _ in range(120):
        tree = grown(rng, test, 3)
        labels = tree(rows).tolist() if isinstance(tree, Split) else [tree.label] * len(rows)
        some = rng.sample(range(len(rows)), 5)
        assert [labels[i] for i in some] == [by_definition(tree, rows[i]) for i in some]
        short = simplified(tree)
        assert short(rows).tolist() == labels
        assert simplified(short) == short
        smaller += short != tree
        if isinstance(short, Constant):
            assert tree.constant is short.label and str(tree) == str(short)
    assert smaller > 40


def meaning(sentence):
    """A sentence about numbers as a Python expression: a reading that shares no code with the one that wrote it."""
    text = re.sub(r"is one of ([\d, ]*\d)", r"in (\1,)", sentence)
    text = re.sub(r"is none of ([\d, ]*\d)", r"not in (\1,)", text)
    text = re.sub(r"is neither (\d) nor (\d)", r"not in (\1, \2)", text)
    for sign, python in ((", or ", " or "), ("; or ", " or "), ("≥", ">="), ("≤", "<="), ("≠", "!="), (" = ", " == ")):
        text = text.replace(sign, python)
    return compile({"always": "True", "never": "False"}.get(text, text), "sentence", "eval")


@pytest.mark.audit
def test_sentences_mean_what_the_tree_does():
    rng = random.Random(8)
    rows = [row for row in GRID if None not in row.values()]
    for _ in range(300):
        tree = grown(rng, numeric, 3)
        code = meaning(str(tree))
        assert [bool(eval(code, dict(row))) for row in rows] == tree(rows).tolist(), str(tree)


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (Split(AGE(28), Split(job("clerk"), ON, OFF), OFF), "age ≥ 28 and job = clerk"),
        (Split(AGE(28), OFF, Split(job("clerk"), ON, OFF)), "age < 28 and job = clerk"),
        (Split(HOURS(32), Split(AGE(13), ON, OFF), OFF), "hours ≥ 32 and age ≥ 13"),
        (Split(job("a"), ON, Split(job("b"), ON, OFF)), "job is one of a, b"),
        (Split(job("a"), OFF, Split(job("b"), OFF, ON)), "job is neither a nor b"),
        (Split(AGE(18), Split(AGE(28), OFF, ON), OFF), "18 ≤ age < 28"),
        (Split(AGE(2), Split(AGE(5), ON, OFF), Split(HOURS(50), OFF, ON)), "age ≥ 5, or age < 2 and hours < 50"),
        (Split(AGE(4), OFF, Split(AGE(2), OFF, Split(HOURS(5), ON, OFF))), "age < 2 and hours ≥ 5"),
        (Split(AGE(4), Split(AGE(9), OFF, Split(AGE(6), ON, OFF)), OFF), "6 ≤ age < 9"),
        (Split(AGE(4), Split(AGE(9), OFF, Split(AGE(6), OFF, ON)), OFF), "4 ≤ age < 6"),
        (Split(AGE(18), Split(AGE(28), ON, OFF), ON), "age < 18 or age ≥ 28"),
        (Split(AGE(5), Split(AGE(3), ON, OFF), Split(AGE(7), ON, OFF)), "age ≥ 5"),
        (Split(AGE(7), ON, Split(AGE(5), ON, OFF)), "age ≥ 5"),
        (Split(AGE(7), Split(job("a"), ON, OFF), Split(job("a"), ON, OFF)), "job = a"),
        (Split(AGE(7), ON, ON), "always"),
        (
            Split(AGE(28), Split(job("a"), ON, Split(HOURS(9), ON, OFF)), Split(HOURS(40), ON, OFF)),
            "age ≥ 28 and (job = a or hours ≥ 9); or age < 28 and hours ≥ 40",
        ),
        (Split(Threshold(5), OFF, ON), "x < 5"),
        (
            Split(ColumnRule(OneOf(frozenset(["a and b"])), "job"), Split(AGE(3), ON, OFF), OFF),
            "(job = a and b) and age ≥ 3",
        ),
    ],
)
def test_sentences(tree, sentence):
    assert str(tree) == sentence


def test_names_of_bare_columns():
    assert Split(Threshold(5), OFF, Split(Threshold(3), OFF, ON)).sentence("age") == "age < 3"


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (Threshold("J", above=False), "x ≥ J"),
        (OneOf(frozenset()), "always"),
        (OneOf(frozenset([3])), "x ≠ 3"),
        (OneOf(frozenset([1, 2, 3])), "x is none of 1, 2, 3"),
        (HasPrefix("J10", None), "x does not start with J10"),
        (HasSuffix("JB", None), "x does not end with JB"),
        (OnPath(("usr", "lib"), "/"), "x does not lie on the path to usr/lib"),
        (OnPath((), "/"), "x is not the root"),
        (AtOrAbove(("J",)), "x ≠ J"),
        (AtOrAbove(("J", "J10")), "x is neither J10 nor above it"),
        (AtOrBelow("J", frozenset(["J10"])), "x is neither J nor below it"),
        (AtOrBelow("J", frozenset()), "x ≠ J"),
        (Interval(3, 5), "not (3 ≤ x ≤ 5)"),
        (ColumnRule(Interval(3, 5), 2), "not (3 ≤ column 2 ≤ 5)"),
    ],
)
def test_tests_that_do_not_hold(test, sentence):
    assert denial(test) == sentence


@pytest.mark.slow
def test_implied_outcomes_are_true_of_all_values():
    rng, seen = random.Random(3), set()
    values = [[(*range(6), None), numeric], [TEXTS, textual]]
    for entries, test in values:
        rows = [{"age": v, "hours": v, "job": v, "icd": v} for v in entries]
        for _ in range(1500):
            one, other, held = test(rng), test(rng), rng.random() < 0.5
            outcome = implied_outcome(one, other, held)
            seen.add(outcome)
            if outcome is not None:
                there = other(rows) == held
                assert (one(rows)[there] == outcome).all(), (one, other, held)
    assert seen == {None, False, True}


def test_cuts_of_different_kinds_are_not_compared():
    assert implied_outcome(Threshold("J"), Threshold(3), True) is None
    assert implied_outcome(Threshold(3), OneOf(frozenset(["J"])), True) is None
    assert implied_outcome(Threshold(2.5), Threshold(3), True) is True
    assert implied_outcome(HasPrefix(("J",), "/"), HasPrefix("J", None), True) is None
    assert implied_outcome(HasPrefix("J", None), HasSuffix("J", None), True) is None


def test_json():
    tree = Split(AGE(28), Split(job("clerk", 3), ON, OFF), Split(HOURS(9), OFF, ON))
    assert_comes_back(tree)
    plain = json.loads(tree.to_json())
    for change in (
        {"yes": plain["test"]},  # a test where a branch belongs
        {"test": {key: value for key, value in plain.items() if key != "privpac"}},  # a tree where a test belongs
        {"no": True},
        {"no": [plain["no"]]},
        {"yes": {"hypothesis": "Constant", "label": 1}},
        {"also": 3},
    ):
        with pytest.raises(ValueError, match=r"JSON"):
            Hypothesis.from_json(json.dumps(plain | change))


def nested(depth):
    opened = '"hypothesis": "Split", "test": {"hypothesis": "Threshold", "cut": 3, "above": true}, "yes": '
    closed = ', "no": {"hypothesis": "Constant", "label": false}}'
    leaf = '{"hypothesis": "Constant", "label": true}'
    return '{"privpac": 1, ' + opened + ("{" + opened) * (depth - 1) + leaf + closed * depth


def test_deep_json_is_refused():
    assert Hypothesis.from_json(nested(DEEPEST)).depth == DEEPEST
    for depth in (DEEPEST + 1, 200, 10**4):
        with pytest.raises(ValueError, match="JSON"):
            Hypothesis.from_json(nested(depth))


def test_what_is_not_a_tree_is_refused():
    with pytest.raises(TypeError, match="not itself a tree"):
        Split(Split(AGE(3), ON, OFF), ON, OFF)
    with pytest.raises(TypeError, match="branch"):
        Split(AGE(3), AGE(4), OFF)
    with pytest.raises(TypeError):
        Split(AGE(3), ON, False)


def test_trees_inside_compositions():
    tree = Split(AGE(5), Split(HOURS(3), ON, OFF), OFF)
    both = Composed("or", (False, True, True, True), (tree, job(1)))
    assert str(both) == "(age ≥ 5 and hours ≥ 3) or job = 1"
    rows = [{"age": 5, "hours": 3, "job": 0}, {"age": 5, "hours": 2, "job": 1}, {"age": 4, "hours": 3, "job": 0}]
    assert both(rows).tolist() == [True, True, False]


def test_drawings_show_the_simplified_tree():
    tree = Split(AGE(28), Split(AGE(3), Split(job("a"), ON, OFF), ON), OFF)
    assert tree.drawing(None, ()) == (DrawnTree("age ≥ 28", DrawnTree("job = a", True, False), False),)
    assert Split(AGE(28), ON, ON).drawing(None, ()) == (Pills((("every record", True),)),)
