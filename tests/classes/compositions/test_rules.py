"""Rules made of rules: evaluation on any table, sentences with brackets where they are needed, JSON."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.classes.compositions.rules import ColumnRule, Composed, composition
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.values.points import OneOf
from privpac.classes.vectors.boxes import Box, Conjunction
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.classes.vectors.parities import Parity
from tests.classes.definitions import assert_comes_back

LATE = ColumnRule(Threshold(37), "dep_delay")
EV = ColumnRule(OneOf(frozenset(["EV"])), "carrier")
FAR = ColumnRule(Threshold(1000), 2)


def of(name, *parts):
    return Composed(name, gate(name, len(parts)).table, parts)


@pytest.mark.parametrize(
    ("h", "sentence"),
    [
        (of("and", LATE, EV), "dep_delay ≥ 37 and carrier = EV"),
        (of("or", LATE, EV, FAR), "dep_delay ≥ 37 or carrier = EV or column 2 ≥ 1000"),
        (of("not", EV), "not (carrier = EV)"),
        (of("and", LATE, of("not", EV)), "dep_delay ≥ 37 and not (carrier = EV)"),
        (of("and", LATE, of("or", EV, FAR)), "dep_delay ≥ 37 and (carrier = EV or column 2 ≥ 1000)"),
        (of("or", of("and", LATE, EV), FAR), "(dep_delay ≥ 37 and carrier = EV) or column 2 ≥ 1000"),
        (of("not", of("or", LATE, EV)), "not (dep_delay ≥ 37 or carrier = EV)"),
        (of("majority", LATE, EV, FAR), "at least 2 of: dep_delay ≥ 37; carrier = EV; column 2 ≥ 1000"),
        (of("xor", LATE, EV), "exactly one of: dep_delay ≥ 37; carrier = EV"),
        (of("xor", LATE, EV, FAR), "an odd number of: dep_delay ≥ 37; carrier = EV; column 2 ≥ 1000"),
        (
            of("or", of("xor", LATE, EV), FAR),
            "(exactly one of: dep_delay ≥ 37; carrier = EV) or column 2 ≥ 1000",
        ),
        (of("and", Box((0, 0), (1, 1)), HalfSpace((1, 1), 1)), "(0 ≤ x₁ ≤ 1 and 0 ≤ x₂ ≤ 1) and x₁ + x₂ ≥ 1"),
        (Composed("implies", (True, True, False, True), (LATE, EV)), "implies: dep_delay ≥ 37; carrier = EV"),
        (Composed("and", (False, True, True, True), (LATE, EV)), "dep_delay ≥ 37 or carrier = EV"),  # values decide
        (of("or", Interval(1, 2), Interval(5, 6)), "1 ≤ x ≤ 2 or 5 ≤ x ≤ 6"),
    ],
)
def test_rules_read_as_sentences_and_come_back(h, sentence):
    assert str(h) == sentence
    assert_comes_back(h)


COLUMNS = {"dep_delay": [40, 40, 5], "carrier": ["EV", "UA", "EV"], "distance": [1200, 300, 1000]}


@pytest.mark.parametrize(
    "table",
    [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)],
    ids=lambda table: type(table).__module__,
)
def test_rules_are_evaluated_on_any_table(table):
    assert of("and", LATE, EV)(table).tolist() == [True, False, False]
    assert of("or", LATE, FAR)(table).tolist() == [True, True, True]
    assert of("majority", LATE, EV, FAR)(table).tolist() == [True, False, True]
    assert Composed("G", (False, False, True, False), (LATE, EV))(table).tolist() == [False, True, False]


def test_rules_by_position_read_arrays_and_tuples():
    far, near = ColumnRule(Threshold(1000), 2), ColumnRule(Threshold(1), 0)
    for table in ([(0, 0, 1000), (5, 5, 5)], np.array([[0, 0, 1000], [5, 5, 5]])):
        assert of("and", far, of("not", near))(table).tolist() == [True, False]


def test_rows_by_name():
    assert of("and", LATE, EV)([{"carrier": "EV", "dep_delay": 37}]).tolist() == [True]


@pytest.mark.parametrize(
    "table",
    [
        {"carrier": ["EV"]},
        [(40, "EV")],
        np.zeros((2, 2)),
        pd.DataFrame({"carrier": ["EV"]}),
        [{"carrier": "EV"}],
        "text",
        7,
    ],
)
def test_tables_without_the_column_are_refused(table):
    with pytest.raises((TypeError, ValueError)) as caught:
        of("and", LATE, EV)(table)
    assert "EV" not in str(caught.value)


@pytest.mark.parametrize("table", [(True,), (True, False, True), (), (0, 2), "ab"])
def test_values_that_fit_no_function_are_refused(table):
    with pytest.raises((ValueError, TypeError)):
        Composed("G", table, (Constant(True),))


NEVER = ColumnRule(Constant(False), "dep_delay")


@pytest.mark.parametrize(
    ("G", "parts", "simpler"),
    [
        ("and", (LATE, Constant(True)), LATE),
        ("and", (LATE, NEVER), NEVER),
        ("or", (NEVER, EV, LATE), of("or", EV, LATE)),
        ("majority", (Box((None,), (None,)), LATE, EV), of("or", LATE, EV)),
        ("xor", (LATE, Constant(True)), LATE.opposite),
        ("not", (NEVER,), ColumnRule(Constant(True), "dep_delay")),
        ("not", (of("not", NEVER),), of("not", of("not", NEVER))),
        ("and", (LATE, EV), of("and", LATE, EV)),
        (lambda a, b: True, (LATE, EV), ColumnRule(Constant(True), "dep_delay")),
    ],
)
def test_constant_parts_are_put_into_the_function(G, parts, simpler):
    assert composition(gate(G, len(parts)), parts) == simpler


def test_a_function_without_a_simpler_name_keeps_its_parts():
    G = gate(lambda a, b, c: a and (not b or c), 3)
    assert composition(G, (Constant(True), LATE, EV)) == Composed("G", G.table, (Constant(True), LATE, EV))


def test_constants_have_a_label_for_every_row_of_a_table():
    assert composition(gate("and", 2), (NEVER, EV))(COLUMNS).tolist() == [False] * 3


def test_a_listed_concept_without_positives_still_refuses_unknown_points():
    nothing = Listed(("EV", "UA"), (False, False))
    h = composition(gate("or", 2), (nothing, Constant(False)))
    assert h(["EV"]).tolist() == [False]
    with pytest.raises(ValueError, match="not declared"):
        h(["nowhere"])


@pytest.mark.parametrize(
    ("h", "constant"),
    [
        (Constant(True), True),
        (ColumnRule(Constant(False), "a"), False),
        (OneOf(frozenset()), False),
        (OneOf(frozenset([1])), None),
        (Parity(2, ()), False),
        (Parity(2, (), 0), True),
        (Parity(2, (1,)), None),
        (Box((None,), (None,)), True),
        (Box((0,), (None,)), None),
        (Conjunction(2, (), ()), True),
        (Conjunction(2, (), (1,)), None),
        (GroupFrom(None, 0), False),
        (GroupFrom("a", 0), None),
        (Threshold(3), None),
    ],
)
def test_constants_say_so(h, constant):
    assert h.constant is constant
    assert (str(h) in ("always", "never")) == (constant is not None)


def test_deep_rules_are_read_once():
    h = LATE
    for _ in range(60):  # 2^60 sentences, if every rule said its parts twice
        h = of("not", h)
    assert str(h).endswith(str(LATE) + ")" * 60)


@pytest.mark.parametrize("name", ["de\ud800lay", "\u202e", "a\x00", " "])
def test_names_that_cannot_be_printed_are_escaped(name):
    assert str(ColumnRule(Threshold(37), name)) == f"{name!a} ≥ 37"
    assert str(Composed(name, (True, True, False, True), (LATE, EV))).isprintable()


def test_a_minus_stands_before_numbers_only():
    assert str(ColumnRule(Threshold(-3), "arr-delay")) == "arr-delay ≥ −3"
    assert str(ColumnRule(Box((-1, None), (None, None)), "arr-delay")) == "arr-delay₁ ≥ −1"
    assert HalfSpace((1, -1), -2).sentence("a-b") == "a-b₁ − a-b₂ ≥ −2"
    assert HalfSpace((1, -1), -2).sentence("a-b", "x₁") == "a-b − x₁ ≥ −2"  # a column may be called as a coordinate is
    assert str(OneOf(frozenset([-1, "x-y"]))) == "x is one of −1, x-y"
