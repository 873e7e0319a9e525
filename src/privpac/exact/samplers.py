"""Exact draws from independent coins, for small numbers of draws. Their time does not depend on what is drawn.

[CKS20]  docs/references.bib        proof: docs/proofs/noise.md

Throughout this file
    x      a rational rate               σ²     a rational variance
    p      the probability of heads      e      ⌊2^64·p⌋: a word of 64 bits below e proves heads, one above it tails
    K      the least number with x·2^K ≥ 45, so that e^(−x·2^K) is less than 2^-64
    row    a row of coins with different p. ``tosses`` tosses the row several times and returns a line for each time,
           with a column for each coin

The binary digits of a geometric number are independent coins. A coin with probability e^(−x·n) shows heads if all of
several independent coins do, one for each digit 1 of n. All coins of a draw are tossed at once, whatever they show.
Other laws are drawn by rejection: the number of rejected proposals is independent of the one that is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import ceil, isqrt

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.exact.biased_coins import is_below, power_of_e, single_head
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers

BITS = 64  # the length of a word
NEVER = 45  # e^(−45) < 2^-64
PRECISION = 192  # bits of the balls from which ends are computed, at first
DIGITS = 62  # the most binary digits that fit into a machine integer
AT_ONCE = 2**13  # the most draws whose coins are tossed together, to bound memory
SPARE = 6  # additional proposals, so that one round is nearly always enough
CACHED = 64  # rows of coins in the cache


@dataclass(frozen=True)
class PowerCoins:
    """A row of coins: coin i shows heads with probability e^(−x·2^i), for i = 0 … K."""

    x: Fraction

    @cached_property
    def digits(self) -> int:
        """K: the number of digits of a geometric number that are tossed one by one."""
        return max(ceil(NEVER / self.x) - 1, 0).bit_length()

    def chances(self) -> list[arb]:
        """The probability p of each coin, as a ball at the working precision."""
        return [power_of_e(-self.x * 2**i) for i in range(self.digits + 1)]

    @cached_property
    def ends(self) -> NDArray[np.uint64]:
        """The end e of each coin."""
        precision = PRECISION
        while None in (floors := self._floors(precision)):
            precision *= 2
        return np.array(floors, dtype=np.uint64)

    def _floors(self, precision: int) -> list[int | None]:
        """The end of each coin; None where this precision does not determine it."""
        with ctx.workprec(precision):
            balls = [p * 2**BITS for p in self.chances()]
            pairs = [(ball.lower().floor().unique_fmpz(), ball.upper().floor().unique_fmpz()) for ball in balls]
        return [None if low is None or low != high else int(low) for low, high in pairs]


@dataclass(frozen=True)
class DigitCoins(PowerCoins):
    """A row of coins: the K lowest binary digits of a geometric number, lowest first, and whether it reaches 2^K."""

    def chances(self) -> list[arb]:
        *digits, larger = super().chances()
        return [p / (1 + p) for p in digits] + [larger]


_digit_coins = lru_cache(CACHED)(DigitCoins)
_power_coins = lru_cache(CACHED)(PowerCoins)


def tosses(row: PowerCoins, count: int, coins: Entropy) -> NDArray[np.bool_]:
    """Whether each coin of the row shows heads, in ``count`` tosses of the row."""
    ends = row.ends
    words = np.frombuffer(coins.octets(8 * count * len(ends)), dtype="<u8").reshape(count, len(ends))
    heads = words < ends
    if (undecided := words == ends).any():  # once in 2^64 coins
        for line, i in np.argwhere(undecided).tolist():
            heads[line, i] = is_below(lambda i=i: row.chances()[i], int(words[line, i]), BITS, coins)  # type: ignore[misc]
    return heads


def geometric(x: Fraction, coins: Entropy) -> int:
    """g ≥ 0 with probability (1 − e^(−x))·e^(−x·g), for rational x > 0."""
    return int(_geometrics(_digit_coins(x), 1, coins)[0])


def _geometrics(row: DigitCoins, count: int, coins: Entropy) -> Integers:
    """``count`` independent geometric numbers."""
    heads = tosses(row, count, coins)
    numbers = _numbers(heads[:, :-1])
    if heads[:, -1].any():  # with probability below 2^-64; the excess over 2^K is geometric again
        more = [2**row.digits + geometric(row.x, coins) if is_larger else 0 for is_larger in heads[:, -1]]
        return np.asarray(numbers + np.array(more, dtype=object))
    return numbers


def _numbers(digits: NDArray[np.bool_]) -> Integers:
    """The number whose binary digits each line holds, the lowest first."""
    if digits.shape[1] <= DIGITS:
        return np.asarray(digits @ (1 << np.arange(digits.shape[1])))
    octets = np.packbits(digits, axis=1, bitorder="little")
    return np.array([int.from_bytes(line.tobytes(), "little") for line in octets], dtype=object)


def geometrics(x: Fraction, count: int, coins: Entropy) -> Integers:
    """``count`` independent g ≥ 0 with probability (1 − e^(−x))·e^(−x·g), for rational x > 0."""
    return _joined(_geometrics(_digit_coins(x), size, coins) for size in _sizes(count))


def laplaces(x: Fraction, count: int, coins: Entropy) -> Integers:
    """``count`` independent z with probability (1 − e^(−x))/(1 + e^(−x))·e^(−x·|z|), for rational x > 0."""
    return _joined(_differences(_digit_coins(x), size, coins) for size in _sizes(count))


def _sizes(count: int) -> list[int]:
    """How many draws are made together, one time after another."""
    return [AT_ONCE] * (count // AT_ONCE) + [count % AT_ONCE]


def _differences(row: DigitCoins, count: int, coins: Entropy) -> Integers:
    """``count`` independent differences of two geometric numbers."""
    numbers = _geometrics(row, 2 * count, coins)
    return np.asarray(numbers[:count] - numbers[count:])


def truncated_laplaces(x: Fraction, most: int, count: int, coins: Entropy) -> Integers:
    """``count`` independent z with probability ∝ e^(−x·|z|) among −``most`` … ``most``."""

    def from_uniform(tries: int) -> Integers:
        row = _power_coins(x)
        kind = object if row.digits > DIGITS else np.int64
        z = np.array([coins.below(2 * most + 1) - most for _ in range(tries)], dtype=kind)
        return np.asarray(z[_accepted(row, abs(z), coins)])

    def from_laplace(tries: int) -> Integers:
        z = _differences(_digit_coins(x), tries, coins)
        return np.asarray(z[abs(z) <= most])

    # Either way, a proposal is accepted with probability 1/e or more.
    return _first_accepted(count, from_uniform if x * most <= 1 else from_laplace)


def gaussians(variance: Fraction, count: int, coins: Entropy) -> Integers:
    """``count`` independent z with probability ∝ e^(−z²/(2σ²)), for a rational variance σ² > 0.

    With y = 1/(2σ²), z is proposed with probability ∝ e^(−y·j·|z|) for j ≈ 2σ and accepted with the probability
    e^(−y·(z² − j·|z| + ⌊j²/4⌋)), whose exponent is never positive.
    """
    near, j, far = _envelope(variance)

    def accepted(tries: int) -> Integers:
        z = _differences(near, tries, coins)
        size = abs(z.astype(object) if near.digits > DIGITS // 2 else z)  # so that z² cannot overflow
        return np.asarray(z[_accepted(far, size * size - j * size + j * j // 4, coins)])

    return _first_accepted(count, accepted)


@lru_cache(CACHED)
def _envelope(variance: Fraction) -> tuple[DigitCoins, int, PowerCoins]:
    """The coins that propose |z|, the number j, and the coins that accept a proposal."""
    y, j = 1 / (2 * variance), max(isqrt(int(4 * variance)), 1)
    return DigitCoins(j * y), j, PowerCoins(y)


def _accepted(row: PowerCoins, n: Integers, coins: Entropy) -> NDArray[np.bool_]:
    """Independent coins, one for each number n, that show heads with probability e^(−x·n).

    All coins of the digits 1 of n must show heads. If ``high`` = ⌊n/2^K⌋ is not 0, so must coin K and a further coin
    with probability e^(−x·2^K·(high − 1)).
    """
    heads = tosses(row, len(n), coins)
    high = n >> row.digits
    high_heads = np.asarray(high == 0, dtype=bool)
    if (undecided := heads[:, -1] & ~high_heads).any():  # once in 2^64 numbers
        for i in np.flatnonzero(undecided).tolist():
            high_heads[i] = single_head(partial(power_of_e, -row.x * 2**row.digits * (int(high[i]) - 1)), coins)
    tails = _numbers(~heads[:, :-1])  # the digits whose coins do not show heads
    return np.asarray(high_heads & (n & tails == 0), dtype=bool)


def _first_accepted(count: int, accepted: Callable[[int], Integers]) -> Integers:
    """The first ``count`` accepted numbers; ``accepted(tries)`` returns the accepted ones of ``tries`` proposals."""
    numbers = np.zeros(0, dtype=np.int64)
    while len(numbers) < count:
        missing = count - len(numbers)
        numbers = _joined([numbers, accepted(min(2 * missing + SPARE, AT_ONCE))])
    return numbers[:count]


def _joined(parts: Iterable[Integers]) -> Integers:
    """All parts in one array, of machine integers if all numbers fit."""
    numbers = np.concatenate(list(parts))
    return as_integers(numbers.tolist()) if numbers.dtype.kind == "O" else numbers


def as_integers(numbers: list[int]) -> Integers:
    """The numbers as an array, of int64 if all fit, otherwise of Python's integers."""
    least, largest = min(numbers, default=0), max(numbers, default=0)
    return np.array(numbers, dtype=np.int64 if least >= -(2**63) and largest < 2**63 else object)
