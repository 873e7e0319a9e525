"""Bitsets hold what was put in."""

import numpy as np

from privpac.dimensions.bitset import bitset, bitsets, members


def test_sets_and_members_are_inverse():
    rng = np.random.default_rng()
    for _ in range(200):
        numbers = np.flatnonzero(rng.random(rng.integers(0, 200)) < 0.3).tolist()
        assert members(bitset(numbers)) == numbers
        assert bitset(numbers) == sum(2**i for i in numbers)


def test_rows_are_the_sets_of_their_ones():
    matrix = np.random.default_rng().random((9, 77)) < 0.5
    assert [members(bits) for bits in bitsets(matrix)] == [np.flatnonzero(row).tolist() for row in matrix]
    assert bitsets(np.zeros((0, 3), dtype=bool)) == []
