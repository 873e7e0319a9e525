"""A stopwatch: it refutes what time tells, leaves alone what it does not, and is right as often as it says.

Clocks are played where a verdict could depend on the machine. The tests that look at the real clock have controls whose
time differs by an order of magnitude.
"""

import random

import numpy as np
import pytest

from privpac.audit import observing, timing
from privpac.audit.claims.mechanisms import CATALOGUE, one_each
from privpac.audit.observing import Output, in_turn
from privpac.audit.sampling import audit
from privpac.audit.timing import choose_timed, rank_correlation
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget
from tests.grid import over

SURE = 1 - 1e-9
toss = random.SystemRandom()


class Clock:
    """Stands still, except where a mechanism says how long it takes."""

    def __init__(self, monkeypatch):
        self.now = 0
        monkeypatch.setattr(observing, "perf_counter_ns", lambda: self.now)

    def takes(self, nanoseconds):
        self.now += nanoseconds


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def noisy(clock, time):
    """A count with discrete Laplace noise z at ε = 1, which takes time(z)."""
    mechanism = DiscreteLaplace(Budget(1))

    def release(value):
        z = mechanism.release(0, SYSTEM)
        clock.takes(time(z) + toss.randrange(1000))
        return value + z

    return release


@pytest.mark.audit
def test_time_that_tells_the_noise_is_refuted_and_output_alone_is_not(clock):
    slow = noisy(clock, lambda z: 1000 * abs(z))
    claim = {"claimed": Budget(1), "runs": 4000, "confidence": SURE}
    verdict = audit(slow, (0, 1), timing=True, **claim)
    assert verdict.refuted and verdict.epsilon_lower > 3 and "µs" in verdict.event
    assert not audit(slow, (0, 1), **claim).refuted


@pytest.mark.audit
@over("time", [lambda z: 0, lambda z: toss.randrange(50_000), lambda z: 10**6 * (toss.random() < 0.01)])
def test_time_that_is_independent_of_the_noise_is_not_refuted(time, monkeypatch):
    """However spread it is; the size of the test is 1e-9."""
    release = noisy(Clock(monkeypatch), time)
    verdict = audit(release, (0, 1), claimed=Budget(1), runs=3000, confidence=SURE, timing=True)
    assert not verdict.refuted and verdict.epsilon_lower > 0.3


def test_time_of_the_sample_itself_is_refuted(clock):
    def count(value):
        clock.takes(5000 + 10 * value + toss.randrange(10))
        return "nothing"

    assert audit(count, (0, 1), claimed=Budget(1), runs=400, timing=True).epsilon_lower > 2


@pytest.mark.audit
def test_a_true_claim_is_refuted_no_more_often_than_promised(clock):
    """30 audits of a tight claim with confidence .8: more than 20 refutations have a probability below 1e-8."""
    release = noisy(clock, lambda z: 0)
    refuted = [
        audit(release, (0, 1), claimed=Budget(1), runs=300, confidence=0.8, timing=True).refuted for _ in range(30)
    ]
    assert sum(refuted) <= 20


def test_an_event_includes_its_ends_and_all_of_time():
    outputs = [Output("a", 1.0, t) for t in range(100)]
    others = [Output("b", 2.0, t) for t in range(100)]
    statistic, threshold = choose_timed(outputs, others, Budget(1), 0.01)
    assert all(statistic.value(each) >= threshold for each in outputs)
    assert not any(statistic.value(each) >= threshold for each in others)


@over("labels", ["a", "ab", "abc"])
def test_hits_are_those_of_the_event(labels):
    """For all sets and spans of a random table: what is counted before the choice is what is counted after it."""
    outputs = [Output(toss.choice(labels), 0.0, toss.randrange(50)) for _ in range(300)]
    cuts = np.quantile([o.time for o in outputs], (0, 0.2, 0.5, 1))
    sets = [frozenset(labels[:size]) for size in range(1, len(labels) + 1)] + [frozenset("z")]
    table = timing._hits(outputs, sets, cuts)
    for i, j in ((0, 1), (0, 3), (1, 2), (2, 3)):
        for row, chosen in zip(table, sets, strict=True):
            event = timing._event(chosen, cuts[i], cuts[j], is_last=j == 3)
            assert row[j] - row[i] == sum(event.value(each) > 0 for each in outputs)


def test_runs_alternate():
    order = []
    in_turn(lambda: order.append("S"), lambda: order.append("T"), 4)
    assert "".join(order) == "STTSSTTS"


def test_rank_correlation(clock):
    value = np.array([3, 4])

    def release(time):
        noise = np.array([toss.randrange(-9, 10), toss.randrange(-9, 10)])
        clock.takes(time(int(np.abs(noise).sum())))
        return value + noise

    assert rank_correlation(lambda: release(lambda size: size), value, 500) == pytest.approx(1)
    assert rank_correlation(lambda: release(lambda size: -(size**3)), value, 500) == pytest.approx(-1)
    assert abs(rank_correlation(lambda: release(lambda size: toss.randrange(99)), value, 2000)) < 0.15
    for chosen in ("a", (1, 2, 3), None, {"a": 2}):
        assert rank_correlation(lambda chosen=chosen: chosen, value, 5) is None


def test_one_case_of_each_mechanism():
    assert {case.name for case in one_each()} == {case.name for case in CATALOGUE}
    assert len(one_each()) == len({case.name for case in one_each()})
