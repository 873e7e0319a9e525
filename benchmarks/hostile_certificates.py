"""How many records do learners need, on the worst population found, and how many are certified?

Predicted: certificates add up ways to fail that do not happen at once, so that they ask for more than any population
needs.
The bar: for every class, at most twice as many with noisy labels, and at most 1.3 times as many with realizable ones.
Over 200 fits on each of the five worst populations at the certified n, at most a share β = 0.05 fails; where chance
alone may exceed it, the 99.9 % one-sided lower confidence bound is at most β.
Trees miss both ratios at ε = 1, and half-planes the first.

The populations are few atoms, whose masses and labels were found by a search that maximizes the exact probability of a
bad rule given the sample. Nearly all the mass is at one heavy atom, whose labels are nearly fair coins: one has more by
just over α than the other. A few pins beside it, with one label each, keep all rules but a few from labeling it that
way. Then nearly all records decide between two labels, as in the proofs. With realizable labels the heavy atom is a
thin one, of just over α. The records needed are the fewest with which at most a share β of the fits fails, by
bisection, within some 3 %. "Before" is what was certified before Lemma 8 of the page *certificates*.

Main declarations
    Hostile    a class, a regime, and its populations
    CASES      all of them
    tables     the figures
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from certificates import lower
from measure import Table
from noisy_certificates import Noisy
from populations import explicit, listed
from simulate import Population

import privpac as pp
from privpac.learners.classifier import PrivateClassifier

α, β = 0.1, 0.05
BEYOND = 1.002  # how much more than α the worst error is


@dataclass(frozen=True)
class Hostile:
    """A class, its learner, what was certified before, and populations."""

    name: str
    method: str
    concept_class: Any
    regime: str
    epsilon: float
    before: int
    populations: list[Noisy]


def atoms(
    name: str, values: Any, advantages: Sequence[float], masses: Sequence[float], heavy: int | None = None
) -> Noisy:
    """At each atom label 1 has this much more probability than label 0; at a heavy one just more than α in all."""
    share = np.array(masses) / sum(masses)
    advantage = np.array(advantages)
    if heavy is not None:
        advantage[heavy] = np.sign(advantage[heavy]) * min(BEYOND * α / share[heavy], 1)
    population = Population.of(name, values, advantage > 0, share)
    return Noisy(population, (1 - np.abs(advantage)) / 2)


def pinned(values: Any, labels: Sequence[int], heavy: int, pins: Sequence[float]) -> list[Noisy]:
    """A heavy atom and pins around it, which have these masses together and clean labels."""
    signs = 2 * np.array(labels, dtype=float) - 1
    found = []
    for mass in pins:
        masses = np.full(len(labels), mass / (len(labels) - 1))
        masses[heavy] = 1 - mass
        found.append(atoms(f"pins of {mass:.1%}", values, signs, masses, heavy))
    return found


def thin(values: Any, labels: Sequence[int], heavy: int, shares: Sequence[float]) -> list[Noisy]:
    """An atom of just more than α; the first of the others has this share of the rest."""
    signs, found = 2 * np.array(labels, dtype=float) - 1, []
    others = [i for i in range(len(labels)) if i != heavy]
    for share in shares:
        masses = np.full(len(labels), (1 - BEYOND * α) * (1 - share) / (len(others) - 1))
        masses[heavy], masses[others[0]] = BEYOND * α, (1 - BEYOND * α) * share
        found.append(atoms(f"a thin atom, {share:.0%} of the rest", values, signs, masses, heavy))
    return found


def beside(size: int) -> np.ndarray:
    """Three neighboring values in the middle of a line."""
    return np.array([size // 2 - 1, size // 2, size // 2 + 1], dtype=np.uint64)


def columns(points: list[tuple[int, int, int]]) -> dict[str, list[int]]:
    """A table of three columns."""
    return {name: list(column) for name, column in zip("abc", zip(*points, strict=True), strict=True)}


SLIVER = np.array([(0, 0), (31, 1), (63, 2)])  # nearly on one line: few half-planes have the middle one alone
FLAT = np.array([(0, 0), (62, 1), (1, 0), (63, 1)])
CROSS = columns([(7, 3, 3), (7, 4, 3), (8, 3, 3), (8, 4, 3), (7, 3, 4)])
COLUMNS = [pp.Thresholds(0, 15).on(name) for name in "abc"]
TREES = pp.Trees(*COLUMNS, depth=2)
PLANES = pp.HalfPlanes(64)
LINES = {bits: pp.Intervals(0, 2**bits - 1) for bits in (16, 64)}
PINS = (0.05, 0.08, 0.12, 0.16, 0.2)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


CROSSED = [
    atoms("a cross", CROSS, advantages, masses)
    for advantages, masses in (
        ((-0.28, 0.41, 0.49182, -0.495, -0.0765), (0.1128, 0.12594, 0.09903, 0.04293, 0.6193)),
        ((-0.25348, 0.31335, 0.43721, -0.64362, -0.0765), (0.08403, 0.16555, 0.11054, 0.05286, 0.58703)),
    )
]
CASES = [
    *(
        Hostile(
            f"intervals 2^{bits}",
            "IntervalLearner",
            LINES[bits],
            "agnostic",
            ε,
            before,
            pinned(beside(2**bits), (0, 1, 0), 1, PINS),
        )
        for bits, ε, before in ((16, 1, 1950), (16, 0.1, 6232), (64, 1, 5536))
    ),
    *(
        Hostile(
            "half-planes in 64 × 64",
            "HalfPlaneLearner",
            PLANES,
            "agnostic",
            ε,
            before,
            pinned(SLIVER, (0, 1, 0), 1, PINS),
        )
        for ε, before in ((1, 1808), (0.1, 5709))
    ),
    *(
        Hostile(
            "trees of depth 2, 3 × 16 values",
            "DecisionTreeLearner",
            TREES,
            "agnostic",
            ε,
            before,
            [crossed, *pinned(CROSS, (0, 1, 1, 0, 0), 4, PINS[1:])],
        )
        for ε, before, crossed in ((1, 1593, CROSSED[0]), (0.1, 5005, CROSSED[1]))
    ),
    Hostile(
        "intervals 2^16", "IntervalLearner", LINES[16], "realizable", 1, 610, thin(beside(2**16), (0, 1, 0), 1, SHARES)
    ),
    Hostile(
        "half-planes in 64 × 64", "HalfPlaneLearner", PLANES, "realizable", 1, 553, thin(SLIVER, (0, 1, 0), 1, SHARES)
    ),
    Hostile(
        "trees of depth 2, 3 × 16 values",
        "DecisionTreeLearner",
        TREES,
        "realizable",
        1,
        480,
        [
            atoms("a cross", CROSS, (1, 1, -1, 1, -1), (0.1011, 0.0773, BEYOND * α, 0.2976, 0.4237), 2),
            *thin(CROSS, (1, 1, 0, 1, 0), 2, SHARES[:4]),
        ],
    ),
    *(
        Hostile(
            "100 listed rules",
            "FiniteLearner",
            listed(100),
            "realizable",
            ε,
            before,
            [Noisy(each, np.zeros(99)) for each in explicit(100, α, BEYOND)],
        )
        for ε, before in ((1, 173), (0.1, 1413))
    ),
]


def needed(learner: PrivateClassifier, one: Noisy, certified: int, runs: int, rng: Any) -> int:
    """About the fewest records with which at most a share β of the fits fails."""
    low, high = certified // 8, certified
    while high - low > certified // 100 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one.failures(learner, middle, runs, rng) > β * runs else (low, middle)
    return high


def tables(quick: bool) -> list[Table]:
    """One row for each class, regime, and ε."""
    rng, rows, fits = np.random.default_rng(), [], 20 if quick else 200
    for case in CASES:
        learner = PrivateClassifier(
            case.concept_class, method=case.method, regime=case.regime, epsilon=case.epsilon, alpha=α, beta=β
        )
        n = learner.certified_n()
        found = sorted(case.populations, key=lambda one: -one.failures(learner, n * 2 // 5, fits, rng))[:5]
        failed = max(one.failures(learner, n, fits, rng) for one in found)
        least, worst = max((needed(learner, one, n, 2 * fits, rng), one.population.name) for one in found[:2])
        at_n = failed / fits, lower(failed, fits)
        rows.append(
            (
                case.name,
                case.regime,
                case.epsilon,
                case.before,
                n,
                least,
                round(case.before / least, 2),
                round(n / least, 2),
                *at_n,
                worst,
            )
        )
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    header = (
        "class",
        "labels",
        "ε",
        "before",
        "certified n",
        "needed",
        "before : needed",
        "certified : needed",
        "failed",
        "99.9 % lower bound",
        "worst population",
    )
    return [Table(f"Certified n against the worst population found, α = {α}, β = {β}", header, rows)]
