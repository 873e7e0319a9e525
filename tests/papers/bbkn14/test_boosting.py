"""⋆ in place of records, and the best of several hypotheses: exact audits, and enough examples."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp, log

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.classes.hypothesis import Constant
from privpac.classes.values.points import OneOf
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.boosting import A3, Boosted, BoostingPlan, claim_4_5, star_share
from privpac.papers.bbkn14.improper import A2, A5
from privpac.papers.bbkn14.points import STAR
from privpac.privacy.budget import Budget

pytestmark = pytest.mark.papers

α = Fraction(12, 25)
HALF = Budget(Fraction(1, 2))
RECORDS = labeled(range(2))
TINY = partial(A5, prime=17)


@pytest.mark.parametrize("constants", ["printed", "tight"])
def test_privacy_of_a3(constants):
    found = worst_divergence(A3(A2(2, α, constants), HALF).law, RECORDS, 2, HALF)
    assert not found.refuted
    assert found.value > (0.45 if constants == "tight" else 0.2)


def test_privacy_of_a3_on_a5():
    """Its worst pair, with all 17² keys."""
    learner = A3(TINY(2, α, "tight"), HALF)
    found = worst(learner.law, [(((0, True),), ((1, True),))], HALF)
    assert not found.refuted
    assert found.value > 0.45


def test_a3_picks_as_a2_would_with_less_probability():
    """Two coins, q and then p, are one coin of q·p: the exact cost of A3 is ln(1 + qp/(1 − qp)·g)."""
    inner = TINY(2, α, "tight")
    learner = A3(inner, HALF)
    rate = float(learner.q * inner.p)
    found = worst(learner.law, [(((0, True),), ((1, True),))], HALF)
    assert exp(found.value) == pytest.approx(1 + rate / (1 - rate) * float(inner.gain))


@dataclass(frozen=True)
class Greedy(A3):
    """Keeps half as many entries again."""

    @property
    def q(self):
        return super().q * 3 / 2


def test_keeping_more_is_refuted():
    assert worst_divergence(Greedy(A2(2, α, "tight"), HALF).law, RECORDS, 2, HALF).refuted


@dataclass(frozen=True)
class Small(Boosted):
    """Two copies on one example each, one to compare them; A3 keeps every entry at ε = 2."""

    plan = BoostingPlan(α, 2, 1, 1)


def test_privacy_of_boosting():
    """In order: the copies' examples are told by their places."""
    learner = Small(2, Budget(2), α, Fraction(1, 4), "tight", A2)
    found = worst_divergence(learner.law, RECORDS[1:], 3, Budget(2), ordered=True)
    assert not found.refuted
    assert found.value > 0.9


@dataclass(frozen=True)
class Overlapping(Small):
    """Both copies and the comparison see all examples."""

    def run(self, D, ask):
        A = self.copy(self.plan.accuracy)
        Hyp = [ask(A, D) or Constant(False) for _ in range(2)]
        m = [sum(bool(h([x])[0]) != y for x, y in D) for h in Hyp]
        return Hyp[ask(Exponential(self.cost), [-m_i for m_i in m])], *Hyp


def test_overlapping_samples_are_refuted():
    learner = Overlapping(2, Budget(2), α, Fraction(1, 4), "tight", A2)
    assert worst(learner.law, [(((0, True), (1, False)), ((1, True), (1, False)))], Budget(2)).refuted


def test_boosting_returns_a_hypothesis_whatever_the_sample():
    learner = Boosted(2**40, Budget(1), Fraction(1, 4), Fraction(1, 4), "tight")
    for D in [(), ((3, True),), ((3, True), (3, False)) * 50, (STAR,) * 7]:
        assert learner.run(learner.check(D), lambda m, z: m.release(m.check(z), _Zero()))([3]).shape == (1,)


def test_every_fresh_example_counts():
    """Three times (0, 1) and (0, 0) twice: who says 1 at 0 errs twice, who says 0 three times."""
    learner, asked = Boosted(8, Budget(1), Fraction(1, 10), Fraction(1, 100)), []  # 28 copies, on no examples
    Hyp = iter([OneOf(frozenset([0]))] * 27 + [Constant(False)])

    def ask(mechanism, seen):
        if isinstance(mechanism, A3):
            return next(Hyp)
        asked.append(list(seen))
        return 0

    learner.run(((0, True), STAR, (0, False)) * 2 + ((0, True),), ask)
    assert asked == [[-2] * 27 + [-3]]


class _Zero:
    """The least of all coins."""

    private = False

    def below(self, bound):
        return 0

    def bits(self, count):
        return 0

    def octets(self, count):
        return bytes(count)


@pytest.mark.parametrize("mass", [0.15, 0.26])
def test_from_so_many_examples_on_the_error_is_small(mass):
    """Of 60 runs at most 34 fail, except with probability 5e-8, if β = 1/4 is true."""
    learner, rng = Boosted(2**40, Budget(1), Fraction(1, 4), Fraction(1, 4), "tight"), np.random.default_rng()
    atoms, masses, failed = np.arange(12), np.array([mass, *[(1 - mass) / 11] * 11]), 0
    for _ in range(60):
        x = rng.choice(atoms, size=learner.N, p=masses)
        h = learner.learn(x.tolist(), (x == 0).tolist())
        failed += masses[h(atoms) != (atoms == 0)].sum() > 0.25
    assert failed <= 34


def test_numbers():
    printed = Boosted(2**64, Budget(1), Fraction(1, 10), Fraction(1, 100))
    assert printed.plan == (Fraction(1, 80), 28, 3406958, 2475)
    assert pytest.approx(claim_4_5(0.1, 0.01, 1.0), rel=0.01) == printed.N
    tight = Boosted(2**64, Budget(1), Fraction(1, 10), Fraction(1, 100), "tight")
    assert tight.N < printed.N / 5000
    assert Boosted(8, Budget(1), Fraction(1, 10), Fraction(1, 10**80), "tight").N < 50 * tight.N
    assert tight.N == Boosted(8, Budget(1), Fraction(1, 10), Fraction(1, 100), "tight").N  # whatever T is


def test_the_tight_plan_keeps_its_promises():
    """A copy misses with probability at most f, all K with f^K ≤ β/2, and the comparison with β/2."""
    learner = Boosted(2**64, Budget(1), Fraction(1, 10), Fraction(1, 20), "tight")
    plan, copy = learner.plan, learner.copy(learner.plan.accuracy)
    κ, a, s = float(copy.learner.κ), float(plan.accuracy), float(copy.q * copy.learner.p)
    θ = np.linspace(0, a * (1 - 1e-9), 10_001)
    f = κ + (1 - κ) * np.maximum(κ / (a - θ), (1 - s * θ) ** plan.n1 + κ / a).min()
    base = min((a / 0.1) ** -0.5, exp(0.5))
    φ = 1 - 0.1 * (1 - 1 / base) + a * (base - 1)
    assert f**plan.copies <= 0.025 * 1.001
    assert plan.copies * φ**plan.fresh <= 0.025


def test_shares():
    assert star_share(Fraction(2), Fraction(1)) == 1
    assert float(star_share(Fraction(1, 10), A2(2, α).cost.epsilon)) == pytest.approx(
        (exp(0.1) - 1) / (4 + exp(0.1) - exp(0.1 - log(4)) - 1)
    )


def test_what_is_refused():
    for α_, β in ((Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 4), 1), (0, 0.5)):
        with pytest.raises(ValueError, match="must lie"):
            Boosted(8, Budget(1), α_, β)
