"""Auto, the default, beside other private classifiers, on the same splits of real tables.

The tables are those of auto_choice on which the rule of Auto was not chosen, with at most 6,000 records to learn from
and 20 columns, because peers take long. Peers are DP-EBM of interpret, and trees, forests, logistic regressions, and
naive Bayes of diffprivlib, each of these on columns as they are and in logarithms. "The best peer" is the one of them
with the least mean error on the new records of these very splits, which favors peers: nobody knows it beforehand. All
of them know the same bounds and categories. DP-EBM gets all of ε as it counts it, which may be less than a substitution
costs; δ is that of Auto.

The bar: at ε = .5, 1, and 3, Auto errs on no table more often than the best peer, beyond twice the standard error of
the difference on the same splits.

    python benchmarks/auto_peers.py [tables…]    (other tables than those)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from auto_choice import EVERY, MOST, MOST_NEW, cells
from ebm import Split, by_ebm
from measure import Table, ask_peer
from package_tables import FOLDER, RealTable

import privpac as pp

EPSILONS = (0.5, 1.0, 3.0)
SPLITS = 5
MOST_RECORDS, MOST_COLUMNS = 6000, 20
SETTINGS = ("tree of depth 5", "forest of depth 5", "logistic regression, C = 1", "naive Bayes")  # C = 1, 100, 10,000


def by_auto(table: RealTable, splits: Sequence[Split], ε: float) -> list[float]:
    """The errors of Auto on new records."""
    clf, found = pp.PrivateClassifier(pp.Auto(*table.trees(2).parts), epsilon=ε), []
    for learned, new in splits:
        clf.fit(table.records.iloc[learned], table.labels[learned])
        found.append(float((clf.predict(table.records.iloc[new]) != table.labels[new]).mean()))
    return found


def by_peers(table: RealTable, splits: Sequence[Split]) -> Iterator[dict[str, Any]]:
    """For each ε, the errors of each peer on new records."""
    risks = by_ebm(table, splits, EPSILONS)
    orders = np.array([np.concatenate(split) for split in splits])
    about = {"n": len(splits[0][0]), "norm": len(table.public) ** 0.5, "y": table.labels, "splits": orders}
    forms = {"as they are": table.numbers, "in logarithms": table.logarithms}
    for i, ε in enumerate(EPSILONS):
        found = ask_peer("diffprivlib", "tables", epsilon=ε, some=SETTINGS, **about, **forms)
        errors = {} if isinstance(found, str) else found
        if risks:
            pairs = zip(splits, risks[i :: len(EPSILONS)], strict=True)
            errors["DP-EBM"] = [float(((risk > 0.5) != table.labels[new]).mean()) for (_, new), risk in pairs]
        yield errors


def rows(name: str, runs: int) -> Iterator[tuple[Any, ...]]:
    """A row for each ε; the last entry is how many standard errors Auto is above the best peer."""
    table = EVERY[name]()
    n = min(MOST, len(table.labels) * 2 // 3)
    splits = [(learned, new[:MOST_NEW]) for learned, new in table.splits(n, runs, np.random.default_rng(n))]
    for ε, peers in zip(EPSILONS, by_peers(table, splits), strict=True):
        if not peers:
            continue
        ours, best = by_auto(table, splits, ε), min(peers, key=lambda each: float(np.mean(peers[each])))
        more = np.subtract(ours, peers[best])
        error = more.std(ddof=1) / len(more) ** 0.5
        means = [f"{np.mean(each):.4f}" for each in (ours, peers.get("DP-EBM", np.nan), peers[best])]
        yield name, n, ε, *means, best, f"{more.mean():+.4f}", f"{error:.4f}", bool(more.mean() > 2 * error)


def compared(names: Sequence[str], runs: int) -> Table:
    """All rows, and how many are lost."""
    found = []
    for name in names:
        found += rows(name, runs)
        print(*found[-len(EPSILONS) :], sep="\n", file=sys.stderr, flush=True)
    lost = [f"{row[0]} at ε = {row[2]:g}" for row in found if row[-1]]
    mean = np.mean([float(row[-3]) for row in found]) if found else 0.0
    header = ("table", "n", "ε", "Auto", "DP-EBM", "best peer", "which", "Auto − best peer", "standard error", "lost")
    shown = [(*row[:-1], "lost" if row[-1] else "") for row in found]
    note = f"Lost: {', '.join(lost) or 'none'}; {len(lost)} of {len(found)}. Mean difference: {mean:+.4f}."
    return Table(f"Errors on new records, means of {runs} splits", header, shown, note)


def judging() -> list[str]:
    """The tables on which the rule of Auto was not chosen, the smallest first."""
    wide = cells()
    small = (wide["n"] <= MOST_RECORDS) & (wide["columns"] <= MOST_COLUMNS)
    return list(dict.fromkeys(wide.table[wide.judges & small]))


def tables(quick: bool) -> Iterator[Table]:
    """Nothing without the tables."""
    if FOLDER.exists():
        names = judging()
        yield compared(names[::4] if quick else names, 2 if quick else SPLITS)


if __name__ == "__main__":
    print(compared(sys.argv[1:] or judging(), SPLITS))
