"""Classes of VC dimension 1 to learn, hostile populations on them, and how often a learner fails there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths
from privpac.classes.values.points import Points
from privpac.exact.entropy import SYSTEM
from privpac.papers.yan25 import tree_of
from privpac.papers.yan25.trees import NodeSample, relabeling, rule

LEVEL = 1e-6  # how often a bound on a success rate may be wrong

FORK = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")  # a is no concept, b and c below it are
COMB = ExplicitClass([[0, 0, 0, 0, 0], [1, 0, 0, 0, 1], [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]], points="abcde")


@dataclass(frozen=True, eq=False)
class Population:
    """A class, points with their labels by one of its concepts, and their masses."""

    name: str
    concept_class: Any
    points: list[Any]
    labels: list[bool]
    masses: list[float]

    def __repr__(self):
        return self.name

    def error(self, rule):
        wrong = rule(self.points) != np.array(self.labels, dtype=bool)
        return float(np.array(self.masses)[wrong].sum() / sum(self.masses))


def random_class(nodes, seed):
    """A random tree, not every path of which is a concept, relabeled by a random f."""
    rng = np.random.default_rng(seed)
    parents = [0, *(int(rng.integers(max(0, v - 4), v)) for v in range(1, nodes))]
    children = np.bincount(parents[1:], minlength=nodes)
    paths = [np.zeros(nodes - 1, dtype=bool)]
    for v in range(1, nodes):
        paths.append(paths[parents[v]].copy())
        paths[v][v - 1] = True
    proper = [v for v in range(nodes) if v == 0 or children[v] < 2 or rng.random() < 0.4]
    return ExplicitClass(np.array([paths[v] for v in proper]) ^ (rng.random(nodes - 1) < 0.5))


def explicit(nodes, seed, thin):
    """The deepest concept of a random class; just more than α at its end."""
    C = random_class(nodes, seed)
    T = tree_of(C)
    target = max((v for v in range(len(T.parents)) if T.is_proper(v)), key=T.depth)
    masses = np.random.default_rng(seed).dirichlet(np.ones(len(C.all_points))) * (1 - thin)
    masses[C.all_points.index(T.points(target)[0])] += thin
    labels = T.hypothesis(target)(C.all_points)
    return Population(f"explicit {seed}", C, list(C.all_points), labels.tolist(), masses.tolist())


def hostile(alpha):
    """Thresholds, points, prefixes and explicit classes: what is missed weighs a little more than α."""
    thin = 1.02 * alpha
    path = ["/".join("a" * (i + 1)) for i in range(8)]
    return [
        Population(
            "thresholds",
            Thresholds(0, 2**16 - 1, direction="above"),
            [0, 9999, 65535],
            [0, 1, 1],
            [0.4, thin, 0.6 - thin],
        ),
        Population("points", Points(2**16), [9, 1, 2, 3, 4, 5], [1, 0, 0, 0, 0, 0], [thin, *[(1 - thin) / 5] * 5]),
        Population(
            "prefixes", RootPaths("/", height=8), [*path, "b"], [1] * 8 + [0], [0.3, *[0] * 6, thin, 0.7 - thin]
        ),
        explicit(30, 1, thin),
        explicit(30, 2, thin),
    ]


def released(mechanism, seen):
    """What programs ask for, from the operating system's coins."""
    return mechanism.release(mechanism.check(seen), SYSTEM)


def success(learner, population, n, runs, seed):
    """A lower bound on the probability of an error of at most α, wrong with probability LEVEL."""
    rng, good = np.random.default_rng(seed), 0
    S = relabeling(learner.tree, learner.check(list(zip(population.points, population.labels, strict=True))))
    for _ in range(runs):
        drawn = rng.multinomial(n, np.array(population.masses) / sum(population.masses))
        node = learner.node(NodeSample(S.distinct, np.repeat(S.index, drawn)), released)
        good += population.error(rule(learner.tree, node)) <= float(learner.alpha)
    return float(betaincinv(good, runs - good + 1, LEVEL)) if good else 0.0
