"""Every closure bound against dimensions by their definitions, and the families that attain the tight ones."""

from itertools import chain, product
from math import log2

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.closure import (
    littlestone_of_composition,
    littlestone_of_unions,
    littlestone_range,
    log2_threshold_of_composition,
    log2_threshold_of_compositions,
    threshold_of_unions,
    threshold_range,
    tree_sauer,
)
from privpac.dimensions.witnesses import ThresholdSequence
from tests.dimensions.abms20 import split_thresholds
from tests.dimensions.oracles import naive_littlestone, naive_threshold, random_rows
from tests.grid import over


def random_parts(rng, k, most_concepts=7, n=5):
    """k classes on the same n points."""
    shapes = rng.integers(1, most_concepts + 1, size=k)
    return [np.unique(rng.random((m, n)) < rng.choice([0.2, 0.5, 0.8]), axis=0).astype(int).tolist() for m in shapes]


def ball(center, radius, n):
    """All rows at Hamming distance at most ``radius`` from the constant row ``center``."""
    return [row for row in product((0, 1), repeat=n) if sum(bit != center for bit in row) <= radius]


def thresholds(t):
    """t concepts on t points: i is 1 on j iff i ≤ j."""
    return np.triu(np.ones((t, t), dtype=int)).tolist()


def realized_paths(rows, tree, n) -> int:
    """How many of the paths of a tree of depth n, a heap of points, some row follows."""
    ends = set()
    for row in rows:
        node = 0
        for _ in range(n):
            node = 2 * node + 1 + row[tree[node]]
        ends.add(node)
    return len(ends)


def test_tree_sauer_bounds_the_realised_paths():
    rng, attained = np.random.default_rng(1), 0
    for _ in range(400):
        rows, n = random_rows(rng, 14, 6), int(rng.integers(0, 6))
        tree = rng.integers(0, len(rows[0]), size=2**n - 1)
        count, bound = realized_paths(rows, tree, n), tree_sauer(n, naive_littlestone(rows))
        assert count <= bound
        attained += count == bound
    assert attained > 20


@over(("n", "d"), [(4, 0), (4, 1), (5, 2), (5, 5), (3, 7)])
def test_tree_sauer_is_attained_by_sparse_sets(n, d):
    level_by_level = [node.bit_length() - 1 for node in range(1, 2**n)]
    assert realized_paths(ball(0, d, n), level_by_level, n) == tree_sauer(n, d)


@pytest.mark.audit
def test_union_of_two():
    rng, attained = np.random.default_rng(2), 0
    for _ in range(300):
        one, two = random_parts(rng, 2)
        bound = littlestone_of_unions([naive_littlestone(one), naive_littlestone(two)])
        assert naive_littlestone(one + two) <= bound
        assert threshold_of_unions([naive_threshold(one), naive_threshold(two)]) >= naive_threshold(one + two)
        attained += naive_littlestone(one + two) == bound
    assert attained > 10


@over(("d1", "d2"), list(product(range(3), repeat=2)))
@over("more", [0, 1])
def test_hamming_balls_attain_the_bound_of_a_union(d1, d2, more):
    n = d1 + d2 + 1 + more
    one, two = ball(0, d1, n), ball(1, d2, n)
    assert (naive_littlestone(one), naive_littlestone(two)) == (d1, d2)
    assert naive_littlestone(one + two) == littlestone_of_unions([d1, d2])


def test_an_empty_class_adds_nothing():
    assert littlestone_of_unions([-1, 4]) == littlestone_of_unions([4, -1, -1]) == 4
    assert littlestone_of_unions([-1, -1]) == littlestone_of_unions([]) == -1


@pytest.mark.slow
def test_union_of_many():
    rng = np.random.default_rng(3)
    for _ in range(300):
        parts = random_parts(rng, int(rng.integers(1, 7)), most_concepts=4)
        dimensions = [naive_littlestone(part) for part in parts]
        assert naive_littlestone(list(chain.from_iterable(parts))) <= littlestone_of_unions(dimensions)


def test_the_bounds_of_unions_compare():
    for d1, d2 in product(range(-1, 12), repeat=2):
        assert littlestone_of_unions([d1, d2]) == d1 + d2 + 1
    for d, k in product(range(12), range(1, 40)):
        assert littlestone_of_unions([d] * k) <= 3 * d + 3 * log2(k)


def test_the_largest_q_is_found():
    """The inequality is true up to the bound and false beyond it."""
    for dimensions in product(range(4), repeat=3):
        true = [2**q <= sum(tree_sauer(q, d) for d in dimensions) for q in range(40)]
        assert true == [q <= littlestone_of_unions(dimensions) for q in range(40)]


def test_many_singletons_attain_the_bound():
    """2^n classes of one concept each: their union is everything."""
    for n in range(1, 5):
        assert naive_littlestone(ball(0, n, n)) == n == littlestone_of_unions([0] * 2**n)


def test_copies_of_a_class_need_the_logarithm():
    """[ABMS20, Prop. 4.3]: with all labels on l new points, 2^l copies have a union of Ldim ≥ d + l."""
    for l in range(3):
        copies = [(*new, *row) for new in product((0, 1), repeat=l) for row in ball(0, 1, 3)]
        assert 1 + l <= naive_littlestone(copies) <= littlestone_of_unions([1] * 2**l)


@pytest.mark.parametrize("lengths", [(1, 1), (2, 3), (1, 2, 2), (4, 0)])
def test_blocks_of_thresholds_attain_the_bound_of_a_union(lengths):
    rows, parts = thresholds(sum(lengths)), []
    for t in lengths:
        parts, rows = [*parts, rows[:t]], rows[t:]
    assert tuple(map(naive_threshold, parts)) == lengths
    assert naive_threshold(list(chain.from_iterable(parts))) == threshold_of_unions(lengths) == sum(lengths)


def test_compositions_of_two():
    rng = np.random.default_rng(4)
    for table in product((0, 1), repeat=4):
        for _ in range(10):
            one, two = (ExplicitClass(part) for part in random_parts(rng, 2, most_concepts=4, n=4))
            t = max(naive_threshold(c.matrix.tolist()) for c in (one, two))
            composed = naive_threshold(one.compose(table, two).matrix.tolist())
            assert composed.bit_length() <= log2_threshold_of_composition(t, 2)


def test_exponents_as_printed():
    assert log2_threshold_of_composition(t=0, k=1) == 4 * 4
    assert log2_threshold_of_composition(t=2, k=3) == 4 * 3 * 64 * 3


@pytest.mark.slow
def test_littlestone_and_threshold_dimension():
    rng = np.random.default_rng(5)
    for _ in range(400):
        rows = random_rows(rng, 12, 5)
        d, t = naive_littlestone(rows), naive_threshold(rows)
        assert threshold_range(d)[0] <= t <= threshold_range(d)[1]
        assert littlestone_range(t)[0] <= d <= littlestone_range(t)[1]
    for t in range(1, 8):
        assert naive_littlestone(thresholds(t)) == littlestone_range(t)[0]
    assert (threshold_range(-1), littlestone_range(0)) == ((0, 0), (-1, 1))
    assert threshold_range(naive_littlestone(thresholds(7)))[1] == 7


@over("t", [6, 10, 15])
@over("seed", [1, 2])
def test_split_thresholds(t, seed):
    split = split_thresholds(t, np.random.default_rng(seed))
    H, m = split.concept_class, 2 ** (t // 5)
    assert (split.disjunctions, split.threshold) == (m, t)
    assert naive_threshold(H.matrix.tolist()) <= t
    halves = [[("f", i), ("g", i)] for i in range(m, 0, -1)]
    names = tuple(tuple(H.twins.get(name, name) for name in pair) for pair in halves)
    assert ThresholdSequence(tuple(range(m, 0, -1)), names).holds_in(H.compose("or", H))
    for f, g in names:
        assert not (H[f] & H[g]).any()


def test_a_split_is_random():
    assert (
        split_thresholds(15, np.random.default_rng(1)).concept_class.to_json()
        != split_thresholds(15, np.random.default_rng(2)).concept_class.to_json()
    )
    ones = split_thresholds(30, np.random.default_rng(3)).concept_class.matrix_on(range(1, 65))
    assert abs(ones[:64].sum() - 64 * 65 / 4) < 6 * np.sqrt(64 * 65 / 8)  # fair coins: 2e-9 beyond six deviations


def test_the_chance_that_a_split_fails():
    """No k concepts share k points when there are fewer than k points; then the chance falls with t."""
    assert [split_thresholds(t, np.random.default_rng()).failure for t in (6, 10)] == [0, 0]
    chances = [split_thresholds(t, np.random.default_rng()).failure for t in (15, 20, 25)]
    assert chances[0] == 8**2 / 2**42
    assert all(chance < 1e-9 for chance in chances)


@pytest.mark.parametrize(
    "bound",
    [
        lambda: tree_sauer(-1, 0),
        lambda: littlestone_of_unions([1, -2]),
        lambda: threshold_of_unions([2, -1]),
        lambda: log2_threshold_of_composition(1, 0),
        lambda: threshold_range(-2),
        lambda: littlestone_range(-1),
    ],
)
def test_refusals(bound):
    with pytest.raises(ValueError, match="too small"):
        bound()


@pytest.mark.slow
@over("G", ["and", "or", "xor", (False, False, True, False)])
def test_threshold_dimensions_of_compositions_stay_below_both_bounds(G):
    rng = np.random.default_rng(11)
    for _ in range(10):
        first, second = (ExplicitClass(rng.random((4, 5)) < 0.5, points=range(5)) for _ in range(2))
        t = [naive_threshold(c.matrix.tolist()) for c in (first, second)]
        found = naive_threshold(first.compose(G, second).matrix.tolist())
        assert found < 2 ** log2_threshold_of_compositions(t)


def test_the_better_of_two_bounds_on_the_threshold_dimension():
    sizes = {t: log2_threshold_of_compositions([t, t]) for t in range(1, 8)}
    assert [sizes[t] < log2_threshold_of_composition(t, 2) for t in sizes] == [True] * 5 + [False] * 2
    assert sizes[2] == littlestone_of_composition([7, 7]) + 1
    assert all(sizes[t] < sizes[t + 1] for t in range(1, 7))
    assert log2_threshold_of_compositions([1, 3]) < log2_threshold_of_compositions([3, 3])
