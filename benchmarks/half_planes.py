"""Half-planes with candidates for each of them, beside a net of half-planes: errors and times.

Predicted: on even data the errors of the two are alike, since both weigh the half-planes about evenly, and what counts
is how many records lie near the boundary. Noise-free data whose half-plane has no margin are learned by the first, and
never by the net. Of 10⁵ records the first looks at 4096, with a larger ε, and still errs less than the net is fine.
The bar: on data with the margin that the net's certificate assumes, the mean error is at most that of the net, within
twice its standard error; 2000 distinct points in a few seconds.

Main declarations
    tables     the figures
"""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np
from measure import Table

from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.half_spaces.nets import margin
from privpac.mechanisms.half_spaces.half_planes import HalfPlaneExponential, PlaneTally
from privpac.privacy.budget import Budget

RNG = np.random.default_rng(8)
TIGHT, LABELS = np.array([(0, 0), (610, 377), (233, 144), (843, 521)]), np.array([1, 1, 0, 0], dtype=bool)
METHODS = ("HalfPlaneLearner", "NetLearner")


def tables(quick: bool) -> list[Table]:
    """Errors and times."""
    return [compared(quick), times(quick)]


def compared(quick: bool) -> Table:
    rows = []
    for about, side, n, noise, apart in (
        ("with the net's margin", 1000, 500, 0.0, True),
        ("with the net's margin", 1000, 2000, 0.0, True),
        ("with the net's margin", 1000, 2000, 0.1, True),
        ("with the net's margin", 2**16, 2000, 0.0, True),
        ("even", 1000, 2000, 0.0, False),
        ("even", 1000, 10**5, 0.0, False),
    ):
        runs = 4 if quick else 100 if n < 2000 else 30
        errors = np.array([_errors(side, n, noise, apart) for _ in range(runs)])
        rows.append((about, _power(side), n, f"{noise:.0%}", runs, *map(_shown, errors.T)))
    wrong = [[_tight(method) for method in METHODS] for _ in range(4 if quick else 30)]
    rows.append(("no margin, four points", "1000", 2000, "0%", len(wrong), *map(_shown, np.array(wrong).T)))
    header = ("records", "side", "n", "wrong labels", "runs", *(f"{method}, mean ± s.e." for method in METHODS))
    return Table("Errors of half-planes, ε = 1", header, rows)


def _errors(side: int, n: int, noise: float, apart: bool) -> list[float]:
    """The errors of both learners from the same sample, on 20,000 new records."""
    w = RNG.normal(size=2)
    b = w @ RNG.uniform(0.3 * side, 0.7 * side, 2)
    γ = float(margin(2, side)) if apart else 0.0

    def drawn(m: int) -> np.ndarray:
        X = RNG.integers(0, side, (2 * m, 2))
        return X[np.abs(X @ w - b) / np.abs(w).max() >= γ][:m]

    X, new = drawn(n), drawn(20_000)
    y = (X @ w >= b) ^ (RNG.random(n) < noise)
    made = [PrivateClassifier(HalfPlanes(side), epsilon=1, method=method).fit(X, y) for method in METHODS]
    return [float(np.mean(each.hypothesis_(new) != (new @ w >= b))) for each in made]


def _tight(method: str) -> float:
    """The error of a fit on four points, each with 500 records."""
    clf = PrivateClassifier(HalfPlanes(1000), epsilon=1, method=method, regime="realizable")
    rule = clf.fit(np.repeat(TIGHT, 500, axis=0), np.repeat(LABELS, 500)).hypothesis_
    return float(np.mean(rule(TIGHT) != LABELS))


def _shown(errors: np.ndarray) -> str:
    return f"{errors.mean():.2g} ± {errors.std() / len(errors) ** 0.5:.1g}"


def _power(side: int) -> str:
    return f"2^{side.bit_length() - 1}" if side.bit_count() == 1 else str(side)


def times(quick: bool) -> Table:
    rows = []
    for n, side, noise in ((500, 1000, 0), (2000, 1000, 0), (2000, 2**16, 0), (2000, 2**16, 0.5), (4096, 2**16, 0)):
        X = RNG.integers(0, side, (n, 2))
        y = (3 * X[:, 0] - 2 * X[:, 1] >= side // 3) ^ (RNG.random(n) < noise)
        release = partial(HalfPlaneExponential(Budget(1), side - 1).release, PlaneTally.of(Sample(X, y, None, n)))
        release(SYSTEM)
        start, repeats = process_time(), 1 if quick else 3
        for _ in range(repeats):
            release(SYSTEM)
        rows.append((n, _power(side), f"{noise:.0%}", f"{(process_time() - start) / repeats:.2f}"))
    return Table("Selecting a half-plane, ε = 1: seconds of one processor", ("n", "side", "wrong labels", "s"), rows)
