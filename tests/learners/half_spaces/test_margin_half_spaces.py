"""Half-spaces with a declared margin: the lift, rules, certificates on records that barely keep it, refusals."""

from itertools import product

import numpy as np
import pytest

from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.learners.choice import learner_for, ranking
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.half_spaces.nets import NetLearner
from privpac.learners.half_spaces.perceptron import PerceptronLearner, half_space_rule, lift_of, lifted_margin
from privpac.learners.sample_sizes import certified_n
from privpac.mechanisms.half_spaces.perceptron import Lift
from privpac.requests.conditions import Conditions
from tests.grid import over


def near_the_boundary(rng, n, d, side, margin, normal=None):
    """Records of a random half-space that keep the margin, most of them barely; and their labels."""
    radius = np.sqrt(d) * (side - 1) / 2
    w = rng.normal(size=d) if normal is None else np.array(normal, dtype=float)
    w /= np.linalg.norm(w)
    X = rng.integers(0, side, (60 * n, d)).astype(float)
    b = w @ np.full(d, (side - 1) / 2) + rng.uniform(-0.1, 0.1) * radius
    signs = np.where(rng.random(len(X)) < 0.5, 1, -1)
    X += ((signs * (margin + 0.02) * radius + b - X @ w)[:, None]) * w  # onto two planes beside the boundary
    X = np.clip(np.rint(X), 0, side - 1)
    kept = np.abs(X @ w - b) >= margin * radius
    return X[kept][:n].astype(int), (X @ w >= b)[kept][:n]


@over(("d", "side", "w"), product((1, 2, 3), (1, 2, 5), range(5)))
def test_rules_label_the_grid_as_lifted_weights_do(d, side, w):
    rng = np.random.default_rng(w)
    lift = Lift(d, side, int(rng.integers(1, 9)))
    weights = tuple(int(each) for each in rng.integers(-3, 4, d + 1) * (w > 0))
    grid = np.array(list(product(range(side), repeat=d)))
    assert (half_space_rule(lift, weights)(grid) == (lift.rows(grid) @ np.array(weights) >= 0)).all()


@over(("d", "margin"), product((1, 4, 30), (0.02, 0.2, 0.45)))
def test_lifted_records_keep_the_lifted_margin(d, margin):
    """Lemma 1, for half-spaces through many parts of the grid."""
    rng, side = np.random.default_rng(3), 201
    H = HalfSpaces(d, side, margin)
    lift, radius = lift_of(H), np.sqrt(d) * 100
    for _ in range(30):
        w = rng.normal(size=d)
        w /= np.linalg.norm(w)
        X = rng.integers(0, 2, (300, d)) * 200 if rng.random() < 0.5 else rng.integers(0, side, (300, d))
        b = w @ X[0] + rng.normal() * radius * 0.5
        X = X[np.abs(X @ w - b) >= margin * radius]
        y = X @ w >= b
        u = np.append(w, (w.sum() * lift.width - 2 * b) / lift.length)
        if y.all() or not y.any():
            u = np.append(np.zeros(d), 1 if y.all() else -1)
        along = (lift.rows(X) @ u) * np.where(y, 1, -1) / np.linalg.norm(u) / lift.norm
        assert (along >= lifted_margin(H) * (1 - 1e-9)).all()


@pytest.mark.audit
def test_certificates_hold():
    """An error beyond α in at most 5 % of 30 fits; 12 or more have probability below 10⁻⁷ if 5 % is true."""
    rng, H = np.random.default_rng(), HalfSpaces(6, 101, margin=0.3)
    clf = PrivateClassifier(H, epsilon=4, alpha=0.1, regime="realizable", method="PerceptronLearner")
    n = clf.certified_n()
    assert n < 8000
    bad = 0
    for _ in range(30):
        X, y = near_the_boundary(rng, 2 * n, 6, 101, 0.3)
        assert len(X) == 2 * n
        rule = clf.fit(X[:n], y[:n]).hypothesis_
        bad += (rule(X[n:]) != y[n:]).mean() > 0.1
    assert bad < 12
    assert clf.guarantee_.utility.alpha <= 0.1
    assert "at least 0.3 of the radius" in clf.guarantee_.utility.assumptions[-1]


@pytest.mark.audit
def test_fifty_columns_are_learned():
    """36,000 records, which is about what the certificate needs at ε = 1; the error is far below it."""
    X, y = near_the_boundary(np.random.default_rng(5), 36_000, 50, 101, 0.2, normal=[1] * 50)
    assert len(X) > 30_000
    clf = PrivateClassifier(HalfSpaces(50, 101, margin=0.2), epsilon=1).fit(X, y)
    assert (clf.predict(X) != y).mean() < 0.05
    assert clf.guarantee_.utility is None  # labels may be noisy, and nothing is proved for these
    (entry,) = clf.ledger_.entries
    assert entry.mechanism == "noisy perceptron"


@pytest.mark.audit
def test_the_learner_with_the_better_certificate_is_chosen():
    asked = Conditions.of(epsilon=1, regime="realizable")
    assert learner_for(HalfSpaces(4, 1000, margin=0.3), asked) is NetLearner
    assert learner_for(HalfSpaces(4, 1000, margin=0.05), asked) is PerceptronLearner
    assert learner_for(HalfSpaces(4, 1000, margin=0.05), Conditions.of(epsilon=1)) is NetLearner
    assert learner_for(HalfSpaces(50, 1000, margin=0.3), asked) is PerceptronLearner
    assert 30_000 < certified_n(PerceptronLearner, HalfSpaces(50, 1000, margin=0.3), asked) < 40_000
    assert ranking(HalfSpaces(50, 1000, margin=0.3), Conditions.of(epsilon=1)) == ((PerceptronLearner, None),)


REFUSED = [(HalfSpaces(6, 10), {}), (HalfSpaces(50, 10, margin=0.001), {}), (HalfSpaces(9, 9, 0.2), {"delta": 0})]


@pytest.mark.parametrize(("H", "given"), REFUSED)
def test_what_is_not_learned_is_refused_with_what_to_type(H, given):
    with pytest.raises(ValueError, match="margin" if not given else "delta"):
        PrivateClassifier(H, epsilon=1, **given).fit([[0] * H.dim] * 4, [0, 1, 0, 1])


@over("n", [1, 2, 40])
def test_few_records_one_class_and_void_ones_are_learned(n):
    H = HalfSpaces(7, 5, margin=0.5)
    clf = PrivateClassifier(H, epsilon=1, delta=1e-4, on_invalid="default")
    X = [[2] * 7, [9] * 7][: max(1, n % 2 + 1)] * n
    fitted = clf.fit(X, [1] * len(X))
    assert fitted.predict([[2] * 7]).shape == (1,)
    assert str(fitted.privacy_) == "ε = 1, δ = 0.0001"
