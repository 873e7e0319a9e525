"""Mechanisms whose outputs are private and whose time is not: the loops that draw their noise reveal it.

[CKS20, §5]  docs/references.bib        why: docs/proofs/noise.md, Proposition 1
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np
from numpy.typing import NDArray

from privpac.audit.claims.case import Records
from privpac.audit.controls.mechanisms import Control
from privpac.exact.biased_coins import heads
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget


def below(bound: int, coins: Entropy) -> int:
    """A uniform integer in [0, bound), by rejection: bits are drawn again until they are small enough."""
    while (draw := coins.bits((bound - 1).bit_length())) >= bound:
        pass
    return draw


def _exp_coin(numerator: int, denominator: int, coins: Entropy) -> bool:
    """True with probability e^(−x), 0 ≤ x ≤ 1: the first failure of Bernoulli(x/k), k = 1, 2, …, comes at an odd k."""
    return next(k for k in count(1) if below(denominator * k, coins) >= numerator) % 2 == 1


def loops_laplace(x: Fraction, coins: Entropy) -> int:
    """z with probability ∝ e^(−x·|z|) [CKS20, Alg. 2]; a larger |z| takes more rounds.

    >>> from privpac.exact.entropy import SYSTEM
    >>> loops_laplace(Fraction(1000), SYSTEM)
    0
    """
    while True:
        while not _exp_coin(remainder := below(x.denominator, coins), x.denominator, coins):
            pass
        rounds = 0
        while _exp_coin(1, 1, coins):
            rounds += 1
        negative, size = coins.bits(1), (remainder + x.denominator * rounds) // x.numerator
        if size or not negative:
            return -size if negative else size


@dataclass(frozen=True)
class LoopingLaplace(DiscreteLaplace):
    """Noise with the right law, drawn by a loop that takes longer for larger noise."""

    def release(self, data: int, coins: Entropy) -> int:
        return data + loops_laplace(self.cost.epsilon / self.sensitivity, coins)


@dataclass(frozen=True)
class CountingFlips(PermuteAndFlip):
    """Selection with the right law, by a loop whose length depends on the number of heads."""

    def release(self, data: NDArray[np.int64], coins: Entropy) -> int:
        with_heads = np.flatnonzero(heads(data, self.cost.epsilon / 2, coins))
        return int(with_heads[below(with_heads.size, coins)])


def _many_votes(records: Records) -> list[int]:
    """Votes for one of three candidates, or for two."""
    return [sum(key in record for record in records) for key in "abc"]


TIMED_CONTROLS = (
    Control(
        LoopingLaplace(Budget(1)), sum, "noise by loops", (0, 1), 1, Budget(1),
        "each further unit of noise takes another round",
    ),
    Control(
        CountingFlips(Budget(1)), _many_votes, "one of the heads, drawn by rejection",
        ("", "abc", "a", "bc"), 1, Budget(1), "three heads take more rounds than two, and their number is secret",
    ),
)  # fmt: skip
