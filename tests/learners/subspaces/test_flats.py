"""Hulls and errors by definition."""

import numpy as np

from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.data.samples.sample import Sample
from privpac.learners.subspaces.flats import Hulls, ballots, point_tally
from tests.grid import over


@over(("p", "k"), [(2, 1), (2, 2), (3, 1), (2**61 - 1, 1)])
def test_hulls_and_errors_are_those_of_the_definition(p, k):
    rng = np.random.default_rng(k)
    H = AffineSubspaces(p, 4, k)
    X = rng.integers(0, min(p, 3), (40, 4))
    y, times = rng.random(40) < 0.6, rng.integers(1, 4, 40)
    sample = Sample(H.domain.points(X), y, times, 200, X)
    hulls = Hulls(H, sample)
    assert hulls.ones.sum() == hulls.P == times[y].sum()
    for size in (1, 2, 3, 4):
        for _ in range(8):
            chosen = rng.integers(0, len(hulls.ones), size).tolist()
            number = hulls.hull(chosen)
            expected = H.close([hulls._vectors[i] for i in chosen])
            assert (None if number is None else hulls.flats[number]) == expected
            if number is not None:
                assert hulls.errors(hulls.flats[number]) == sample.errors(expected)


def test_an_empty_subset_does_not_vote_and_never_errs_on_positives():
    sample = Sample(np.array([(0, 1), (1, 1)]), np.array([True, False]), None, 5, None)
    seen = ballots(AffineSubspaces(2, 2, 1), sample)
    assert seen.vote([]) is None and list(seen.fallback.values()) == [1] and seen.n == 5
    assert point_tally(sample).points.tolist() == [(0, 1), (1, 1)]
