"""How many records an interior point takes: certified, and as it turns out.

Predicted: (6/ε)·ln(1/δ)-like sizes that grow with ln b for the dyadic method, and with b for the exponential one.
The bar, at ε = 1, δ = 1e-6, β = 0.05: certified n ≤ 133 at b = 64, ≤ 148 at b = 1024, ≤ 190 at b = 2^20; and at the
certified n no sample makes more than β of the releases miss.

Throughout this file
    b       bits of the line 0 … 2^b − 1             n     records
    v       a place deep in the line: data near it leaves b dyadic nodes that hold everything and split nothing
    miss    a release below all records or above all of them

The hostile samples leave few good nodes: atoms at three neighbouring places, of which the middle one holds almost enough
records and the outer ones almost enough to balance a split; two ends; a path that loses one record per level; clusters
within clusters. ``miss`` sums the exact probabilities of a sample's releases, so the search for the least n that works
is free of sampling noise; the releases themselves are then counted at the certified n.

Main declarations
    HOSTILE    samples by name, each a function of n, b
    miss       the exact probability that a sample's release misses
    tables     the figures
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from measure import Table
from scipy.special import betaincinv

import privpac as pp
from privpac.data.line import Line
from privpac.exact.weighted import probabilities
from privpac.mechanisms.interior import QuantileDyadic, QuantileExponential
from privpac.privacy.budget import Budget

ε, δ, β = 1, 1e-6, 0.05
BARS = {6: 133, 10: 148, 20: 190}
CONFIDENCE = 0.99
Sample = list[int]


def deep(b: int) -> int:
    """v: its bits alternate, its last two are 0."""
    return int("01" * (b // 2), 2) >> 2 << 2


def sandwich(n: int, b: int, outer: float, places: tuple[int, int, int]) -> Sample:
    """Three atoms, the outer ones with a fraction ``outer`` of the records each."""
    k = round(outer * n)
    return [places[0]] * k + [places[1]] * (n - 2 * k) + [places[2]] * k


def path(n: int, b: int) -> Sample:
    """v and its neighbours at distances 2^0, 2^1, …: every dyadic node around v loses a few records to its child."""
    return sorted(deep(b) ^ (1 << (b - 2) * i // n) for i in range(n))


def clusters(n: int, b: int) -> Sample:
    """Distinct records that share a uniformly long prefix with v, the rest random."""
    return sorted(deep(b) ^ random.getrandbits(random.randrange(2, b)) for _ in range(n))


def hostile(b: int) -> Iterator[tuple[str, Callable[[int], Sample]]]:
    v, end = deep(b), 2**b - 1
    for outer in (0, 0.2, 0.25, 0.3, 0.33, 0.36, 0.4, 0.5):
        yield f"deep atoms {outer}", partial(sandwich, b=b, outer=outer, places=(v, v + 1, v + 3))
        yield f"wide atoms {outer}", partial(sandwich, b=b, outer=outer, places=(0, v, end))
    yield "path", partial(path, b=b)
    yield "clusters", partial(clusters, b=b)
    yield "spread", lambda n: sorted(random.getrandbits(b) for _ in range(n))


def mechanism(method: str, b: int, n: int):
    """What interior_point runs by this method."""
    line = Line(0, 2**b - 1)
    return (
        QuantileExponential(Budget(ε), line) if method == "exponential" else QuantileDyadic(Budget(ε, δ), line, kept=n)
    )


def miss(method: str, b: int, x: Sample) -> float:
    """The probability of a miss; members of a group split the records alike, so one of them tells."""
    chosen = mechanism(method, b, len(x))
    weights, outcome = chosen.menu(chosen.check(x))
    law = enumerate(probabilities(weights.complete() if weights.complete else weights))
    return sum(float(p) for group, p in law if weights.count(group) and not x[0] <= outcome(group, 0) <= x[-1])


def worst(method: str, b: int, n: int) -> tuple[float, str]:
    """The largest probability of a miss among the hostile samples of n records, and which."""
    return max((miss(method, b, make(n)), name) for name, make in hostile(b))


def least(method: str, b: int, certified: int) -> int:
    """The least n at which no hostile sample misses more often than β."""
    low, high = 1, certified
    while low < high:
        n = (low + high) // 2
        low, high = (low, n) if worst(method, b, n)[0] <= β else (n + 1, high)
    return low


def bounds(misses: int, runs: int) -> str:
    """One-sided Clopper–Pearson bounds on the probability of a miss."""
    low = betaincinv(misses, runs - misses + 1, 1 - CONFIDENCE) if misses else 0.0
    high = betaincinv(misses + 1, runs - misses, CONFIDENCE) if misses < runs else 1.0
    return f"{low:.4f} … {high:.4f}"


def tables(quick: bool) -> list[Table]:
    """Certified, exact and simulated, by both methods."""
    rows = []
    for method, exponents in (("exponential", (4, 5, 6, 10, 20)), ("dyadic", (4, 5, 6, 10, 20))):
        for exponent in exponents:
            b = 2**exponent
            n = pp.interior_size(2**b, epsilon=ε, delta=δ, beta=β, method=method)
            bar = BARS.get(exponent, "") if method == "dyadic" else ""
            if n > 10**4:  # records of 2^20 bits each
                rows.append((method, f"2^{exponent}", n, bar, *["too many"] * 5))
                continue
            frequent, sample = worst(method, b, n)
            runs = (20 if b > 2000 else 300) if quick else (200 if b > 2000 else 5000)
            x = dict(hostile(b))[sample](n)
            released = [
                pp.interior_point(x, low=0, high=2**b - 1, epsilon=ε, delta=δ, method=method) for _ in range(runs)
            ]
            misses = sum(not x[0] <= value <= x[-1] for value in released)
            counted = f"{misses} of {runs}", bounds(misses, runs)
            rows.append((method, f"2^{exponent}", n, bar, least(method, b, n), frequent, sample, *counted))
    return [
        Table(
            "Interior point, ε = 1, δ = 1e-6, β = 0.05",
            (
                "method",
                "b",
                "certified n",
                "bar",
                "least n",
                "worst miss",
                "sample",
                "misses",
                f"{CONFIDENCE:.0%} each side",
            ),
            rows,
            "Least n: the exact probability of a miss is at most β on every hostile sample tried. Worst miss: the largest "
            "such probability at the certified n, on the sample named; then misses counted on it.",
        )
    ]
