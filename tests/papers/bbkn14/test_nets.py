"""Nets for every list of queries, the release that Theorem 7.1 promises, and its exact privacy."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.classes.lines.thresholds import Thresholds
from privpac.papers.bbkn14 import NetRelease
from privpac.papers.bbkn14.release import (
    NetMechanism,
    database_needs,
    interval_net,
    necessary_records,
    net_fineness,
    point_net,
)
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

ONE = Budget(1)
POINTS = ExplicitClass(np.eye(3, dtype=int))
CUTS = explicit(Thresholds(0, 2, direction="below"))
CUBE = ExplicitClass([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])


def worst_of_best(queries, small, m):
    """By how much the best small database misses the worst database of m records."""
    net = NetMechanism(queries, small, ONE)
    databases = combinations_with_replacement(queries.all_points, m)
    return max(min(net.error(D, each) for each in net.releases) for D in databases)


@over("small", [1, 2, 3])
@over("queries", [POINTS, CUTS, CUBE, ExplicitClass([[1, 1, 0], [0, 0, 1]]), ExplicitClass([[1, 0, 0], [0, 1, 0]])])
def test_every_database_has_a_small_one_beside_it(queries, small):
    assert worst_of_best(queries, small, 2 * small + 1) <= net_fineness(queries)(len(queries.all_points), small)


def test_the_best_proof_is_found():
    assert net_fineness(POINTS)(3, 4) == point_net(3, 4)
    assert net_fineness(ExplicitClass([[1, 0, 0], [0, 1, 0]]))(3, 4) == point_net(3, 4)  # the rest is a cell
    assert net_fineness(ExplicitClass([[1, 1, 0], [0, 0, 1]]))(3, 4) == point_net(2, 4)
    assert net_fineness(CUTS)(3, 4) == interval_net(3, 4)
    γ = net_fineness(CUBE)(3, 50)
    assert 8 * np.exp(-2 * 50 * float(γ) ** 2) < 1 <= 8 * np.exp(-2 * 50 * (float(γ) - 2e-6) ** 2)


@pytest.mark.parametrize(("queries", "alpha"), [(POINTS, "0.4"), (CUTS, "0.4"), (CUBE, "0.9")])
def test_the_release_is_private_on_all_databases(queries, alpha):
    release = NetRelease(queries, ONE, Fraction(alpha))
    found = worst_divergence(release.law, queries.all_points, 4, ONE)
    assert not found.refuted
    assert found.ratio > 0.4


class Thrice(NetRelease):
    """Asks the mechanism for three times what it charges."""

    @property
    def mechanism(self):
        return NetMechanism(self.queries, self.size, Budget(3))


def test_a_release_that_costs_more_than_it_charges_is_refuted():
    assert worst_divergence(Thrice(POINTS, ONE, Fraction(2, 5)).law, POINTS.all_points, 4, ONE).refuted


@pytest.mark.parametrize(("queries", "alpha"), [(POINTS, "0.7"), (CUTS, "0.6"), (CUBE, "0.95")])
def test_it_keeps_its_promise_on_every_database(queries, alpha):
    release = NetRelease(queries, Budget(4), Fraction(alpha), Fraction(1, 5))
    for D in combinations_with_replacement(queries.all_points, release.N):
        useless = (p for each, p in release.law(D).items() if release.mechanism.error(D, each) >= release.alpha)
        assert float(sum(useless)) <= 0.2


def test_lists_that_are_too_long_are_refused():
    with pytest.raises(ValueError, match=r"room|too|more"):
        NetRelease(explicit(Thresholds(0, 200, direction="below")), ONE, Fraction(1, 50))


def test_a_database_needs_no_more_for_small_errors_than_is_known():
    """For α ≤ ½, Theorem 34 is what Theorem 25 says of databases that differ in all records."""
    for β in ("0.05", "0.3"):
        least = database_needs(2**16, alpha="0.5", beta=β, epsilon=1)
        assert necessary_records(2**16, alpha="0.5", beta=β, epsilon=1, constants="tight") == int(np.ceil(least))
        assert database_needs(2**16, alpha="0.9", beta=β, epsilon=1) < least
