"""All three-way tables of ten columns of bits, and all rectangles of a grid, from one release.

Predicted: the noise of K tables has the standard deviation √(K/ρ), 70 records for K = 120 at ε = 1 and δ = 1e-6, so the
largest of 960 cells is off by more than 200 records as measured; weights of the 1024 combinations average it out. The
bar for the largest error over n: .070, .011, and .0024 at n = 10³, 10⁴, and 10⁵ for tables; .0267, .0026, and .0003 at
n = 10⁴, 10⁵, and 10⁶ for rectangles of 64 × 64 cells. Our figures include the certificate, which takes a tenth of ε.
MWEM [HLM12] chooses and measures one cell at a time. Its noise here is numpy's, and its best number of rounds is chosen
after the fact, which favors it.

Main declarations
    POPULATIONS    how the bits depend on each other
    POINTS         where the points of the grid lie
    tables         the figures
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations, product
from statistics import mean

import numpy as np
from measure import Table

import privpac as pp
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.privacy.accounting.concentrated import Concentrated

RNG = np.random.default_rng(16)
WIDTH, ORDER, SIDE = 10, 3, 64
COST = pp.Budget(1, 1e-6)
Draw = Callable[[int], np.ndarray]


def chain(n: int) -> np.ndarray:
    """Each bit copies the one before it in 70 % of the records."""
    X = RNG.random((n, WIDTH)) < 0.2 + 0.06 * np.arange(WIDTH)
    for j in range(1, WIDTH):
        X[:, j] = np.where(RNG.random(n) < 0.7, X[:, j - 1], X[:, j])
    return X.astype(int)


def mixture(n: int) -> np.ndarray:
    """Four kinds of records, each with its own frequencies."""
    return (RNG.random((n, WIDTH)) < RNG.random((4, WIDTH))[RNG.integers(0, 4, n)]).astype(int)


def blobs(n: int) -> np.ndarray:
    """Four clouds of points."""
    centers = RNG.normal(SIDE / 2, SIDE / 5, (4, 2))
    return np.clip(RNG.normal(centers[RNG.integers(0, 4, n)], 4), 0, SIDE - 1).astype(int)


POPULATIONS: dict[str, Draw] = {
    "chain": chain,
    "mixture": mixture,
    "uniform": lambda n: RNG.integers(0, 2, (n, WIDTH)),
}
POINTS: dict[str, Draw] = {
    "blobs": blobs,
    "uniform": lambda n: RNG.integers(0, SIDE, (n, 2)),
    "half in one cell": lambda n: np.where(RNG.random((n, 1)) < 0.5, [[17, 40]], RNG.integers(0, SIDE, (n, 2))),
}
CELLS = np.array(list(product((0, 1), repeat=WIDTH)))
QUERIES = np.array(
    [
        (CELLS[:, columns] == bits).all(axis=1)
        for columns in combinations(range(WIDTH), ORDER)
        for bits in product((0, 1), repeat=ORDER)
    ],
    dtype=float,
)


def mwem(h: np.ndarray, rounds: int) -> np.ndarray:
    """Answers after some rounds: choose the worst query, measure it, and update weights by all measurements so far."""
    n, true = h.sum(), QUERIES @ h
    ρ = float(Concentrated.within(COST).rho) / (2 * rounds)  # half to choose, half to measure
    rate, σ = np.sqrt(8 * ρ), np.sqrt(1 / (2 * ρ))
    w, total, asked = np.full(len(h), n / len(h)), np.zeros(len(h)), []
    for _ in range(rounds):
        scores = np.abs(true - QUERIES @ w) * rate / 2
        i = int(np.argmax(scores + RNG.gumbel(size=len(scores))))
        asked.append((i, true[i] + RNG.normal(0, σ)))
        for _ in range(10):
            for j, answer in asked:
                w = w * np.exp(QUERIES[j] * (answer - QUERIES[j] @ w) / (2 * n))
                w *= n / w.sum()
        total += w
    return QUERIES @ (total / rounds)


def three_ways(quick: bool) -> Table:
    marginals = pp.Marginals(*(pp.Points().on(i, values=(0, 1)) for i in range(WIDTH)), order=ORDER)
    σ = float(GaussianCounts(COST, 2 * len(marginals.tables)).variance) ** 0.5
    rows = []
    for name, n in product(POPULATIONS, (10**3, 10**4, 10**5)):
        ours, bounds, raw, peers = [], [], [], {rounds: [] for rounds in (10, 30, 60)}
        for _ in range(2 if quick else 5):
            X = POPULATIONS[name](n)
            h = np.bincount(X @ (2 ** np.arange(WIDTH)[::-1]), minlength=len(CELLS))
            release = pp.PrivateRelease(marginals, epsilon=1, delta=1e-6, allow_large_delta=True).fit(X)
            true = QUERIES @ h
            answers = release.release_.answers_
            found = np.concatenate([answers.by_columns[S].ravel() for S in marginals.tables])
            ours.append(np.abs(found - true).max() / n)
            bounds.append(release.guarantee_.measured / n)
            raw.append(np.abs(RNG.normal(0, σ, len(true))).max() / n)
            for rounds, errors in peers.items():
                errors.append(np.abs(mwem(h, rounds) - true).max() / n)
        best = min(peers, key=lambda rounds: mean(peers[rounds]))
        bar = {10**3: 0.070, 10**4: 0.011, 10**5: 0.0024}[n]
        rows.append((name, n, mean(ours), mean(bounds), bar, mean(raw), mean(peers[best]), best))
    header = ("population", "n", "largest error", "certificate", "bar", "noise alone", "MWEM", "its rounds")
    return Table("960 cells of 120 three-way tables of ten bits, ε = 1, δ = 1e-6, as fractions of n", header, rows)


def rectangles(quick: bool) -> Table:
    grid, rows = pp.Rectangles(0, SIDE - 1, 2), []
    for name, n in product(POINTS, (10**3, 10**4, 10**5, 10**6)):
        ours, bounds = [], []
        for _ in range(2 if quick else 5):
            X = POINTS[name](n)
            front = pp.PrivateRelease(grid, epsilon=1, delta=1e-6, feature=[0, 1], allow_large_delta=True).fit(X)
            h = np.zeros((SIDE, SIDE), dtype=int)
            np.add.at(h, tuple(X.T), 1)
            off = front.release_.answers_.F - np.pad(h.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
            ours.append(max(int(np.ptp(off[i + 1 :] - off[i], axis=1).max()) for i in range(SIDE)) / n)
            bounds.append(front.guarantee_.measured / n)
        rows.append((name, n, mean(ours), mean(bounds), {10**4: 0.0267, 10**5: 0.0026, 10**6: 0.0003}.get(n, "")))
    header = ("points", "n", "largest error", "certificate", "bar")
    return Table(f"All rectangles of {SIDE} × {SIDE} cells, ε = 1, δ = 1e-6, as fractions of n", header, rows)


def tables(quick: bool) -> Iterator[Table]:
    """The figures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # δ·n is large for 10⁵ records and more
        yield three_ways(quick)
        yield rectangles(quick)
