"""The exponential mechanism over a representation."""

from decimal import Decimal
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.exact.entropy import entropy
from privpac.papers.bbkn14.boosting import Boosted
from privpac.papers.bbkn14.intervals import IntervalExponential, SwitchingLearner
from privpac.papers.bbkn14.occam import PrivateOccam, comparison_size, theorem_3_2, theorem_4_2
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.bbkn14.proper import ProperFromLight
from privpac.papers.bbkn14.representation import largest_overlap, random_sets
from privpac.papers.bbkn14.separation import Generator, HatPointLearner
from privpac.privacy.budget import Budget

pytestmark = pytest.mark.papers

PAIRS = ExplicitClass([[1, 1, 0], [1, 0, 1], [0, 1, 1]])


def occam(H, constants="tight"):
    return PrivateOccam(H, Budget(1), Fraction(1, 2), Fraction(1, 10), constants)


@pytest.mark.parametrize("n", [1, 3])
def test_privacy(n):
    found = worst_divergence(occam(PAIRS).law, labeled(range(3)), n, Budget(1))
    assert not found.refuted
    assert found.value > 0.5


def test_examples_that_tell_good_from_bad():
    m, s = comparison_size(20, 0.05, 0.1, 0.025, 1.0), 2**0.5
    φ = 1 - 0.1 * (1 - 1 / s) + 0.05 * (s - 1)
    assert 20 * φ**m <= 0.025 < 20 * φ ** (m - 1)
    assert 300 * (1 - 0.1 * (1 - exp(-0.5))) ** comparison_size(300, 0, 0.1, 0.05, 1.0) <= 0.05


def test_a_small_representation_learns_points():
    """64 points by sets of 8, every two of which share few; as β = 0.1, of 100 runs 28 fail at most (chance 1e-7)."""
    H, rng = ExplicitClass(random_sets(64, 200, 8, entropy(5))), np.random.default_rng()
    assert largest_overlap(H.matrix) <= Fraction(9, 20)
    learner = PrivateOccam(H, Budget(1), Fraction(9, 10), Fraction(1, 10), "tight")
    target = np.arange(64) == 7
    masses = np.where(target, 0.05, 0.95 / 63)
    failed = 0
    for _ in range(100):
        x = rng.choice(64, size=learner.N, p=masses)
        failed += masses[learner.learn(x.tolist(), (x == 7).tolist())(range(64)) != target].sum() > 0.9
    assert failed <= 28


MADE = {
    "PrivateOccam": lambda α, β, ε: PrivateOccam(PAIRS, Budget(ε), α, β),
    "ProperPoints": lambda α, β, ε: ProperPoints(8, Budget(ε), α, β, "tight"),
    "Boosted": lambda α, β, ε: Boosted(8, Budget(ε), α, β, "tight"),
    "ProperFromLight": lambda α, β, ε: ProperFromLight(FREE, 2, Budget(ε), α, β),
    "IntervalExponential": lambda α, β, ε: IntervalExponential(8, Budget(ε), α, β),
    "SwitchingLearner": lambda α, β, ε: SwitchingLearner(IntervalExponential(8, Budget(ε), 0.1, 0.1), 3, α, β),
    "HatPointLearner": lambda α, β, ε: HatPointLearner(Generator(8, 4, b"key"), Budget(ε), α, β),
}
FREE = ProperPoints(8, Budget(Fraction(1, 10**9)), Fraction(1, 40), Fraction(1, 4), "tight")


@pytest.mark.parametrize("name", MADE)
def test_what_promises_nothing_is_refused_when_it_is_made(name):
    for α, β, ε in ((0, 0.1, 1), (1, 0.1, 1), (float("nan"), 0.1, 1), (0.1, 0, 1), (0.1, "x", 1), (0.1, -1, 1)):
        with pytest.raises(ValueError, match=r"alpha|beta"):
            MADE[name](α, β, ε)
    if name != "ProperFromLight":  # which must not cost less than its learner
        with pytest.raises(ValueError, match="epsilon must be positive"):
            MADE[name](0.1, 0.1, 0)


@pytest.mark.parametrize("name", MADE)
def test_numbers_may_be_text_and_budgets_large(name):
    assert MADE[name]("0.1", Decimal("0.05"), 1).N == MADE[name](Fraction(1, 10), Fraction(1, 20), 1).N
    assert 1 <= MADE[name](0.1, 0.05, 5000).N <= MADE[name](0.1, 0.05, 1).N


def test_numbers():
    assert theorem_4_2(64, 0.1, 0.05, 1.0) < theorem_3_2(np.log(64 / 0.01), 0.1, 0.05, 1.0)
    assert occam(PAIRS, "printed").N == 7
    with pytest.raises(ValueError, match="constants"):
        occam(PAIRS, "loose")
    with pytest.raises(ValueError, match="at least one hypothesis"):
        occam(ExplicitClass(np.zeros((0, 3))))
