"""Learning half-planes without a margin: what is certified and chosen, data that miss every margin, hostile samples."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpaces
from privpac.learners.choice import learner_for, ranking
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.half_spaces.half_planes import HalfPlaneLearner
from privpac.learners.half_spaces.nets import NetLearner, NetRules, net
from privpac.mechanisms.half_spaces.half_planes import SubsampledHalfPlane, slope_bits
from privpac.privacy.accounting.amplification import subsampled
from privpac.refusals.option_words import Regime, words_of
from privpac.requests.conditions import Conditions
from tests.grid import over
from tests.learners.half_spaces.test_nets import sample_of
from tests.learners.whole import whole

REGIMES = words_of(Regime)

# the best half-plane has 377·x₁ − 610·x₂ equal to 0 on two points and to 1 on the other two
TIGHT = np.array([(0, 0), (610, 377), (233, 144), (843, 521)])
LABELS = np.array([1, 1, 0, 0], dtype=bool)


@pytest.mark.audit
def test_data_that_miss_the_margin_are_learned_within_the_certificate():
    """No rule of the net separates them, so its error is .25, and its certificate, which assumes a margin, says .0231.

    A wrong rule has a probability of at most M·(.75 + .25/√e)^2000 < 10^−70, M the candidates of the certificate.
    """
    assert NetRules(net(2, 256), 1000).scores(sample_of(TIGHT, LABELS, 2)).max() == -1
    X, y = np.repeat(TIGHT, 500, axis=0), np.repeat(LABELS, 500)
    terms = {"epsilon": 1, "delta": 0, "regime": "realizable"}
    old = PrivateClassifier(HalfPlanes(1000), method="NetLearner", **terms).fit(X, y)
    assert (old.hypothesis_(TIGHT) != LABELS).sum() >= 1
    assert old.guarantee_.utility.alpha == Fraction(231, 10_000)
    new = PrivateClassifier(HalfPlanes(1000), **terms).fit(X, y)
    assert new.learner_.name == "HalfPlaneLearner"
    assert (new.hypothesis_(TIGHT) == LABELS).all()
    assert new.guarantee_.utility.alpha == Fraction(419, 10_000)
    assert not any("away from" in each for each in new.guarantee_.utility.assumptions)


@pytest.mark.audit
@pytest.mark.parametrize("regime", REGIMES)
def test_certificates_hold_without_a_margin(regime):
    """The error beyond α in at most 5 % of 200 fits; 30 or more have probability below 1e-7 if 5 % is true."""
    rng = np.random.default_rng()
    noise = 0.1 * (regime == "agnostic")
    clf = PrivateClassifier(HalfPlanes(64), epsilon=1, alpha=0.2, regime=regime, method="HalfPlaneLearner")
    n = clf.certified_n()
    atoms = np.array([(0, 0), (34, 21), (13, 8), (47, 29)])
    shares = np.array([0.3, 0.22, 0.26, 0.22])
    bad = 0
    for _ in range(200):
        picked = rng.choice(4, size=n, p=shares)
        rule = clf.fit(atoms[picked], LABELS[picked] ^ (rng.random(n) < noise)).hypothesis_
        bad += (1 - 2 * noise) * shares[rule(atoms) != LABELS].sum() > 0.2
    assert bad < 30


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2])
def test_no_pair_of_neighbors_refutes_a_fit(n):
    universe = [*labeled([(0, 0), (1, 0), (1, 1)]), None]
    made = PrivateClassifier(HalfPlanes(2), epsilon=1, method="HalfPlaneLearner")
    assert not whole(made, "half-planes", universe, n).exact().refuted


def test_it_is_chosen_where_it_is_certified_against_the_whole_class():
    for side in (30, 1000, 2**17):
        assert learner_for(HalfPlanes(side), Conditions.of()) is HalfPlaneLearner
    few = dict(ranking(HalfPlanes(1000), Conditions.of(alpha=0.05)))
    assert few[HalfPlaneLearner] is None
    assert learner_for(HalfPlanes(1000), Conditions.of(alpha=0.05)) is NetLearner
    assert learner_for(HalfPlanes(64), Conditions.of(alpha=0.05)) is HalfPlaneLearner


def test_what_it_learns():
    assert HalfPlaneLearner.supports(HalfPlanes(1))
    assert HalfPlaneLearner.supports(HalfSpaces(2, 2**17))
    for other in (HalfPlanes(2**17 + 1), HalfSpaces(3, 9), HalfSpaces(1, 9), Thresholds(0, 9, direction="above")):
        assert not HalfPlaneLearner.supports(other)


def test_many_records_on_a_large_grid_are_thinned_out_by_public_numbers_alone():
    """With n or the grid small enough, nothing is left out; the ledger shows ε either way."""
    large = HalfPlaneLearner.for_class(HalfPlanes(1000), Conditions.of().terms(1))
    small = HalfPlaneLearner.for_class(HalfPlanes(64), Conditions.of().terms(1))
    assert [large.subsample_size(n) for n in (0, 4096, 4097, 10**9)] == [0, 4096, 4096, 4096]
    assert [small.subsample_size(n) for n in (4097, 2**20, 10**9)] == [4097, 2**20, 2**20]
    asked = []

    class Counted:
        size = 10**6

        def see(self, view):
            return view

    def ask(mechanism, view):
        asked.append(mechanism)
        return (1, 0), 7

    assert str(large.run(Counted(), ask)) == "x₁ ≥ 7"
    (only,) = asked
    assert isinstance(only, SubsampledHalfPlane)
    assert only.cost == large.cost
    assert subsampled(only.selection.cost, 4096, 10**6).epsilon <= large.cost.epsilon
    assert only.selection.cost.epsilon > 5


def test_a_fit_of_many_records_is_still_good():
    """With 6,000 records at the four points, 4,096 are looked at; all four labels are right but once in 10^70 fits."""
    X, y = np.repeat(TIGHT, 1500, axis=0), np.repeat(LABELS, 1500)
    clf = PrivateClassifier(HalfPlanes(1000), epsilon=1).fit(X, y)
    assert (clf.predict(TIGHT) == LABELS).all()
    assert str(clf.privacy_) == "ε = 1"


@over("side", [1, 2, 7, 2**17])
@over("label", [0, 1])
def test_one_class_and_one_point_are_learned(side, label):
    point = [side - 1, 0]
    clf = PrivateClassifier(HalfPlanes(side), epsilon=5, method="HalfPlaneLearner").fit([point] * 50, [label] * 50)
    assert clf.predict([point]).tolist() == [label]


def test_void_records_and_contradictions_count_for_no_rule():
    X, y = [[1, 2], [99, 0], [3, 0], [2, 2], [2, 2]] * 100, [1, 0, 0, 0, 1] * 100
    clf = PrivateClassifier(HalfPlanes(4), epsilon=5, on_invalid="default", method="HalfPlaneLearner").fit(X, y)
    assert clf.predict([[1, 2], [3, 0]]).tolist() == [1, 0]


def orders(side):
    """For each chart and slope the points of the grid, by number, from the smallest value to the largest."""
    N = side - 1
    S = 1 << slope_bits(N)
    x, y = np.divmod(np.arange(side * side), side)
    u = 2 * np.arange(S)[:, None] + 1 - S
    return [np.argsort(S * b - u * a, axis=1) for a, b in ((x, y), (y, x))]


def groups_of_similar(order, masses, levels, most):
    """Lemma 3 on one chart: for each row its groups, as pairs of first and last slopes; and the largest disagreement.

    ``masses`` are those of the points, ``most`` what may leave both levels of a row within a group.
    """
    slopes = len(order)
    below = np.cumsum(masses[order], axis=1) - masses[order]
    low = np.empty_like(below)
    np.put_along_axis(low, order, below, axis=1)  # ℓ_u(p)
    yes, no = np.zeros(low.shape, dtype=bool), np.zeros(low.shape, dtype=bool)
    number, apart = 0, 0.0
    for j in range(len(levels) + 1):
        B = low <= levels[j - 1] if j else yes
        C = low + masses > levels[j] if j < len(levels) else no
        leaves = (B[:-1] & ~B[1:]) @ masses + (C[:-1] & ~C[1:]) @ masses
        first = 0
        for u in range(1, slopes + 1):
            if u == slopes or leaves[first:u].sum() > most:
                inside = B[first:u].all(axis=0) | C[first:u].all(axis=0)
                apart = max(apart, float(masses[~inside].sum()))
                number, first = number + 1, u
    return number, apart


@pytest.mark.audit
@over("m", [2, 3, 8])
@over("power", [0, 2, 10])
def test_half_planes_have_few_groups_of_similar_ones_whatever_the_distribution(m, power):
    """Lemma 3, for some offset U among many; a whole row is not one group."""
    rng = np.random.default_rng(m + power)
    masses = rng.random(16) ** power
    masses /= masses.sum()
    charts = orders(4)
    found = []
    for U in np.linspace(0.02, 0.98, 25):
        levels = (np.arange(1, m + 1) - U) / m
        numbers, apart = zip(*(groups_of_similar(order, masses, levels, 1 / m) for order in charts), strict=True)
        assert max(apart) <= 2 / m + 1e-9
        found.append(2 * sum(numbers))
    assert min(found) <= 2 * m * m + 4 * m + 4
    apart = [groups_of_similar(order, masses, levels, 1e9)[1] for order in charts]
    assert m < 8 or max(apart) > 2 / m
