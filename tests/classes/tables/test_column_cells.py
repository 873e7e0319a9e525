"""The cells of a column: every declared value lies in exactly one, and the rule of a cell says which."""

from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest

import privpac as pp
from privpac.classes.tables.column_cells import cells_of

VOWELS = pp.ExplicitClass([[1, 0, 0, 1], [1, 1, 1, 1]], points="axye", concepts=["vowel", "letter"])
PARTS = {
    "categories": (pp.Points().on("x", values=("a", "b", "c")), ["a", "b", "c"], ["a", "b", "c"]),
    "booleans": (pp.Points().on("x", values=(False, True)), [False, True], [False, True]),
    "integers": (pp.Thresholds(3, 6, direction="above").on("x"), [3, 4, 5, 6], [3, 4, 5, 6]),
    "intervals": (pp.Intervals(3, 6).on("x"), [3, 4, 5, 6], [3, 4, 5, 6]),
    "steps": (
        pp.Thresholds(0.0, 1.0, step=0.5, direction="above").on("x"),
        ["0.0 ≤ x < 0.5", "0.5 ≤ x < 1.0", "1.0 ≤ x ≤ 1.0"],
        None,
    ),
    "cuts": (
        pp.Thresholds(0, 9, direction="above").on("x", values=(3, 8)),
        ["0 ≤ x ≤ 2", "3 ≤ x ≤ 7", "8 ≤ x ≤ 9"],
        list(range(10)),
    ),
    "concepts": (VOWELS.on("x"), ["x is one of a, e", "x is one of x, y"], ["a", "x", "y", "e"]),
}


@pytest.mark.parametrize("kind", PARTS)
def test_every_value_lies_in_one_cell_and_its_rule_says_so(kind):
    part, names, values = PARTS[kind]
    cells = cells_of(part)
    assert cells.names == names and cells.size == len(names)
    values = [0.0, 0.25, 0.5, 0.75, 1.0] if values is None else values
    home = cells.numbers_of(cells.domain.encode(values))
    held = np.array([rule({"x": values}) for rule in cells.rules])
    assert (held.sum(axis=0) == 1).all()
    assert (held.argmax(axis=0) == home).all()
    assert [cells.number_of_part[rule] for rule in cells.parts] == list(range(cells.size))
    listed = sorted(code for i in range(cells.size) for a, b in cells.runs(i) for code in range(a, b + 1))
    assert listed == list(range(int(cells.domain.size)))


def test_days_and_wide_lines_have_cells_between_cuts():
    days = cells_of(
        pp.Thresholds(date(2026, 1, 1), date(2026, 12, 31), direction="above").on("day", values=(date(2026, 7, 1),))
    )
    assert days.numbers_of(days.domain.encode([date(2026, 6, 30), date(2026, 7, 1)])).tolist() == [0, 1]
    wide = cells_of(pp.Thresholds(0, 2**70, direction="above").on("x", values=(2**69,)))
    assert wide.numbers_of(wide.domain.encode([2**69 - 1, 2**69, 2**70])).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (pp.Thresholds(0, 9, direction="above"), "column of its own"),
        (pp.Points().on("job"), "not declared"),
        (pp.StartsWith().on("icd", values=("J", "K")), "not declared"),
        (pp.Thresholds(0, 10**6, direction="above").on("age"), "more than 4096 cells; declare cuts"),
        (pp.ExplicitClass([[0] * 4097], points=range(4097)).on("x"), "more than 4096 values; declare fewer"),
        (pp.Thresholds("A", "Z", direction="above").on("name"), "line of text"),
    ],
)
def test_columns_without_cells_are_refused(part, why):
    with pytest.raises((TypeError, ValueError), match=why):
        cells_of(part)


@pytest.mark.parametrize(
    "changes",
    [
        {"starts": (0, 3, 3)},
        {"starts": (1, 3, 8)},
        {"starts": ()},
        {"starts": (0, 3, 10)},
        {"homes": (0, 1)},
        {"homes": (0, 1, 3)},
        {"homes": (0, 1, 1)},
    ],
    ids=str,
)
def test_cells_that_a_file_contradicts_are_refused(changes):
    """Before, such a file was read, and its counts could not be shown."""
    with pytest.raises(ValueError, match="every run"):
        replace(cells_of(PARTS["cuts"][0]), **changes)


def test_a_column_that_a_file_counts_from_the_end_is_refused():
    with pytest.raises(ValueError, match="a name, or a position counted from 0"):
        replace(cells_of(PARTS["cuts"][0]), column=-1)


def test_releases_in_files_name_the_fields_of_cells():
    names = [each.name for each in fields(cells_of(PARTS["cuts"][0]))]
    assert names == ["column", "domain", "parts", "starts", "homes"]
