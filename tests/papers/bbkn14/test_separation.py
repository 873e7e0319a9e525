"""The separation of fast and slow proper learning: a generator, the slow learner, the distinguisher and the numbers."""

from itertools import product
from math import exp, inf

import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.values.points import OneOf
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.bbkn14.separation import Generator, HatPointLearner, acceptance, accepts, fast_needs
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

ONE = Budget(1)
KEY = b"a key"


def hat(d, ell, cost=ONE, alpha=0.1, beta=0.05):
    return HatPointLearner(Generator(d, ell, KEY), cost, alpha, beta)


def point(j):
    return OneOf(frozenset([j]))


@over(("d", "ell"), [(1, 1), (7, 3), (8, 8), (9, 5), (64, 10), (512, 4)])
def test_values_of_a_generator(d, ell):
    G = Generator(d, ell, KEY)
    assert {G(r) for r in range(2**ell)} == G.image
    assert all(0 <= j < 2**d for j in G.image)
    assert len(G.image) == 2**ell or d < 3 * ell  # seeds that collide are few unless values are
    assert Generator(d, ell, KEY) == G


def test_every_bit_of_a_value_is_used():
    values = Generator(9, 9, KEY).image
    assert max(values) >= 2**8
    assert {j & 1 for j in values} == {0, 1}


@pytest.mark.parametrize(("d", "ell"), [(0, 1), (4, 0), (4, 5), (513, 9)])
def test_impossible_generators_are_refused(d, ell):
    with pytest.raises(ValueError, match=r"1 ≤ ell ≤ d ≤ 512|must be at least 1"):
        Generator(d, ell, KEY)


def test_a_generator_says_how_it_is_written():
    for wrong in ((KEY, 4, 10), (10, 4, "text"), (10, 4, bytes(65))):
        with pytest.raises(TypeError, match=r"write Generator\(d, ell, key\)"):
            Generator(*wrong)
    for wrong in (("8", 4, KEY), (8, 4.0, KEY), (True, 1, KEY)):
        with pytest.raises(TypeError, match="must be an integer"):
            Generator(*wrong)
    for seed in (-1, 16):
        with pytest.raises(ValueError, match="from 0 to 2\\^ell − 1"):
            Generator(10, 4, KEY)(seed)


def test_the_slow_learner_is_proper_and_follows_the_exponential_mechanism():
    learner = hat(6, 3)
    image = sorted(learner.generator.image)
    j, other = image[0], next(x for x in range(64) if x not in image)
    data = [(j, True), (j, True), (image[1], False), (other, True)]
    law = learner.law(data)
    assert set(law) == {point(x) for x in image}
    errors = [sum((x == c) != y for x, y in data) for c in image]
    plain = Exponential(ONE).law([-e for e in errors])
    assert [float(law[point(c)]) for c in image] == pytest.approx([float(p) for p in plain.values()])


def test_the_slow_learner_is_private_on_all_samples():
    learner = hat(2, 1)
    assert len(learner.generator.image) == 2
    found = worst_divergence(learner.law, tuple(product(range(4), (False, True))), 3, ONE)
    assert not found.refuted
    assert float(found.ratio) > 0.7


class Seen(HatPointLearner):
    """Tries only the points of examples, and some fixed one, which is faster."""

    def run(self, data, ask):
        seen = sorted({x for x, _ in data} & self.generator.image) or [min(self.generator.image)]
        return point(seen[ask(Exponential(self.cost), [sum((x == c) == y for x, y in data) for c in seen])])


def test_trying_only_what_is_seen_is_refuted():
    twin = Seen(Generator(2, 1, KEY), ONE, 0.1, 0.05)
    found = worst_divergence(twin.law, tuple(product(range(4), (False, True))), 2, ONE)
    assert found.refuted
    assert float(found.value) == inf


def test_sampled_audits_with_many_values():
    """A true claim is refuted with probability at most 1e-9."""
    G = Generator(64, 8, KEY)
    pair = (((G(1), True), (G(2), True)), ((G(1), True), (G(3), True)))
    assert not audit(hat(64, 8), pair, claimed=ONE, runs=600, confidence=1 - 1e-9).refuted
    assert audit(Seen(G, ONE, 0.1, 0.05), pair, claimed=ONE, runs=600).refuted


@pytest.mark.parametrize("m", [0, 3, 20])
def test_acceptance_is_exact(m):
    learner = hat(8, 3)
    j = min(learner.generator.image)
    law = learner.law([(j, True)] * m)
    assert float(law[point(j)]) == pytest.approx(acceptance(len(learner.generator.image), m, 1))
    assert acceptance(1, m, 1) == 1
    points = ProperPoints(2**8, ONE, 0.1, 0.05).law([(j, True)] * m)
    assert float(points[point(j)]) == pytest.approx(acceptance(2**8, m, 1))


def test_a_proper_learner_tells_the_generator_from_uniform_values():
    """Its law: c_j surely, up to β, if j is a value of G; never, if it is not."""
    learner = hat(12, 4)
    m = learner.N
    for r in range(16):
        assert float(learner.law([(learner.generator(r), True)] * m)[point(learner.generator(r))]) > 0.95
        assert accepts(learner, learner.generator(r), 10 * m)
    others = [j for j in range(2**12) if j not in learner.generator.image]
    assert not any(point(j) in learner.law([(j, True)] * m) for j in others[:50])
    assert not any(accepts(learner, j, 10) for j in others[:50])


def test_the_fast_learner_of_all_points_does_not():
    learner = ProperPoints(2**64, ONE, 0.1, 0.05, "tight")
    assert all(accepts(learner, j, 1000) for j in (Generator(64, 10, KEY)(3), 12345, 2**64 - 1))


@over("d", [2, 8, 64, 512])
@over("ε", [0.5, 1.0, 3.0])
def test_the_exponential_mechanism_over_all_points_respects_the_bound(d, ε):
    """(2^d − 1)·p·e^(−εm) ≤ 1 − p, p being how often c_j comes back, for every m."""
    for m in (0, 1, 10, 100, 1000):
        p = acceptance(2**d, m, ε)
        q = (2**d - 1) * exp(-ε * m / 2) / (1 + (2**d - 1) * exp(-ε * m / 2))
        assert (2**d - 1) * p * exp(-ε * m) <= q * (1 + 1e-9)
        if 0 < q < 1:
            assert m >= fast_needs(d, q, ε) - 1e-9 or fast_needs(d, q, ε) == 1


def test_the_gap_is_that_of_d_and_ell():
    """ℓ = 10 seed bits, d = 512: the slow learner learns from fewer examples than any fast one can."""
    slow, fast = hat(512, 10).N, fast_needs(512, 0.05, 1)
    assert (slow, fast) == (248, 358)
    assert fast_needs(256, 0.05, 1) == pytest.approx(fast / 2, abs=3)
    assert fast_needs(512, 0.05, 1, advantage=0.01) <= fast


@pytest.mark.parametrize(("beta", "advantage"), [(0.0, 0.0), (0.5, 0.5), (0.9, 0.2)])
def test_a_learner_that_may_always_fail_needs_nothing(beta, advantage):
    with pytest.raises(ValueError, match="beta"):
        fast_needs(8, beta, 1, advantage)
