"""Cells of a column: every value lies in one of them, rules and numbers agree, and synthetic values stay inside."""

from datetime import date

import numpy as np
import pytest

from privpac.classes.schemas.schema import Column
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.exact.entropy import SYSTEM, entropy
from privpac.release.tables.cells import KeyCells, LineCells, column_rules
from privpac.release.tables.sanitizer import TableAnswers
from privpac.requests.json_values import restored, stored

AGES = LineCells("age", Line(0, 120), (0, 18, 30, 65), (0, 18, 65), (5, 900, 100, 7))
DAYS = LineCells("day", Line(date(2026, 1, 1), date(2026, 12, 31)), (0, 31), (0, 31), (1, 2))
WIDE = LineCells("x", Line(0, 2**80), (0, 2**79), (0, 2**79), (1, 1))
JOBS = KeyCells("job", Listing(("clerk", "nurse")), (0, 1), other=False)
CITIES = KeyCells("city", Anything(), ("Oslo", "Rome"), other=True)
ALL = (AGES, DAYS, WIDE, JOBS, CITIES)


@pytest.mark.parametrize("cells", ALL, ids=lambda cells: cells.column)
def test_a_synthetic_value_lies_in_its_cell_and_satisfies_only_its_rule(cells):
    wanted = np.arange(cells.size).repeat(50)
    values = cells.values(wanted, SYSTEM)
    assert cells.numbers_of(cells.domain.encode(values)).tolist() == wanted.tolist()
    table = {cells.column: values}
    for number, rule in enumerate(column_rules(cells)):
        assert (rule(table) == (wanted == number)).all()
        assert cells.number_of_part[rule.part] == number


@pytest.mark.parametrize("cells", ALL, ids=lambda cells: cells.column)
def test_cells_are_written_and_read(cells):
    assert TableAnswers.__name__ == "TableAnswers"  # it makes cells known by their names
    assert restored(stored(cells)) == cells


def test_values_follow_the_counts_of_leaves():
    ages = np.array(AGES.values(np.ones(2000, dtype=np.int64), entropy(7)))  # 18 … 64: 901 to 101
    assert 0.85 < (ages < 30).mean() < 0.95


@pytest.mark.parametrize("many", [2**52, 2**62, 2**70])
def test_values_stay_in_their_cells_however_many_records_there_are(many):
    ages = LineCells("age", Line(0, 120), (0, 18, 65), (0, 18, 65), (many, 1, 0))
    wanted = np.arange(3).repeat(200)
    assert ages.numbers_of(np.array(ages.values(wanted, SYSTEM))).tolist() == wanted.tolist()


def test_dates_are_dates():
    assert all(type(day) is date for day in DAYS.values(np.array([0, 1]), SYSTEM))


@pytest.mark.parametrize(
    "cells",
    [
        lambda: LineCells("age", Line(0, 9), (0, 5), (0, 4), (1, 1)),
        lambda: LineCells("age", Line(0, 9), (0, 5), (5,), (1, 1)),
        lambda: LineCells("age", Line(0, 9), (0, 12), (0,), (1, 1)),
        lambda: LineCells("age", Line(0, 9), (0, 5), (0,), (1,)),
        lambda: LineCells("age", Line(0, 9), (-4, 0, 5), (0,), (1, 1, 1)),
        lambda: KeyCells("city", Anything(), (), other=False),
        lambda: KeyCells("city", Anything(), ("a", "a"), other=True),
    ],
)
def test_cells_that_do_not_divide_the_values_are_refused(cells):
    with pytest.raises(ValueError, match=r"leaf|cell|order"):
        cells()


def test_a_float_line_has_cells():
    line = Column("x", "float64", low=0, high=1).concept_class.domain
    cells = LineCells("x", line, (0, line.size // 2), (0, line.size // 2), (1, 1))
    values = cells.values(np.array([0, 1] * 20), SYSTEM)
    assert cells.numbers_of(line.encode(values)).tolist() == [0, 1] * 20
