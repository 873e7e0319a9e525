"""Private medians and quantiles: time beside a sort, ranks beside two peers.

Predicted: all but the sort looks at a few hundred records around the wanted rank, so that a median costs little more
than sorting; the rank error does not depend on n, so that as a fraction it falls like 1/n.
The bar: at most 3× np.sort of the same array, 10⁶ and 10⁷ int64 in a line of 2^64 values; right on constant data, on
atoms, on two clusters and at both ends of the line; rank errors beside OpenDP's and diffprivlib's at ε = 1.

Main declarations
    SAMPLES    samples by name, each a function of n, low, high
    tables     the figures
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from measure import PEERS, Table, ask_peer, clock, rank_error

import privpac as pp

RNG = np.random.default_rng(3)
METHODS = ("exponential", "dyadic", "auto")
LINES = {"2^32": (0, 2**32 - 1), "2^64": (-(2**63), 2**63 - 1)}
QUARTILES = [0.25, 0.5, 0.75]


def around(n, center, width=10**5):
    return (center + RNG.normal(0, width, n)).astype(np.int64)


def two_clusters(n, low, high):
    return np.concatenate([around(n // 2, 10**8), around(n - n // 2, 3 * 10**9)])


SAMPLES: dict[str, Callable[[int, int, int], np.ndarray]] = {
    "even": lambda n, low, high: RNG.integers(low, high, n, endpoint=True),
    "narrow": lambda n, low, high: around(n, 10**9),
    "constant": lambda n, low, high: np.full(n, 123_456_789),
    "80 % atom": lambda n, low, high: np.where(np.arange(n) < 0.8 * n, 123_456_789, RNG.integers(low, high, n)),
    "two clusters": two_clusters,
    "low end": lambda n, low, high: np.full(n, low) + RNG.integers(0, 4, n),
    "high end": lambda n, low, high: np.full(n, high) - RNG.integers(0, 4, n),
}


def tables(quick: bool) -> list[Table]:
    """Times, rank errors, quartiles, and the smallest samples."""
    return [times(quick), quartile_times(quick), medians(quick), quartiles(quick), few_records()]


def times(quick: bool) -> Table:
    low, high = LINES["2^64"]
    day = np.datetime64(0, "D")
    rows = []
    for digits, repeats in ((6, 7), (7, 1 if quick else 5)):
        n = 10**digits
        kinds = {
            "int64": (SAMPLES["even"](n, low, high), low, high),
            "int64, narrow": (SAMPLES["narrow"](n, low, high), low, high),
            "float64": (RNG.normal(0, 1e5, n), -1e300, 1e300),
            "dates": (day + RNG.integers(0, 36_500, n), day, day + 100_000),
        }
        for kind, (x, first, last) in kinds.items():
            median = partial(pp.private_median, x, low=first, high=last, epsilon=1, delta=1e-6)
            taken = clock({"sort": partial(np.sort, x)} | {m: partial(median, method=m) for m in METHODS}, repeats)
            ratios = [f"{taken[m].warm / taken['sort'].warm:.2f}×" for m in METHODS]
            rows.append((f"10^{digits}", kind, *(time.warm for time in taken.values()), *ratios))
    header = ("n", "values", "np.sort", *METHODS, *(f"{method} / sort" for method in METHODS))
    return Table("Median, ε = 1, δ = 1e-6: milliseconds, warm", header, rows, "Integers lie in a line of 2^64 values.")


def quartile_times(quick: bool) -> Table:
    low, high = LINES["2^64"]
    rows = []
    for digits in (4, 6) if quick else (4, 6, 7):
        x = SAMPLES["even"](10**digits, low, high)
        three = partial(pp.private_quantiles, x, QUARTILES, low=low, high=high, epsilon=1)
        taken = clock({"sort": partial(np.sort, x), "three": three}, 3)
        sort, quantiles = taken["sort"].warm, taken["three"].warm
        rows.append((f"10^{digits}", sort, quantiles, f"{quantiles / sort:.1f}×"))
    header = ("n", "np.sort", "private_quantiles", "ratio")
    return Table("Three quartiles of int64, ε = 1: milliseconds, warm; no bar", header, rows)


def medians(quick: bool) -> Table:
    runs, peer_runs = (200, 3) if quick else (500, 40)
    rows = []
    for digits, line in product((3, 5), ("2^64",) if quick else LINES):
        low, high = LINES[line]
        samples = {name: np.sort(make(10**digits, low, high)) for name, make in SAMPLES.items()}
        known = {"low": low, "high": high, "epsilon": 1}
        peers = [ask_peer(peer, "quantiles", **known, taus=[0.5], runs=peer_runs, **samples) for peer in PEERS]
        for name, x in samples.items():
            ours = [
                {name: [[pp.private_median(x, **known, delta=1e-6, method=method) for _ in range(runs)]]}
                for method in ("exponential", "dyadic")
            ]
            rows.append((f"10^{digits}", line, name, *(ranks(x, answer, name, [0.5]) for answer in ours + peers)))
    return Table(
        "Rank error of the median, ε = 1: mean / 95 %, as fractions of n",
        ("n", "line", "sample", "exponential", "dyadic, δ = 1e-6", "OpenDP, 2^16 candidates", "diffprivlib"),
        rows,
        f"{runs} runs each, {peer_runs} of the peers, on the same records and declared bounds. On constant data an "
        "error of 0 means that very value.",
    )


def quartiles(quick: bool) -> Table:
    runs, peer_runs = (50, 3) if quick else (500, 40)
    low, high = LINES["2^32"]
    rows = []
    for digits in (3, 5):
        names = ("even", "narrow", "80 % atom", "two clusters")
        samples = {name: np.sort(SAMPLES[name](10**digits, low, high)) for name in names}
        known = {"low": low, "high": high}
        peers = [
            ask_peer(peer, "quantiles", **known, epsilon=1, taus=QUARTILES, runs=peer_runs, **samples) for peer in PEERS
        ]
        for name, x in samples.items():
            together = [pp.private_quantiles(x, QUARTILES, **known, epsilon=1) for _ in range(runs)]
            alone = [
                [pp.private_quantiles(x, [τ], **known, epsilon=Fraction(1, 3))[0] for _ in range(runs)]
                for τ in QUARTILES
            ]
            ours = [{name: list(zip(*together, strict=True))}, {name: alone}]
            rows.append((f"10^{digits}", name, *(ranks(x, answer, name, QUARTILES) for answer in ours + peers)))
    return Table(
        "Rank error of three quartiles, ε = 1 in all: mean / 95 % of all three",
        ("n", "sample", "private_quantiles", "one by one, ε/3 each", "OpenDP, 2^16 candidates", "diffprivlib"),
        rows,
        f"A line of 2^32 values. {runs} runs each, {peer_runs} of the peers.",
    )


def ranks(x, answer, name, taus):
    """Mean / 95 % of the rank errors of an answer (sample → for each τ its values), and how often it raised."""
    if isinstance(answer, str):
        return answer
    pairs = [(value, τ) for values, τ in zip(answer[name], taus, strict=True) for value in values]
    errors = [rank_error(x, value, τ) for value, τ in pairs if value is not None]
    raised = f"raises {1 - len(errors) / len(pairs):.0%}" if len(errors) < len(pairs) else ""
    shown = f"{np.mean(errors):.2g} / {np.quantile(errors, 0.95):.2g}" if errors else ""
    return ", ".join(filter(None, [shown, raised]))


def few_records() -> Table:
    low, high = LINES["2^64"]
    rows = []
    for n, method in product((1, 2, 3), ("exponential", "dyadic")):
        x = np.sort(RNG.integers(low, high, n))
        found = {
            ε: [pp.private_median(x, low=low, high=high, epsilon=ε, delta=1e-6, method=method) for _ in range(200)]
            for ε in (1, 200)
        }
        errors = [ranks(x, {"few": [values]}, "few", [0.5]) for values in found.values()]
        outside = sum(not low <= value <= high for values in found.values() for value in values)
        rows.append((n, method, *errors, outside))
    return Table(
        "The smallest samples, a line of 2^64 values: rank error, mean / 95 %",
        ("n", "method", "ε = 1", "ε = 200", "values outside the line"),
        rows,
    )
