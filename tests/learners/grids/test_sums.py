"""Sums over cells by their definition, for every kind of part, axis, and boolean function."""

from itertools import product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.domains.line import Line
from privpac.learners.grids.grids import ColumnPart, PartRules, positive_sums, running_totals
from tests.grid import over

CODES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points=[0, 1, 2])
PARTS = (
    PartRules(ColumnPart(Thresholds(0, 3, direction="above"), "a"), Line(0, 3), 4),
    PartRules(ColumnPart(Intervals(0, 4), "b"), Line(0, 4), 5),
    PartRules(ColumnPart(Thresholds(0, 2, direction="either"), "c"), Line(0, 2), 3),
    PartRules(ColumnPart(Thresholds(0, 2, direction="below"), "d"), Line(0, 2), 3),
    PartRules(ColumnPart(CODES, "e"), CODES.domain, 3),
)


def labels(part, i):
    """Of rule i on each cell, which has one value."""
    return [part.sums(row)[i] == 1 for row in np.eye(part.cells, dtype=np.int64)]


@over("axis", (0, 1, 2))
@over("part", PARTS)
def test_sums_along_every_axis(part, axis):
    rng = np.random.default_rng(axis)
    W = np.moveaxis(rng.integers(-9, 9, (part.cells, 4, 5)), 0, axis)
    expected = [W.compress(labels(part, i), axis).sum(axis) for i in range(part.size)]
    assert (part.sums(W, axis) == np.stack(expected, axis)).all()


@over("axis", (0, 1, 2))
def test_running_totals_are_sums_of_the_first_entries(axis):
    W = np.random.default_rng(axis).integers(-9, 9, (3, 4, 5))
    for i in range(W.shape[axis] + 1):
        assert (running_totals(W, axis).take(i, axis) == W.take(range(i), axis).sum(axis)).all()


@pytest.mark.parametrize("more", [(), (2,)])
def test_all_functions_of_two_parts(more):
    parts, rng = (PARTS[0], PARTS[4]), np.random.default_rng(7)
    W = rng.integers(-9, 9, (4, 3, *more))
    for table in product((False, True), repeat=4):
        found = np.broadcast_to(positive_sums(W, parts, table), (*more, parts[0].size, parts[1].size))
        for i, j in product(range(parts[0].size), range(parts[1].size)):
            both = product(enumerate(labels(parts[0], i)), enumerate(labels(parts[1], j)))
            inside = [W[x, y] for (x, a), (y, b) in both if table[2 * a + b]]
            assert (found[..., i, j] == np.sum(inside, axis=0)).all()
