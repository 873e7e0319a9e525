"""Algorithm 2 of [Yan25] beside the learners of this library: how many records each needs.

Predicted: the paper's route splits the sample, so that each of its t subsets must see the thin mass by itself, and
pays for two releases with half of ε each; public-stable selection looks at all records at once. At the tight constants
the route should need three to ten times the records of PathLearner, PointLearner and ThresholdLearner; at the printed
ones a hundred thousand times. Of its medians the exponential one is best on low trees and the dyadic one on tall ones;
RecPrefix never is.
The bar: at its tight N the route succeeds in at least 1 − β of the fits on every population, and no learner of the
library needs more records than it.

The smallest n is measured for the t of the tight constants and for half of it, records being shared out evenly; the
better one is shown.

Main declarations
    CLASSES    each with a learner of this library and its populations
    tables     the figures
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import populations
from measure import Table
from simulate import SHARE, Population, smallest_n

import privpac as pp
from privpac.exact.entropy import SYSTEM
from privpac.learners.points import PointLearner
from privpac.learners.thresholds import ThresholdLearner
from privpac.learners.trees import OrderLearner, PathLearner
from privpac.papers.yan25 import MEDIANS, OPTPrivateLearner

RNG = np.random.default_rng(25)
ALPHA, BETA, COST = 0.1, 0.05, pp.Budget(1, 1e-6)
TRIED = (1.0, 0.5)  # of the tight t

CLASSES: dict[str, tuple[Any, type, list[Population]]] = {
    "thresholds 2^16": (pp.Thresholds(0, 2**16 - 1), ThresholdLearner, populations.thresholds(16, ALPHA)),
    "points": (pp.Points(), PointLearner, populations.points(ALPHA)),
    "root paths, H = 32": (pp.RootPaths("/", height=32), PathLearner, populations.root_paths(32, ALPHA)),
    "explicit, 300 concepts": (populations.listed(300), OrderLearner, populations.explicit(300, ALPHA)),
}


def failures(learner: OPTPrivateLearner, population: Population, n: int, runs: int, most: int) -> int:
    """In how many of ``runs`` fits the error exceeds α; no more are made after ``most`` of them."""
    values = [v.item() if isinstance(v, np.generic) else v for v in population.values]
    failed = 0
    for _ in range(runs):
        drawn = np.repeat(np.arange(len(values)), RNG.multinomial(n, population.masses))
        examples = tuple((values[i], bool(population.labels[i])) for i in drawn)
        failed += population.error(learner.release(examples, SYSTEM)) > ALPHA
        if failed > most:
            break
    return failed


def measured_n(learner: OPTPrivateLearner, some: Sequence[Population], runs: int) -> int:
    """The least n, within 5 %, at which SHARE of fits succeed on every population, for the learner's t."""
    most = int((1 - SHARE) * runs)

    def succeeds(n: int) -> bool:
        return all(failures(learner, population, n, runs, most) <= most for population in some)

    low, high = 0, learner.split.t
    while not succeeds(high):
        low, high = high, 2 * high
    while high - low > high // 20:
        middle = (low + high) // 2
        low, high = (low, middle) if succeeds(middle) else (middle, high)
    return high


def at_tight_n(quick: bool) -> Table:
    runs, rows = 40 if quick else 200, []
    for name, (H, _, some) in CLASSES.items():
        for median in MEDIANS:
            learner = OPTPrivateLearner(H, COST, ALPHA, BETA, "tight", median)
            if learner.N > 20_000:
                rows.append((name, median, learner.split.t, learner.split.m, learner.N, "not run"))
                continue
            hard = some[:3] if quick else some
            worst = max(failures(learner, population, learner.N, runs, runs) for population in hard)
            rows.append((name, median, learner.split.t, learner.split.m, learner.N, f"{1 - worst / runs:.3f}"))
    header = ("class", "median", "t", "m", "tight N", "success on the hardest")
    title = f"Algorithm 2 at its tight N, α = {ALPHA}, β = {BETA}, ε = 1, δ = 1e-6; {runs} fits for each population"
    return Table(title, header, rows)


def side_by_side(quick: bool) -> Table:
    runs, rows = 40 if quick else 100, []
    for name, (H, ours, some) in CLASSES.items():
        hard = some[:2] if quick else some
        printed = OPTPrivateLearner(H, COST, ALPHA, BETA).N
        tight = min((OPTPrivateLearner(H, COST, ALPHA, BETA, "tight", m) for m in MEDIANS), key=lambda each: each.N)
        tried = [max(1, int(share * tight.split.t)) for share in TRIED]
        learners = [OPTPrivateLearner(H, COST, ALPHA, BETA, "tight", tight.median, t) for t in tried]
        found = {learner.split.t: measured_n(learner, hard, runs) for learner in learners}
        t, n = min(found.items(), key=lambda item: item[1])
        best = ours(H, epsilon=1, delta=1e-6, alpha=ALPHA, beta=BETA, regime="realizable", feature=None)
        m, _ = smallest_n(best, hard, ALPHA, runs, rng=RNG, start=16)
        rows.append(
            (name, f"{printed:.1e}", tight.N, f"{tight.median}, t = {t}", n, type(best).__name__, m, f"{n / m:.1f}×")
        )
    header = ("class", "printed N", "tight N", "best median", "measured n", "beside", "its measured n", "ratio")
    return Table(f"Smallest n with success in {SHARE:.0%} of {runs} fits on every population", header, rows)


def tables(quick: bool) -> list[Table]:
    return [at_tight_n(quick), side_by_side(quick)]
