"""Many exact, independent draws of integer noise at once.

proof: docs/proofs/noise.md

Throughout this file
    x    a rational rate, so that e^(−x) is never computed
    c    a power of 2 with x·c ≤ 1: a geometric number is R + c·V, R below c

Main declarations
    discrete_laplaces    z with probability ∝ e^(−x·|z|), many times
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.exact import samplers
from privpac.exact.entropy import Entropy
from privpac.exact.heads import heads

SMALLEST_RATE = Fraction(1, 2**32)  # c and R fit into 32 bits

Ints = NDArray[np.int64]


def discrete_laplaces(x: Fraction, count: int, coins: Entropy) -> list[int]:
    """``count`` independent draws, each with the law of ``samplers.discrete_laplace(x)``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> discrete_laplaces(Fraction(1000), 3, SYSTEM)
    [0, 0, 0]
    """
    if x <= SMALLEST_RATE:
        return [samplers.discrete_laplace(x, coins) for _ in range(count)]
    found = np.zeros(0, dtype=np.int64)
    while (missing := count - found.size) > 0:
        negative, size = _words(missing, 1, coins) == 1, _geometrics(x, missing, coins)
        kept = ~negative | (size > 0)
        found = np.concatenate([found, np.where(negative, -size, size)[kept]])
    return found.tolist()


def _geometrics(x: Fraction, count: int, coins: Entropy) -> Ints:
    """g ≥ 0 with probability (1 − e^(−x))·e^(−x·g), ``count`` times."""
    bits = max((x.denominator // x.numerator).bit_length() - 1, 0)
    remainder = np.zeros(0, dtype=np.int64)
    while (missing := count - remainder.size) > 0:
        R = _words(missing, bits, coins)
        remainder = np.concatenate([remainder, R[heads(R, x, coins)]])
    rounds, going = np.zeros(count, dtype=np.int64), np.arange(count)
    while going.size:
        going = going[heads(np.full(going.size, 2**bits), x, coins)]
        rounds[going] += 1
    return np.asarray(remainder + 2**bits * rounds)


def _words(count: int, bits: int, coins: Entropy) -> Ints:
    """Uniform integers of ``bits`` ≤ 32 bits."""
    return (np.frombuffer(coins.octets(4 * count), dtype="<u4").astype(np.int64)) >> (32 - bits)
