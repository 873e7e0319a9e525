"""The error that a fit quotes: how often its interval covers the error on new records, and how often it warns rightly.

Predicted: the interval inverts the exact law of the noisy counts, so it covers at least 95 % of the time, and where
noise is small beside the error of sampling it is about as wide as an interval without privacy [CP34].
The bar: coverage of at least .94 in every row of the first table, and of at least .93 over each rule of the second one;
"no better than a constant" in at least 90 % of the fits where that is true, and in at most 5 % of those whose rule is
better by .05 and which have 10,000 records.

In the second table, a fifth of the values is missing, and in some populations other values lie beyond the bounds or
some labels are not declared. The error is that of predictions on all records with a declared label. With copies,
records come in groups that are alike, which the interval does not know unless the group is the unit.

The populations are known, so the true error of each released rule is computed from them, not measured.

- cut: x uniform on 0 … 999, positive from 600 on, a tenth of the labels wrong; thresholds.
- names: 40 names, one of them mostly positive, others rarely; single values.
- visits: patients with up to 4 visits; the visits of a patient are close to each other, and their labels are wrong
  together. 3 visits count; a new record is a random visit of a new patient.

Main declarations
    POPULATIONS    where errors are quoted
    tables         the figures
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import Table
from scipy.special import betaincinv

import privpac as pp

RNG = np.random.default_rng(41)
VALUES = np.arange(1000)
NAMES = np.arange(40)
CUTS = pp.Thresholds(0, 999, direction="above")
FITS = 500


@dataclass(frozen=True)
class Population:
    """Probabilities of the values, of a positive label at each, a class, and how many visits a unit has at most."""

    name: str
    p: np.ndarray
    positive: np.ndarray
    concept_class: Any
    visits: int = 1

    def error(self, says: np.ndarray) -> float:
        """The error of what a rule says of each value."""
        return float(self.p @ np.where(says, 1 - self.positive, self.positive))

    @property
    def constant(self) -> float:
        """The error of the best constant."""
        return float(min(self.p @ self.positive, self.p @ (1 - self.positive)))

    def records(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Values, labels, and units; n is the number of units if they have several records."""
        x, wrong = RNG.choice(len(self.p), n, p=self.p), RNG.random(n)
        if self.visits == 1:
            return x, wrong < self.positive[x], None
        unit = np.repeat(np.arange(n), RNG.integers(1, self.visits + 1, n))
        # steps among values that are equally likely and labeled alike keep the law of a single visit
        return x[unit] // 10 * 10 + RNG.integers(0, 10, len(unit)), (wrong < self.positive[x])[unit], unit


def cut(name: str, below: float, above: float, at: int = 600, **more: Any) -> Population:
    """Thresholds; the shares of positives on both sides of the cut."""
    return Population(name, np.full(1000, 1e-3), np.where(at <= VALUES, above, below), CUTS, **more)


WEIGHTS = 1 / (1 + NAMES) / (1 / (1 + NAMES)).sum()
POPULATIONS = (
    cut("cut", 0.1, 0.9),
    Population("names", WEIGHTS, np.where(NAMES == 2, 0.85, 0.07), pp.Points(40)),
    cut("visits", 0.15, 0.85, visits=4),
)
USELESS = (
    cut("labels by chance", 0.3, 0.3),
    cut("the other direction", 0.4, 0.1),
    cut("nearly all positive", 0.9, 0.92),
)
USEFUL = cut("better by .05", 0.2, 0.5 + 0.052 / 0.8)  # on 0.4 of the records, answering yes gains this much


def fits(population: Population, n: int, ε: float, runs: int, **more: Any) -> list[tuple[Any, float]]:
    """The estimates of many fits, and the true errors of their rules."""
    found = []
    for _ in range(runs):
        x, y, unit = population.records(n)
        given = {"epsilon": ε, "classes": (False, True), "report_error": True, "feature": None, **more}
        clf = pp.PrivateClassifier(population.concept_class, **given).fit(x, y, unit)
        found.append((clf.error_, population.error(clf.hypothesis_(np.arange(len(population.p))))))
    return found


def without_privacy(error: float, held: int) -> float:
    """The width of the interval of [CP34] for this error."""
    k = round(error * held)
    low = betaincinv(k, held - k + 1, 0.025) if k else 0.0
    high = betaincinv(k + 1, held - k, 0.975) if k < held else 1.0
    return float(high - low)


def coverage(runs: int) -> Table:
    rows = []
    for population in POPULATIONS:
        more: dict[str, Any] = {"max_records": 3} if population.visits > 1 else {}
        many = 5000 if population.visits == 1 else 2000  # patients
        for n, ε in ((500, 1.0), (many, 1.0), (many, 0.1)):
            found = fits(population, n, ε, runs, **more)
            covered = np.mean([each.low <= true <= each.high for each, true in found])
            width = np.mean([each.high - each.low for each, _ in found])
            ideal = np.mean([without_privacy(true, each.held) for each, true in found])
            true = np.mean([true for _, true in found])
            rows.append(
                (population.name, n, ε, f"{true:.3f}", f"{covered:.3f}", f"{width:.3f}", f"{width / ideal:.2f}")
            )
    header = ("population", "n", "ε", "mean error", "coverage of .95", "mean width", "times that without privacy")
    return Table(f"Coverage of the quoted error on new records, {runs} fits in each row", header, rows)


@dataclass(frozen=True)
class Holes:
    """A population whose values are missing with these probabilities for negative and positive records.

    ``beyond`` of the records get a value above the bounds, and ``undeclared`` of them a third label.
    """

    of: Population
    lost: tuple[float, float] = (0.2, 0.2)
    beyond: float = 0.0
    undeclared: float = 0.0

    def error(self, clf: Any) -> float:
        """The error of predictions on records with a declared label."""
        values, far = len(self.of.p), 10**6
        labels = clf.predict([*range(values), far, None])
        says, beyond, missing = labels[:values], labels[values], labels[values + 1]
        total = 0.0
        for y, share, lost in zip((0, 1), (1 - self.of.positive, self.of.positive), self.lost, strict=True):
            mass = self.of.p * share
            there = (1 - self.beyond) * float(mass @ (says != y)) + self.beyond * float(mass.sum()) * (beyond != y)
            total += (1 - lost) * there + lost * float(mass.sum()) * (missing != y)
        return total

    def records(self, n: int) -> tuple[list[Any], list[int], np.ndarray | None]:
        """Values, labels, and units."""
        x, y, unit = self.of.records(n)
        far, lost = RNG.random(len(x)) < self.beyond, RNG.random(len(x)) < np.where(y, self.lost[1], self.lost[0])
        third = RNG.random(len(x)) < self.undeclared
        values = [None if gone else 10**6 if out else int(v) for v, out, gone in zip(x, far, lost, strict=True)]
        return values, np.where(third, 2, y).tolist(), unit


HOLES = (
    Holes(POPULATIONS[0]),
    Holes(cut("cut, more positives missing", 0.1, 0.9), (0.07, 0.395), beyond=0.05),
    Holes(cut("cut, other labels", 0.15, 0.8), undeclared=0.1),
    Holes(POPULATIONS[2]),
)


def with_holes(runs: int) -> Table:
    rows: list[tuple[Any, ...]] = []
    for rule in ("default", "clamp"):
        every = []
        for holes in HOLES:
            visits: dict[str, Any] = {"max_records": 3} if holes.of.visits > 1 else {}
            found = []
            for _ in range(runs):
                values, y, unit = holes.records(5000)
                clf = pp.PrivateClassifier(CUTS, report_error=True, feature=None, on_invalid=rule, **visits)
                found.append((clf.fit(values, y, unit).error_, holes.error(clf)))
            covered = [each.low <= true <= each.high for each, true in found]
            every += covered
            said, true = np.mean([each.error for each, _ in found]), np.mean([true for _, true in found])
            width = np.mean([each.high - each.low for each, _ in found])
            rows.append((rule, holes.of.name, f"{true:.3f}", f"{said:.3f}", f"{np.mean(covered):.3f}", f"{width:.3f}"))
        rows.append((rule, f"all {len(every)} fits", "", "", f"{np.mean(every):.3f}", ""))
    header = ("rule", "population", "mean error", "mean quoted", "coverage of .95", "mean width")
    return Table(f"A fifth of the values missing, n = 5,000, ε = 1, {runs} fits in each row", header, rows)


def with_copies(runs: int) -> Table:
    rows: list[tuple[Any, ...]] = []
    population = cut("cut", 0.25, 0.75)
    for copies in (1, 2, 5, 10, 20):
        covered: dict[bool, list[bool]] = {False: [], True: []}
        for named in (False, True):
            for _ in range(runs):
                x, y, _ = population.records(5000 // copies)
                group = np.repeat(np.arange(len(x)), copies)
                more: dict[str, Any] = {"max_records": 1} if named else {}
                clf = pp.PrivateClassifier(CUTS, classes=(False, True), report_error=True, feature=None, **more)
                found = clf.fit(x[group], y[group], group if named else None).error_
                covered[named].append(found.low <= population.error(clf.hypothesis_(VALUES)) <= found.high)
        rows.append((copies, *(f"{np.mean(covered[named]):.3f}" for named in (False, True))))
    header = ("copies of each record", "coverage of .95", "with the group as the unit")
    return Table(f"Records that are not independent: 5,000 in all, ε = 1, {runs} fits in each cell", header, rows)


def warnings(runs: int) -> Table:
    rows: list[tuple[Any, ...]] = []

    def told(population: Population, n: int, which: Callable[[float], bool], bar: str) -> None:
        found = [each for each, true in fits(population, n, 1.0, runs) if which(population.constant - true)]
        said = np.mean([not each.better for each in found])
        rows.append((population.name, n, len(found), f"{said:.3f}", bar))

    for population in USELESS:
        for n in (1000, 10_000):
            told(population, n, lambda gain: gain <= 0, "≥ .90")
    for n in (2500, 5000, 10_000):
        told(USEFUL, n, lambda gain: gain >= 0.05, "≤ .05" if n >= 10_000 else "")
    header = ("population", "n", "fits where it is true, or false", "said", "bar")
    return Table('How often "not clearly better than a constant" is said, ε = 1', header, rows)


def tables(quick: bool) -> list[Table]:
    runs = 50 if quick else FITS
    return [coverage(runs), with_holes(runs), with_copies(runs), warnings(runs)]
