"""Marginals: their queries by definition, where each one stands, and what is refused."""

import copy
import pickle
from itertools import combinations, product

import numpy as np
import pytest

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Threshold
from privpac.classes.tables.marginals import Marginals, Place, place_of
from privpac.cli.class_options import ClassOptions
from tests.classes.definitions import assert_comes_back, assert_patterns
from tests.grid import over

JOBS = ("clerk", "nurse")
PARTS = (
    pp.Points().on("job", values=JOBS),
    pp.Thresholds(0, 3, direction="above").on("age", values=(2,)),
    pp.Points().on("late", values=(False, True)),
)
ROWS = [{"job": job, "age": age, "late": late} for job in JOBS for age in range(4) for late in (False, True)]


def definition(order):
    """A query for each choice of at most ``order`` columns and a cell in each."""
    cells = {
        "job": [lambda v, j=j: v == j for j in JOBS],
        "age": [lambda v: v < 2, lambda v: v >= 2],
        "late": [lambda v: not v, lambda v: v],
    }
    return [
        lambda row, chosen=chosen, tests=tests: all(t(row[c]) for c, t in zip(chosen, tests, strict=True))
        for k in range(order + 1)
        for chosen in combinations(cells, k)
        for tests in product(*(cells[c] for c in chosen))
    ]


@over("order", (1, 2, 3))
def test_the_queries_are_the_conjunctions_of_cells(order):
    marginals = Marginals(*PARTS, order=order)
    assert_patterns(marginals, definition(order), ROWS)
    assert_patterns(marginals, definition(order), ROWS[:3])
    assert marginals.size == len(definition(order)) == marginals.materialize(ROWS).size
    assert len(marginals.tables) == [3, 3, 1][order - 1]


def test_every_query_comes_back_from_its_place_and_its_json():
    marginals = Marginals(*PARTS, order=2)
    for columns in marginals.choices:
        for cells in product(*(range(marginals.shape[i]) for i in columns)):
            query = marginals.at(columns, cells)
            assert place_of(query, marginals.cells, 2) == Place(columns, cells)
            assert place_of(Hypothesis.from_json(query.to_json()), marginals.cells, 2) == Place(columns, cells)
            assert_comes_back(query)
    other = Marginals(*reversed(PARTS), order=2).hypothesis({"job": "nurse", "age": 3})
    assert str(other) == "2 ≤ age ≤ 3 and job = nurse"
    assert place_of(other, marginals.cells, 2) == Place((0, 1), (1, 1))


def test_records_lie_in_the_cells_whose_rules_hold():
    marginals = Marginals(*PARTS, order=1)
    numbers = marginals.cell_numbers(marginals.domain.points(ROWS))
    for i, cells in enumerate(marginals.cells):
        held = np.array([rule(ROWS) for rule in cells.rules])
        assert (held.argmax(axis=0) == numbers[:, i]).all() and (held.sum(axis=0) == 1).all()


AGE = ColumnRule(Threshold(2), "age")


@pytest.mark.parametrize(
    "query",
    [
        Constant(False),
        AGE,
        ColumnRule(Threshold(2), "height"),
        Marginals(*PARTS, order=3).at((0, 1, 2), (0, 0, 0)),
        pp.Or(*PARTS[:2]).hypothesis("nurse", 2),
        pp.Points().hypothesis("nurse"),
    ],
)
def test_other_queries_are_refused(query):
    with pytest.raises(ValueError, match="not one of the class"):
        place_of(query, Marginals(*PARTS, order=2).cells, 2)


@pytest.mark.parametrize(
    ("parts", "order", "why"),
    [
        ((), 1, "at least one part"),
        (PARTS, 0, "between 1 and 3"),
        (PARTS, 4, "between 1 and 3"),
        (PARTS, True, "whole number"),
        (PARTS, 1.5, "whole number"),
        ((PARTS[0], PARTS[0]), 1, "same column"),
        ((PARTS[0], pp.Thresholds(0, 1, direction="above")), 1, "column"),
        (tuple(pp.Thresholds(0, 999, direction="above").on(i) for i in range(8)), 3, "or order=1"),
        (tuple(pp.Thresholds(0, 1, direction="above").on(i) for i in range(60)), 5, "or order=2"),
    ],
)
def test_declarations_that_are_refused(parts, order, why):
    with pytest.raises((TypeError, ValueError), match=why):
        Marginals(*parts, order=order)


@pytest.mark.audit
@over(
    ("sides", "order", "advice", "fewer"),
    [
        ([2] * 150, 2, "fewer columns (the first 141 have few enough), or order=1", ([2] * 141, 2)),
        ([2] * 150, 2, "order=1", ([2] * 150, 1)),
        ([300] * 5, 3, "at most 118 cells in each column, or order=2", ([118] * 5, 3)),
        ([2] * 10_001, 1, "fewer columns (the first 10000 have few enough)", None),
        ([2000] * 8 + [2] * 100, 8, "fewer columns, with fewer cells each, or order=1", None),
    ],
)
def test_too_many_cells_are_refused_with_how_many_are_few_enough(sides, order, advice, fewer):
    def declared(sides, order):
        return Marginals(*(pp.Points().on(i, values=list(range(side))) for i, side in enumerate(sides)), order=order)

    with pytest.raises(ValueError, match="more than 10000 tables, or 16777216 cells; declare ") as refused:
        declared(sides, order)
    assert str(refused.value).endswith(advice)
    if fewer:
        assert declared(*fewer).counts <= 2**24


def test_values_that_no_query_names():
    marginals = Marginals(*PARTS, order=2)
    assert str(marginals.hypothesis({})) == "always"
    three = {"job": "nurse", "age": 1, "late": True}
    for values in ({"height": 1}, three, {"job": "cook"}, {"age": 7}, {"age": None}):
        with pytest.raises((TypeError, ValueError)):
            marginals.hypothesis(values)


def test_it_is_a_value_with_a_name_in_a_shell():
    marginals = Marginals(*PARTS[:2], order=2)
    assert copy.deepcopy(marginals) == pickle.loads(pickle.dumps(marginals)) == marginals
    assert repr(marginals).endswith("order=2)") and [each.order for _, each in marginals.family().members] == [1, 2]
    shell = {"part": ["job points clerk,nurse", "age thresholds 0 3 step=2"], "order": 2}
    described = ClassOptions("marginals", shell).build()
    assert described.shape == (2, 2) and str(described.at((1,), (1,))) == "2 ≤ age ≤ 3"
