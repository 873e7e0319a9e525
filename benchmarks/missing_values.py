"""Missing entries as values: how often rules err on all new records, and whether the quoted error covers that.

Visits to a clinic with two columns, age and earlier stays. Each entry is missing with the stated chance, by coin alone
or depending on the label: positive records lack it three times as often as negative ones. All rules are trees of depth
2, and all answer for every new record. ``missing=True`` is the private tree with tests for missing entries; ``void``
the private tree of columns that do not declare them, under which a record that lacks an entry counts toward nothing and
gets the negative label; ``dropped`` the same after dropping these records, which makes their number public.
scikit-learn's trees are not private; they send missing entries to the better side of each cut. The best constant and
the best answer for each record, from the population, are what every rule lies between.
The population is known, so errors and coverage are computed, not estimated.
Predicted: by coin alone, one test more than cuts costs little, so ``missing=True`` is close to scikit-learn; where the
label decides, "is missing" is a good test, and dropping records throws it away.
The bars: the mean error of ``missing=True`` is at most that of scikit-learn plus .02, and at most that of ``void`` and
``dropped`` plus .005, in each row; the interval covers the true error in at least 93 % of all fits, which claim 95 %.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np
from measure import Table
from sklearn.tree import DecisionTreeClassifier

import privpac as pp

N, EPSILON, FITS = 4000, 1.0, 200
SHARES = (0.05, 0.2, 0.5)
AGES, STAYS = np.arange(18, 95), np.arange(6)
OFTEN = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])  # how often there are so many stays
LINES = {"age": pp.Thresholds(0, 120, direction="either"), "stays": pp.Thresholds(0, 20, direction="either")}


class Population:
    """Every kind of record, as a row (age, stays, label) with NaN for a missing entry, and its probability."""

    def __init__(self, share: float, by_label: bool) -> None:
        rows, masses = [], []
        kinds = product(AGES, STAYS, (0, 1))
        for (age, stays, y), (a, b) in product(kinds, product((False, True), repeat=2)):
            risk = 1 / (1 + np.exp(1.6 - 0.05 * (age - 55) - 0.8 * stays))
            p = share if not by_label else share * (1.5 if y else 0.5)
            rows.append((np.nan if a else age, np.nan if b else stays, y))
            masses.append(
                OFTEN[stays] / len(AGES) * (risk if y else 1 - risk) * (p if a else 1 - p) * (p if b else 1 - p)
            )
        records, where = np.unique(np.nan_to_num(np.array(rows), nan=-1.0), axis=0, return_inverse=True)
        self.p = np.bincount(where.reshape(-1), masses)
        self.X = np.where(records[:, :2] < 0, np.nan, records[:, :2])
        self.y = records[:, 2].astype(int)

    def drawn(self, n: int, rng: Any) -> tuple[np.ndarray, np.ndarray]:
        """Independent records, and their labels."""
        places = rng.choice(len(self.p), n, p=self.p / self.p.sum())
        return self.X[places], self.y[places]

    def error(self, labels: Any) -> float:
        """The error of these labels, one for each kind of record."""
        return float(self.p @ (np.asarray(labels) != self.y))

    @property
    def constant(self) -> float:
        """The error of the better constant."""
        return min(self.error(np.zeros(len(self.y))), self.error(np.ones(len(self.y))))

    @property
    def best(self) -> float:
        """The error of the best answer for each pair of entries."""
        masses: dict[bytes, list[float]] = {}
        for x, y, p in zip(self.X, self.y, self.p, strict=True):
            masses.setdefault(x.tobytes(), [0.0, 0.0])[y] += p
        return sum(min(each) for each in masses.values())


def columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(LINES, X.T, strict=True))


def trees(missing: bool) -> pp.Trees:
    return pp.Trees(*(line.on(name, missing=missing) for name, line in LINES.items()), depth=2)


def errors(world: Population, runs: int, rng: Any) -> dict[str, list[float]]:
    """The true errors of each kind of rule, and whether the quoted one covers."""
    found: dict[str, list[float]] = {name: [] for name in ("missing", "void", "dropped", "sklearn", "covered")}
    for _ in range(runs):
        X, y = world.drawn(N, rng)
        whole = ~np.isnan(X).any(axis=1)
        clf = pp.PrivateClassifier(trees(True), epsilon=EPSILON, report_error=True).fit(columns(X), y)
        true = world.error(clf.predict(columns(world.X)))
        found["missing"].append(true)
        found["covered"].append(clf.error_.low <= true <= clf.error_.high)
        void = pp.PrivateClassifier(trees(False), epsilon=EPSILON, report_error=True, on_invalid="default")
        found["void"].append(world.error(void.fit(columns(X), y).predict(columns(world.X))))
        found["dropped"].append(world.error(void.fit(columns(X[whole]), y[whole]).predict(columns(world.X))))
        found["sklearn"].append(world.error(DecisionTreeClassifier(max_depth=2).fit(X, y).predict(world.X)))
    return found


def tables(quick: bool) -> list[Table]:
    """One row for each share of missing entries, by coin and by label."""
    rng, rows, runs = np.random.default_rng(17), [], 20 if quick else FITS
    for by_label, share in product((False, True), SHARES):
        world = Population(share, by_label)
        found = {name: float(np.mean(each)) for name, each in errors(world, runs, rng).items()}
        rows.append(("by the label" if by_label else "by coin", share, world.constant, world.best, *found.values()))
    header = ("missing", "share", "constant", "best", "missing=True", "void", "dropped", "scikit-learn", "covered")
    title = f"Errors of trees of depth 2 on all new records, n = {N}, ε = {EPSILON:.0f}, a fifth held out, {runs} fits"
    return [Table(title, header, rows)]


if __name__ == "__main__":
    for each in tables("--quick" in sys.argv):
        print(each)
