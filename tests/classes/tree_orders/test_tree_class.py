"""Two-sided intervals, and what every class on a tree promises."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.lines.rules import Interval
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TwoSided, merge
from tests.classes.definitions import assert_known, assert_patterns, littlestone, rows_of
from tests.grid import over


def between(N, center):
    return [lambda x, t=t: min(t, center) <= x <= max(t, center) for t in range(N)]


@over(("N", "center"), [(N, c) for N in range(1, 8) for c in range(N)])
def test_two_sided_intervals_have_the_dimensions_of_their_definition(N, center):
    cls = TwoSided(0, N - 1, center)
    assert_known(cls, between(N, center), range(N), unknown=("dual VC", "dual Littlestone"))
    assert cls.size == len(rows_of(between(N, center), range(N)))


@over(("N", "center"), [(16, 4), (16, 8), (24, 7), (31, 15), (32, 15), (32, 0), (27, 11)])
def test_littlestone_of_longer_branches(N, center):
    assert TwoSided(0, N - 1, center).known("Littlestone").value == littlestone(rows_of(between(N, center), range(N)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_patterns_are_those_of_all_concepts(center, points):
    assert_patterns(TwoSided(0, 6, center), between(7, center), points)


def test_the_tree_on_other_lines():
    T = TwoSided(date(2026, 1, 1), date(2026, 1, 9), date(2026, 1, 4))
    assert T.hypothesis(date(2026, 1, 2)) == Interval(date(2026, 1, 2), date(2026, 1, 4))
    assert T.children(T.root) == [date(2026, 1, 3), date(2026, 1, 5)]
    assert T.children(date(2026, 1, 9)) == []
    assert T.parent(date(2026, 1, 9)) == date(2026, 1, 8)
    assert (T.height, T.closure([date(2026, 1, 3), date(2026, 1, 5)])) == (5, None)
    prices = TwoSided(Decimal("0.00"), Decimal("9.99"), Decimal("5"))
    assert str(prices.hypothesis(Decimal("5.10"))) == "5.00 ≤ x ≤ 5.10"
    assert TwoSided(0, 9.5, 4).root == 4.0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((0, 9, 12), ValueError), ((0, 9, None), ValueError), ((9, 0, 5), ValueError), (("a", "z", "b"), TypeError)],
)
def test_bad_declarations(arguments, error):
    with pytest.raises(error):
        TwoSided(*arguments)


TREES = [
    (TwoSided(0, 9, 4), list(range(10))),
    (Taxonomy({1: 0, 2: 0, 3: 1, 4: 1, 5: 4}), list(range(6))),
    (Taxonomy({1: 0, 2: 0, 3: 1, 4: 1, 5: 4}, "subtree"), list(range(6))),
    (Spider(2), [(g, c) for g in "ab" for c in range(4)]),
    (RootPaths(height=3), ["", "a", "a/b", "a/b/c", "a/c", "d"]),
    (StartsWith(height=3), ["", "a", "ab", "abc", "ac", "d"]),
]


@pytest.mark.parametrize(("T", "points"), TREES, ids=lambda each: type(each).__name__)
def test_the_tree_and_the_concepts_tell_the_same(T, points):
    """h_v is 1 on x iff the node of x is above v (below v, for subtrees), or x has no node and label f(x)."""
    for v in {T.canon(x) for x in points} - {None}:
        assert T.ancestor(v, T.depth(v)) == v
        assert T.ancestor(v, 0) == T.root
        assert T.parent(v) == T.ancestor(v, T.depth(v) - 1) if T.depth(v) else T.parent(v) is None
        assert T.depth(v) <= T.height
        assert T.is_proper(v)
        for x, label in zip(points, T.hypothesis(v)(points), strict=True):
            u = T.canon(x)
            high, low = (u, v) if T.kind == "root_path" else (v, u)
            on_path = u is not None and T.depth(high) <= T.depth(low) and T.ancestor(low, T.depth(high)) == high
            assert label == (T.ref_label(x) if u is None else on_path)


@pytest.mark.parametrize(("T", "points"), [each for each in TREES if each[0].kind == "root_path"])
def test_children_are_below(T, points):
    if not isinstance(T, RootPaths):
        for v in {T.canon(x) for x in points} - {None}:
            assert all(T.parent(child) == v for child in T.children(v))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=6))
def test_merge_takes_no_notice_of_order_or_zeros_and_grows(weights):
    assert merge(weights) == merge([*reversed(weights), 0])
    assert max(weights, default=0) <= merge(weights) <= sum(weights)
    assert merge(np.sort(weights).tolist()[:-1]) <= merge(weights)
