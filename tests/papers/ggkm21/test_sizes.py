"""The numbers of PolyPriLearn: no larger than they must be, and what they promise."""

from dataclasses import replace
from fractions import Fraction
from math import comb, exp

import numpy as np
import pytest
from scipy.stats import binom

from privpac.classes.values.points import Points, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import (
    Shape,
    misjudgment,
    most_votes,
    printed_plan,
    printed_size,
    tight_plan,
    wrong_choice,
)
from privpac.planning.bounds import BOUNDS, Goal
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers


@pytest.mark.parametrize("shape", [Shape(17, 17, 2**64, 2**64, open=True), Shape(2, 1001, 2**64, 2**64)])
def test_too_many_rules_are_refused_in_words(shape):
    with pytest.raises(ValueError, match="no number of records is proved"):
        tight_plan(shape, Fraction(1, 4), 0.05, Budget(1, 1e-6))


COST, β = Budget(1, 1e-6), 0.05
CLASSES = {
    "40 points": (Points(40), Shape(1, 1, 40, 40), (7.6e5, 2.5e6)),
    "sparse(20, 2)": (SparseSets(2, 20), Shape(2, 2, 20, 211), (3.1e6, 9.8e6)),
    "sparse(9, 3)": (SparseSets(3, 9), Shape(3, 3, 9, 130), (6.0e6, 1.9e7)),
    "flats": (AffineSubspaces(2, 4, 2), Shape(3, 3, 16, 276), (7.8e6, 2.5e7)),
}


@over("name", CLASSES)
def test_tight_numbers_are_small(name):
    """At most a quarter of what the first tight constants were."""
    H, shape, bounds = CLASSES[name]
    open_shape = replace(shape, open=isinstance(H, (Points, SparseSets)))  # records may have more values
    assert PolyPriLearn(H, COST, constants="tight").shape == open_shape
    for α, most in zip((Fraction(1, 4), Fraction(1, 10)), bounds, strict=True):
        tight, printed = tight_plan(shape, α, β, COST), printed_plan(shape, α, β, COST)
        assert tight.records < most / 3
        assert tight.records < printed.records / 25


@over("d", [1, 2, 3])
@over("α", [Fraction(22, 25), Fraction(99, 100), Fraction(1, 4)])
def test_misjudgment_is_the_sum_of_two_tails(d, α):
    """Also where (4d + 4)·u exceeds 1, which no sample does."""
    u = α / (4 * d + 3)
    for n in (1, 10, 37, 175):
        below = {j: binom.cdf(int((j - 1) * u * n), n, float(j * u)) for j in range(1, 4 * d + 4, 2)} | {-1: 0}
        above = {j: binom.sf(int((j + 1) * u * n), n, float(j * u)) for j in range(1, 4 * d + 4, 2)} | {4 * d + 5: 0}
        assert misjudgment(n, d, u) == pytest.approx(max(below[j] + above[j + 2] for j in below))


@over("name", CLASSES)
def test_a_tight_plan_keeps_its_promise(name):
    """Each inequality of Theorem 2, from scratch."""
    _, shape, _ = CLASSES[name]
    for α in (Fraction(1, 4), Fraction(1, 10)):
        plan = tight_plan(shape, α, β, COST)
        d, u, n0 = shape.d, α / (4 * shape.d + 3), plan.n0
        levels = plan.levels
        assert levels.step == 4 * u
        assert levels.alpha(d + 1) == levels.step
        assert levels.top - levels.back * levels.step + u == α
        assert levels.k_prime >= min(shape.points, int(n0 * (levels.top - levels.back * levels.step)) + 1)
        assert levels.k_prime >= min(shape.points, shape.vc + 1)
        γ = shape.concepts * worst_misjudgment(n0, d, float(u))
        r = exp(1 / 2)
        nothing = plan.votes * r * (1 - 1e-6) / 1e-6
        fails = [
            binom.sf(b, plan.m, γ) + (nothing + plan.votes * b * r**b) / r ** int(np.ceil((plan.m - b) / (d + 1)))
            for b in range(plan.m // 2)
        ]
        assert min(fails) <= β


def worst_misjudgment(n, d, u):
    """By the probabilities of single counts, at errors p on and between all levels."""
    k = np.arange(n + 1)
    found = []
    for p in {min(j * u + e, 1.0) for j in range(4 * d + 5) for e in (0, u / 2, 1e-12)}:
        odd = np.arange(1, 4 * d + 4, 2) * u
        most = min((j + u for j in odd if p <= j), default=1.0)
        least = max((j - u for j in odd if p > j), default=-1.0)
        wrong = (k > most * n + 1e-6) | (k <= least * n + 1e-6)
        found.append(float(binom.pmf(k[wrong], n, p).sum()))
    return max(found)


@over(
    ("n", "d", "u"),
    [(200, 1, Fraction(1, 28)), (1173, 1, Fraction(1, 28)), (500, 2, Fraction(1, 44)), (900, 3, Fraction(1, 60))],
)
def test_misjudgment_is_the_worst(n, d, u):
    assert (
        worst_misjudgment(n, d, float(u))
        <= misjudgment(n, d, u) * (1 + 1e-6)
        <= 2.5 * worst_misjudgment(n, d, float(u))
    )


def test_wrong_choices():
    """⊥ and one vote of each of b·ℓ others against q votes, by the law of the choice."""
    choice = SparseExponential(Budget(1, "0.01"), k=3)
    m, b, d = 30, 2, 1
    q = 14
    law = choice.law({"good": q, **{f"bad {i}": b for i in range(b * 3)}})
    assert float(1 - law["good"]) <= wrong_choice(m, b, d, choice)
    assert float(1 - law["good"]) > 0.5 * wrong_choice(m, b, d, choice)


def test_how_many_hypotheses_there_are():
    assert Shape(1, 1, 40, 40).functions(40) == 40
    assert Shape(1, 1, 40, 40).functions(5) == 41
    assert Shape(2, 2, 9, 30).functions(3) == 1 + 9 + comb(9, 2)
    assert Shape(2, 2, 3, 5).functions(1) == 8
    assert most_votes(Levels.tight(2, Fraction(1, 10), 3), Shape(2, 2, 50, 10**6)) == 4 * 7


def test_one_concept_needs_no_records():
    assert tight_plan(Shape(0, 0, 3, 1), Fraction(1, 10), β, COST).records == 1


def test_the_planner_shows_the_printed_number():
    (bound,) = (each for each in BOUNDS if each.source == "[GGKM21, Alg. 2]")
    assert bound.n(Points(40), Goal(0.1, 0.05, 1, 1e-6)) == pytest.approx(
        printed_size(1, 1, alpha=0.1, beta=0.05, epsilon=1, delta=1e-6), rel=1e-6
    )
    assert printed_plan(Shape(1, 1, 40, 40), Fraction(1, 10), β, COST).records == pytest.approx(3.36e7, rel=0.05)


def test_many_bad_votes():
    """Six bad subsets with 50 votes each, all of them alike, against twelve."""
    choice = SparseExponential(Budget(4, "0.01"), k=50)
    law = choice.law({"good": 12, **{f"bad {i}": 6 for i in range(300)}})
    assert 0.9 * wrong_choice(30, 6, 1, choice) < float(1 - law["good"]) <= wrong_choice(30, 6, 1, choice)


def test_numbers_of_a_class_with_many_points():
    """k′ is one more than the errors of a concept that votes come from; one less would not do."""
    plan = tight_plan(Shape(1, 1, 10**6, 10**6), Fraction(1, 4), β, COST)
    assert plan.levels.k_prime == int(plan.n0 * (plan.levels.top - plan.levels.back * plan.levels.step)) + 1
    assert Shape(1, 1, 40, 40).functions(39) == 41
