"""Which class ``Auto`` chooses: trees of depth 2, of depth 3, or scorecards, by n and ε alone.

``measure`` learns each of them from random splits of all tables here, at several ε, and writes mean errors on new
records to auto_choice.csv, which is kept beside this file. ``tables`` reads it: rounds of scorecards and the numbers
ε·n from which on Auto turns to another class are chosen on every other table, in the order of their sizes, and judged
on the others. The regret of a choice is its error minus that of the best of the classes on this table at this ε; being
the least of a few noisy means, the best is a little too good to be true, and regrets are a little too large.

The bar: on the tables that were not used to choose, a mean regret of at most .005, and none above .02: both are met,
.0023 and .0145. Three regrets were .02 or more with 8 splits. ``again`` measured these on 40 fresh ones: working wives
at ε = 3 has .0112 then (.0225 before), pharmacies at ε = 0.5 .0093 (.0201), and panel wages at ε = 1 .0239 (.0211; the
standard error is .0025). The last one is real, on a table that was used to choose. No turn avoids it without worse ones
elsewhere: from 2,500 on, the worst is .024 on the other half. Turns that depend on the number of tests or columns, too,
do no better on tables that they were not fitted to.

Found: few rounds win where ε·n is small, because each has more of ε; scorecards win where it is large, because they see
more columns than a tree of depth 3 does. Depth 2 wins in no range of ε·n, and a depth that is drawn, too, does no
better than depth 3.

    python benchmarks/auto_choice.py measure    (about 25 minutes, with the tables of ``make bench``)
    python benchmarks/auto_choice.py again
    python benchmarks/auto_choice.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measure import Table
from package_tables import TABLES, RealTable
from survey_tables import SURVEYS

import privpac as pp
from privpac.learners.decision_trees import scorecards
from privpac.learners.decision_trees.auto import AutoLearner
from privpac.learners.decision_trees.trees import public_tests_of
from privpac.refusals.refusal import Refused

RESULTS = Path(__file__).with_suffix(".csv")
EPSILONS, SMALL, LARGE = (0.1, 0.5, 1, 3), 0.01, 10_000  # the small ε only with so many records
MOST, MOST_NEW = 15_000, 5000  # records to learn from, and to try rules on
SPLITS, MORE_SPLITS = 8, 40
DOUBTFUL = 0.02  # regrets from here on are measured again
FEW, FEW_SPLITS, DRAWS = 1000, 4, 5  # ε·n below which the first few splits are drawn from several times: noise decides
# Rounds of scorecards: the most, and ε·n for each.
ROUNDS = ((100, 20), (50, 40), (50, 60), (50, 100), (25, 60), (25, 100), (25, 200))
GRID = (0, 100, 200, 400, 700, 1000, 1300, 2000, 3000, 4000, 5000, 7000, 10_000, 20_000, np.inf)  # ε·n
Members, Turns = tuple[str, ...], tuple[float, ...]
CARD = "scorecard 50/100"  # the rounds that scorecards take
ALL: Members = ("depth 2", "depth 3", CARD)
RULES: tuple[Members, ...] = (
    *((each,) for each in ALL),
    ("depth 2", "depth 3"), ("depth 2", CARD), ("depth 3", CARD), ("depth auto", CARD), ALL,
)  # fmt: skip
AUTO, AUTO_TURNS = ("depth 3", CARD), AutoLearner.turns


def ways(table: RealTable) -> Iterator[tuple[str, pp.classes.ConceptClass, tuple[int, int]]]:
    """What is learned: its name, the class, and the rounds if it is a scorecard."""
    parts = table.trees(2).parts
    for depth in (2, 3, "auto"):
        try:
            yield f"depth {depth}", pp.Trees(*parts, depth=depth), ROUNDS[0]
        except Refused:  # no depth is drawn here
            continue
    for most, each in ROUNDS:
        yield f"scorecard {most}/{each}", pp.Scorecards(*parts), (most, each)


def measure(names: Iterable[str] = ()) -> None:
    """Write the errors of all ways on the tables with these names, or on all of them, to RESULTS."""
    known = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for name in names or {**TABLES, **SURVEYS}:
        known = [row for row in known if row["table"] != name] + list(errors(name))
        pd.DataFrame(known).to_csv(RESULTS, index=False, lineterminator="\n")


def again() -> None:
    """Measure the cells with the largest regrets of the rule of Auto anew, on more splits, none of them used before."""
    wide = cells()
    doubtful = wide[regrets(wide, AUTO, AUTO_TURNS) >= DOUBTFUL]
    for name, ε in doubtful[["table", "epsilon"]].itertuples(index=False, name=None):
        fresh = list(errors(name, (ε,), ALL, MORE_SPLITS, seed=1))
        known = pd.read_csv(RESULTS).to_dict("records")
        kept = [row for row in known if (row["table"], row["epsilon"]) != (name, ε) or row["way"] not in ALL]
        pd.DataFrame(kept + fresh).to_csv(RESULTS, index=False, lineterminator="\n")


def errors(
    name: str, epsilons: Iterable[float] = (), chosen: Members = (), splits: int = SPLITS, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """For each ε and way, the mean error on new records, and its standard deviation over fits; all of them if none."""
    table = {**TABLES, **SURVEYS}[name]()
    n = min(MOST, len(table.labels) * 2 // 3)
    rng, found = np.random.default_rng([len(table.labels), seed]), {}
    some_ways = [each for each in ways(table) if not chosen or each[0] in chosen]
    for i, (learned, new) in enumerate(table.splits(n, splits, rng)):
        for ε, (way, concept_class, rounds) in product(epsilons or (SMALL,) * (n >= LARGE) + EPSILONS, some_ways):
            scorecards.MOST_ROUNDS, scorecards.PER_ROUND = rounds
            clf, some = pp.PrivateClassifier(concept_class, epsilon=ε), new[:MOST_NEW]
            few = DRAWS if i < FEW_SPLITS else 0
            for _ in range(1 if ε * n >= FEW or splits > SPLITS else few):
                clf.fit(table.records.iloc[learned], table.labels[learned])
                wrong = clf.predict(table.records.iloc[some]) != table.labels[some]
                found.setdefault((ε, way), []).append(wrong.mean())
    tests = public_tests_of(table.trees(2)).public.number
    about = {"table": name, "n": n, "columns": len(table.public), "tests": tests}
    for (ε, way), each in found.items():
        spread = {"error": round(np.mean(each), 4), "deviation": round(np.std(each, ddof=1), 4)}
        yield about | {"epsilon": ε, "way": way} | spread | {"fits": len(each)}


def cells() -> pd.DataFrame:
    """A row for each table and ε, a column for each way; ``half`` says whether a table chooses (0) or judges (1)."""
    found = pd.read_csv(RESULTS)
    wide = found.pivot_table(index=["table", "n", "columns", "tests", "epsilon"], columns="way", values="error")
    wide = wide.reset_index().sort_values(["n", "table", "epsilon"])
    wide["size"] = wide.n * wide.epsilon
    wide["half"] = wide.table.map({name: i % 2 for i, name in enumerate(dict.fromkeys(wide.table))})
    return wide


def rounds(wide: pd.DataFrame) -> Table:
    """Mean errors of scorecards by their rounds, on the half that chooses, then on the other."""
    names = [way for way in wide if str(way).startswith("scorecard")]
    spans = [(0, 1000), (1000, 5000), (5000, np.inf)]
    rows = []
    for way in names:
        means = [
            wide[way][(wide.half == half) & (low <= wide["size"]) & (wide["size"] < high)].mean()
            for half in (0, 1)
            for low, high in [(0, np.inf), *spans]
        ]
        rows.append((way, *(f"{each:.4f}" for each in means)))
    spelled = ["all", *(f"ε·n {low:g} to {high:g}" for low, high in spans)]
    header = ("rounds: most/ε·n for each", *(f"{each}, {half}" for half in ("chosen on", "others") for each in spelled))
    return Table("Errors of scorecards by the number of rounds", header, rows)


def errors_by_rule(wide: pd.DataFrame, members: Members, turns: Turns) -> np.ndarray:
    """The errors of a rule: the first member below the first turn, and so on."""
    place = np.searchsorted(np.array(turns, dtype=float), wide["size"].to_numpy(), side="right")
    return wide[list(members)].to_numpy()[np.arange(len(wide)), place]


def regrets(wide: pd.DataFrame, members: Members, turns: Turns) -> np.ndarray:
    """How much more often than the best member each cell errs."""
    return np.asarray(errors_by_rule(wide, members, turns) - wide[list(ALL)].min(axis=1).to_numpy())


def fitted(wide: pd.DataFrame, members: Members) -> Turns:
    """The turns of the grid with the least mean regret."""
    candidates = [each for each in product(GRID, repeat=len(members) - 1) if list(each) == sorted(each)]
    return min(candidates, key=lambda turns: regrets(wide, members, turns).mean())


def choices(wide: pd.DataFrame) -> Iterator[Table]:
    """Regrets of single members, of rules that are fitted to one half, and of the rule that Auto has."""
    halves = [wide[wide.half == half] for half in (0, 1)]
    rows = []
    for members in (each for each in RULES if {*each} <= {*wide}):  # without a way that was not measured
        fit_here = [(fitted(halves[i], members), halves[i], halves[1 - i]) for i in (0, 1)]
        for turns, own, other in fit_here if len(members) > 1 else fit_here[:1]:
            rows.append(_row(members, turns, own, other))
    rows.append(_row(AUTO, AUTO_TURNS, *halves))
    title = "Regrets on the half that the turns are fitted to, and on the other"
    yield Table(title, ("members", "turns at ε·n", "mean", "worst", "mean, other half", "worst, other half"), rows)
    found = wide.assign(regret=regrets(wide, AUTO, AUTO_TURNS)).sort_values("regret", ascending=False).head(8)
    worst = found[["table", "n", "epsilon", *ALL, "regret"]].itertuples(index=False, name=None)
    yield Table(
        "Where the rule of Auto errs most above the best member", ("table", "n", "ε", *ALL, "regret"), list(worst)
    )


def _row(members: Members, turns: Turns, *halves: pd.DataFrame) -> tuple[str, ...]:
    found = [regrets(half, members, turns) for half in halves]
    figures = [f"{each:.4f}" for regret in found for each in (regret.mean(), regret.max())]
    return " → ".join(members), ", ".join(f"{each:g}" for each in turns) or "–", *figures


def tables(quick: bool = False) -> Iterator[Table]:
    """The figures, from the stored results; ``measure`` takes too long to be a part of every run."""
    wide = cells()
    yield rounds(wide)
    yield from choices(wide)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2:])
    if sys.argv[1:2] == ["again"]:
        again()
    for found in tables():
        print(found, end="\n\n")
