"""Do certificates hold if errors have weights? Fits at the certified n, on hostile populations.

Predicted: rates lie well below β = 0.05. A weighted certificate holds for every loss between 0 and 1 per record, and
rests on weaker inequalities than an unweighted one.
The bar: in 200 fits on each of the five worst populations, for every class and every ratio of weights, at most a share
β fails; where chance alone may exceed it, the 99.9 % one-sided lower confidence bound is at most β. The section takes
at most 15 minutes.

A fit fails if its rule costs more than α·C beyond the best rule, C the largest weight. The atoms of a population keep
their labels, or all atoms but the thin ones are indifferent: both labels cost the same there, so that labels are as
noisy as the proofs allow; or all atoms are noisy, and the thin ones are larger; or two values compete for one rule. The
five worst populations are found by 20 fits at an eighth of the certified n, and the last column shows how often the
worst of them fails there. Trees with private cuts need many records, and take a larger α.

With weights of 1 : C and α·C ≥ 1, always answering the label that weighs C is within α·C of the best rule. So the
second table takes a smaller α. Nearly all the mass is at one heavy atom of that label, which is just more than α·C
cheaper there, and a few pins beside it keep all rules but a few from labeling all of them rightly (as in
``hostile_certificates``). Needed: the fewest records with which at most a share β of the fits fails, by bisection,
within some 10 %. The ratio has no bar: with unequal weights one of the two constants costs at most C/(C + 1), and so
does the best rule. The certificates use this where both constants are among the rules that they compare with, but take
costs to be all or nothing, while the best rule here errs on records with the smaller weight alone.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import rule_populations as thin
from certificates import CASES, Case
from hostile_certificates import BEYOND, PLANES, SLIVER, THREE, needed
from hostile_certificates import TREES as CUBE
from measure import Table, in_processes
from simulate import Population, learned, lower

import privpac as pp
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.trees import DecisionTreeLearner

β = 0.05
RATIOS = ((1, 1), (1, 10), (1, 100))
HEAVY = 1.5  # times α: the mass from which on an atom is not thin
SHORT = [pp.Thresholds(0, 15).on(name) for name in "ab"]
LONG = (pp.Thresholds(0, 2**16).on("a"), SHORT[1])
TREES = (
    Case("trees of depth 1", DecisionTreeLearner, pp.Trees(*SHORT, depth=1), partial(thin.stumps, 16)),
    Case("trees of depth 2", DecisionTreeLearner, pp.Trees(*SHORT, depth=2), partial(thin.rules, 16)),
    Case("trees of depth 1, 2^16 values", PrivateCutTrees, pp.Trees(*LONG, depth=1), partial(thin.stumps, 16)),
)
WIDEST = "half-planes in 1000 × 1000"  # with weights, nothing is certified for it: the learner looks at a part
NOISY = (0.5, 0.3)  # shares that all atoms keep, in populations whose thin atoms weigh as much more
FITS, TRIED, WORST = 200, 20, 5


@dataclass(frozen=True)
class Costly:
    """A population, the probability that the label of each atom is flipped, and what a wrong label costs there."""

    name: str
    population: Population
    noise: np.ndarray
    advantage: np.ndarray  # of the clean label, per record of the atom

    @staticmethod
    def of(population: Population, weights: tuple[int, int], share: float, lightest: float) -> Costly:
        """Atoms above a mass keep this ``share`` of the advantage of their label."""
        own = np.where(population.labels, weights[1], weights[0])
        other = np.where(population.labels, weights[0], weights[1])
        kept = np.where(population.masses > lightest, share, 1.0)
        advantage = kept * own  # own·(1 − ν) − other·ν
        return Costly(f"{population.name}, {share:.0%}", population, (own - advantage) / (own + other), advantage)

    @staticmethod
    def rivals(concept_class: Any, weights: tuple[int, int], α: float) -> list[Costly]:
        """For single values: all labels are 1, at two values, of which the best rule has just more than the other."""
        if not isinstance(concept_class, pp.Points):
            return []
        masses = [(1 + 1.05 * α) / 2, (1 - 1.05 * α) / 2]
        two = Population.of("two rivals", np.array([3, 5]), [True, False], masses)
        b = float(weights[1])
        return [Costly("two rivals", two, np.array([0.0, 1.0]), np.array([b, -b]))]

    def failures(self, learner: PrivateClassifier, n: int, runs: int, bound: float, rng: Any) -> int:
        """How many of these fits cost more than ``bound`` beyond the best rule."""
        one = self.population
        excess = one.masses * self.advantage
        rules = learned(learner, one, n, runs, rng=rng, noise=self.noise)
        return sum(float(excess[rule(one.values) != one.labels].sum()) > bound for rule in rules)


def hostile(case: Case, weights: tuple[int, int], α: float) -> list[Costly]:
    """All populations that are tried."""
    found = [Costly.of(each, weights, share, HEAVY * α) for each in case.populations(α) for share in (0, 0.3, 1)]
    larger = [(s, each) for s in NOISY for each in case.populations(α / s) if (each.masses >= 0).all()]
    found += [Costly.of(each, weights, s, 0) for s, each in larger]
    return found + Costly.rivals(case.concept_class, weights, α)


HEAVIEST = (((1, 1), 0.1), ((1, 10), 0.05))  # weights and α


@dataclass(frozen=True)
class Pinned:
    """A class, places, the labels of the best rule there, the heavy place, which has label 1, and shares of pins."""

    name: str
    learner: str
    concept_class: Any
    places: Any
    labels: tuple[int, ...]
    heavy: int
    weights: tuple[tuple[tuple[int, int], float], ...] = HEAVIEST
    pins: tuple[float, ...] = (0.05, 0.08, 0.12, 0.3, 0.5)

    def populations(self, weights: tuple[int, int], α: float) -> list[Costly]:
        """One for each share of pins, which keep their labels."""
        own, other = (np.where(self.labels, a, b) for a, b in (weights[::-1], weights))
        found = []
        for share in self.pins:
            masses = np.full(len(self.labels), share / (len(self.labels) - 1))
            masses[self.heavy] = 1 - share
            advantage = own.astype(float)
            advantage[self.heavy] = BEYOND * α * max(weights) / (1 - share)
            population = Population.of(f"pins of {share:.0%}", self.places, self.labels, masses)
            found.append(Costly(population.name, population, (own - advantage) / (own + other), advantage))
        return found


@dataclass(frozen=True)
class Bounded:
    """A population whose fits fail beyond this cost."""

    costly: Costly
    bound: float

    def failures(self, learner: PrivateClassifier, n: int, runs: int, rng: Any) -> int:
        """How many of these fits fail."""
        return self.costly.failures(learner, n, runs, self.bound, rng)


CORNER = np.array([(7, 7), (6, 7), (7, 6), (0, 0)])
PINNED = (
    Pinned("half-planes in 64 × 64", "HalfPlaneLearner", PLANES, SLIVER, (0, 1, 0), 1),
    Pinned("trees of depth 2, 3 × 16 values", "DecisionTreeLearner", CUBE, THREE, (1, 0, 1, 0, 0, 0), 0),
    Pinned(
        "half-planes in 8 × 8", "NetLearner", pp.HalfSpaces(2, 8), CORNER, (1, 0, 0, 0), 0, HEAVIEST[1:]
    ),  # its fits are slow
)


def tables(quick: bool) -> list[Table]:
    """Both of them."""
    return [at_certified(quick), at_fewest(quick)]


def at_fewest(quick: bool) -> Table:
    """One row for each class and ratio: the population that needs the most records."""
    fits = TRIED if quick else FITS
    tasks = [(i, j, fits) for i, case in enumerate(PINNED) for j in range(len(case.weights))]
    header = (
        "class",
        "learner",
        "α",
        "weights",
        "certified n",
        "needed",
        "certified : needed",
        "failed",
        "99.9 % lower bound",
        "worst population",
    )
    title = "Certified n against the worst population found, ε = 1, with weights"
    return Table(title, header, in_processes(fewest, tasks))


def fewest(i: int, j: int, fits: int) -> tuple[Any, ...]:
    """The row of a class of PINNED and one of its ratios."""
    case, rng = PINNED[i], np.random.default_rng()
    weights, α = case.weights[j]
    given = {"alpha": α, "beta": β, "class_weight": weights}
    learner = PrivateClassifier(case.concept_class, method=case.learner, **given)
    n, some = learner.certified_n(), case.populations(weights, α)
    found = [Bounded(each, α * max(weights)) for each in some]
    found.sort(key=lambda one: -needed(learner, one, n, fits // 4, rng))
    failed = max(one.failures(learner, n, fits, rng) for one in found)
    least = needed(learner, found[0], n, fits, rng)
    public = case.name, case.learner, α, f"{weights[0]} : {weights[1]}", n
    row = (*public, least, round(n / least, 2), failed / fits, lower(failed, fits), found[0].costly.name)
    print(*row, sep="  ", file=sys.stderr, flush=True)
    return row


ALL_CASES = (*(each for each in CASES if each.name != WIDEST), *TREES)


def at_certified(quick: bool) -> Table:
    """One row for each class and ratio: the worst of the five populations."""
    fits, number = TRIED if quick else FITS, len(RATIOS)
    found = in_processes(worst, [(i, j, fits) for i in range(len(ALL_CASES)) for j in range(number)])
    rows = []
    for k, (public, n, rest) in enumerate(found):
        equal = found[k - k % number][1]  # the first ratio is 1 : 1
        rows.append((*public, n, round(n / equal, 2), *rest))
    header = (
        "class",
        "learner",
        "α",
        "weights",
        "certified n",
        "of 1 : 1",
        "failed",
        "99.9 % lower bound",
        "worst population",
        "failed with n/8",
    )
    return Table(f"Failure rate at the certified n for ε = 1, with weights: at most {β}", header, rows)


def worst(i: int, j: int, fits: int) -> tuple[tuple[Any, ...], int, tuple[Any, ...]]:
    """What is public about a case and a ratio, the certified n, and how often fits fail on the worst population."""
    case, weights, rng = ALL_CASES[i], RATIOS[j], np.random.default_rng()
    α = 0.4 if case.learner is PrivateCutTrees else 0.2
    given = {"alpha": α, "beta": β, "class_weight": weights}
    learner = PrivateClassifier(case.concept_class, method=case.learner.__name__, **given)
    n, bound, some = learner.certified_n(), α * max(weights), hostile(case, weights, α)
    tried = [(each.failures(learner, -(-n // 8), TRIED, bound, rng), k) for k, each in enumerate(some)]
    five = [some[k] for _, k in sorted(tried, reverse=True)[:WORST]]
    failed, name = max((each.failures(learner, n, fits, bound, rng), each.name) for each in five)
    public = (case.name, case.learner.__name__, α, f"{weights[0]} : {weights[1]}")
    rest = (failed / fits, lower(failed, fits), name, max(tried)[0] / TRIED)
    print(*public, n, *rest, sep="  ", file=sys.stderr, flush=True)
    return public, n, rest


if __name__ == "__main__":
    for each in tables("--quick" in sys.argv):
        print(each)
