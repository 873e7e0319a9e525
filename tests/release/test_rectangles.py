"""Rectangles on a grid: sensitivity over all pairs of cells, gaps over all rectangles, exact audits, hostile input."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy.stats import binom

import privpac as pp
from privpac.audit.claims.case import Case
from privpac.classes.hypothesis import Constant
from privpac.classes.vectors.boxes import Box
from privpac.data.domains.grid import Grid
from privpac.mechanisms.noise.gaussian import DiscreteGaussian
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.refusals.refusal import Refused
from privpac.release import Release
from privpac.release import rectangles as module
from privpac.release.rectangles import GridAnswers, GridSanitizer, grid_counts, squared_change, strategy
from privpac.requests.conditions import Terms
from tests.grid import over
from tests.release.samples import asked, assert_is_the_gap, sample_of

SMALL = pp.Rectangles(1, 3, 2)
GAUSSIAN = Budget(1, 1e-6)


def all_boxes(grid):
    sides = list(combinations_with_replacement(range(grid.low, grid.high + 1), 2))
    return [Box((a, c), (b, d)) for (a, b), (c, d) in product(sides, repeat=2)]


@over("side", (1, 2, 3, 4, 5, 8))
def test_the_sensitivity_covers_all_pairs_of_cells_and_void_records(side):
    for cost in (GAUSSIAN, Budget(1)):
        B, noise = strategy(side, not cost.delta), GridSanitizer(pp.Rectangles(0, side - 1, 2), Terms(cost)).noise
        arrays = [np.zeros((len(B),) * 2, dtype=int), *(np.outer(x, y) for x, y in product(B.T, repeat=2))]
        changes = np.array(arrays)[:, None] - np.array(arrays)
        if cost.delta:
            assert isinstance(noise, DiscreteGaussian) and (B >= 0).all()
            largest, said = (changes**2).sum(axis=(2, 3)).max(), noise.squared_sensitivity
            assert said == largest
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "COMPARED_SIDE", 0)
                assert largest <= squared_change.__wrapped__(side) <= 2 * largest
        else:
            largest, said = np.abs(changes).sum(axis=(2, 3)).max(), noise.sensitivity
        assert largest <= said <= 2 * largest
        assert side < 8 or said <= 1.25 * largest


def test_the_measurements_determine_all_cells():
    for side, pure in product((1, 2, 3, 5, 16, 64, 100), (False, True)):
        assert np.linalg.matrix_rank(strategy(side, pure)) == side


def test_the_gap_is_the_largest_error_of_all_rectangles_and_changes_by_one():
    F = ((0, 0, 0, 0), (0, 1, 0, 2), (0, 1, 2, 1), (0, 0, 2, 3))
    answers = GridAnswers(2, SMALL.domain, F)
    queries = [*all_boxes(SMALL.domain), Constant(False), Constant(True)]
    assert_is_the_gap(answers, SMALL.domain, [(1, 1), (1, 3), (2, 2), (3, 3)], queries, 2)


def test_a_box_may_be_open_or_reach_beyond_the_grid():
    F = np.pad(np.arange(1, 10).reshape(3, 3).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    answers = GridAnswers(45, SMALL.domain, tuple(map(tuple, F.tolist())))
    counts = {
        ((None, None), (None, None)): 45,
        ((2, None), (None, 1)): 4 + 7,
        ((-(10**30), 2), (2, 10**30)): 2 + 3 + 5 + 6,
        ((4, 1), (9, 3)): 0,
        ((3, 1), (1, 3)): 0,
    }
    for (low, high), count in counts.items():
        assert answers.count(Box(low, high)) == count
    assert answers.counts()["records"] == list(range(1, 10))
    for query in (Box((1,), (2,)), pp.Points().hypothesis(3)):
        with pytest.raises(Refused, match="rectangles of two columns"):
            answers.count(query)
    for sums in (F.tolist()[1:], (F + 1).tolist()):
        with pytest.raises(ValueError, match="begin with 0"):
            GridAnswers(45, SMALL.domain, tuple(map(tuple, sums)))


@pytest.mark.audit
@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("side", [1, 3, 20, 130])
def test_answers_are_exact_without_noise(side, delta):
    rng = np.random.default_rng(side)
    X = rng.integers(0, side, (300, 2))
    grid = pp.Rectangles(0, side - 1, 2)
    release = pp.PrivateRelease(grid, epsilon=10**6, delta=delta, feature=[0, 1]).fit(X)
    assert release.release_.answers_.gap(sample_of(grid.domain, X.tolist())) == 0
    assert Release.from_json(release.to_json()) == release.release_
    rows = release.synthetic(300)
    assert sorted(zip(rows["x1"], rows["x2"], strict=True)) == sorted(map(tuple, X.tolist()))


@pytest.mark.parametrize("X", [[(3, 1)], [(3, 1), (15, 0)]])
def test_a_release_of_few_records_is_read_again_even_if_answers_lie_beyond_them(X):
    releases = [pp.PrivateRelease(pp.Rectangles(0, 15, 2), epsilon=9, random_state=i).fit(X).release_ for i in range(8)]
    assert any(release.guarantee.measured > release.n for release in releases)
    assert all(Release.from_json(release.to_json()) == release for release in releases)


@pytest.mark.slow
def test_measurements_hold_for_all_neighbors():
    """On a grid of 2 × 2 cells, where neighbors use up half of what the bound allows."""
    grid = pp.Rectangles(0, 1, 2)
    sanitizer, B = GridSanitizer(grid, Terms(Budget(1))), strategy(2, pure=True)

    def measured(records):
        return (B @ grid_counts(sample_of(grid.domain, records), grid.domain) @ B.T).ravel().tolist()

    case = Case(sanitizer.noise, measured, "a small grid", [(0, 0), (0, 1), (1, 1), None], 1, Budget(1))
    assert not case.exact().refuted
    assert case.overspent(2.1).exact().refuted


@pytest.mark.slow
def test_rectangles_are_better_than_sums_of_cells():
    """Counts of single cells would add up to an error of about 1000 records at this ε and δ."""
    X = np.random.default_rng(2).integers(0, 64, (10_000, 2))
    grid = pp.Rectangles(0, 63, 2)
    release = pp.PrivateRelease(grid, epsilon=1, delta=1e-6, feature=[0, 1]).fit(X)
    gap = release.release_.answers_.gap(sample_of(grid.domain, X.tolist()))
    assert gap < 500 and release.guarantee_.measured < 600


@pytest.mark.audit
def test_certificates_miss_no_more_often_than_beta():
    """400 runs at β = 1/5; a true rate of β fails with probability below 1e-6, one of 2β passes with less than 1e-3."""
    X, runs = [(1, 1)] * 20 + [(3, 2)] * 10, 400
    sample, missed = sample_of(SMALL.domain, X), 0
    algorithm = pp.PrivateRelease(SMALL, epsilon=2, beta=0.2, certify=0.5, feature=[0, 1]).algorithm(sample.size)
    for _ in range(runs):
        answers, bound = algorithm.run(Opened(sample, sample.size), asked)
        missed += answers.gap(sample) > bound
    most = int(binom.isf(1e-6, runs, 0.2))
    assert binom.cdf(most, runs, 0.4) < 1e-3
    assert missed <= most


def test_certificates_hold_where_answers_lie_far_beyond_n(monkeypatch):
    """Five records among noise of thousands: a bound of n would never hold. Five misses have probability 0.05^5."""
    monkeypatch.setattr(module, "FITTED_SIDE", 0)  # as on large grids
    grid, X = pp.Rectangles(0, 15, 2), [(3, 3)] * 5
    algorithm = pp.PrivateRelease(grid, epsilon=0.1, delta=1e-6, feature=[0, 1]).algorithm(5)
    sample = sample_of(grid.domain, X)
    runs = [algorithm.run(Opened(sample, 5), asked) for _ in range(5)]
    assert all(answers.gap(sample) > 5 for answers, _ in runs)
    assert any(answers.gap(sample) <= bound for answers, bound in runs)
    low, high = GridAnswers(2, SMALL.domain, ((0, 0, 0, 0), (0, -7, 0, 0), (0, 0, 0, 0), (0, 0, 0, 2))), [(1, 1)] * 2
    assert low.gap(sample_of(SMALL.domain, high)) == 9 <= low.farthest


@pytest.mark.slow
@pytest.mark.parametrize("bad", [(1, None), (1, float("nan")), (0, 2), (1, 9), (1, "x")])
def test_points_off_the_grid(bad):
    X, ledger = [(1, 1), (2, 3), bad], pp.Ledger(Budget(9))
    with pytest.raises((TypeError, ValueError)):
        pp.PrivateRelease(SMALL, epsilon=1, budget=ledger, feature=[0, 1]).fit(X)
    assert ledger.spent == Budget(0)
    release = pp.PrivateRelease(SMALL, epsilon=10**5, on_invalid="default", feature=[0, 1]).fit(X)
    assert release.n_records_ == 3 and release.release_.answers_.count(Box((None, None), (None, None))) == 2
    clamped = pp.PrivateRelease(SMALL, epsilon=10**5, on_invalid="clamp", feature=[0, 1]).fit(X)
    assert clamped.release_.answers_.count(Constant(True)) == (3 if bad in [(0, 2), (1, 9)] else 2)


@over("low", [-(2**63), 2**63 - 2, 2**70])
def test_grids_far_from_zero(low):
    """Beyond machine integers, values do not wrap around."""
    release = pp.PrivateRelease(pp.Rectangles(low, low + 3, 2), epsilon=10**5, feature=[0, 1]).fit([(low + 3, low)] * 9)
    assert release.answer(Box((low + 3, low), (low + 3, low))) == 1
    assert release.synthetic(2) == {"x1": [low + 3] * 2, "x2": [low] * 2}
    assert release.counts()["x1"][-1] == low + 3


def test_where_records_lie_never_decides_whether_a_release_fails():
    """Numpy holds these records as machine integers unless one lies below them; the grid begins below them."""
    low = -(2**63) - 2
    grid = Grid(low, low + 3, 2)
    for records in ([(low + 3, low + 2)], [(low + 3, low + 2), (low, low)], [None]):
        sample = sample_of(grid, records)
        assert grid_counts(sample, grid).sum() == len(sample.labels)
        assert GridAnswers(len(records), grid, ((0,) * 5,) * 5).gap(sample) == len(sample.labels)


def test_few_records_and_large_grids():
    release = pp.PrivateRelease(SMALL, epsilon=1, delta=1e-6, feature=[0, 1]).fit([(2, 2)])
    assert release.guarantee_.measured <= release.release_.answers_.farthest
    with pytest.raises(ValueError, match="minimum of 1"):
        pp.PrivateRelease(SMALL, epsilon=1, feature=[0, 1]).fit(np.zeros((0, 2), dtype=int))
    for large in (pp.Rectangles(0, 256, 2), pp.Rectangles(0, 3, 1), pp.Rectangles(0, 3, 3)):
        assert GridSanitizer.for_class(large, Terms(Budget(1))) is None
    assert grid_counts(sample_of(Grid(5, 6, 2), [(5, 6), (5, 6)]), Grid(5, 6, 2)).tolist() == [[0, 2], [0, 0]]
