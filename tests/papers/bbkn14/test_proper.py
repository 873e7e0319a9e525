"""From light hypotheses to a proper learner: private, right, and what follows for weights."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.hypothesis import Constant
from privpac.classes.values.hashes import Keyed
from privpac.classes.values.points import OneOf
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.boosting import A3
from privpac.papers.bbkn14.improper import A2, A5
from privpac.papers.bbkn14.points import OnPoints, ProperPoints, lemma_3_9
from privpac.papers.bbkn14.proper import ProperFromLight, log_weight, positive_points, repetitions, weight
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger

pytestmark = pytest.mark.papers


def light(T, constants="tight"):
    return ProperPoints(T, Budget(1), Fraction(1, 10), Fraction(1, 4), constants)


@dataclass(frozen=True)
class Once(ProperFromLight):
    """A' runs once, on half of the examples."""

    k, l, N = 1, 1, 2


@dataclass(frozen=True)
class One(ProperPoints):
    """Asks for one example."""

    N = 1


def test_privacy():
    """One of three points is public: H_d depends on what A' returned."""
    learner = Few(One(3, Budget(1), Fraction(1, 10), Fraction(1, 4)), 2, Budget(1), Fraction(9, 10), Fraction(1, 2))
    found = worst_divergence(learner.law, labeled(range(3)), 2, Budget(1), ordered=True)
    assert not found.refuted
    assert found.value > 0.3


@dataclass(frozen=True)
class Few(Once):
    """One public point."""

    public = range(1)


@dataclass(frozen=True)
class Twice(Few):
    """The choice sees the examples of A' as well."""

    def run(self, D, ask):
        (j,) = ask(self.learner, D).values
        H_d = sorted({0, j})
        return H_d[ask(Exponential(self.cost), [sum(y for x, y in D if x == i) for i in H_d])], j


def test_examples_used_twice_are_refuted():
    learner = Twice(One(3, Budget(1), Fraction(1, 10), Fraction(1, 4)), 2, Budget(1), Fraction(9, 10), Fraction(1, 2))
    assert worst_divergence(learner.law, labeled(range(3)), 2, Budget(1), ordered=True).refuted


def test_weights():
    assert positive_points(OneOf(frozenset([2**60, 3])), 2**64) == [3, 2**60]
    assert weight(Constant(False), 8) == 0
    assert weight(Constant(True), 8) == 8
    assert weight(Keyed(3, 1, 17, 4), 17) == 4


@pytest.mark.parametrize("mass", [0.1, 0.5])
def test_noisy_hypotheses_become_points(mass):
    """A3 on 24 points returns hypotheses of weight below 6 nearly always; of 20 runs 13 fail at most, as β = 1/4."""
    α, rng = Fraction(4, 5), np.random.default_rng()
    inner = Sure(A2(24, Fraction(1, 5), "tight"), Budget(1))
    learner = ProperFromLight(inner, 6, Budget(1), α, Fraction(1, 4))
    masses, failed = np.array([mass, *[(1 - mass) / 23] * 23]), 0
    for _ in range(20):
        x = rng.choice(24, size=learner.N, p=masses)
        (j,) = learner.learn(x.tolist(), (x == 0).tolist()).values
        failed += j != 0 and masses[0] + masses[j] > α
    assert failed <= 13


@dataclass(frozen=True)
class Sure(A3):
    """A3 that errs by more than α with probability at most 1/4."""

    misses = Fraction(1, 4)


@dataclass(frozen=True)
class Silent(OnPoints):
    """Returns a hypothesis of weight 0, or none at all."""

    T: int
    answer: object = Constant(False)
    cost: Budget = Budget(1)  # noqa: RUF009
    name, theorem, constants, N = "silent", "no record is seen", "tight", 1

    def run(self, D, ask):
        return self.answer


@pytest.mark.filterwarnings("ignore:the theorem asks for N")
@pytest.mark.parametrize("answer", [Constant(False), None, Constant(True)])
def test_whatever_the_learner_returns_a_point_is_chosen(answer):
    learner = ProperFromLight(Silent(2**10, answer), 5, Budget(1), Fraction(1, 4), Fraction(1, 4))
    (j,) = learner.learn([900] * 50, [0] * 50).values
    assert j in learner.public_points
    assert len(learner.public_points) == 16


def test_numbers():
    assert repetitions(Fraction(1, 20)) == 13
    learner = ProperFromLight(light(2**20), 2, Budget(1), Fraction(2, 5), Fraction(1, 4))
    assert learner.k * light(2**20).N + learner.l == learner.N
    with pytest.raises(ValueError, match="cost more"):
        ProperFromLight(light(8), 2, Budget(Fraction(1, 2)), Fraction(2, 5), Fraction(1, 4))


def test_light_hypotheses_would_contradict_the_lower_bound():
    """For z below 2^log_weight the examples would be fewer than Lemma 3.9 allows."""
    T, α, β = 2**100_000, Fraction(1, 10), Fraction(1, 20)
    log_z = log_weight(T, 1000, α, β, 1.0)
    bound = lemma_3_9(T, 0.1, 0.05, 1.0)
    for exponent, enough in ((int(log_z) - 5, False), (int(log_z) + 5, True)):
        learner = ProperFromLight(Silent(T), 2**exponent, Budget(1), α, β)
        assert (learner.k * 1000 + learner.l >= bound) == enough
    assert log_weight(2**64, 1000, α, β, 1.0) == 0


def test_hypotheses_that_cannot_be_listed_are_refused_before_anything_is_spent():
    ledger = Ledger(Budget(2))
    learner = ProperFromLight(A5(2**64, Fraction(1, 40), "tight"), 5, Budget(2), Fraction(1, 10), Fraction(1, 20))
    with pytest.raises(ValueError, match="too many to list"):
        learner.learn([0], [1], budget=ledger)
    assert ledger.spent == Budget(0)
