"""Sets and flats of any domain: every answer against a list of a domain with room to spare."""

from fractions import Fraction
from itertools import combinations, product

import pytest

from privpac.classes.values.points import SparseSets
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.dimensions.closure_oracle import FlatOracle, Part, SetOracle
from privpac.dimensions.oracle import ListedOracle, oracle_of
from tests.grid import over

pytestmark = pytest.mark.papers

FLATS, PLANE = AffineSubspaces(2, 4, 1), AffineSubspaces(3, 3, 1)
CUBE, SPACE = list(product((0, 1), repeat=4)), list(product((0, 1, 2), repeat=3))
CASES = {
    "points": (SetOracle(SparseSets(1)), ListedOracle(SparseSets(1, 7)), range(7), 4),
    "pairs": (SetOracle(SparseSets(2)), ListedOracle(SparseSets(2, 8)), range(8), 4),
    "triples": (SetOracle(SparseSets(3)), ListedOracle(SparseSets(3, 8)), range(8), 4),
    "lines of bits": (FlatOracle(FLATS), ListedOracle(FLATS), CUBE, 4),
    "planes of bits": (FlatOracle(AffineSubspaces(2, 4, 2)), ListedOracle(AffineSubspaces(2, 4, 2)), CUBE, 3),
    "lines of thirds": (FlatOracle(PLANE), ListedOracle(PLANE), SPACE, 3),
}


def samples(points, most):
    """Labeled samples: of the first five points all, and others that pass through the middle of the domain."""
    some = [*points[:4], points[len(points) // 2]]
    labeled = list(product(some, (False, True)))
    return [S for size in range(most + 1) for S in combinations(labeled, size)]


def after(F, S):
    state = F.everything
    for x, y in S:
        state = F.restrict(state, x, y)
    return state


@over("name", CASES)
def test_every_answer_is_that_of_the_list(name):
    """Ldim, SOA on all points, irreducibility, and which concepts are left."""
    closed, listed, points, most = CASES[name]
    points = list(points)
    found = {}
    for S in samples(points, most):
        state, rows = after(closed, S), after(listed, S)
        assert bool(state) == bool(rows) and closed.ldim(state) == listed.ldim(rows)
        assert found.setdefault(state, rows) == rows, "equal states are equal sub-classes"
        if state:
            assert closed.soa(state)(points).tolist() == listed.soa(rows)(points).tolist()
        assert closed.reducing_set(state, 10**9) is None and listed.reducing_set(rows, 1) is None
    assert len(set(found.values())) == len(found), "equal sub-classes are equal states"


@over("name", CASES)
def test_intersections_are_those_of_the_list(name):
    closed, listed, points, _ = CASES[name]
    pairs = [(after(closed, S), after(listed, S)) for S in samples(list(points), 2)]
    rows_of = dict(pairs)
    for (one, ones), (other, others) in product(pairs, repeat=2):
        both = one & other
        assert bool(both) == bool(ones & others)
        assert rows_of.setdefault(both, ones & others) == ones & others


@over("name", CASES)
def test_what_errs_nowhere_is_what_the_list_says(name):
    closed, listed, points, _ = CASES[name]
    shares = [Fraction(-1), Fraction(0), Fraction(1)]
    for S in samples(list(points), 3):
        part, counts = closed.part(S), listed.part(S)
        states, rows = closed.low_errors(part, shares), listed.low_errors(counts, shares)
        for α in shares:
            assert bool(states[α]) == bool(rows[α]) and closed.ldim(states[α]) == listed.ldim(rows[α])
        assert states[Fraction(0)] == after(closed, S)


@over("name", CASES)
def test_how_many_closed_sets_a_concept_contains(name):
    """By the hulls of all subsets of a largest concept."""
    closed, _, points, _ = CASES[name]
    points = list(points)
    hulls = (closed.hull(some) for some in combinations(points, closed.dimension))
    concept = next(hull for hull in hulls if closed.rank(hull) == closed.dimension)
    members = [x for x, inside in zip(points, closed.inside(concept, points), strict=True) if inside]
    subsets = (some for size in range(1, len(members) + 1) for some in combinations(members, size))
    assert len({closed.hull(some) for some in subsets}) == closed.parts


def test_no_records_and_an_empty_state():
    F = SetOracle(SparseSets(2))
    assert set(F.low_errors(Part(), [Fraction(-1), Fraction(0)]).values()) == {F.everything}
    with pytest.raises(ValueError, match="no SOA hypothesis"):
        F.soa(F.nothing)
    with pytest.raises(ValueError, match="use tight constants"):
        F.low_errors(Part(), [Fraction(1, 2)])


def test_it_stands_in_for_the_list_only_where_no_errors_are_asked_for():
    assert isinstance(oracle_of(SparseSets(2, 9)), ListedOracle)
    assert isinstance(oracle_of(SparseSets(0, 9), closed=True), ListedOracle)
    assert isinstance(oracle_of(SparseSets(2, 9), closed=True), SetOracle)
