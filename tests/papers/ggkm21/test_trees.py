"""Definitions 4.1–4.4 and Lemmas 4.1–4.7 of [GGKM21] on random small classes, against the definitions.

Each lemma is tried on at least 300 random classes that satisfy its premise; Ldim, SOA and irreducibility are by their
definitions there, in code that shares nothing with the package.
"""

from itertools import combinations

import numpy as np
import pytest

from privpac.dimensions.oracle import ListedOracle
from privpac.papers.ggkm21.trees import (
    Branching,
    GeneralizedTree,
    binary,
    is_irreducible,
    is_reducing_array,
    reducing_array,
    soa_functions,
    stable_leaf,
    surviving_leaf,
)
from tests.dimensions import ggkm21
from tests.dimensions.oracles import random_rows
from tests.dimensions.test_irreducible import by_definition, having, ldim

pytestmark = pytest.mark.papers

ENOUGH = 300


def after(G, labels):
    for x, y in labels:
        G = having(G, x, y)
    return G


def soa(G, n):
    return tuple(ldim(having(G, x, 1)) >= ldim(having(G, x, 0)) for x in range(n))


def sparse(rng):
    """Most of the sets of at most one or two of three to five points: classes of some irreducibility."""
    n, k = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    rows = [tuple(int(x in s) for x in range(n)) for j in range(k + 1) for s in combinations(range(n), j)]
    return [row for row in rows if rng.random() < 0.85] or rows[:1]


def classes(seed, most_concepts=9, most_points=4):
    """Random classes forever, by turns any and sparse."""
    rng = np.random.default_rng(seed)
    while True:
        yield rng, [tuple(row) for row in random_rows(rng, most_concepts, most_points)]
        yield rng, sparse(rng)


def oracle(rows):
    """The oracle, and the state of a set of rows: its points are merged, so that they go by their names."""
    F = ListedOracle(rows)
    place = {
        tuple(row): i
        for i, row in enumerate(F.matrix[:, F.concept_class.columns(range(len(rows[0])))].astype(int).tolist())
    }
    return F, lambda G: sum(1 << place[row] for row in G)


def random_tree(rng, n, height, widest):
    """A generalized tree of at most this height, its nodes with at most ``widest`` points."""
    inner, waiting = {}, [((), height)]
    while waiting:
        v, left = waiting.pop()
        if left < 1 or (v and rng.random() < 0.3):
            continue
        k = int(rng.integers(1, min(left, widest) + 1))
        last = tuple(bool(y) for y in rng.integers(0, 2, k))
        array = (*((*last[:j], not last[j]) for j in range(k)), last)
        inner[v] = Branching(tuple(int(x) for x in rng.integers(0, n, k)), array)
        waiting += [((*v, j), left - min(j + 1, k)) for j in range(k + 1)]
    return GeneralizedTree(inner)


def part(rng, G):
    """Some of the concepts."""
    return frozenset(row for row in sorted(G) if rng.random() < 0.8)


def test_definition_4_1():
    for tried, (_, rows) in enumerate(classes(1)):
        F, state = oracle(rows)
        for k in range(4):
            assert is_irreducible(F, state(rows), k) == by_definition(rows, k)
        if tried == ENOUGH:
            break


def test_definition_4_3():
    assert is_reducing_array(((True,), (False, True), (False, False)))
    for array in (((True,), (True, True), (True, False)), ((True,), (False,), (False,)), ((True, False), (False,)), ()):
        assert not is_reducing_array(array)
        with pytest.raises(ValueError, match="needs a reducing array"):
            Branching(("p", "q"), array)


def test_definition_4_4_on_figure_1():
    number = {"v1": (), "v2": (0,), "v3": (2,)}
    tree = GeneralizedTree(
        {
            number[v]: Branching(points, tuple(tuple(map(bool, row)) for row in array))
            for v, (points, array) in ggkm21.FIGURE_1.items()
        }
    )
    leaves = {"l4": (0, 0), "l5": (0, 1), "l6": (0, 2), "l1": (1,), "l2": (2, 0), "l3": (2, 1)}
    assert set(tree.leaves) == set(leaves.values())
    assert {name: dict(tree.ancestors(v)) for name, v in leaves.items()} == ggkm21.ancestors()
    assert (tree.height, tree.depth) == (ggkm21.FIGURE_1_HEIGHT, 2)
    with pytest.raises(ValueError, match="child of an inner node"):
        GeneralizedTree({(0,): tree.inner[()]})


def leaves_that_keep(G, x):
    return [v for v in x.leaves if ldim(after(G, x.ancestors(v))) == ldim(G)]


@pytest.mark.parametrize("widest", [1, 3], ids=["lemma 4.1", "lemma 4.6"])
def test_one_leaf_survives(widest):
    """Lemma 4.1 is about binary trees, which are generalized ones with one point at each node."""
    tried = 0
    for rng, rows in classes(2 + widest):
        G, k = frozenset(rows), int(rng.integers(1, 4))
        x = random_tree(rng, len(rows[0]), k, widest)
        F, state = oracle(rows)
        keep = leaves_that_keep(G, x)
        assert surviving_leaf(F, state(G), x) == (keep[0] if keep else None)
        if by_definition(rows, k):
            assert len(keep) == 1
            tried += 1
        if tried == ENOUGH:
            break


def test_the_binary_tree_of_lemma_4_6():
    rng = np.random.default_rng(8)
    for _ in range(ENOUGH):
        x = random_tree(rng, 5, 4, 3)
        points = binary(x)
        paths = {tuple(y for _, y in x.ancestors(v)): x.ancestors(v) for v in x.leaves}
        assert set(paths) == {(*bits, y) for bits in points for y in (False, True)} - set(points) or not points
        for bits, labels in paths.items():
            assert [points[bits[:i]] for i in range(len(bits))] == [point for point, _ in labels]


def test_lemma_4_2_and_4_3():
    """What is between an irreducible class and a larger one of the same dimension is as irreducible, with its SOA."""
    tried = [0, 0]
    for rng, rows in classes(5):
        G, k = frozenset(rows), int(rng.integers(1, 4))
        H = part(rng, G)
        if H and ldim(H) == ldim(G) and by_definition(sorted(H), k):
            F, state = oracle(rows)
            assert by_definition(rows, k)
            assert is_irreducible(F, state(G), k)
            assert soa(H, len(rows[0])) == soa(G, len(rows[0]))
            assert F.soa(state(H)) == F.soa(state(G))
            assert F.soa(state(G))(range(len(rows[0]))).tolist() == list(soa(G, len(rows[0])))
            tried[H != G] += 1
        if min(tried) >= ENOUGH:
            break


def test_lemma_4_4():
    for tried, (_, rows) in enumerate(classes(6, 6, 4)):
        if tried == 2 * ENOUGH:
            break
        if tried % 2 or len(rows) > 6:
            continue
        F, _ = oracle(rows)
        n, d, G = len(rows[0]), ldim(frozenset(rows)), sorted(set(rows))
        some = [frozenset(s) for size in range(1, len(G) + 1) for s in combinations(G, size)]
        wanted = {soa(H, n) for H in some if by_definition(sorted(H), d + 1)}
        assert {tuple(h(range(n)).tolist()) for h in soa_functions(F, d + 1)} == wanted
        assert ldim(frozenset(tuple(map(int, row)) for row in wanted)) == d


def test_lemma_4_5():
    tried = 0
    for rng, rows in classes(7):
        G, k = frozenset(rows), int(rng.integers(1, 5))
        F, state = oracle(rows)
        found = reducing_array(F, state(G), k)
        assert (found is None) == by_definition(rows, k)
        if found is not None:
            assert len(found.points) <= k
            left = [ldim(after(G, found.labels(j))) for j in range(len(found.array))]
            assert all(0 <= each < ldim(G) for each in left)
            tried += 1
        if tried == ENOUGH:
            break


def test_lemma_4_7():
    tried = 0
    for rng, rows in classes(9):
        F, state = oracle(rows)
        n, G = len(rows[0]), frozenset(rows)
        H = part(rng, G)
        k = int(rng.integers(2, 4))
        k_prime = int(rng.integers(1, k))
        S = tuple(
            (int(x), bool(y)) for x, y in zip(rng.integers(0, n, k - k_prime), rng.integers(0, 2, k), strict=False)
        )
        x = random_tree(rng, n, k - k_prime, 2)
        HS, GS = after(H, S), after(G, S)
        if not HS or ldim(HS) != ldim(GS) or not by_definition(sorted(HS), k):
            continue
        if any(ldim(after(G, x.ancestors(v))) > ldim(GS) for v in x.leaves):
            continue
        v = stable_leaf(F, state(H), S, x)
        here = after(H, x.ancestors(v))
        assert ldim(after(G, x.ancestors(v))) == ldim(here) == ldim(GS)
        assert by_definition(sorted(here), k_prime)
        for _ in range(3):
            J, J_prime = (H | part(rng, G) for _ in range(2))
            assert soa(after(J, S), n) == soa(after(J_prime, x.ancestors(v)), n)
        tried += 1
        if tried == ENOUGH:
            break


def test_many_subclasses_are_refused():
    with pytest.raises(ValueError, match="at most 16 concepts"):
        soa_functions(ListedOracle(np.eye(17)), 1)
