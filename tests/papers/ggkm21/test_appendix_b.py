"""Appendix B: dimensions of points and their negations as claimed, and what their SOA hypotheses shatter."""

from itertools import combinations

import numpy as np
import pytest

from privpac.dimensions import littlestone_dimension, vc_dimension
from privpac.dimensions.irreducible import soa
from privpac.dimensions.oracle import ListedOracle
from privpac.papers.ggkm21.appendix_b import negated_points, soa_shatters, touching
from privpac.papers.ggkm21.trees import soa_functions
from tests.dimensions import ggkm21
from tests.dimensions.oracles import naive_littlestone, naive_vc

pytestmark = pytest.mark.papers


@pytest.mark.parametrize("n", range(2, 9))
def test_the_class_and_its_dimensions(n):
    """3 and 3 from four points on, as claimed; fewer below. On two points a negation is the other point."""
    F = negated_points(n)
    assert {tuple(row) for row in F.matrix} == set(map(tuple, ggkm21.negated_points(n).astype(bool)))
    assert F.size == (2 * n if n > 2 else 2)
    assert vc_dimension(F).value == littlestone_dimension(F).value == min(n - 1, 3)
    if n < 6:
        rows = [tuple(row) for row in F.matrix.astype(int).tolist()]
        assert naive_vc(rows) == naive_littlestone(frozenset(rows)) == min(n - 1, 3)


def test_the_soa_of_what_touches_a_set_is_the_set():
    """Every A of at least 3 of 7 points; and Ldim of its restrictions, as stated."""
    for size in range(3, 8):
        for A in combinations(range(7), size):
            assert np.flatnonzero(soa(touching(7, A)).labels).tolist() == list(A)
        G = touching(7, range(size)).matrix
        for x in (0, 6):
            for y in (0, 1):
                stated = ggkm21.SOME_OF_FIRST_DIMENSIONS[x < size, y]
                too_few = size == 3 and x == 0 and not y  # the value that the proof does not need
                assert littlestone_dimension(G[G[:, x] == y]).value == (1 if too_few else stated)


def test_proposition_b_1():
    """n − 4 points are shattered, so that the dimension has no bound; on four points, all 16 functions occur."""
    assert [len(soa_shatters(n)) for n in (6, 8)] == [2, 4]
    assert len(soa_functions(ListedOracle(negated_points(4)), 0)) == 16


@pytest.mark.parametrize(("n", "k", "vc"), [(4, 0, 4), (4, 2, 4), (4, 3, 3), (4, 4, 3), (5, 1, 5), (5, 2, 3)])
def test_how_irreducible_subclasses_must_be(n, k, vc):
    """Being 1-irreducible is not enough either, and on four points not even 2-irreducible; above VC always is."""
    F = negated_points(n)
    every = [h.labels for h in soa_functions(ListedOracle(F), k)]
    assert vc_dimension(np.vstack([F.matrix, *every])).value == vc


def test_bad_input():
    with pytest.raises(ValueError, match="at least 3 points"):
        touching(5, [1, 2, 2])
    with pytest.raises(ValueError, match="at least 2"):
        negated_points(1)
