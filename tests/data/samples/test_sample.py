"""A sample counts records at points, by definition."""

from collections import Counter

import numpy as np
import pytest

from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample

RNG = np.random.default_rng(6)


def plain(point):
    return tuple(np.asarray(point).tolist()) if np.ndim(point) else point


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "points",
    [
        RNG.integers(0, 9, 50).astype(np.uint64),
        RNG.integers(0, 3, (50, 2)),
        np.array([f"name {i}" for i in RNG.integers(0, 9, 50)], dtype=object),
        RNG.integers(0, 3, (50, 2)).astype(object),
        np.array([2**70 + int(i) for i in RNG.integers(0, 9, 50)], dtype=object),
        np.zeros(0, dtype=np.uint64),
        np.zeros((0, 2), dtype=np.int64),
        np.zeros(0, dtype=object),
    ],
    ids=["numbers", "vectors", "text", "mixed rows", "large numbers", "none", "no vectors", "no text"],
)
def test_a_tally_counts_records_at_points(points, weighted):
    labels = RNG.random(len(points)) < 0.5
    counts = RNG.integers(0, 5, len(points)) if weighted else None
    tally = Sample(points, labels, counts, size=300).tally()
    expected = Counter()
    for i, point in enumerate(points):
        expected[plain(point), bool(labels[i])] += 1 if counts is None else int(counts[i])
    for point, zeros, ones in zip(tally.points, tally.zeros, tally.ones, strict=True):
        assert (zeros, ones) == (expected[plain(point), False], expected[plain(point), True])
    assert len(tally.points) == len({plain(point) for point in points})
    sample = Sample(points, labels, counts, size=300)
    assert sample.positives == tally.ones.sum()
    assert sample.negatives == tally.zeros.sum()


def test_points_in_order_have_a_tally_in_order():
    assert Sample(np.array([3, 1, 2]), np.ones(3, dtype=bool), None, 3).tally().points.tolist() == [1, 2, 3]


def test_errors_are_records_with_another_label():
    values = np.array([1, 2, 3])
    sample = Sample(values, np.array([True, False, True]), np.array([5, 2, 1]), 20, values)
    assert sample.errors(lambda column: column >= 2) == 5 + 2
    assert Sample(values, sample.labels, None, 20, values).errors(lambda column: column >= 2) == 2


def test_codes_of_several_columns_are_rows():
    both = Columns(("a", "b"), (Line(10, 20), Anything()))
    assert both.points({"a": [10, 12], "b": ["x", "y"]}).tolist() == [[0, "x"], [2, "y"]]
    assert Columns(("a",), (Line(10, 20),)).points({"a": [10, 12]}).dtype == np.uint64
    assert Grid(0, 9, dim=2).points(np.array([[1, 2]])).tolist() == [[1, 2]]
