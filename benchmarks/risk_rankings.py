"""How well new records of real tables are ranked, by points and by measured risks, beside DP-EBM.

Ranked by the points of a scorecard, by its measured risks, and by the risks of a tree, beside DP-EBM, if its
environment is there or PRIVPAC_BENCH_EBM names another. Each figure is the mean of several random splits; the area
under the curve is that of 30 % of the records, which no fit has seen. No bar: a comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ebm import by_ebm
from measure import Table
from package_tables import FOLDER, TABLES, part
from risks import covers
from sklearn.metrics import roc_auc_score

import privpac as pp

RNG = np.random.default_rng(18)
RANKED = "census", "compas", "mortgages"


def rankings(runs: int) -> Table:
    """How well new records are ranked, and how far the measured areas are from those on new records."""
    rows: list[tuple[Any, ...]] = []
    for name in RANKED:
        real = TABLES[name]()
        n, parts = 7 * len(real.labels) // 10, [part(*each) for each in real.public.items()]
        for ε in (0.1, 1.0):
            found: dict[str, list[float]] = {each: [] for each in ("points", "bands", "leaves", "covered", "EBM")}
            for learned, new in real.splits(n, runs, RNG):
                X, y = real.records.iloc[learned], real.labels[learned]
                other, true = real.records.iloc[new], real.labels[new]
                given: dict[str, Any] = {"epsilon": ε, "classes": (False, True), "report_error": True}
                card = pp.PrivateClassifier(pp.Scorecards(*parts), **given).fit(X, y)
                tree = pp.PrivateClassifier(pp.Trees(*parts, depth=2), **given).fit(X, y)
                found["points"].append(roc_auc_score(true, card.decision_function(other)))
                for which, clf in (("bands", card), ("leaves", tree)):
                    area = roc_auc_score(true, clf.predict_proba(other)[:, 1])
                    found[which].append(area)
                    if (measured := clf._risks.auc) is not None:
                        found["covered"].append(covers(measured.low, area, measured.high))
                for risks, _ in by_ebm(real, [(learned, new)], [ε]):
                    found["EBM"].append(roc_auc_score(true, risks))
            shown = (f"{np.mean(each):.3f}" if each else "" for each in found.values())
            rows.append((name, len(real.labels), ε, *shown))
    header = (
        "table",
        "records",
        "ε",
        "points",
        "risks of bands",
        "risks of leaves",
        "measured interval holds",
        "DP-EBM",
    )
    return Table(f"Area under the curve for new records, mean of {runs} splits", header, rows)


def tables(quick: bool) -> list[Table]:
    """One table, if the real ones are there."""
    return [rankings(1 if quick else 3)] if FOLDER.exists() else []
