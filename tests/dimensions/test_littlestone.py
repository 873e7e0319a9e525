"""Littlestone dimensions against their definition, and where theory knows them; witnesses are verified apart."""

import sys
from itertools import combinations, product
from math import inf

import numpy as np
import pytest

from privpac.classes.finite.explicit import explicit
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.dimensions import littlestone
from privpac.dimensions.littlestone import Littlestone, by_search, littlestone_dimension
from privpac.dimensions.time_limit import Clock
from privpac.dimensions.witnesses import verify
from tests.dimensions.oracles import naive_littlestone, random_rows
from tests.grid import over

INTERVALS = [1, 2, 4, 6, 9, 13, 19, 27, 39, 55, 79, 111, 159]  # the least N with a tree of depth 1, 2, 3 …
HALF_PLANES = {2: 3, 3: 5, 4: 7, 5: 8, 6: 9, 7: 10, 8: 11, 9: 11, 10: 12, 11: 12, 12: 13}


@pytest.fixture(params=["python", "compiled"])
def route(request, monkeypatch):
    """Both searches answer every question of these tests."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    monkeypatch.setattr(littlestone, "EFFORT", inf if request.param == "python" else -1)
    return request.param


def thresholds(n):
    return np.tri(n + 1, n, -1, dtype=bool)


def intervals(n):
    left, right = np.triu_indices(n)
    x = np.arange(n)
    return np.vstack([np.zeros(n, bool), (left[:, None] <= x) & (x <= right[:, None])])


def conjunctions(d, empty=True):
    """All sets of literals on d bits, the contradiction last; the empty conjunction is always true."""
    cube = np.array(list(product([0, 1], repeat=d)))
    literals = [c for c in product([0, 1, None], repeat=d) if empty or set(c) != {None}]
    rows = [[all(v is None or x[i] == v for i, v in enumerate(c)) for x in cube] for c in literals]
    return np.array([*rows, [False] * len(cube)])


def dimension(matrix):
    """The exact dimension by search, its witness verified."""
    found = by_search(explicit(matrix), Clock(None, None))
    assert found.exact
    assert verify(matrix, found)
    return found.value


STRUCTURED = [
    thresholds(7),
    intervals(4),
    conjunctions(2),
    np.eye(8, dtype=bool),
    HalfPlanes(3).materialize().matrix[::3],
]


def structured(rng):
    """Part of a class with many equal cuts and nested parts, some of its points flipped."""
    matrix = STRUCTURED[rng.integers(len(STRUCTURED))]
    matrix = matrix[rng.random(len(matrix)) < rng.choice([0.5, 0.9])]
    return matrix ^ (rng.random(matrix.shape[1]) < rng.choice([0, 0.5]))


@pytest.mark.audit
def test_random_classes(route):
    rng = np.random.default_rng(1)
    for _ in range(700):
        rows = np.array(random_rows(rng, 24, 7), dtype=bool)
        assert dimension(rows) == naive_littlestone(rows.tolist())


@pytest.mark.audit
def test_structured_classes(route):
    rng = np.random.default_rng(2)
    for _ in range(300):
        rows = structured(rng)
        assert dimension(rows) == naive_littlestone(rows.tolist())


@over("k", range(1, 6))
def test_full_cubes_are_tight(route, k):
    """2^k concepts are enough for depth k, and one less is not: what an off-by-one in a size test would miss."""
    cube = np.array(list(product([0, 1], repeat=k)), dtype=bool)
    assert dimension(cube) == k
    assert dimension(cube[1:]) == k - 1


@over("k", range(3, 6))
def test_the_most_balanced_point_may_mislead(route, k):
    """Point 0 leaves a cube, just enough, and a cube with chaff; point 1, better balanced, leaves nothing but chaff."""
    corners = 2 ** (k - 1)
    cube = np.array(list(product([0, 1], repeat=k - 1)), dtype=bool)
    zeros, ones = np.zeros((corners, 1), bool), np.ones((corners, 1), bool)
    none = np.zeros((corners, 2 * corners), bool)
    chaff = np.hstack([np.ones((2 * corners, 2), bool), np.zeros((2 * corners, k - 1), bool), np.eye(2 * corners) > 0])
    class_ = np.vstack([np.hstack([zeros, zeros, cube, none]), np.hstack([ones, zeros, cube, none]), chaff])
    assert dimension(class_) == k
    if k == 3:
        assert dimension(class_[1:]) == naive_littlestone(class_[1:].tolist())


@pytest.mark.audit
@over(("depth", "first"), list(enumerate(INTERVALS, 1)))
def test_intervals(route, depth, first):
    if route == "compiled" or first <= 79:
        assert dimension(intervals(first)) == depth
        assert first == 1 or dimension(intervals(first - 1)) == depth - 1


@over("d", range(1, 6))
def test_conjunctions(route, d):
    assert dimension(conjunctions(d)) == d + 1
    assert dimension(conjunctions(d, empty=False)) == d


@pytest.mark.audit
@over(("a", "depth"), HALF_PLANES.items())
def test_half_planes(route, a, depth):
    if route == "compiled" or a <= 7:
        assert dimension(HalfPlanes(a)) == depth


@over("n", [63, 64, 127, 128, 200])
def test_thresholds_across_words(route, n):
    assert dimension(thresholds(n)) == (n + 1).bit_length() - 1


def test_sparse_sets(route):
    for n, k in [(5, 1), (6, 2), (7, 3)]:
        sets = [s for size in range(k + 1) for s in combinations(range(n), size)]
        assert dimension([[x in s for x in range(n)] for s in sets]) == k


def test_no_concept_one_concept(route):
    assert dimension(np.zeros((0, 3), bool)) == -1
    assert dimension([[0, 1]]) == 0
    assert dimension([[0, 1], [1, 1], [0, 1]]) == 1


def test_sub_classes_share_a_memo(route):
    rng = np.random.default_rng(3)
    for _ in range(20):
        matrix = np.array(random_rows(rng, 20, 7), dtype=bool)
        H = Littlestone(matrix)
        for _ in range(12):
            chosen = rng.random(len(matrix)) < 0.8
            rows = sum(1 << int(i) for i in np.flatnonzero(chosen))
            d = naive_littlestone(matrix[chosen].tolist())
            assert H.dimension(rows) == d
            assert [H.at_least(rows, k) for k in range(-2, 9)] == [k <= d for k in range(-2, 9)]
            if d >= 1:
                one = H.columns[H.split(rows, d)]
                assert min(H.dimension(rows & one), H.dimension(rows & ~one)) == d - 1


def test_questions_may_come_from_above(route):
    H = Littlestone(intervals(26))
    assert [H.at_least(H.everything, k) for k in (9, 8, 7, 6)] == [False, False, True, True]
    singletons = Littlestone(np.eye(40, dtype=bool))
    assert not singletons.at_least(singletons.everything, 4)
    assert singletons.dimension(singletons.everything) == 1


def test_impossible_questions_are_refused():
    H = Littlestone(thresholds(3))
    for k in (0, 3):
        with pytest.raises(ValueError, match="ask for 1 ≤ k"):
            H.split(H.everything, k)
    with pytest.raises(ValueError, match="no mistake tree of depth 3"):
        H.tree(H.everything, 3)
    with pytest.raises(ValueError, match="two concepts are equal"):
        Littlestone([[0, 1], [0, 1]])
    for matrix in ([[0, float("nan")]], [[5]], [["0"]], []):
        with pytest.raises(ValueError, match=r"0 and 1|point"):
            Littlestone(matrix)
    for rows in (-1, 0b10000):
        with pytest.raises(ValueError, match="bitset"):
            H.dimension(rows)


@pytest.mark.parametrize("limit", [0, 0.01, 0.1])
def test_a_time_limit_leaves_honest_bounds(route, limit):
    matrix = intervals(60)
    found = littlestone_dimension(matrix, time_limit=limit)
    assert found.lower <= 10 <= found.upper <= 10 + (limit == 0)
    assert verify(matrix, found)
    assert found.exact or "time limit" in found.reason


def test_progress_is_told(route):
    said = []
    littlestone_dimension(intervals(9), progress=said.append)
    assert said[0] == "Littlestone ≥ 0; trying 1"


def test_without_numba_the_search_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "privpac.dimensions.kernels.littlestone", None)
    monkeypatch.setattr(littlestone, "EFFORT", -1)
    found = littlestone_dimension(intervals(19))
    assert found.value == 7
    assert "remembered" not in found.reason


def test_a_long_search_changes_over(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(littlestone, "EFFORT", 10**6)
    found = littlestone_dimension(intervals(39))
    assert found.value == 9
    assert "remembered" in found.reason
    assert verify(intervals(39), found)


def test_rules_answer_by_a_theorem():
    found = littlestone_dimension(Thresholds(0, 2**64 - 2, direction="above"))
    assert (found.value, found.witness) == (64, None)
    assert found.reason == "docs/proofs/dimensions.md, Thresholds"
    assert [littlestone_dimension(Intervals(1, n)).value for n in INTERVALS] == list(range(1, len(INTERVALS) + 1))
    assert littlestone_dimension(Intervals(1, 300)).value == 14


def test_trees_answer_without_a_search():
    found = littlestone_dimension(thresholds(200))
    assert found.value == 7
    assert "VC dimension at most 1" in found.reason
    assert verify(thresholds(200), found)
