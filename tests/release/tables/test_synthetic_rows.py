"""Synthetic records from tables: they have the tables' counts, as far as tables of two columns say."""

from collections import Counter

import numpy as np

import privpac as pp
from privpac.classes.tables.column_cells import cells_of
from privpac.exact.entropy import SYSTEM
from privpac.release.tables.synthetic_rows import table_rows

CELLS = (
    cells_of(pp.Points().on("job", values=("clerk", "nurse"))),
    cells_of(pp.Thresholds(0, 9, direction="above").on("age", values=(4,))),
    cells_of(pp.Points().on("late", values=(False, True))),
)
SINGLES = {(): np.array(100), (0,): np.array([40, 60]), (1,): np.array([50, 50]), (2,): np.array([90, 10])}
PAIRS = {
    (0, 1): np.array([[40, 0], [10, 50]]),
    (0, 2): np.array([[36, 4], [54, 6]]),
    (1, 2): np.array([[50, 0], [40, 10]]),
}


def test_records_follow_the_pairs_of_a_tree():
    rows = table_rows(CELLS, SINGLES | PAIRS, 1000, SYSTEM)
    assert Counter(rows["job"]) == {"clerk": 400, "nurse": 600}
    assert Counter((job, age >= 4) for job, age in zip(rows["job"], rows["age"], strict=True)) == {
        ("clerk", False): 400,
        ("nurse", False): 100,
        ("nurse", True): 500,
    }
    assert Counter((age >= 4, late) for age, late in zip(rows["age"], rows["late"], strict=True)) == {
        (False, False): 500,
        (True, False): 400,
        (True, True): 100,
    }
    ages = Counter(rows["age"])
    assert {ages[age] for age in range(4)} == {125} and {ages[age] for age in range(4, 10)} <= {83, 84}


def test_columns_without_pairs_are_independent_and_empty_tables_are_even():
    rows = table_rows(CELLS, SINGLES, 100, SYSTEM)
    assert Counter(rows["late"]) == {False: 90, True: 10}
    nothing = {key: np.zeros_like(table) for key, table in (SINGLES | PAIRS).items()}
    assert Counter(table_rows(CELLS, nothing, 10, SYSTEM)["job"]) == {"clerk": 5, "nurse": 5}
    assert table_rows(CELLS, SINGLES | PAIRS, 0, SYSTEM) == {"job": [], "age": [], "late": []}


def test_cells_of_several_runs():
    cells = cells_of(pp.ExplicitClass([[1, 0, 1]], points="abc").on("x"))
    rows = table_rows((cells,), {(): np.array(9), (0,): np.array([6, 3])}, 9, SYSTEM)
    assert Counter(rows["x"]) == {"a": 3, "c": 3, "b": 3}
