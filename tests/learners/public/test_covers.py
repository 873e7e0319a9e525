"""How good candidates are: shares that are counted, patterns, and the errors that a private choice adds."""

from itertools import product
from math import comb, exp, inf, log

import numpy as np
import pytest

from privpac.classes import And, HalfPlanes, Intervals, Points, Rectangles, Thresholds, Union
from privpac.learners.certificates.deviation import by_pairs
from privpac.learners.public.covers import chance_beyond, consistent_share, log_patterns, share_above
from tests.grid import over

CUTS = Thresholds(0, 50, direction="above")
TABLE = [(x, 7 * x % 11) for x in range(6)]


def at_most(k, m, p):
    return sum(comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(k + 1))


@over(("k", "m", "chance"), [(0, 100, 0.05), (10, 100, 0.0125), (70, 80, 0.3), (5, 6, 0.05)])
def test_a_share_is_the_least_with_so_few_records(k, m, chance):
    share = share_above(k, m, chance)
    assert at_most(k, m, share) <= chance < at_most(k, m, share - 1e-4)


def test_a_set_of_all_records_has_any_share():
    assert share_above(9, 9, 0.05) == 1.0


@pytest.mark.parametrize(
    ("H", "points"),
    [
        (CUTS, range(8)), (Thresholds(0, 50), range(8)), (Intervals(0, 50), range(8)), (HalfPlanes(50), TABLE),
        (Rectangles(0, 50, 2), TABLE), (And(CUTS, Intervals(0, 50)), range(8)),
        (Union(CUTS, Intervals(0, 50)), range(8)), (Points(), range(5)),
    ],
)  # fmt: skip
def test_no_class_shows_more_patterns(H, points):
    assert len(set(map(bytes, H.patterns(list(points))))) <= exp(log_patterns(H, len(points))) + 1e-6


def test_a_consistent_rule_is_as_good_as_by_definition():
    """Two rules that differ on a share p agree on m records with probability (1 − p)^m."""
    share = consistent_share(Intervals(0, 0), 40, 0.05)
    assert share == pytest.approx(1 - (0.05 / 2) ** (1 / 40), abs=2e-4)
    shares = [consistent_share(Thresholds(0, 10**9, direction="above"), m, 0.05) for m in (5, 100, 1000, 10_000)]
    assert shares == sorted(shares, reverse=True) and shares[-1] < 0.003


def test_the_bound_covers_all_pairs_of_rules():
    """E[s^(−D)]^n at the best s, over laws of one record with the errors that are allowed."""
    α, α1, n, log_r = 0.3, 0.1, 20, 0.4
    laws = [
        (both, good - both, bad - both)
        for good, bad in product(np.linspace(0, α1, 6), np.linspace(α, 1, 8))
        for both in np.linspace(max(0, good + bad - 1), good, 4)
    ]
    worst = max(min((1 - p * (1 - 1 / s) + q * (s - 1)) ** n for s in (exp(log_r),)) for _, q, p in laws)
    assert worst <= chance_beyond(0.0, n, α, α1, log_r) * (1 + 1e-9)


def test_without_a_gap_the_bound_is_that_of_exact_labels():
    assert chance_beyond(log(300), 230, 0.1, 0.0, 0.5) == pytest.approx(
        by_pairs(log(300), 0, 230, 0.1, 0.5, "realizable")
    )
    assert chance_beyond(log(300), 10**6, 0.1, 0.1, 0.5) == 1.0


def test_no_bound_without_a_dimension_or_a_size():
    assert log_patterns(Points(), 3) <= 3 * log(2) and Points().size == inf
