"""Auto and the classes it stands beside, other private classifiers, and models without privacy, on the same splits.

The 24 tables are those of auto_choice on which the rule of Auto was not chosen; two thirds of a table are learned from,
at most 15,000 records. Private peers are DP-EBM of interpret, PrivaTree (depth 4, ten bins, as in its paper), and five
models of diffprivlib: trees and forests of depth 5, naive Bayes, and logistic regression of columns as they are and in
logarithms. Trees, forests, and naive Bayes try both forms of the columns, logistic regression C = 1, 100, and 10,000:
of these settings, the one with the least mean error on the new records of these very splits counts, which favors peers.
"The best peer" is chosen with the same hindsight. All know the same bounds and categories. DP-EBM and PrivaTree get all
of ε as they count it, which may be less than a substitution costs; δ is that of Auto. PrivaTree is no package: what is
stored was measured with a copy, made by hand, of what learns and predicts in commit 2aff7a0 of its repository, without
its pruning and exports; `make bench` clones that commit.

The bars: at ε = .5, 1, and 3, Auto errs on no table more often than the best peer by more than noise, twice the
standard error of the difference; its regret, the error minus that of the best of trees of depth 2, of depth 3, cards,
and cards of pairs, is at most .005 on average and .02 at worst. A least mean of several is a little too good to be
true, so regrets and losses are a little too large.

Found: the first bar is missed on one table. On chemistry, logistic regression errs less often by .006 at ε = 1 and 3.
Half of that is because its one long column, a mean of grades from 0 to 8, is cut at halves (at quarters, cards of pairs
err .236), half because cards add up whole points. On heart attacks, DP-EBM wins at ε = 1 and 3, and on verbal
aggression at .5, by at most .005: beyond twice the standard error on these splits, but not if one counts that splits
overlap [NB03]. Mean regrets are at most .0030. The worst is .0202 (standard error .0107), on British votes at ε = .1,
where auto_choice has .0010 from 80 other splits; all others are at most .0160. Trees give no order: where Auto learns
one, from ε·n = 200 to 2,500, cards and DP-EBM rank better.

Figures in brackets are standard errors in units of the last digit, over random splits of one table: splits share
records, so those over fresh tables of the same kind are larger. Without measured risks, a tree says no more than yes or
no, and this answer is what its area under the curve is of; a card has points. CPU seconds are those of the process
while it fits, on one core of a machine that others used, too. Ours read a data frame with its texts, peers other than
DP-EBM columns of numbers that were made beforehand.

    python benchmarks/comparison.py measure [minutes]    (adds what lacks to comparison.csv; 15 minutes at a time)
    python benchmarks/comparison.py

Main declarations
    WAYS       who learns, by the name of its environment: fits on the splits of a table
    measure    adds the fits that lack to comparison.csv
    tables     the figures, from there
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from auto_choice import MOST, MOST_NEW
from ebm import Split, by_ebm
from measure import Table, ask_peer
from package_tables import RealTable
from r_tables import R_TABLES
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import privpac as pp

RESULTS = Path(__file__).with_suffix(".csv")
EPSILONS, ALMOST_WITHOUT_NOISE = (0.1, 0.5, 1.0, 3.0), 1000.0
SPLITS, MINUTES = 10, 15
CLASSES: dict[str, Callable[..., Any]] = {
    "Auto": pp.Auto,
    "depth 2": partial(pp.Trees, depth=2),
    "depth 3": partial(pp.Trees, depth=3),
    "cards": pp.Scorecards,
    "cards of pairs": partial(pp.Scorecards, pairs=True),
}
MEMBERS = tuple(CLASSES)[1:]
SETTINGS = ("tree of depth 5", "forest of depth 5", "naive Bayes", "logistic regression")
MODELS = {  # of diffprivlib: how the names of their settings begin and end
    "diffprivlib, tree": ("tree", ""),
    "forest": ("forest", ""),
    "naive Bayes": ("naive", ""),
    "logistic": ("logistic", "as they are"),
    "logistic, logarithms": ("logistic", "in logarithms"),
}
PEERS = ("DP-EBM", "PrivaTree", *MODELS)
OPEN: dict[str, Callable[[], Any]] = {
    "greedy, depth 2": partial(DecisionTreeClassifier, max_depth=2),
    "greedy, depth 3": partial(DecisionTreeClassifier, max_depth=3),
    "boosting": HistGradientBoostingClassifier,
}


class Fit(NamedTuple):
    """On new records: the share of errors, and the area under the curve. Then the CPU seconds of the fit."""

    error: float
    area: float
    seconds: float


class Fits(NamedTuple):
    """One on each split."""

    epsilon: float
    way: str
    found: Sequence[Fit]


def fitted(model: Any, X: Any, y: np.ndarray, split: Split, *, score: str, cut: float) -> Fit:
    """Learn from one part, and try the score, which says yes above the cut, on the other."""
    learned, new = (X.iloc[each] if isinstance(X, pd.DataFrame) else X[each] for each in split)
    start = process_time()
    model.fit(learned, y[split[0]])
    seconds = process_time() - start
    return judged(getattr(model, score)(new), y[split[1]], cut, seconds)


def judged(scores: np.ndarray, true: np.ndarray, cut: float, seconds: float) -> Fit:
    scores = scores[:, 1] if scores.ndim == 2 else scores
    return Fit(float(((scores > cut) != true).mean()), float(roc_auc_score(true, scores)), seconds)


def by_privpac(table: RealTable, splits: Sequence[Split]) -> Iterator[Fits]:
    """Each class at each ε, and Auto almost without noise."""
    parts, asked = table.trees(2).parts, [*product(EPSILONS, CLASSES), (ALMOST_WITHOUT_NOISE, "Auto")]
    for ε, way in asked:
        learner = pp.PrivateClassifier(CLASSES[way](*parts), epsilon=ε)
        about = learner, table.records, table.labels
        yield Fits(ε, way, [fitted(*about, split, score="decision_function", cut=0) for split in splits])


def without_privacy(table: RealTable, splits: Sequence[Split]) -> Iterator[Fits]:
    for way, make in OPEN.items():
        yield Fits(
            np.inf,
            way,
            [fitted(make(), table.numbers, table.labels, split, score="predict_proba", cut=0.5) for split in splits],
        )


def by_interpret(table: RealTable, splits: Sequence[Split]) -> Iterator[Fits]:
    found = by_ebm(table, splits, EPSILONS)
    for i, ε in enumerate(EPSILONS if found else ()):
        pairs = zip(splits, found[i :: len(EPSILONS)], strict=True)
        yield Fits(
            ε, "DP-EBM", [judged(risks, table.labels[new], 0.5, seconds) for (_, new), (risks, seconds) in pairs]
        )


def by_diffprivlib(table: RealTable, splits: Sequence[Split]) -> Iterator[Fits]:
    """All settings of all models."""
    orders = np.array([np.concatenate(split) for split in splits])
    about = {"n": len(splits[0][0]), "norm": len(table.public) ** 0.5, "y": table.labels, "splits": orders}
    forms = {"as they are": table.numbers, "in logarithms": table.logarithms}
    for ε in EPSILONS:
        answer = ask_peer("diffprivlib", "tables", epsilon=ε, some=SETTINGS, **about, **forms)
        for way, found in {}.items() if isinstance(answer, str) else answer.items():
            yield Fits(ε, way, [Fit(*each) for each in found])


def by_privatree(table: RealTable, splits: Sequence[Split]) -> Iterator[Fits]:
    """A category is given by its place among the categories."""
    X = np.column_stack([_numbers(table.records[name], public) for name, public in table.public.items()])
    ranges = [(0.0, 0.0) if isinstance(public[0], str) else public for public in table.public.values()]
    sizes = [len(public) if isinstance(public[0], str) else 0 for public in table.public.values()]
    orders = np.array([np.concatenate(split) for split in splits])
    about = {"n": len(splits[0][0]), "X": X, "y": table.labels, "splits": orders, "ranges": ranges, "sizes": sizes}
    for ε in EPSILONS:
        answer = ask_peer("PrivaTree", "trees", epsilon=ε, **about)
        if not isinstance(answer, str):
            yield Fits(ε, "PrivaTree", [Fit(*each) for each in answer])


def _numbers(column: pd.Series, public: Any) -> np.ndarray:
    return np.asarray(pd.Categorical(column, public).codes if isinstance(public[0], str) else column, dtype=float)


WAYS: dict[str, Callable[[RealTable, Sequence[Split]], Iterator[Fits]]] = {
    "privpac": by_privpac,
    "scikit-learn": without_privacy,
    "interpret": by_interpret,
    "diffprivlib": by_diffprivlib,
    "PrivaTree": by_privatree,
}


def measure(minutes: float) -> None:
    """Add the fits that lack to RESULTS, table by table, for so many minutes."""
    os.environ["OMP_NUM_THREADS"], end = "1", monotonic() + 60 * minutes  # of peers
    known = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    there = {(row["by"], row["table"]) for row in known}
    for name, by in product(R_TABLES, WAYS):
        if (by, name) in there or monotonic() > end:
            continue
        table = R_TABLES[name]()
        n = min(MOST, len(table.labels) * 2 // 3)
        splits = [(old, new[:MOST_NEW]) for old, new in table.splits(n, SPLITS, np.random.default_rng([n, 2]))]
        known += [row(by, name, n, fits) for fits in WAYS[by](table, splits)]
        pd.DataFrame(known).to_csv(RESULTS, index=False, lineterminator="\n")


def row(by: str, name: str, n: int, fits: Fits) -> dict[str, Any]:
    """The errors one by one, since they are compared split by split; the median time leaves first calls out."""
    errors, areas, seconds = np.array(fits.found).T
    return {
        **{"by": by, "table": name, "n": n, "epsilon": fits.epsilon, "way": fits.way},
        "errors": " ".join(f"{each:.4f}" for each in errors),
        **{"area": round(areas.mean(), 4), "area error": round(standard_error(areas), 4)},
        "seconds": round(float(np.nanmedian(seconds)), 4),
    }


def standard_error(found: np.ndarray) -> float:
    return float(found.std(ddof=1) / len(found) ** 0.5)


class Cell(NamedTuple):
    """The fits of one way on one table at one ε: errors one by one, then what there is of areas and seconds."""

    errors: np.ndarray
    area: float
    area_error: float
    seconds: float

    @property
    def mean(self) -> float:
        return float(self.errors.mean())


Cells = dict[str, Cell]


class Task(NamedTuple):
    """A table at one ε, with the cells of all ways; of each model of diffprivlib, that of its best setting."""

    name: str
    n: int
    epsilon: float
    cells: Cells

    def best(self, ways: Sequence[str]) -> str:
        return min(ways, key=lambda way: self.cells[way].mean)


def tasks() -> list[Task]:
    """Of all tables on which everybody was measured."""
    found, known = [], pd.read_csv(RESULTS)
    for (name, n), part in known.groupby(["table", "n"], sort=False):
        if set(part["by"]) != set(WAYS):
            continue
        common = cells(part[part["epsilon"] == np.inf])
        common["almost without noise"] = cells(part[part["epsilon"] == ALMOST_WITHOUT_NOISE])["Auto"]
        for ε in EPSILONS:
            some = cells(part[part["epsilon"] == ε])
            found.append(Task(str(name), int(n), ε, common | some | models(some)))
    return sorted(found, key=lambda task: (task.n, task.name, task.epsilon))


def cells(rows: pd.DataFrame) -> Cells:
    parsed = [np.array(each.split(), dtype=float) for each in rows["errors"]]
    columns = (rows[name] for name in ("area", "area error", "seconds"))
    return dict(zip(rows["way"], map(Cell, parsed, *columns), strict=True))


def models(some: Cells) -> Cells:
    """The best setting of each model of diffprivlib."""
    return {
        model: min(
            (some[way] for way in some if way.startswith(start) and way.endswith(end)), key=lambda cell: cell.mean
        )
        for model, (start, end) in MODELS.items()
    }


def spelled(mean: float, error: float) -> str:
    """
    >>> spelled(0.25, 0.0031)
    '0.2500(31)'
    """
    return f"{mean:.4f}({1e4 * error:.0f})"


def overall(title: str, found: list[Task], value: Callable[[Cell], tuple[float, float]]) -> Table:
    """Means over tables, by way and ε."""
    rows = []
    for way in (*CLASSES, *PEERS, *OPEN):
        means = []
        for ε in EPSILONS:
            pairs = np.array([value(task.cells[way]) for task in found if task.epsilon == ε])
            means.append(spelled(pairs[:, 0].mean(), float(np.hypot.reduce(pairs[:, 1])) / len(pairs)))
        rows.append((way, *(means if way not in OPEN else (means[0], "", "", ""))))
    note = "Greedy trees and boosting are those of scikit-learn, without privacy and without ε."
    return Table(title, ("", *(f"ε = {ε:g}" for ε in EPSILONS)), rows, note)


def times(found: list[Task]) -> Table:
    """Seconds at ε = 1, by way."""
    rows = []
    for way in (*CLASSES, *PEERS, *OPEN):
        seconds = [task.cells[way].seconds for task in found if task.epsilon == 1]
        rows.append((way, f"{np.median(seconds):.3f}", f"{max(seconds):.3f}"))
    return Table("CPU seconds of a fit, ε = 1", ("", "median of tables", "largest"), rows)


def beside(found: list[Task]) -> Table:
    """How often Auto is ahead of each peer, and how often behind, by more than twice the standard error."""
    rows = []
    for peer in (*PEERS, "the best of them", *OPEN):
        counts = []
        for ε in EPSILONS:
            gaps = [
                gap(task, task.best(PEERS) if peer not in task.cells else peer) for task in found if task.epsilon == ε
            ]
            ahead, behind = (sum(sign * mean > 2 * error for mean, error in gaps) for sign in (-1, 1))
            counts.append(f"{ahead} : {behind}, {np.mean([mean for mean, _ in gaps]):+.4f}")
        rows.append((peer, *counts))
    title = (
        "Tables on which Auto errs less : more often than a peer, beyond twice the standard error, and mean difference"
    )
    return Table(title, ("", *(f"ε = {ε:g}" for ε in EPSILONS)), rows)


def gap(task: Task, way: str) -> tuple[float, float]:
    """How much more often Auto errs on the same splits, and the standard error of that."""
    more = task.cells["Auto"].errors - task.cells[way].errors
    return float(more.mean()), standard_error(more)


def overlap(task: Task) -> float:
    """By how much a standard error grows because splits share records: √(1 + J·(new records)/(learned from)) [NB03]."""
    return float((1 + SPLITS * min(MOST_NEW, task.n / 2) / task.n) ** 0.5)


def regrets(found: list[Task]) -> Table:
    rows = []
    for ε in EPSILONS:
        each = {task.name: gap(task, task.best(MEMBERS)) for task in found if task.epsilon == ε}
        worst = max(each, key=lambda name: each[name][0])
        rows.append((f"{ε:g}", f"{np.mean([mean for mean, _ in each.values()]):.4f}", spelled(*each[worst]), worst))
    return Table("Regret of Auto", ("ε", "mean", "worst", "on"), rows)


def behind(found: list[Task]) -> Table:
    """Where the best peer errs less often than Auto on average, and why."""
    rows, lost = [], {"lost": 0, "on these splits": 0, "": 0}
    for task in found:
        peer, member = task.best(PEERS), task.best(MEMBERS)
        mean, error = gap(task, peer)
        beyond = "on these splits" if mean > 2 * error else ""
        beyond = "lost" if mean > 2 * error * overlap(task) else beyond
        lost[beyond] += 1
        if mean >= 5e-5:
            rows.append(
                (
                    *(task.name, task.n, f"{task.epsilon:g}", f"{task.cells['Auto'].mean:.4f}", peer),
                    *(f"{task.cells[peer].mean:.4f}", spelled(mean, error), beyond),
                    *(f"{task.cells[member].mean:.4f}, {member}", f"{task.cells['almost without noise'].mean:.4f}"),
                    why(task, peer, member),
                )
            )
    header = ("table", "n", "ε", "Auto", "best peer", "its error", "Auto − peer", "beyond 2 standard errors")
    note = (
        f"Of {len(found)} comparisons with the best peer in hindsight, {lost['lost']} are lost beyond twice a standard "
        f"error that counts the overlap of splits, and {lost['on these splits']} more beyond that of these splits."
    )
    return Table(
        "Where a private peer errs less often than Auto",
        (*header, "best class here", "Auto, ε = 1000", "why"),
        rows,
        note,
    )


def why(task: Task, peer: str, member: str) -> str:
    """Another class of ours would do; or the same with more records or a larger ε; or none of them."""
    if task.cells[member].mean <= task.cells[peer].mean:
        return "the choice"
    return "noise" if task.cells["almost without noise"].mean <= task.cells[peer].mean else "the class"


def each_table(title: str, found: list[Task], value: Callable[[Cell], tuple[float, float]]) -> Table:
    ways = (*CLASSES, *PEERS, *OPEN)
    rows = [
        (task.name, task.n, f"{task.epsilon:g}", *(spelled(*value(task.cells[way])) for way in ways)) for task in found
    ]
    return Table(title, ("table", "n", "ε", *ways), rows)


def tables(quick: bool = False) -> Iterator[Table]:
    """The figures, from the stored results; ``measure`` takes too long to be a part of every run."""
    found = tasks()
    about = f"{len(found) // len(EPSILONS)} tables, {SPLITS} splits"

    def error(cell: Cell) -> tuple[float, float]:
        return cell.mean, standard_error(cell.errors)

    def area(cell: Cell) -> tuple[float, float]:
        return cell.area, cell.area_error

    yield overall(f"Errors on new records, means over {about}", found, error)
    yield overall(f"Areas under the curve on new records, means over {about}", found, area)
    yield times(found)
    yield beside(found)
    yield regrets(found)
    yield behind(found)
    yield each_table(f"Errors on new records of each table, {SPLITS} splits", found, error)
    yield each_table(f"Areas under the curve on new records of each table, {SPLITS} splits", found, area)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        warnings.simplefilter("ignore", UserWarning)  # that fits are not charged to one account
        with threadpool_limits(1):
            measure(float(sys.argv[2]) if sys.argv[2:] else MINUTES)
    else:
        for found in tables():
            print(found, end="\n\n")
