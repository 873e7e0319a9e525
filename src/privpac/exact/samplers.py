"""Exact coins with irrational probabilities, from fair bits alone.

[CKS20, §5]  docs/references.bib        proof: docs/proofs/noise.md

Throughout this file
    p    a rational probability          x    a rational rate, so that e^(−x) is never computed

Main declarations
    bernoulli          1 with probability p
    bernoulli_exp      1 with probability e^(−x)
    geometric          g ≥ 0 with probability (1 − e^(−x))·e^(−x·g)
    discrete_laplace   z with probability ∝ e^(−x·|z|)
    truncated_laplace  the same, given |z| ≤ most
    discrete_gaussian  z with probability ∝ e^(−z²/(2σ²))
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import isqrt

from privpac.exact.entropy import Entropy


def bernoulli(p: Fraction, coins: Entropy) -> bool:
    """True with probability ``p``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> bernoulli(Fraction(0), SYSTEM), bernoulli(Fraction(1), SYSTEM)
    (False, True)
    """
    return coins.below(p.denominator) < p.numerator


def bernoulli_exp(x: Fraction, coins: Entropy) -> bool:
    """True with probability e^(−x), for rational x ≥ 0.

    >>> from privpac.exact.entropy import SYSTEM
    >>> bernoulli_exp(Fraction(0), SYSTEM)
    True
    """
    whole, part = divmod(x, 1)
    return all(_bernoulli_exp_unit(Fraction(1), coins) for _ in range(int(whole))) and _bernoulli_exp_unit(part, coins)


def _bernoulli_exp_unit(x: Fraction, coins: Entropy) -> bool:
    """True with probability e^(−x), 0 ≤ x ≤ 1: the first failure of Bernoulli(x/k), k = 1, 2, …, comes at an odd k."""
    numerator, denominator = x.numerator, x.denominator
    for k in count(1):
        if coins.below(denominator * k) >= numerator:
            return k % 2 == 1
    raise AssertionError  # unreachable: the loop only ends by returning


def geometric(x: Fraction, coins: Entropy) -> int:
    """g ≥ 0 with probability (1 − e^(−x))·e^(−x·g), for rational x > 0.

    >>> from privpac.exact.entropy import SYSTEM
    >>> geometric(Fraction(1000), SYSTEM)
    0
    """
    s, t = x.numerator, x.denominator
    while not _bernoulli_exp_unit(Fraction(remainder := coins.below(t), t), coins):
        pass
    rounds = 0
    while _bernoulli_exp_unit(Fraction(1), coins):
        rounds += 1
    return (remainder + t * rounds) // s


def discrete_laplace(x: Fraction, coins: Entropy) -> int:
    """z with probability (1 − e^(−x))/(1 + e^(−x))·e^(−x·|z|), for rational x > 0.

    >>> from privpac.exact.entropy import SYSTEM
    >>> discrete_laplace(Fraction(1000), SYSTEM)
    0
    """
    while True:
        negative, size = coins.bits(1), geometric(x, coins)
        if size or not negative:
            return -size if negative else size


def truncated_laplace(x: Fraction, most: int, coins: Entropy) -> int:
    """z with probability ∝ e^(−x·|z|) among −``most`` … ``most``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> truncated_laplace(Fraction(1), 0, SYSTEM)
    0
    """
    if x * most <= 1:  # noise would rarely be so small, but a uniform number is kept with probability 1/e or more
        while not bernoulli_exp(x * abs(z := coins.below(2 * most + 1) - most), coins):
            pass
        return z
    while abs(z := discrete_laplace(x, coins)) > most:
        pass
    return z


def discrete_gaussian(variance: Fraction, coins: Entropy) -> int:
    """z with probability ∝ e^(−z²/(2σ²)), for a rational variance σ² > 0 [CKS20, Alg. 3].

    >>> from privpac.exact.entropy import SYSTEM
    >>> discrete_gaussian(Fraction(1, 10_000), SYSTEM)
    0
    """
    t = isqrt(int(variance)) + 1
    while True:
        z = discrete_laplace(Fraction(1, t), coins)
        if bernoulli_exp((abs(z) - variance / t) ** 2 / (2 * variance), coins):
            return z
