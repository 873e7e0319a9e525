"""The public tree over a line: every node is cut inside, all values are reached, small magnitudes soon."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from privpac.data.domains.line import Line
from privpac.mechanisms.lines.line_tree import LineTree
from tests.grid import over


def cut_of(tree, low, high):
    return int(tree.cuts(tree.numbers([low]), tree.numbers([high]))[0])


def depth_of(tree, value):
    """How many cuts it takes until the value is alone; each must lie inside its node."""
    low, high, depth = 0, tree.size - 1, 0
    while low < high:
        cut = cut_of(tree, low, high)
        assert low < cut <= high
        low, high, depth = (cut, high, depth + 1) if value >= cut else (low, cut - 1, depth + 1)
    return depth


@over("size", [1, 2, 3, 7, 8, 9, 33])
def test_every_value_of_every_small_line_is_reached(size):
    for origin in range(size + 1):
        tree = LineTree(size, origin)
        assert max(depth_of(tree, value) for value in range(size)) <= size.bit_length() + 5


@over("origin", [0, 2**20, 2**64 - 1000, 2**64 - 1, 2**64])
def test_machine_integers_and_others_agree(origin):
    """The line of 2^64 values is cut like the same stretch of a longer line would be: in Python's integers."""
    tree = LineTree(2**64, origin)
    ends = [(0, 2**64 - 1), (2**64 - 8, 2**64 - 1), (0, 1), (2**63, 2**64 - 1), (5, 6), (2**20, 2**20 + 7)]
    for low, high in ends:
        if low < origin <= high and (low, high) != ends[0]:
            continue  # never a node
        machine = tree.cuts(np.array([low], np.uint64), np.array([high], np.uint64))[0]
        big = LineTree.cuts(Objects(2**64, origin), np.array([low], object), np.array([high], object))[0]
        assert low < machine <= high and machine == big


class Objects(LineTree):
    """In Python's integers, whatever the size."""

    def numbers(self, values):
        return np.array(values, dtype=object)


@pytest.mark.slow
def test_small_numbers_are_near_the_root_and_no_value_is_much_deeper_than_by_halving():
    tree = LineTree(2**64)
    assert depth_of(tree, 1000) <= 11 + 10
    assert depth_of(tree, 0) <= 12
    rng = np.random.default_rng(0)
    for value in rng.integers(0, 2**64, 200, dtype=np.uint64).tolist():
        assert depth_of(tree, value) <= 64 + 13
    assert depth_of(LineTree(2**128, 2**127), 2**127 - 1000) <= 11 + 14


@pytest.mark.parametrize(
    ("line", "origin"),
    [
        (Line(-5, 10), 5),
        (Line(5, 10), 0),
        (Line(-10, -5), 6),
        (Line(Decimal("-0.5"), Decimal("2.5")), 5),
        (Line(-1.0, 1.0, step=0.25), 4),
        (Line(date(2026, 1, 1), date(2026, 12, 31)), 0),
        (Line("a", "zz"), 0),
        (Line(-1.0, 1.0), 0),
    ],
)
def test_magnitudes_count_from_zero_where_values_are_multiples(line, origin):
    assert LineTree.of(line) == LineTree(line.size, origin)
