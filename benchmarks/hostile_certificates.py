"""How many records do learners need, on the worst population found, and how many are certified?

Predicted: certificates add up ways to fail that do not happen at once, so that they ask for more than any population
needs.
The bar: for every class, at most twice as many with noisy labels, and at most 1.3 times as many with realizable ones.
Over 200 fits on each of the five worst populations at the certified n, at most a share β = 0.05 fails; where chance
alone may exceed it, the 99.9 % one-sided lower confidence bound is at most β.

The populations are few atoms, whose masses and labels were found by a search that maximizes the probability of a
bad rule, computed from the weights of all rules. Nearly all the mass is at one or two heavy atoms, whose labels are
nearly fair coins: one has more by just over α than the other. A few pins beside them, with one label each, keep all
rules but a few from labeling them that way. Then nearly all records decide between two labels, as in the proofs. With
realizable labels the heavy atom is a thin one, of just over α. Cuts of a line have a thin atom at each of many scales
around the best cut, and a far one on each side, within whose ancestors almost all middles are bad. Sets lose just more
than α if they lose so many of their five values. The records needed are the fewest with which at most a share β of the
fits fails, by bisection, within some 3 %, from 4000 fits at each step, or fewer if these show it at 99.9 %. "Before" is
what was certified before Lemmas 8 and 9 of the page *certificates*, and for sets before Theorem 4 of *set learner*.

Main declarations
    Hostile    a class, a regime, and its populations
    CASES      all of them
    tables     the figures
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import Table, in_processes
from noisy_certificates import POPULATIONS as RANDOM_RULES
from noisy_certificates import RANDOM, Noisy
from populations import explicit, listed
from simulate import Population, lower, upper

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


def noisy(name: str, values: Any, labels: Sequence[int], advantages: Sequence[float], masses: Sequence[float]) -> Noisy:
    """The best rule has these labels, which may be wrong more often than right at an atom."""
    share, signs = np.array(masses) / sum(masses), 2 * np.array(labels) - 1
    return Noisy(Population.of(name, values, labels, share), (1 - signs * np.array(advantages)) / 2)


def ladder(scales: range) -> Noisy:
    """Around the middle of 2^64 values, thin sides of just more than α each, spread evenly over distances 2^j."""
    cut, side = int("01" * 32, 2) | 1, BEYOND * α
    masses = {0: 0.5 - side, 2**64 - 1: 0.5 - side}
    for j in scales:
        masses |= {cut + 2**j - 1: side / len(scales), cut - 2**j: side / len(scales)}
    values = np.array(sorted(masses), dtype=np.uint64)
    signs = np.where(values >= np.uint64(cut), 1.0, -1.0)
    return atoms(f"distances 2^{scales[0]} to 2^{scales[-1]}", values, signs, [masses[int(v)] for v in values])


def parts(k: int) -> list[Noisy]:
    """All of ``lost`` in which the values fit in the population."""
    tried = [(many, share) for many in range(1, k + 1) for share in (BEYOND * α * k / many, *FAIR, 1)]
    return [lost(k, many, share) for many, share in tried if k * BEYOND * α <= many * share * (1 + 1e-9)]


def lost(k: int, many: int, share: float) -> Noisy:
    """``k`` positive values, of which so many are worth just more than α; label 1 is this much more probable."""
    worth = BEYOND * α / many
    rest = max(1 - k * worth / share, 0)
    values = [f"value {i}" for i in range(k + 1)]
    return atoms(
        f"{many} of {k} lost, labels off by {share:.2g}", values, [share] * k + [-1], [worth / share] * k + [rest]
    )


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
FAIR = (0.3, 0.6)  # shares of the labels of a value


LINE = np.array([(0, 0), (0, 1), (2, 1), (4, 2), (61, 31), (63, 32), (63, 59), (57, 63), (60, 60)])
ALONG = noisy(
    "nearly a line",
    LINE,
    (0, 0, 0, 1, 0, 1, 0, 0, 0),
    (-0.06399, 0.98668, -0.15284, 0.87528, -0.9794, 0.49747, -1, -1, -0.66535),
    (0.51504, 0.01527, 0.28499, 0.05143, 0.03981, 0.07771, 0.01253, 0.00211, 0.00111),
)
CORNERS = columns([(8, 3, 3), (7, 3, 3), (7, 4, 5), (8, 4, 7), (7, 4, 3), (8, 4, 3), (8, 3, 2), (6, 3, 4)])
AROUND = noisy(
    "around a corner",
    CORNERS,
    (1, 1, 1, 0, 1, 0, 0, 1),
    (0.1152, -0.68081, 0.95621, -1.0, 0.96423, -1.0, -1.0, -0.99673),
    (0.87068, 0.02411, 0.00842, 0.00826, 0.00983, 0.03484, 0.04256, 0.00131),
)
THREE = columns([(7, 4, 3), (7, 3, 3), (8, 3, 4), (8, 3, 3), (7, 3, 4), (8, 4, 3)])
THREE_TESTS = atoms("three tests", THREE, (1, -1, 1, -1, -1, -1), (0.0501, 0.25, 0.0501, 0.25, 0.2, 0.1998))
CROSSED = atoms(
    "a cross", CROSS, (-0.25348, 0.31335, 0.43721, -0.64362, -0.0765), (0.08403, 0.16555, 0.11054, 0.05286, 0.58703)
)
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
            [*along, *pinned(SLIVER, (0, 1, 0), 1, PINS)],
        )
        for ε, before, along in ((1, 1808, [ALONG]), (0.1, 5709, []))
    ),
    *(
        Hostile(
            "trees of depth 2, 3 × 16 values",
            "DecisionTreeLearner",
            TREES,
            "agnostic",
            ε,
            before,
            [worst, *pinned(CROSS, (0, 1, 1, 0, 0), 4, PINS[1:])],
        )
        for ε, before, worst in ((1, 1593, AROUND), (0.1, 5005, CROSSED))
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
            THREE_TESTS,
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
    Hostile(
        "thresholds 2^64",
        "ThresholdLearner",
        pp.Thresholds(0, 2**64 - 1, direction="above"),
        "realizable",
        1,
        470,
        [ladder(range(*each)) for each in ((0, 6), (0, 12), (0, 20), (0, 40), (20, 40))],
    ),
    Hostile("300 random rules", "FiniteLearner", RANDOM, "agnostic", 1, 879, RANDOM_RULES),
    Hostile("points, any text", "PointLearner", pp.Points(), "agnostic", 1, 1146, parts(1)),
    Hostile("sets of 5, any text", "SetLearner", pp.SparseSets(5), "agnostic", 1, 5130, parts(5)),
]


def needed(learner: PrivateClassifier, one: Noisy, certified: int, runs: int, rng: Any) -> int:
    """About the fewest records with which at most a share β of the fits fails."""
    low, high = certified // 32, certified
    while high - low > certified // 100 + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails_rarely(learner, one, middle, runs, rng) else (middle, high)
    return high


def fails_rarely(learner: PrivateClassifier, one: Noisy, n: int, runs: int, rng: Any) -> bool:
    """Whether at most a share β of the fits fails; they are made in five parts, or fewer if these show it at 99.9 %."""
    failed = 0
    for part in range(1, 6):
        failed += one.failures(learner, n, runs // 5, rng)
        if failed > β * runs:
            return False
        if upper(failed, part * (runs // 5)) <= β:
            return True
    return True


def row(place: int, fits: int) -> tuple[Any, ...]:
    """Half as many fits find the worst five populations, twice as many the worst of the first two of these."""
    case, rng = CASES[place], np.random.default_rng()
    given = {"regime": case.regime, "epsilon": case.epsilon, "alpha": α, "beta": β}
    learner = PrivateClassifier(case.concept_class, method=case.method, **given)
    n = learner.certified_n()

    def records(runs: int) -> Callable[[Noisy], int]:
        return lambda one: needed(learner, one, n, runs, rng)

    found = sorted(case.populations, key=records(fits // 2), reverse=True)[:5]
    failed = max(one.failures(learner, n, fits, rng) for one in found)
    worst = max(found[:2], key=records(2 * fits))
    least = records(20 * fits)(worst)
    ratios = round(case.before / least, 2), round(n / least, 2)
    public = case.name, case.regime, case.epsilon, case.before, n
    shown = *public, least, *ratios, failed / fits, lower(failed, fits), worst.population.name
    print(*shown, sep="  ", file=sys.stderr, flush=True)
    return shown


def tables(quick: bool) -> list[Table]:
    """One row for each class, regime, and ε."""
    rows = in_processes(row, [(place, 20 if quick else 200) for place in range(len(CASES))])
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
