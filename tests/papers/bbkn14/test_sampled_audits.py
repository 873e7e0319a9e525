"""Sampled audits of what is made of other learners: each gets a visible share of the claimed ε, broken twins more.

Each pair flips the label of one record, or moves it, where it matters most; the samples are of one class or fit no
concept. A true claim is refuted with probability at most 1e-6. At that confidence a quarter to two fifths of ε are
seen; the shares that are asked for are missed with probability below 1e-4 each.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass
from privpac.exact.entropy import SYSTEM
from privpac.papers.bbkn14 import (
    A3,
    A5,
    Boosted,
    DenoisedLearner,
    IntervalExponential,
    NoiseLearner,
    PrivateOccam,
    ProperFromLight,
    ProperPoints,
    SwitchingLearner,
)
from privpac.papers.bbkn14.denoising import reconstruct
from privpac.papers.bbkn14.intervals import interval
from privpac.privacy.budget import Budget
from tests.papers.bbkn14.example_5_7 import Sampled

pytestmark = pytest.mark.papers

ONE, THREE = Budget(1), Budget(3)
α = Fraction(12, 25)


def yes(learner, x):
    """Whether x is labeled 1: of 2^127 keys no two runs draw the same one."""
    return lambda S: (h := learner.release(S, SYSTEM)) is not None and bool(h([x])[0])


def last_flipped(sample, x):
    """``sample``, and x with label 1 or 0 after it."""
    return (*sample, (x, True)), (*sample, (x, False))


@cache
def concepts(T):
    return frozenset(interval(T, j) for j in range(1, T + 2))


def noisy(T, mu):
    return NoiseLearner(IntervalExponential(T, THREE, 0.1, 0.05), concepts(T), mu)


def near(learner, cut):
    """Whether this is the cut nearest to a noisy hypothesis."""
    c, T = interval(learner.domain.size, cut), learner.domain.size
    return lambda S: (h := learner.release(S, SYSTEM)) is not None and reconstruct(h, T) == c


boosted = Boosted(2**40, THREE, α, Fraction(1, 20), "tight")  # 6 copies, the first of which finds 0
FIRST = ((0, True),) * 60 + ((1, False),) * (boosted.N - 61)
between = ((100, True),) * 9 + ((104, False),) * 9  # four cuts fit, and the last record tells one from three

occam = PrivateOccam(ExplicitClass(np.eye(5)), THREE, Fraction(1, 2), Fraction(1, 10), "tight")
light = ProperPoints(2**64, THREE, Fraction(1, 5), Fraction(1, 4), "tight")
proper = ProperFromLight(light, 2, THREE, Fraction(4, 5), Fraction(1, 4))
switching = SwitchingLearner(noisy(12, Fraction(1, 10)), 13, 0.9, 0.9)
noise = noisy(200, Fraction(1, 1000))

MOVED = ((0, True), *[(1, False)] * 29), ((1, True), *[(1, False)] * 29)
CASES = {  # what is seen of the output, the pair, the claim, how many runs, and which share of ε is asked for
    "A3": (yes(A3(A5(2**40, α, "tight"), ONE), 0), MOVED, ONE, 10_000, 0.1),
    "Boosted": (yes(boosted, 0), last_flipped(FIRST, 0), THREE, 1000, 0.15),
    "PrivateOccam": (yes(occam, 0), last_flipped((), 0), THREE, 1000, 0.2),
    "ProperFromLight": (yes(proper, 0), last_flipped(((2**60, False),) * 29, 0), THREE, 1200, 0.15),
    "SwitchingLearner": (lambda S: not yes(switching, 1)(S), last_flipped(((9, True),) * 11, 1), THREE, 1000, 0.15),
    "NoiseLearner": (near(noise, 101), last_flipped(between, 101), THREE, 1000, 0.2),
    "DenoisedLearner": (yes(DenoisedLearner(noise), 101), last_flipped(between, 101), THREE, 1000, 0.2),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_claimed_is_visibly_spent_and_not_exceeded(name):
    mechanism, pair, claimed, runs, share = CASES[name]
    verdict = audit(mechanism, pair, claimed=claimed, runs=runs, confidence=1 - 1e-6)
    assert not verdict.refuted
    assert verdict.epsilon_lower > share * claimed.epsilon


@dataclass(frozen=True)
class Keeping(A3):
    """Keeps every entry."""

    q = Fraction(1)


QUARTER, LN_4 = Budget(Fraction(1, 4)), Budget(Fraction(13863, 10_000))
sampled = NoiseLearner(Sampled(64, Fraction(2, 5), LN_4), concepts(64), Fraction(1, 20))
TWINS = {
    "A3 keeps all": (yes(Keeping(A5(2**40, α, "tight"), QUARTER), 0), last_flipped((), 0), QUARTER, 6000),
    "noise on a sample": (near(sampled, 65), last_flipped((), 64), LN_4, 2000),
    "noise on a sample, removed": (yes(DenoisedLearner(sampled), 32), last_flipped((), 64), LN_4, 2000),
}


@pytest.mark.parametrize("name", TWINS)
def test_broken_twins_are_refuted(name):
    mechanism, pair, claimed, runs = TWINS[name]
    assert audit(mechanism, pair, claimed=claimed, runs=runs, confidence=0.99).refuted
