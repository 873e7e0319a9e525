"""Closure bounds: the dimensions of unions and compositions from the dimensions of the parts. [ABMS20, §4]

Throughout this file
    H      a class; d = Ldim(H) and t = T(H) its Littlestone and threshold dimension (−1 and 0 without concepts)
    k      the number of classes that are united or composed
    C(n, ≤ d)   the number of subsets of at most d of n things

Every bound is proved, with these constants, for all classes.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable


def tree_sauer(n: int, d: int) -> int:
    """C(n, ≤ d): a class with Ldim ≤ d realizes at most this many of the 2^n paths of a tree of depth n.

    The lemma of Sauer, Shelah and Perles for trees (docs/proofs/dimensions.md); in a tree with one point on each level
    the paths are the patterns on n points.

    >>> tree_sauer(4, 1), tree_sauer(4, 4), tree_sauer(4, -1)
    (5, 16, 0)
    """
    _check(n=n, d=d + 1)
    total = term = int(d >= 0)
    for i in range(min(n, d)):
        term = term * (n - i) // (i + 1)
        total += term
    return total


def littlestone_of_unions(dimensions: Iterable[int]) -> int:
    """Ldim(H₁ ∪ … ∪ H_k) ≤ max{q : 2^q ≤ Σᵢ C(q, ≤ dᵢ)}, −1 if there is no such q: docs/proofs/dimensions.md.

    Each of the 2^q paths of a shattered tree is realized by one of the classes; :func:`tree_sauer` counts them. For two
    classes this is d₁ + d₂ + 1 [ABMS20, Prop. 4.2], which Hamming balls around 0…0 and 1…1 attain (E-ABMS20-7).
    It never exceeds 3d + 3 log₂ k if all dᵢ ≤ d and d ≥ 0 [ABMS20, Prop. 4.3].

    >>> littlestone_of_unions([1, 1]), littlestone_of_unions([1] * 8)
    (3, 5)
    """
    number = Counter(dimensions)  # for each dimension, how many classes have it
    return last_true(lambda q: 2**q <= sum(tree_sauer(q, d) * classes for d, classes in number.items()))


def threshold_of_unions(dimensions: Iterable[int]) -> int:
    """T(H₁ ∪ … ∪ H_k) ≤ t₁ + … + t_k [ABMS20, Obs. 4.1], attained for all t₁, …, t_k."""
    ts = list(dimensions)
    _check(t=min(ts, default=0))
    return sum(ts)


def log2_threshold_of_composition(t: int, k: int) -> int:
    """The exponent of the bound T(G(H₁, …, H_k)) < 2^(4k·4^k·(t + 1)), if all T(Hᵢ) ≤ t [ABMS20, Thm 2.2].

    The theorem is stated for T(Hᵢ) < t, hence the t + 1. Its proof needs E-ABMS20-6.

    >>> log2_threshold_of_composition(t=1, k=2)
    256
    """
    _check(t=t, k=k - 1)
    return 4 * k * (1 << 2 * k) * (t + 1)


def log2_threshold_of_compositions(dimensions: Iterable[int]) -> int:
    """The exponent e of the bound T(G(H₁, …, H_k)) < 2^e, for every G, where ``dimensions`` are tᵢ = T(Hᵢ).

    It is the smaller of two exponents: that of [ABMS20, Thm 2.2], and the one that follows from dᵢ ≤ 2^(tᵢ + 1) − 1
    [ABMS20, Thm 3.2], :func:`littlestone_of_composition`, and T < 2^(d + 1). For small tᵢ, the second is far smaller.

    >>> log2_threshold_of_compositions([1, 1]), log2_threshold_of_composition(t=1, k=2)
    (22, 256)
    """
    ts = list(dimensions)
    _check(t=min(ts, default=0), k=len(ts) - 1)
    by_littlestone = littlestone_of_composition(littlestone_range(t)[1] for t in ts) + 1
    return min(by_littlestone, log2_threshold_of_composition(max(ts), len(ts)))


def littlestone_of_composition(dimensions: Iterable[int]) -> int:
    """Ldim(G(H₁, …, H_k)) ≤ max{q : 2^q ≤ Πᵢ C(q, ≤ dᵢ)}, for every G: docs/theory/online.md.

    About k·d·log k [GGKM21b], where [ABMS20, Thm 2.1] has 4^k·k²·d: it needs no normal form of G.

    >>> littlestone_of_composition([1]), littlestone_of_composition([1, 1]), littlestone_of_composition([2] * 5)
    (1, 5, 52)
    """
    number = Counter(dimensions)  # for each dimension, how many classes have it
    return last_true(lambda q: 2**q <= math.prod(tree_sauer(q, d) ** classes for d, classes in number.items()))


def threshold_range(d: int) -> tuple[int, int]:
    """⌊log₂ d⌋ ≤ T ≤ 2^(d + 1) − 1, from Ldim = d [ABMS20, Thm 3.2]; the upper bound is attained.

    >>> threshold_range(4)
    (2, 31)
    """
    _check(d=d + 1)
    return max(d.bit_length() - 1, 0), 2 ** (d + 1) - 1


def littlestone_range(t: int) -> tuple[int, int]:
    """⌊log₂ t⌋ ≤ Ldim ≤ 2^(t + 1) − 1, from T = t [ABMS20, Thm 3.2]; the lower bound is attained.

    >>> littlestone_range(4)
    (2, 31)
    """
    _check(t=t)
    return t.bit_length() - 1, 2 ** (t + 1) - 1


def last_true(holds: Callable[[int], bool]) -> int:
    """The last n ≥ 0 at which ``holds`` is true; −1 if it is false at 0. Once false, it must stay false.

    >>> last_true(lambda n: n * n <= 1000)
    31
    """
    if not holds(0):
        return -1
    beyond = 1
    while holds(beyond):
        beyond *= 2
    return beyond // 2 + bisect_left(range(beyond // 2 + 1, beyond), True, key=lambda n: not holds(n))


def _check(**counts: int) -> None:
    for name, count in counts.items():
        if count < 0:
            raise ValueError(f"{name} is too small: dimensions start at −1 (Littlestone) or 0, and k at 1")
