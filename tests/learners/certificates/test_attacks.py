"""Attacks on the lemmas for noisy labels: every small population by enumeration, and exact laws of many rules."""

from math import factorial, inf, log, prod

import numpy as np
import pytest
from scipy.stats import binom

from privpac.learners.certificates.deviation import by_deviations, by_pairs
from privpac.learners.lines.threshold_bounds import excess_law
from privpac.privacy.bisection import smallest
from tests.grid import over


def divided(total, parts):
    """All ways to divide a whole number into so many parts, 0 included."""
    if parts == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in divided(total - first, parts - 1)]


def worst_ratio(n, places, sides, grid):
    """The largest exact P(J ≤ x), as a share of the bound, where that is below 1.

    A record is a plus or a minus at one of the places of one of the sides, or does not matter. All populations whose
    masses are multiples of 1/grid are tried, with all α just below such a multiple, and all x.
    """
    kinds = 2 * places * sides + 1
    counts, populations = np.array(divided(n, kinds)), np.array(divided(grid, kinds)) / grid
    ways = np.array([factorial(n) / prod(map(factorial, row)) for row in counts.tolist()])
    logs = np.log(np.maximum(populations, 1e-300))
    chances = np.exp(logs @ counts.T) * ways

    def excess(rows):
        signed = (rows[:, :-1:2] - rows[:, 1:-1:2]).reshape(len(rows), sides, places)
        return signed.cumsum(axis=2).reshape(len(rows), sides * places)

    D, meant, found = excess(counts), excess(populations), [0.0]
    for alpha in np.arange(1, grid) / grid - 1e-9:
        some = (meant > alpha).any(axis=1)
        patterns, which = np.unique(meant[some] > alpha, axis=0, return_inverse=True)
        for i, bad in enumerate(patterns):
            J, here = D[:, bad].min(axis=1), chances[some][which == i]
            x = np.arange(-n, n)
            bound = excess_law(x.astype(float), n, alpha, sides)
            exact = np.array([here[:, each >= J].sum(axis=1).max() for each in x])
            assert (exact <= bound * (1 + 1e-9)).all()
            found.extend((exact / bound)[bound < 1])
    return max(found)


@pytest.mark.audit
@over(
    ("n", "places", "sides", "grid"),
    [(1, 3, 1, 8), (2, 3, 1, 8), (5, 3, 1, 8), (7, 3, 1, 8), (4, 2, 2, 6), (12, 2, 1, 8)],
)
def test_no_population_of_a_few_places_breaks_the_law_of_the_least_excess(n, places, sides, grid):
    """Lemma 4 of the threshold learner. On one side, without its factor of 2, it fails."""
    ratio = worst_ratio(n, places, sides, grid)
    assert ratio > (0.25 if sides == 2 or n == 1 else 0.5)


def test_fair_coins_beyond_a_first_bad_set_are_nearly_as_bad_as_the_law_allows():
    """The population of the proof, with a place for each record: two thirds of the bound, and the factor is needed."""
    n, alpha, x = 400, 0.1, 10
    first = np.arange(n + 1)  # records in the first bad set, all of them a plus; the others are fair coins, one by one
    failed = 0.0
    for j, p in zip(first, binom.pmf(first, n, alpha), strict=True):
        steps, level = n - j, j - x
        # the reflection principle: a fair walk of so many steps falls to −level or below
        failed += p * (1.0 if level <= 0 else binom.cdf((steps - level) // 2, steps, 0.5) * 2 - _ends_at(steps, level))
    bound = float(excess_law(np.array([float(x)]), n, alpha, 1)[0])
    assert 0.6 * bound < failed <= bound


def _ends_at(steps, level):
    """P(a fair walk of so many steps ends at −level), counted twice by the reflection."""
    return binom.pmf((steps - level) // 2, steps, 0.5) if (steps - level) % 2 == 0 and steps >= level else 0.0


def preferred(M, n, p, alpha, borne=0):
    """The probability that one of M rules with independent errors is strictly better than the best rule.

    Each errs with probability p + α, on n − ``borne`` records, and on none of those that bring it along."""
    best = np.arange(n + 1)
    worse = binom.logsf(best - 1, n - borne, p + alpha)
    return float(binom.pmf(best, n, p) @ -np.expm1(M * worse))


@pytest.mark.audit
@over("M", [1, 2, 10, 150, 10**4, 10**8])
@over("n", [20, 100, 400, 2000])
@over("alpha", [0.02, 0.1, 0.4, 0.8])
def test_no_number_of_rules_with_independent_errors_beats_the_bound(M, n, alpha):
    """Lemma 6: whatever r is, it also bounds how often some bad rule errs less than the best one."""
    for log_r in (5, 50, 600):
        for p in (0, 0.05, (1 - alpha) / 2, 1 - alpha):
            assert preferred(M, n, p, alpha) <= float(by_deviations(log(M), 0, n, alpha, log_r)) * (1 + 1e-9)
            assert preferred(n, n, p, alpha, borne=1) <= float(by_deviations(log(n), 1, n - 1, alpha, log_r)) * (
                1 + 1e-9
            )


@pytest.mark.parametrize(("M", "factor"), [(150, 1.8), (10**8, 1.3)])
def test_the_bound_asks_for_few_records_too_many(M, factor):
    """Certified and exactly needed numbers of records: a bound that asked for 1/factor of them would fail."""
    certified = smallest(lambda n: float(by_deviations(log(M), 0, n, 0.1, 50)) <= 0.05)
    needed = smallest(lambda n: preferred(M, n, 0.45, 0.1) <= 0.05)
    assert needed < certified <= factor * needed
    assert certified < smallest(lambda n: by_pairs(log(M), 0, n, 0.1, 50, "agnostic") <= 0.05) < inf
