"""What noisy counts of held-out records say about a rule: its error on new records, and whether a constant is as good.

proof: docs/proofs/holding_out.md, Theorems 3 to 5. Nothing here sees a record.

Throughout this file
    n          the number of held-out records, public
    x          the rate of the noise of each count               K      how many counts there are; they add up to n
    T          a sum of K independent discrete Laplace numbers of rate x
    Y          twice a sum of counts, plus T: (those counts) + n − (the others)
    D          how many of the n records have a declared label
    β          the probability that a claim is wrong
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, log, sqrt

import numpy as np
from flint import arb, arb_poly, ctx
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlog1py, xlogy

from privpac.privacy.bisection import smallest
from privpac.privacy.rounding import ball, floor_to

Floats = NDArray[np.float64]
FINENESS = 2.0**-40  # of the ends of an interval
BEYOND = 50  # sums over a binomial number leave out values whose total probability is below 2·e^(−BEYOND)·β
PRECISION = 1024  # bits; differences of nearly equal numbers lose many of them if the rate is small
MOST_EXACT = 32  # terms of a sum of noise; for more, its polynomial is slow, and beyond the range of floats
ROUNDING = 1e-6  # covers the rounding of the logarithm of a bound
SIZE_SHARE = Fraction(1, 10)  # the share of β for bounds on how many records are of some kinds


@dataclass(frozen=True)
class NoiseSum:
    """The sum of ``terms`` independent discrete Laplace numbers of this rate."""

    rate: Fraction
    terms: int

    def tail(self, least: ArrayLike) -> Floats:
        """Pr[T ≥ least] for integers; for many terms, an upper bound."""
        t = np.asarray(least, dtype=np.float64)
        if self.terms > MOST_EXACT:
            return self._bound(t)
        far = np.where(t > 0, t, 1 - t)
        above = np.exp(-float(self.rate) * far) * np.polyval(_polynomial(self.rate, self.terms), far)
        return np.asarray(np.where(t > 0, above, 1 - above))

    def _bound(self, t: Floats) -> Floats:
        """min(1, E[e^(s·T)]·e^(−s·t)) for the best of 64 numbers s between 0 and the rate."""
        x = float(self.rate)
        s = x * np.append(np.geomspace(2**-12, 0.5, 48), 1 - np.geomspace(2**-8, 0.48, 16))
        log_moments = self.terms * (2 * np.log(-np.expm1(-x)) - np.log(-np.expm1(s - x)) - np.log(-np.expm1(-s - x)))
        best = np.min([moment - s_i * t for s_i, moment in zip(s, log_moments, strict=True)], axis=0)
        return np.asarray(np.exp(np.minimum(best + ROUNDING, 0.0)))

    def reach(self, beta: float) -> int:
        """The least t ≥ 1 with Pr[T ≥ t] ≤ β."""
        return smallest(lambda t: float(self.tail(t)) <= beta)


@dataclass(frozen=True)
class MeasuredShare:
    """A share of the records; ``low`` to ``high`` covers it among new records.

    >>> print(MeasuredShare(0.203, 0.181, 0.226))
    20.3 %
    """

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high <= 1:
            raise ValueError("a share must lie within its interval, and the interval between 0 and 1")

    @staticmethod
    def within(value: float, low: float, high: float) -> MeasuredShare:
        """A share that noise may have put outside its interval: the nearest number inside."""
        return MeasuredShare(min(max(value, low), high), low, high)

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The share, and the ends of its interval."""
        return self.value, self.low, self.high

    @property
    def seen(self) -> bool:
        """Whether there clearly are such records, to a tenth of a percent."""
        return floor_to(self.low, 3) > 0

    def __str__(self) -> str:
        return percent(self.value)


NO_SHARE = MeasuredShare(0.0, 0.0, 0.0)


def percent(share: float) -> str:
    """A share in tenths of a percent."""
    return f"{100 * share:.1f} %"


def error_interval(y: int, n: int, noise: NoiseSum, beta: Fraction) -> tuple[float, float]:
    """All p for which neither Y ≥ y nor Y ≤ y is less likely than β/2 if each of n records is counted with chance p.

    >>> low, high = error_interval(2 * 80, 1000, NoiseSum(Fraction(1, 2), 4), Fraction(1, 20))
    >>> round(low, 3), round(high, 3)
    (0.063, 0.099)
    """
    return _least(y, n, noise, float(beta) / 2), _largest(y, n, noise, float(beta) / 2)


def declared_interval(y: int, n: int, undeclared: int, noise: NoiseSum, beta: Fraction) -> tuple[float, float]:
    """All p that Y does not contradict for some likely D, if each of D records is counted with chance p.

    ``undeclared`` is the noisy number of records without a declared label.
    """
    size_beta = float(beta * SIZE_SHARE) / 2
    off = NoiseSum(noise.rate, 1).reach(size_beta) - 1  # the noise of one count is very rarely larger
    fewest, most = (min(max(n - undeclared + sign * off, 0), n) for sign in (-1, 1))
    rest = float(beta) / 2 - size_beta
    return _least(y, most, noise, rest), _largest(y, fewest, noise, rest)


def largest_share(count: int, n: int, noise: NoiseSum, beta: Fraction) -> float:
    """The largest p for which a noisy count as small as this is more likely than β, if n·p records are expected.

    >>> round(largest_share(0, 1000, NoiseSum(Fraction(1, 2), 2), Fraction(1, 100)), 4)
    0.0131
    """
    β = float(beta)
    return min(1 - _first(lambda p: _chance(lambda k: noise.tail(k - count), n, 1 - p, β) > β) + FINENESS, 1.0)


def clearly_more(
    counts: Sequence[int], kinds: tuple[Sequence[int], Sequence[int]], n: int, rate: Fraction, beta: Fraction
) -> bool:
    """Whether a new record is more likely to be of the first kinds than of the second, with confidence 1 − β.

    >>> clearly_more((600, 100, 200, 100), ([0], [1]), 1000, Fraction(1, 2), Fraction(1, 20))
    True
    """
    first, second = (sum(counts[i] for i in numbers) for numbers in kinds)
    excess = first - second
    if excess < 1:
        return False
    γ, noise = float(beta * SIZE_SHARE), NoiseSum(rate, len(counts))
    most = (2 * (first + second) + n - sum(counts) + noise.reach(γ) - 1) // 2  # records of all these kinds
    M = min(max(most, 0), n)
    their_noise = NoiseSum(rate, sum(map(len, kinds)))

    def chance(records: int) -> float:
        """The probability of a difference this large, if both kinds are equally likely."""
        return _chance(lambda k: their_noise.tail(excess - 2 * k + records), records, 0.5, γ)

    return γ + max(chance(M), chance(max(M - 1, 0))) <= float(beta)


def nearest_counts(noisy: Sequence[int], n: int) -> Floats:
    """The numbers ≥ 0 that add up to n and are nearest to the noisy counts.

    >>> nearest_counts([6, 3, -1], 10).tolist()
    [6.5, 3.5, 0.0]
    """
    values = np.asarray(noisy, dtype=np.float64)
    ordered = np.sort(values)[::-1]
    shifts = (np.cumsum(ordered) - n) / np.arange(1, len(ordered) + 1)
    shift = shifts[np.flatnonzero(ordered >= shifts)[-1]]
    return np.asarray(np.maximum(values - shift, 0.0))


def _least(y: int, n: int, noise: NoiseSum, beta: float) -> float:
    """The least p for which Y ≥ y is more likely than β."""
    low = _first(lambda p: _chance(lambda k: noise.tail(y - 2 * k), n, p, beta) > beta)
    return max(low - FINENESS, 0.0)


def _largest(y: int, n: int, noise: NoiseSum, beta: float) -> float:
    """The largest p for which Y ≤ y is more likely than β."""
    high = 1 - _first(lambda p: _chance(lambda k: noise.tail(2 * k - y), n, 1 - p, beta) > beta)
    return min(high + FINENESS, 1.0)


def _first(holds: Callable[[float], bool]) -> float:
    """The least p in [0, 1] for which ``holds``, up to FINENESS and rounded down; it must hold for all larger p."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high - low > FINENESS:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low


def _chance(tail: Callable[[Floats], Floats], n: int, p: float, beta: float) -> float:
    """The mean of ``tail`` over a binomial number (n, p), precise enough to be compared with numbers of about β."""
    w = sqrt(2 * (BEYOND - log(beta)))
    mean, width = n * p, w * (sqrt(n * p * (1 - p)) + w)  # Bernstein's inequality: beyond it lies at most 2·e^(−w²/2)
    k = np.arange(max(int(mean - width), 0), min(int(mean + width) + 1, n) + 1, dtype=np.float64)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)
    return float(np.exp(logs) @ tail(k))


@lru_cache(maxsize=64)
def _polynomial(rate: Fraction, terms: int) -> Floats:
    """Coefficients, highest first, of the polynomial Q of degree K − 1 with Pr[T ≥ t] = e^(−x·t)·Q(t) for t ≥ 1."""
    with ctx.workprec(max(PRECISION, 160 * terms)):
        ρ = (-ball(rate)).exp()
        # T is A − B, where both are i with probability (1 − ρ)^K·C(i + K − 1, i)·ρ^i
        at = [(1 - ρ) ** (2 * terms) * _series(_products(terms, t), ρ**2) for t in range(1, 2 * terms)]  # Pr[T = t]/ρ^t
        tails = [_series(at[t : t + terms], ρ) for t in range(terms)]
        Q = arb_poly.interpolate([arb(t) for t in range(1, terms + 1)], tails)
        return np.array([float(Q[i]) for i in reversed(range(terms))])


def _products(terms: int, t: int) -> list[arb]:
    """C(i + K − 1, i)·C(i + t + K − 1, i + t) for i = 0 … 2K − 2: a polynomial in i of degree 2K − 2."""
    return [arb(comb(i + terms - 1, i) * comb(i + t + terms - 1, i + t)) for i in range(2 * terms - 1)]


def _series(values: Sequence[arb], z: arb) -> arb:
    """Σ f(i)·z^i over all i ≥ 0, from the first values of f, a polynomial of a degree below their number."""
    total, differences = arb(0), list(values)
    for j in range(len(values)):
        total += differences[0] * z**j / (1 - z) ** (j + 1)
        differences = [after - before for before, after in pairwise(differences)]
    return total
