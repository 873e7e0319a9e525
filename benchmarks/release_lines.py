"""Distribution functions of lines: errors, certificates, and time; beside the quantile tree and beside a sort.

Predicted: cells hold a few dozen records, whatever the values are, so that errors in records hardly depend on n or on
the line; numbers of any magnitude are near the root, so that log-normal records cost no more than even ones. Only
clusters far from 0 on a long line pay for every bit of their place.
The bars: on 2^64, ε = 1, log-normal records: sup ≤ .012 at n = 10⁴ and ≤ .0012 at 10⁵, certificate ≤ 1.6× the error;
on even records at most 1.3× the error of the quantile tree; 10⁷ rows within 3× np.sort.

Main declarations
    SHAPES    samples by name, each a function of n, on the line 0 … 2^64 − 1
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from measure import Table, clock

import privpac as pp
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree
from privpac.privacy.budget import Budget
from privpac.release.lines.answers import LineCounts

RNG = np.random.default_rng(7)
N = 2**64
LINE = pp.Thresholds(0, N - 1, direction="above")
MANY = {10**3: 7, 10**4: 31, 10**5: 63}  # quantiles of the quantile tree: about the best for even records


def _clusters(n: int) -> np.ndarray:
    return np.array([N // 64, N - N // 64], np.uint64)[RNG.integers(0, 2, n)] + RNG.integers(0, 100, n).astype(
        np.uint64
    )


SHAPES: dict[str, Callable[[int], np.ndarray]] = {
    "even": lambda n: RNG.integers(0, N - 1, n, np.uint64, endpoint=True),
    "log-normal (7, 1)": lambda n: RNG.lognormal(7, 1, n).astype(np.uint64),
    "log-normal (10, 3)": lambda n: RNG.lognormal(10, 3, n).astype(np.uint64),
    "log-normal (20, 3)": lambda n: RNG.lognormal(20, 3, n).astype(np.uint64),
    "normal, at 30 000": lambda n: RNG.normal(30_000, 2000, n).astype(np.uint64),
    "five atoms": lambda n: np.array([0, 17, 400, 401, 50_000], np.uint64)[RNG.integers(0, 5, n)],
    "two far clusters": _clusters,
}


def tables(quick: bool) -> list[Table]:
    """Errors of all shapes, even records beside the quantile tree, times."""
    return [errors(quick), beside_quantiles(quick), times(quick)]


def sample_of(values: np.ndarray) -> Sample:
    return Sample(values, np.ones(len(values), bool), None, len(values))


def released(values: np.ndarray, ε: float) -> tuple[float, float]:
    """The largest error of any threshold, and its certificate, in records."""
    release = pp.PrivateRelease(LINE, epsilon=ε).fit(values)
    return release.release_.answers_.gap(sample_of(values)), release.guarantee_.measured


def errors(quick: bool) -> Table:
    rows = []
    for name, shape in SHAPES.items():
        row: list[str] = []
        for n, ε in ((10**3, 0.1), (10**3, 1), (10**4, 1), (10**5, 1)):
            runs = max(2, (8 if quick else 40) * 1000 // max(n, 4000))
            found = np.mean([released(shape(n), ε) for _ in range(runs)], axis=0) / n
            row.append(f"{found[0]:.2g} / {found[1]:.2g} ({found[1] / found[0]:.1f})")
        rows.append((name, *row))
    header = ("records", "ε = .1, n = 10³", "ε = 1, n = 10³", "10⁴", "10⁵")
    note = "The largest error of any threshold / its certificate with β = .05 (their ratio), as shares of n; means."
    return Table("Distribution functions on 2^64", header, rows, note)


def beside_quantiles(quick: bool) -> Table:
    """The quantile tree at the same ε, its quantiles joined by straight lines."""
    rows = []
    for n, many in MANY.items():
        tree = QuantileTree(Budget(1), Line(0, N - 1), tuple(Fraction(i, many + 1) for i in range(1, many + 1)))
        ours, theirs = [], []
        for _ in range(max(2, (4 if quick else 20) * 10**4 // max(n, 10**4))):
            values = SHAPES["even"](n)
            ours.append(released(values, 1)[0] / n)
            quantiles = tree.release(tree.check(values), SYSTEM)
            known = dict(zip(quantiles, (n * i // (many + 1) for i in range(1, many + 1)), strict=True)) | {0: 0}
            joined = LineCounts(n, Line(0, N - 1), tuple(sorted(known)), (*sorted(known.values()), n))
            theirs.append(joined.gap(sample_of(values)) / n)
        rows.append((n, float(np.mean(ours)), float(np.mean(theirs)), float(np.mean(ours) / np.mean(theirs))))
    return Table("Even records on 2^64, ε = 1", ("n", "ours", "quantile tree", "ratio, at most 1.3"), rows)


def times(quick: bool) -> Table:
    rows = []
    for digits in (6, 7):
        values = SHAPES["log-normal (20, 3)"](10**digits)
        contenders = {
            "release": partial(pp.PrivateRelease(LINE, epsilon=1).fit, values),
            "sort": partial(np.sort, values),
        }
        taken = clock(contenders, 2 if quick else 5)
        ours, sort = taken["release"].warm, taken["sort"].warm
        rows.append((f"10^{digits}", ours, sort, ours / sort))
    return Table("A whole release with its certificate", ("n", "ms", "np.sort, ms", "ratio, at most 3"), rows)


if __name__ == "__main__":
    for table in tables(quick=True):
        print(table, "\n", flush=True)
