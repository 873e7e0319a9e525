"""The judge is judged: its intervals have their level, and it tells right from wrong from powerless."""

from fractions import Fraction
from math import comb

import pytest

from privpac.exact.entropy import SYSTEM
from tests.grid import over
from tests.statistics import Powerless, Rejected, assert_matches, inside, interval

FAIR, BIASED = {0: 0.5, 1: 0.5}, {0: 0.6, 1: 0.4}


def coin():
    return SYSTEM.bits(1)


@over("p", [Fraction(0), Fraction(1, 1000), Fraction(1, 3), Fraction(9, 10), Fraction(1)])
@over("n", [1, 7, 60])
@over("level", [Fraction(1, 10), Fraction(1, 10**6)])
def test_an_interval_has_its_level_and_is_as_short_as_it_can_be(p, n, level):
    mass = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    least, most = interval(float(p), n, float(level))
    assert sum(mass[:least]) <= level / 2 and sum(mass[most + 1 :]) <= level / 2
    assert sum(mass[: least + 1]) > level / 2 and sum(mass[most:]) > level / 2
    assert inside(float(p), n, least, most) == pytest.approx(float(sum(mass[least : most + 1])))


def test_the_right_law_passes():
    assert_matches(coin, FAIR, must_reject=BIASED)


def test_a_wrong_law_is_rejected():
    with pytest.raises(Rejected):
        assert_matches(coin, BIASED, must_reject=FAIR)


def test_an_outcome_outside_the_law_is_rejected():
    with pytest.raises(Rejected, match="any other outcome"):
        assert_matches(lambda: coin() if SYSTEM.below(100) else 2, FAIR, must_reject=BIASED)


def test_unlisted_outcomes_may_carry_the_rest():
    assert_matches(coin, {0: 0.5}, must_reject={0: 0.4})


def test_a_mutant_that_would_pass_is_reported():
    with pytest.raises(Powerless):
        assert_matches(coin, FAIR, must_reject={0: 0.501, 1: 0.499})
    with pytest.raises(Powerless):
        assert_matches(coin, FAIR, must_reject=FAIR)
