"""One private selection among listed candidates: permute them, flip a coin for each, take the first with heads.

[McKS20]  docs/references.bib        proof: docs/proofs/selection.md

Throughout this file
    ε       the promise, for substitution neighbors         r    e^(ε/2)
    gap     the best score minus a candidate's, an integer: its coin shows heads with probability p = r^(−gap)

The best candidates always show heads. The first one with heads in a random order is uniform among all with heads, so
there is no need to draw an order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np
from flint import arb, arb_poly, ctx
from numpy.typing import ArrayLike, NDArray

from privpac.exact.biased_coins import heads
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights, any_of
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.ledger import Coins, Mechanism, Payer, spend
from privpac.privacy.rounding import PRECISION, ball


@dataclass(frozen=True)
class PermuteAndFlip(Mechanism):
    """A uniform choice among the candidates with heads; ε-DP, and it errs less than the exponential mechanism."""

    cost: Budget
    name: ClassVar[str] = "permute-and-flip"
    theorem: ClassVar[str] = "selection, Theorem 5"

    def check(self, data: ArrayLike) -> NDArray[np.int64]:
        """The gap of each candidate."""
        scores = Weights(data, self.cost.epsilon / 2).scores
        return np.asarray(scores.max() - scores)

    def release(self, data: NDArray[np.int64], coins: Entropy) -> int:
        return any_of(heads(data, self.cost.epsilon / 2, coins), coins)

    def law(self, data: ArrayLike) -> dict[int, arb]:
        """p_i·∫ Π (1 − p_j + p_j·t) dt over t from 0 to 1 and j ≠ i, as rigorous balls. For small data."""
        gaps = self.check(data).tolist()
        rate, sizes = self.cost.epsilon / 2, Counter(gaps)
        with ctx.workprec(PRECISION):
            x = {gap: ball(-rate * gap) for gap in sizes}
            # 1 − p + p·t, without cancellation
            coin = {gap: arb_poly([-x[gap].expm1(), x[gap].exp()]) for gap in sizes}
            chance = {
                gap: x[gap].exp() * prod(coin[j] ** (size - (j == gap)) for j, size in sizes.items()).integral()(1)
                for gap in sizes
            }
        return {i: chance[gap] for i, gap in enumerate(gaps)}


def permute_and_flip(scores: ArrayLike, *, epsilon: Number, budget: Payer = None, rng: Coins = None) -> int:
    """The index of a candidate with a high score: ε-DP, and stochastically never worse than `exponential`.

    Parameters
    ----------
    scores
        One integer per candidate; substituting one record changes each by at most 1.

    Examples
    --------
    >>> permute_and_flip([3, 5, 400], epsilon=1)
    2
    """
    return int(spend(PermuteAndFlip(mechanism_budget(epsilon)), scores, budget, rng))
