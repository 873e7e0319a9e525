"""Do certificates hold? The rate at which fits fail at the certified n, on the worst of hostile populations.

Predicted: certificates are unions over candidates and over ways to fail, so that rates lie well below β = 0.05, and
come close to it where one event decides.
The bar: for every learner, with clean labels and with noisy ones, the 99.9 % one-sided lower confidence bound of the
failure rate at the certified n is at most β. 400 fits are enough where the upper bound is at most β, too; others get
2000.

A fit fails if its rule errs on more than α of the clean labels. Noisy labels are flipped with probability 1/4, so that
an error of α is an excess of α/2 over the best rule of the class: this is what is certified in the agnostic regime. The
worst population is found by 100 fits on each, which are not counted.

Main declarations
    CASES     learners, classes, populations
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import populations as known
import rule_populations as thin
from measure import Table, in_processes
from simulate import Population, errors, lower, upper

import privpac as pp
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.learners.algorithm import Learner
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces.central_half_planes import ArcLearner
from privpac.learners.half_spaces.half_planes import HalfPlaneLearner
from privpac.learners.half_spaces.nets import NetLearner
from privpac.learners.lines.intervals import IntervalLearner
from privpac.learners.lines.stumps import StumpLearner
from privpac.learners.lines.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.rules.boxes import RectangleLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.rules.named_rules import NamedRuleLearner
from privpac.learners.tree_orders.learners import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.learners.values.buckets import BucketLearner
from privpac.learners.values.points import PointLearner, ProperPointLearner

α, β = 0.2, 0.05
NOISE = {"realizable": 0.0, "agnostic": 0.25}
ENOUGH = 400  # fits, if they show that β holds


@dataclass(frozen=True)
class Case:
    """A learner of a class, on populations that depend on α."""

    name: str
    learner: type[Learner]
    concept_class: Any
    populations: Callable[[float], list[Population]]


A, B = (pp.Thresholds(0, 31, direction="above").on(name) for name in "ab")
CASES = [
    Case(
        "thresholds 2^64",
        ThresholdLearner,
        pp.Thresholds(0, 2**64 - 1, direction="above"),
        partial(known.thresholds, 64),
    ),
    Case(
        "thresholds 2^16",
        PureThresholdLearner,
        pp.Thresholds(0, 2**16 - 1, direction="above"),
        partial(known.thresholds, 16),
    ),
    Case("intervals 2^16", IntervalLearner, pp.Intervals(0, 2**16 - 1), partial(thin.intervals, 2**16)),
    Case("points", PointLearner, pp.Points(), known.points),
    Case("points of 2^20", ProperPointLearner, pp.Points(2**20), partial(known.points, numbered=True)),
    Case("points", BucketLearner, pp.Points(), known.points),
    Case("root paths, 16 steps", PathLearner, pp.RootPaths("/", height=16), partial(known.root_paths, 16)),
    Case("spider 2^16", SpiderLearner, pp.Spider(bits=16), partial(known.spiders, 16)),
    Case("100 listed rules", OrderLearner, known.listed(100), partial(known.explicit, 100)),
    Case("100 listed rules", FiniteLearner, known.listed(100), partial(known.explicit, 100)),
    Case("prefixes, 8 steps", SubtreeLearner, pp.StartsWith("/", height=8), partial(known.subtrees, 8)),
    Case("paths to 200 names", NameLearner, known.bush(200, "root_path"), partial(known.taxonomies, 200, "root_path")),
    Case("200 subtrees", NameLearner, known.bush(200, "subtree"), partial(known.taxonomies, 200, "subtree")),
    Case("boxes in 16 × 16", RectangleLearner, pp.Rectangles(0, 15, dim=2), partial(thin.rectangles, 16)),
    Case("stumps, two columns", StumpLearner, pp.Union(A, B), partial(thin.stumps, 32)),
    Case("a ≥ s and b ≥ t", RuleLearner, pp.And(A, B), partial(thin.rules, 32)),
    Case("a ≥ s and a name", NamedRuleLearner, pp.And(A, pp.Points().on("name")), partial(thin.named_rules, 32)),
    Case("half-planes through 0", ArcLearner, CentralHalfPlanes(-512, 512), partial(thin.arcs, 512)),
    Case("half-lines in 64", NetLearner, pp.HalfSpaces(1, 64), partial(thin.half_spaces, 1, 64)),
    Case("half-planes in 4 × 4", HalfPlaneLearner, pp.HalfPlanes(4), partial(thin.half_planes, 4)),
    Case("half-planes in 64 × 64", HalfPlaneLearner, pp.HalfPlanes(64), partial(thin.half_planes, 64)),
    Case("half-planes in 1000 × 1000", HalfPlaneLearner, pp.HalfPlanes(1000), partial(thin.half_planes, 1000)),
    Case("half-planes in 64 × 64", NetLearner, pp.HalfSpaces(2, 64), partial(thin.half_spaces, 2, 64)),
]


def tables(quick: bool) -> list[Table]:
    """One row for each learner and regime."""
    fits = 50 if quick else 2000
    rows = in_processes(row, [(place, regime, fits) for place in range(len(CASES)) for regime in NOISE])
    header = ("class", "learner", "regime", "certified n", "fits", "failed", "99.9 % bounds", "worst population")
    return [Table(f"Failure rate at the certified n for α = {α}, ε = 1: at most {β}", header, rows)]


def row(place: int, regime: str, most: int) -> tuple[Any, ...]:
    """A case in one regime."""
    rng, case, noise = np.random.default_rng(), CASES[place], NOISE[regime]
    name = case.learner.__name__
    learner = PrivateClassifier(case.concept_class, method=name, alpha=(1 - 2 * noise) * α, beta=β, regime=regime)
    n = learner.certified_n()

    def failures(population: Population, runs: int) -> int:
        return int((errors(learner, population, n, runs, rng=rng, noise=noise) > α).sum())

    worst = max(case.populations(α), key=lambda each: failures(each, -(-most // 20)))
    fits = min(ENOUGH, most)
    failed = failures(worst, fits)
    if upper(failed, fits) > β:
        fits, failed = most, failed + failures(worst, most - fits)
    bounds = f"{lower(failed, fits):.2g} … {upper(failed, fits):.2g}"
    return case.name, name, regime, n, fits, failed / fits, bounds, worst.name
