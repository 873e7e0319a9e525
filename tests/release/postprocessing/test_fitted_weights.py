"""Weights that fit noisy answers: as near as the noise explains, never negative, of the same sum."""

import numpy as np
import pytest

from privpac.release.postprocessing import fitted_weights as mirror
from privpac.release.postprocessing.fitted_weights import FAR, fitted_weights


@pytest.mark.parametrize("seed", range(5))
def test_answers_come_as_near_as_the_noise_explains(seed):
    rng = np.random.default_rng(seed)
    A, true = (rng.random((60, 20)) < 0.5).astype(float), rng.multinomial(5000, rng.dirichlet(np.ones(20)))
    y = A @ true + rng.normal(0, 30, 60)
    y = A @ np.linalg.lstsq(A, y, rcond=None)[0]
    w = fitted_weights(y, lambda w: A @ w, lambda r: A.T @ r, np.full(20, 250.0), 20 * 30**2)
    assert (w >= 0).all() and w.sum() == pytest.approx(5000)
    assert ((A @ w - y) ** 2).sum() <= FAR * 20 * 30**2
    assert np.abs(A @ (w - true)).max() < np.abs(A @ (250 - true)).max()


def identity(w):
    return w


def test_what_no_weights_reach_is_approached_and_what_does_not_settle_is_not_used(monkeypatch):
    apart = fitted_weights(np.array([30.0, -10.0]), identity, identity, np.array([10.0, 10.0]), 1.0)
    assert apart == pytest.approx([20, 0], abs=0.1)
    monkeypatch.setattr(mirror, "ROUNDS", 3)
    assert fitted_weights(np.array([1e6, 1.0]), identity, identity, np.array([1.0, 1e6]), 1.0) is None


def test_nothing_is_fitted_by_no_records():
    assert fitted_weights(np.array([3.0]), identity, identity, np.zeros(1), 1.0) is None
    assert fitted_weights(np.zeros(2), identity, identity, np.array([2.0, 0.0]), 1e9).tolist() == pytest.approx(
        [2, 0], abs=1e-9
    )
