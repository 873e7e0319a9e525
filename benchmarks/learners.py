"""Learners beside the sort that they need: whole fits, from a column of numbers to a rule with its certificate.

Predicted: reading the column, telling the labels apart and sorting each by itself is nearly all of a threshold fit; of
the candidates only those near the best cut are listed, so a fit costs two to three times the sort if labels follow a
cut, and more if labels are random and a hundred thousand cuts are nearly as good as the best.
The bar: at most 3× np.sort of the same 10⁷ values, in a line of 2^64 values (labels by chance miss it). Prefixes of 10⁶
texts in less than 10 seconds.

Main declarations
    COLUMNS    values and labels by name, each a function of n
    tables     the figures
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measure import Table, clock

import privpac as pp
from privpac.learners.classifier import PrivateClassifier

RNG = np.random.default_rng(9)
INTEGERS = pp.Thresholds(-(2**63), 2**63 - 1, direction="above")
FLOATS = pp.Thresholds(kind="float64", direction="above")
LEARNERS = {"public-stable": "ThresholdLearner", "exponential": "PureThresholdLearner"}
COST = "ε = 1, δ = min(1e-6, 1/(100·n))"  # the default; a pure learner spends no δ


def even(n: int) -> np.ndarray:
    return RNG.integers(-(2**63), 2**63 - 1, n, endpoint=True)


def cut(x: np.ndarray, at: float, noise: float) -> np.ndarray:
    """1 above the cut, except for a share of the labels, which is flipped."""
    return ((x >= at) ^ (RNG.random(len(x)) < noise)).astype(np.int64)


def labeled(x: np.ndarray, at: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    return x, cut(x, at, noise)


COLUMNS: dict[str, tuple[Any, Callable[[int], tuple[np.ndarray, np.ndarray]]]] = {
    "int64, clean labels": (INTEGERS, lambda n: labeled(even(n), 10**18, 0)),
    "int64, 10 % flipped": (INTEGERS, lambda n: labeled(even(n), 10**18, 0.1)),
    "int64, labels by chance": (INTEGERS, lambda n: labeled(even(n), 10**18, 0.5)),
    "int64, 1000 distinct": (INTEGERS, lambda n: labeled(RNG.integers(0, 1000, n), 400, 0.1)),
    "float64, 10 % flipped": (FLOATS, lambda n: labeled(RNG.normal(0, 1e5, n), 3e4, 0.1)),
}


def threshold_times(quick: bool) -> Table:
    rows = []
    for digits, repeats in ((6, 5),) if quick else ((6, 9), (7, 5)):
        for name, (H, make) in COLUMNS.items():
            x, y = make(10**digits)
            fits = {
                title: partial(PrivateClassifier(H, epsilon=1, feature=None, method=method).fit, x, y)
                for title, method in LEARNERS.items()
            }
            taken = clock({"sort": partial(np.sort, x)} | fits, repeats)
            ratios = [f"{taken[title].warm / taken['sort'].warm:.2f}×" for title in LEARNERS]
            rows.append((f"10^{digits}", name, *(time.warm for time in taken.values()), *ratios))
    header = ("n", "values and labels", "np.sort", *LEARNERS, *(f"{title} / sort" for title in LEARNERS))
    return Table(f"Thresholds, agnostic, {COST}: milliseconds, warm", header, rows)


def texts(n: int, distinct: int) -> tuple[list[str], np.ndarray]:
    """Codes such as K07.012, ``distinct`` different ones; label 1 if they start with K0, and 10 % of labels flipped."""
    shapes = [f"{chr(65 + i % 26)}{i // 26 % 100:02}.{i // 2600:03}" for i in range(distinct)]
    chosen = RNG.integers(0, distinct, n)
    positive = np.array([each.startswith("K0") for each in shapes])
    return [shapes[i] for i in chosen.tolist()], (positive[chosen] ^ (RNG.random(n) < 0.1)).astype(np.int64)


def prefix_times(quick: bool) -> Table:
    rows = []
    for distinct in (2600, 26_000, 1_000_000):
        x, y = texts(10**5 if quick else 10**6, distinct)
        learner = PrivateClassifier(pp.StartsWith(height=8), epsilon=1, feature=None, method="SubtreeLearner")
        taken = clock({"sort": partial(sorted, x), "fit": partial(learner.fit, x, y)}, 1 if quick else 3)
        sort, fit = (taken[name].warm / 1000 for name in ("sort", "fit"))
        rows.append((f"10^{len(str(len(x))) - 1}", distinct, sort, fit, f"{fit / sort:.2f}×", str(learner.hypothesis_)))
    header = ("n", "distinct texts", "sorted", "fit", "fit / sorted", "rule")
    return Table(f"Prefixes, agnostic, {COST}: seconds, warm", header, rows)


def tables(quick: bool) -> list[Table]:
    return [threshold_times(quick), prefix_times(quick)]
