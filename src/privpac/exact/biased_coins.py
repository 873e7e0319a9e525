"""Exact biased coins: one with a rational probability, and many at once, with probabilities e^(−rate·gaps[j]).

proof: docs/proofs/exact_draw.md, and docs/proofs/noise.md, Lemma 1, for rational probabilities

Throughout this file
    p    the probability of heads; for candidate j it is e^(−rate·gaps[j])
    U    a number, uniform on [0, 1); its coin shows heads if U < p
    N    the first 32 bits of U, as an integer; more bits are read when needed
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import BLOCK, exponentiate

BAND = 2.0**-31  # exceeds the error of p − U as a float, of which only the first 32 bits of U are known


def bernoulli(p: Fraction, coins: Entropy) -> bool:
    """True with probability ``p``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> bernoulli(Fraction(0), SYSTEM), bernoulli(Fraction(1), SYSTEM)
    (False, True)
    """
    return coins.below(p.denominator) < p.numerator


def heads(gaps: NDArray[np.int64], rate: Fraction, coins: Entropy) -> NDArray[np.bool_]:
    """Whether the coin of each candidate shows heads, for gaps ≥ 0 and rate ≥ 0.

    >>> from privpac.exact.entropy import SYSTEM
    >>> heads(np.array([10_000, 0, 20_000, 0]), Fraction(1, 2), SYSTEM)
    array([False,  True, False,  True])
    """
    shown = np.empty(gaps.size, dtype=bool)
    for start in range(0, gaps.size, BLOCK):
        block = gaps[start : start + BLOCK]
        N = np.frombuffer(coins.octets(4 * block.size), dtype="<u4")
        lead = block.astype(np.float64) * -float(min(rate, Fraction(2**500)))
        exponentiate(lead)  # now p
        lead -= N * 2.0**-32  # now p − U
        shown[start : start + BLOCK] = lead > 0
        for j in np.flatnonzero(np.abs(lead) <= BAND).tolist():
            shown[start + j] = is_below(partial(power_of_e, -rate * int(block[j])), int(N[j]), 32, coins)
    return shown


def single_head(p: Callable[[], arb], coins: Entropy) -> bool:
    """True with probability p; ``p()`` is a ball that contains it, at the working precision."""
    return is_below(p, 0, 0, coins)


def power_of_e(x: Fraction) -> arb:
    """e^x as a ball at the working precision."""
    return arb(fmpq(x.numerator, x.denominator)).exp()


def is_below(p: Callable[[], arb], number: int, width: int, coins: Entropy) -> bool:
    """Whether U < p, for a U whose first ``width`` bits are ``number``, reading more until it is certain.

    Ends with probability one.

    >>> from privpac.exact.entropy import SYSTEM
    >>> is_below(lambda: arb(-1).exp(), 0b011, 3, SYSTEM), is_below(lambda: arb(-1).exp(), 0b001, 3, SYSTEM)
    (False, True)
    """
    while True:
        number, width = (number << 64) | coins.bits(64), width + 64
        with ctx.workprec(width + 64):
            scaled = p() * arb(2) ** width
            if number + 1 <= scaled:
                return True
            if scaled <= number:
                return False


def head_count(m: int, p: Callable[[], arb], coins: Entropy) -> int:
    """How many of m coins show heads, each with probability p; in a time that grows with this number, not with m.

    ``p`` encloses the probability, which is above 0 and below 1, at the working precision.

    >>> from privpac.exact.entropy import SYSTEM
    >>> head_count(0, lambda: arb(-1).exp(), SYSTEM), head_count(2**100, lambda: arb(-100).exp(), SYSTEM)
    (0, 0)
    """
    number, width = 0, 0
    while True:
        number, width = (number << 64) | coins.bits(64), width + 64
        with ctx.workprec(width + 64):
            chance = p()
            term = so_far = ((-chance).log1p() * m).exp()  # so far: the probability of at most ``count`` heads
            for count in range(m + 1):
                scaled = so_far * arb(2) ** width
                if count == m or number + 1 <= scaled:
                    return count
                if not scaled <= number:
                    break  # these bits do not decide
                term *= chance / (1 - chance) * (m - count) / (count + 1)
                so_far += term
