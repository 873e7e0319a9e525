"""How often certificates of releases miss, on data that is hard for them.

A measured certificate misses if some query is off by more than it says. A certain bound must never miss: its records
have keys with as many records as a shown and an unseen key can differ in.

Main declarations
    Case          a release and its records
    CASES         one or more for each sanitizer
    miss_rates    the table
    tables        the same, for 2000 runs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from measure import Table
from simulate import lower

import privpac as pp
from privpac.classes.schemas.schema import Column
from privpac.privacy.ledger import Ledger, Sealed

β, δ = 0.05, 1e-6
PATIENCE = 200  # seconds of CPU for a case; the table says how many runs that was


@dataclass(frozen=True)
class Case:
    """``records`` are made once; each run releases them anew."""

    name: str
    concept_class: Callable[[], Any]
    records: Callable[[], Any]
    delta: float = 0.0
    marginals: Any = None

    def missed(self, runs: int) -> tuple[int, int]:
        """Of how many runs how many missed."""
        H, X = self.concept_class(), self.records()
        release = pp.PrivateRelease(H, epsilon=1, delta=self.delta, beta=β, marginals=self.marginals)
        sample = release._read(release.algorithm(1).sanitizer, X, None, None)
        algorithm, done, misses, start = release.algorithm(sample.size), 0, 0, process_time()
        while done < runs and process_time() - start < PATIENCE:
            answers, measured = algorithm.run(Sealed(sample, sample.size), Ledger(algorithm.cost).spend)
            gap = answers.gap(sample)
            misses += gap > (max(answers.certain) if measured is None else measured)
            done += 1
        return misses, done


def hard_keys() -> np.ndarray:
    """Keys of m, 2m, and of more records, and single ones."""
    counts = [1] * 20 + [27, 28, 54, 55, 100]
    return np.repeat(np.arange(len(counts)), counts)


def hard_codes() -> list[str]:
    """Codes of about as many records as a prefix needs to be shown: the largest gap is often that of one not shown."""
    return [f"{a}{b}" for a in "ABC" for b in range(8) for _ in range(84 + 6 * b)]


TESTS = [pp.Points().on(name, values=(0, 1, 2)) for name in "abc"]
THREE = {name: [0, 1, 2, 0] * 25 for name in "abc"}
SCHEMA = pp.Schema((*(Column(name, "category", values=(0, 1, 2)) for name in "ab"), Column("c", "integer", 0, 40)))
PARENTS = {"A": "all", "B": "all", "A1": "A", "A2": "A", "B1": "B"}
CASES = (
    Case("unknown keys, certain bounds", pp.Points, hard_keys, δ),
    Case("declared keys", lambda: TESTS[0], lambda: {"a": THREE["a"]}),
    Case(
        "a line of 2^16, three atoms",
        lambda: pp.Thresholds(0, 2**16 - 1, direction="above"),
        lambda: np.repeat([3, 5, 900], 40),
    ),
    Case(
        "a line of 2^64, one value",
        lambda: pp.Thresholds(-(2**63), 2**63 - 1, direction="above"),
        lambda: np.full(200, 7),
    ),
    Case("intervals of 2^16", lambda: pp.Intervals(0, 2**16 - 1), lambda: np.arange(0, 60_000, 300)),
    Case("beginnings of texts", lambda: pp.StartsWith(height=4), lambda: ["A1", "A12", "B7", "B"] * 50, δ),
    Case("beginnings at the threshold", lambda: pp.StartsWith(height=7), hard_codes, δ),
    Case("one code, all records", lambda: pp.StartsWith(height=7), lambda: ["A123456"] * 500, δ),
    Case("pairs of columns", lambda: pp.Marginals(*TESTS, order=2), lambda: THREE, δ),
    Case("a table of three columns", lambda: SCHEMA, lambda: THREE, δ),
    Case("a marginal of three columns", lambda: SCHEMA, lambda: THREE, δ, (("a", "b", "c"),)),
    Case("a declared marginal", lambda: SCHEMA, lambda: THREE, 0.0, (("a", "b"),)),
    Case("a declared taxonomy", lambda: pp.Taxonomy(PARENTS), lambda: ["A1", "A2", "B1", "B"] * 50, δ),
    Case("a list of queries", lambda: pp.ExplicitClass(np.eye(4, dtype=int), points="abcd"), lambda: list("abca") * 25),
    Case("rectangles on a grid", lambda: pp.Rectangles(0, 7, 2), lambda: np.argwhere(np.ones((8, 8))), δ),
)


def miss_rates(runs: int) -> Table:
    """All cases."""
    rows = []
    for case in CASES:
        misses, done = case.missed(runs)
        rows.append((case.name, done, misses, misses / done, lower(misses, done)))
    header = ("release", "runs", "missed", "rate", "99.9 % lower bound")
    return Table(f"Certificates that missed, ε = 1: at most {β}, and never if certain", header, rows)


def tables(quick: bool) -> Iterator[Table]:
    """The figures."""
    yield miss_rates(100 if quick else 2000)
