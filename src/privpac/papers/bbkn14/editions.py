"""The editions of [BBKN14]. How their numbers are proved: docs/proofs/bbkn14.md.

The letters in the numbers of an algorithm are those of the module that it is in.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache, partial

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.papers.bbkn14.boosting import A3, Boosted
from privpac.papers.bbkn14.denoising import DenoisedLearner, NoiseLearner
from privpac.papers.bbkn14.improper import A2, A5
from privpac.papers.bbkn14.intervals import IntervalExponential, SwitchingLearner, interval
from privpac.papers.bbkn14.keyed_sets import KeyedOccam, KeyedSets, keyed_sets
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.bbkn14.proper import ProperFromLight
from privpac.papers.bbkn14.release import NetRelease
from privpac.papers.bbkn14.separation import Generator, HatPointLearner
from privpac.papers.edition import Edition, Goal, Trial, labeled, never
from privpac.privacy.budget import Budget

ONE = Budget(1)
HALF, QUARTER, TENTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 10)
CUTS = ExplicitClass([[0, 0], [0, 1], [1, 1]], points="ab")
SETS = KeyedSets(3, 5, 2, ((1, 0), (2, 1), (3, 3)))
NOISE = NoiseLearner(IntervalExponential(2, ONE, TENTH, TENTH), frozenset(interval(2, j) for j in (1, 2, 3)), TENTH)
MOST_NOISY = 2**12  # the most points with independent noise: every concept is listed
_drawn_sets = cache(keyed_sets)  # keys are public, so they are drawn once


def points_of(H: ConceptClass) -> int:
    """T, if H is the class of points 0 … T − 1; ValueError for any other class.

    >>> points_of(Points(2**64)) == 2**64
    True
    """
    if not isinstance(H, Points) or H.domain_size is None:
        raise ValueError("it learns points among 0 … T − 1; declare their number, as in Points(T)")
    return int(H.domain_size)


def is_line(H: ConceptClass) -> bool:
    """Whether H is the class of thresholds "below" on some 1 … T."""
    return isinstance(H, Thresholds) and Thresholds(1, H.domain.size, direction="below") == H


def cuts_of(H: ConceptClass) -> int:
    """T, if H is the class of thresholds "below" on 1 … T; ValueError for any other class.

    >>> cuts_of(Thresholds(1, 9, direction="below"))
    9
    """
    if not is_line(H):
        raise ValueError('it learns thresholds on 1 … T; declare them so, as in Thresholds(1, T, direction="below")')
    return int(H.domain.size)


def _pure(goal: Goal) -> Goal:
    """The same goal without δ, for algorithms that spend none."""
    return goal._replace(cost=goal.pure)


def _light(H: ConceptClass, goal: Goal) -> ProperFromLight:
    light = ProperPoints(points_of(H), goal.pure, goal.alpha / 4, QUARTER, goal.constants)
    return ProperFromLight(light, 2, goal.pure, goal.alpha, goal.beta)


def _cuts(H: ConceptClass, goal: Goal) -> IntervalExponential:
    return IntervalExponential(cuts_of(H), goal.pure, goal.alpha, goal.beta)


def _switching(H: ConceptClass, goal: Goal) -> SwitchingLearner:
    inner = _cuts(H, goal._replace(alpha=goal.alpha / 4, beta=goal.beta / 6))
    return SwitchingLearner(inner, 3, goal.alpha, goal.beta, goal.constants)


def _denoised(H: ConceptClass, goal: Goal) -> DenoisedLearner:
    """The inner learner may fail half as often; at μ = β/8 the noise adds less than the other half."""
    if (T := cuts_of(H)) > MOST_NOISY:
        raise ValueError(f"it flips the label of every point; declare at most {MOST_NOISY} of them")
    inner = _cuts(H, goal._replace(beta=goal.beta / 2))
    return DenoisedLearner(NoiseLearner(inner, _intervals(T), goal.beta / 8))


@lru_cache(maxsize=1)
def _intervals(T: int) -> frozenset[Hypothesis]:
    return frozenset(interval(T, j) for j in range(1, T + 2))


BBKN14 = partial(Edition, "BBKN14", pure=True)
EDITIONS = (
    BBKN14(
        "Thm 3.2",
        "occam",
        "PrivateOccam",
        "any class that can be listed",
        printed="(ln|H| + ln(1/β))/(εα)",
        tight="least N with |H|·φ^N ≤ β",
        theorem="bbkn14, Theorem 2",
        make=lambda H, goal: PrivateOccam(explicit(H), *_pure(goal)),
        at_once=lambda H: isinstance(H, ExplicitClass),
        trial=lambda: Trial(PrivateOccam(CUTS, ONE, HALF, TENTH), labeled("ab"), 3),
    ),
    BBKN14(
        "Lemma 3.4",
        "proper-points",
        "ProperPoints",
        "points 0 … T − 1",
        printed="(ln T + ln(1/β))/(εα)",
        tight="least N with T·(1 − α(1 − e^(−ε/2)))^N ≤ β",
        theorem="bbkn14, Theorem 2",
        make=lambda H, goal: ProperPoints(points_of(H), *_pure(goal)),
        trial=lambda: Trial(ProperPoints(3, ONE, HALF, TENTH), labeled(range(3)), 2),
    ),
    BBKN14(
        "Thm 4.2",
        "keyed-sets",
        "KeyedOccam",
        "points 0 … T − 1, improperly",
        printed="(ln log₂T + ln(1/α) + ln(1/β))/(εα)",
        tight="least N with k·φ^N ≤ β, for k sets",
        theorem="bbkn14, Theorem 29",
        make=lambda H, goal: KeyedOccam(_drawn_sets(points_of(H), goal.alpha / 2), *_pure(goal)),
        at_once=never,  # it draws the keys of all sets first
        trial=lambda: Trial(KeyedOccam(SETS, ONE, HALF, TENTH), labeled(range(3)), 2),
    ),
    BBKN14(
        "Claim 4.3",
        "a2",
        "A2",
        "points, with probability 1/4 at a fixed ε*",
        printed="32·ln 4/α²",
        tight="least N for its failure",
        theorem="bbkn14, Theorem 4",
        trial=lambda: Trial(A2(2, QUARTER, "tight"), labeled(range(2)), 2),
    ),
    BBKN14(
        "Lemma 4.4",
        "a3",
        "A3",
        "points, with probability 1/5 at any ε",
        printed="384·ln 4/(εα²)",
        tight="least N for its failure",
        theorem="bbkn14, Theorem 9",
        trial=lambda: Trial(A3(A2(2, QUARTER, "tight"), Budget(HALF)), labeled(range(2)), 2),
    ),
    BBKN14(
        "§4.2.1",
        "a5",
        "A5",
        "points, with short hypotheses",
        printed="32·ln 4/α²",
        tight="least N for its failure",
        theorem="bbkn14, Theorem 7",
        trial=lambda: Trial(A5(2, Fraction(2, 5), "tight", prime=23), labeled(range(2)), 2),
    ),
    BBKN14(
        "Thm 4.8",
        "boosted",
        "Boosted",
        "points 0 … T − 1, N free of T",
        printed="log₁.₂₅(5/β)·384·ln 4/(ε(α/8)²) + 24·ln(3/β²)/(εα)",
        tight="least K·n₁ + m",
        theorem="bbkn14, Theorem 11",
        make=lambda H, goal: Boosted(points_of(H), *_pure(goal)),
    ),
    BBKN14(
        "Thm 4.11",
        "proper-from-light",
        "ProperFromLight",
        "points 0 … T − 1, from a light learner",
        tight="k·N′ + ℓ",
        theorem="bbkn14, Theorem 13",
        make=_light,
    ),
    BBKN14(
        "§5.1",
        "interval-exponential",
        "IntervalExponential",
        "thresholds below on 1 … T",
        printed="(ln(T + 1) + ln(1/β))/(εα)",
        tight="ln((T + 1)/β)/−ln(1 − α(1 − e^(−ε/2)))",
        theorem="bbkn14, Theorem 2",
        make=_cuts,
        trial=lambda: Trial(IntervalExponential(3, ONE, TENTH, TENTH), labeled((1, 2, 3)), 2),
    ),
    BBKN14(
        "Thm 5.4",
        "switching",
        "SwitchingLearner",
        "thresholds below on 1 … T, by an improper one",
        printed="⌈log₂(6/β)⌉·N′ + s, with K = 1 in s",
        tight="⌈log₂(6/β)⌉·N′ + least s",
        theorem="bbkn14, Theorem 18",
        make=_switching,
    ),
    BBKN14(
        "Def. 5.6",
        "noise",
        "NoiseLearner",
        "thresholds below, with noisy labels",
        trial=lambda: Trial(NOISE, labeled((1, 2)), 2),
    ),
    BBKN14(
        "Thm 5.8",
        "denoised",
        "DenoisedLearner",
        "thresholds below, from such labels",
        tight="N of the inner learner at β/2",
        theorem="bbkn14, Theorem 20",
        make=_denoised,
        trial=lambda: Trial(DenoisedLearner(NOISE), labeled((1, 2)), 2),
    ),
    BBKN14(
        "Thm 6.1",
        "hat-point",
        "HatPointLearner",
        "values of a generator (a demonstration)",
        tight="least N with 2^ℓ·φ^N ≤ β",
        theorem="bbkn14, Theorem 2",
        trial=lambda: Trial(HatPointLearner(Generator(2, 2, b"audit"), ONE, HALF, TENTH), labeled(range(4)), 2),
    ),
    BBKN14(
        "Obs. 2.7",
        "k-cnf",
        "KCnfLearner",
        "k-term DNF, by k-CNF",
        tight="least n with M·Pr[Bin(n, α/M) ≤ 2τ] ≤ β/2",
        theorem="bbkn14, Theorem 32",
    ),
    BBKN14(
        "Thm 7.1",
        "net",
        "NetRelease",
        "a synthetic database for listed queries",
        printed="ln|X|·VC·ln(1/α)/(α³ε) + ln(1/β)/(εα)",
        tight="2·ln((K − 1)(1 − β)/β)/(ε(α − γ))",
        theorem="bbkn14, Theorem 24",
        trial=lambda: Trial(NetRelease(CUTS, ONE, HALF), tuple("ab"), 3),
    ),
)
