"""Agnostic learning and compositions by relabeling, as in [ABMS20], beside the exponential mechanism over all rules.

The smallest n at which at least 95 % of fits err by at most α = 0.1 more than the best rule, for labels with noise.
Predicted: the exponential mechanism takes the fewest records wherever it can run, relabeling some ten times as many at
ε = 1 or less because its price exceeds 2·ln 2 and has to be brought down by subsampling, and the printed price several
times that. On points with 2^64 values, the exponential mechanism takes records in proportion to the bits, relabeling
around a stability-based learner the same for every domain. The bar: that order, and no measured n above a proved N.

An algorithm that keeps m of n independent records is as good as one that gets m records. So m is measured, and n is m
divided by the rate.

Main declarations
    Noisy      a population with noise, and the excess error of a rule
    least      the smallest number of records that is enough
    tables     the figures
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from time import process_time
from typing import Any

import numpy as np
from measure import Table

import privpac as pp
from privpac.classes.compositions.rules import Composed
from privpac.classes.finite.boolean_functions import Gate
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant
from privpac.exact.entropy import SYSTEM
from privpac.papers.abms20 import ClosureLearn, Library, PrivateAgnostic, RelabelAndLearn, SmallEpsilon
from privpac.papers.abms20.editions import base_learner
from privpac.papers.abms20.relabeling import Algorithm3Output
from privpac.papers.bbkn14 import IntervalExponential, PrivateOccam
from privpac.papers.edition import Goal
from privpac.papers.paper_learner import PaperLearner

α, SHARE, NOISE = 0.1, 0.95, 0.1
T = 2**16
CUTS = pp.Thresholds(1, T, direction="below")
EPSILONS = (0.5, 1.0, 3.0)
GOAL = (Fraction(1, 100), Fraction(1, 1000))  # of base learners; it does not change what they do


@dataclass(frozen=True)
class Noisy:
    """Draws labeled points; ``excess`` is the error of a rule above that of the best one."""

    draw: Callable[[Any, int], tuple[list[Any], np.ndarray]]
    excess: Callable[[Any], float]

    def examples(self, rng: Any, n: int) -> tuple[tuple[Any, bool], ...]:
        x, y = self.draw(rng, n)
        return tuple(zip(x, (y ^ (rng.random(n) < NOISE)).tolist(), strict=True))


def ask(mechanism: Any, seen: Any) -> Any:
    """A release; examples that are drawn here need no second check."""
    if isinstance(mechanism, PaperLearner):
        return mechanism.run(seen, ask)
    return mechanism.release(mechanism.check(seen), SYSTEM)


def least(learner: PaperLearner, population: Noisy, runs: int, rng: Any, start: int = 16) -> int:
    """The smallest m, within 2 %, at which the SHARE of runs has an excess of at most α."""

    def enough(m: int) -> bool:
        failed = 0
        for _ in range(runs):
            found = learner.run(population.examples(rng, m), ask)
            failed += population.excess(found.f if isinstance(found, Algorithm3Output) else found) > α
            if failed > (1 - SHARE) * runs:
                return False
        return True

    low, high = start - 1, start
    while not enough(high):
        low, high = high, 2 * high
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def at(learner: PaperLearner, m: int, epsilon: float) -> float:
    """How many records m of them are kept from, so that ε is spent; ∞ if ε is spent on less."""
    ε = float(learner.cost.epsilon)
    return m / float(SmallEpsilon(learner, epsilon).rate) if epsilon < ε * (1 - 1e-12) else m


def uniform_cuts() -> Noisy:
    """Uniform on 1 … T; label 1 below the middle."""
    best = T // 2

    def excess(rule: Any) -> float:
        cut = int(rule(np.arange(1, T + 1)).sum())
        return (1 - 2 * NOISE) * abs(cut - best) / T

    def draw(rng: Any, n: int) -> tuple[list[int], np.ndarray]:
        x = rng.integers(1, T + 1, n)
        return x.tolist(), x <= best

    return Noisy(draw, excess)


def thresholds(runs: int, rng: Any) -> Table:
    """Direct, relabeled, and as printed, each at the division of ε that was best of those tried."""
    population, rows = uniform_cuts(), []

    def base(ε: float) -> IntervalExponential:
        return IntervalExponential(T, pp.Budget(ε), *GOAL)

    direct = {ε: least(base(ε), population, runs, rng) for ε in EPSILONS}
    divisions = [(0.5, 0.5), (0.5, 1), (1, 0.5), (1, 1), (1, 2), (2, 2)]
    relabeled = {
        each: least(RelabelAndLearn(base(each[0]), CUTS, relabel_epsilon=each[1]), population, runs, rng)
        for each in divisions
    }
    fourth = least(PrivateAgnostic(base(1), CUTS, α, 0.05), population, max(runs // 2, 20), rng, 400)
    for ε in EPSILONS:
        choices = {
            (a, r): at(learner, m, ε)
            for (a, r), m in relabeled.items()
            for learner in [RelabelAndLearn(base(a), CUTS, relabel_epsilon=r)]
            if float(learner.cost.epsilon) >= ε or (a, r) == (0.5, 0.5)
        }
        best = min(choices, key=lambda each: choices[each])
        tight, printed = (
            at(PrivateAgnostic(base(1), CUTS, α, 0.05, which), fourth, ε) for which in ("tight", "printed")
        )
        rows.append((ε, direct[ε], ceil(choices[best]), f"{best[0]} + {best[1]}", ceil(tight), ceil(printed)))
    header = ("ε", "exponential mechanism", "relabeled, then it", "ε_A + ε_R", "Alg. 4, tight price", "printed price")
    return Table(f"Thresholds on 2^16 values, smallest n, {runs} fits each", header, rows, "Alg. 4 with ε_A = ε_R = 1.")


def cells(k: int) -> np.ndarray:
    """All 16^k cells of k columns, one in each row; a cell is named by its row."""
    return np.array(list(product(range(16), repeat=k)))


GATES: dict[str, tuple[int, Callable[..., bool]]] = {
    "and₂": (2, lambda a, b: a and b),
    "xor₂": (2, lambda a, b: a != b),
    "and₃": (3, lambda a, b, c: a and b and c),
    "majority₃": (3, lambda a, b, c: a + b + c > 1),
    "if-then-else": (3, lambda a, b, c: b if a else c),
}


def closure(runs: int, rng: Any) -> Table:
    """ClosureLearn at ε = 1, by subsampling, beside the exponential mechanism over all compositions."""
    rows = []
    for name, (k, G) in GATES.items():
        columns = cells(k)
        parts = [ExplicitClass(columns[:, j] >= np.arange(17)[:, None]) for j in range(k)]
        whole = parts[0].compose(G, *parts[1:])
        target = np.array([G(*(x >= 6 + 2 * j for j, x in enumerate(p))) for p in columns.tolist()], dtype=bool)
        population = uniform_cells(target)
        direct = least(PrivateOccam(whole, pp.Budget(1), *GOAL), population, runs, rng)
        found = {}
        for ε_A, ε_R, redraw in ((0.5, 0.5, False), (1, 1, False), (1, 1, True)):
            learners = [PrivateOccam(H, pp.Budget(ε_A), *GOAL) for H in parts]
            learner = ClosureLearn(G, learners, parts, α, 0.05, "tight", relabel_epsilon=ε_R, redraw=redraw)
            m = least(learner, population, max(runs // 2, 20), rng, 400 if redraw else 16 * k)
            found[ε_A, ε_R, redraw] = ceil(at(learner, m, 1.0))
        best = min((each for each in found if not each[2]), key=lambda each: found[each])
        rows.append(
            (name, direct, found[best], f"{found[best] / direct:.0f}×", f"{best[0]} + {best[1]}", found[1, 1, True])
        )
    header = ("G", "exponential mechanism", "Alg. 5, all of D", "times", "ε_A + ε_R", "Alg. 5, a ninth of D")
    title = f"Thresholds on 16 cells of each column, ε = 1, smallest n, {runs} fits (half as many of Alg. 5)"
    return Table(title, header, rows)


def uniform_cells(target: np.ndarray) -> Noisy:
    """Uniform on the cells, with labels that are composed."""

    def labels(rule: Any) -> np.ndarray:
        match rule:
            case Composed():
                return Gate(rule.name, rule.table)(*map(labels, rule.parts))
            case Constant():
                return np.full(len(target), rule.label)
        return np.array(rule.labels, dtype=bool)  # in the order of the cells

    def excess(rule: Any) -> float:
        return float((1 - 2 * NOISE) * (labels(rule) != target).mean())

    def draw(rng: Any, n: int) -> tuple[list[int], np.ndarray]:
        drawn = rng.integers(len(target), size=n)
        return drawn.tolist(), target[drawn]

    return Noisy(draw, excess)


def tables(quick: bool) -> list[Table]:
    """Four tables."""
    rng, runs = np.random.default_rng(), 20 if quick else 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [thresholds(runs, rng), closure(runs, rng), points_table(runs // 2, rng)]
    return [*found, at_own_n(runs // 2, rng)]


ABOVE = pp.Thresholds(0, T - 1, direction="above")
OWN: dict[str, tuple[Any, Callable[[np.ndarray], np.ndarray]]] = {  # a class on 2^16 values of each column, a target
    "cuts": (pp.Thresholds(0, T - 1, direction="either"), lambda x: x >= T // 2),
    "points": (pp.Points(T), lambda x: x == T // 2),
    "intervals": (pp.Intervals(0, T - 1), lambda x: (x >= T // 4) & (x <= T // 2)),
    "two cuts and": (pp.And(ABOVE.on(0), ABOVE.on(1)), lambda x: (x[:, 0] >= T // 2) & (x[:, 1] >= T // 4)),
    "two cuts or": (pp.Or(ABOVE.on(0), ABOVE.on(1)), lambda x: (x[:, 0] >= T // 2) | (x[:, 1] >= T // 4)),
}
EDGES = {  # values just at the end of the target and just beyond it, of which the first are thin
    "cuts": [T // 2 - 1, T // 2],
    "points": [T // 2, T // 2 + 1, 0],
    "intervals": [T // 4, T // 4 - 1, T // 2, T // 2 + 1],
    "two cuts and": [(T // 2, T // 4), (T // 2 - 1, T // 4), (T // 2, T // 4 - 1), (T - 1, T - 1)],
    "two cuts or": [(T // 2 - 1, T // 4 - 1), (T // 2, 0), (0, T // 4), (0, 0)],
}


def own_populations(name: str) -> dict[str, Callable[[Any, int], np.ndarray]]:
    """Draws of values: everywhere; at the edges, where a wrong rule misses just more than α; and of both kinds."""
    edges, thin = np.array(EDGES[name]), 1.05 * α / (1 - 2 * NOISE)
    masses = np.array([thin] + [(1 - thin) / (len(edges) - 1)] * (len(edges) - 1))

    def everywhere(rng: Any, n: int) -> np.ndarray:
        return rng.integers(0, T, (n, *edges.shape[1:]))

    def at_edges(rng: Any, n: int) -> np.ndarray:
        return edges[rng.choice(len(edges), n, p=masses)]

    def mixed(rng: Any, n: int) -> np.ndarray:
        x, some = everywhere(rng, n), rng.random(n) < 0.5
        x[some] = at_edges(rng, int(some.sum()))
        return x

    return {"everywhere": everywhere, "at the edges": at_edges, "both": mixed}


def at_own_n(runs: int, rng: Any) -> Table:
    """Algorithm 4 at the N that its theorem asks for: how often its excess is at most α, seconds, and memory."""
    rows = []
    for name, (kind, target) in OWN.items():
        inner, H = base_learner(kind, Goal(pp.Budget(1), Fraction(1, 20), Fraction(1, 100)))
        learner = PrivateAgnostic(inner, H, α, 0.05, "tight")
        for population, draw in own_populations(name).items():
            found = [own_run(learner, draw, target, rng) for _ in range(runs if population == "at the edges" else 5)]
            good, seconds = sum(excess <= α for excess, _ in found), max(taken for _, taken in found)
            rows.append(
                (name, learner.N, population, f"{good} of {len(found)}", seconds, own_memory(learner, draw, rng))
            )
    header = ("class", "N", "population", "good", "slowest run, CPU s", "peak MB")
    return Table("Algorithm 4 at its own N, 2^16 values in each column, 10 % noise, its exact price", header, rows)


def own_run(learner: PrivateAgnostic, draw: Any, target: Any, rng: Any) -> tuple[float, float]:
    """The excess of a run on N examples, and its CPU seconds."""
    x = draw(rng, learner.N)
    y = target(x) ^ (rng.random(learner.N) < NOISE)
    start = process_time()
    rule = learner.run(examples(x, y), ask)
    taken, fresh = process_time() - start, draw(rng, 100_000)
    return (1 - 2 * NOISE) * float((rule(values(fresh)) != target(fresh)).mean()), taken


def own_memory(learner: PrivateAgnostic, draw: Any, rng: Any) -> float:
    """The peak of the memory that a run takes beside its examples, in megabytes."""
    x = draw(rng, learner.N)
    made = examples(x, rng.random(len(x)) < 0.5)
    tracemalloc.start()
    learner.run(made, ask)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def values(x: np.ndarray) -> list[Any]:
    return list(map(tuple, x.tolist())) if x.ndim > 1 else x.tolist()


def examples(x: np.ndarray, y: np.ndarray) -> tuple[tuple[Any, bool], ...]:
    return tuple(zip(values(x), y.tolist(), strict=True))


def points_table(runs: int, rng: Any) -> Table:
    """Points of 2^64 values and of any values, one of them positive for 30 % of the records, with noise."""
    rows = []
    population = heavy_point(1000)
    for name, H in (("2^64", pp.Points(2**64)), ("2^256", pp.Points(2**256)), ("any", pp.Points())):
        for ε in EPSILONS:
            rows += [(name, ε, *row) for row in points_rows(H, ε, population, runs, rng)]
    header = ("values", "ε", "learner", "measured n")
    return Table(f"Points, 10 % noise, δ = 10⁻⁶, smallest n, {runs} fits each", header, rows)


def heavy_point(many: int) -> Noisy:
    """The point 7 has mass 0.3, and ``many`` others share the rest."""

    def excess(rule: Any) -> float:
        labels = rule([7, *range(100, 100 + many)])
        masses = np.array([0.3, *[0.7 / many] * many])
        return float((1 - 2 * NOISE) * masses[labels != np.array([True] + [False] * many)].sum())

    def draw(rng: Any, n: int) -> tuple[list[int], np.ndarray]:
        positive = rng.random(n) < 0.3
        return np.where(positive, 7, 100 + rng.integers(many, size=n)).tolist(), positive

    return Noisy(draw, excess)


def points_rows(H: Any, ε: float, population: Noisy, runs: int, rng: Any) -> list[tuple[str, int]]:
    """The library's learners of points with noisy labels, and those for clean labels after relabeling."""
    found, relabeled = [], []
    for method in ("PointLearner", "ProperPointLearner", "BucketLearner"):
        try:
            clf = pp.PrivateClassifier(H, epsilon=ε, delta=1e-6, method=method)
            found.append((method, least(Library(clf.fitting(1000).learner), population, runs, rng)))
        except ValueError:
            continue
    for ε_A, ε_R in ((1, 1), (1, 2), (2, 2)):
        clf = pp.PrivateClassifier(H, epsilon=ε_A, delta=1e-6, regime="realizable", method="PointLearner")
        learner = RelabelAndLearn(Library(clf.fitting(1000).learner), H, relabel_epsilon=ε_R)
        n = ceil(at(learner, least(learner, population, runs, rng), ε))
        relabeled.append((n, f"relabeled, PointLearner, {ε_A} + {ε_R}"))
    best, name = min(relabeled)
    return [*found, (name, best)]
