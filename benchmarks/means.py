"""Means by group: intervals and errors beside those of OpenDP at the same ε and bounds, and how often intervals hold.

Predicted: without groups, both add Laplace noise of scale (U − L)/ε to a sum of a public number of records, so widths
are equal. With groups, a substitution may move a record between groups: OpenDP's sums count from 0 on and change
by 2·max(|L|, |U|), ours are centered and change by U − L.
The bar: width at most 1.1 times OpenDP's standard error times the same quantile; coverage at least .95.

OpenDP answers 2,000 times: `then_sum` of values within the bounds, of known size, or of unknown size with `then_count`
at half of ε each. It gives no intervals: the standard error is that of its answers, off by about 3 %, and its coverage
says how often answers are that near. Errors are means of |answer − true mean|, of 400 answers here, off by about 5 %.
Without OpenDP, standard errors are those of its formulas: sums change by U − L, or 2·max(|L|, |U|), and a mean follows
by the delta method.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from measure import Table, ask_peer

import privpac as pp
from privpac.classes.schemas.schema import Column, Schema

RNG = np.random.default_rng(5)
GROUPS = ("A", "B", "C", "D")
BOUNDS = ((0, 60), (0, 1000), (-50, 50), (20, 120))
BETA = 0.05
RUNS, PEER_RUNS = 400, 2000


def tables(quick: bool) -> list[Table]:
    """Widths and coverage."""
    return [widths(), coverage(60 if quick else 400)]


def records(n, low, high):
    value = np.clip(RNG.beta(2, 5, n) * (high - low) + low, low, high).astype(int)
    return {"group": RNG.choice(GROUPS, n, p=[0.4, 0.3, 0.2, 0.1]), "value": value}


def declared(low, high):
    columns = (Column("group", "category", values=GROUPS), Column("value", "integer", low=low, high=high))
    return Schema(columns)


def opendp(samples, low, high, epsilon, *, sized):
    """Answers for the mean of each sample; none if it is not installed."""
    named = {f"x{i}": np.asarray(x, dtype=np.int64) for i, x in enumerate(samples)}
    asked = {"low": low, "high": high, "epsilon": epsilon, "runs": PEER_RUNS, "sized": sized}
    answers = ask_peer("OpenDP", "means", **asked, **named)
    return [] if isinstance(answers, str) else [np.array(answers[name]) for name in named]


def by_formula(x, low, high, epsilon, *, sized):
    """The standard error of a mean, by OpenDP's formulas."""
    mean, n = x.mean(), len(x)
    if sized:
        return sqrt(2) * (high - low) / epsilon / n
    of_sum, of_len = 2 * max(abs(low), abs(high)) / (epsilon / 2), 2 / (epsilon / 2)
    return sqrt(2 * of_sum**2 + 2 * (mean * of_len) ** 2) / n


def quantile(beta):
    """Of Laplace noise, in standard errors."""
    return log(1 / beta) / sqrt(2)


def widths() -> Table:
    rows = []
    for low, high in BOUNDS:
        for by, quartiles in (((), False), ("group", False), ("group", True)):
            table, sized = records(20_000, low, high), not by
            asked = {"schema": declared(low, high), "of": "value", "by": by, "quartiles": quartiles}
            found = [pp.summarize(table, epsilon=1, beta=BETA, **asked).groups for _ in range(RUNS)]
            groups = [table["value"][table["group"] == row.group[0]] if by else table["value"] for row in found[0]]
            ours = [[row.mean for row in each] for each in zip(*found, strict=True)]
            share = 0.6 if quartiles else 1  # OpenDP gets what counts and sums get
            answers = opendp(groups, low, high, share, sized=sized)
            errors = [each.std(ddof=1) for each in answers] or [
                by_formula(x, low, high, share, sized=sized) for x in groups
            ]
            each = BETA / (2 if quartiles else 1) / (len(groups) * (3 if by else 2))  # β of one statement
            name = "one group, n public" if sized else f"4 groups{', with quartiles' * quartiles}"
            half = [quantile(each) * error for error in errors]
            rows.append((f"{low} … {high}", name, *beside(groups, ours, half, answers)))
    header = ("bounds", "asked", "half width", "OpenDP's standard error × quantile", "largest ratio")
    header = (*header, "error", "OpenDP's error", "largest ratio", "covered", "OpenDP's covered")
    note = (
        "n = 20,000, ε = 1, β = .05 for all statements together. With quartiles, both use .6 of ε for counts and sums."
        "\nMeans over groups; the largest ratio is that of one group. Covered: the share of answers, over all groups."
    )
    return Table("Intervals and errors of means", header, rows, note)


def beside(groups, ours, half, answers):
    """Widths and their ratio, errors and their ratio, and the shares of answers whose intervals hold."""
    width = [np.mean([(each.high - each.low) / 2 for each in means]) for means in ours]
    true = [x.mean() for x in groups]
    error = [np.mean([abs(each.value - mean) for each in means]) for means, mean in zip(ours, true, strict=True)]
    covered = np.mean([each.low <= mean <= each.high for means, mean in zip(ours, true, strict=True) for each in means])
    cells = [f"{np.mean(width):.3g}", f"{np.mean(half):.3g}", f"{max(np.divide(width, half)):.2f}×"]
    if not answers:
        return *cells, f"{np.mean(error):.3g}", "", "", f"{covered:.4f}", ""
    away = [abs(found - mean) for found, mean in zip(answers, true, strict=True)]
    theirs, near = [each.mean() for each in away], [each <= wide for each, wide in zip(away, half, strict=True)]
    ratio = f"{max(np.divide(error, theirs)):.2f}×"
    return *cells, f"{np.mean(error):.3g}", f"{np.mean(theirs):.3g}", ratio, f"{covered:.4f}", f"{np.mean(near):.4f}"


def coverage(runs) -> Table:
    rows = []
    for n in (500, 5000):
        table, schema = records(n, 0, 60), declared(0, 60)
        groups = [np.sort(table["value"][table["group"] == each]) for each in GROUPS]
        good = np.zeros(2)
        for _ in range(runs):
            found = pp.summarize(table, schema=schema, of="value", by="group", epsilon=1).groups
            pairs = list(zip(found, groups, strict=True))
            good[0] += all(
                each.low <= true <= each.high
                for row, x in pairs
                for each, true in ((row.records, len(x)), (row.sum, x.sum()), (row.mean, x.mean()))
            )
            good[1] += all(
                row.quartiles[q - 1].low <= x[-(-q * len(x) // 4) - 1] <= row.quartiles[q - 1].high
                for row, x in pairs
                for q in (1, 2, 3)
            )
        rows.append((n, *(f"{each / runs:.3f}" for each in good)))
    header = ("n", "all counts, sums, and means", "all quartiles")
    return Table(f"How often all intervals of 4 groups hold, {runs} summaries, β = .05", header, rows)
