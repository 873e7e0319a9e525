"""What learners on legs count, against the definitions; chains of cuts are exact and short."""

from __future__ import annotations

import numpy as np
import pytest

from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.learners.tree_orders.spider_legs import Legs, Sides, Spiders, cut, leg_chains
from tests.grid import over
from tests.learners.tree_definitions import check, drawn, splits

SIZES = [0, 1, 1, 2, 2, 3, 5, 8, 13, 20, 30]


@pytest.mark.audit
@over("bits", [0, 1, 3, 64, 70])
def test_spiders_are_counted_as_defined(bits: int) -> None:
    rng = np.random.default_rng(5)
    tree, top = Spider(bits), (1 << bits) - 1
    values = sorted({0, top, top // 2, top // 3, top // 5, max(top - 1, 0), min(top, 1)})
    points = [(group, value) for group in ("x", 7) for value in values]
    cuts = {top - value + k for value in values for k in (0, 1)} | {1}
    for n in SIZES:
        records = drawn(points, rng, n)
        expected = [
            ((g, t), q)
            for g in ("x", 7)
            for t, q in splits(bits, [top - value for (group, value), y in records if y and group == g]).items()
        ]
        check(Spiders(tree), tree, records, expected, [(), *((g, t) for g in ("x", 7) for t in cuts if t)])


@pytest.mark.slow
@over(("low", "high", "center"), [(0, 9, 4), (0, 9, 0), (-3, 3, 3), (5, 5, 5), (0, 2**64 - 1, 1), (0, 2**70, 2**69)])
def test_two_sided_intervals_are_counted_as_defined(low: int, high: int, center: int) -> None:
    rng = np.random.default_rng(6)
    tree = TwoSided(low, high, center)
    view, c, last = Sides(tree), center - low, high - low
    points = sorted({low, high, center, (low + center) // 2, (2 * high + center) // 3, min(center + 1, high)})
    every = [p - low + k for p in points for k in (-1, 0, 1) if 0 <= p - low + k <= last]
    for n in SIZES:
        records = drawn(points, rng, n)
        right = splits(view.bits, [x - center - 1 for x, y in records if y and x > center])
        left = splits(view.bits, [center - x - 1 for x, y in records if y and x < center])
        ends = [(min(c + t, last), q) for t, q in right.items()] + [(max(c - t, 0), q) for t, q in left.items()]
        check(view, tree, records, ends, every)


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
