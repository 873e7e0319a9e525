"""Exact audits: the worst pair of neighbors, for every claim in the catalogue.

Predicted: worst hockey-stick divergence over δ (for a pure claim, worst loss over ε) at most 1, and close to it where
the proof is tight.
The bar: at most 1 for every mechanism, over all neighbors of the enumerated universes; every negative control refuted.

Main declarations
    tables    the figures
"""

from __future__ import annotations

from collections import defaultdict

from measure import Table

from privpac.audit.claims.mechanisms import CATALOGUE
from privpac.audit.controls.mechanisms import CONTROLS


def tables(quick: bool) -> list[Table]:
    """The worst claim of each mechanism, and what is broken on purpose."""
    return [claims(), controls()]


def claims() -> Table:
    found = defaultdict(list)
    for case in CATALOGUE:
        found[case.name].append((case, case.exact()))
    rows = []
    for name, cases in found.items():
        case, worst = max(cases, key=lambda item: float(item[1].ratio))
        refuted, pairs = sum(w.refuted for _, w in cases), sum(w.pairs for _, w in cases)
        where = f"{case.about}, n = {case.n}, {case.claimed}"
        rows.append((name, len(cases), pairs, refuted, f"{float(worst.ratio):.4f}", where))
    header = ("mechanism", "claims", "pairs", "refuted", "worst / claimed", "where")
    return Table("Worst pair of neighbors against the claim", header, rows)


def controls() -> Table:
    found = [(control, control.exact()) for control in CONTROLS]
    rows = [(c.about, f"{float(worst.ratio):.4g}", "yes" if worst.refuted else "NO") for c, worst in found]
    return Table("Broken on purpose", ("control", "worst / claimed", "refuted"), rows)
