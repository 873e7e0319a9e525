"""Private releases: counts of unknown keys, distribution functions, code trees, tables; with peers on the same records.

Predicted: truncated noise shows a key from m + 1 records on, where δ alone decides m, and its bounds are certain. Cells
that a split tree makes are as fine as the records, so that a line of 2^64 values costs a few times ln(2^64)/(εn), where
even bins and quantiles on a grid see nothing. A measured certificate misses with probability β at most, on every data.
The bars: threshold ≤ 28 and certain bounds 27 and 54 at (1, 1e-6); 10⁶ keys within .3 s after grouping; more keys shown
than OpenDP shows. CDF on 2^64, log-normal records, ε = 1: sup ≤ .012 at n = 10⁴ and ≤ .0012 at 10⁵, certificate ≤ 1.6×
the error. At ε = .1, n = 10³, no worse than any peer on any of five data sets. Simulated codes of n = 10⁶: at most 130
records off, or 70 if the tree is declared. A census of 13 columns: sup ≤ .004 and TV ≤ .015 at ε = 1 within 30 s, TV ≤
.055 at ε = .1. How often certificates miss is in ``release_certificates``.

Main declarations
    PARTS     what can be asked for by name: ``python benchmarks/release.py points``
    SHAPES    five data sets, each a function of a random generator, n, and the ends of the line
    tables    the figures
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from measure import Table
from release_peers import FASTER, SYNTHETIC, Ways, cdf_ways, coded_census, keys_shown, synthetic, table_errors

import privpac as pp
from privpac.classes.schemas.schema import Column
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.requests.reading import Reading

β, δ = 0.05, 1e-6
LINES = {"2^16": (0, 2**16 - 1), "2^64": (-(2**63), 2**63 - 1)}
WIDE = 2**16  # records of all shapes but two lie in 0 … 2^16 − 1 on both lines
SAMPLES = 5  # of each shape, beside peers: how even a sample of even records is depends on luck
LIMIT = 90  # seconds that a peer may take for a table


def _inside(x: np.ndarray) -> np.ndarray:
    return np.clip(x, 0, WIDE - 1).astype(np.int64)


def _far_apart(rng: Any, n: int, low: int, high: int) -> np.ndarray:
    near, far = low + (high - low) // 64, high - (high - low) // 64
    return np.where(rng.random(n) < 0.5, near, far) + rng.integers(-50, 51, n)


SHAPES: dict[str, Callable[[Any, int, int, int], np.ndarray]] = {
    "log-normal": lambda rng, n, low, high: _inside(rng.lognormal(7, 1, n)),
    "uniform": lambda rng, n, low, high: rng.integers(low, high, n, endpoint=True),
    "normal": lambda rng, n, low, high: _inside(rng.normal(30_000, 2000, n)),
    "atoms": lambda rng, n, low, high: rng.choice([0, 17, 400, 401, 50_000], n, p=[0.4, 0.3, 0.1, 0.1, 0.1]),
    "far apart": _far_apart,
}


def sample_of(concept_class: pp.ConceptClass, X: np.ndarray) -> Sample:
    """The records as a release reads them."""
    reading = Reading(concept_class.domain, None, "raise", ())
    return reading.gathered(X, reading.table(X), None, None, (True,)).sample


def released(concept_class: pp.ConceptClass, X: np.ndarray, ε: float) -> tuple[float, float]:
    """The largest error of a release, and its certificate, as shares of n."""
    release = pp.PrivateRelease(concept_class, epsilon=ε, beta=β).fit(X)
    return error_of(release, X), release.guarantee_.measured / len(X)


def uncertified(concept_class: pp.ConceptClass, X: np.ndarray, ε: float) -> float:
    """The largest error if all of ε pays for answers, as it does for peers, which have no certificate."""
    return error_of(pp.PrivateRelease(concept_class, epsilon=ε, certify=0).fit(X), X)


def error_of(release: pp.PrivateRelease, X: np.ndarray) -> float:
    """The largest error of all answers, as a share of n."""
    return release.release_.answers_.gap(sample_of(release.concept_class, X)) / len(X)


def points(quick: bool) -> Iterator[Table]:
    """Thresholds, time, and keys shown."""
    rng, runs = np.random.default_rng(), 3 if quick else 20
    zipf = np.minimum(rng.zipf(1.3, 10**5), 10**9)
    bounds, shown = [], []
    for ε in (0.1, 1, 3):
        m = TruncatedHistogram(Budget(ε, δ)).most
        peer = keys_shown(ε, δ, runs, zipf)
        bounds.append((ε, m + 1, peer if isinstance(peer, str) else peer["threshold"], f"{m} / {2 * m}"))
        release = pp.PrivateRelease(pp.Points(), epsilon=ε, delta=δ, allow_large_delta=True)
        ours = float(np.mean([len(release.fit(zipf).counts()["records"]) for _ in range(runs)]))
        theirs = peer if isinstance(peer, str) else float(np.mean(peer["shown"]))
        shown.append((ε, ours, theirs, "–" if isinstance(theirs, str) else ours / theirs))
    header = ("ε", "threshold", "OpenDP's", "certain bounds: shown / not shown")
    yield Table(f"A key is shown from how many noisy records on, δ = {δ}", header, bounds)
    note = f"100 000 records with Zipf's law of exponent 1.3; means of {runs} runs."
    yield Table("Keys shown that nobody declared", ("ε", "ours", "OpenDP", "ratio"), shown, note)
    yield _million(rng)


def _million(rng: Any) -> Table:
    """A million keys, each of one record or of 60."""
    rows = []
    for each in (1, 60):
        counts = dict.fromkeys(range(10**6), each)
        histogram = TruncatedHistogram(Budget(1, δ))
        times = []
        for _ in range(3):
            start = perf_counter()
            histogram.release(counts, SYSTEM)
            times.append(perf_counter() - start)
        rows.append((each, min(times)))
    whole = rng.permutation(10**6)
    start = perf_counter()
    pp.PrivateRelease(pp.Points(), epsilon=1, delta=δ, allow_large_delta=True).fit(whole)
    fit = perf_counter() - start
    peer = keys_shown(1, δ, 1, whole)
    rows += [("a whole fit", fit), ("OpenDP, the same", peer if isinstance(peer, str) else peer["seconds"])]
    return Table("10⁶ distinct keys after grouping, ε = 1: within .3 s", ("records of each key", "seconds"), rows)


def lines(quick: bool) -> Iterator[Table]:
    """Errors beside certificates and lower bounds, then beside peers."""
    rng, runs, rows = np.random.default_rng(), 3 if quick else 20, []
    for line, (low, high) in LINES.items():
        concept_class = pp.Thresholds(low, high, direction="above")
        for n in (10**3, 10**4, 10**5):
            found = [released(concept_class, SHAPES["log-normal"](rng, n, low, high), 1) for _ in range(runs)]
            error, certificate = np.mean(found, axis=0)
            least = (log(high - low) + log(1 / β - 1)) / (2 * n)
            rows.append((line, n, error, certificate, certificate / error, least))
    header = ("line", "n", "sup", "certificate", "certificate / sup", "pure packing bound")
    note = f"Means of {runs} runs; certificates hold with probability {1 - β:g}."
    yield Table("Distribution functions, log-normal records, ε = 1", header, rows, note)
    for line in LINES:
        yield beside_peers(line, 10**3, 0.1, 2 * runs, 1 if quick else 2)


def beside_peers(line: str, n: int, ε: float, runs: int, peer_runs: int) -> Table:
    """Ours, and each peer in one way for all data sets and in the way that is best in hindsight."""
    low, high = LINES[line]
    rng = np.random.default_rng()
    samples = {name: [shape(rng, n, low, high) for _ in range(SAMPLES)] for name, shape in SHAPES.items()}
    peers, rows = cdf_ways(low, high, ε, peer_runs, samples), []
    for name, each in samples.items():
        H = pp.Thresholds(low, high, direction="above")
        found = np.array([released(H, x, ε) for x in each for _ in range(runs)])
        without = float(np.mean([uncertified(H, x, ε) for x in each for _ in range(runs)]))
        cells: list[Any] = []
        for ways in peers.values():
            cells += [_told(ways, name), _in_hindsight(ways, name)]
        rows.append((name, *found.mean(axis=0), without, *cells))
    heads = [head for peer in peers for head in (f"{peer}, one way for all", f"{peer}, best in hindsight")]
    note = f"Means over {SAMPLES} samples, with {runs} runs of ours and {peer_runs} of the peers on each of them."
    header = ("records", "ours", "certificate", "ours, no certificate", *heads)
    return Table(f"sup, line {line}, n = {n}, ε = {ε}", header, rows, note)


def _told(ways: Ways | str, name: str) -> str:
    return ways if isinstance(ways, str) else f"{ways.mean(name, ways.one_way):.3f} ({ways.one_way})"


def _in_hindsight(ways: Ways | str, name: str) -> str:
    return ways if isinstance(ways, str) else "{:.3f} ({})".format(*ways.best(name))


def census(quick: bool) -> Table:
    """Synthetic records of ours and of peers, from the same coded table."""
    records, sizes = coded_census()
    columns = [Column(f"c{i}", "category", values=tuple(range(size))) for i, size in enumerate(sizes)]
    X, schema, rows = {f"c{i}": column for i, column in enumerate(records.T)}, pp.Schema(tuple(columns)), []
    for ε in (1, 0.1):
        start = perf_counter()
        release = pp.PrivateRelease(schema, epsilon=ε, delta=δ, allow_large_delta=True).fit(X)
        made = np.column_stack(list(release.synthetic(len(records)).values())).astype(int)
        seconds = perf_counter() - start
        sup, distance = table_errors(records, made, sizes)
        certified = release.guarantee_.measured / len(records)
        rows.append((ε, f"ours; certificate {certified:.4f}", f"{sup:.4f} / {distance:.4f}", f"{seconds:.0f}"))
        cost = {"epsilon": ε, "delta": δ, "rho": float(Concentrated.within(Budget(ε, δ)).rho)}
        rows += [
            (ε, *row)
            for row in ([] if quick else synthetic(records, sizes, cost, LIMIT, SYNTHETIC if ε == 1 else FASTER))
        ]
    note = (
        f"{len(records)} records; errors of as many synthetic ones over all pairs of columns. Peers run two at a time, "
        f"with {LIMIT} s each. dpmm and smartnoise count a record as added or removed, which takes less noise."
    )
    return Table("The census in 13 columns: sup / mean TV", ("ε", "by", "sup / TV", "seconds"), rows, note)


def beside(name: str, quick: bool) -> Iterable[Table]:
    """The figures of a file beside this one, where there is one."""
    there = Path(__file__).with_name(f"release_{name}.py").exists()
    return import_module(f"release_{name}").tables(quick) if there else []


PARTS: dict[str, Callable[[bool], Iterable[Table]]] = {
    "points": points,
    "lines": lambda quick: [*lines(quick), *beside("lines", quick)],
    "code_trees": lambda quick: beside("code_trees", quick),
    "marginals": lambda quick: beside("marginals", quick),
    "tables": lambda quick: [census(quick), *beside("tables", quick)],
    "papers": lambda quick: beside("papers", quick),
}


def tables(quick: bool) -> Iterator[Table]:
    """The figures of all parts."""
    return (table for part in PARTS.values() for table in part(quick))


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    for name in [each for each in sys.argv[1:] if each in PARTS] or PARTS:
        for table in PARTS[name](quick):
            print(table, end="\n\n", flush=True)
