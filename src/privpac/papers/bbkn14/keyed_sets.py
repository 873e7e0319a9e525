"""[BBKN14, Thm 4.2] where points cannot be listed: sets that are keyed functions represent POINT as random sets do.

The proof of [BBKN14, Lemma 4.1] uses two properties of its random sets: they are independent of one another, and a
point is no likelier to be in a set if another point is. Keyed functions have both. So nobody needs to list the sets or
to check the lemma's condition point by point: with probability 1 − η, enough keyed sets satisfy it for all points.

Throughout this file
    POINT  the functions that are 1 at one of the points 0 … T − 1 and 0 elsewhere
    γ      α/2. Sets γ-represent POINT if on every distribution of points, each function of POINT has a set with an
           error of at most γ
    S_i    the points with (a_i·x + b_i mod p) < s, i = 1, …, k     q    s/p: the probability that a point is in a set
    η      the probability that the sets of the drawn keys do not represent POINT
    KL     γ·ln(γ/q) + (1 − γ)·ln((1 − γ)/(1 − q))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, log, log1p, log2
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Labels
from privpac.classes.values.hashes import Keyed
from privpac.exact.entropy import Entropy, entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import comparison_size, store_goal_as_fractions, theorem_4_2
from privpac.papers.bbkn14.points import STAR, OnPoints, TableEntry
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.refusals.option_words import PaperConstants

EXPONENTS = (127, 521, 1279, 2203)  # exponents e of primes 2^e − 1
ETA = Fraction(1, 2**40)  # η
MARGIN = 1 + 1e-9  # covers the rounding of floats, and that of q to a multiple of 1/p
DENSITIES = 64  # the densities to try are γ/64, 2γ/64, …, 63γ/64


class KeyedPlan(NamedTuple):
    """How many sets there are, and how dense they are."""

    sets: int  # k
    density: Fraction  # q


def keyed_plan(T: int, gamma: Number, eta: Number = ETA) -> KeyedPlan:
    """The least k with T²·(1 − q(1 − e^(−KL)))^k ≤ η among the densities q = γ/64, 2γ/64, …

    >>> keyed_plan(2**64, Fraction(1, 4)).sets, keyed_plan(2**1000, Fraction(1, 4)).sets
    (11298, 137183)
    """
    γ, η = as_rational(gamma, "gamma"), as_rational(eta, "eta")
    if not (0 < γ < 1 and 0 < η < 1):
        raise ValueError("gamma and eta must lie strictly between 0 and 1")

    def sets(q: Fraction) -> int:
        KL = float(γ) * log(γ / q) + float(1 - γ) * log((1 - γ) / (1 - q))
        return ceil((2 * log(as_count(T, "T")) - log(η)) / -log1p(-float(q) * (1 - exp(-KL))) * MARGIN)

    densities = [γ * i / DENSITIES for i in range(1, DENSITIES)]
    return min((KeyedPlan(sets(q), q) for q in densities), key=lambda plan: plan.sets)


@dataclass(frozen=True)
class KeyedSets:
    """The sets S_i for the keys (a_i, b_i), said to γ-represent POINT; γ = 1 says nothing.

    >>> sets = KeyedSets(4, 5, 2, ((1, 0), (2, 1)))
    >>> [sets.membership(x).tolist() for x in range(4)]
    [[True, True], [True, False], [False, True], [False, False]]
    """

    T: int
    p: int
    s: int
    keys: tuple[tuple[int, int], ...]
    gamma: Fraction = Fraction(1)

    def __getitem__(self, i: int) -> Keyed:
        """S_i, as a hypothesis."""
        return Keyed(*self.keys[i], self.p, self.s)

    def membership(self, x: int) -> Labels:
        """Which of the sets contain x."""
        a, b = self._columns
        return np.asarray((a * x + b) % self.p < self.s, dtype=bool)

    @cached_property
    def _columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        a, b = np.array(self.keys, dtype=object).reshape(-1, 2).T
        return a, b


def keyed_sets(T: int, gamma: Number, rng: Entropy | int | None = None) -> KeyedSets:
    """Sets that γ-represent the points 0 … T − 1, for all keys except a share η of them.

    >>> sets = keyed_sets(2**64, Fraction(1, 4))
    >>> len(sets.keys), sets[0]([0, 2**63]).shape
    (11298, (2,))
    """
    if as_count(T, "T") < 2:
        raise ValueError("T must be at least 2: a single point needs no sets")
    k, q = keyed_plan(T, gamma)
    p = next((2**e - 1 for e in EXPONENTS if 2**e > T), None)
    if p is None:
        raise ValueError(f"T must be less than 2^{EXPONENTS[-1]}")
    coins = entropy(rng)
    keys = tuple((coins.below(p), coins.below(p)) for _ in range(k))
    s = int(q * p)  # so s/p ≤ q < γ, and MARGIN covers the difference, which is less than 1/p
    return KeyedSets(T, p, s, keys, as_rational(gamma, "gamma"))


@dataclass(frozen=True)
class KeyedOccam(OnPoints):
    """S_i with probability ∝ e^(−ε·errors/2), where the sets (α/2)-represent POINT.

    Privacy   ε, for all inputs, whatever the keys: bbkn14, Theorem 1
    Utility   tight: error ≤ α with probability ≥ 1 − β from N or more examples, if realizable: Theorems 2 and 29
    Time      k products of long integers for each distinct point among the examples

    >>> learner = KeyedOccam(keyed_sets(2**64, Fraction(1, 4)), Budget(1), Fraction(1, 2), Fraction(1, 20), "tight")
    >>> learner.N
    282
    >>> learner.learn([2**63, 5] * 200, [1, 0] * 200)([2**63, 5]).tolist()
    [True, False]
    """

    H: KeyedSets
    cost: Budget
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "exponential over keyed sets"
    theorem: ClassVar[str] = "bbkn14, Theorem 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.H.keys:
            raise ValueError("H must have at least one set")
        store_goal_as_fractions(self)
        if self.constants == "tight" and self.H.gamma > self.alpha / 2:
            raise ValueError("the sets must leave an error of at most alpha/2: take those of keyed_sets(T, alpha / 2)")

    @property
    def T(self) -> int:  # type: ignore[override]  # noqa: N802  (the paper's letter)
        return self.H.T

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """By the paper's formula if ``constants`` is "printed", else the least N with k·φ^N ≤ β.

        φ is that of ``privpac.papers.bbkn14.occam``, and k is the number of sets.
        """
        ε, α, β = float(self.cost.epsilon), float(self.alpha), float(self.beta)
        if self.constants == "printed":
            return ceil(theorem_4_2(log2(self.T), α, β, ε))
        return comparison_size(len(self.H.keys), α / 2, α, β, ε)

    def run(self, D: Sequence[TableEntry], ask: Ask) -> Keyed:
        examples = Counter(z for z in D if z is not STAR)
        errors = np.zeros(len(self.H.keys), dtype=np.int64)
        for (x, y), count in examples.items():
            errors += count * (self.H.membership(x) != y)
        return self.H[ask(Exponential(self.cost), -errors)]
