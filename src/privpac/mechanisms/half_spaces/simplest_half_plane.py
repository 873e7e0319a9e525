"""The half-plane with the smallest coefficients among those that label a square grid alike.

proof: docs/proofs/half_plane_learner.md, Theorem 1

Throughout this file
    N          the grid is {0 … N}²
    (w, b)     the half-plane w·x ≥ b
    a          the slope of the boundary y = a·x + c; the half-plane above it is y − a·x ≥ c
    lowest     the lowest point above the boundary in each column x that has one, as arrays of x and y
    highest    the highest point below the boundary in each column x that has one, likewise
    F(a)       min(y − a·x) over lowest − max(y − a·x) over highest: a separates the two if F(a) > 0; F is concave
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from privpac.data.samples.sample import Ints

Normal = tuple[int, int]
ALWAYS: tuple[Normal, int] = (0, 0), 0
NEVER: tuple[Normal, int] = (0, 0), 1


def smallest_numbers(w: Normal, b: int, N: int) -> tuple[Normal, int]:
    """The simplest half-plane that labels the grid as w·x ≥ b does.

    The numbers of w must be below 2^62/N, so that products fit into machine integers.

    >>> smallest_numbers((-333, 1000), 5, 9), smallest_numbers((1, 0), 0, 9), smallest_numbers((1, 0), 10, 9)
    (((-1, 3), 1), ((0, 0), 0), ((0, 0), 1))
    """
    if abs(w[0]) > abs(w[1]):
        (v, u), bias = smallest_numbers((w[1], w[0]), b, N)
        return (u, v), bias
    corners = [w[0] * x + w[1] * y for x in (0, N) for y in (0, N)]
    if min(corners) >= b:
        return ALWAYS
    if max(corners) < b:
        return NEVER
    if w[1] < 0:  # the complement lies above its boundary
        (u, v), bias = smallest_numbers((-w[0], -w[1]), 1 - b, N)
        return (-u, -v), 1 - bias
    return _above(w, b, N)


def _above(w: Normal, b: int, N: int) -> tuple[Normal, int]:
    """``smallest_numbers`` if |w[0]| ≤ w[1] and the grid has both labels."""
    x = np.arange(N + 1)
    first = -((w[0] * x - b) // w[1])  # the least integer y with w[0]·x + w[1]·y ≥ b, perhaps outside the grid
    upper, lower = first <= N, first >= 1
    lowest, highest = (x[upper], np.maximum(first[upper], 0)), (x[lower], np.minimum(first[lower] - 1, N))

    def gap(a: Fraction) -> tuple[Fraction, int]:
        """F(a), and the negative of F's slope at a."""
        i, above = _least(lowest, a)
        k, below = _least((highest[0], -highest[1]), -a)
        return above + below, int(lowest[0][i] - highest[0][k])

    left, right = _end(gap, Fraction(-1)), _end(gap, Fraction(1))
    a = simplest_between(left, right)
    bias = _least(lowest, a)[1] * a.denominator
    return (-a.numerator, a.denominator), int(bias)


def _least(points: tuple[Ints, Ints], a: Fraction) -> tuple[int, Fraction]:
    """The index of a point where y − a·x is least, and this value."""
    values = a.denominator * points[1] - a.numerator * points[0]
    i = int(values.argmin())
    return i, Fraction(int(values[i]), a.denominator)


def _end(gap: Callable[[Fraction], tuple[Fraction, int]], a: Fraction) -> Fraction:
    """The end of {F > 0} on the side of a = ±1, by Newton's steps from a inward.

    If F(a) > 0, the result is 2·a, so that a itself lies strictly between the two ends.
    """
    F, fall = gap(a)
    if F > 0:
        return 2 * a
    while F < 0:
        a += F / fall
        F, fall = gap(a)
    return a


def simplest_between(left: Fraction, right: Fraction) -> Fraction:
    """The fraction strictly between the two with the smallest denominator; among several, the one nearest 0.

    >>> print(simplest_between(Fraction(1, 3), Fraction(1, 2)), simplest_between(Fraction(-2), Fraction(2, 7)))
    2/5 0
    """
    if left < 0 < right:
        return Fraction(0)
    if right <= 0:
        return -simplest_between(-right, -left)
    whole = left.numerator // left.denominator
    if whole + 1 < right:
        return Fraction(whole + 1)
    if left == whole:  # 1/q for the least q with whole + 1/q < right
        return whole + Fraction(1, (right - whole).denominator // (right - whole).numerator + 1)
    return whole + 1 / simplest_between(1 / (right - whole), 1 / (left - whole))
