"""Learned cuts: hostile records, all kinds of lines, certificates that hold, noise, what is spent."""

import math
from datetime import date, timedelta
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from privpac.audit.claims.fits import fit_of
from privpac.classes.lines.rules import Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.lines import threshold_bounds
from privpac.learners.lines.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.mechanisms.algorithm import next_request
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Opened, Sealed
from privpac.refusals.option_words import Regime, words_of
from tests.grid import over

LEARNERS = (ThresholdLearner, PureThresholdLearner)
REGIMES = words_of(Regime)


def made(learner, H, **parameters):
    return PrivateClassifier(H, method=learner.__name__, **parameters)


def learned(learner, sample):
    """The rule that a learner takes from a sample that is already encoded."""
    fit = learner.fitting(sample.size)
    ledger = Ledger(fit.cost)
    rule, *_ = fit.run(Sealed(sample, sample.size), ledger.spend)
    assert ledger.spent <= fit.cost
    return rule


def empty(dtype):
    return np.array([], dtype=dtype)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "regime", "direction"), [*product(LEARNERS, REGIMES, ("above", "below", "either"))]
)
@over("size", [1, 2, 3, 2**64, 2**64 - 1, 2**100])
def test_hostile_samples_never_fail(size, direction, learner, regime):
    kind = np.uint64 if size <= 2**64 else object
    ends = np.array([0, size - 1], dtype=kind)
    samples = [
        Sample(empty(kind), empty(bool), None, 0),
        Sample(empty(kind), empty(bool), None, 50),  # void records only
        Sample(ends[:1], np.array([True]), None, 1),
        Sample(ends, np.array([True, False]), None, 2),
        Sample(ends, np.array([False, False]), np.array([10**6, 0]), 10**6),
        Sample(np.repeat(ends, 500), np.arange(1000) % 2 == 0, None, 1000),
    ]
    H = Thresholds(0, size - 1, direction=direction)
    for sample in samples:
        rule = learned(made(learner, H, epsilon=1, delta=1e-6, regime=regime), sample)
        assert rule(sample.points.tolist() if size > 1 else [0]) is not None


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("direction", ["above", "below", "either"])
def test_all_kinds_of_lines(learner, direction):
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 200, 1500)
    labels = (codes >= 120) ^ (direction == "below")
    day = date(2026, 1, 1)
    columns = {
        Thresholds(0, 199, direction=direction): codes,
        Thresholds(0.0, 199.0, direction=direction): codes.astype(float),
        Thresholds(kind="float64", direction=direction): codes - 0.5,
        Thresholds(Decimal("0.0"), Decimal("199.9"), direction=direction): [Decimal(int(c)) for c in codes],
        Thresholds(day, day + timedelta(300), direction=direction): [day + timedelta(int(c)) for c in codes],
        Thresholds("000", "999", direction=direction): [f"{c:03}" for c in codes],
        Thresholds(0, 2**90, direction=direction): [int(c) * 2**80 for c in codes],
    }
    for H, column in columns.items():
        fitted = made(learner, H, epsilon=20, delta=1e-6, feature=None).fit(column, labels.astype(int))
        assert fitted.privacy_ == (Budget(20) if fitted.learner_.pure else Budget(20, 1e-6))
        assert (fitted.predict(column) == labels).mean() > 0.95, H
        assert fitted.guarantee_.utility is not None


@pytest.mark.parametrize("regime", REGIMES)
def test_what_ran_adds_up_to_the_promise(regime):
    fitted = PrivateClassifier(
        Thresholds(0, 99, direction="above"),
        epsilon=0.3,
        delta=1e-5,
        regime=regime,
        feature=None,
        method="ThresholdLearner",
    )
    fitted.fit(np.arange(100), np.arange(100) >= 50)
    assert fitted.privacy_ == Budget(0.3, 1e-5)
    assert len(fitted.ledger_.entries) == (2 if regime == "agnostic" else 1)


def test_only_thresholds():
    for learner in LEARNERS:
        assert learner.supports(Thresholds(0, 9, direction="above"))
        assert not learner.supports(Points())


def hostile(n, rng, bits=64):
    """Heavy ends, and a thin mass of a little more than 0.1 on either side of a cut deep in the trie."""
    cut = int("01" * (bits // 2), 2) | 1
    places = np.array([0, cut - 1, cut, 2**bits - 1], dtype=np.uint64)
    counts = rng.multinomial(n, [0.398, 0.102, 0.102, 0.398])
    return Sample(places, places >= cut, counts, n), cut


@pytest.mark.audit
@pytest.mark.parametrize(("learner", "regime"), [*product(LEARNERS, REGIMES)])
def test_certificates_hold_on_a_hostile_population(learner, regime):
    """β = 0.2, 150 fits at the certified n: more than 58 failures have a chance below 1e-7 if certificates hold."""
    rng = np.random.default_rng(11)
    model = made(
        learner, Thresholds(0, 2**64 - 1, direction="above"), epsilon=2, delta=1e-6, alpha=0.1, beta=0.2, regime=regime
    )
    n, failures = model.certified_n(), 0
    for _ in range(150):
        sample, cut = hostile(n, rng)
        rule = learned(model, sample)
        failures += not (isinstance(rule, Threshold) and rule.cut == cut)
    assert binom.sf(58, 150, 0.2) < 1e-7
    assert failures <= 58


@pytest.mark.audit
def test_too_few_records_do_fail():
    """The same population with a third of the certified n: the test above could fail."""
    rng = np.random.default_rng(12)
    model = PrivateClassifier(
        Thresholds(0, 2**64 - 1, direction="above"),
        epsilon=2,
        delta=1e-6,
        beta=0.2,
        regime="realizable",
        method="ThresholdLearner",
    )
    failures = 0
    for _ in range(150):
        sample, cut = hostile(model.certified_n() // 3, rng)
        rule = learned(model, sample)
        failures += not (isinstance(rule, Threshold) and rule.cut == cut)
    assert failures > 58


@pytest.mark.slow
def test_noisy_labels_are_the_normal_case():
    """ε = 1, a tenth of the labels flipped, 2000 even records of 2^64, cuts anywhere in the middle half.

    Over 300 fits the mean error was 0.004, and 0.011 was exceeded in 1 of 20. Here all but the worst of 40 fits have a
    mean below 0.008, six standard errors more, and at most 12 exceed 0.015 (even if 1 in 20 did, chance 4e-8).
    """
    rng = np.random.default_rng(13)
    model = PrivateClassifier(
        Thresholds(0, 2**64 - 1, direction="above"), epsilon=1, delta=1e-6, method="ThresholdLearner"
    )
    errors = []
    for _ in range(40):
        cut = int(rng.integers(2**62, 3 * 2**62, dtype=np.uint64))
        points = rng.integers(0, 2**64, 2000, dtype=np.uint64)
        rule = learned(model, Sample(points, (points >= cut) ^ (rng.random(2000) < 0.1), None, 2000))
        errors.append(abs(rule.cut - cut) / 2**64 if isinstance(rule, Threshold) else 0.5)
    assert np.mean(sorted(errors)[:-1]) < 0.008
    assert np.sum(np.array(errors) > 0.015) <= 12


@pytest.mark.parametrize("learner", LEARNERS)
def test_without_signal_it_is_hardly_worse_than_a_constant(learner):
    rng = np.random.default_rng(14)
    points = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
    model = made(learner, Thresholds(0, 2**64 - 1, direction="above"), epsilon=1, delta=1e-6)
    for share in (0.3, 0.0, 1.0):
        sample = Sample(points, rng.random(20_000) < share, None, 20_000, points)
        excess = sample.errors(learned(model, sample)) / 20_000 - min(share, 1 - share)
        assert excess <= float(model.certified_alpha(20_000))


def noisy(made, sample):
    """What a learner first asks for: the mechanism, and what it is shown."""
    request = next_request(lambda ask: made.run(Opened(sample, sample.size), ask))
    return request.mechanism, request.data


@pytest.mark.parametrize("direction", ["above", "below", "either"])
def test_noise_is_shown_the_errors_of_the_best_rule(direction):
    """Once, and with noise for a change by 1: what one record changes them by at most."""
    made = fit_of(ThresholdLearner, Thresholds(0, 9, direction=direction)).learner
    rng, ways = np.random.default_rng(8), []
    for n in (0, 1, 2, 5, 20, 40):
        x, y = rng.integers(0, 10, n).astype(np.uint64), rng.random(n) < 0.5
        above = [int(((x >= t) != y).sum()) for t in range(11)]
        rules = {"above": above, "below": [n - e for e in above], "either": [*above, *(n - e for e in above)]}
        mechanism, shown = noisy(made, Sample(x, y, None, n))
        assert mechanism == DiscreteLaplace(Budget("0.15"))
        assert shown == min(rules[direction])
        ways.append(shown)
    assert max(ways) > 5


@pytest.mark.parametrize("ways", [1, 2])
def test_weighted_certificates_count_the_public_cuts(ways, monkeypatch):
    """Certificates, Theorem 2: L' = L + 1 and B' = B + 1 with public cuts, or L + 2 and B + 2 in two directions."""
    cuts, counted = threshold_bounds.NoisyCuts(Budget(1, 1e-6), 2**16, ways, 0.05), []
    plain = threshold_bounds.by_costs
    monkeypatch.setattr(threshold_bounds, "by_costs", lambda rules, *more: counted.append(rules) or plain(rules, *more))
    cuts.weighted_failure(1000, 0.1, 3, 0.75)
    assert counted == [math.log(1000 * (cuts.levels + ways)), math.log(2 + ways)]
