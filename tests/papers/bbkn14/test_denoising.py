"""Independent noise: its law, how often a concept is found again under it, and that it does not hide intervals."""

from fractions import Fraction
from itertools import pairwise, product
from math import inf, log, pi, sqrt

import numpy as np
import pytest
from scipy.special import bdtr, bdtrc

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import Listed
from privpac.classes.values.points import OneOf
from privpac.mechanisms.algorithm import Coin
from privpac.papers.bbkn14.denoising import (
    DenoisedLearner,
    NoiseLearner,
    catalan,
    dyck_bound,
    failure,
    largest_noise,
    mismatches,
    reconstruct,
    side_failure,
)
from privpac.papers.bbkn14.improper import A2, consistent_concept
from privpac.papers.bbkn14.intervals import IntervalExponential, interval, labels_of
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.papers.bbkn14.example_5_7 import Sampled

pytestmark = pytest.mark.papers

ONE = Budget(1)
TENTH = Fraction(1, 10)


def concepts(T):
    return frozenset(interval(T, j) for j in range(1, T + 2))


def universe(T):
    return tuple(product(range(1, T + 1), (False, True)))


def listed(labels):
    return Listed(tuple(range(1, len(labels) + 1)), tuple(map(bool, labels)))


def noisy(T, mu=TENTH, cost=ONE):
    return NoiseLearner(IntervalExponential(T, cost, 0.1, 0.05), concepts(T), mu)


def test_mismatches_by_definition():
    for labels in product((0, 1), repeat=5):
        h = listed(labels)
        expected = [int((labels_of(interval(5, t), 5) != np.array(labels)).sum()) for t in range(1, 7)]
        assert mismatches(h, 5).tolist() == expected
        nearest = [t for t in range(1, 7) if expected[t - 1] == min(expected)]
        assert reconstruct(h, 5) == (interval(5, nearest[0]) if len(nearest) == 1 else None)


def brute(T, j, μ):
    """Pr[c_j is not reconstructed], over all 2^T noises."""
    c, total = labels_of(interval(T, j), T), Fraction(0)
    for flips in product((False, True), repeat=T):
        if reconstruct(listed(c ^ np.array(flips)), T) != interval(T, j):
            total += μ ** sum(flips) * (1 - μ) ** (T - sum(flips))
    return total


@pytest.mark.parametrize("T", [1, 2, 3, 7])
def test_how_often_a_concept_is_lost_is_exact(T):
    assert [failure(T, j, TENTH) for j in range(1, T + 2)] == [brute(T, j, TENTH) for j in range(1, T + 2)]


def dyck_words(n):
    words = product((1, -1), repeat=2 * n)
    sums = [np.cumsum(word) for word in words]
    return [s for s in sums if s.size == 0 or (s.min() >= 0 and s[-1] == 0)]


def test_catalan_numbers_count_dyck_words_and_first_returns():
    for n in range(1, 6):
        words = dyck_words(n)
        assert len(words) == catalan(n)
        assert sum((word[:-1] > 0).all() for word in words) == catalan(n - 1)


def test_the_limit_of_a_long_side():
    for μ in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 3)):
        sides = [side_failure(R, μ) for R in (0, 1, 2, 3, 10, 40, 200)]
        assert sides[0] == 0
        assert all(a <= b for a, b in pairwise(sides))
        assert float(sides[-1]) == pytest.approx(float(2 * μ), abs=1e-3)
        assert sides[-1] <= side_failure(inf, μ) == 2 * μ
        assert failure(inf, inf, μ) == 4 * μ * (1 - μ)


@over("μ", [0.001, 0.01, 0.02, 0.05, 0.09])
def test_the_bounds_of_the_proof_in_their_order(μ):
    series = μ + sum(catalan(n) * (μ * (1 - μ)) ** n for n in range(1, 400))
    assert dyck_bound(μ) == pytest.approx(series, rel=1e-9)
    assert 2 * μ <= dyck_bound(μ) <= μ - log(1 - 4 * μ) / sqrt(pi) <= 4 * μ


def test_losses_as_measured():
    """20 000 noises of 200 points at μ = 0.02: 0.0784 are lost, where the proof prints 8μ = 0.16; size 1e-9."""
    T, j, μ, runs = 200, 101, 0.02, 20_000
    dirty = np.random.default_rng(8).random((runs, T)) < μ
    walk = 1 - 2 * dirty.astype(np.int32)
    above = np.cumsum(walk[:, j - 1 :], axis=1).min(axis=1) <= 0
    below = np.cumsum(walk[:, j - 2 :: -1], axis=1).min(axis=1) <= 0
    failures, p = int((above | below).sum()), float(failure(T, j, Fraction(1, 50)))
    assert p == pytest.approx(4 * μ * (1 - μ), abs=1e-6)
    assert bdtr(failures, runs, p) > 1e-9
    assert bdtrc(failures - 1, runs, p) > 1e-9
    assert bdtr(failures, runs, 8 * μ) < 1e-9


def test_noise_is_independent():
    law = noisy(3).law([(1, True), (2, True), (3, False)])
    inner = IntervalExponential(3, ONE, 0.1, 0.05).law([(1, True), (2, True), (3, False)])
    for labels in product((False, True), repeat=3):
        flips = {c: int((labels_of(c, 3) != np.array(labels)).sum()) for c in inner}
        expected = sum(float(inner[c]) * 0.1**k * 0.9 ** (3 - k) for c, k in flips.items())
        assert float(law[listed(labels)]) == pytest.approx(expected)


@pytest.mark.parametrize("learner", [noisy(3), DenoisedLearner(noisy(3))], ids=["noise", "denoised"])
def test_noise_on_a_private_concept_is_private(learner):
    found = worst_divergence(learner.law, universe(3), 2, ONE)
    assert not found.refuted
    assert float(found.ratio) > 0.5


def test_the_denoised_learner_is_proper():
    """c_1 where two concepts are nearest: that is post-processing, and no example is seen again."""
    law, noise = DenoisedLearner(noisy(4)).law([(2, True), (3, False)]), noisy(4).law([(2, True), (3, False)])
    assert set(law) == concepts(4)
    first = [h for h in noise if reconstruct(h, 4) in {None, interval(4, 1)}]
    assert float(law[interval(4, 1)]) == pytest.approx(sum(float(noise[h]) for h in first))


class SampledPoint(Sampled):
    """The inner learner of [BBKN14, Example 5.7], for points and 0."""

    def run(self, data, ask):
        if ask(Coin(self.alpha / 8), None):
            return None
        agrees, j = consistent_concept([example for example in data if ask(Coin(self.alpha / 4), None)])
        return OneOf(frozenset() if j is None else frozenset([j])) if agrees else None


@pytest.mark.parametrize("data", [((1, True), (2, False)), ((1, True), (2, True)), ((2, False), (2, True))])
def test_the_learner_of_points_is_independent_noise(data):
    """A2, told in the words of [BBKN14, Def. 5.6]: the laws are the same."""
    α = Fraction(2, 5)
    points = frozenset(OneOf(frozenset(values)) for values in ([], [1], [2]))
    law = NoiseLearner(SampledPoint(2, α, ONE), points, α / 8).law(data)
    direct = A2(2, α).law([(x - 1, y) for x, y in data])
    assert set(law) == {None, *map(listed, product((0, 1), repeat=2))}
    for h, p in law.items():
        ones = h and OneOf(frozenset(i for i, y in enumerate(h.labels) if y))
        assert float(direct[ones]) == pytest.approx(float(p))


def test_what_hides_points_does_not_hide_intervals():
    """The same noise and sampling that make points ln 4-private: the exact ε grows by about 3 with every point."""
    α, claimed = Fraction(2, 5), Budget(Fraction(13863, 10_000))  # ln 4 < 1.3863
    losses = []
    for T in (1, 2, 3, 4):
        learner = NoiseLearner(Sampled(T, α, claimed), concepts(T), α / 8)
        found = worst_divergence(learner.law, universe(T), 1, claimed)
        assert found.refuted == (T > 1)
        losses.append(float(found.value))
    assert [round(loss, 3) for loss in losses] == [1.03, 3.611, 6.532, 9.475]
    assert np.diff(losses)[-1] == pytest.approx(log(19), abs=0.01)  # a clean label is 19 times as likely as a dirty one


def test_an_inner_learner_outside_the_class_fails():
    learner = NoiseLearner(IntervalExponential(2, ONE, 0.1, 0.05), frozenset(), TENTH)
    assert set(learner.law([(1, True)])) == {None}
    assert set(DenoisedLearner(learner).law([(1, True)])) == {interval(2, 1)}


@over("α", [0.01, 0.05, 0.2])
@over("T", [10, 100, 1000])
def test_more_noise_than_the_bound_is_likelier_seen_than_not(α, T):
    assert bdtr(int(2 * α * T), T, largest_noise(α, T)) <= 0.5
    assert bdtr(int(2 * α * T), T, 0.5 * largest_noise(α, T)) > 0.5


def test_denoising_costs_no_examples():
    outer = noisy(64, Fraction(1, 100))
    assert DenoisedLearner(outer).N == outer.N == outer.inner.N
    assert DenoisedLearner(outer).cost == ONE


@pytest.mark.parametrize("μ", [Fraction(-1, 9), Fraction(1, 2), Fraction(1)])
def test_noise_that_drowns_everything_is_refused(μ):
    with pytest.raises(ValueError, match="1/2"):
        noisy(3, μ)
