"""Which class ``Auto`` chooses: trees of depth 2, of depth 3, or scorecards, with or without pairs, by n and ε alone.

``measure`` learns each of them from random splits of real tables, at several ε, and writes mean errors on new records
to auto_choice.csv, which is kept beside this file. ``tables`` reads it: the numbers ε·n from which on Auto turns to
another class are chosen on 34 tables, and judged on 24 others (r_tables.py). The regret of a choice is its error minus
that of the best of the classes on this table at this ε; being the least of a few noisy means, the best is a little too
good to be true, and regrets are a little too large.

The bar: on the tables that were not used to choose, a mean regret of at most .005, and none above .02. The mean is
.0021, and the worst .0163 (Atlantic wages, ε = 1). On the tables of the choice the mean is .0021, and the worst .0191.
A rule without the first turn, which learned trees of depth 3 from few records, too, has .0024 and .0418: on orange
juice and British votes, with 713 and 1,016 records at ε = .1, where ε·n is about 100. The same turns come out if any
one of the 34 tables plays no part. Where ε·n is at most 200, noise decides so much that ``again`` added 40 fresh splits
to all cells of the other tables; so it did to five cells with a regret of .02 or more in the first splits.

Found: pairs of tests err less often than single ones where ε·n is large, also on tables that play no part in the
choice; with them, scorecards win from ε·n = 2,500 on, in place of 7,000. Few rounds win, because each has more of ε;
pairs, which are many, want fewer rounds than single tests. Depth 2 and cards of single tests win on some tables, but in
no range of ε·n on those of the choice. Cards of pairs also win below ε·n = 200, where they have one line and noise
would choose most of a tree; from there on, they lose up to .06 to trees until ε·n = 2,500. A depth that is drawn, too,
does no better than depth 3.

    python benchmarks/auto_choice.py measure    (about 35 minutes, with the tables of ``make bench``)
    python benchmarks/auto_choice.py again
    python benchmarks/auto_choice.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measure import Table
from package_tables import TABLES, RealTable
from r_tables import R_TABLES
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
DOUBTFUL = 0.015  # regrets from here on are measured again
FEW, FEW_SPLITS, DRAWS = 1000, 4, 5  # ε·n below which the first few splits are drawn from several times: noise decides
# Rounds of scorecards: the most, and ε·n for each.
ROUNDS = ((100, 20), (50, 40), (50, 60), (50, 100), (25, 60), (25, 100), (25, 200))
GRID = (0, 100, 200, 400, 700, 1000, 1300, 1700, 2000, 2500, 3000, 4000, 5000, 7000, 10_000, 20_000, np.inf)  # ε·n
ABOUT = ["table", "n", "columns", "tests"]
Members, Turns = tuple[str, ...], tuple[float, ...]
# The same for cards of pairs, and the most lines.
ROUNDS_OF_PAIRS = ((25, 100, 15), (25, 200, 15), (50, 100, 15), (50, 100, 25))
MOST_LINES_OF_PAIRS = scorecards.MOST_LINES_OF_PAIRS
CARD, PAIRS = "scorecard 50/100", "pairs 25/100"  # the rounds that they take
ALL: Members = ("depth 2", "depth 3", CARD, PAIRS)
EVERY = {**TABLES, **SURVEYS, **R_TABLES}
RULES: tuple[Members, ...] = (
    *((each,) for each in ALL),
    ("depth 2", "depth 3"), ("depth 3", CARD), ("depth 3", PAIRS), ("depth 3", CARD, PAIRS),
    ("depth 2", "depth 3", PAIRS), (PAIRS, "depth 3", PAIRS),
)  # fmt: skip
AUTO, AUTO_TURNS = (PAIRS, "depth 3", PAIRS), AutoLearner.turns


def ways(table: RealTable) -> Iterator[tuple[str, pp.classes.ConceptClass, tuple[int, int, int]]]:
    """What is learned: its name, the class, and the rounds and lines if it is a scorecard."""
    parts = table.trees(2).parts
    for depth in (2, 3, "auto"):
        try:
            yield f"depth {depth}", pp.Trees(*parts, depth=depth), (0, 1, 0)
        except Refused:  # no depth is drawn here
            continue
    for most, each in ROUNDS:
        yield f"scorecard {most}/{each}", pp.Scorecards(*parts), (most, each, scorecards.MOST_LINES)
    for most, each, lines in ROUNDS_OF_PAIRS:
        more = f", {lines} lines" * (lines != MOST_LINES_OF_PAIRS)
        yield f"pairs {most}/{each}{more}", pp.Scorecards(*parts, pairs=True), (most, each, lines)


def measure(names: Iterable[str] = ()) -> None:
    """Add the errors of all ways on the tables with these names, or on all of them, to RESULTS, where they lack."""
    known = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for name in names or EVERY:
        there = {row["way"] for row in known if row["table"] == name}
        wanted = ALL if name in R_TABLES else tuple(way for way, *_ in ways(EVERY[name]()))
        if lacking := tuple(way for way in wanted if way not in there):
            known += errors(name, chosen=lacking)
            pd.DataFrame(known).to_csv(RESULTS, index=False, lineterminator="\n")


def again() -> None:
    """Add fresh splits to the cells of other tables where noise decides most, and to the largest regrets of Auto."""
    wide = cells()
    few = wide.judges & (wide["size"] <= AUTO_TURNS[0])
    for name, ε in wide[few | (regrets(wide, AUTO, AUTO_TURNS) >= DOUBTFUL)][["table", "epsilon"]].to_numpy():
        known = pd.read_csv(RESULTS)
        cell = (known.table == name) & (known.epsilon == ε) & known.way.isin(ALL)
        fresh = pd.DataFrame(errors(name, (ε,), ALL, MORE_SPLITS, seed=int(known[cell].fits.max())))
        both = pd.concat([known[cell], fresh]).groupby([*ABOUT, "epsilon", "way"], as_index=False, sort=False)
        pd.concat([known[~cell], both.apply(pooled)]).to_csv(RESULTS, index=False, lineterminator="\n")


def pooled(parts: pd.DataFrame) -> pd.Series:
    """Two measurements of a cell as one."""
    fits = parts.fits.sum()
    squares = parts.deviation**2 * (parts.fits - 1) + parts.fits * parts.error**2
    error = float(np.average(parts.error, weights=parts.fits))
    deviation = ((squares.sum() - fits * error**2) / (fits - 1)) ** 0.5
    return pd.Series({"error": round(error, 4), "deviation": round(deviation, 4), "fits": int(fits)})


def errors(
    name: str, epsilons: Iterable[float] = (), chosen: Members = (), splits: int = SPLITS, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """For each ε and way, the mean error on new records, and its standard deviation over fits; all of them if none."""
    table = EVERY[name]()
    n = min(MOST, len(table.labels) * 2 // 3)
    rng, found = np.random.default_rng([len(table.labels), seed]), {}
    some_ways = [each for each in ways(table) if not chosen or each[0] in chosen]
    for i, (learned, new) in enumerate(table.splits(n, splits, rng)):
        for ε, (way, concept_class, rounds) in product(epsilons or (SMALL,) * (n >= LARGE) + EPSILONS, some_ways):
            most, scorecards.PER_ROUND, scorecards.MOST_LINES_OF_PAIRS = rounds
            scorecards.MOST_ROUNDS = scorecards.MOST_ROUNDS_OF_PAIRS = most
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
    """A row for each table and ε, a column for each way; ``judges`` says that a table played no part in the choice."""
    found = pd.read_csv(RESULTS)
    wide = found.pivot_table(index=["table", "n", "columns", "tests", "epsilon"], columns="way", values="error")
    wide = wide.reset_index().sort_values(["n", "table", "epsilon"])
    wide["size"], wide["judges"] = wide.n * wide.epsilon, wide.table.isin(R_TABLES)
    return wide


def rounds(wide: pd.DataFrame) -> Iterator[Table]:
    """Mean errors of scorecards by their rounds, where all of them were measured."""
    spans = [(0, np.inf), (0, 1000), (1000, 5000), (5000, np.inf)]
    for kind, name in (("scorecard", "scorecards"), ("pairs", "scorecards of pairs")):
        some = [way for way in wide if str(way).startswith(kind)]
        there = wide[wide[some].notna().all(axis=1)]
        parts = [there[(low <= there["size"]) & (there["size"] < high)] for low, high in spans]
        rows = [(way, *(f"{part[way].mean():.4f}" for part in parts)) for way in some]
        spelled = ["all", *(f"ε·n {low:g} to {high:g}" for low, high in spans[1:])]
        title = f"Errors of {name} by the number of rounds, on {there.table.nunique()} tables"
        yield Table(title, ("rounds: most/ε·n for each", *spelled), rows)


def members(wide: pd.DataFrame) -> Table:
    """Mean errors of the classes by ε·n, first on the tables of the choice, then on the others."""
    ends = (0, 200, 1000, 2500, 5000, 15_000, np.inf)
    rows = []
    for judges, (low, high) in product((False, True), pairwise(ends)):
        part = wide[(wide.judges == judges) & (low <= wide["size"]) & (wide["size"] < high)]
        tables = "others" if judges else "chosen on"
        rows.append((tables, f"{low:g} to {high:g}", len(part), *(f"{part[way].mean():.4f}" for way in ALL)))
    return Table("Errors of the classes that Auto chooses from", ("tables", "ε·n", "tables and ε", *ALL), rows)


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
    """Regrets of single classes, of rules fitted to the tables of the choice, and of the rule that Auto has."""
    sides = [wide[~wide.judges], wide[wide.judges]]
    rows = [_row(each, fitted(sides[0], each), *sides) for each in RULES]
    rows.append(("Auto", *_row(AUTO, AUTO_TURNS, *sides)[1:]))
    title = "Regrets on the tables that the turns are fitted to, and on the others"
    tables = sides[0].table.unique()
    turns = {fitted(sides[0][sides[0].table != left_out], AUTO) for left_out in tables}
    note = f"Without one of the {len(tables)} tables, the turns of Auto's members are {' or '.join(map(str, turns))}."
    yield Table(title, ("members", "turns at ε·n", "mean", "worst", "mean, others", "worst, others"), rows, note)
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
    yield from rounds(wide)
    yield members(wide)
    yield from choices(wide)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2:])
    if sys.argv[1:2] == ["again"]:
        again()
    for found in tables():
        print(found, end="\n\n")
