"""Suggested schemas on ten real tables: what is found at ε = 1/2, and what a rule loses that is learned with it.

Each table is written to a CSV file, where all entries are texts, and a schema is suggested for it. "Columns" are those
that are suggested, "kinds" those that are numbers or categories as in a schema written by hand. "Inside" is the share
of a column's entries that fit its suggestion, and "values" the share of entries of categories whose value is named. The
rule is a tree of depth 2, learned at ε = 1 from 70 % of the records and tried on the others, with the suggested schema
of these 70 % and with the schema written by hand. "True" counts the suggestions all of whose statements are true.
The bars: the error with suggested schemas is at most .02 above the other, on average over the runs of each table, and
at least .93 of the suggestions are all true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from measure import Table
from package_tables import TABLES, RealTable
from survey_tables import SURVEYS

import privpac as pp
from privpac.release.suggestions.suggested_columns import Entries
from privpac.release.suggestions.suggested_schema import SuggestedSchema
from privpac.release.suggestions.suggestion_request import SuggestionRequest

EPSILON, DELTA, LEARNING = 0.5, 1e-7, 1.0
LEARNED = 0.7
LABEL, NO_YES = "the label", ("no", "yes")
WORST, COVERED = 0.02, 0.93
NAMES = (
    *("census", "credit", "hr", "compas", "private insurance"),
    *("benefits", "pharmacies", "computers", "survival", "wives insured"),
)


@dataclass(frozen=True)
class Run:
    """One suggestion for some of the records, and the errors on all others."""

    suggested: int
    right: int
    inside: list[float]
    named: list[float]
    true: bool
    error: float
    by_hand: float


def labeled(table: RealTable) -> pd.DataFrame:
    """All columns, and the label as a word."""
    return table.records.assign(**{LABEL: np.where(table.labels, NO_YES[1], NO_YES[0])})


def suggested(records: pd.DataFrame, folder: Path) -> SuggestedSchema:
    """What is suggested for a CSV file of the records."""
    file = folder / "table.csv"
    records.to_csv(file, index=False)
    return SuggestionRequest(EPSILON, DELTA, y=LABEL).fit(file).suggestion_


def shares(found: SuggestedSchema, records: pd.DataFrame) -> dict[str, float]:
    """The share of the entries of each suggested column that fit."""
    fitting = {}
    for each in found.suggestions:
        if each.declared is not None:
            texts = records[each.source.name].astype(str).to_numpy(dtype=object)
            fitting[each.source.name] = Entries(texts, np.ones(len(texts), dtype=np.int64)).fitting(each) / len(texts)
    return fitting


def error(trees: pp.Trees, learned: pd.DataFrame, tried: pd.DataFrame) -> float:
    """The error on new records of a rule learned with these tests."""
    rule = pp.PrivateClassifier(trees, epsilon=LEARNING, delta=DELTA, classes=NO_YES, on_invalid="clamp")
    return float((rule.fit(learned, learned[LABEL]).predict(tried) != tried[LABEL]).mean())


def splits(table: RealTable, runs: int, folder: Path) -> Iterator[Run]:
    """A suggestion and two rules, for random splits."""
    everything = labeled(table)
    for chosen, others in table.splits(int(LEARNED * len(everything)), runs, np.random.default_rng(1)):
        learned, tried = (everything.iloc[each].reset_index(drop=True) for each in (chosen, others))
        found = suggested(learned, folder)
        fitting = shares(found, learned)
        columns = {column.name: column for column in found.columns}
        right = [name for name, each in columns.items() if each.ordered != isinstance(table.public[name][0], str)]
        values = {name: each.values for name, each in columns.items() if each.values is not None}
        yield Run(
            suggested=len(columns),
            right=len(right),
            inside=[fitting[name] for name in columns],
            named=[float(learned[name].isin(named).mean()) for name, named in values.items()],
            true=all(fitting[name] >= least for name, least in found.at_least.items()),
            error=error(found.schema.trees(depth=2), learned, tried),
            by_hand=error(table.trees(depth=2), learned, tried),
        )


def tables(quick: bool) -> Iterator[Table]:
    """The figures."""
    header = ("table", "records", "columns", "kinds", "inside (least)", "inside", "values", "true", "error", "by hand")
    rows, held, worst, runs = [], [], 0.0, 2 if quick else 6
    for name in NAMES:
        table = {**TABLES, **SURVEYS}[name]()
        with TemporaryDirectory() as folder:
            found = list(splits(table, runs, Path(folder)))
        d, errors, by_hand = len(table.public), mean(run.error for run in found), mean(run.by_hand for run in found)
        held += [run.true for run in found]
        worst = max(worst, errors - by_hand)
        inside = [share for run in found for share in run.inside]
        named = [share for run in found for share in run.named]
        rows.append(
            (
                *(name, int(LEARNED * len(table.labels)), f"{mean(run.suggested for run in found):.1f} of {d}"),
                *(f"{mean(run.right for run in found):.1f}", f"{min(inside):.3f}", f"{mean(inside):.3f}"),
                *(f"{mean(named):.3f}" if named else "", f"{sum(run.true for run in found)} of {runs}"),
                *(f"{errors:.3f}", f"{by_hand:.3f}"),
            )
        )
    assert worst <= WORST, worst
    assert mean(held) >= COVERED, mean(held)
    yield Table(f"Suggested schemas at ε = {EPSILON}, rules at ε = {LEARNING:g}", header, rows)


if __name__ == "__main__":
    for figures in tables(quick=False):
        print(figures)
