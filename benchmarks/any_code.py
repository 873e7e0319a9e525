"""Any of at most k codes: how many records it takes, and how long a fit takes.

A record bears s = 5 codes: one that decides, and four of 9,000 others (sizes), or of V others (times). The target has k
codes, and 40 % of the records bear exactly one of them, each equally often.
Predicted: a code must gain about (2/ε)·ln(r·s/δ) records more than it loses, and then a few for each code.
The bar at ε = 1: 368, 829, 1366 records for k = 1, 3, 5 without noise, and 460, 1096, 1613 with 10 % of labels flipped
(for lighter targets than this one). With k = 5, a rule that misses one of the five codes still succeeds.

Main declarations
    drawn     cells and labels
    tables    the figures
"""

from __future__ import annotations

from functools import partial

import numpy as np
from measure import Table, clock

import privpac as pp

RNG = np.random.default_rng(13)
ALPHA, MASS, SHARE, S = 0.1, 0.4, 0.95, 5
BARS = {1: (368, 460), 3: (829, 1096), 5: (1366, 1613)}


def drawn(n: int, k: int, V: int) -> tuple[list[str], np.ndarray]:
    """Cells, a share MASS of which has one of the target's codes, and which of them do."""
    y = RNG.random(n) < MASS
    own = [f"t{v}" if label else "u" for v, label in zip(RNG.integers(0, k, n).tolist(), y, strict=True)]
    others = RNG.integers(0, V, (n, S - 1)).tolist()
    return [";".join([code, *(f"c{v}" for v in row)]) for code, row in zip(own, others, strict=True)], y


def failures(clf: pp.PrivateClassifier, k: int, n: int, noise: float, runs: int) -> float:
    """The share of fits whose rule errs by more than α; each code that it misses costs MASS/k."""
    failed = 0
    for _ in range(runs):
        X, y = drawn(n, k, 9000)
        found = clf.fit(X, y ^ (RNG.random(n) < noise)).hypothesis_.codes
        missed = sum(f"t{v}" not in found for v in range(k))
        failed += MASS * missed / k + ("u" in found) * (1 - MASS) > ALPHA  # other codes cost less than .001 each
    return failed / runs


def smallest(clf: pp.PrivateClassifier, k: int, noise: float, runs: int, start: int) -> int:
    """The least n, within 5 %, at which SHARE of the fits succeed."""
    low, high = start // 2, start
    while failures(clf, k, high, noise, runs) > 1 - SHARE:
        low, high = high, high * 5 // 4
    while failures(clf, k, low, noise, runs) <= 1 - SHARE:
        low, high = low // 2, low
    while high > low * 1.05:
        middle = (low + high) // 2
        low, high = (middle, high) if failures(clf, k, middle, noise, runs) > 1 - SHARE else (low, middle)
    return high


def sizes(quick: bool) -> Table:
    rows, runs = [], 40 if quick else 200
    for k, bars in BARS.items():
        clf = pp.PrivateClassifier(pp.HasAny(k, S), epsilon=1, delta=1e-6, feature=None)
        certified = [
            pp.PrivateClassifier(pp.HasAny(k, S), epsilon=1, delta=1e-6, regime=r).certified_n()
            for r in ("realizable", "agnostic")
        ]
        found = [smallest(clf, k, noise, runs, bar) for noise, bar in zip((0.0, 0.1), bars, strict=True)]
        rows.append((k, *found, *bars, *certified))
    header = ("k", "clean", "10 % wrong", "bar, clean", "bar, wrong", "certified, realizable", "certified, any labels")
    title = f"s = {S}, ε = 1, δ = 1e-6, α = .1, a target of mass {MASS}: records for {SHARE:.0%} of {runs} fits"
    return Table(title, header, rows)


def times(quick: bool) -> Table:
    rows = []
    for n, V in ((10_000, 300), (100_000, 780)):
        for k in (2, 3, 4, 5):
            X, y = drawn(n, k, V)
            fit = pp.PrivateClassifier(pp.HasAny(k, S), epsilon=1, feature=None).fit
            shuffled = RNG.permutation(y)
            cases = {"rule": partial(fit, X, y), "none": partial(fit, X, shuffled)}
            found = clock(cases, 1 if quick else 3)
            rows.append((n, V, k, found["rule"].warm / 1000, found["none"].warm / 1000))
    header = ("n", "other codes", "k", "a rule explains the labels", "none does")
    return Table(f"Times of a fit, s = {S}, ε = 1: seconds, warm", header, rows)


def tables(quick: bool) -> list[Table]:
    return [sizes(quick), times(quick)]
