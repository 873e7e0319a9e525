"""The Littlestone dimension of a tree equals the definition, and its mistake trees hold."""

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.tree_orders.tree_class import merge
from privpac.dimensions.tree_orders.laminar import ROOT, tree_order
from privpac.dimensions.tree_orders.littlestone import _Forest, littlestone_of_tree
from privpac.dimensions.witnesses import verify
from tests.dimensions import yan25
from tests.dimensions.oracles import naive_littlestone, paths_of, random_laminar, random_tree


def checked(rows, reference=None):
    """The dimension, with a mistake tree that verifies."""
    c = ExplicitClass(rows)
    d = littlestone_of_tree(tree_order(c, reference))
    assert d.exact and verify(c, d)
    return d.value


@pytest.mark.audit
def test_equals_the_definition_on_random_trees():
    rng = np.random.default_rng()
    for _ in range(1200):
        rows = random_laminar(rng, 14)
        assert checked(rows) == naive_littlestone(rows), rows


@pytest.mark.slow
def test_does_not_depend_on_the_reference():
    rng = np.random.default_rng()
    for _ in range(40):
        rows = random_laminar(rng, 40)
        assert len({checked(rows, reference) for reference in range(len(rows))}) == 1, rows


def test_mistake_trees_of_large_trees_hold():
    rng = np.random.default_rng()
    for nodes in (200, 400):
        for _ in range(4):
            proper = np.flatnonzero(rng.random(nodes) < 0.7)
            rows = paths_of(random_tree(rng, nodes), proper)
            assert checked(np.unique(rows, axis=0)) >= 1


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[0, 1]], 0),
        (np.eye(50), 1),
        (np.vstack([np.eye(50), np.zeros(50)]), 1),
        (np.tri(31, 30, -1), 4),
        (np.tri(32, 31, -1), 5),
        (np.tri(33, 32, -1), 5),
        (np.tri(63, 62, -1)[:, ::-1], 5),
        (1 - np.tri(64, 63, -1), 6),
        (yan25.MATRIX, 2),
    ],
)
def test_known_values(rows, value):
    assert checked(rows) == value


def test_the_example_of_yan_by_hand():
    """x5, x6 and x7 weigh 3, 1, 1; with x4 and its own concept x1 weighs 4 = 2 + 2; with x2, x3 and h8 that makes 6."""
    T = tree_order(ExplicitClass(yan25.MATRIX, points=yan25.POINTS, concepts=yan25.POSITIVE), "h8")
    N = _Forest(T).N
    assert {x: N[T.canon(x)] for x in yan25.POINTS} == {"x1": 4, "x2": 1, "x3": 1, "x4": 1, "x5": 2, "x6": 1, "x7": 1}
    assert N[ROOT] == 6
    assert naive_littlestone(yan25.MATRIX) == 2


def by_definition(entries):
    """μ as the proof states it: by the top bit that is present."""
    if not any(entries):
        return 0
    b = max(entries).bit_length() - 1
    heavy = [a for a in entries if a >= 2**b]
    if len(heavy) >= 2:
        return 2 ** (b + 1)
    rest = list(entries)
    rest[rest.index(heavy[0])] -= 2**b
    return 2**b + by_definition(rest)


def test_merge_is_as_stated_and_has_the_properties_of_the_proof():
    rng = np.random.default_rng()
    for _ in range(2000):
        entries = [int(a) for a in rng.integers(0, 40, size=rng.integers(0, 6))]
        total = merge(entries)
        assert total == by_definition(entries), entries
        assert total >= max(entries, default=0)
        assert merge([*entries, 0]) == total
        assert total > max(entries, default=-1) or sum(a > 0 for a in entries) <= 1
        for k in range(6):
            for s in (1, 2**k):
                begun = [[*entries[:i], a - 2**k, *entries[i + 1 :]] for i, a in enumerate(entries) if a >= 2**k]
                assert (total >= 2**k + s) == any(merge(each) >= s for each in begun), (entries, k, s)


def test_only_the_heaviest_children_matter():
    rng = np.random.default_rng()
    for _ in range(1000):
        entries = sorted((int(a) for a in rng.integers(0, 20, size=12)), reverse=True)
        assert merge(entries[: entries[0].bit_length() + 1]) == merge(entries), entries


def test_thresholds_on_many_points_in_a_moment():
    n = 1023
    assert checked(np.tri(n + 1, n, -1)) == 10
