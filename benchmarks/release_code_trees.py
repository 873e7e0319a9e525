"""Counts of all prefixes and all names of ICD-10-CM codes: how far the worst answer is off, in records.

The tree is that of the April 2026 edition, 98,505 names on 7 levels. The records are simulated: codes without codes
below them get the weights 1, 1/2, 1/3, … in random order.
Prefixes: nobody declares the codes, and all texts of up to 7 characters are queries. Names: the whole tree is declared.
Beside them, Laplace noise on every level at ε/7 (and, for prefixes, a stability histogram of each level at δ/7).
Predicted: at σ = 16 a prefix needs a noisy count of 79, so some with 79 + 3σ records are not shown; among 98,505 names
the largest noise is 4.4σ, less what parents tell about their children.
The bar at ε = 1, δ = 1e-6, n = 10⁶: at most 130 records for prefixes, at most 70 for names.

Main declarations
    codes_of_icd    the parent of each name
    drawn           simulated records
    tables          the figures
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np
from measure import Table
from package_tables import packaged

import privpac as pp
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.sample import Sample
from privpac.exact.bulk_noise import discrete_laplaces
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms.pruned_trie import prefix_counts
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.budget import Budget
from privpac.release.code_trees.true_counts import node_counts, tallied_codes

STEPS, EPSILON, DELTA = 7, 1, Budget(1, "1e-6").delta
LIST = "simple_icd_10_cm/data/code-list-April-2026.txt"


@cache
def codes_of_icd() -> dict[str, str]:
    """The parent of each chapter, block, and code; the list has them in preorder."""
    lines = packaged("simple_icd_10_cm", LIST).read().decode().split()
    parents: dict[str, str] = {}
    chapter = block = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.isdigit():
            chapter = f"chapter {line}"
            parents[chapter] = "ICD"
        elif "-" in line or line == following:  # some blocks have the name of their only code
            block = f"block {line}"
            parents[block] = chapter
        else:
            above = next((line[:k] for k in range(len(line) - 1, 2, -1) if line[:k] in parents), block)
            parents[line] = above
    return parents


def drawn(n: int, seed: int) -> np.ndarray:
    """n codes; the weights are Zipf's, in an order that depends on the seed alone."""
    rng, parents = np.random.default_rng(seed), codes_of_icd()
    inner = set(parents.values())
    leaves = np.array([code for code in parents if code not in inner and " " not in code], dtype=object)
    weights = rng.permutation(1 / np.arange(1, len(leaves) + 1))
    return np.repeat(leaves, rng.multinomial(n, weights / weights.sum()))


def laplace_prefixes(codes: Codes) -> int:
    """The gap of a stability histogram for each level."""
    true, gap = prefix_counts(codes), 0
    histogram = StabilityHistogram(Budget(EPSILON, DELTA).split(STEPS)[0])
    for depth in range(1, STEPS + 1):
        level: dict[Any, int] = {v: c for v, c in true.items() if len(v) == depth}
        shown = histogram.release(histogram.check(level), SYSTEM)
        gap = max(gap, *(abs(c - shown.get(v, 0)) for v, c in level.items()))
    return gap


def laplace_names(true: np.ndarray) -> int:
    """The gap of noise on every name's count, without the root's."""
    noise = discrete_laplaces(Budget(EPSILON).epsilon / (2 * STEPS), len(true) - 1, SYSTEM)
    return int(np.abs(np.maximum(true[1:] + noise, 0) - true[1:]).max())


def tables(quick: bool) -> list[Table]:
    """The gaps of several releases of the same records, with and without a certificate."""
    return [_gaps(quick)]


def _gaps(quick: bool) -> Table:
    rows, runs = [], 3 if quick else 8
    prefixes, names = pp.StartsWith(height=STEPS), pp.Taxonomy(codes_of_icd(), kind="subtree")
    for n in (10**5, 10**6):
        X = drawn(n, seed=n)
        peers: dict[str, Callable[[Sample], int]] = {
            "prefixes": lambda sample: laplace_prefixes(tallied_codes(sample, prefixes.domain)),
            "names": lambda sample: laplace_names(node_counts(sample, names.domain, names, names.domain.names)),
        }
        for what, tree in {"prefixes": prefixes, "names": names}.items():
            whole = Sample(tree.encode(X), np.ones(n, dtype=bool), None, n)
            points, _, ones = whole.tally()
            sample = Sample(points, np.ones(len(points), dtype=bool), ones, n)
            found = [_released(tree, X, sample, certify) for certify in ("0", "0.1") for _ in range(runs)]
            alone, beside = found[:runs], found[runs:]
            gaps = [mean(gap for gap, _, _ in each) for each in (alone, beside)]
            bound, taken = mean(bound for _, bound, _ in beside), mean(taken for _, _, taken in beside)
            laplace = mean(peers[what](sample) for _ in range(runs))
            rows.append((what, f"{n:.0e}", gaps[0], max(gap for gap, _, _ in alone), gaps[1], bound, laplace, taken))
    header = ("queries", "n", "all of ε", "worst run", "certified", "certificate", "Laplace by levels", "seconds")
    title = f"ICD-10-CM, simulated records, ε = 1, δ = 1e-6: the largest error in records, mean of {runs} releases"
    return Table(
        title,
        header,
        rows,
        "The certificate takes a tenth of the whole (certify=0.1), and its bound holds with probability 0.95.",
    )


def _released(tree: Any, X: np.ndarray, sample: Sample, certify: str) -> tuple[int, int, float]:
    """The gap, what the certificate says of it, and seconds."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LargeDeltaWarning)
        release = pp.PrivateRelease(tree, EPSILON, DELTA, certify=certify, allow_large_delta=True).fit(X)
    taken = perf_counter() - start
    return release.release_.answers_.gap(sample), release.guarantee_.measured or 0, taken
