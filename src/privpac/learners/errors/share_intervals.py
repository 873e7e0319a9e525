"""How likely a record of one of two kinds is of the first kind, from noisy counts of both.

proof: docs/proofs/risks.md, Theorems 1 and 2. Nothing here sees a record.

The share of positive records among those of a region, its risk, is one example; others are a rule's sensitivity and its
specificity. Whether a rule costs less than a constant depends on two such shares.

Throughout this file
    A, B       how many records are of the first and of the second kind            N      A + B
    p          the share, so A is binomial (N, p)
    c          a slope near p: S = (1 − c)·Ã − c·B̃ has mean N·(p − c), where Ã and B̃ are the noisy counts
    β          the probability that a claim is wrong
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, pi, sin, sqrt

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from privpac.learners.errors.error_intervals import SIZE_SHARE, Floats, NoiseSum

BLOCKS = 64  # intervals of possible shares p, from edge to edge; each has its own slope
# Blocks are narrow near 0 and 1, where intervals are.
EDGES = [sin(pi * j / (2 * BLOCKS)) ** 2 for j in range(BLOCKS)] + [1.0]
SLOPES = [sin(pi * (2 * j + 1) / (4 * BLOCKS)) ** 2 for j in range(BLOCKS)]
STEPS = 9  # steps of a bisection within a block
REST = 1e-10  # added to every tail: it covers the probability of all values that sums leave out
FINENESS = 0.1  # standard deviations; numbers N that are closer to each other are treated together
POINTS = 1024  # entries of the table of a noise's tail


@dataclass(frozen=True)
class NoisyPair:
    """Noisy numbers of records of two kinds, which are at most ``most`` together.

    Each number is a sum of one or more counts, and ``noises`` says of how many. Each count has noise of this rate.

    >>> pair = NoisyPair((160, 240), (1, 1), 1000, Fraction(1, 2))
    >>> low, high = pair.interval(Fraction(1, 20))
    >>> round(low, 3), round(high, 3)
    (0.35, 0.452)
    """

    counts: tuple[int, int]
    noises: tuple[int, int]
    most: int
    rate: Fraction

    @property
    def reversed(self) -> NoisyPair:
        """The pair with the second kind first."""
        return NoisyPair(self.counts[::-1], self.noises[::-1], self.most, self.rate)

    def interval(self, beta: Fraction) -> tuple[float, float]:
        """An interval that covers p with probability at least 1 − β."""
        ends = self.least(beta), 1 - self.reversed.least(beta)
        return min(ends), max(ends)  # noise that contradicts every p leaves any interval

    def least(self, beta: Fraction) -> float:
        """The lower end: every smaller p is rejected by a test that would err with probability β/2."""
        sizes, one_sided = self.sizes(beta), float(beta * (1 - SIZE_SHARE)) / 2
        for j, slope in enumerate(SLOPES):
            if not self._rejected(slope, EDGES[j + 1], sizes, one_sided):
                return self._within(slope, EDGES[j], EDGES[j + 1], sizes, one_sided)
        return 1.0

    def exceeds(self, share: Fraction, beta: Fraction) -> bool:
        """Whether p is clearly larger than this share, with confidence 1 − β."""
        p = float(share)
        return self._rejected(p, p, self.sizes(beta), float(beta * (1 - SIZE_SHARE)))

    def sizes(self, beta: Fraction) -> range:
        """The numbers N that the noise does not rule out; all others have a probability of at most β/10."""
        off = NoiseSum(self.rate, sum(self.noises)).reach(float(beta * SIZE_SHARE) / 2) - 1
        fewest, largest = (min(max(sum(self.counts) + sign * off, 0), self.most) for sign in (-1, 1))
        return range(fewest, largest + 1)

    def _within(self, slope: float, low: float, high: float, sizes: range, beta: float) -> float:
        """The largest p of a block that is rejected, by bisection; tests with one slope are monotone in p."""
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._rejected(slope, middle, sizes, beta) else (low, middle)
        return low

    def _rejected(self, slope: float, p: float, sizes: range, beta: float) -> bool:
        """Whether a sum as large as S has a probability of β at most, for every likely N."""
        S = (1 - slope) * self.counts[0] - slope * self.counts[1]
        if self._moment(S, slope, p, sizes[-1]) <= beta:
            return True
        if sizes[0] * (p - slope) >= S:  # S is not even larger than expected
            return False
        return _largest_tail(S, slope, p, sizes, WeightedNoise.of(self.rate, self.noises, slope)) <= beta

    def _moment(self, S: float, slope: float, p: float, most: int) -> float:
        """A bound on the probability of a sum ≥ S by exponential moments, which grow with N if p ≥ c."""
        if p < slope:
            return 1.0
        ρ, up, down = float(self.rate), 1 - slope, slope  # S grows by ``up`` or falls by ``down`` with each record
        spread = most * max(p * (1 - p), 1e-9) + sum(self.noises) * 2 / min(ρ, 1.0) ** 2
        farthest = min(0.95 * ρ, 300.0) / max(up, down)  # beyond ρ, the noise has no moment; e^300 is still a float
        t = np.minimum(max(S - most * (p - slope), 0.0) / spread * np.geomspace(0.3, 3, 12), farthest)
        records = most * np.log(p * np.exp(t * up) + (1 - p) * np.exp(-t * down))
        noise = self.noises[0] * _log_moment(ρ, t * up) + self.noises[1] * _log_moment(ρ, t * down)
        return float(np.exp(np.minimum(records + noise - t * S, 0.0)).min())


@dataclass(frozen=True, eq=False)
class WeightedNoise:
    """(1 − c)·T − c·T', where T and T' are sums of discrete Laplace numbers: bounds on its tail at some points."""

    first: float
    step: float
    tails: Floats
    spread: float  # a standard deviation, about

    @staticmethod
    @lru_cache(maxsize=512)
    def of(rate: Fraction, noises: tuple[int, int], c: float) -> WeightedNoise:
        """The noise of S at this slope."""
        plus, minus = (NoiseSum(rate, number) for number in noises)
        plus_reach, minus_reach = plus.reach(REST / 4), minus.reach(REST / 4)
        farthest = (1 - c) * plus_reach + c * minus_reach
        first, step = -farthest, 2 * farthest / POINTS
        edges = np.arange(-minus_reach, minus_reach + 1, ceil(FINENESS / float(rate)), dtype=np.float64)
        masses = minus.tail(edges) - np.append(minus.tail(edges[1:]), 0.0)
        least = np.ceil((first + step * np.arange(POINTS)[:, None] + c * edges) / (1 - c) - 1e-9)
        spread = sqrt(((1 - c) ** 2 * noises[0] + c**2 * noises[1]) * 2) / float(rate)
        return WeightedNoise(first, step, np.asarray(plus.tail(least) @ masses) + REST, spread)

    def tail(self, least: Floats) -> Floats:
        """An upper bound on Pr[noise ≥ least]."""
        places = np.floor((least - self.first) / self.step)
        inside = self.tails[np.clip(places, 0, POINTS - 1).astype(np.intp)]
        return np.asarray(np.where(places < 0, 1.0, inside))


def _largest_tail(S: float, slope: float, p: float, sizes: range, noise: WeightedNoise) -> float:
    """An upper bound, over all sizes N, on the probability of a sum ≥ S."""
    spread = sqrt(noise.spread**2 + sizes[-1] * p * (1 - p))
    together = max(floor(FINENESS * spread), 1)  # N more records raise S by at most (1 − c)·N
    N = np.arange(sizes[0], sizes[-1] + 1, together, dtype=np.float64)[:, None]
    width = 7.5 * sqrt(sizes[-1] * p * (1 - p)) + 40  # Bernstein's inequality: less than REST lies beyond
    low, high = max(int(sizes[0] * p - width), 0), min(int(sizes[-1] * p + width) + 1, sizes[-1])
    k = np.arange(low, high + 1, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        logs = gammaln(N + 1) - gammaln(k + 1) - gammaln(N - k + 1) + xlogy(k, p) + xlog1py(N - k, -p)
    chances = np.where(k <= N, np.exp(np.where(k <= N, logs, 0.0)), 0.0)
    least = S - (1 - slope) * (together - 1) - k + slope * N
    return float((chances * noise.tail(least)).sum(axis=1).max()) + REST


def _log_moment(rate: float, t: Floats) -> Floats:
    """ln E e^(tZ) of a discrete Laplace number."""
    ρ = np.exp(-rate)
    return np.asarray(2 * np.log1p(-ρ) - np.log1p(-ρ * np.exp(t)) - np.log1p(-ρ * np.exp(-t)))
