"""κ by hitting sets equals κ by the definition; what a reducing set proves; the examples of [GGKM21]."""

import math
from functools import cache
from inspect import stack
from itertools import combinations, product
from sys import getrecursionlimit, setrecursionlimit

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.vectors.parities import Parities
from privpac.dimensions.irreducible import Reduction, irreducibility, is_irreducible, reducing_array, soa
from privpac.dimensions.littlestone import Littlestone
from privpac.dimensions.witnesses import ReducingSet, verify
from tests.dimensions import ggkm21
from tests.dimensions.oracles import naive_littlestone, naive_vc, random_rows
from tests.grid import over


@cache
def ldim(G: frozenset) -> int:
    return naive_littlestone(G)


def having(G: frozenset, x: int, y: int) -> frozenset:
    return frozenset(row for row in G if row[x] == y)


def by_all_trees(rows, k) -> bool:
    """[GGKM21, Def. 4.1] to the letter: every complete tree of depth k, as a heap of points, and every path of it."""
    G = frozenset(map(tuple, rows))

    def leaf(tree, bits):
        node, left = 0, G
        for b in bits:
            left, node = having(left, tree[node], b), 2 * node + 1 + b
        return left

    trees = product(range(len(rows[0])), repeat=2**k - 1)
    return all(any(ldim(leaf(tree, bits)) == ldim(G) for bits in product((0, 1), repeat=k)) for tree in trees)


def by_definition(rows, k) -> bool:
    """The same level by level: the two subtrees of a tree are chosen independently of each other."""
    G = frozenset(map(tuple, rows))
    d = ldim(G)

    @cache
    def keeps(left: frozenset, k: int) -> bool:
        if k == 0 or ldim(left) < d:
            return ldim(left) == d
        return all(any(keeps(having(left, x, y), k - 1) for y in (0, 1)) for x in range(len(rows[0])))

    return keeps(G, k)


def random_classes(seed, how_many, most_concepts=11, most_points=6):
    rng = np.random.default_rng(seed)
    return [random_rows(rng, most_concepts, most_points) for _ in range(how_many)]


def at_most(k, n):
    """All sets of at most k of n points."""
    return [[int(x in s) for x in range(n)] for j in range(k + 1) for s in combinations(range(n), j)]


def hard_class():
    """Random triples of points: neither counting nor greed finds the truth at once."""
    rng = np.random.default_rng(0)
    return ExplicitClass([np.isin(np.arange(40), rng.choice(40, 3, replace=False)) for _ in range(200)])


def test_level_by_level_is_the_definition():
    outcomes = [
        (by_definition(rows, k), by_all_trees(rows, k)) for rows in random_classes(1, 60, 7, 3) for k in (0, 1, 2)
    ]
    assert all(level == literal for level, literal in outcomes)
    assert {literal for _, literal in outcomes} == {True, False}


@pytest.mark.slow
def test_irreducibility_is_by_the_definition():
    seen = set()
    for rows in random_classes(2, 600):
        value = irreducibility(rows).value
        seen.add(value)
        if len(rows) == 1:
            assert value == math.inf
            assert by_definition(rows, len(rows[0]) + 2)
        else:
            assert by_definition(rows, value)
            assert not by_definition(rows, value + 1)
    assert {0, 1, 2, 3, math.inf} <= seen


def test_is_irreducible_is_by_the_definition_for_every_k():
    for rows in random_classes(3, 150, 9, 5):
        for k in range(len(rows[0]) + 2):
            assert is_irreducible(rows, k) == by_definition(rows, k)


def test_the_bound_by_points_and_concepts():
    tight = set()
    for rows in random_classes(4, 300):
        if len(rows) > 1:
            c = ExplicitClass(rows)
            by_points, by_concepts = len(c.points) - 1, c.size - 2 ** naive_littlestone(rows)
            value = irreducibility(rows).value
            assert value <= min(by_points, by_concepts)
            tight |= {"points"} if value == by_points else set()
            tight |= {"concepts"} if value == by_concepts else set()
    assert tight == {"points", "concepts"}


@over("n", [2, 3, 4, 10, 100, 300])
def test_points(n):
    κ = irreducibility(np.eye(n))
    assert κ.value == n - 2
    assert len(κ.witness.points) == n - 1
    assert κ.witness.holds_in(ExplicitClass(np.eye(n)))


@pytest.mark.audit
def test_many_points_need_no_deep_recursion():
    assert not is_irreducible(np.eye(1100), 1099)


@over(("k", "n"), [(1, 1), (1, 9), (2, 2), (2, 9), (3, 7)])
def test_sparse_sets(k, n):
    """Fixing 0 on A leaves the sets of at most k of the n − |A| other points: Ldim min(k, n − |A|)."""
    assert irreducibility(at_most(k, n)).value == n - k


def test_names_twins_and_constant_points():
    c = ExplicitClass([[1, 1, 0, 0, 1], [0, 0, 1, 0, 1], [0, 0, 0, 1, 1]], points="aAbcz")
    κ = irreducibility(c)
    assert κ.value == 1
    assert set(κ.witness.points) < set("abc")
    assert str(κ.witness) == "a = 0, b = 0"
    assert soa(c)(list("aAbcz")).tolist() == [False, False, False, False, True]


@pytest.mark.parametrize("rows", [[[0, 1, 1]], np.zeros((0, 3))])
def test_at_most_one_concept(rows):
    κ = irreducibility(rows)
    assert (κ.value, κ.witness) == (math.inf, None)
    assert is_irreducible(rows, 10**9)
    with pytest.raises(ValueError, match="at most one concept"):
        reducing_array(rows)


def test_refusals():
    with pytest.raises(ValueError, match="at least one concept"):
        soa(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="0 or more"):
        is_irreducible([[0, 1], [1, 0]], -1)
    with pytest.raises(ValueError, match="time_limit"):
        irreducibility(np.eye(3), time_limit=-1)


@pytest.mark.slow
def test_time_limit_leaves_honest_bounds():
    c = hard_class()
    said = []
    hurried = irreducibility(c, time_limit=0.5, progress=said.append)
    assert hurried.lower < hurried.upper == hurried.witness.value
    assert hurried.reason == "time limit"
    assert hurried.witness.holds_in(c)
    assert said[0].startswith("irreducibility ≥ ")
    assert irreducibility(c, time_limit=0).lower <= hurried.lower
    assert is_irreducible(c, int(hurried.lower))


def test_two_disjoint_obstacles_decide_without_a_search():
    rows = ["00000", "10100", "00010", "00100", "01000", "01001", "00001"]
    assert irreducibility([list(map(int, row)) for row in rows], time_limit=0).value == 1


def test_without_any_time_the_sizes_bound():
    thresholds = np.tri(65, 64, -1)
    κ = irreducibility(thresholds, time_limit=0)
    assert (κ.lower, κ.upper, κ.witness, κ.reason) == (0, 63, None, "time limit")
    assert irreducibility(thresholds[:40], time_limit=0).upper == 38
    assert irreducibility(list(product((0, 1), repeat=4)), time_limit=0).upper == 3


def test_a_time_limit_changes_no_answer():
    for rows in random_classes(5, 60):
        hurried, truth = irreducibility(rows, time_limit=0), irreducibility(rows).value
        assert hurried.lower <= truth <= hurried.upper


def test_soa_is_by_the_definition():
    ties = 0
    for rows in random_classes(6, 200):
        G = frozenset(map(tuple, rows))
        sides = [(ldim(having(G, x, 1)), ldim(having(G, x, 0))) for x in range(len(rows[0]))]
        assert soa(rows).labels == tuple(one >= zero for one, zero in sides)
        assert all(min(one, zero) < ldim(G) for one, zero in sides)
        ties += sum(one == zero for one, zero in sides)
    assert ties > 50


def test_soa_of_one_concept_is_the_concept():
    assert soa([[0, 1, 1, 0]]).labels == (False, True, True, False)


def test_irreducible_subclasses_of_equal_dimension_have_the_same_soa():
    """[GGKM21, Lemma 4.2 and Lemma 4.3]."""
    rng, seen = np.random.default_rng(7), 0
    for rows in random_classes(8, 300):
        part = [row for row in rows if rng.random() < 0.8]
        if part and naive_littlestone(part) == naive_littlestone(rows) and is_irreducible(part, 1):
            seen += 1
            assert soa(part).labels == soa(rows).labels
            assert irreducibility(part).value <= irreducibility(rows).value or len(part) == 1
    assert seen > 50


def test_soa_of_irreducible_subclasses_have_the_dimension_of_the_class():
    """[GGKM21, Lemma 4.4]."""
    gained = 0
    for rows in [*random_classes(9, 40, 8, 5), np.eye(5, dtype=int).tolist()]:
        d = naive_littlestone(rows)
        parts = [part for size in range(1, len(rows) + 1) for part in combinations(rows, size)]
        hypotheses = {soa(part).labels for part in parts if is_irreducible(part, d + 1)}
        assert naive_littlestone(hypotheses) == d
        gained += len(hypotheses) > len(rows)
    assert gained > 0


def test_witnesses_prove_the_upper_bound():
    for rows in random_classes(10, 200):
        c = ExplicitClass(rows)
        if c.size > 1:
            κ = irreducibility(c)
            assert κ.witness.value == κ.upper
            assert κ.witness.holds_in(c)


def test_false_witnesses_are_refused():
    c = ExplicitClass(np.eye(5))
    true = irreducibility(c).witness
    assert true.holds_in(c)
    a, labels, d = true.points, true.labels, true.dimension
    assert not ReducingSet(a[:-1], labels[:-1], d).holds_in(c)
    assert not ReducingSet((*a, a[0]), labels, d).holds_in(c)
    assert not ReducingSet(a, labels, d + 1).holds_in(c)
    assert not ReducingSet(a, labels, 0).holds_in(c)
    assert not ReducingSet(a, labels, -1).holds_in(c)
    assert not ReducingSet((), (), d).holds_in(c)
    assert not ReducingSet(a[:1], (not labels[0],), d).holds_in(c)  # the other side of the point keeps d


@pytest.mark.slow
def test_reducing_arrays_are_as_defined():
    """[GGKM21, Def. 4.3], and (6) of Lemma 4.5 for every row."""
    for rows in random_classes(11, 300):
        if len(rows) == 1:
            continue
        G = frozenset(map(tuple, rows))
        found = reducing_array(rows)
        array, k = found.array, len(found.points)
        assert [len(row) for row in array] == [*range(1, k + 1), k]
        for j in range(k):
            assert array[j + 1][:j] == array[j][:j]
            assert array[j + 1][j] != array[j][j]
        for row in array:
            left = G
            for x, y in zip(found.points, row, strict=False):
                left = having(left, x, y)
            assert 0 <= ldim(left) < ldim(G) == found.dimension
        assert found.labels == tuple(soa(rows).labels[x] for x in found.points)
        assert found.value >= irreducibility(rows).value


def test_greed_does_not_certify():
    rows = ["000000", "001000", "010100", "010000", "000001", "100100", "000011", "001010"]
    c = ExplicitClass([list(map(int, row)) for row in rows])
    assert (reducing_array(c).value, irreducibility(c).value) == (2, 1)


def test_figure_1():
    leaves = ggkm21.ancestors()
    assert sorted(leaves) == ["l1", "l2", "l3", "l4", "l5", "l6"]
    assert max(map(len, leaves.values())) == ggkm21.FIGURE_1_HEIGHT
    assert {leaf: leaves[leaf] for leaf in ggkm21.FIGURE_1_ANCESTORS} == ggkm21.FIGURE_1_ANCESTORS


@pytest.mark.parametrize("k", [1, 2])
def test_one_leaf_of_figure_1_keeps_the_dimension(k):
    """[GGKM21, Lemma 4.6]: the tree has height 3, the classes are 3-irreducible."""
    rows, reached = np.array(at_most(k, 5)), set()
    for σ in product((0, 1), repeat=5):
        c = ExplicitClass(rows ^ σ, points=ggkm21.FIGURE_1_POINTS)
        assert is_irreducible(c, ggkm21.FIGURE_1_HEIGHT)
        left = {leaf: c.where(labels).matrix.tolist() for leaf, labels in ggkm21.ancestors().items()}
        (leaf,) = (leaf for leaf, rest in left.items() if naive_littlestone(rest) == k)
        reached.add(leaf)
    assert len(reached) == 6


def test_appendix_b_negated_points():
    for n in (4, 5, 6):
        rows = ggkm21.negated_points(n).tolist()
        assert naive_littlestone(rows) == naive_vc(rows) == ggkm21.NEGATED_POINTS_DIMENSION


@pytest.mark.parametrize("d", [4, 5])
def test_appendix_b_soa_of_a_subclass_is_any_set(d):
    """[GGKM21, Prop. B.1]: SOA of 𝒢 is 1 exactly on the chosen points, though Ldim of the whole class is 3."""
    n = d + 3
    rows = ggkm21.some_of_first(n, d)
    for (chosen, label), stated in ggkm21.SOME_OF_FIRST_DIMENSIONS.items():
        x = 0 if chosen else n - 1
        assert naive_littlestone(rows[rows[:, x] == label].tolist()) == stated
    assert soa(rows).labels == (True,) * d + (False,) * (n - d)
    assert not is_irreducible(rows, ggkm21.NEGATED_POINTS_DIMENSION + 1)


def test_appendix_b_needs_three_points():
    """The proof is printed for d ≥ 2; with d = 2, three concepts are left where Ldim 2 is claimed, and SOA is 1."""
    assert soa(ggkm21.some_of_first(6, 3)).labels == (True,) * 3 + (False,) * 3
    rows = ggkm21.some_of_first(6, 2)
    assert naive_littlestone(rows[rows[:, 5] == 0].tolist()) == 1
    assert soa(rows).labels == (True,) * 6


@pytest.mark.slow
def test_as_few_concepts_as_a_mistake_tree_has_are_reduced_by_any_point():
    parities = Parities(10).materialize()
    found = irreducibility(parities, time_limit=5)
    assert (found.lower, found.upper) == (0, 0)
    assert verify(parities, found)


@pytest.mark.slow
def test_large_reducing_sets_need_no_recursion():
    """A sample decides which sub-class is searched: a search that may end with RecursionError would show it."""
    n, depth = 75, len(stack())
    G = Littlestone(np.eye(n, dtype=bool))
    search, before = Reduction(G, np.eye(n, dtype=bool), G.everything), getrecursionlimit()
    setrecursionlimit(depth + 60)
    try:
        found = search.reduce(G.everything, n - 1)
    finally:
        setrecursionlimit(before)
    assert len(set(found)) == n - 1
    assert search.reduce(G.everything, n - 2) is None
