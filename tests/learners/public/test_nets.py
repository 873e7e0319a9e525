"""A net that public records certify: counts by definition, certificates on hostile records."""

from itertools import product

import numpy as np
import pytest

from privpac.classes import HalfSpaces
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.public import nets
from privpac.learners.public.nets import PublicNetLearner, most_undecided, net_rules


@pytest.fixture(autouse=True)
def _coarse(monkeypatch):
    """Nets so coarse that candidates differ from most half-spaces."""
    monkeypatch.setattr(nets, "FINENESS", {1: 1, 2: 2, 3: 1})
    monkeypatch.setattr("privpac.learners.half_spaces.nets.BIASES", 16)
    for cached in (net_rules, most_undecided):
        cached.cache_clear()
    yield
    for cached in (net_rules, most_undecided):
        cached.cache_clear()


def public(X):
    return PublicRecords.of(map(tuple, X.tolist()))


def counted(X):
    return X[np.arange(len(X)) % nets.CENTERING != nets.CENTERING - 1][: nets.MOST_COUNTED]


@pytest.mark.parametrize(("d", "side", "m"), [(1, 60, 40), (2, 40, 30), (2, 9, 100), (3, 20, 60), (2, 40, 5)])
def test_no_half_space_differs_from_all_candidates_on_more_records(d, side, m):
    rng = np.random.default_rng(d + m)
    X = rng.integers(0, side, (m, d))
    H = HalfSpaces(d, side)
    most, number = most_undecided(WithPublic(H, public(X)))
    seen, rules = counted(X), net_rules(H)
    assert number == len(seen)
    labels = np.array([rules.rule(k)(seen) for k in range(rules.size)])
    for _ in range(150):
        w = rng.normal(size=d)
        inside = w @ seen.T >= w @ rng.choice(X) + rng.normal()
        assert (labels != inside).sum(axis=1).min() <= most
    for constant in (True, False):
        assert (labels != constant).sum(axis=1).min() == 0


@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_more_public_records_certify_more(regime):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 40, (2000, 2))
    sizes = [
        PrivateClassifier(HalfSpaces(2, 40), alpha=0.45, regime=regime, public=X[:m]).certified_n() for m in (300, 2000)
    ]
    assert sizes[1] < sizes[0]


def test_other_classes_and_numbers_alone_are_not_for_nets():
    assert not PublicNetLearner.supports(WithPublic(HalfSpaces(2, 9), PublicRecords(100)))
    assert not PublicNetLearner.supports(WithPublic(HalfSpaces(5, 9), PublicRecords.of([(0,) * 5] * 100)))


@pytest.mark.slow
@pytest.mark.parametrize(("regime", "noise"), [("realizable", 0.0), ("agnostic", 0.2)])
def test_a_certificate_fails_as_seldom_as_it_says(regime, noise, monkeypatch):
    """With probability 5 % at most; 14 or more of 60 fits have a probability below 1e-5 then.

    Public records are new each time.
    """
    monkeypatch.setattr(nets, "FINENESS", {2: 24})
    monkeypatch.setattr("privpac.learners.half_spaces.nets.BIASES", 256)
    rng, bad, α = np.random.default_rng(), 0, 0.25
    grid = np.array(list(product(range(100), repeat=2)))
    weights = np.exp(-(((grid - 50) / (18, 30)) ** 2).sum(axis=1)) * (1 + 30 * (grid @ (5, -3) == 101))
    shares, target = weights / weights.sum(), grid @ (5, -3) >= 101  # a row of heavy points on the boundary
    for _ in range(60):
        X0 = grid[rng.choice(len(grid), 400, p=shares)]
        clf = PrivateClassifier(HalfSpaces(2, 100), alpha=α, regime=regime, public=X0)
        n = clf.certified_n()
        if n is None:
            continue  # the public records certify nothing, whatever the private ones are
        picked = rng.choice(len(grid), n, p=shares)
        rule = clf.fit(grid[picked], target[picked] ^ (rng.random(n) < noise)).hypothesis_
        bad += (1 - 2 * noise) * shares[rule(grid) != target].sum() > α
    assert bad < 14
