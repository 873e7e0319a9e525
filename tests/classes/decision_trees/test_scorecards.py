"""Scorecards: rules as sums of points, their smallest form, exports, and patterns by definition."""

import copy
import pickle
from itertools import product

import duckdb
import numpy as np
import pytest

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import MOST_POINTS, Scorecard, Scorecards, pair_of_tests, scorecard
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.picture_shapes import DrawnPoints, Pills
from privpac.classes.values.points import OneOf
from privpac.cli.class_options import ClassOptions
from tests.classes.definitions import assert_comes_back, assert_patterns
from tests.grid import over

AGE, OLD = ColumnRule(Threshold(40), "age"), ColumnRule(Threshold(60), "age")
CLERK = ColumnRule(OneOf(frozenset(["cl'erk"])), "job")
CARD = Scorecard((AGE, OLD, CLERK), (3, 1, -2), 2)
ROWS = [(age, job) for age in (39, 40, 60, None) for job in ("cl'erk", "nurse", None)]
TABLE = {"age": [age for age, _ in ROWS], "job": [job for _, job in ROWS]}


def points(age, job):
    """By definition."""
    grown = age is not None and age >= 40
    return 3 * grown + (age is not None and age >= 60) - 2 * (job == "cl'erk")


def test_points_add_up_and_missing_values_bring_none():
    assert CARD(TABLE).tolist() == [points(*row) >= 2 for row in ROWS]
    assert_comes_back(CARD)


@pytest.mark.slow
@over("enough", range(-4, 7))
def test_exports_agree_with_the_rule(enough):
    card = Scorecard(CARD.tests, CARD.points, enough)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (place INTEGER, age INTEGER, job VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, *row) for i, row in enumerate(ROWS)])
    found = connection.execute(f"SELECT {card.to_sql()} FROM t ORDER BY place").fetchall()
    labels = [points(*row) >= enough for row in ROWS]
    assert [bool(label) for (label,) in found] == labels == card(TABLE).tolist()
    names = {}
    exec(card.to_python(), names)
    assert [names["rule"]({"age": age, "job": job}) for age, job in ROWS] == labels
    negated = Split(card, Constant(False), Constant(True))
    found = connection.execute(f"SELECT {negated.to_sql()} FROM t ORDER BY place").fetchall()
    assert [not label for (label,) in found] == labels


def test_a_sentence_is_short():
    assert str(CARD) == "at least 2 points: age ≥ 40 +3, age ≥ 60 +1, job = cl'erk −2"
    many = Scorecard(tuple(Threshold(t) for t in range(9)), (1, 1, -4, 1, 5, 1, 1, 6, 1), -1)
    assert many.sentence("age") == "at least −1 points: age ≥ 2 −4, age ≥ 4 +5, age ≥ 7 +6, and 6 more tests"
    assert Scorecard((AGE, OLD), (1, 1), 1).sentence() == "at least 1 point: age ≥ 40 +1, age ≥ 60 +1"


def test_the_picture_is_a_table_of_all_points():
    assert CARD.drawing(None, []) == (DrawnPoints((("age ≥ 40", 3), ("age ≥ 60", 1), ("job = cl'erk", -2)), 2),)
    assert Scorecard((AGE,), (1,), 2).drawing(None, []) == (Pills((("every record", False),)),)


def test_constants_show():
    for enough, label in ((-2, True), (-1, None), (4, None), (5, False)):
        assert Scorecard(CARD.tests, CARD.points, enough).constant is label
    assert str(Scorecard(CARD.tests, CARD.points, 5)) == "never"


@pytest.mark.slow
@over("given", product(range(-4, 5), repeat=2))
@over("enough", range(-9, 10))
def test_the_smallest_form_is_the_same_rule(given, enough):
    table = {"age": [30, 50, 70], "job": ["x", "x", "cl'erk"]}
    small = scorecard([AGE, CLERK], list(given), enough)
    assert small(table).tolist() == Scorecard((AGE, CLERK), given, enough)(table).tolist()
    assert not isinstance(small, Scorecard) or (len(small.tests) == 2 and np.gcd(*small.points) == 1)


def test_what_is_no_scorecard_is_refused():
    for tests, given in (((), ()), ((AGE,), (1, 2)), ((AGE, OLD), (1,))):
        with pytest.raises(ValueError, match="points for each"):
            Scorecard(tests, given, 1)
    with pytest.raises(ValueError, match="add up to at most"):
        Scorecard((AGE,), (MOST_POINTS,), 1)
    with pytest.raises(TypeError):
        Scorecard((AGE,), (0.5,), 1)


@pytest.mark.audit
@over("T", range(1, 5))
def test_patterns_are_all_threshold_functions(T):
    """4, 14, 104 and 1882 of them, found by many more points than are needed."""
    cards = Scorecards(*(pp.Thresholds(0, 1, direction="above").on(i) for i in range(T)))
    assert cards.materialize().size == (4, 14, 104, 1882)[T - 1] <= cards.size
    if T < 4:
        linear = [
            lambda x, w=w, e=e: sum(a * b for a, b in zip(w, x, strict=True)) >= e
            for w in product(range(-4, 5), repeat=T)
            for e in range(-12, 14)
        ]
        assert_patterns(cards, linear, list(product((0, 1), repeat=T)))


def test_concepts_of_mixed_parts():
    cards = Scorecards(pp.Thresholds(0, 2, direction="above").on("age"), pp.Points().on("job", values=("a", "b")))
    rows = [{"age": age, "job": job} for age, job in product(range(3), "ab")]
    whole = cards.materialize()
    assert len(whole.all_points) == 6 and "at least" in str(list(whole.concepts)[-1])
    for h in whole.concepts:
        assert_comes_back(h)
        assert h(rows).tolist() == whole[h][whole.columns(whole.all_points)].tolist()
    with pytest.raises(ValueError, match="at most 4 tests"):
        Scorecards(pp.Thresholds(0, 9, direction="above")).materialize()


def test_values_sizes_and_refusals():
    cards = Scorecards(pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=["a", "b"]))
    assert cards == copy.deepcopy(cards) == pickle.loads(pickle.dumps(cards)) and "Scorecards(" in repr(cards)
    assert cards.size == 2**26 and Scorecards(pp.Points()).size == float("inf") and cards.known("VC") is None
    with pytest.raises(ValueError, match="at least one part"):
        Scorecards()
    with pytest.raises(ValueError, match="on every part or on none"):
        Scorecards(pp.Thresholds(0, 3, direction="above"), pp.Thresholds(0, 3, direction="above").on("age"))


def test_the_command_line_names_scorecards():
    built = ClassOptions("scorecards", {"part": ["age thresholds 0 120", "job points clerk,nurse"]}).build()
    assert built == Scorecards(
        pp.Thresholds(0, 120, direction="either").on("age"), pp.Points().on("job", values=("clerk", "nurse"))
    )
    with pytest.raises(ValueError, match="at least one part"):
        ClassOptions("scorecards", {}).build()


NEITHER, ONLY_SECOND, ONLY_FIRST, BOTH = np.eye(4, dtype=bool).tolist()
JUST_ONE = (False, True, True, False)
GROWN, SENIOR = (ColumnRule(Threshold(t), "age", missing=True) for t in (40, 60))
OFFICE = ColumnRule(OneOf(frozenset(["cl'erk"])), "job", missing=True)


@over("table", product((False, True), repeat=4))
def test_a_pair_is_a_function_of_two_tests(table):
    """Also where entries are missing, and in every language."""
    rows = {"age": [age for age, _ in ROWS], "job": [job for _, job in ROWS]}
    for first, second in ((GROWN, OFFICE), (GROWN, SENIOR), (SENIOR, GROWN), (OFFICE, SENIOR)):
        rule = pair_of_tests(table, first, second)
        expected = [table[2 * x + z] for x, z in zip(first(rows), second(rows), strict=True)]
        assert rule(rows).tolist() == expected
        assert_comes_back(rule)
        names = {}
        exec(rule.to_python(), names)
        assert [names["rule"]({"age": age, "job": job}) for age, job in ROWS] == expected


def test_a_pair_in_words():
    said = {
        "age ≥ 40 and job = cl'erk": (BOTH, AGE, CLERK),
        "age < 40 and job ≠ cl'erk": (NEITHER, AGE, CLERK),
        "exactly one of: age ≥ 40; job = cl'erk": (JUST_ONE, AGE, CLERK),
        "40 ≤ age < 60": (JUST_ONE, AGE, OLD),
        "age < 60 or age is missing": (NEITHER, SENIOR, ColumnRule(Threshold(70), "age", missing=True)),
    }
    for text, (table, first, second) in said.items():
        assert str(pair_of_tests(table, first, second)) == text


PAIR = pair_of_tests(ONLY_FIRST, AGE, CLERK)
WITH_PAIRS = Scorecard((OLD, PAIR, pair_of_tests(JUST_ONE, OLD, CLERK)), (1, 3, -2), 2)


def test_cards_of_pairs_say_where_a_pair_ends():
    said = "age ≥ 60 +1, (age ≥ 40 and job ≠ cl'erk) +3, (exactly one of: age ≥ 60; job = cl'erk) −2"
    assert str(WITH_PAIRS) == f"at least 2 points: {said}"
    assert_comes_back(WITH_PAIRS)


def test_one_pair_by_itself_is_a_rule():
    for pair in WITH_PAIRS.tests:
        assert scorecard([pair], [2], 1) == pair
        assert scorecard([pair], [-2], 0)(TABLE).tolist() == [not label for label in pair(TABLE)]
    assert str(scorecard([PAIR], [-1], 0)) == "age < 40 or job = cl'erk"


@pytest.mark.slow
def test_cards_of_pairs_in_sql_and_python():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (place INTEGER, age INTEGER, job VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, *row) for i, row in enumerate(ROWS)])
    for enough in range(-2, 5):
        card = Scorecard(WITH_PAIRS.tests, WITH_PAIRS.points, enough)
        found = connection.execute(f"SELECT {card.to_sql()} FROM t ORDER BY place").fetchall()
        names = {}
        exec(card.to_python(), names)
        labels = card(TABLE).tolist()
        assert [bool(label) for (label,) in found] == labels
        assert [names["rule"]({"age": age, "job": job}) for age, job in ROWS] == labels


def test_patterns_of_pairs():
    """Of two tests, all functions; of three, all but the parity and its negation, which need a triple."""
    bits = [pp.Thresholds(0, 1, direction="above").on(i) for i in range(4)]
    assert Scorecards(*bits[:2], pairs=True).materialize().size == 16 <= Scorecards(*bits[:2], pairs=True).size == 2**10
    assert Scorecards(*bits[:2]).materialize().size == 14
    with pytest.raises(ValueError, match="scorecards of pairs are listed for at most 3 tests"):
        Scorecards(*bits, pairs=True).materialize()


@pytest.mark.slow
def test_patterns_of_pairs_of_three_tests():
    cards = Scorecards(*(pp.Thresholds(0, 1, direction="above").on(i) for i in range(3)), pairs=True)
    whole, points = cards.materialize(), list(product((0, 1), repeat=3))
    assert whole.size == 254
    parity = tuple(sum(point) % 2 == 1 for point in points)
    patterns = {tuple(h(points).tolist()) for h in whole.concepts}
    assert len(patterns) == 254 and not {parity, tuple(not y for y in parity)} & patterns


def test_cards_of_pairs_are_another_class():
    parts = pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=["a", "b"])
    pairs = Scorecards(*parts, pairs=True)
    assert pairs != Scorecards(*parts) and repr(pairs).endswith(", pairs=True)") and pairs.size == 2 ** (15**2 + 1)
    assert pairs == copy.deepcopy(pairs) == pickle.loads(pickle.dumps(pairs))
    for wrong in (1, "yes", None):
        with pytest.raises(TypeError, match="pairs must be True or False"):
            Scorecards(*parts, pairs=wrong)
    built = ClassOptions("scorecards", {"part": ["age thresholds 0 3", "job points a,b"], "pairs": True}).build()
    assert built.pairs and not ClassOptions("scorecards", {"part": ["age thresholds 0 3"], "pairs": None}).build().pairs
