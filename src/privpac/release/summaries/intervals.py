"""Intervals of sums and means with noise in the numerator and in the denominator.

proof: docs/proofs/summaries.md

Throughout this file
    S, C       the sum of centered values of a group, in half steps, and its number of records; S̃, C̃ as released
    Z_s, Z_n   their noise: discrete Laplace of the rates r_s and r_n; without noise of counts, r_n is 0
    a          a factor ≥ 0; sums need one value of it, means all values up to the largest |δ|
    q          a bound on noise: for each a of a range by itself, |Z_s − a·Z_n| > q with probability at most β
    z, p       the values of Z_n that are listed, and their probabilities
    δ          S/C, the centered mean in half steps
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NODES = 129  # values of a; between each two of them, q is one number
MOST_NOISE = 2**12  # the most values of Z_n that are listed; larger noise is treated as continuous
OMITTED = 1e-15  # the probability that sums over noise leave out, by which β is lowered
ABOVE = 1 + 1e-9  # covers rounding
STEPS = 64  # of each bisection


@dataclass(frozen=True)
class RatioNoise:
    """The noise of sums and counts, with the bounds and intervals that follow from it.

    >>> noise = RatioNoise(Fraction(1, 10), Fraction(1, 2), 0.05, 20)
    >>> noise.bound(np.array([0.0, 10.0])).round(1)
    array([30., 65.])
    >>> noise.mean(S=1000, C=500)
    (1.93..., 2.06...)
    """

    sum_rate: Fraction  # r_s
    count_rate: Fraction  # r_n
    beta: float
    most: int  # the largest |δ|

    def bound(self, a: Floats, from_a: Floats | None = None) -> Floats:
        """q for a; with ``from_a``, for every number from there up to a.

        |Z_s − a·Z_n| is convex in a: between two numbers, it is at most the larger of its values at them.
        """
        r, s = float(self.count_rate), float(self.sum_rate)
        if not r:
            return np.full(a.shape, self._single_bound(s, self.beta))
        if 40 / r > MOST_NOISE:
            return self._continuous(a)
        least = a if from_a is None else from_a
        z = np.arange(-ceil(40 / r), ceil(40 / r) + 1)
        p = np.exp(-r * np.abs(z)) * np.tanh(r / 2)
        low, high = np.zeros(a.shape), self._single_bound(s, self.beta / 2) + a * self._single_bound(r, self.beta / 2)
        shift = np.minimum(least[:, None] * z, a[:, None] * z)  # the least a·z of the range
        for _ in range(STEPS):
            middle = (low + high) / 2
            least_noise = np.floor(middle[:, None] + shift) + 1  # the least Z_s with Z_s − a·z above the middle
            tail = 2 * (p * _tail(s, least_noise)).sum(axis=1)
            too_low = tail > self.beta - OMITTED
            low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
        return np.asarray(high)

    @staticmethod
    def _single_bound(rate: float, beta: float) -> float:
        """A bound on |Z| for one noise Z of this rate, which |Z| exceeds with probability at most β."""
        return float(max(ceil(-(np.log(beta / 2) + np.log1p(np.exp(-rate))) / rate) - 1, 0))

    def _continuous(self, a: Floats) -> Floats:
        """q for large noise: that of Laplace noise of the same rates, plus 1 + a for rounding. It rises with a."""
        s, t = 1 / float(self.sum_rate), a / float(self.count_rate)
        t = np.where(np.abs(t / s - 1) < 1e-6, s * (1 + 1e-6), t)
        low, high = np.zeros(a.shape), 4 * (s + t) * -np.log(self.beta)
        for _ in range(STEPS):
            q = (low + high) / 2
            with np.errstate(divide="ignore", over="ignore"):
                tail = (s**2 * np.exp(-q / s) - t**2 * np.exp(-q / np.maximum(t, 1e-300))) / (s**2 - t**2)
            low, high = np.where(tail > self.beta, q, low), np.where(tail > self.beta, high, q)
        return np.asarray(high + 1 + a)

    def mean(self, S: int, C: int) -> tuple[float, float]:
        """The interval of δ, for the released S and C: the hull of all δ in ±most with |S − δ·C| ≤ q(|δ|)."""
        nodes, q = _nodes(self)

        def possible(δ: Floats) -> NDArray[np.bool_]:
            return np.asarray(np.abs(S - δ * C) <= q[np.searchsorted(nodes[1:-1], np.abs(δ), side="right")])

        nearest = min(max(S / C, -self.most), self.most) if C else 0.0
        grid = np.sort(np.append(np.linspace(-self.most, self.most, 2 * NODES - 1), nearest))
        inside = np.flatnonzero(possible(grid))
        if not len(inside):  # the sum is impossible for so many records
            return -float(self.most), float(self.most)
        return self._edge(possible, grid, int(inside[0]), -1), self._edge(possible, grid, int(inside[-1]), 1)

    @staticmethod
    def _edge(possible: Callable[[Floats], NDArray[np.bool_]], grid: Floats, last: int, direction: int) -> float:
        """The end of the possible values beside the grid's point number ``last``, in this direction: −1 or 1."""
        if not 0 <= last + direction < len(grid):
            return float(grid[last])
        inner, outer = float(grid[last]), float(grid[last + direction])
        for _ in range(STEPS):
            middle = (inner + outer) / 2
            inner, outer = (middle, outer) if possible(np.array(middle)) else (inner, middle)
        return outer


@lru_cache(64)
def _nodes(noise: RatioNoise) -> tuple[Floats, Floats]:
    """The nodes of a, and q between each two of them. At a node, the later q is taken, so q must not decrease."""
    a = np.linspace(0, noise.most, NODES)
    return a, np.maximum.accumulate(noise.bound(a[1:], a[:-1])) * ABOVE


def _tail(rate: float, least: Floats) -> Floats:
    """Pr[Z ≥ least]."""
    ρ = np.exp(-rate)
    beyond = np.exp(-rate * np.maximum(least, 1)) / (1 + ρ)
    return np.asarray(np.where(least > 0, beyond, 1 - np.exp(-rate * (1 - np.minimum(least, 0))) / (1 + ρ)))
