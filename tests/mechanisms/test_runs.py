"""Runs partition the line and split the sample as the definition says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.mechanisms.quantiles.one_quantile import runs


def listed(table):
    columns = (column.tolist() for column in table)
    return sorted(
        (v, below, above)
        for start, length, below, above in zip(*columns, strict=True)
        for v in range(start, start + length)
    )


@pytest.mark.parametrize("dtype", [np.uint64, object])
@given(st.lists(st.integers(0, 11), min_size=1, max_size=8))
def test_runs_are_the_definition_on_every_value(dtype, sample):
    table = runs(np.array(sorted(sample), dtype=dtype), 12)
    expected = [(v, sum(x < v for x in sample), sum(x > v for x in sample)) for v in range(12)]
    assert listed(table) == expected


@given(st.lists(st.integers(0, 11), min_size=2, max_size=8), st.data())
def test_near_runs_are_those_between_the_records(sample, data):
    first = data.draw(st.integers(0, len(sample) - 1))
    last = data.draw(st.integers(first + 1, len(sample)))
    ordered = np.array(sorted(sample), dtype=np.uint64)
    near, everything = listed(runs(ordered, 12, first, last)), listed(runs(ordered, 12))
    low = ordered[first] if first else 0
    high = ordered[last - 1] if last < len(sample) else 11
    assert near == [entry for entry in everything if low <= entry[0] <= high]


@pytest.mark.parametrize("sample", [[0], [2**64 - 1], [0, 2**64 - 1], [5]])
def test_a_full_line_of_64_bits_is_counted_exactly(sample):
    table = runs(np.array(sample, dtype=np.uint64), 2**64)
    assert sum(table.lengths.tolist()) == 2**64


def test_wider_lines_use_python_integers():
    table = runs(np.array([7], dtype=object), 2**100)
    assert sum(table.lengths.tolist()) == 2**100
