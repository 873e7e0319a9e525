"""Private selection of a set of at most k codes, each borne by a positive record; a record bears at most s codes.

proof: docs/proofs/any_code_learner.md

Throughout this file
    A, err(A)   a set of codes, and the number of errors of the rule "bears any of A"; err(∅) is the number of positives
    a           e^(−λ): a set weighs a^|A|·r^(−err(A)), r = e^(ε/2)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import ClassVar

import numpy as np
from flint import ctx

from privpac.data.values.allowed_types import filled_in_order
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights, probabilities
from privpac.mechanisms.values.code_bearers import Bearers
from privpac.mechanisms.values.code_set_draw import FINE, CodeCells
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Law, Mechanism
from privpac.privacy.rounding import ball

MOST_IN_A_SET = 20  # the largest k


@dataclass(frozen=True)
class AnyCodeExponential(Mechanism):
    """A set A of at most k codes with probability ∝ a^|A|·r^(−err(A)); (ε, δ)-DP, as r·((1 + a)^s − 1) ≤ δ/(1 − δ).

    >>> from privpac.data.samples.sample import Sample
    >>> from privpac.exact.entropy import SYSTEM
    >>> points = np.array([("J10",), ("E11", "J10"), ("E11",)], dtype=object)
    >>> sample = Sample(points, np.array([True, True, False]), np.array([90, 90, 200]), 380)
    >>> sorted(AnyCodeExponential(Budget(1, 1e-6), 2, 2).release(Bearers.of(sample), SYSTEM))
    ['J10']
    """

    cost: Budget
    k: int
    s: int
    name: ClassVar[str] = "exponential over sets of codes"
    theorem: ClassVar[str] = "any code learner, Theorem 1"

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MOST_IN_A_SET:  # bounds of larger sets may be too large for floats
            raise ValueError(f"a set has at least 1 and at most {MOST_IN_A_SET} codes")

    @property
    def log_a(self) -> float:
        """−λ, rounded down to a multiple of 1/FINE."""
        with ctx.workprec(128):
            odds = ball(self.cost.delta / (1 - self.cost.delta)) / ball(self.cost.epsilon / 2).exp()
            λ = -((odds.log1p() / self.s).expm1().log())
            return -ceil(float((λ * FINE).upper()) + 2**-10) / FINE

    def cells(self, data: Bearers) -> CodeCells:
        """The cells of a draw. The choice of the light codes, which together weigh about 1, does not change the law."""
        gains = np.minimum(data.pos * float(self.cost.epsilon / 2) + self.log_a, 50.0)
        light = int(np.searchsorted(np.cumsum(np.exp(gains)[::-1]), 1.0))
        heavy = len(data.codes) - light
        return CodeCells(data, heavy, k=self.k, s=self.s, rate=self.cost.epsilon / 2, log_a=self.log_a)

    def release(self, data: Bearers, coins: Entropy) -> frozenset[str]:
        A = self.cells(data).draw(coins)
        return filled_in_order(data.codes[v] for v in A)  # so no record decides the order in which a set prints

    def law(self, data: Bearers) -> Law:
        """The probability of every set, listed one by one. For small data."""
        sets = [A for i in range(self.k + 1) for A in combinations(range(len(data.codes)), i)]
        scores, priors = [-data.errors(A) for A in sets], [self.log_a * len(A) for A in sets]
        chances = probabilities(Weights(scores, self.cost.epsilon / 2, log_prior=priors))
        return {frozenset(data.codes[v] for v in A): p for A, p in zip(sets, chances, strict=True)}
