"""Rules made of rules: evaluation on any table, sentences with brackets where they are needed, JSON."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.classes.base import Constant
from privpac.classes.boxes import Box
from privpac.classes.composed import ColumnRule, Composed, composed
from privpac.classes.gate import gate
from privpac.classes.line import Interval, Threshold
from privpac.classes.plane import HalfSpace
from privpac.classes.points import OneOf
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
    with pytest.raises(ValueError):
        Composed("G", table, (Constant(True),))


NEVER = ColumnRule(Constant(False), "dep_delay")


@pytest.mark.parametrize(
    ("G", "parts", "simpler"),
    [
        ("and", (LATE, Constant(True)), LATE),
        ("and", (LATE, NEVER), NEVER),
        ("or", (NEVER, EV, LATE), of("or", EV, LATE)),
        ("majority", (Box((None,), (None,)), LATE, EV), of("or", LATE, EV)),
        ("xor", (LATE, Constant(True)), of("not", LATE)),
        ("not", (NEVER,), ColumnRule(Constant(True), "dep_delay")),
        ("not", (of("not", NEVER),), of("not", of("not", NEVER))),
        ("and", (LATE, EV), of("and", LATE, EV)),
        (lambda a, b: True, (LATE, EV), ColumnRule(Constant(True), "dep_delay")),
    ],
)
def test_constant_parts_are_put_into_the_function(G, parts, simpler):
    assert composed(gate(G, len(parts)), parts) == simpler


def test_a_function_without_a_simpler_name_keeps_its_parts():
    G = gate(lambda a, b, c: a and (not b or c), 3)
    assert composed(G, (Constant(True), LATE, EV)) == Composed("G", G.table, (Constant(True), LATE, EV))


def test_constants_have_a_label_for_every_row_of_a_table():
    assert composed(gate("and", 2), (NEVER, EV))(COLUMNS).tolist() == [False] * 3
