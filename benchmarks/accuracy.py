"""Test errors beside two peers, on flights and on synthetic cuts and half-planes.

Predicted: learners that choose among the rules of the class err by about 2/(εn) times a logarithm beyond the best rule;
a quantile is as good where labels are clean and its rank is given, and no better than its grid; trees with random
splits and noisy objectives lose more.
The bar: half-planes through 0 at most .0015, and no mean error above that of any peer on the same records.

ε = 1 for substitution neighbors, 2000 records, δ = 1e-6 where it is spent. Peers get public bounds, and more:

- diffprivlib's LogisticRegression [CMS11] is made for substitution; data is scaled to [−1, 1] by the public bounds, and
  of C = 1, 100 and 10⁴ the one with the least mean error is shown; it has an intercept where lines need not pass 0.
- its DecisionTreeClassifier noises counts for added and removed records, and a substitution is one of each: it runs at
  ε/2. Of depths 2, 5 and 8 the one with the least mean error is shown.
- quantiles become cuts by the true share of negatives among the records, which is given for free; OpenDP's are taken
  among 2^16 even values between the bounds.
- where "log" is said, the column is given to scale as log₂(1 + x), too: a hint that ours do without.

Main declarations
    TASKS     records, labels, what we learn, what peers are asked
    tables    the figures
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from measure import PEERS, Table, ask_peer, in_processes

import privpac as pp
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes

N, NEW, ε = 2000, 10_000, 1
RNG = np.random.default_rng(11)
FLIGHTS = Path(__file__).parents[1] / "examples" / "flights.csv"
SETTINGS = {"depths": [2, 5, 8], "strengths": [1, 100, 10_000]}
LINE = 2**32 - 1
NOTE = """Below 1× the bar is missed. A quantile of the true share of negatives needs no labels, flipped or not; ours
must find the cut from the labels."""


@dataclass(frozen=True)
class Draw:
    """One run: records and labels to learn from, and new ones to try the rule on; ``negatives`` is the true share."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    truth: np.ndarray
    negatives: float


@dataclass(frozen=True)
class Task:
    """A source of draws, what we learn, the public bounds of each column, and what peers are told besides."""

    name: str
    draw: Callable[[], Draw]
    concept_class: Any
    low: tuple[int, ...]
    high: tuple[int, ...]
    log: bool = False
    intercept: bool = True


def columns(*names: str) -> np.ndarray:
    """Columns of the flights."""
    with FLIGHTS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return np.array([[int(row[name]) for name in names] for row in rows])


def flights(*names: str, long: int = 0) -> Draw:
    """2000 flights to learn from, and all others: did it arrive 30 minutes late, after so many miles?"""
    table = columns(*names, "arr_delay", "distance")[RNG.permutation(5000)]
    X, y = table[:, : len(names)], (table[:, -2] >= 30) & (table[:, -1] >= long)
    return Draw(X[:N], y[:N], X[N:], y[N:], float((~y[:N]).mean()))


def cuts(noise: float) -> Draw:
    """Lognormal integers on a line of 2^32 values, label 1 from a random quantile on."""
    x = np.minimum(RNG.lognormal(12, 2, N + NEW).astype(np.int64), LINE)
    clean = x >= np.quantile(x, RNG.uniform(0.1, 0.9))
    y = clean[:N] ^ (RNG.random(N) < noise)
    return Draw(x[:N, None], y, x[N:, None], clean[N:], float((~clean[:N]).mean()))


def half_planes(low: int, high: int, through: float) -> Draw:
    """Even points of a grid, label 1 to one side of a line in a random direction through a point near the middle."""
    w = RNG.normal(size=2)
    X = RNG.integers(low, high, (N + NEW, 2), endpoint=True)
    y = (X - (low + high + 1) // 2 - RNG.uniform(-through, through, 2) * (high - low)) @ w > 0
    return Draw(X[:N], y[:N], X[N:], y[N:], float((~y[:N]).mean()))


DELAY, MILES = pp.Thresholds(-60, 1440, direction="above"), pp.Thresholds(0, 5000, direction="above")
TASKS = [
    Task("flights: late, by departure delay", lambda: flights("dep_delay"), DELAY, (-60,), (1440,)),
    Task("cut, clean labels", lambda: cuts(0), pp.Thresholds(0, LINE, direction="above"), (0,), (LINE,), log=True),
    Task("cut, 10 % flipped", lambda: cuts(0.1), pp.Thresholds(0, LINE, direction="above"), (0,), (LINE,), log=True),
    Task("half-plane through 0", lambda: half_planes(-(2**15), 2**15 - 1, 0),
         CentralHalfPlanes(-(2**15), 2**15 - 1), (-(2**15),) * 2, (2**15 - 1,) * 2, intercept=False),
    Task("half-plane", lambda: half_planes(0, 999, 0.2), pp.HalfSpaces(2, 1000), (0, 0), (999, 999)),
    Task("flights: late after 1000 miles", lambda: flights("dep_delay", "distance", long=1000),
         pp.And(DELAY.on(0), MILES.on(1)), (-60, 0), (1440, 5000)),
]  # fmt: skip


def tables(quick: bool) -> list[Table]:
    """For each task our errors and each peer's, on the same records."""
    runs = 5 if quick else 60
    found = in_processes(rows_of, [(place, runs) for place in range(len(TASKS))])
    header = ("task", "by", "error, mean", "95 %", "to ours")
    return [Table(f"Error on new records, ε = 1, n = {N}, {runs} runs", header, list(chain(*found)), NOTE)]


def rows_of(place: int, runs: int) -> list[tuple[Any, ...]]:
    """A task, by everyone."""
    task = TASKS[place]
    draws = [task.draw() for _ in range(runs)]
    learner, own = ours(task, draws)
    found = {f"privpac {learner}": own} | peers(task, draws)
    least = np.mean([min(each.truth.mean(), 1 - each.truth.mean()) for each in draws])
    base = float(np.mean(own))
    rows = [(task.name, way, *shown(errors, base)) for way, errors in found.items()]
    return [*rows, (task.name, "the more frequent label", least, "", f"{least / base:.3g}×")]


def shown(errors: list[float | None] | str, base: float) -> tuple[Any, Any, str]:
    """Mean, 95th percentile and ratio of the runs that gave an answer; how many did not, if any."""
    if isinstance(errors, str):
        return errors, "", ""
    known = [each for each in errors if each is not None]
    if not known:
        return "always raises", "", ""
    raised = len(errors) - len(known)
    aside = f" (raises {raised} of {len(errors)} times)" if raised else ""
    return float(np.mean(known)), float(np.quantile(known, 0.95)), f"{np.mean(known) / base:.3g}×{aside}"


def ours(task: Task, draws: list[Draw]) -> tuple[str, list[float]]:
    """Whole fits, by the learner that is certified with the fewest records, and its name."""
    feature = None if len(task.low) == 1 else list(range(len(task.low)))
    learner = pp.PrivateClassifier(task.concept_class, epsilon=ε, delta=1e-6, feature=feature)

    def error(draw: Draw) -> float:
        flat = (lambda X: X[:, 0]) if feature is None else (lambda X: X)
        return float((learner.fit(flat(draw.X), draw.y).predict(flat(draw.new)) != draw.truth).mean())

    return type(learner.learner()).__name__, [error(draw) for draw in draws]


def peers(task: Task, draws: list[Draw]) -> dict[str, Any]:
    """The errors of each peer in each run, or why there are none; on the log scale, too, where that is a hint."""
    X, new = (np.array([getattr(draw, each) for draw in draws]) for each in ("X", "new"))
    scales = {"": (X, new, task.low, task.high)}
    if task.log:
        scales[", log"] = *(np.round(np.log2(1 + each) * 2**11).astype(np.int64) for each in (X, new)), (0,), (2**16,)
    found: dict[str, Any] = {}
    for scale, (X, new, low, high) in scales.items():
        middle, half = np.add(high, low) / 2, np.subtract(high, low) / 2
        answers = classifiers((X - middle) / half, (new - middle) / half, draws, task.intercept)
        if len(low) == 1:
            answers |= {f"{peer} quantile": by_quantile(peer, (low[0], high[0]), X, new, draws) for peer in PEERS}
        found |= {f"{way}{scale}": errors for way, errors in answers.items()}
    return found


def classifiers(X: np.ndarray, new: np.ndarray, draws: list[Draw], intercept: bool) -> dict[str, Any]:
    """The errors of diffprivlib's two, each in the setting that turns out best."""
    labels = {each: np.array([getattr(draw, each) for draw in draws]) for each in ("y", "truth")}
    found = ask_peer("diffprivlib", "classifiers", epsilon=ε, intercept=intercept, X=X, new=new, **labels, **SETTINGS)
    if isinstance(found, str):
        return {"diffprivlib": found}
    return {f"diffprivlib {way}": min(errors, key=np.mean) for way, errors in found.items()}


def by_quantile(
    peer: str, bounds: tuple[int, int], X: np.ndarray, new: np.ndarray, draws: list[Draw]
) -> list[float | None] | str:
    """The errors of a peer's quantile as a cut."""
    taus = [draw.negatives for draw in draws]
    cuts = ask_peer(peer, "cuts", x=X[:, :, 0], low=bounds[0], high=bounds[1], epsilon=ε, taus=taus)
    if isinstance(cuts, str):
        return cuts
    tried = zip(cuts, new[:, :, 0], draws, strict=True)
    return [None if cut is None else float(((x >= cut) != draw.truth).mean()) for cut, x, draw in tried]
