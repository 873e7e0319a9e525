"""Keyed sets in the place of listed ones: how often they represent all points, privacy, and domains of 2^64 points."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.special import bdtrc

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.values.hashes import Keyed
from privpac.exact.entropy import entropy
from privpac.papers.bbkn14.keyed_sets import KeyedOccam, KeyedSets, keyed_plan, keyed_sets
from privpac.papers.bbkn14.points import STAR, ProperPoints
from privpac.papers.bbkn14.representation import Sizes, largest_overlap
from privpac.privacy.budget import Budget

pytestmark = pytest.mark.papers

ONE = Budget(1)
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def matrix(sets):
    """The sets as rows, on all their points."""
    return np.array([sets.membership(x) for x in range(sets.T)]).T


def drawn(T, γ, η, coins):
    """Sets that are to represent T points but for a share η of all keys."""
    k, q = keyed_plan(T, γ, η)
    p = 2**127 - 1
    return KeyedSets(T, p, int(q * p), tuple((coins.below(p), coins.below(p)) for _ in range(k)))


def test_so_many_sets_represent_all_points():
    """η = 1/2 is a bound: of 40 draws 38 or more fail with probability below 1e-9 if it is true.

    A quarter as many sets do so almost always.
    """
    coins = entropy(None)
    failed = sum(largest_overlap(matrix(drawn(24, HALF, HALF, coins))) > HALF for _ in range(40))
    assert bdtrc(failed - 1, 40, 0.5) > 1e-9
    few = [drawn(24, HALF, HALF, coins) for _ in range(40)]
    few = [KeyedSets(24, sets.p, sets.s, sets.keys[: len(sets.keys) // 4]) for sets in few]
    assert bdtrc(sum(largest_overlap(matrix(sets)) > HALF for sets in few) - 1, 40, 0.5) < 1e-9


def test_sets_have_the_density_that_was_planned():
    """Of 11298 sets a sixteenth has a point: 706, with a standard deviation of 26."""
    assert [abs(keyed_sets(2**64, QUARTER).membership(x).sum() - 706) < 160 for x in (0, 2**63)] == [True, True]


def test_the_bound_is_the_one_that_is_proved():
    """T²·(1 − q(1 − e^(−KL)))^k ≤ η, for hardly fewer sets no more, and no density takes fewer."""
    wanted, (k, q) = 2 * log(2**64) - log(2.0**-40), keyed_plan(2**64, QUARTER)
    assert k - 2 < wanted / rate(0.25, float(q)) <= k
    assert all(wanted / rate(0.25, d) > 0.99 * k for d in np.linspace(0.01, 0.24, 99))


def rate(γ, q):
    """−ln(1 − q(1 − e^(−KL)))."""
    return -np.log1p(-q * (1 - exp(-divergence(γ, q))))


def divergence(γ, q):
    return γ * log(γ / q) + (1 - γ) * log((1 - γ) / (1 - q))


def test_fewer_than_the_lemma_takes():
    """And for all points, not for a part of them that must be found."""
    for d, α in ((16, HALF), (64, HALF), (16, Fraction(1, 10))):
        assert keyed_plan(2**d, α).sets < Sizes.of(2**d, α).k


def test_two_points_are_in_a_set_independently():
    sets = KeyedSets(5, 5, 2, tuple((a, b) for a in range(5) for b in range(5)))
    for x in range(5):
        assert sets.membership(x).sum() == 10
        assert all((sets.membership(x) & sets.membership(y)).sum() == 4 for y in range(5) if y != x)
        assert [sets[i]([x])[0] for i in range(25)] == sets.membership(x).tolist()


def occam(sets, constants="tight", cost=ONE):
    return KeyedOccam(sets, cost, HALF, Fraction(1, 20), constants)


FEW = KeyedSets(3, 5, 2, ((1, 0), (2, 1), (3, 3), (0, 4)), QUARTER)  # they are not so good, which privacy does not ask


@pytest.mark.parametrize("n", [1, 3])
def test_privacy(n):
    found = worst_divergence(occam(FEW).law, [*labeled(range(3)), STAR], n, ONE)
    assert not found.refuted
    assert found.value > 0.5


class Sharp(KeyedOccam):
    """Counts each example three times."""

    def run(self, D, ask):
        return super().run((*D, *D, *D), ask)


def test_examples_that_count_three_times_are_refuted():
    sharp = Sharp(FEW, ONE, HALF, Fraction(1, 20))
    assert worst_divergence(sharp.law, labeled(range(3)), 2, ONE).refuted


@pytest.mark.parametrize(("kind", "refuted"), [(KeyedOccam, False), (Sharp, True)])
def test_sampled_where_points_cannot_be_listed(kind, refuted):
    """Of 8 sets one has the point whose label is flipped; two fifths of ε are seen, a seventh is asked for."""
    sets, x = keyed_sets(2**64, QUARTER), 2**63
    there, not_there = np.flatnonzero(sets.membership(x)), np.flatnonzero(~sets.membership(x))
    few = KeyedSets(2**64, sets.p, sets.s, tuple(sets.keys[i] for i in (*there[:1], *not_there[:7])))
    learner = kind(few, Budget(2), HALF, Fraction(1, 20))
    verdict = audit(learner, (((x, True),), ((x, False),)), claimed=Budget(2), runs=2000, confidence=1 - 1e-6)
    assert verdict.refuted is refuted
    assert verdict.epsilon_lower > 0.3


def test_learning_among_more_points_than_can_be_listed():
    """At the tight N, β = 1/20: more than 11 failures of 40 are rejected, which have probability below 1e-6."""
    learner, rng = occam(keyed_sets(2**64, QUARTER)), np.random.default_rng()
    atoms = [2**63, *range(9)]
    masses, failed = np.array([0.3, *[0.7 / 9] * 9]), 0
    for _ in range(40):
        i = rng.choice(10, size=learner.N, p=masses)
        h = learner.learn([atoms[j] for j in i], (i == 0).tolist())
        failed += masses[h(atoms) != (np.arange(10) == 0)].sum() > 0.5
    assert failed <= 11


def test_numbers():
    def known(d):
        return occam(KeyedSets(2**d, 2**2203 - 1, 1, ((0, 0),) * keyed_plan(2**d, QUARTER).sets, QUARTER)).N

    def proper(d):
        return ProperPoints(2**d, ONE, HALF, Fraction(1, 20), "tight").N

    assert (known(64), proper(64)) == (282, 217)
    assert (known(100), proper(100)) == (290, 331)
    assert (known(1000), proper(1000)) == (339, 3178)
    assert occam(FEW, "printed").N == 9  # (ln log₂ 3 + ln 2 + ln 20)/(1/2)
    assert keyed_sets(2**200, HALF).p == 2**521 - 1


def test_what_is_refused():
    with pytest.raises(ValueError, match="less than 2\\^2203"):
        keyed_sets(2**2203, HALF)
    with pytest.raises(ValueError, match="gamma"):
        keyed_sets(8, 1)
    with pytest.raises(ValueError, match="at least one set"):
        occam(KeyedSets(3, 5, 2, ()))
    with pytest.raises(ValueError, match="T must"):
        keyed_plan(0, HALF)
    with pytest.raises(ValueError, match="T must be at least 2"):
        keyed_sets(1, HALF)
    with pytest.raises(ValueError, match="take those of keyed_sets"):
        occam(keyed_sets(8, HALF))
    assert isinstance(occam(FEW).run((), lambda mechanism, scores: 1), Keyed)
