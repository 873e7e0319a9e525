"""Noisy labels: errors against the clean labels, and never much worse than the best constant.

ε = 1, δ = 1e-6, default regime. Predicted: flipped labels cost a learner of thresholds or paths a few records around
the boundary, so that the clean error is of the order 1/(εn), whatever the population.
The bar at 10 % label noise, clean error mean / 95th percentile on the worst population: thresholds on 64 bits
≤ .005 / .015 at n = 2000, root paths of 32 steps ≤ .002 / .01 at n = 4000, points over text 0 at n = 500 (20 %
positives). At 30 % noise and on one-class data nothing fails to run; in at most β = 0.05 of the fits the error exceeds
that of the best constant, and on one-class data that of the best rule of the class, by more than the certified α.

Main declarations
    CASES     class, populations, n, bars
    floor     what no private learner of paths goes below on all populations
    floor_of  the same for one population
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import populations
from measure import Table
from scipy.stats import binom
from simulate import Population, errors

import privpac as pp
from privpac.learners.algorithm import Learner
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.tree_orders.learners import PathLearner
from privpac.learners.values.points import PointLearner

LOST = """Against the prediction, error does not only come from flipped labels: where records become fewer toward the
end of a path, what lies beyond the last node that enough records bear is lost.
No private learner meets the bar for paths on all populations: on some, each errs by {:.4f} on average (tree learner,
Theorem 5). Floor: what no private learner goes below if it does not know the names on the path (tree learner,
Theorem 6), to five decimals."""


@dataclass(frozen=True)
class Case:
    """A learner, its populations, how many records, and the bars for mean and 95th percentile."""

    name: str
    learner: type[Learner]
    concept_class: Any
    populations: Callable[[], list[Population]]
    n: int
    bars: tuple[float, float]


def fifth_positive() -> list[Population]:
    """A fifth of the records have the one positive name."""
    names = [f"name {i}" for i in range(801)]
    return [
        Population.of("800 other names", names, [i == 0 for i in range(801)], [0.2, *[0.001] * 800]),
        Population.of("four other names", names[:5], [i == 0 for i in range(5)], [0.2] * 5),
    ]


CASES = [
    Case("thresholds 2^64", ThresholdLearner, pp.Thresholds(0, 2**64 - 1, direction="above"),
         lambda: populations.thresholds(64, 0.1), 2000, (0.005, 0.015)),
    Case("root paths, 32 steps", PathLearner, pp.RootPaths("/", height=32),
         lambda: populations.root_paths(32, 0.1), 4000, (0.002, 0.01)),
    Case("points, any text", PointLearner, pp.Points(), fifth_positive, 500, (0.0, 0.0)),
]  # fmt: skip


def tables(quick: bool) -> list[Table]:
    """At 10 % noise against the bars; then 30 % noise and one class against the best constant."""
    rng, runs = np.random.default_rng(), 20 if quick else 1000
    rows, constants = [], []
    for case in CASES:
        learner = PrivateClassifier(case.concept_class, method=case.learner.__name__, epsilon=1, delta=1e-6)
        α = learner.certified_alpha(case.n)
        for each in case.populations():
            found = errors(learner, each, case.n, runs, rng=rng, noise=0.1)
            mean, tail = found.mean(), np.quantile(found, 0.95)
            met = "yes" if mean <= case.bars[0] and tail <= case.bars[1] else "no"
            least = round(floor_of(each, case.n), 5) if case.learner is PathLearner else ""
            rows.append((case.name, case.n, each.name, mean, tail, found.max(), *case.bars, met, least))
            best = min(float(each.masses[each.labels].sum()), float(each.masses[~each.labels].sum()))
            noisy = errors(learner, each, case.n, runs, rng=rng, noise=0.3)
            # with labels flipped at rate η an error of e against clean labels is η + (1 − 2η)·e against noisy ones
            beyond = float(np.mean(0.4 * (noisy - best) > α))
            alone = [most_excess(learner, one_class(each, label), case.n, runs // 10, rng) for label in (False, True)]
            constants.append((case.name, each.name, float(α), noisy.mean(), best, beyond, *alone))
    bars = ("class", "n", "population", "mean", "95 %", "most", "bar", "bar", "met", "floor")
    limits = ("class", "population", "certified α", "mean", "best constant", "beyond α", "all 0: most", "all 1: most")
    note = "Most: the largest excess over the best rule of the class."
    return [
        Table(f"Clean error at 10 % label noise, {runs} fits", bars, rows, LOST.format(floor(4000, 1.0, 1e-6))),
        Table(f"30 % noise, and one class only: clean error, {runs} and {runs // 10} fits", limits, constants, note),
    ]


def floor(n: int, ε: float, δ: float) -> float:
    """The largest p·E[(1 − δ(e^(Jε) − 1)/(e^ε − 1))₊], J ~ Bin(n, p)."""
    return max(p * missed(n, p, ε, δ) for p in np.linspace(0, 40 / n, 400))


def floor_of(population: Population, n: int, ε: float = 1.0, δ: float = 1e-6) -> float:
    """The sum of p_i·E[(1 − δ(e^(J_i·ε) − 1)/(e^ε − 1))₊] over the nodes of the path, J_i ~ Bin(n, m_i)."""
    names, total = [f"{name}/" for name in population.values], population.masses.sum()

    def below(node: str) -> float:
        return float(sum(mass for name, mass in zip(names, population.masses, strict=True) if name.startswith(node)))

    path = [(name, mass) for name, mass, one in zip(names, population.masses, population.labels, strict=True) if one]
    return float(sum(p / total * missed(n, below(name) / total, ε, δ) for name, p in path if p))


def missed(n: int, m: float, ε: float, δ: float) -> float:
    """E[(1 − δ(e^(Jε) − 1)/(e^ε − 1))₊], J ~ Bin(n, m): how often a node that J records bear is missed, at least."""
    J = np.arange(200)
    return float(binom.pmf(J, n, min(m, 1.0)) @ (1 - np.minimum(δ * np.expm1(J * ε) / np.expm1(ε), 1)))


def one_class(population: Population, label: bool) -> Population:
    """The same points, all with one label."""
    return replace(population, labels=np.full(len(population.labels), label))


def most_excess(learner: PrivateClassifier, population: Population, n: int, runs: int, rng: Any) -> float:
    """The largest error of a fit, beyond that of the best rule."""
    rules = learner.concept_class.representatives(population.values)
    return float(errors(learner, population, n, runs, rng=rng).max() - min(map(population.error, rules)))
