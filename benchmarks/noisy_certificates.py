"""Do certificates for noisy labels hold where their proofs are tight? Fits at the certified n, on fair coins.

Predicted: rates lie below β = 0.05, for a certificate adds up ways to fail that do not happen at once; a fraction of
the certified n is not enough.
The bar: over 2000 fits at the certified n, the 99.9 % one-sided lower confidence bound of the failure rate is at most
β.

A fit fails if its rule errs by more than α beyond the best one. Labels are as noisy as the proofs allow: a thin mass,
just more than α, tells the best rule from the others, and all other labels are fair coins; of the listed rules, all but
the best one err by just more than α. The worst population is found by a twentieth as many fits on each, which are not
counted. The last two columns show how hostile the populations are; those of intervals are hardly so.

Main declarations
    Noisy     a population with a noise rate for each atom
    CASES     learners, classes, populations
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import Table
from populations import THIN
from simulate import Population, learned, lower

import privpac as pp
from privpac.learners.algorithm import Learner
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner
from privpac.learners.lines.intervals import IntervalLearner
from privpac.learners.lines.thresholds import PureThresholdLearner, ThresholdLearner

α, β = 0.1, 0.05
SHARE = 4  # of the certified n, for comparison


@dataclass(frozen=True)
class Noisy:
    """A population, and the probability that the label of each atom is flipped."""

    population: Population
    noise: np.ndarray

    def failures(self, learner: PrivateClassifier, n: int, runs: int, rng: Any) -> int:
        """How many of these fits err by more than α beyond the clean labels, which are those of the best rule."""
        one = self.population
        excess = one.masses * (1 - 2 * self.noise)
        rules = learned(learner, one, n, runs, rng=rng, noise=self.noise)
        return sum(float(excess[rule(one.values) != one.labels].sum()) > α for rule in rules)


@dataclass(frozen=True)
class Case:
    """A learner of a class, and its populations."""

    name: str
    learner: type[Learner]
    concept_class: Any
    populations: list[Noisy]


def among_coins(name: str, thin: dict[int, bool], coins: list[int], labels: Callable[[np.ndarray], Any]) -> Noisy:
    """Atoms of just more than α without noise at some values, and fair coins, evenly, at the others."""
    values = np.array([*thin, *coins], dtype=np.uint64)
    masses = [THIN * α] * len(thin) + [(1 - len(thin) * THIN * α) / len(coins)] * len(coins)
    noise = np.array([0.0] * len(thin) + [0.5] * len(coins))
    return Noisy(Population.of(name, values, labels(values), masses), noise)


def cuts(bits: int) -> list[Noisy]:
    """A cut deep in the trie; a thin atom on one side of it, or on both, and fair coins beyond."""
    cut = int("01" * (bits // 2), 2) | 1
    scales = [2**j for j in range(1, bits - 2)]
    near = {cut: True, cut - 1: False}

    def above(values: np.ndarray) -> Any:
        return values >= np.uint64(cut)

    return [
        among_coins("one thin side", {cut: True}, [cut + s for s in scales], above),
        among_coins("two thin sides", near, [cut + side * s for s in scales for side in (-1, 1)], above),
        among_coins(
            "one thin side, coins even", {cut: True}, [cut + i * 2 ** (bits - 12) for i in range(1, 999)], above
        ),
    ]


def intervals(size: int) -> list[Noisy]:
    """One value, a thin atom, is the best interval; fair coins beside it, or everywhere."""
    c = size // 2
    even = [i for i in range(0, size, size // 512) if i != c]

    def there(values: np.ndarray) -> Any:
        return values == np.uint64(c)

    return [
        among_coins("a thin atom between two coins", {c: True}, [c - 1, c + 1], there),
        among_coins("a thin atom, even coins", {c: True}, even, there),
    ]


def random_rules(count: int, points: int) -> tuple[Any, list[Noisy]]:
    """Random rules, and labels so noisy that all but one of them err by just more than α beyond that one."""
    rows = np.random.default_rng(8).integers(0, 2, (count, points))
    apart = (rows[1:] != rows[0]).mean(axis=1).min()
    population = Population.of("all others just beyond α", np.arange(points), rows[0], np.ones(points))
    noise = np.full(points, (1 - THIN * α / float(apart)) / 2)
    return pp.ExplicitClass(rows, points=list(range(points))), [Noisy(population, noise)]


RANDOM, POPULATIONS = random_rules(300, 4096)
CASES = [
    Case("thresholds 2^64", ThresholdLearner, pp.Thresholds(0, 2**64 - 1, direction="above"), cuts(64)),
    Case("thresholds 2^16", PureThresholdLearner, pp.Thresholds(0, 2**16 - 1, direction="above"), cuts(16)),
    Case("intervals 2^16", IntervalLearner, pp.Intervals(0, 2**16 - 1), intervals(2**16)),
    Case("300 random rules", FiniteLearner, RANDOM, POPULATIONS),
]


def tables(quick: bool) -> list[Table]:
    """One row for each learner."""
    rng, rows, fits = np.random.default_rng(), [], 100 if quick else 2000
    for case in CASES:
        learner = PrivateClassifier(case.concept_class, method=case.learner.__name__, epsilon=1, alpha=α, beta=β)
        n = learner.certified_n()
        few = -(-fits // 20)
        worst = max(case.populations, key=lambda each: each.failures(learner, n // SHARE, few, rng))
        failed, less = worst.failures(learner, n, fits, rng), worst.failures(learner, n // SHARE, 5 * few, rng)
        name, at_n = case.learner.__name__, (n, fits, failed / fits, lower(failed, fits))
        rows.append((case.name, name, *at_n, worst.population.name, n // SHARE, less / (5 * few)))
    header = (
        "class",
        "learner",
        "certified n",
        "fits",
        "failed",
        "99.9 % lower bound",
        "worst population",
        "with",
        "failed",
    )
    return [Table(f"Failure rate at the certified n for α = {α}, ε = 1, noisy labels: at most {β}", header, rows)]
