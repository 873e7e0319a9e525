"""How many records an interior point takes: certified, and as it turns out.

Predicted: about (4/ε)·(b·ln 2 + ln(1/β)) by the exponential method, about (2/ε)·(3·ln(2b/β) + ln(b/δ)) by the dyadic
one; the samples that need most of it have three neighboring values. RecPrefix doubles its records on every level and
loses to the better of the two everywhere.
The bar, at ε = 1, δ = 1e-6, β = 0.05: certified n ≤ 133 at b = 64, ≤ 148 at b = 1024, ≤ 190 at b = 2^20; and at the
certified n no sample makes more than β of the releases miss.

The hostile samples leave few good nodes: three neighboring atoms, with the records shared out so that the splits
between them and the middle atom itself weigh alike; two neighbors; distant atoms; a path that loses records at every
level; clusters within clusters. ``miss`` sums the exact probabilities of a sample's releases, so the search for the
least n that works is free of sampling noise; the releases themselves are then counted at the certified n.

Throughout this file
    b       bits of the line 0 … 2^b − 1             n     records
    v       a place deep in the line: data near it leaves b dyadic nodes that hold everything and split nothing
    miss    a release below all records or above all of them

Main declarations
    hostile    the samples
    miss       the exact probability that a sample's release misses, but for RecPrefix, whose pairings are too many
    tables     the figures
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

from measure import Table
from scipy.special import betaincinv

import privpac as pp
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.exact.exponential_weights import probabilities
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential
from privpac.papers.yan25.recprefix import RecPrefix, nats
from privpac.privacy.budget import Budget

ε, δ, β = 1, 1e-6, 0.05
BARS = {6: 133, 10: 148, 20: 190}
CONFIDENCE = 0.99
Sample = list[int]


def deep(b: int) -> int:
    """v: its bits alternate, its last two are 0."""
    return int("01" * (b // 2), 2) >> 2 << 2


def atoms(n: int, outer: int, places: tuple[int, int, int]) -> Sample:
    """Three atoms, the outer ones of ``outer`` records each."""
    return [places[0]] * outer + [places[1]] * (n - 2 * outer) + [places[2]] * outer


def balanced(n: int, b: int, more: int) -> Sample:
    """Three neighbors: k records outside and n − 2k in the middle, where r^k ≈ a·r^(n−2k−1), but ``more`` outside."""
    k = round((n - 1 - 2 * log(b * (1 - δ) / δ) / ε) / 3) + more
    return atoms(n, min(max(k, 0), n // 2), (deep(b), deep(b) + 1, deep(b) + 3))


def path(n: int, b: int) -> Sample:
    """v and its neighbors at distances 2^0, 2^1, …: every dyadic node around v loses a few records to its child."""
    return sorted(deep(b) ^ (1 << (b - 2) * i // n) for i in range(n))


def clusters(n: int, b: int) -> Sample:
    """Distinct records that share a uniformly long prefix with v, the rest random."""
    return sorted(deep(b) ^ random.getrandbits(random.randrange(2, b)) for _ in range(n))


def hostile(b: int) -> Iterator[tuple[str, Callable[[int], Sample]]]:
    """Samples by name, each a function of n; of 2^20 bits only those that have proved the worst."""
    v, end = deep(b), 2**b - 1
    for more in (-1, 0, 1):
        yield f"three neighbors, {more:+d}", partial(balanced, b=b, more=more)
    if b > 2000:
        return
    for outer in (0, 5, 3, 2):
        yield f"distant atoms, 1/{outer}", lambda n, k=outer: atoms(n, k and n // k, (0, v, end))
    yield "two neighbors", lambda n: atoms(n, n // 2, (v, v, v + 1))
    yield "path", partial(path, b=b)
    yield "clusters", partial(clusters, b=b)
    yield "spread", lambda n: sorted(random.getrandbits(b) for _ in range(n))


def mechanism(method: str, b: int, n: int):
    """What interior_point runs by this method."""
    line = Line(0, 2**b - 1)
    return (
        QuantileExponential(Budget(ε), line)
        if method == "exponential"
        else QuantileDyadic(Budget(ε, δ), line, window=n)
    )


def miss(method: str, b: int, x: Sample) -> float:
    """The probability of a miss."""
    chosen = mechanism(method, b, len(x))
    weights, outcome = chosen.menu(chosen.check(x))
    law = enumerate(probabilities(weights.complete() if weights.complete else weights))

    def missing(group: int) -> float:
        count = weights.count(group)
        return 1 - hits(lambda member: x[0] <= outcome(group, member) <= x[-1], count) / count if count else 0.0

    return sum(float(p) * missing(group) for group, p in law)


def hits(hit: Callable[[int], bool], count: int) -> int:
    """How many members of a group hit: they are in order and split the records alike, so all do, or none, or an end."""
    first, last = hit(0), hit(count - 1)
    if first == last:
        return count if first else 0
    order = range(count) if first else range(count - 1, -1, -1)
    return next(i for i, member in enumerate(order) if not hit(member))


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


def bounds(misses: int, runs: int, samples: int = 1) -> str:
    """One-sided Clopper–Pearson bounds on the probability of a miss; of so many samples, for all at once."""
    error = (1 - CONFIDENCE) / samples
    low = betaincinv(misses, runs - misses + 1, error) if misses else 0.0
    high = betaincinv(misses + 1, runs - misses, 1 - error) if misses < runs else 1.0
    return f"{low:.4f} … {high:.4f}"


def tables(quick: bool) -> list[Table]:
    """Certified, exact and simulated, by all methods."""
    rows = [row(method, exponent, quick) for method in ("exponential", "dyadic") for exponent in (4, 5, 6, 10, 20)]
    rows += [paired_row(exponent, quick) for exponent in (4, 6, 10, 20)]
    return [
        Table(
            "Interior point, ε = 1, δ = 1e-6, β = 0.05",
            ("method", "b", "certified n", "bar", "least n", "worst miss", "sample", "counted", "99 % on each side"),
            rows,
            "Least n: the exact probability of a miss is at most β on every hostile sample tried. Worst miss: the "
            "largest such probability at the certified n, on the sample named; counted: misses on that sample. Of "
            "RecPrefix, whose laws are too long, releases of every sample are counted, and the bounds hold for all of "
            "them.",
        )
    ]


def row(method: str, exponent: int, quick: bool) -> tuple[Any, ...]:
    b = 2**exponent
    n = pp.interior_size(2**b, epsilon=ε, delta=δ, beta=β, method=method)
    shown = method, f"2^{exponent}", n, BARS.get(exponent, "") if method == "dyadic" else ""
    if n > 10**4:
        return (*shown, *["not tried"] * 5)
    probability, name = worst(method, b, n)
    runs = (20 if quick else 200) if b > 2000 else (300 if quick else 5000)
    x = dict(hostile(b))[name](n)
    released = (pp.interior_point(x, low=0, high=2**b - 1, epsilon=ε, delta=δ, method=method) for _ in range(runs))
    misses = sum(not x[0] <= value <= x[-1] for value in released)
    return (*shown, least(method, b, n), probability, name, f"{misses} of {runs}", bounds(misses, runs))


def paired_row(exponent: int, quick: bool) -> tuple[Any, ...]:
    """RecPrefix: the sample with most misses among as many releases from each."""
    b = 2**exponent
    chosen, samples = RecPrefix(Budget(ε, δ), Line(0, 2**b - 1), nats(Fraction(str(β)))), dict(hostile(b))
    n = chosen.least_n
    runs = (2 if quick else 30) if b > 2000 else (5 if quick else 500)
    misses, name = max((sum(missed(chosen, make(n)) for _ in range(runs)), name) for name, make in samples.items())
    shown = "recprefix", f"2^{exponent}", n, "", "not tried", "not tried", name if misses else "all"
    return (*shown, f"{misses} of {runs}", bounds(misses, runs, len(samples)))


def missed(chosen: RecPrefix, x: Sample) -> bool:
    """Whether one release lies outside the sample."""
    return not min(x) <= chosen.release(x, SYSTEM) <= max(x)
