"""Affine subspaces: patterns, dimensions, the Littlestone oracle against search, sentences, hostile input."""

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from privpac.classes.hypothesis import Constant
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces, VersionSpace
from tests.classes.definitions import KINDS, assert_known, rows_of
from tests.grid import over

SMALL = [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (5, 1)]


def subspaces(p, n, dim):
    """As sets: each point, with all combinations of each choice of directions."""
    space = list(product(range(p), repeat=n))
    found = set()
    for directions in combinations_with_replacement(space, dim):
        for origin in space:
            factors = product(range(p), repeat=dim)
            moves = ([sum(f * d[i] for f, d in zip(fs, directions, strict=True)) for i in range(n)] for fs in factors)
            found.add(frozenset(tuple((o + m) % p for o, m in zip(origin, move, strict=True)) for move in moves))
    return [A.__contains__ for A in found]  # directions may be dependent, so lower dimensions are there too


@cache
def rows_by_bits(p, n, dim):
    points = list(product(range(p), repeat=n))
    rows = sorted(rows_of(subspaces(p, n, dim), points))
    return points, [sum(row[x] << i for i, row in enumerate(rows)) for x in range(len(points))], (1 << len(rows)) - 1


def littlestone_of(columns):
    @cache
    def ldim(rows):
        parts = [(rows & c, rows & ~c) for c in columns]
        return max((1 + min(ldim(a), ldim(b)) for a, b in parts if a and b), default=0 if rows else -1)

    return ldim


@over(("p", "n", "dim"), [(p, n, dim) for p, n in SMALL for dim in range(n + 1) if (p, dim) != (2, 3)])
def test_dimensions_and_size_are_those_of_the_definition(p, n, dim):
    cls, points = AffineSubspaces(p, n, dim), list(product(range(p), repeat=n))
    definition = subspaces(p, n, dim)
    assert_known(cls, definition, points, [kind for kind in KINDS if kind not in {"VC", "Littlestone"}])
    assert cls.size == len(rows_of(definition, points)) == cls.materialize().size


@over(("p", "n", "dim"), [(2, 3, 0), (2, 3, 1), (2, 3, 2), (3, 2, 1), (3, 2, 2)])
def test_patterns_are_those_of_all_subspaces(p, n, dim):
    rng = np.random.default_rng(p + n + dim)
    for size in (1, 2, 4, p**n - 1):
        points = [AffineSubspaces(p, n, dim).decode(i) for i in rng.choice(p**n, size, replace=False)]
        cls = AffineSubspaces(p, n, dim)
        found = list(map(tuple, cls.patterns(points).tolist()))
        assert len(found) == len(set(found))
        assert set(found) == rows_of(subspaces(p, n, dim), points)


@pytest.mark.audit
@over(("p", "n", "dim"), [(p, n, dim) for p, n in SMALL for dim in range(n + 1) if (p, dim) != (2, 3)])
def test_the_oracle_is_exact_in_every_version_space(p, n, dim):
    """Random sequences of labels until nothing is left to ask: emptiness, dimension and SOA against search."""
    cls = AffineSubspaces(p, n, dim)
    points, columns, everything = rows_by_bits(p, n, dim)
    ldim, rng = littlestone_of(columns), np.random.default_rng(7)
    for positives in (0, 0.1, 0.5) * 3:
        state, rows = VersionSpace(), everything
        assert cls.ldim(state) == ldim(rows)
        for x in rng.permutation(len(points)):
            y = bool(rng.random() < positives)
            after, left = cls.restrict(state, points[x], y), rows & columns[x] if y else rows & ~columns[x]
            assert (after is None) == (left == 0)
            if after is None:
                continue
            state, rows = after, left
            assert cls.ldim(state) == ldim(rows)
            wanted = [ldim(rows & c) > ldim(rows & ~c) for c in columns]
            assert cls.soa(state)(points).tolist() == wanted


def test_a_huge_space():
    cls = AffineSubspaces(2, 256, 3)
    points = np.random.default_rng(3).integers(0, 2, (6, 256)).tolist()
    state = VersionSpace()
    assert (cls.ldim(state), cls.soa(state)) == (4, Constant(False))
    for i, x in enumerate(points[:4]):
        state = cls.restrict(cls.restrict(state, x, True), points[5], False)
        assert cls.ldim(state) == 3 - i
    assert cls.restrict(state, points[4], True) is None
    assert cls.soa(state) == cls.close(reversed(points[:4]))
    assert cls.close(points[:5]) is None
    assert cls.size.bit_length() > 1000


def test_a_large_field():
    p = 2**61 - 1
    line = AffineSubspaces(p, 2, 1).close([(0, 1), (p - 1, 3)])
    assert line([(1, p - 1), (1, 0), (2, p - 3)]).tolist() == [True, False, True]


def test_equal_sets_are_equal_values():
    one = AffineSubspace(5, (3, 1, 0), ((2, 4, 1), (1, 2, 0)))
    other = AffineSubspace(5, (3 + 2, 1 + 4, 1), ((1, 2, 3), (3, 1, 2), (0, 0, 0)))
    assert one == other and hash(one) == hash(other) and one.dimension == 2
    assert one != AffineSubspace(5, (4, 1, 0), one.basis)


def test_a_search_that_would_not_end_is_refused():
    cls = AffineSubspaces(2, 20, 20)
    state = cls.restrict(VersionSpace(), (0,) * 20, False)
    with pytest.raises(ValueError, match="too large"):
        cls.ldim(state)
    assert cls.soa(state) == Constant(False)


@pytest.mark.parametrize(
    "make",
    [
        lambda: AffineSubspaces(4, 2, 1),
        lambda: AffineSubspaces(2, 0, 0),
        lambda: AffineSubspaces(2, 2, 3),
        lambda: AffineSubspaces(2, 2, -1),
        lambda: AffineSubspaces(2.0, 2, 1),
        lambda: AffineSubspace(6, (1, 2)),
        lambda: AffineSubspace(2, (1, 0), ((1,),)),
        lambda: AffineSubspace(2, ()),
        lambda: AffineSubspace(2, (0.5,)),
        lambda: AffineSubspaces(2, 2, 1).close([]),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises((TypeError, ValueError)):
        make()


@pytest.mark.parametrize("x", [(0, 3), (0,), (0, 0.5), (0, None), (987654321, 0)])
def test_points_outside_the_space_are_refused(x):
    cls = AffineSubspaces(3, 2, 1)
    for ask in (
        lambda: cls.restrict(VersionSpace(), x, True),
        lambda: cls.close([x]),
        lambda: AffineSubspace(3, (0, 0))([x]),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask()
        assert "987654321" not in str(caught.value)


def test_too_many_subspaces_are_refused_before_they_are_built():
    with pytest.raises(ValueError, match="too many to list"):
        AffineSubspaces(2, 8, 3).materialize()
    with pytest.raises(ValueError, match="too many to list"):
        AffineSubspaces(1009, 2, 1).patterns([(i, i * i % 1009) for i in range(1009)])


def test_a_prime_beyond_use_is_refused_at_once():
    with pytest.raises(ValueError, match="below 2"):
        AffineSubspaces(2**4423 - 1, 1, 0)
