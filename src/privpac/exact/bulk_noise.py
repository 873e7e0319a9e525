"""Many exact, independent draws of integer noise at once, from tables.

[CKS20]  docs/references.bib        proof: docs/proofs/noise.md

Throughout this file
    Z       noise with Pr[z] = Pr[−z]         x, σ²    a rational rate, a rational variance
    U       a draw's number, uniform on [0, 1)
    N       the first 63 bits of U, as an integer; more bits are read when needed
    G(m)    Pr[|Z| ≤ m]; |Z| is the smallest m with U < G(m)
    e_m     ⌊2^63·G(m)⌋: N < e_m proves U < G(m), and N > e_m proves U ≥ G(m); N = e_m decides nothing

Tables hold integers that Arb has proved, so no float decides a draw. One random word holds N and the sign of a draw.
The number of draws and their law decide how draws are made, so both must be public. If the number that is needed is
private, make a public number of draws and drop those that are not needed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count as naturals
from itertools import islice
from math import isqrt
from typing import Protocol

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.exact import samplers
from privpac.exact.biased_coins import power_of_e
from privpac.exact.entropy import Entropy

BITS = 63  # the length of N
PRECISION = 192  # bits of the balls that a table is made from
FEWEST_LEADING, MOST_LEADING = 10, 18  # how many leading bits of N are looked up first; they usually decide |Z|
EXTRA_LEADING = 6  # leading bits beyond those that number the entries of the table
FEW = 512  # the fewest draws that are worth a table
SPARE = 64  # at least so many draws are searched for, even if their leading bits decide them
SMALLEST_RATE = Fraction(1, 2**10)  # tables of less concentrated noise would be too long: 44/x or 9.3·σ entries
LARGEST_VARIANCE = Fraction(2**22)
CACHED = 16  # tables in the cache

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


def discrete_laplaces(x: Fraction, count: int, coins: Entropy) -> Ints:
    """``count`` independent draws of discrete Laplace noise."""
    if count < FEW or x < SMALLEST_RATE:
        return samplers.laplaces(x, count, coins)
    return _draw(Laplace(x, None), count, coins)


def truncated_laplaces(x: Fraction, most: int, count: int, coins: Entropy) -> Ints:
    """``count`` independent draws of discrete Laplace noise, given that it is between −``most`` and ``most``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> set(truncated_laplaces(Fraction(1, 100), 1, 600, SYSTEM).tolist()) == {-1, 0, 1}
    True
    """
    if most > 1 / SMALLEST_RATE and x < SMALLEST_RATE:
        return samplers.truncated_laplaces(x, most, count, coins)
    return _draw(Laplace(x, most), count, coins)


def discrete_gaussians(variance: Fraction, count: int, coins: Entropy) -> Ints:
    """``count`` independent draws of discrete Gaussian noise."""
    if count < FEW or variance > LARGEST_VARIANCE:
        return samplers.gaussians(variance, count, coins)
    return _draw(Gaussian(variance), count, coins)


class Symmetric(Hashable, Protocol):
    """The law of noise Z that is symmetric about 0."""

    def within(self) -> Iterator[arb]:
        """G(0), G(1), … as balls at the working precision; if the sequence ends, its last ball is 1."""


@dataclass(frozen=True)
class Laplace:
    """Pr[z] ∝ e^(−x·|z|), for all z, or for |z| ≤ ``most``."""

    x: Fraction
    most: int | None

    def within(self) -> Iterator[arb]:
        ρ = power_of_e(-self.x)
        beyond = 2 * ρ / (1 + ρ)  # Pr[|Z| > m], before truncation
        whole = arb(1) if self.most is None else 1 - beyond * ρ**self.most
        for m in naturals():
            if m == self.most:
                yield arb(1)
                return
            yield (1 - beyond) / whole
            beyond *= ρ


@dataclass(frozen=True)
class Gaussian:
    """Pr[z] ∝ e^(−z²/(2σ²))."""

    variance: Fraction

    def within(self) -> Iterator[arb]:
        last = isqrt(int(2 * self.variance * ctx.prec)) + 1  # so that Pr[|Z| > last] is below 2^(−prec)
        for m, (total, next_term, ratio) in enumerate(self._sums()):
            if m == last:
                beyond = 2 * next_term / (1 - ratio)  # terms fall at least as fast as a geometric series
                whole = total + arb(beyond / 2, beyond / 2)
                break
        return (total / whole for total, _, _ in self._sums())

    def _sums(self) -> Iterator[tuple[arb, arb, arb]]:
        """For m = 0, 1, …: the sum of e^(−z²/(2σ²)) over |z| ≤ m, the next term, and the ratio of the term after it.

        Term z is e^(−z²/(2σ²)).
        """
        q = power_of_e(-1 / (2 * self.variance))
        total, term, ratio = arb(1), q, q * q * q  # products, because Arb refuses powers of a ball that contains 0
        while True:
            yield total, term, ratio
            total, term, ratio = total + 2 * term, term * ratio, ratio * q * q


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """The table of a law: the leading bits of N decide most draws, and a search decides the others."""

    ends: Words  # e_0, e_1, …
    decided: NDArray[np.int32]  # for each value of the leading bits, the |Z| that they decide; −1 if they decide none
    open_share: float  # the share of −1 in ``decided``

    @property
    def trailing(self) -> np.uint64:
        """How many bits of N are not leading bits."""
        return np.uint64(BITS + 1 - len(self.decided).bit_length())


@lru_cache(CACHED)
def _table(law: Symmetric) -> NoiseTable:
    precision = PRECISION
    while (proved := _ends(law, precision)) is None:
        precision *= 2
    ends = np.array(proved, dtype=np.uint64)
    leading = min(max(len(ends).bit_length() + EXTRA_LEADING, FEWEST_LEADING), MOST_LEADING)
    starts = np.arange(2**leading, dtype=np.uint64) << np.uint64(BITS - leading)
    low = np.searchsorted(ends, starts, side="left")
    high = np.searchsorted(ends, starts + np.uint64(2 ** (BITS - leading) - 1), side="right")
    return NoiseTable(ends, np.where(low == high, low, -1).astype(np.int32), float(np.mean(low != high)))


def _ends(law: Symmetric, precision: int) -> list[int] | None:
    """e_0, e_1, … up to the first that is at least the largest N; None if this precision does not prove them."""
    ends: list[int] = []
    with ctx.workprec(precision):
        for G in law.within():
            scaled = G * 2**BITS
            low, high = (bound.floor().unique_fmpz() for bound in (scaled.lower(), scaled.upper()))
            if low is None or high is None:  # another thread, which shares Arb's precision, lowered it
                return None
            ends.append(int(low))
            if low >= 2**BITS - 1:  # the largest N
                return ends
            if low != high:
                return None
    raise AssertionError  # unreachable: G(m) tends to 1, or ends with it


def _draw(law: Symmetric, count: int, coins: Entropy) -> Ints:
    """``count`` draws from the table of the law."""
    table = _table(law)
    words = np.frombuffer(coins.octets(8 * count), dtype="<u8")
    N = words >> np.uint64(1)
    size = table.decided[N >> table.trailing].astype(np.int64)
    undecided = np.flatnonzero(size < 0)
    to_search = min(int(2 * table.open_share * count) + SPARE, count)  # nearly always, fewer draws are undecided
    # The first draws are searched for as well, so that time does not tell how many draws the leading bits decide.
    searched = np.append(undecided, np.arange(max(to_search - len(undecided), 0)))
    size[searched] = np.searchsorted(table.ends, N[searched], side="left")
    ties = searched[table.ends[size[searched]] == N[searched]]
    for j in np.unique(ties).tolist():  # one of the first draws may be there twice
        size[j] = _settle(law, int(size[j]), int(N[j]), coins)
    negative = (words & np.uint64(1)).astype(np.int64)
    return np.asarray((size ^ -negative) + negative)  # −size where negative is 1


def _settle(law: Symmetric, m: int, number: int, coins: Entropy) -> int:
    """|Z| for a U whose first 63 bits are ``number`` = e_m, reading more bits until it is certain."""
    width = BITS
    while True:
        number, width = (number << 64) | coins.bits(64), width + 64
        with ctx.workprec(2 * width + 64):
            for size, G in enumerate(islice(law.within(), m, None), start=m):
                scaled = G * arb(2) ** width
                if number + 1 <= scaled:
                    return size
                if not scaled <= number:
                    break  # the bits read so far do not decide


def plus(values: Ints, noise: Ints) -> Ints:
    """The exact sums ``values + noise``, as int64 if these hold them all, otherwise as Python's integers.

    >>> plus(np.array([2**62]), np.array([2**62]))
    array([9223372036854775808], dtype=object)
    """
    if _largest(values) + _largest(noise) >= 2**63:
        return samplers.as_integers([value + z for value, z in zip(values.tolist(), noise.tolist(), strict=True)])
    return np.asarray(values.astype(np.int64) + noise)


def _largest(values: Ints) -> int:
    """The largest absolute value."""
    return max(-int(values.min(initial=0)), int(values.max(initial=0)))
