"""Risks of regions: how often their intervals cover, also after pruning and after a cut-off was chosen.

Predicted: intervals for all regions together, for all rules that may be chosen, and for the cost at any weights invert
the exact law of the noisy counts, so each family covers at least 95 % of the time.
The bar: at least .93 over 300 fits for every family of statements, with errors weighed 1 : 10 for the cost. For
operating points, at most .07 of all fits may make a false statement. A fit that cannot reach what is asked refuses and
states nothing; the promise is about all fits, not about the few that answer where most refuse. The section takes at
most 15 minutes.

The first two tables are about the same whole fits, which learn a tree or a scorecard over two columns, whose law is
known. In the third, the tree is fixed and only its counts are drawn, so that the leaves can be as many, as small, and
as empty as one likes: there pruning happens. "Error as if nothing was chosen" reads the pruned rule's own counts at the
full confidence.

The fourth table says what more regions cost: the interval of the error is wider by at most a quarter, as the public
rule for their number demands. How risks rank is in ``risk_rankings``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from measure import Table, in_processes

import privpac as pp
from privpac.classes.decision_trees.rules import Split
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.regions import Leaves
from privpac.learners.errors.error_estimate import read_counts
from privpac.learners.errors.error_intervals import NoiseSum, error_interval
from privpac.learners.errors.region_counts import Kinds, RegionCounts, most_regions
from privpac.learners.errors.risks import Risks
from privpac.learners.errors.share_intervals import NoisyPair

SEED = 18
FITS = 300
BETA = Fraction(1, 20)
AGES, STAYS = np.meshgrid(np.arange(40), np.arange(6), indexing="ij")
CELLS = {"age": AGES.ravel(), "prior": STAYS.ravel()}
COMMON = np.full(240, 1 / 240)
RARE = np.array([0.4, 0.3, 0.15, 0.1, 0.04, 0.01])[CELLS["prior"]] / 40
RISK = 0.03 + 0.3 * (CELLS["age"] >= 25) * (CELLS["prior"] >= 2) + 0.25 * (CELLS["prior"] >= 3) + CELLS["age"] / 200
ONE_CUT = (CELLS["prior"] < 2) / 80, 0.35 + 0.3 * (CELLS["age"] >= 20)
POPULATIONS = {
    "even": (COMMON, RISK), "few with many stays": (RARE, RISK), "rare label": (RARE, RISK / 4), "one cut": ONE_CUT,
}  # fmt: skip
PARTS = pp.Thresholds(0, 39).on("age"), pp.Thresholds(0, 5).on("prior")


def covers(low: float, true: float, high: float) -> bool:
    return low - 1e-9 <= true <= high + 1e-9


def statements(clf: Any, mass: np.ndarray, risk: np.ndarray) -> dict[str, bool]:
    """Which families of statements of a fit are true of its population."""
    error, risks = clf.error_, Risks(clf.error_.cells)
    says = clf.hypothesis_(CELLS)
    wrong = mass @ np.where(says, 1 - risk, risk)
    costs = read_counts(error.cells, (), (1, 10))
    cost = mass @ np.where(says, 1 - risk, 10 * risk)
    found = {
        "error": covers(error.low, wrong, error.high),
        "cost 1 : 10": covers(costs.cost_low, cost, costs.cost_high),
        "all risks": _all_risks(risks, mass, risk),
    }
    if risks.auc is not None:
        found["AUC"] = covers(risks.auc.low, _auc(risks, mass, risk), risks.auc.high)
    return found


def _all_risks(risks: Risks, mass: np.ndarray, risk: np.ndarray) -> bool:
    places = risks.cells.partition.places(CELLS)
    for group, region in zip(risks._groups, risks.regions, strict=False):
        inside = mass * np.isin(places, group)
        if inside.sum() > 0 and not covers(region.low, inside @ risk / inside.sum(), region.high):
            return False
    return True


def _point(point: Any, mass: np.ndarray, risk: np.ndarray) -> bool:
    says, positive, negative = point.rule(CELLS), mass * risk, mass * (1 - risk)
    true = (positive @ says / positive.sum(), negative @ ~says / negative.sum(), mass @ says)
    measured = (point.sensitivity, point.specificity, point.flagged)
    return all(covers(each.low, share, each.high) for each, share in zip(measured, true, strict=True))


def _auc(risks: Risks, mass: np.ndarray, risk: np.ndarray) -> float:
    places, rank = risks.cells.partition.places(CELLS), np.zeros(risks.cells.partition.number)
    for i, place in enumerate(risks._order):
        rank[list(risks._groups[place])] = -i
    positive, negative = (np.bincount(places, mass * each, len(rank)) for each in (risk, 1 - risk))
    higher = (rank[:, None] > rank) + 0.5 * (rank[:, None] == rank)
    return float(positive @ higher @ negative / (positive.sum() * negative.sum()))


IDLE = pp.Trees(PARTS[0], pp.Thresholds(0, 60).on("prior"), depth=2)  # most cuts leave one side empty
CLASSES = {"trees": pp.Trees(*PARTS, depth=2), "scorecards": pp.Scorecards(*PARTS), "trees with idle cuts": IDLE}
FITTED = (
    ("few with many stays", "trees", 5000, 1.0),
    ("few with many stays", "trees", 20_000, 0.1),
    ("rare label", "trees", 5000, 1.0),
    ("few with many stays", "scorecards", 5000, 1.0),
    ("even", "scorecards", 20_000, 0.1),
)
PRUNED = ("one cut", "trees with idle cuts", 20_000, 1.0)  # where whole fits are pruned


def a_fit(population: str, kind: str, n: int, ε: float, rng: Any) -> Any:
    """A fit of n records of a population."""
    (mass, risk), concept_class = POPULATIONS[population], CLASSES[kind]
    at = rng.choice(len(mass), n, p=mass)
    X, y = {column: values[at] for column, values in CELLS.items()}, rng.random(n) < risk[at]
    return pp.PrivateClassifier(concept_class, epsilon=ε, classes=(False, True), report_error=True).fit(X, y)


TARGETS = ({"sensitivity": 0.3}, {"sensitivity": 0.5}, {"sensitivity": 0.8}, {"flagged_at_most": 0.2})
ROWS = (*FITTED, PRUNED)
FAMILIES = ("error", "cost 1 : 10", "all risks", "AUC")


def fits(i: int, runs: int) -> tuple[dict[str, list[bool]], list[list[bool]]]:
    """Which statements of fits of a row are true: of each family, and at each operating point that some fit reaches."""
    rng, (mass, risk) = np.random.default_rng((SEED, i)), POPULATIONS[ROWS[i][0]]
    found: dict[str, list[bool]] = {each: [] for each in (*FAMILIES, "pruned")}
    told: list[list[bool]] = [[] for _ in TARGETS]
    for _ in range(runs):
        clf = a_fit(*ROWS[i], rng)
        found["pruned"].append(clf.error_.cells.pruning.mass > 0)
        for each, true in statements(clf, mass, risk).items():
            found[each].append(true)
        for asked, points in zip(TARGETS, told, strict=True):
            try:
                points.append(_point(clf.operating_point(**asked), mass, risk))
            except ValueError:  # refused: it cannot be reached, and nothing is stated
                continue
    return found, told


def whole_fits(runs: int) -> list[Table]:
    """Coverage, and rules chosen afterwards: how many fits reach one, and in how many of these a statement is false."""
    rows: list[tuple[Any, ...]] = []
    chosen: list[tuple[Any, ...]] = []
    for public, (found, told) in zip(ROWS, in_processes(fits, [(i, runs) for i in range(len(ROWS))]), strict=True):
        shown = [f"{np.mean(found[each]):.3f}" if found[each] else "" for each in FAMILIES]
        rows.append((*public, *shown, f"{np.mean(found['pruned']):.2f}"))
        chosen.append((*public, *(f"{len(each) - sum(each)} of {len(each)}" for each in told)))
    about = ("population", "class", "n", "ε")
    asked = (f"{key} {value}" for each in TARGETS for key, value in each.items())
    return [
        Table(f"Coverage of .95, {runs} fits in each row", (*about, *FAMILIES, "pruned"), rows),
        Table(f"Operating points: false statements of those made, {runs} fits in each row", (*about, *asked), chosen),
    ]


def a_tree(depth: int) -> Split:
    """A tree of this depth over equal bins, whose leaves have random labels that are not all alike at a split."""

    def grown(low: int, high: int) -> Any:
        if high - low == 1:
            return Constant(bool(low % 2))
        middle = (low + high) // 2
        return Split(Threshold(middle), grown(middle, high), grown(low, middle))

    return grown(0, 2**depth)


FIXED = {
    "2 leaves of 4 empty": (2, [0.5, 0, 0.5, 0], 0.2),
    "2 leaves of 4 nearly empty": (2, [0.497, 0.003, 0.498, 0.002], 0.2),
    "4 leaves of 8 empty": (3, [0.25, 0] * 4, 0.5),
    "7 leaves of 8 small": (3, [0.93, *[0.01] * 7], 0.5),
    "30 small leaves of 32": (5, [0.6, 0.37, *[0.001] * 30], 0.5),
    "8 even leaves, even risks": (3, [0.125] * 8, 0.5),
}


SIZES = ((1000, 3.0), (20_000, 1.0))  # held-out records, ε
COVERED = ("error", "naive", "cost", "risks", "point", "pruned")


def fixed_tree(name: str, n: int, ε: float, runs: int) -> tuple[Any, ...]:
    """One row: a tree whose counts are drawn."""
    (depth, masses, level), rng = FIXED[name], np.random.default_rng((SEED, n, [*FIXED].index(name)))
    tree, number = a_tree(depth), 2**depth
    places = Leaves(tree).places(np.arange(number))
    mass = np.zeros(number)
    mass[places] = masses
    risk = np.where(np.arange(number) == 0, level, rng.uniform(0.1, 0.9, number) if level < 0.5 else level)
    covered: dict[str, list[bool]] = {each: [] for each in COVERED}
    both = np.stack([mass * risk, mass * (1 - risk)], axis=1).ravel()
    for _ in range(runs):
        cells = _drawn(tree, both, n, Fraction(ε) / 2, rng)
        for each, true in _tried(cells, mass, risk).items():
            covered[each].append(true)
    return (name, n, ε, *(f"{np.mean(each):.3f}" if each else "" for each in covered.values()))


def fixed_trees(runs: int) -> Table:
    rows = in_processes(fixed_tree, [(name, *size, runs) for name in FIXED for size in SIZES])
    header = (
        *("leaves", "held out", "ε", "error", "error as if nothing was chosen", "cost 1 : 10", "all risks"),
        *("sensitivity ≥ .8", "pruned"),
    )
    return Table(f"Coverage of .95 for a fixed tree, {runs} draws in each row", header, rows)


def _drawn(tree: Split, both: np.ndarray, n: int, rate: Fraction, rng: Any) -> RegionCounts:
    """Noisy counts of n records; ``both`` has the masses of positive and of negative ones, leaf by leaf."""
    ρ = 1 - np.exp(-float(rate))
    noise = rng.geometric(ρ, len(both)) - rng.geometric(ρ, len(both))
    return RegionCounts(tree, tuple((rng.multinomial(n, both / both.sum()) + noise).tolist()), n, rate, BETA)


def _tried(cells: RegionCounts, mass: np.ndarray, risk: np.ndarray) -> dict[str, bool]:
    found, labels = read_counts(cells, (), (1, 10)), np.array(cells.pruning.labels)
    wrong, cost = (float(mass @ np.where(labels == 1, 1 - risk, times * risk)) for times in (1, 10))
    naive = cells.interval(Kinds.of(cells.pruning.labels, void=False).errors, cells.beta)
    risks = Risks(cells)
    tried = {
        "error": covers(found.low, wrong, found.high),
        "naive": covers(naive[0], wrong, naive[1]),
        "cost": covers(found.cost_low, cost, found.cost_high),
        "pruned": cells.pruning.mass > 0,
    }
    if len(mass) > 8:  # which takes long
        return tried
    tried["risks"] = all(
        covers(region.low, float(mass[list(g)] @ risk[list(g)] / mass[list(g)].sum()), region.high)
        for g, region in zip(risks._groups, risks.regions, strict=True)
        if mass[list(g)].sum() > 0
    )
    if len(risks._groups) > 1:
        try:
            point = risks.operating_point(sensitivity=0.8)
        except ValueError:
            return tried
        says = point.rule(np.arange(len(mass)))[np.argsort(cells.partition.places(np.arange(len(mass))))]
        positive, negative = mass * risk, mass * (1 - risk)
        true = (positive @ says / positive.sum(), negative @ ~says / negative.sum(), mass @ says)
        measured = (point.sensitivity, point.specificity, point.flagged)
        tried["point"] = all(covers(each.low, share, each.high) for each, share in zip(measured, true, strict=True))
    return tried


def prices() -> Table:
    """How much wider the interval of the error is with more regions, and how wide that of a risk."""
    rows: list[tuple[Any, ...]] = []
    for ε, n in ((3.0, 200), (1.0, 200), (1.0, 1000), (1.0, 8000), (0.1, 1000), (0.1, 8000), (0.1, 50_000)):
        rate = Fraction(ε).limit_denominator(1000) / 2
        most = most_regions(2 * rate, n, void=False)
        widths = {m: error_interval(2 * round(0.15 * n), n, NoiseSum(rate, 2 * m), BETA) for m in (2, 4, 8)}
        base = widths[2][1] - widths[2][0]
        wider = [f"{(widths[m][1] - widths[m][0]) / base:.2f}" for m in (4, 8)]
        risks = [NoisyPair((n // m // 5, n // m - n // m // 5), (1, 1), n, rate).interval(BETA / m) for m in (2, 4, 8)]
        rows.append((ε, n, min(most, 99), f"{base:.3f}", *wider, *(f"{high - low:.3f}" for low, high in risks)))
    header = ("ε", "held out", "regions counted at most", "width of the error", "times with 4", "with 8")
    return Table("What regions cost", (*header, "width of a risk of .2, 2 regions", "4", "8"), rows)


def tables(quick: bool) -> list[Table]:
    """Whole fits, fixed trees, and what regions cost."""
    runs = 30 if quick else FITS
    return [*whole_fits(runs), fixed_trees(runs), prices()]
