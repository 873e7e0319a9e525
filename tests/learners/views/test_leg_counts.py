"""Cuts of legs: chains are exact and short."""

from __future__ import annotations

import numpy as np

from privpac.learners.views.leg_counts import Legs, cut, leg_chains
from tests.learners.tree_definitions import splits


def test_chains_of_hundreds_of_bits_are_exact() -> None:
    bits = 300
    positions = [0, 1, (1 << bits) - 1, 1 << 299, 12345 << 200]
    legs = Legs.of(
        np.zeros(5, dtype=np.int64), np.array(positions, dtype=object), np.zeros(5, np.int64), np.ones(5, np.int64)
    )
    chains = leg_chains(legs, bits)
    assert len(chains.point) <= 5 * bits
    found: dict[int, int] = {}
    for point, top, length, q in zip(*chains[:4], strict=True):
        for index in range(int(length)):
            t = cut(int(legs.position[point]), bits, int(top), index)
            assert t not in found
            found[t] = int(q)
    assert found == dict(splits(bits, positions))


def test_the_best_cut_need_not_be_a_split() -> None:
    legs = Legs.of(np.zeros(2, np.int64), np.array([1, 2], np.uint64), np.array([0, 9]), np.array([9, 0]))
    assert legs.best == 9
    assert Legs.of(*(np.zeros(0, np.int64) for _ in range(4))).best == 0
