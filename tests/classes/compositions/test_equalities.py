"""Conjunctions of equalities: patterns by definition, JSON, pictures, source code, the command line, refusals."""

from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes.compositions.equalities import Equalities
from privpac.classes.hypothesis import Constant
from privpac.classes.picture_shapes import Pills, Title, Word
from privpac.cli.class_options import ClassOptions
from tests.classes.definitions import assert_comes_back, rows_of
from tests.grid import over

FLIGHTS = Equalities("carrier", "origin", at_most=2)


def conjunctions(c, j, values):
    """By definition: the row has these values in these columns."""
    for i in range(j + 1):
        for places, wanted in product(combinations(range(c), i), product(values, repeat=i)):
            yield lambda row, places=places, wanted=wanted: all(
                row[p] == v for p, v in zip(places, wanted, strict=True)
            )


@pytest.mark.slow
@over("j", (1, 2, 3))
@over("seed", range(5))
def test_patterns_are_those_of_the_definition(j, seed):
    rng = np.random.default_rng(seed)
    rows = [tuple("abc"[v] for v in row) for row in rng.integers(0, 3, (5, 3))]
    H = Equalities("x", "y", "z", at_most=j)
    table = [dict(zip("xyz", row, strict=True)) for row in rows]
    found = [tuple(row) for row in H.patterns(table).tolist()]
    assert set(found) == rows_of(conjunctions(3, j, [*"abc", "unseen"]), rows)
    assert len(found) == len(set(found))
    for h, labels in zip(H.representatives(table), H.patterns(table), strict=True):
        assert h(table).tolist() == labels[: len(table)].tolist()


def test_rules_read_as_sentences_and_come_back_from_json():
    both, one = FLIGHTS.hypothesis({"origin": "JFK", "carrier": "EV"}), FLIGHTS.hypothesis({"origin": 3})
    assert [str(both), str(one), FLIGHTS.hypothesis({})] == [
        "carrier = EV and origin = JFK",
        "origin = 3",
        Constant(True),
    ]
    for rule in (both, one, FLIGHTS.hypothesis({})):
        assert_comes_back(rule)
    table = {"carrier": ["EV", "EV", None, "UA"], "origin": ["JFK", "LGA", "JFK", "JFK"]}
    assert both(table).tolist() == [True, False, False, False]
    assert both.to_sql() == """CASE WHEN "carrier" = 'EV' AND "origin" = 'JFK' THEN 1 ELSE 0 END"""
    assert "record['carrier']" in both.to_python()


def test_the_picture_shows_one_line_of_names_for_each_equality():
    rule, else_ = FLIGHTS.hypothesis({"carrier": "EV", "origin": "JFK"}), ("everything else", False)
    assert rule.drawing(FLIGHTS.domain, ["carrier", "origin"]) == (
        *(Title("carrier"), Pills((("EV", True), else_)), Word("and"), Title("origin"), Pills((("JFK", True), else_))),
    )


def test_equal_values_are_one_value():
    H = Equalities(0, at_most=1)
    assert H.hypothesis({0: True}) == H.hypothesis({0: 1.0}) and str(H.hypothesis({0: True})) == "column 0 = 1"
    assert len(H.patterns([(1,), (True,), (1.0,)])) == 2  # never, and always


def test_levels_and_sizes():
    assert Equalities(*range(20), at_most=3).levels == 20 + 190 + 1140
    assert FLIGHTS.size == np.inf and FLIGHTS.known("VC") is None
    assert [j for j, _ in Equalities(0, 1, 2, at_most=2).family().members] == [1, 2]


def test_the_command_line_names_columns():
    told = ClassOptions("equalities", {"columns": 'carrier, origin,"a,b"', "at_most": 2}).build()
    assert told == Equalities("carrier", "origin", "a,b", at_most=2)
    for wrong in ("", "carrier,,origin"):
        with pytest.raises(ValueError, match="columns"):
            ClassOptions("equalities", {"columns": wrong, "at_most": 1}).build()
    with pytest.raises(ValueError, match="at_most"):
        ClassOptions("equalities", {"columns": "carrier"}).build()


@over(
    ("columns", "at_most", "kind", "says"),
    [
        ((), 1, ValueError, "at least one column"),
        (("a", "a"), 1, ValueError, "once"),
        ((-1,), 1, ValueError, "position"),
        ((True,), 1, TypeError, "name, or a position"),
        ((("a", "b"),), 1, TypeError, "name, or a position"),
        (("a", "b"), 0, ValueError, "between 1 and 2"),
        (("a", "b"), 3, ValueError, "between 1 and 2"),
        (tuple(range(9)), 9, ValueError, "between 1 and 8"),
        (("a",), 1.0, TypeError, "whole number"),
        (tuple(range(100)), 3, ValueError, "at_most=2"),
    ],
)
def test_what_makes_no_class_is_refused(columns, at_most, kind, says):
    with pytest.raises(kind, match=says):
        Equalities(*columns, at_most=at_most)


def test_a_rule_of_another_class_is_refused():
    with pytest.raises(ValueError, match="at most 1 of the columns"):
        Equalities("a", "b", at_most=1).hypothesis({"a": 1, "b": 2})
    with pytest.raises(ValueError, match="columns of this class"):
        FLIGHTS.hypothesis({"dest": "BOS"})
