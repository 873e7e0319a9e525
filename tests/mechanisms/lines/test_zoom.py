"""Zoom: nodes and their records against their definitions, the law by brute force, exact audits, broken twins."""

from collections import Counter

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.claims.case import Case
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.zoom import ValueCounts, Zoom, levels
from privpac.privacy.budget import Budget
from tests.audit.mechanism_mutants import HELD_ONLY, RANGE_OF_RECORDS, STEEP_ZOOM
from tests.audit.mutants import Mutant, planted
from tests.grid import over


def held(records, dtype=np.uint64):
    """None is a void record."""
    return ValueCounts.of(np.array([x for x in records if x is not None], dtype=dtype), None, len(records))


def nodes(zoom):
    """(level, first, stop) of all nodes, by definition."""
    return [
        (k, j << k, min((j + 2) << k, zoom.size))
        for k in range(zoom.finest, zoom.top + 1)
        for j in range(-(-zoom.size // 2**k))
    ]


def law_by_definition(zoom, records):
    weights = Counter()
    with ctx.workprec(128):
        rate = arb(zoom.cost.epsilon.numerator) / zoom.cost.epsilon.denominator / 2
        for k, first, stop in nodes(zoom):
            score = sum(x is not None and first <= x < stop for x in records) + zoom.level_worth * (zoom.top - k)
            weights[first, stop] += (rate * score).exp()
        total = sum(weights.values(), arb(0))
        return {each: weight / total for each, weight in weights.items()}


@pytest.mark.audit
@settings(max_examples=100, deadline=None)
@given(st.integers(1, 70), st.integers(0, 4), st.integers(0, 12), st.booleans(), st.integers(0, 2**30))
def test_the_law_is_that_of_all_nodes(size, finest, n, big, seed):
    rng = np.random.default_rng(seed)
    records = [
        None if void else x for x, void in zip(rng.integers(size, size=n).tolist(), rng.random(n) < 0.1, strict=True)
    ]
    zoom = Zoom(Budget("0.7"), size, finest)
    law, expected = zoom.law(held(records, object if big else np.uint64)), law_by_definition(zoom, records)
    assert law.keys() == expected.keys()
    assert all(abs(float(law[each] - expected[each])) < 1e-15 for each in law)


@pytest.mark.audit
@over("size", (1, 2, 3, 64, 65, 1000))
def test_nodes_cover_the_line_and_all_short_stretches(size):
    zoom = Zoom(Budget(1), size)
    every = nodes(zoom)
    assert (zoom.top, 0, size) in every
    for k in range(zoom.finest, zoom.top + 1):
        mine = [(first, stop) for level, first, stop in every if level == k]
        assert len(mine) == zoom.node_count(k)
        assert all(any(a <= x and min(x + 2**k, size) <= b for a, b in mine) for x in range(size))


def test_values_at_the_end_of_a_long_line():
    data = held([0, 2**64 - 1, 2**64 - 1])
    first, *_, top = (
        {node: inside for node, inside in zip(level.nodes.tolist(), level.inside.tolist(), strict=True) if inside}
        for level in levels(data, 0, 63)
    )
    assert top == {0: 3, 1: 2}
    assert first == {0: 1, 2**64 - 1: 2, 2**64 - 2: 2}


@pytest.mark.audit
@over("low", (0, 2**63, 2**64 - 1000))
@over("n", (2000, 30_000))
def test_it_finds_a_short_stretch(low, n):
    """A node with all records weighs at least e^120·e^27, all without records e^79; each level too wide costs e^½."""
    data = held((np.arange(n, dtype=object) % 1000 + low).tolist(), object)
    found = [Zoom(Budget("0.12"), 2**64).release(data, SYSTEM) for _ in range(20)]
    assert all(first <= low and stop >= low + 900 for first, stop in found)
    assert np.median([stop - first for first, stop in found]) <= 2**16


@pytest.mark.slow
def test_more_records_outside_than_certified_are_rare():
    """At most β = 1/2 by the theorem; with probability below 1e-9, 100 draws exceed it 80 times if it is 1/2."""
    rng, zoom = np.random.default_rng(1), Zoom(Budget("0.1"), 2**20)
    spread = (2 ** (rng.random(100) * 20)).astype(np.uint64)  # about five records on each level
    values = np.append(spread, np.zeros(3000, dtype=np.uint64))
    data = ValueCounts.of(values, None, 3100)
    found = [zoom.release(data, SYSTEM) for _ in range(100)]
    outside = [int(((values < first) | (values >= stop)).sum()) for first, stop in found]
    assert sum(each > zoom.outside(0.5) for each in outside) < 80
    assert max(outside) > 0


def test_how_many_records_are_enough():
    """The whole line against all empty nodes, by definition."""
    zoom = Zoom(Budget("0.1"), 10**4, 3)
    empty = sum(np.exp(0.05 * zoom.level_worth * (zoom.top - k)) for k, *_ in nodes(zoom))
    least = int(np.ceil((5 + np.log(empty)) / 0.05))
    assert zoom.enough(least) and not zoom.enough(least - 1)


def test_records_outside_move_to_the_nearer_end_and_none_is_lost():
    data = held([1, 5, 5, 9, None])
    assert data.places_within(4, 8).tolist() == [0, 0, 1, 1, 3]


UNIVERSE = (0, 3, 4, 10, None)


def case(zoom, claimed=None):
    return Case(zoom, held, "11 values", UNIVERSE, 3, claimed or zoom.cost)


@pytest.mark.audit
@over("epsilon", ("0.3", 1, 6))
@over("finest", (0, 1))
def test_no_neighbors_refute_it(epsilon, finest):
    zoom = Zoom(Budget(epsilon), 11, finest)
    assert not case(zoom).exact().refuted
    assert case(zoom, Budget(zoom.cost.epsilon / 2)).exact().refuted


@pytest.mark.slow
@pytest.mark.parametrize("fault", [HELD_ONLY, RANGE_OF_RECORDS, STEEP_ZOOM])
def test_mutants_are_refuted(fault):
    with planted(Mutant("zoom", *fault)):
        worst = case(Zoom(Budget(1), 11)).exact()
    assert worst.refuted
    assert fault is STEEP_ZOOM or float(worst.ratio) == float("inf")


def test_large_epsilon_and_entries_without_records():
    assert Zoom(Budget(400), 2**64).enough(1000) and not Zoom(Budget(400), 2**64).enough(1)
    seen, also = np.array([9]), np.array([3, 9])
    with_zero, without = ValueCounts.of(also, np.array([0, 5]), 5), ValueCounts.of(seen, np.array([5]), 5)
    assert Zoom(Budget(1), 16).law(with_zero).keys() == Zoom(Budget(1), 16).law(without).keys()
