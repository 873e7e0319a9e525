"""The oracle of a listed class, against definitions; closed forms on version spaces agree with it."""

from itertools import combinations

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant
from privpac.classes.values.points import OneOf, Points, Seen, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces, VersionSpace
from privpac.dimensions.oracle import ListedOracle
from tests.dimensions.oracles import naive_littlestone, random_rows
from tests.dimensions.test_irreducible import by_definition
from tests.grid import over
from tests.sentinels import SECRET


def random_labels(rng, n, most):
    return [(int(x), bool(rng.integers(2))) for x in rng.integers(0, n, rng.integers(0, most + 1))]


@pytest.mark.slow
def test_answers_are_by_definition():
    rng = np.random.default_rng(1)
    for _ in range(300):
        rows = random_rows(rng, 10, 5)
        F = ListedOracle(rows)
        labels = random_labels(rng, len(rows[0]), 2)
        left = [row for row in rows if all(row[x] == y for x, y in labels)]
        state = F.after(F.everything, labels)
        assert state.bit_count() == len(left)
        assert F.ldim(state) == naive_littlestone(left)
        for k in range(3):
            found = F.reducing_set(state, k)
            assert (found is None) == (not left or by_definition(left, k))
            if found is not None:
                assert len(found.points) <= k
                kept = [
                    row for row in left if all(row[x] == y for x, y in zip(found.points, found.labels, strict=True))
                ]
                assert naive_littlestone(kept) < naive_littlestone(left)


def test_low_error_counts_errors():
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows = random_rows(rng, 10, 5)
        F, n = ListedOracle(rows), len(rows[0])
        examples = {(x, y): int(rng.integers(0, 4)) for x in range(n) for y in (False, True)}
        wrong = [sum(times for (x, y), times in examples.items() if row[x] != y) for row in rows]
        by_row = dict(zip(map(tuple, rows), wrong, strict=True))
        names = F.matrix[:, F.concept_class.columns(range(n))].astype(int)
        e = F.errors(examples)
        assert e.tolist() == [by_row[tuple(row)] for row in names.tolist()]
        for most in (-1, 0, 3, 100):
            assert F.rows(F.low_error(e, most)) == [i for i, each in enumerate(e) if each <= most]


def test_close_is_the_least_concept():
    F = ListedOracle([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    assert F.close([2]).labels == (False, False, True)
    assert F.close([0, 1]).labels == (True, True, True)
    assert ListedOracle([[1, 1, 0], [1, 0, 1]]).close([0]) is None
    assert ListedOracle([[0, 1], [0, 0]]).close([0]) is None


@over(("k", "N"), [(0, 3), (1, 4), (2, 5), (3, 4), (4, 4)])
def test_sparse_sets_agree(k, N):
    sets, F, rng = SparseSets(k, N), ListedOracle(SparseSets(k, N)), np.random.default_rng(3)
    for _ in range(60):
        state, rows = Seen(), F.everything
        for x, y in random_labels(rng, N, 4):
            state, rows = sets.restrict(state, x, y), F.restrict(rows, x, y)
            if state is None:
                break
        assert (state is None) == (rows == 0)
        if state is None:
            continue
        assert sets.ldim(state) == F.ldim(rows)
        for most in range(N + 1):
            one, other = sets.reducing_set(state, most), F.reducing_set(rows, most)
            assert (one is None) == (other is None)
            if one is not None:
                assert len(one) <= most
                assert F.ldim(F.after(rows, ((x, False) for x in one))) < F.ldim(rows)


@over(("p", "n", "dim"), [(2, 2, 1), (2, 3, 1), (2, 3, 2), (3, 2, 1)])
def test_flats_agree(p, n, dim):
    flats = AffineSubspaces(p, n, dim)
    F, rng = ListedOracle(flats), np.random.default_rng(4)
    for _ in range(25):
        state, rows = VersionSpace(), F.everything
        for i, y in random_labels(rng, len(F.points), 4):
            state, rows = flats.restrict(state, F.points[i], y), F.restrict(rows, F.points[i], y)
            if state is None:
                break
        assert (state is None) == (rows == 0)
        if state is not None:
            assert flats.ldim(state) == F.ldim(rows)


def test_closed_sets_of_structured_classes():
    for H in (AffineSubspaces(2, 3, 1), SparseSets(2, 5)):
        F = ListedOracle(H)
        for size in (1, 2, 3):
            for some in combinations(F.points, size):
                assert F.close(some) == H.close(some)


def test_hypotheses_have_the_rules_of_their_class():
    F = ListedOracle(Points(5))
    assert F.soa(0b00100) == OneOf(frozenset([2]))
    assert isinstance(ListedOracle(AffineSubspaces(2, 2, 1)).soa(1), AffineSubspace)
    assert F.soa(F.everything)(range(5)).tolist() == [False] * 5  # never is not a concept
    assert ListedOracle(SparseSets(1, 5)).soa(F.everything) in (OneOf(frozenset()), Constant(False))


def test_points_that_are_equal_are_one():
    F = ListedOracle(ExplicitClass([[0, 0, 1], [1, 1, 0]], points="abc"))
    assert F.restrict(F.everything, "b", True) == F.restrict(F.everything, "a", True) == 0b10
    assert F.errors({("b", True): 3, ("a", True): 2}).tolist() == [5, 0]
    assert F.soa(0b10)(list("abc")).tolist() == [True, True, False]


def test_what_has_no_answer_is_refused():
    with pytest.raises(ValueError, match="at least one concept"):
        ListedOracle(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="no SOA"):
        ListedOracle([[0, 1]]).soa(0)
    with pytest.raises(ValueError, match="too large to list"):
        ListedOracle(SparseSets(2))
    for ask in (
        lambda F: F.restrict(1, SECRET, True),
        lambda F: F.close([SECRET]),
        lambda F: F.errors({(SECRET, 1): 2}),
    ):
        with pytest.raises(ValueError, match="points of the class") as refused:
            ask(ListedOracle([[0, 1]]))
        assert str(SECRET) not in str(refused.value)
