"""[BBKN14, Def. 3.1, Def. 3.5, §4.1]: small classes that represent a class.

Throughout this file
    C, H     concepts c and hypotheses h on the same points; log is log₂
    POINT    the functions that are 1 at one of T points and 0 elsewhere
    v(c)     max over distributions of min over h of the probability that h ≠ c, the value of a game; H α-represents C
             if v(c) ≤ α for every c
    S_i      one of k random sets, the hypothesis that is 1 on it
    (3)      a condition on a point j: p sets contain j, and every other point lies in fewer than log T of these p sets
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, e, log2, sqrt
from typing import NamedTuple

import numpy as np
from flint import fmpz
from numpy.typing import NDArray

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Labels
from privpac.exact.biased_coins import bernoulli
from privpac.exact.entropy import Entropy, entropy
from privpac.exact.subsets import shuffled
from privpac.privacy.budget import Number, as_rational

Mixture = tuple[Fraction, ...]


class Game(NamedTuple):
    """``low`` ≤ v(c) ≤ ``high``, proved by a ``distribution`` over points and by a ``mixture`` of hypotheses."""

    low: Fraction
    high: Fraction
    distribution: Mixture
    mixture: Mixture


def game(H: Labels, c: Labels) -> Game:
    """v(c) for the hypotheses that are the rows of H, at least one. Found by a linear program, proved by fractions.

    >>> halves = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]], dtype=bool)
    >>> game(halves, np.array([1, 0, 0, 0], dtype=bool))[:2]
    (Fraction(1, 2), Fraction(1, 2))
    """
    from scipy.optimize import linprog  # noqa: PLC0415  (slow to load, and a planner does not need it)

    wrong = c != H
    k, T = wrong.shape
    solution = linprog(
        np.append(np.zeros(T), -1),
        A_ub=np.column_stack([-wrong.astype(float), np.ones(k)]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(T), 0)[None],
        b_eq=[1],
    )
    D, λ = _fractions(solution.x[:T]), _fractions(-solution.ineqlin.marginals)
    low = min(sum((D[x] for x in np.flatnonzero(row)), Fraction(0)) for row in wrong)
    high = max(sum((λ[h] for h in np.flatnonzero(column)), Fraction(0)) for column in wrong.T)
    return Game(low, high, D, λ)


def _fractions(weights: NDArray[np.float64]) -> Mixture:
    """Fractions with small denominators close to ``weights``, scaled to add up to 1."""
    close = [Fraction(max(w, 0.0)).limit_denominator(10**6) for w in weights.tolist()]
    total = sum(close)
    return tuple(w / total for w in close)


def represents(H: ExplicitClass, C: ExplicitClass, alpha: Number) -> bool:
    """Whether for every c and every distribution some h has error at most α [BBKN14, Def. 3.1].

    >>> points = ExplicitClass(np.eye(4))
    >>> pairs = ExplicitClass([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> represents(pairs, points, Fraction(1, 3)), represents(pairs, points, 0.33)
    (True, False)
    """
    points = C.all_points
    return _represents(H.matrix_on(points), C.matrix_on(points), as_rational(alpha, "alpha"))


def _represents(H: Labels, C: Labels, α: Fraction) -> bool:
    if not len(H):
        return not len(C)
    games = [game(H, c) for c in C]
    if any(low > α for low, *_ in games):
        return False
    if any(high > α for _, high, *_ in games):
        raise ArithmeticError("the linear program is not exact enough to decide this alpha; choose another alpha")
    return True


def is_minimal(H: ExplicitClass, C: ExplicitClass, alpha: Number) -> bool:
    """Whether H α-represents C, and no smaller part of H does [BBKN14, Def. 3.5].

    If a part represents C, so does every larger part: it is enough to leave out one hypothesis at a time.

    >>> points = ExplicitClass(np.eye(4))
    >>> is_minimal(points, points, 0.99), is_minimal(points, points, 1)
    (True, False)
    """
    α, points = as_rational(alpha, "alpha"), C.all_points
    matrix, concepts = H.matrix_on(points), C.matrix_on(points)
    without = (np.delete(matrix, h, axis=0) for h in range(len(matrix)))
    return _represents(matrix, concepts, α) and not any(_represents(part, concepts, α) for part in without)


class Sizes(NamedTuple):
    """p and k as printed, and |S_i| = ⌊4pT/k⌋. The sets are drawn on 2T points, and T of these are kept.

    >>> Sizes.of(2**16, Fraction(1, 2))
    Sizes(p=48, k=3132, size=4017)
    """

    p: int
    k: int
    size: int

    @classmethod
    def of(cls, T: int, alpha: Fraction) -> Sizes:
        p = ceil(log2(T)) * (1 + ceil(1 / alpha))
        k = ceil(8 * e * p**2 / log2(T))
        return cls(p, k, 4 * p * T // k)


def random_sets(T: int, k: int, size: int, coins: Entropy) -> Labels:
    """k independent uniform sets of ``size`` points out of T, as rows.

    >>> random_sets(8, 3, 2, entropy(1)).sum(axis=1).tolist()
    [2, 2, 2]
    """
    sets = np.zeros((k, T), dtype=bool)
    for row in sets:
        row[shuffled(T, coins)[:size]] = True
    return sets


def condition_3(sets: Labels, p: int, bound: float) -> NDArray[np.bool_]:
    """Which points j satisfy (3) by the first p sets that contain them; ``bound`` is log T.

    >>> condition_3(np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]], dtype=bool), 2, 2).tolist()
    [True, False, True]
    """

    def good(j: int) -> bool:
        containing = sets[np.flatnonzero(sets[:, j])[:p]]
        shared = containing.sum(axis=0)
        shared[j] = 0
        return len(containing) == p and bool(shared.max() < bound)

    return np.array([good(j) for j in range(sets.shape[1])])


def lemma_4_1(T: int, alpha: Number, rng: Entropy | int | None = None) -> ExplicitClass:
    """At most k sets of 0 … T − 1 that α-represent POINT [BBKN14, Lemma 4.1].

    The lemma proves that a draw succeeds with probability 1/2 for T ≥ 2^16. For smaller T each draw is checked as well.

    >>> H = lemma_4_1(2**7, Fraction(1, 2))
    >>> largest_overlap(H.matrix) <= Fraction(1, 2)
    True
    """
    α = as_rational(alpha, "alpha")
    if not (0 < α < 1 and T > 1):
        raise ValueError("alpha must lie strictly between 0 and 1, and T must be at least 2")
    p, k, size = Sizes.of(T, α)
    if size < 2:
        raise ValueError("T must be larger: the sets of the construction would have fewer than two points")
    coins = entropy(rng)
    while True:
        sets = random_sets(2 * T, k, size, coins)
        V = np.flatnonzero(condition_3(sets, p, log2(T)))[:T]
        if len(V) == T:
            return ExplicitClass(sets[:, V])


def plane_sets(q: int, alpha: Number, rng: Entropy | int | None = None) -> ExplicitClass:
    """At most 2√(2T)·(p + 1) lines that α-represent POINT on T points [BBKN14, §4.1], p = ⌊1/α⌋ + 1.

    The plane over a prime field has q² + q + 1 lines and as many points; any two lines share one point. Each line is
    chosen with probability 2p/(q + 1), again and again until T points, half of them all, lie on p chosen lines each.

    >>> H = plane_sets(13, Fraction(1, 2))
    >>> len(H.all_points), largest_overlap(H.matrix) < Fraction(1, 2)
    (91, True)
    """
    α, coins = as_rational(alpha, "alpha"), entropy(rng)
    p = int(1 / α) + 1 if α > 0 else 0
    if not (0 < α < 1 and fmpz(q).is_prime() and 2 * p <= q + 1):
        raise ValueError("alpha must lie strictly between 0 and 1, and q must be a prime of at least 1 + 2·⌊1/alpha⌋")
    # Points and lines have the same coordinates; a line contains the points that are orthogonal to it modulo q.
    vectors = np.array([(1, y, z) for y in range(q) for z in range(q)] + [(0, 1, z) for z in range(q)] + [(0, 0, 1)])
    lines, T = vectors @ vectors.T % q == 0, len(vectors) // 2
    while True:
        sets = lines[[bernoulli(Fraction(2 * p, q + 1), coins) for _ in vectors]]
        V = np.flatnonzero(sets.sum(axis=0) >= p)[:T]
        if len(V) == T and len(sets) <= 2 * sqrt(2 * T) * (p + 1):
            return ExplicitClass(sets[:, V])


def largest_overlap(sets: Labels) -> Fraction:
    """An α for which the sets represent POINT: the largest (sets with j and b)/(sets with j) over all j and b ≠ j.

    A set drawn uniformly from those with j is wrong at b with at most this probability, and never at j. The result is 1
    if some j is in no set.

    >>> largest_overlap(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool))
    Fraction(1, 2)
    """
    both = sets.astype(np.float64).T @ sets.astype(np.float64)  # sets with j and b: integers below 2^53, so exact
    with_j = both.diagonal().copy()
    np.fill_diagonal(both, 0)
    shared = both.max(axis=1)
    return max(Fraction(int(s), int(n)) if n else Fraction(1) for s, n in zip(shared, with_j, strict=True))


def lemma_3_10(T: int) -> int:
    """⌈log T⌉: a class that represents T points for an α < 1/2 has at least this many hypotheses [BBKN14, Lemma 3.10].

    >>> lemma_3_10(2**64)
    64
    """
    return (T - 1).bit_length()
