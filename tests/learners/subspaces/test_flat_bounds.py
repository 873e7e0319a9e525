"""The certificate of a vote among flats: the chain of Lemma 2 by enumeration, and its ends."""

from itertools import product

import numpy as np
import pytest

from privpac.classes.vectors.subspaces import AffineSubspace
from privpac.learners.subspaces.flat_bounds import Vote, loss_to_never, missable_probability, span_probability
from privpac.privacy.budget import Budget
from tests.grid import over

COST = Budget(1, "0.000001")


def spanning(p, d, masses, m):
    """Exactly: the probability that m records, of which ``masses`` lie at the points of F^d, span F^d."""
    points = list(product(range(p), repeat=d))
    law = {None: 1.0}
    for _ in range(m):
        later = {}
        for hull, q in law.items():
            later[hull] = later.get(hull, 0) + q * (1 - sum(masses))
            for x, mass in zip(points, masses, strict=True):
                wider = AffineSubspace(p, x) if hull is None else hull.join(x)
                later[wider] = later.get(wider, 0) + q * mass
        law = later
    return sum(q for hull, q in law.items() if hull is not None and hull.dimension == d)


@over(("p", "d", "seed"), [(2, 1, 1), (2, 2, 2), (2, 2, 3), (3, 1, 4)])
def test_subsets_span_at_least_as_often_as_the_chain_says(p, d, seed):
    rng = np.random.default_rng(seed)
    points = list(product(range(p), repeat=d))
    for _ in range(3):
        masses = rng.dirichlet(np.full(p**d, 0.5)) * rng.uniform(0.2, 1)
        hyperplanes = {
            flat.join(y) if d > 1 else flat
            for x in points for flat in [AffineSubspace(p, x)] for y in points if d == 1 or y != x
        }  # fmt: skip
        t = min(float(masses[~flat(points)].sum()) for flat in hyperplanes)
        for m in (2, 5, 9):
            assert span_probability(0.0, t, m, d, p) <= spanning(p, d, masses, m) + 1e-12


def test_the_chain_is_exact_where_it_can_be():
    """Uniform points: all flats of one dimension have the same probability."""
    assert span_probability(0.0, 0.25, 6, 1, 2) == pytest.approx(spanning(2, 1, [0.25, 0.25], 6), rel=1e-6)
    assert span_probability(0.0, 0.5, 6, 2, 2) == pytest.approx(spanning(2, 2, [0.25] * 4, 6), rel=1e-6)
    assert span_probability(0.2, 0.1, 5, 0, 2) == pytest.approx(0.8**5 - 0.7**5, rel=1e-6)


def test_monotone():
    assert (
        span_probability(0.01, 0.1, 20, 2, 2) < span_probability(0, 0.1, 20, 2, 2) < span_probability(0, 0.2, 20, 2, 2)
    )
    assert (
        loss_to_never(1000, 0.01, 50, 0.5) < loss_to_never(1000, 0.05, 50, 0.5) < loss_to_never(1000, 0.2, 50, 0.5) <= 1
    )


def test_more_records_than_the_binomial_law_counts():
    """Of 2^36 records, 687 err in the mean, and the cap is 500; of the 2^30 that are counted, 11 do."""
    assert loss_to_never(2**36, 1e-8, 500, 0.5) > 0.99


def test_public_numbers():
    assert Vote.of(COST, 0.1, 3, 4076) == Vote((1, 13, 38, 70), 16, 342)
    assert Vote.of(COST, 0.1, 0, 1000).sizes == (1,)
    large = Vote.of(COST, 0.1, 2, 10**7)
    assert large.deals == 1 and large.cap < 10**4 and max(large.sizes) < 10**6


def test_enough_records_too_small_an_error_and_too_few_records():
    n = 3000
    vote = Vote.of(COST, 0.1, 1, n)
    assert vote.failure(COST, 1, 2, n, 0.1) <= 0.05
    assert vote.failure(COST, 1, 2, n, 0.01) == 1.0
    assert missable_probability(vote, COST, 1, 2, 10, 0.04) == 1.0
