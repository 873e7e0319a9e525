"""Boxes of cells that public records cut: counts by definition, and certificates on hostile records."""

from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes import Rectangles
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.public.boxes import PublicBoxLearner, most_lost, public_cells
from privpac.learners.rules import boxes


@pytest.fixture(autouse=True)
def _few_cells(monkeypatch):
    """Cells so wide that candidates differ from most boxes."""
    monkeypatch.setattr(boxes.BoxCells.of, "__defaults__", (500,))
    yield
    public_cells.cache_clear()
    most_lost.cache_clear()


def with_public(side, X):
    return WithPublic(Rectangles(0, side - 1, 2), PublicRecords.of(map(tuple, X.tolist())))


@pytest.mark.parametrize(("side", "m"), [(30, 60), (5, 200), (1000, 7), (2, 30)])
def test_no_box_differs_from_all_candidates_on_more_records(side, m):
    rng = np.random.default_rng(side)
    X = np.minimum(rng.geometric(min(4 / side, 0.5), (m, 2)), side) - 1
    both, counted = with_public(side, X), X[1::2]
    most, number = most_lost(both)
    assert number == len(counted)
    ends = [[*each, side] for each in public_cells(both).starts]
    inside = [
        (counted >= (a, c)).all(axis=1) & (counted < (b, e)).all(axis=1)
        for (a, b), (c, e) in product(*(combinations(each, 2) for each in ends))
    ]
    candidates = np.array([np.zeros(number, dtype=bool), *inside])
    for _ in range(150):
        low, high = np.sort(rng.integers(0, side, (2, 2)), axis=0)
        labels = (counted >= low).all(axis=1) & (counted <= high).all(axis=1)
        assert (candidates != labels).sum(axis=1).min() <= most


def test_boxes_alone_and_records_themselves():
    assert not PublicBoxLearner.supports(WithPublic(Rectangles(0, 9, 2), PublicRecords(100)))
    assert not PublicBoxLearner.supports(WithPublic(Rectangles(0, 9, 1), PublicRecords.of([(1,), (2,)])))


def test_a_certificate_does_not_depend_on_the_domain():
    X = np.random.default_rng(4).integers(0, 1000, (3000, 2))
    sizes = [PrivateClassifier(Rectangles(0, high, 2), alpha=0.6, public=X).certified_n() for high in (999, 10**12)]
    assert sizes[0] == sizes[1] is not None


@pytest.mark.audit
@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_a_certificate_fails_as_seldom_as_it_says(regime):
    """With probability 5 % at most; 14 or more of 60 fits have a probability below 1e-5 then."""
    rng, bad, α, noise = np.random.default_rng(), 0, 0.5, 0.2 * (regime == "agnostic")
    grid = np.array(list(product(range(60), repeat=2)))
    weights = np.where((grid % 7 == 3).any(axis=1), 9.0, 1.0)  # heavy points along the sides of the box
    shares, target = weights / weights.sum(), ((grid >= 17) & (grid <= 45)).all(axis=1)
    for _ in range(60):
        public = grid[rng.choice(len(grid), 1500, p=shares)]
        clf = PrivateClassifier(Rectangles(0, 59, 2), alpha=α, regime=regime, public=public)
        if (n := clf.certified_n()) is None:
            continue  # the public records certify nothing, whatever the private ones are
        picked = rng.choice(len(grid), n, p=shares)
        rule = clf.fit(grid[picked], target[picked] ^ (rng.random(n) < noise)).hypothesis_
        bad += (1 - 2 * noise) * shares[rule(grid) != target].sum() > α
    assert bad < 14
