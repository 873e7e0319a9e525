"""The exact draw beside inexact and foreign ones.

Predicted: counting equal scores costs less than the logarithms of 10⁶ Gumbel variables.
The bar: over 10⁶ candidates at most 1.2×, over 10³ at most 2× naive numpy Gumbel-max in the same run, and faster than
OpenDP's make_noisy_max and diffprivlib's Exponential on the same scores; one scalar release below 100 µs.

Main declarations
    SHAPES    the scores, by name
    tables    the figures
"""

from __future__ import annotations

import numpy as np
from measure import Table, ask_peer, clock

import privpac as pp

RNG = np.random.default_rng(2)
SHAPES = {
    "peaked": lambda n: -np.abs(np.arange(n) - n // 2),
    "uniform random": lambda n: RNG.integers(0, 1000, n),
    "one good candidate": lambda n: np.where(np.arange(n) == n // 3, 100, 0),
    "wide range": lambda n: RNG.integers(-(2**40), 2**40, n),
    "all equal": lambda n: np.zeros(n, dtype=np.int64),
}


def tables(quick: bool) -> list[Table]:
    """The draw over three sizes, and one scalar release."""
    return [draws(quick), releases(quick)]


def draws(quick: bool) -> Table:
    rows = []
    for digits, repeats, peer_repeats in ((3, 201, 21), (5, 21, 1), (6, 5, 0) if quick else (6, 11, 3)):
        scores = {shape: make(10**digits).astype(np.int64) for shape, make in SHAPES.items()}
        opendp = ask_peer("OpenDP", "select", repeats=peer_repeats, **scores)
        diffprivlib = ask_peer("diffprivlib", "select", repeats=peer_repeats, **scores)
        for shape, array in scores.items():
            ours, flips, naive = exact_and_naive(array, repeats)
            asked = ((opendp, "permute-and-flip"), (opendp, "exponential"), (diffprivlib, "exponential"))
            peers = [peer if isinstance(peer, str) else peer[shape][variant] for peer, variant in asked]
            ratios = (f"{each.warm / naive.warm:.2f}×" for each in (ours, flips))
            rows.append((f"10^{digits}", shape, ours.warm, flips.warm, naive.warm, *ratios, *peers))
    return Table(
        "One of many candidates, ε = 1: milliseconds, warm",
        (
            *("n", "scores", "exact draw", "exact p.-and-f.", "numpy Gumbel-max", "draw / naive", "p.-and-f. / naive"),
            *("OpenDP p.-and-f.", "OpenDP EM", "diffprivlib EM"),
        ),
        rows,
        "Gumbel-max in floats is the yardstick: fast, and not private. OpenDP reads the numpy array itself.",
    )


def exact_and_naive(scores, repeats):
    def exact():
        return pp.mechanisms.exponential(scores, epsilon=1)

    def flips():
        return pp.mechanisms.permute_and_flip(scores, epsilon=1)

    def naive():
        return np.argmax(scores * 0.5 - np.log(-np.log(RNG.random(scores.size))))  # three times faster than rng.gumbel

    times = clock({"exact": exact, "flips": flips, "naive": naive}, repeats)
    return times["exact"], times["flips"], times["naive"]


def releases(quick: bool) -> Table:
    repeats, ledger = 2000 if quick else 20_000, pp.Ledger(pp.Budget(10**6))
    ways = {
        "discrete_laplace": lambda: pp.mechanisms.discrete_laplace(1000, epsilon=1),
        "discrete_laplace, one ledger": lambda: pp.mechanisms.discrete_laplace(1000, epsilon=1, budget=ledger),
        "discrete_laplace, ε = 0.1": lambda: pp.mechanisms.discrete_laplace(1000, epsilon=0.1),
        "geometric in 0 … 2000": lambda: pp.mechanisms.geometric(1000, low=0, high=2000, epsilon=1),
    }
    times = clock(ways, repeats)
    base = times["discrete_laplace"].warm
    rows = [(f"privpac {way}", 1e3 * time.warm, f"{time.warm / base:.2f}×") for way, time in times.items()]
    for peer in ("OpenDP", "diffprivlib"):
        answer = ask_peer(peer, "release", repeats=repeats)
        if isinstance(answer, str):
            rows.append((peer, answer, ""))
        else:
            rows += [(f"{peer} {way}", µs, f"{µs / (1e3 * base):.2f}×") for way, µs in answer.items()]
    return Table(
        "One scalar release, ε = 1: microseconds, warm",
        ("mechanism", "µs", "to ours"),
        rows,
        f"First call {1e3 * times['discrete_laplace'].first:.0f} µs. Ours check, charge a ledger and toss exact coins; "
        "diffprivlib's noise is made of floats.",
    )
