"""A true claim survives as often as is promised, a false one does not, and whatever comes back is an output.

Sizes: the chance that a test here fails although the code is right is below 1e-8 each; audits of true claims use a
confidence of 1 − 1e-9 or count false alarms against a binomial tail, and false claims are refuted by a margin of at
least six standard deviations.
"""

import math
import random
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest
from scipy.special import bdtr, bdtrc

from privpac.audit import sampling
from privpac.audit.observing import observe
from privpac.audit.sampling import Verdict, audit
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget

SURE = 1 - 1e-9
toss = random.SystemRandom().random


def response(epsilon):
    """Randomized response: tight at ε."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    return lambda bit: bit if toss() < truth else 1 - bit


def sometimes(delta):
    """Releases the record with probability δ, else nothing: tight at (ε, δ) for every ε."""
    return lambda record: record if toss() < delta else None


def laplace(scale):
    """Continuous noise: no two outputs are equal."""
    return lambda value: value + random.SystemRandom().choice((-1, 1)) * scale * -math.log(1 - toss())


# --- validity --------------------------------------------------------------------------------------------------------


def false_alarms(mechanism, claimed, audits=150, runs=200):
    return sum(audit(mechanism, (0, 1), claimed=claimed, runs=runs, confidence=0.8).refuted for _ in range(audits))


TIGHT = [(response(1), Budget(1)), (sometimes(0.3), Budget(1, 0.3)), (sometimes(0.3), Budget(0, 0.3))]
TOO_MANY = next(k for k in range(150) if bdtrc(k, 150, 0.2) < 1e-9)  # Pr[Bin(150, 1 − 0.8) > k] < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "claimed"), TIGHT)
def test_true_claims_are_refuted_no_more_often_than_promised(mechanism, claimed):
    assert false_alarms(mechanism, claimed) <= TOO_MANY


@pytest.mark.slow
def test_estimates_without_confidence_bounds_would_fail_that_test(monkeypatch):
    def estimate(p, q, runs, claimed, a):
        p, q = sampling.np.asarray(p) / runs, sampling.np.asarray(q) / runs
        return sampling.np.log(sampling.np.maximum(p - float(claimed.delta), 1e-9) / sampling.np.maximum(q, 1e-9))

    monkeypatch.setattr(sampling, "epsilon_lower", estimate)
    assert false_alarms(response(1), Budget(1)) > TOO_MANY


@pytest.mark.audit
def test_an_event_tested_where_it_was_chosen_would_fail_that_test(monkeypatch):
    def choose_on_everything(mechanism, pair, claimed, runs, a, *, choose):
        outputs = [[observe(lambda s=s: mechanism(s)) for _ in range(runs)] for s in pair]
        statistic = sampling._likelihood(*outputs)
        middle = len({*outputs[0], *outputs[1]}) / 2
        hits = [sum(statistic.value(output) >= middle for output in side) for side in outputs]
        yield float(sampling.epsilon_lower(*hits, runs, claimed, a)), "", ""

    monkeypatch.setattr(sampling, "_evidence", choose_on_everything)
    assert false_alarms(laplace(1), Budget(1)) > TOO_MANY


@pytest.mark.parametrize("runs", [1, 2, 7, 40])
@pytest.mark.parametrize("a", [1e-6, 0.05])
def test_bounds_are_those_of_clopper_and_pearson(runs, a):
    """Each bound is the probability at which a count as extreme as the one seen has probability exactly a."""
    for hits in range(runs + 1):
        ratio = math.exp(float(sampling.epsilon_lower(runs, hits, runs, Budget(0), a)))
        least = a ** (1 / runs)  # all runs hit
        most = least / ratio
        assert ratio == 1 or float(bdtr(hits, runs, most)) == pytest.approx(a, rel=1e-9)
        ratio = math.exp(float(sampling.epsilon_lower(hits, 0, runs, Budget(0), a)))
        most = 1 - a ** (1 / runs)  # no run hits
        assert ratio == 1 or float(bdtrc(hits - 1, runs, ratio * most)) == pytest.approx(a, rel=1e-9)


def test_delta_is_taken_off():
    bare, less, all_hit = (
        math.exp(float(sampling.epsilon_lower(p, 1, 100, Budget(0, delta), 0.01)))
        for p, delta in ((80, 0), (80, 0.25), (100, 0))
    )
    most = 0.01 ** (1 / 100) / all_hit
    assert bare - less == pytest.approx(0.25 / most)
    assert sampling.epsilon_lower(80, 1, 100, Budget(0, 0.75), 0.01) == 0


# --- power -----------------------------------------------------------------------------------------------------------


@pytest.mark.audit
def test_noise_30_percent_too_small_is_refuted():
    assert audit(response(1 / 0.7), (0, 1), claimed=Budget(1), runs=20_000).refuted
    assert audit(DiscreteLaplace(Budget("10/7")), (0, 1), claimed=Budget(1), runs=12_000).refuted


@pytest.mark.audit
def test_outputs_that_never_repeat_are_judged_by_half_lines():
    found = audit(laplace(0.7), (0, 1), claimed=Budget(1), runs=20_000)
    assert found.refuted
    assert "output ≥" in found.event or "output ≤" in found.event
    assert not audit(laplace(1), (0, 1), claimed=Budget(1), runs=4000, confidence=SURE).refuted


def test_a_delta_three_times_too_large_is_refuted():
    assert audit(sometimes(0.3), (0, 1), claimed=Budget(1, 0.1), runs=4000).refuted


@pytest.mark.slow
def test_the_bound_is_below_the_truth_and_near_it():
    found = audit(response(2), (0, 1), claimed=Budget(2), runs=20_000, confidence=SURE)
    assert 1.5 < found.epsilon_lower < 2


# --- whatever comes back is an output --------------------------------------------------------------------------------


def raises(record):
    if record:
        raise KeyError(record)
    return 0


@pytest.mark.parametrize(
    ("mechanism", "event"),
    [
        (raises, "raises KeyError"),
        (lambda record: math.nan if record else 0.0, "nan"),
        (lambda record: None if record else 0, "None"),
        (lambda record: [record, {"a": record}], "{'a': "),
        (lambda record: {record}, "{"),
        (lambda record: 10**400 if record else -(10**400), ""),
        (lambda record: sampling.np.arange(3) + record, "array(["),
    ],
)
def test_outputs_of_every_kind_give_a_record_away(mechanism, event):
    found = audit(mechanism, (0, 1), claimed=Budget(1), runs=400)
    assert found.refuted
    assert event in found.event or "output 0" in found.event


def test_exceptions_differ_by_type_alone():
    def complains(record):
        raise ValueError(f"bad record {record}")

    assert not audit(complains, (0, 1), claimed=Budget(0), runs=400).refuted


@pytest.mark.slow
def test_a_mechanism_is_checked_and_run_with_private_coins():
    histogram = StabilityHistogram(Budget(1, 0.1))
    assert not audit(histogram, ({"a": 1}, {"b": 1}), claimed=histogram.cost, runs=1000, confidence=SURE).refuted
    refused = audit(DiscreteLaplace(Budget(1), 1, 0, 1), (1, 2), claimed=Budget(1), runs=400)
    assert refused.refuted
    assert "raises ValueError" in refused.event or refused.pair == "1 against 2"


class Learner:
    """An estimator that learns the majority label, or all it saw."""

    def __init__(self, leaks):
        self.leaks = leaks

    def fit(self, X, y):
        if self.leaks:
            self.seen_ = (tuple(X), tuple(y))
        else:
            self.hypothesis_ = "1"
            self.seen_ = (tuple(X), tuple(y))
        return self


def test_an_estimator_releases_its_hypothesis_or_else_all_it_learned():
    pair = ((("x", "x"), (0, 1)), (("x", "x"), (1, 1)))
    learner = Learner(leaks=True)
    assert audit(learner, pair, claimed=Budget(1), runs=200).refuted
    assert not hasattr(learner, "seen_")
    assert not audit(Learner(leaks=False), pair, claimed=Budget(1), runs=200).refuted


def test_pairs_come_from_a_universe():
    found = audit(max, claimed=Budget(1), universe=range(2**64), n=5, runs=200)
    assert found.refuted
    assert not audit(len, claimed=Budget(0), universe="abc", n=3, runs=50).refuted


def test_the_confidence_is_split_over_pairs(monkeypatch):
    asked = []
    monkeypatch.setattr(
        sampling, "_evidence", lambda *arguments, choose: asked.append(arguments[-1]) or [(0.0, "", "")]
    )
    audit(max, claimed=Budget(1), universe="ab", n=2, runs=10, confidence=0.9)
    assert len(asked) == 2
    assert sum(4 * a for a in asked) == pytest.approx(0.1)


# --- the verdict -----------------------------------------------------------------------------------------------------


def test_a_verdict_is_a_frozen_sentence():
    verdict = Verdict(True, 1.25, Budget(1, 1e-6), "0 against 1", "output 0", 1000, 0.999)
    assert str(verdict) == (
        "REFUTED: ε ≥ 1.25 at δ = 1e-06 (confidence 0.999), where ε = 1, δ = 1e-06 is claimed: "
        "0 against 1, event: output 0, 1000 runs each"
    )
    assert str(replace(verdict, epsilon_lower=math.inf)).startswith("REFUTED: no ε is large enough at δ = 1e-06 (")
    with pytest.raises(FrozenInstanceError):
        verdict.refuted = False


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"pair": (0, 1), "claimed": 1}, "claimed must be a Budget"),
        ({"pair": (0, 1), "claimed": Budget(1), "confidence": 1}, "strictly between 0 and 1"),
        ({"pair": (0, 1), "claimed": Budget(1), "runs": 3}, "at least 4"),
        ({"claimed": Budget(1)}, "either a pair"),
        ({"pair": (0, 1), "universe": "ab", "claimed": Budget(1)}, "either a pair"),
        ({"universe": "a", "claimed": Budget(1)}, "at least two records"),
    ],
)
def test_bad_input(arguments, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        audit(max, **arguments)


def test_a_mechanism_must_be_something_that_runs():
    with pytest.raises(TypeError, match="a function of the sample"):
        audit(3, (0, 1), claimed=Budget(1))


def test_the_fewest_runs_are_enough_to_run():
    assert not audit(max, ((0,), (1,)), claimed=Budget(1), runs=4).refuted


@pytest.mark.slow
@pytest.mark.parametrize(
    "imports",
    ["import privpac.audit.neighbors as pairs; import privpac", "from privpac import audit; import privpac"],
)
def test_the_room_is_its_function_whatever_was_imported(imports):
    script = f"""
{imports}
from privpac.privacy.budget import Budget
assert privpac.audit(max, ((0,), (1,)), claimed=Budget(1), runs=100).refuted
from privpac.audit import exact_divergence
import privpac.audit.exact_divergence as again
assert exact_divergence is again is privpac.audit.exact_divergence
"""
    subprocess.run([sys.executable, "-c", script], check=True)
