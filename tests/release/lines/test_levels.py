"""Levels of counts agree after least squares, and the fit to a non-decreasing sequence never errs more."""

import numpy as np
import pytest

from privpac.release.lines.levels import MOST_CELLS, CountLevels, is_expected, non_decreasing, toward
from tests.grid import over

RNG = np.random.default_rng(1)


@over(("cells", "number"), [(1, 1), (125, 1), (126, 2), (1500, 2), (1501, 3), (30_001, 4)])
def test_the_number_of_levels(cells, number):
    assert CountLevels(cells).number == number
    assert CountLevels(cells).wide ** number >= cells or cells == 1


@over("cells", [1, 2, 126, 400, 1501, 2000])
def test_groups_hold_all_cells(cells):
    counts = RNG.integers(0, 9, cells)
    levels = CountLevels(cells).counts(counts)
    assert len(levels) == CountLevels(cells).number
    assert all(level.sum() == counts.sum() for level in levels)


def least_squares(levels, noisy, total):
    """By the normal equations, with the total as a constraint."""
    K = levels.cells
    rows = np.vstack([np.stack([levels.counts(unit)[level] for unit in np.eye(K)]).T for level in range(levels.number)])
    y = np.concatenate(noisy)
    system = np.block([[rows.T @ rows, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
    return np.linalg.solve(system, np.append(rows.T @ y, total))[:-1]


@pytest.mark.parametrize("cells", [5, 111, 130])
def test_the_counts_are_those_of_least_squares(cells, monkeypatch):
    monkeypatch.setattr("privpac.release.lines.levels.MOST_CELLS", (4, 110))  # two levels for 5 cells, three for more
    levels = CountLevels(cells)
    assert levels.number == (2 if cells == 5 else 3)
    noisy = [level + RNG.normal(0, 5, len(level)) for level in levels.counts(RNG.integers(0, 50, cells))]
    found = levels.least_squares(noisy, 2000.0)
    assert found.sum() == pytest.approx(2000)
    assert found == pytest.approx(least_squares(levels, noisy, 2000.0), abs=1e-8)


def test_the_cells_of_each_number_of_levels_increase():
    assert list(MOST_CELLS) == sorted(MOST_CELLS)


def test_a_monotone_fit_never_errs_more():
    for _ in range(200):
        truth = np.sort(RNG.integers(0, 100, 30)).astype(float)
        noisy = truth + RNG.normal(0, 20, 30)
        fit = non_decreasing(noisy)
        assert (np.diff(fit) >= 0).all()
        assert np.abs(fit - truth).max() <= np.abs(noisy - truth).max() + 1e-9


def test_noise_is_moved_toward_what_was_expected_and_signals_are_not():
    prior = np.full(50, 20.0)
    noise = RNG.normal(0, 5, 50)
    assert np.abs(toward(prior, prior + noise, 25.0) - prior).sum() < 0.7 * np.abs(noise).sum()
    far = prior + 1000 * RNG.random(50)
    assert toward(prior, far, 25.0) == pytest.approx(far, rel=0.01)
    assert toward(prior[:2], far[:2], 25.0).tolist() == far[:2].tolist()
    assert toward(prior, prior, 25.0).tolist() == prior.tolist()


def test_noise_alone_is_as_expected_in_most_runs_and_a_shift_of_twice_its_size_is_not():
    prior = np.full(40, 25.0)
    noise = RNG.laplace(0, 3, (2000, 40))
    noise -= noise.mean(axis=1, keepdims=True)  # the total is known
    accepted = [is_expected(prior, prior + each, 18.0) for each in noise]
    assert 0.92 < np.mean(accepted) < 0.99
    shift = np.repeat([1, -1], 20) * 2 * 1.36 * np.sqrt(40 * 18.0) / 20
    assert not any(is_expected(prior, prior + shift + each, 18.0) for each in noise[:200] / 4)
