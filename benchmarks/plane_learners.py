"""Half-planes and half-spaces: time beside a sort, errors on even data.

Predicted: for half-planes through a point almost all records are only counted in sectors, so that learning costs about
as much as sorting; the error is about 2/(εn), whatever the side of the grid; for affine half-planes it is twice that.
The bar: half-planes through a point from 10⁶ records within 3× the np.sort of as many integers, and a mean error of at
most .0015 at n = 2000, ε = 1; 10⁵ records of affine half-planes in about a second. A fit also reads and checks its
table, which has a column of its own.

Main declarations
    tables     the figures
"""

from __future__ import annotations

from functools import partial

import numpy as np
from measure import Table, clock
from rule_populations import arcs
from simulate import SHARE, smallest_n

from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.half_spaces.central_half_planes import Circle, circle_bits
from privpac.mechanisms.half_spaces.arcs import ArcExponential
from privpac.privacy.budget import Budget

RNG = np.random.default_rng(6)


def tables(quick: bool) -> list[Table]:
    """Times and errors."""
    return [arc_times(quick), net_times(quick), arc_errors(quick), net_errors(quick), records_by_error(quick)]


def turned(n: int, side: int, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Even records around 0, labels by a random half-plane, some of them wrong, and its normal."""
    angle = RNG.uniform(0, 2 * np.pi)
    w = np.array([np.cos(angle), np.sin(angle)])
    X = RNG.integers(-side // 2, side // 2, (n, 2))
    return X, (X @ w > 0) ^ (RNG.random(n) < noise), w


def arc_times(quick: bool) -> Table:
    rows = []
    for digits, side, noise in ((6, 2**10, 0), (6, 2**16, 0), (6, 2**16, 0.1), (6, 2**16, 0.5), (6, 2**20, 0)):
        n = 10**digits
        X, y, _ = turned(n, side, noise)
        H = CentralHalfPlanes(-side // 2, side // 2 - 1)
        keys, circle = RNG.integers(0, 2**40, n), Circle(H, Sample(X, y, None, n))
        selection = ArcExponential(Budget(1), 2 << circle_bits(H.reach))
        contenders = {
            "sort": partial(np.sort, keys),
            "learn": partial(selection.release, circle, SYSTEM),
            "fit": partial(PrivateClassifier(H, epsilon=1, method="ArcLearner").fit, X, y),
        }
        taken = {name: time.warm for name, time in clock(contenders, 3 if quick else 11).items()}
        ratios = [f"{taken[name] / taken['sort']:.2f}×" for name in ("learn", "fit")]
        rows.append((f"10^{digits}", f"2^{side.bit_length() - 1}", f"{noise:.0%}", *taken.values(), *ratios))
    header = ("n", "side", "wrong labels", "np.sort", "learn", "fit", "learn / sort", "fit / sort")
    note = (
        "`learn` is everything from the sealed sample to the released candidate; `fit` also reads and checks the table."
    )
    return Table("Half-planes through a point, ε = 1: milliseconds, warm", header, rows, note)


def net_times(quick: bool) -> Table:
    rows = []
    for d in (2, 3, 4, 5):
        X = RNG.integers(0, 1000, (10**5, d))
        y = X.sum(axis=1) > 500 * d
        keys = RNG.integers(0, 2**40, 10**5)
        fit = partial(PrivateClassifier(HalfSpaces(d, 1000), epsilon=1, method="NetLearner").fit, X, y)
        taken = clock({"sort": partial(np.sort, keys), "fit": fit}, 1 if quick else 3)
        rows.append((d, "10^5", taken["sort"].warm, taken["fit"].warm))
    return Table("Half-spaces by nets, ε = 1: milliseconds, warm", ("d", "n", "np.sort", "fit"), rows)


def arc_errors(quick: bool) -> Table:
    runs = 100 if quick else 500
    rows = []
    for side in (2**10, 2**13, 2**16):
        H = CentralHalfPlanes(-side // 2, side // 2 - 1)
        for noise in (0.0, 0.1):
            errors = []
            for _ in range(runs):
                X, y, w = turned(2000, side, noise)
                new = RNG.integers(-side // 2, side // 2, (20_000, 2))
                rule = PrivateClassifier(H, epsilon=1, method="ArcLearner").fit(X, y).hypothesis_
                errors.append(np.mean(rule(new) != (new @ w > 0)))
            shown = f"{np.mean(errors):.2g} / {np.quantile(errors, 0.95):.2g}"
            rows.append((f"2^{side.bit_length() - 1}", f"{noise:.0%}", shown))
    header = ("side", "wrong labels", "error, mean / 95 %")
    return Table(f"Half-planes through a point, n = 2000, ε = 1, {runs} runs", header, rows)


def net_errors(quick: bool) -> Table:
    runs = 20 if quick else 100
    rows = []
    for d in (2, 3, 4, 5):
        errors = []
        for _ in range(runs):
            w = RNG.normal(size=d)
            b = w @ RNG.uniform(300, 700, d)
            X, new = RNG.integers(0, 1000, (2000, d)), RNG.integers(0, 1000, (20_000, d))
            rule = PrivateClassifier(HalfSpaces(d, 1000), epsilon=1, method="NetLearner").fit(X, X @ w >= b).hypothesis_
            errors.append(np.mean(rule(new) != (new @ w >= b)))
        rows.append((d, f"{np.mean(errors):.2g} / {np.quantile(errors, 0.95):.2g}"))
    return Table(f"Half-spaces by nets, n = 2000, ε = 1, {runs} runs", ("d", "error, mean / 95 %"), rows)


def records_by_error(quick: bool) -> Table:
    """How many records a half-plane through a point takes, as certified and as measured on hostile populations."""
    rows, runs, H = [], 40 if quick else 400, CentralHalfPlanes(-512, 512)
    for alpha in (0.4, 0.2, 0.1, 0.05):
        learner = PrivateClassifier(H, epsilon=1, alpha=alpha, regime="realizable", method="ArcLearner")
        n, worst = smallest_n(learner, arcs(512, alpha), alpha, runs, rng=RNG, start=4)
        rows.append((alpha, learner.certified_n(), n, worst))
    title = f"Half-planes through a point of a 1025 × 1025 grid, ε = 1: n for error α in {SHARE:.0%} of {runs} fits"
    return Table(title, ("α", "certified n", "measured n", "worst population"), rows)
