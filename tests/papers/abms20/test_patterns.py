"""Patterns of a class on the points of a sample: as the definition says, and never more than n allows."""

from itertools import combinations, product

import numpy as np
import pytest

import privpac as pp
from privpac.classes.compositions.compose import And, Compose, Union
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.matrices import MOST_ENTRIES
from privpac.classes.values.code_lists import HasAny
from privpac.classes.values.points import SparseSets
from privpac.classes.vectors.boxes import Conjunctions, Rectangles
from privpac.classes.vectors.parities import Parities
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.papers.abms20.patterns import Patterns, check_listed, listed_count, pattern_count
from tests.grid import over

pytestmark = pytest.mark.papers

GRID = list(product(range(3), repeat=2))
BITS = list(product((0, 1), repeat=3))
CLASSES = [  # each with all points of its domain, or enough of them
    (pp.Thresholds(0, 5, direction="above"), range(6)),
    (pp.Thresholds(0, 5, direction="either"), range(6)),
    (pp.Intervals(0, 5), range(6)),
    (pp.Points(6), range(6)),
    (SparseSets(2, 6), range(6)),
    (pp.HalfPlanes(3), GRID),
    (Rectangles(0, 2, 2), GRID),
    (Conjunctions(3), BITS),
    (Parities(3), BITS),
    (AffineSubspaces(2, 3, 1), BITS),
    (ExplicitClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]), range(4)),
    (And(pp.Thresholds(0, 2, direction="above").on(0), pp.Intervals(0, 2).on(1)), GRID),
    (Union(pp.Thresholds(0, 5, direction="above"), pp.Points(6)), range(6)),
    (pp.RootPaths("/", height=3), ["a", "a/b", "a/b/c", "b", "b/c", "c"]),
]


def shown(H, points):
    """The patterns by the definition: all concepts on the whole list of points, then restricted."""
    return {tuple(row) for row in H.materialize(list(points)).matrix_on(H.named(list(points))).astype(int).tolist()}


@over(("H", "points"), CLASSES)
def test_patterns_are_restrictions_of_concepts(H, points):
    points, rng = list(points), np.random.default_rng(5)
    everything = np.array(sorted(shown(H, points)))
    for _ in range(12):
        places = rng.integers(len(points), size=rng.integers(1, 6)).tolist()  # with repetitions
        found = Patterns.on(H, [points[i] for i in places])
        rows = {tuple(found.labels(row).astype(int).tolist()) for row in range(len(found.rows))}
        assert rows == {tuple(row) for row in everything[:, places].tolist()}
        assert len(rows) == len(found.rows)  # each once
        for row in range(len(found.rows)):
            assert found.concept(row)([points[i] for i in places]).tolist() == found.labels(row).tolist()


@over(("H", "points"), CLASSES)
def test_n_bounds_the_patterns(H, points):
    points = list(points)
    for n in (1, 2, 3):
        most = max(len(Patterns.on(H, chosen).rows) for chosen in combinations(points, n))
        assert most <= pattern_count(H, n) <= listed_count(H, n)


@over(
    "H",
    [
        pp.Thresholds(0, 2**64, direction="above"),
        pp.Points(),
        pp.Intervals(0, 2**64),
        pp.HalfPlanes(2**20),
        pp.RootPaths("/"),
    ],
)
def test_what_fits_is_listed_and_what_may_not_fit_is_refused_by_n_alone(H):
    n = next(n for n in range(10, 20_000, 10) if listed_count(H, n) * n > MOST_ENTRIES)
    check_listed(H, n - 10)
    with pytest.raises(ValueError, match="too many to list"):
        check_listed(H, n)


def test_a_small_domain_has_few_patterns_whatever_n():
    assert pattern_count(pp.Thresholds(0, 9, direction="above"), 10**6) == 11
    check_listed(pp.Thresholds(0, 999, direction="above"), 10**6)


def test_compositions_count_all_choices():
    cuts = pp.Thresholds(0, 99, direction="above")
    assert pattern_count(Compose("xor", cuts, cuts), 9) == 100
    with pytest.raises(ValueError, match="too many"):
        check_listed(pp.Thresholds(0, 2**20, direction="above"), 1000, pp.Thresholds(0, 2**20, direction="above"))


def test_classes_whose_listing_depends_on_the_points_are_refused():
    with pytest.raises(ValueError, match="depends on the points"):
        check_listed(HasAny(2, s=5), 10)
