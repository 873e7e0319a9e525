"""[GGKM21, Lemmas 6.1, 6.2]: a few concepts, one of which is near a SOA hypothesis whatever the distribution is.

[GGKM21]  docs/references.bib        corrections: docs/errata/GGKM21.md        proof: docs/proofs/ggkm21_proper.md

Throughout this file
    F, X      a class that is listed, and its points         σ    the labels of a hypothesis on X, in F or not
    SOA       of a class, labels each point so that the concepts with this label have the larger Littlestone dimension
    P, D      distributions on X and on F                    v    min_D max_x Pr_{h~D}[h(x) ≠ σ(x)], the game's value
    H         the resulting set of concepts, each with its weight: in how many rounds it was the best answer
    e(x)      how many of these answers were wrong at x

In each round, P weighs x by 2^e(x), and the answer is the concept nearest to σ under P. After T rounds max e(x)/T ≤ 2α
if v ≤ α, for T = ln|X|/(2α·ln 2 − ln(1 + α)), about 2.6·ln|X|/α; the paper's proof gives a set of C₀²(d* + ln 2)/α²
members. All numbers are integers, so H is a function of σ alone on every machine.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, log1p

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Labels
from privpac.privacy.budget import Number, as_rational

INT64_BITS = 62  # sums of weights with more bits than this are computed with Python's integers


@dataclass(frozen=True)
class MinimaxSet:
    """Rows of F with weights; whatever P is, one of them differs from σ with probability at most ``error``."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    error: Fraction

    def __len__(self) -> int:
        return len(self.rows)


def minimax_set(F: Labels, sigma: Labels, alpha: Number) -> MinimaxSet:
    """A set H of rows of F with min_{h in H} Pr_{x~P}[h(x) ≠ σ(x)] ≤ 2α for every P, if v ≤ α [GGKM21, Lemma 6.2].

    For a σ with v > α it is the best set of any round; ``error`` says how good it is. If σ is in F, H is σ alone.

    >>> points, nowhere = np.eye(100, dtype=bool), np.zeros(100, dtype=bool)
    >>> H = minimax_set(points, nowhere, Fraction(1, 20))
    >>> len(H), H.error
    (10, Fraction(1, 10))
    """
    α, wrong = _accuracy(alpha), np.asarray(F, dtype=bool) ^ np.asarray(sigma, dtype=bool)
    if not wrong.size:
        raise ValueError("a game needs at least one concept and one point")
    e = np.zeros(wrong.shape[1], dtype=np.int64)
    answers: Counter[int] = Counter()
    best = MinimaxSet((0,), (1,), Fraction(2))
    for t in range(1, _rounds(wrong.shape[1], α) + 1):
        nearest = int(np.argmin(wrong @ weights(e)))
        answers[nearest] += 1
        e += wrong[nearest]
        if (error := Fraction(int(e.max()), t)) < best.error:
            best = MinimaxSet(tuple(answers), tuple(answers.values()), error)
        if error <= 2 * α:
            break
    return best


def weights(e: NDArray[np.int64]) -> NDArray[np.generic]:
    """2^e(x) up to a common factor, exactly.

    >>> weights(np.array([1, 0, 3]))
    array([2, 1, 8])
    """
    least = int(e.min())
    if int(e.max()) - least + len(e).bit_length() <= INT64_BITS:
        return np.int64(1) << (e - least)
    return np.array([1 << int(exponent) for exponent in e - least], dtype=object)


def _accuracy(alpha: Number) -> Fraction:
    α = as_rational(alpha, "alpha")
    if not 0 < α < 1:
        raise ValueError("alpha must lie strictly between 0 and 1")
    return α


def _rounds(points: int, alpha: Fraction) -> int:
    """The least T with |X|·(1 + α)^T ≤ 2^(2αT), rounded up."""
    return max(1, ceil(log(points) / (2 * float(alpha) * log(2) - log1p(float(alpha))) * (1 + 1e-12)))


def most_members(points: int, concepts: int, alpha: Number) -> int:
    """The most members of H if v ≤ α: each round adds at most one, and no concept is in H twice.

    >>> most_members(40, 821, Fraction(1, 80)), printed_members(3, Fraction(1, 80))
    (752, 19200)
    """
    return min(concepts, _rounds(points, _accuracy(alpha)))


def irreducible_enough(points: int, concepts: int, alpha: Number) -> int:
    """A k for which the SOA hypothesis of every k-irreducible sub-class has v ≤ α [GGKM21, Lemma 6.1].

    The least k with |F|·(1 − α)^k ≤ 1, or |X| if that is less: then σ itself is in F, and v = 0.

    >>> irreducible_enough(1000, 821, Fraction(1, 80)), irreducible_enough(40, 821, Fraction(1, 80))
    (534, 40)
    """
    α = float(_accuracy(alpha))
    return min(points, max(1, ceil(log(concepts) / -log1p(-α) * (1 + 1e-12))))  # E-GGKM21-11


def printed_members(dimension: int, alpha: Number, constant: float = 1) -> int:
    """⌈C₀·d/α²⌉ as printed: k in Lemma 6.1 for d = VC(F), |H| in Lemma 6.2 for d = VC*(F). The proof asks for more.

    >>> printed_members(1, Fraction(1, 10))
    100
    """
    return ceil(constant * dimension / float(_accuracy(alpha)) ** 2 * (1 - 1e-12))
