"""What every learner needs: no learner of small samples beats the bounds, by exact enumeration."""

from itertools import product
from math import comb, log

import pytest

from privpac.papers.bbkn14.without_privacy import rare_needs, remark_6_2, vc_needs
from tests.grid import over

pytestmark = pytest.mark.papers


def mean_error(V, m):
    """The best mean error on V shattered points of equal mass after m examples: half of what was not seen."""
    return sum(V - len(set(seen)) for seen in product(range(V), repeat=m)) / (2 * V) / V**m


@over("V", [2, 3, 4])
@over("m", [0, 1, 2, 3])
def test_fewer_examples_than_shattered_points(V, m):
    """(α, β) with mean error (1 − β)α + β at most that of the best learner: the bound must not exceed m."""
    for α, β in product((0.01, 0.1, 0.2, 0.3), (0.01, 0.1, 0.2)):
        if (1 - β) * α + β >= mean_error(V, m):  # some learner might do it from m examples
            assert vc_needs(V, α, β) <= m


def test_it_is_nearly_all_of_them():
    assert vc_needs(10**6, 1e-6, 1e-6) > 999_990
    assert vc_needs(5, 0.4, 0.3) == 0


@over("alpha", [0.01, 0.1, 0.3])
@over("beta", [0.001, 0.05, 0.4])
def test_a_rare_point_must_be_seen(alpha, beta):
    least = rare_needs(alpha, beta)
    m = int(least)  # the last m below it: a coin for the rare point fails too often
    assert (1 - alpha) ** m / 2 >= beta * (1 - 1e-9) or m == least
    assert (1 - alpha) ** (m + 1) / 2 <= beta * (1 + 1e-9)


@over("alpha", [0.05, 0.2, 0.4])
@over("beta", [0.01, 0.1])
def test_points_without_privacy(alpha, beta):
    """The heavy points of the worst case, 2/α of mass α/2 each: exactly how often one of them is not seen."""
    m, heavy = remark_6_2(alpha, beta), int(2 / alpha)
    missed = sum((-1) ** (i + 1) * comb(heavy, i) * (1 - i * alpha / 2) ** m for i in range(1, heavy + 1))
    assert missed <= beta
    assert 2 / alpha * (1 - alpha / 2) ** (m - 1) > beta
    assert rare_needs(alpha, beta) <= m <= 2 * log(2 / (alpha * beta)) / alpha + 1


@pytest.mark.parametrize("goal", [(0, 0.1), (0.1, 0), (1, 0.1), (0.1, 1)])
def test_refusals(goal):
    for call in (lambda: vc_needs(3, *goal), lambda: rare_needs(*goal), lambda: remark_6_2(*goal)):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            call()
