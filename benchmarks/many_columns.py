"""Sets of values, and decision trees over many columns: records that they take, and errors on real tables.

Part ``sets``: x is one of at most k values, any values, δ = 1e-6, α = 0.1, β = 0.05. n95 is the smallest n at which
at least 95 % of fits err by at most α on the worst population: k values of mass 1.05·α/j each, of which j must be
missed, j = 1, k − 1, k; labels are clean, or flipped with probability 0.1. It is found by the mechanism's law in numpy,
and real fits are made at that n. Predicted: n95 grows with k as k/α·(k₀ + noise), and k costs no privacy.
The bar: n95 within 5 % of a prototype's figure, given beside it, or below; the certified n at most the prototype's. At
the certified n, over 2000 simulated fits on the worst of hostile populations, the 99.9 % lower bound of the failure
rate is at most β. A million distinct values take a few seconds.

Part ``trees``: trees of depth at most 2 and 3 on tables out of packages, beside the best of 16 settings of models of
diffprivlib, chosen on the new records, with the same public bounds; trees and forests get ε/2, since a substitution
costs them twice. Predicted: one draw among T tests errs by about 2/(εn) times the number of splits times ln T beyond
the best tree, and wins where the first test of a good tree looks useless by itself.
The bars: at most .01 above a prototype's errors on the same tables; below the best peer at ε ≤ 1; at most .02 above
scikit-learn's greedy tree of depth 3, which is not private, from ε·n = 10⁴ on; a fit of depth 3 to 30 000 records of 10
columns within 10 s, and linear growth beyond.

Main declarations
    PARTS     what can be asked for by name: ``python benchmarks/many_columns.py sets``
    tables    the figures
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from math import exp
from time import perf_counter
from typing import Any

import numpy as np
from measure import Table
from simulate import Population, errors, lower
from table_trees import trees

import privpac as pp
from privpac.data.samples.sample import Tally
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget

α, β, δ = 0.1, 0.05, 1e-6
THIN = 1.05  # how much more than α the missed values weigh
SIZES, EPSILONS, NOISES = (1, 3, 5, 10), (0.5, 1, 3), (0.0, 0.1)
TO_BEAT = {  # (k, ε): n95 with clean and with flipped labels, and certified for realizable labels
    (1, 0.5): (649, 837, 703), (1, 1): (362, 456, 381), (1, 3): (157, 207, 173),
    (3, 0.5): (1537, 1980, 1733), (3, 1): (858, 1051, 896), (3, 3): (328, 422, 369),
    (5, 0.5): (2365, 3126, 2632), (5, 1): (1223, 1537, 1365), (5, 3): (467, 587, 534),
    (10, 0.5): (4571, 5458, 4911), (10, 1): (2248, 2824, 2480), (10, 3): (795, 999, 951),
}  # fmt: skip
AGNOSTIC_TO_BEAT = {1: 2163, 3: 5493, 5: 8875}  # at ε = 1


def missed(  # noqa: PLR0917  (a population, then what is done with it)
    masses: np.ndarray, advantages: np.ndarray, k: int, n: int, ε: float, runs: int, rng: Any
) -> np.ndarray:
    """By how much each of many simulated fits errs more than the best set, the k values of the largest advantages.

    ``masses`` are those of single values, with labels that are 1 with probability (1 + advantage/mass)/2; what is left
    of the mass is at values that are never shown.
    """
    counts = rng.multinomial(n, np.append(masses, max(0.0, 1 - masses.sum())), size=runs)[:, :-1]
    ones = rng.binomial(counts, (1 + advantages / masses) / 2)
    ρ = exp(-ε / 2)
    noise = rng.geometric(1 - ρ, size=ones.shape) - rng.geometric(1 - ρ, size=ones.shape)
    least = SignedHistogram(Budget(ε, δ)).least
    noisy = np.where((ones > 0) & (2 * ones - counts + noise >= least), 2 * ones - counts + noise, -1)
    ranks = np.argsort(np.argsort(-noisy, axis=1, kind="stable"), axis=1, kind="stable")
    shown = (noisy >= least) & (ranks < k)
    best = np.sort(np.maximum(advantages, 0))[::-1][:k].sum()
    return np.asarray(best - (shown * advantages).sum(axis=1))


def thin(k: int, part: float) -> list[np.ndarray]:
    """k values of the mass part·α/j, where j is 1 or almost k, if there is room: others are easier."""
    return [np.full(k, part * α / j) for j in sorted({1, k - 1, k} - {0}) if k * part * α / j <= 1]


def n95(k: int, ε: float, noise: float, runs: int, rng: Any) -> tuple[int, np.ndarray]:
    """The smallest n for the worst of the populations, and that population."""

    def needed(masses: np.ndarray) -> int:
        advantages = masses * (1 - 2 * noise)
        return smallest(lambda n: (missed(masses, advantages, k, n, ε, runs, rng) > α * (1 - 2 * noise)).mean() <= β)

    return max(((needed(masses), masses) for masses in thin(k, THIN)), key=lambda found: found[0])


def sizes(runs: int, fits: int) -> Table:
    """n95 beside what is to be beaten, and the success of real fits there, among one and among many other values."""
    rng, rows = np.random.default_rng(), []
    for (k, ε), (*bars, _) in TO_BEAT.items():
        for noise, bar in zip(NOISES, bars, strict=True):
            n, masses = n95(k, ε, noise, runs, rng)
            learner = pp.PrivateClassifier(pp.SparseSets(k), epsilon=ε, delta=δ)
            rates = []
            for others in (1, 1000):
                rest = [(1 - masses.sum()) / others] * others
                values, labels = [f"value {i}" for i in range(k + others)], [i < k for i in range(k + others)]
                population = Population.of("", values, labels, [*masses, *rest])
                rates.append((errors(learner, population, n, fits, rng=rng, noise=noise) <= α).mean())
            rows.append((k, ε, noise, n, bar, n / bar, *rates))
    header = ("k", "ε", "flipped", "n95", "to beat", "ratio", "real fits succeed", "among 1000 others")
    return Table(f"n95 for sets of k values: within 5 % of what is to be beaten; {fits} real fits each", header, rows)


def hostile(k: int, regime: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Masses and advantages for which a set is just missed."""
    found = {}
    for masses in thin(k, 1.0001):
        found[f"{k} values of mass α/{round(α / masses[0])}"] = (masses, masses)
    if regime == "realizable":
        return found
    for j in range(1, k + 1):
        heavy = np.full(k, 0.98 / k)
        found[f"{k} noisy values of advantage α/{j}"] = (heavy, np.full(k, 1.0001 * α / j).clip(max=0.98 / k))
        pairs = np.full(2 * k, 0.49 / k)
        gains = np.repeat([1.0001 * α / j, 0.0], k).clip(max=0.49 / k)
        found[f"{k} noisy values of advantage α/{j}, {k} of none"] = (pairs, gains)
    rivals = np.array([0.5] * 1 + [0.0049] * 100)
    found["one noisy value among 100 small ones"] = (rivals, np.array([1.0001 * α] + [0.0] * 100))
    return found


def certificates(fits: int) -> Table:
    """The certified n, and the worst rate at which simulated fits fail there."""
    rng, rows = np.random.default_rng(), []
    for k in SIZES:
        for ε in EPSILONS:
            for regime in ("realizable", "agnostic"):
                n = pp.PrivateClassifier(pp.SparseSets(k), epsilon=ε, delta=δ, alpha=α, regime=regime).certified_n()
                bar = TO_BEAT[k, ε][2] if regime == "realizable" else AGNOSTIC_TO_BEAT.get(k, "–") if ε == 1 else "–"
                failed = {
                    name: int((missed(*population, k, n, ε, fits, rng) > α).sum())
                    for name, population in hostile(k, regime).items()
                }
                worst = max(failed, key=failed.__getitem__)
                rows.append((k, ε, regime, n, bar, failed[worst] / fits, lower(failed[worst], fits), worst))
    header = ("k", "ε", "labels", "certified n", "to beat", "worst failure", "99.9 % lower bound", "where")
    return Table(f"Certified n, and failures in {fits} simulated fits there: at most {β}", header, rows)


def million() -> Table:
    """A release over a million distinct values."""
    rows = []
    for name, each in (("1 record each", 1), ("60 records each", 60)):
        N = 10**6
        tally = Tally(np.arange(N).astype(object), np.zeros(N, np.int64), np.full(N, each))
        mechanism = SignedHistogram(Budget(1, δ))
        start = perf_counter()
        shown = mechanism.release(mechanism.check(tally), SYSTEM)
        rows.append((name, perf_counter() - start, len(shown)))
    return Table("A million distinct values", ("values", "seconds", "shown"), rows)


def sets(quick: bool) -> list[Table]:
    """All of it."""
    return [sizes(1000 if quick else 8000, 20 if quick else 200), certificates(200 if quick else 2000), million()]


PARTS: dict[str, Callable[[bool], Iterable[Table]]] = {"sets": sets, "trees": trees}


def tables(quick: bool) -> list[Table]:
    """The figures of all parts."""
    return [table for part in PARTS.values() for table in part(quick)]


if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        for table in PARTS[name](quick=False):
            print(table, end="\n\n", flush=True)
