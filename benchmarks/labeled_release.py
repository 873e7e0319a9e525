"""Labeled releases of cuts: how far the error curve and the area are off, and how often their bands miss.

Predicted: a line twice as long has about the errors of a line, so the whole error curve is off by what a distribution
function is. The bars: at n = 10⁴, ε = 1, on a line of 1,000 values, the error curve off by at most .006 on average; all
bands together miss in at most β = .05 of 2,000 runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from measure import Table
from simulate import lower

import privpac as pp
from privpac.release.release import Release

β = 0.05
RNG = np.random.default_rng(18)


class Scores(NamedTuple):
    """Values and labels."""

    x: np.ndarray
    y: np.ndarray


def _logistic(n: int, N: int) -> Scores:
    x = np.clip(RNG.normal(0.45, 0.15, n) * N, 0, N - 1).astype(np.int64)
    return Scores(x, RNG.random(n) < 1 / (1 + np.exp(-(x / N - 0.6) / 0.06)))


def _rare(n: int, N: int) -> Scores:
    y = RNG.random(n) < 0.086
    return Scores((RNG.beta(2 + 3 * y, 6 - 2 * y) * N).astype(np.int64), y)


def _even(n: int, N: int) -> Scores:
    x = RNG.integers(0, N, n)
    return Scores(x, RNG.random(n) < 0.05 + 0.3 * x / N)


def _lognormal(n: int, N: int) -> Scores:
    x = np.clip(RNG.lognormal(4, 0.8, n) * N / 1000, 0, N - 1).astype(np.int64)
    return Scores(x, RNG.random(n) < np.minimum(0.9, 2 * x / N))


POPULATIONS: dict[str, Callable[[int, int], Scores]] = {
    "normal scores, logistic labels": _logistic,
    "8.6 % positive, beta scores": _rare,
    "even scores, weak labels": _even,
    "log-normal scores": _lognormal,
}


class Truth(NamedTuple):
    """The true curves, at every cut."""

    tpr: np.ndarray
    fpr: np.ndarray
    error: np.ndarray
    auc: float

    @staticmethod
    def of(scores: Scores, N: int) -> Truth:
        """By counting, without the library."""
        ones, zeros = (np.bincount(scores.x[chosen], minlength=N) for chosen in (scores.y, ~scores.y))
        above1, above0 = (each[::-1].cumsum()[::-1] for each in (ones, zeros))
        tpr, fpr = above1 / max(above1[0], 1), above0 / max(above0[0], 1)
        error = (above0 + above1[0] - above1) / len(scores.x)
        wins = ones @ (np.concatenate([[0], zeros.cumsum()[:-1]]) + zeros / 2)
        return Truth(tpr, fpr, error, wins / max(above1[0] * above0[0], 1))


def released(scores: Scores, N: int, epsilon: float) -> Release:
    """A fresh release."""
    front = pp.PrivateRelease(pp.Thresholds(0, N - 1, direction="above"), epsilon=epsilon, beta=β)
    return front.fit(scores.x, scores.y.astype(int)).release_


def misses(release: Release, truth: Truth) -> list[bool]:
    """Whether each of the bands misses: TPR, FPR, error, cost at 1 : 9, area."""
    curve, n = release.curve(), release.n
    ones = round(n * (1 - truth.error[0]))  # at the first cut, all are flagged
    cost = truth.fpr * (n - ones) / n + 9 * (1 - truth.tpr) * ones / n
    _, low, high = curve.cost((1, 9))
    slack = 1e-9  # floats
    bands = ((truth.tpr, curve.tpr_low, curve.tpr_high), (truth.fpr, curve.fpr_low, curve.fpr_high))
    bands += ((truth.error, curve.error_low, curve.error_high), (cost, low, high))
    bands += ((np.array([truth.auc]), np.array([curve.auc_low]), np.array([curve.auc_high])),)
    return [bool(((each < low - slack) | (each > high + slack)).any()) for each, low, high in bands]


def errors(runs: int) -> Table:
    """Fresh records in each run."""
    rows = []
    for name, draw in POPULATIONS.items():
        for N, n, ε in (
            (500, 10**4, 1),
            (1000, 10**4, 1),
            (1000, 10**5, 0.1),
            (2**20, 10**4, 1),
            (2**64 - 1, 10**4, 1),
        ):
            if N > 2**20 and name != "normal scores, logistic labels":
                continue
            off = []
            for _ in range(runs):
                scores = draw(n, min(N, 2**20))
                release = released(scores, N, ε)
                curve, truth = release.curve(), Truth.of(scores, min(N, 2**20))
                at = [int(t) for t in curve.cut if t < 2**20]
                error = curve.error[: len(at)] - truth.error[at]
                off.append((np.abs(error).max(), abs(curve.auc - truth.auc), release.guarantee.measured / n))
            mean, most = np.mean(off, axis=0), np.quantile([each[0] for each in off], 0.9)
            rows.append((name, f"{N:.4g}", n, ε, *map(float, (mean[0], most, mean[2], mean[1]))))
    header = ("records", "values", "n", "ε", "error curve off by", "in 9 of 10 runs", "band ±", "area off by")
    note = "On lines of more than 4,096 values: at the cuts that the curve lists, the ends of cells."
    return Table("Every cut at once", header, rows, note)


def coverage(runs: int) -> Table:
    """The same records in each run."""
    rows = []
    for name, draw in POPULATIONS.items():
        for n in (300, 10**4):
            scores = draw(n, 1000)
            truth = Truth.of(scores, 1000)
            found = np.array([misses(released(scores, 1000, 1.0), truth) for _ in range(runs)])
            some = int(found.any(axis=1).sum())
            rows.append((name, n, runs, some, 1 - some / runs, *found.sum(axis=0).tolist(), lower(some, runs)))
    header = ("records", "n", "runs", "missed", "covered", "TPR", "FPR", "error", "cost", "area", "99.9 % lower bound")
    return Table(f"Runs in which some band missed, ε = 1, 1,000 values: at most {β}", header, rows)


def tables(quick: bool) -> Iterator[Table]:
    """The figures."""
    yield errors(10 if quick else 50)
    yield coverage(100 if quick else 2000)
