"""Conjunctions of equalities over columns of any values: how many records it takes, and how long a fit takes.

Predicted: a conjunction needs about (2/ε)·ln(κ/δ) records more than its errors to be preferred to "never", so
n ≈ (that + (2/ε)·ln 19)/μ for a target of mass μ, and 1/(1 − 2·noise) times as many with noisy labels.
The bar, for rules of at most 3 of 20 columns: 992/1224, 485/651, 184/228 records at ε = .5, 1, 3 without noise and with
10 % of labels flipped; 30 000 records of 10 columns in seconds.

Main declarations
    POPULATIONS    how the columns that the target does not read look
    tables         the figures
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from measure import Table, clock

import privpac as pp

RNG = np.random.default_rng(21)
ALPHA, MASS, SHARE = 0.1, 0.12, 0.95
NEW = 4000
Draw = Callable[[int, int], np.ndarray]
POPULATIONS: dict[str, Draw] = {
    "few values": lambda n, c: RNG.integers(0, 4, (n, c)),
    "many values": lambda n, c: RNG.integers(0, 2**32, (n, c)),
    "long tails": lambda n, c: np.minimum(RNG.zipf(1.3, (n, c)), 2**40),
}


def drawn(population: str, n: int, c: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, a share MASS of which has the target's values −1 in j columns, and which of them do."""
    X, y = POPULATIONS[population](n, c), RNG.random(n) < MASS
    X[np.ix_(np.flatnonzero(y), range(j))] = -1
    near, missed = ~y & (RNG.random(n) < 1 / 3), RNG.integers(0, j, n)  # a third of the others miss one value only
    for column in range(j):
        X[near & (missed != column), column] = -1
    return X, y


def failures(clf: pp.PrivateClassifier, population: str, n: int, noise: float, runs: int) -> float:
    """The share of fits whose rule errs by more than α."""
    c, j, failed = len(clf.concept_class.columns), clf.concept_class.at_most, 0
    for _ in range(runs):
        X, y = drawn(population, n, c, j)
        rule = clf.fit(X, y ^ (RNG.random(n) < noise)).hypothesis_
        new, truth = drawn(population, NEW, c, j)
        failed += np.mean(rule(new) != truth) > ALPHA
    return failed / runs


def smallest(clf: pp.PrivateClassifier, population: str, noise: float, runs: int, start: int) -> int:
    """The least n, within 4 %, at which SHARE of the fits succeed."""
    low, high = start // 2, start
    while failures(clf, population, high, noise, runs) > 1 - SHARE:
        low, high = high, high * 5 // 4
    while high > low * 1.04:
        middle = (low + high) // 2
        low, high = (middle, high) if failures(clf, population, middle, noise, runs) > 1 - SHARE else (low, middle)
    return high


def sizes(quick: bool) -> Table:
    rows = []
    runs, H = 40 if quick else 150, pp.Equalities(*range(20), at_most=3)
    for ε, bars in ((1, (485, 651)),) if quick else ((0.5, (992, 1224)), (1, (485, 651)), (3, (184, 228))):
        clf = pp.PrivateClassifier(H, epsilon=ε, delta=1e-6)
        certified = [
            pp.PrivateClassifier(H, epsilon=ε, delta=1e-6, regime=r).certified_n() for r in ("realizable", "agnostic")
        ]
        for noise, bar in zip((0.0, 0.1), bars, strict=True):
            found = [smallest(clf, name, noise, runs, bar) for name in POPULATIONS]
            rows.append((ε, f"{noise:.0%}", *found, bar, *certified))
    header = ("ε", "wrong labels", *POPULATIONS, "bar", "certified, realizable", "certified, any labels")
    title = (
        f"At most 3 of 20 columns, δ = 1e-6, α = .1, a target of mass {MASS}: records for {SHARE:.0%} of {runs} fits"
    )
    return Table(title, header, rows)


def times(quick: bool) -> Table:
    rows = []
    for n, c, j in ((30_000, 10, 2), (30_000, 10, 3), (30_000, 20, 3)):
        for name in POPULATIONS:
            X, y = drawn(name, n, c, j)
            fit = partial(pp.PrivateClassifier(pp.Equalities(*range(c), at_most=j), epsilon=1).fit, X, y)
            rows.append((n, c, j, name, clock({"fit": fit}, 1 if quick else 3)["fit"].warm / 1000))
    return Table("Times of a fit, ε = 1: seconds, warm", ("n", "columns", "at most", "values", "fit"), rows)


def tables(quick: bool) -> list[Table]:
    return [sizes(quick), times(quick)]
