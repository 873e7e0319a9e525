"""The longest directed path of a tree: within one of the threshold dimension, and large trees at once."""

import numpy as np
import pytest

from privpac.dimensions import threshold_dimension, verify
from privpac.dimensions.tree_orders.chains import threshold_of_tree
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair
from tests.dimensions import oracles


def random_tree(rng):
    """A class of VC dimension at most 1: paths of a random tree, relabeled by a random concept."""
    size = int(rng.integers(1, 8))
    paths = [np.zeros(size, dtype=bool)]
    for v in range(size):
        path = paths[int(rng.integers(0, len(paths)))].copy()
        path[v] = True
        paths.append(path)
    matrix = np.unique(np.array(paths)[rng.random(len(paths)) < 0.8].reshape(-1, size), axis=0)
    return matrix ^ (rng.random(size) < 0.5)


@pytest.mark.slow
def test_a_tree_tells_the_dimension_up_to_one():
    rng = np.random.default_rng()
    for _ in range(300):
        matrix = random_tree(rng)
        if not len(matrix):
            continue
        order = tree_or_shattered_pair(matrix)
        assert isinstance(order, TreeOrder)
        pairs, most = threshold_of_tree(order)
        rows, columns = [row for row, _ in pairs], [column for _, column in pairs]
        M = order.concept_class.matrix[np.ix_(rows, columns)] if pairs else np.zeros((0, 0), dtype=bool)
        assert (np.triu(np.ones_like(M)) == M).all()
        true = oracles.naive_threshold(matrix)
        assert len(pairs) <= true <= most <= len(pairs) + 1


@pytest.mark.audit
@pytest.mark.parametrize(
    "classes", [np.tri(4000, dtype=bool), ~np.tri(3000, dtype=bool), np.tri(2000, dtype=bool)[::-1]]
)
def test_thousands_of_thresholds_take_no_search(classes):
    found = threshold_dimension(classes, time_limit=0)
    assert found.exact
    assert found.value in (len(classes), len(classes) - 1)
    assert verify(classes, found)
