"""Learners on populations that are known exactly: how often they fail, and from how many records on they do not.

A population is a finite list of atoms with masses and clean labels, so that a rule's true error is a sum; a sample of n
records is one multinomial draw. Coins of the releases come from the operating system; samples from a numpy generator.

Main declarations
    Population    atoms, masses, labels
    learned       rules learned from fresh samples of a population
    errors        their true errors
    smallest_n    the least n from which on the SHARE of fits succeeds on every population
    lower, upper  what the rate of failures is at least, and at most
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv

from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.ledger import Ledger, Sealed

SHARE = 0.95
LOOKS = (150, 300, 500)  # after so many fits, fewer may be enough


@dataclass(frozen=True, eq=False)
class Population:
    """``masses`` (which sum to 1) at ``values``, with clean ``labels``."""

    name: str
    values: Any
    labels: np.ndarray
    masses: np.ndarray

    @classmethod
    def of(cls, name: str, values: Any, labels: Sequence[Any], masses: Sequence[float]) -> Population:
        weights = np.asarray(masses, dtype=float)
        return cls(name, values, np.asarray(labels, dtype=bool), weights / weights.sum())

    def error(self, rule: Hypothesis) -> float:
        """The probability that ``rule`` and the clean label differ."""
        return float(self.masses[rule(self.values) != self.labels].sum())


def learned(
    learner: PrivateClassifier, population: Population, n: int, runs: int, *, rng: Any, noise: float | np.ndarray = 0.0
) -> Iterator[Hypothesis]:
    """Rules from ``runs`` fresh samples of n records; ``noise`` is how often labels are flipped, also by atom."""
    points, fit = learner.concept_class.domain.points(population.values), learner.fitting(n)
    k = len(points)
    twice = np.concatenate([np.arange(k), np.arange(k)])
    labels = np.concatenate([population.labels, ~population.labels])
    for _ in range(runs):
        drawn = rng.multinomial(n, population.masses)
        flipped = rng.binomial(drawn, noise)
        counts = np.concatenate([drawn - flipped, flipped])
        some = counts > 0
        sample = Sample(points[twice[some]], labels[some], counts[some], n)
        rule = fit.run(Sealed(sample, n), Ledger(fit.cost).spend).rule
        yield rule


def errors(
    learner: PrivateClassifier, population: Population, n: int, runs: int, *, rng: Any, noise: float = 0.0
) -> np.ndarray:
    """The true errors (against clean labels) of rules from fresh samples."""
    return np.array([population.error(rule) for rule in learned(learner, population, n, runs, rng=rng, noise=noise)])


def smallest_n(
    learner: PrivateClassifier, populations: Sequence[Population], alpha: float, runs: int, *, rng: Any, start: int = 1
) -> tuple[int, str]:
    """The least n from ``start`` on, within 1 %, at which SHARE of fits err by at most α, and on whom it is needed.

    Each population is searched from the n that the ones before it needed. Fewer than ``runs`` fits are enough where
    they show at 99.9 % that more than the SHARE succeeds.
    """
    needed, name = start, "–"

    def succeeds(population: Population, n: int) -> bool:
        failed = 0
        for tried, rule in enumerate(learned(learner, population, n, runs, rng=rng), 1):
            failed += population.error(rule) > alpha
            if failed > (1 - SHARE) * runs:
                return False
            if tried in LOOKS and upper(failed, tried) <= 1 - SHARE:
                return True
        return True

    for population in populations:
        if succeeds(population, needed):
            continue
        low, high = needed, 2 * needed
        while not succeeds(population, high):
            low, high = high, 2 * high
        while high - low > max(1, high // 100):
            middle = (low + high) // 2
            low, high = (low, middle) if succeeds(population, middle) else (middle, high)
        needed, name = high, population.name
    return needed, name


def lower(failures: int, runs: int) -> float:
    """The one-sided Clopper–Pearson lower bound at 99.9 %."""
    return float(betaincinv(failures, runs - failures + 1, 1e-3)) if failures else 0.0


def upper(failures: int, runs: int) -> float:
    """The upper bound."""
    return float(betaincinv(failures + 1, runs - failures, 1 - 1e-3)) if failures < runs else 1.0
