"""The distinct rows of a matrix of patterns."""

import numpy as np

from privpac.classes.finite.patterns import first_of_each
from tests.grid import over


@over("width", [1, 7, 8, 9, 64, 65])
def test_distinct_rows_are_found_where_they_first_occur(width):
    rows = np.random.default_rng(width).random((300, width)) < 0.5
    rows[150:] = rows[:150]
    first = {}
    for i, row in enumerate(rows):
        first.setdefault(tuple(row), i)
    assert first_of_each(rows).tolist() == sorted(first.values())


def test_no_rows():
    assert first_of_each(np.zeros((0, 3), dtype=bool)).tolist() == []
