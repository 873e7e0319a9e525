"""Histograms of columns: the noise of one price, its least τ, what is shown, and the law against its definition."""

from fractions import Fraction

import pytest
from flint import ctx

from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.histograms.column_histograms import ColumnHistograms, ColumnKeys, ColumnNoise
from privpac.mechanisms.noise.gaussian import tails
from privpac.mechanisms.noise.laplace import laplace_tail
from privpac.privacy.accounting.gaussian_counts import kinds_delta
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.grid import over


@over(("ε", "d"), [("0.5", 1), ("0.5", 13), ("1", 30), ("6", 4)])
def test_gaussian_noise_of_histograms_and_fresh_counts_has_one_price(ε, d):
    noise = ColumnNoise(Budget(ε, "1e-6"), d, gaussian=True)
    σ2 = noise.count_noise.variance
    assert noise.fresh_noise.variance == 2 * σ2
    half = Fraction(1, 2)
    every = kinds_delta(noise.cost.epsilon, ((2 * d, Fraction(1)), (d, half)), σ2)
    fewer = kinds_delta(noise.cost.epsilon, ((2 * d - 1, Fraction(1)), (d, half)), σ2)
    assert every <= noise.cost.delta * 7 / 8
    with ctx.workprec(256):
        at_least = tails(σ2, noise.least + 2)
        shown = [1 - (1 - at_least(τ - 1)) ** d for τ in (noise.least, noise.least - 1)]
        whole = [A + (1 - A) * ball(fewer) for A in shown]
        assert whole[0] <= ball(noise.cost.delta)
        assert whole[1] > ball(noise.cost.delta) * 9 / 10  # the union bound of the code is a little below


@over(("ε", "δ", "d"), [("0.5", "1e-6", 1), ("6", "1e-3", 2), ("1", "1e-50", 5)])
def test_laplace_noise_of_histograms_and_fresh_counts_has_one_price(ε, δ, d):
    noise = ColumnNoise(Budget(ε, δ), d)
    assert 2 * d * noise.count_noise.rate + d * noise.fresh_noise.rate == noise.cost.epsilon
    with ctx.workprec(256):
        shown = [d * laplace_tail(noise.count_noise.rate, τ - 1) for τ in (noise.least, noise.least - 1)]
        assert shown[0] <= ball(noise.cost.delta) < shown[1]


def test_many_columns_get_gaussian_noise_and_no_delta_means_no_keys():
    assert [ColumnNoise.of(Budget(6, "1e-6"), d).gaussian for d in (1, 2, 30)] == [False, True, True]
    pure = ColumnHistograms(ColumnNoise.of(Budget(1000), 2))
    assert pure.noise.least is None and pure.cost == Budget(1000)
    shown = pure.release(pure.check([ColumnKeys((5, 0), {"a": 900}), ColumnKeys((), {})]), SYSTEM)
    assert [list(map(tuple, each)) for each in shown] == [[(5, 0), ()], [(), ()]]


@pytest.mark.parametrize("gaussian", [False, True])
def test_what_is_shown_follows_the_law(gaussian):
    """300 draws; a share of hidden keys that is off by .2 is seen."""
    look = ColumnHistograms(ColumnNoise(Budget(6, "0.01"), 1, gaussian))
    data = look.check([ColumnKeys((1,), {"a": look.noise.least})])
    law, coins, runs = look.law(data), Seeded(5), 300
    hidden = sum(float(p) for (shown,), p in law.items() if not shown.others)
    drawn = sum(not look.release(data, coins)[0].others for _ in range(runs))
    assert abs(float(sum(law.values())) - 1) < 1e-12
    assert abs(drawn - runs * hidden) < 6 * (runs / 4) ** 0.5


def test_counts_of_other_tables_are_refused():
    with pytest.raises(ValueError, match="give the counts of 2 columns"):
        ColumnHistograms(ColumnNoise(Budget(1), 2)).check([ColumnKeys((), {})])
