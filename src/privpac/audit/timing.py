"""What a stopwatch shows: events of an output together with an interval of time.

proof: docs/proofs/audit.md and docs/proofs/noise.md, "What time tells"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.audit.observing import Output, Statistic, epsilon_lower, observe
from privpac.privacy.budget import Budget

INSIDE, OUTSIDE = 1.0, -np.inf  # the statistic's value for an output in the event, and for all others
MOST_SETS = 40  # the most single outputs that are tried, and the most sets of several outputs
LEVELS = (0, 0.002, 0.005, 0.01, 0.02, 0.05, *np.arange(1, 10) / 10, 0.95, 0.98, 0.99, 0.995, 0.998, 1)  # quantiles


def choose_timed(P: Sequence[Output], Q: Sequence[Output], claimed: Budget, a: float) -> tuple[Statistic, float]:
    """The event that shows most about these outputs: a set of them, and an interval between quantiles of all times.

    >>> quick, slow = ([Output("7", 7.0, 20 + shift + i % 9) for i in range(500)] for shift in (0, 20))
    >>> statistic, threshold = choose_timed(quick, slow, Budget(1), 0.001)
    >>> statistic.describe(threshold)
    'output 7 within 0.02 … 0.034 µs'
    """
    cuts = np.quantile([output.time for output in (*P, *Q)], LEVELS)
    sets = _sets(P, Q)
    hits = [_hits(outputs, sets, cuts) for outputs in (P, Q)]
    first, last = np.array(list(combinations(range(len(cuts)), 2))).T  # the two ends of each interval of times
    p, q = (before[:, last] - before[:, first] for before in hits)  # hits of each set (row) in each interval (column)
    promised = epsilon_lower(p, q, len(P), claimed, a)
    best = int(np.lexsort(((p - q).ravel(), promised.ravel()))[-1])  # the largest bound, then the largest p − q
    i, interval = np.unravel_index(best, promised.shape)
    low, high = cuts[first[interval]], cuts[last[interval]]
    return _event(sets[i], low, high, is_last=bool(last[interval] == len(cuts) - 1)), INSIDE


def _sets(P: Sequence[Output], Q: Sequence[Output]) -> list[frozenset[str]]:
    """Frequent outputs, each alone; and growing sets of those that are likeliest under P relative to Q."""
    p, q = (Counter(output.label for output in outputs) for outputs in (P, Q))
    frequent = [label for label, _ in (p + q).most_common(MOST_SETS)]
    likeliest = sorted(p | q, key=lambda label: (p[label] + 0.5) / (q[label] + 0.5), reverse=True)
    sizes = np.unique(np.linspace(1, len(likeliest), MOST_SETS).astype(int))
    return [frozenset([label]) for label in frequent] + [frozenset(likeliest[:size]) for size in sizes.tolist()]


def _hits(outputs: Sequence[Output], sets: list[frozenset[str]], cuts: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each set and each cut, how many outputs are in the set and before the cut; at the last cut, all are."""
    bins = np.clip(np.searchsorted(cuts, [output.time for output in outputs], side="right"), 1, len(cuts) - 1)
    count_of = Counter(zip((output.label for output in outputs), bins.tolist(), strict=True))
    row_of = {label: row for row, label in enumerate({output.label for output in outputs})}
    counts = np.zeros((len(row_of) + 1, len(cuts)), dtype=np.int64)  # the last row is for labels that do not occur
    for (label, bin_number), count in count_of.items():
        counts[row_of[label], bin_number] = count
    rows = [counts[[row_of.get(label, -1) for label in members]].sum(axis=0) for members in sets]
    return np.cumsum(rows, axis=1)


def _event(labels: frozenset[str], low: float, high: float, *, is_last: bool) -> Statistic:
    def value(output: Output) -> float:
        within = low <= output.time and (output.time < high or is_last)
        return INSIDE if within and output.label in labels else OUTSIDE

    names = " or ".join(sorted(labels)[:3]) + f" or {len(labels) - 3} others" * (len(labels) > 3)
    return Statistic(value, lambda _: f"output {names} within {low / 1000:.6g} … {high / 1000:.6g} µs")


def rank_correlation(run: Callable[[], Any], value: ArrayLike, runs: int) -> float | None:
    """Spearman's rank correlation of the time of ``run`` and the distance of its output from ``value``.

    None if the two cannot be subtracted, as when the output is the name of a candidate.

    >>> rank_correlation(lambda: "a", 0, 10) is None
    True
    """
    outputs: list[Any] = []
    times = [observe(lambda: outputs.append(run())).time for _ in range(runs)]
    distances = [_distance(output, value) for output in outputs]
    if None in distances or len(outputs) < runs or len(set(distances)) == 1:
        return None
    return round(float(np.corrcoef(_ranks(times), _ranks(distances))[0, 1]), 3)


def _distance(output: object, value: ArrayLike) -> float | None:
    try:
        x, y = np.asarray(output, dtype=np.float64), np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return float(np.abs(x - y).sum()) if x.shape == y.shape else None


def _ranks(values: Sequence[Any]) -> NDArray[np.float64]:
    """The rank of each value, up to a constant; equal values share the mean of their ranks."""
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - counts / 2)[index], dtype=np.float64)
