"""A1, A2, A4 and A5: exact audits with all keys listed, broken twins, and what they get right."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.values.hashes import Keyed
from privpac.classes.values.points import OneOf
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import Coin, law_of
from privpac.papers.bbkn14.improper import A1, A2, A4, A5, RandomPlaces, consistent_concept
from privpac.papers.bbkn14.points import STAR
from tests.statistics import assert_matches

pytestmark = pytest.mark.papers

α = Fraction(12, 25)
TINY = 17  # the least prime with a remainder to spare: 17·α/8 ≥ 1
ENTRIES = {T: [*labeled(range(T)), STAR] for T in (1, 2, 3)}


def test_consistent_samples():
    assert consistent_concept([]) == (True, None)
    assert consistent_concept([STAR, (1, True), (1, True), (0, False)]) == (True, 1)
    assert not consistent_concept([(1, True), (0, True)])[0]
    assert not consistent_concept([(1, True), (1, False)])[0]


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1), Fraction(0), Fraction(5, 2**64), Fraction(1, 3 * 2**63)])
def test_picked_places(p):
    """The law of how many of two; and what is picked where 64 bits do not tell."""
    law = RandomPlaces(p).law(2)
    assert float(law[0, 1]) == pytest.approx(float(p * p))
    assert float(sum(law.values())) == pytest.approx(1)
    at = int(p * 2**64).to_bytes(9, "little")[:8]
    for word, rest in ((at, 0), (at, 2**70), (bytes(8), 2**70), (b"\xff" * 8, 2**70)):
        u = Fraction(int.from_bytes(word, "little"), 2**64)
        expected = u < p if u + Fraction(1, 2**64) <= p or u >= p else not rest
        assert RandomPlaces(p).release(1, Fixed(word, rest)) == ((0,) if expected else ())


@dataclass(frozen=True)
class Fixed:
    """One word, then the least number or the greatest."""

    word: bytes
    rest: int

    def octets(self, count):
        assert count == 8
        return self.word

    def below(self, bound):
        return min(self.rest, bound - 1)


def test_places_are_picked_with_their_probability():
    p, mutant = Fraction(1, 3), Fraction(1, 2)
    assert_matches(
        lambda: RandomPlaces(p).release(2, SYSTEM), RandomPlaces(p).law(2), must_reject=RandomPlaces(mutant).law(2)
    )


def test_the_noise_of_a1():
    law = law_of(lambda ask: A1(3, Fraction(1, 4)).run([(1, True)], ask))
    assert len(law) == 8
    assert float(law[OneOf(frozenset([1]))]) == pytest.approx(0.75**3)
    assert float(law[OneOf(frozenset())]) == pytest.approx(0.25 * 0.75**2)


@pytest.mark.parametrize("j", [0, 2])
def test_a4_draws_a_uniform_key_subject_to_the_label_of_j(j):
    law = law_of(lambda ask: A4(5, 2).run([(j, True)], ask))
    assert set(law) == {h for a in range(5) for b in range(5) if (h := Keyed(a, b, 5, 2))([j])[0]}
    assert all(float(probability) == pytest.approx(1 / 10) for probability in law.values())
    assert len(law_of(lambda ask: A4(5, 2).run([(j, False)], ask))) == 25


@pytest.mark.parametrize(("T", "n"), [(1, 3), (2, 3), (3, 2)])
def test_privacy_of_a2(T, n):
    learner = A2(T, α, "tight")
    found = worst_divergence(learner.law, ENTRIES[T], n, learner.cost)
    assert not found.refuted
    assert learner.cost <= A2(T, α).cost


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_the_worst_pair_of_a2_approaches_its_cost(n):
    """h is 1 at the target alone; the other record contradicts n − 1 negatives, unless none of them is picked."""
    learner = A2(2, α, "tight")
    p, κ = float(learner.p), float(learner.κ)
    D, E = ((0, True), *[(1, False)] * (n - 1)), ((1, True), *[(1, False)] * (n - 1))
    expected = log((p * (1 - κ) / κ + 1 - p) / (1 - p + p * (1 - p) ** (n - 1) * κ / (1 - κ)))
    assert float(worst(learner.law, [(D, E)], learner.cost).value) == pytest.approx(expected)
    assert expected < float(learner.cost.epsilon) < expected + 0.01 * (1 - p) ** (n - 1)


@pytest.mark.parametrize(("T", "n"), [(2, 2), (3, 1)])
def test_a5_costs_exactly_its_cost(T, n):
    """All 17² keys listed, ⋆ included: pure ε*, and attained."""
    learner = A5(T, α, "tight", TINY)
    found = worst_divergence(learner.law, ENTRIES[T], n, learner.cost)
    assert not found.refuted
    assert float(found.value) == pytest.approx(float(learner.cost.epsilon), abs=1e-12)
    assert exp(found.value) == pytest.approx(1 + float(learner.p / (1 - learner.p)) * TINY)


def test_a_tiny_prime_may_cost_more_than_printed():
    """One remainder of 31 is far below α/8 of them."""
    learner = A5(2, Fraction(49, 100), prime=31)
    found = worst(learner.law, [(((0, True),), ((1, True),))], learner.cost)
    assert learner.cost.epsilon > log(4)
    assert not found.refuted
    assert found.value > log(4)


@dataclass(frozen=True)
class Candid(A5):
    """Never returns ⊥ of its own accord."""

    def run(self, z, ask):
        return self.learner.run([entry for entry in z if ask(Coin(self.p), None)], ask)


@dataclass(frozen=True)
class Curious(A5):
    """Looks at twice as many entries."""

    def run(self, z, ask):
        if ask(Coin(self.κ), None):
            return None
        return self.learner.run([entry for entry in z if ask(Coin(2 * self.p), None)], ask)


@pytest.mark.parametrize("broken", [Candid, Curious])
def test_broken_twins_are_refuted(broken):
    assert worst_divergence(broken(2, α, "tight", TINY).law, ENTRIES[2], 2, A5(2, α, "tight", TINY).cost).refuted


def test_a_sampled_audit_at_a_real_size():
    """A domain of 2^40 points, 30 records; what is looked at are two labels. The twin is caught, A5 is not."""
    D, E = ((0, True), *[(1, False)] * 29), ((1, True), *[(1, False)] * 29)

    def labels(learner):
        return lambda S: None if (h := learner.release(S, SYSTEM)) is None else tuple(h([0, 1]).tolist())

    honest = A5(2**40, α, "tight")
    assert not audit(labels(honest), (D, E), claimed=honest.cost, runs=800, confidence=1 - 1e-9).refuted
    candid = Candid(2**40, α, "tight")
    assert audit(labels(candid), (E, D), claimed=candid.cost, runs=1600, confidence=0.99).refuted


def error(h, target, atoms, masses):
    return 1.0 if h is None else float(masses[h(atoms) != (atoms == target)].sum())


@pytest.mark.parametrize("mass", [0.2, 0.26])
@pytest.mark.parametrize(("base", "T"), [(A2, 12), (A5, 2**40)])
def test_they_are_right_with_probability_a_quarter(base, T, mass):
    """At their tight N. Of 120 runs 12 or more are right, except with probability 1e-5, if a quarter is."""
    learner, rng = base(T, Fraction(1, 4), "tight"), np.random.default_rng()
    atoms, masses = np.arange(12), np.array([mass, *[(1 - mass) / 11] * 11])
    right = 0
    for _ in range(120):
        x = rng.choice(atoms, size=learner.N, p=masses)
        right += error(learner.learn(x.tolist(), (x == 0).tolist()), 0, atoms, masses) <= 0.25
    assert right >= 12


def test_numbers():
    assert A2(8, Fraction(1, 10)).N == A5(8, Fraction(1, 10)).N == 4437
    assert A2(8, Fraction(1, 10), "tight").N == 228
    assert float(A2(8, Fraction(1, 10)).cost.epsilon) == pytest.approx(log(4))
    assert float(A5(8, Fraction(1, 10), "tight").cost.epsilon) == pytest.approx(log(11.9 / 3.9))


def test_what_is_refused():
    for wrong in (0, Fraction(1, 2), 0.7):
        with pytest.raises(ValueError, match="alpha"):
            A2(8, wrong)
    for prime in (21, 7, 2**61):
        with pytest.raises(ValueError, match="prime"):
            A5(8, α, prime=prime)
    assert A5(8, 0.4).alpha == Fraction(2, 5)
