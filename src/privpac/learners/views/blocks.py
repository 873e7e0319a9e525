"""Selection among very many public candidates, whose errors come in blocks: counted, not kept.

proof: docs/proofs/rule_learner.md

Throughout this file
    block     an array of errors, one entry a candidate, cheap enough to be computed twice; which candidates a block
              has, and where, is public
    r         e^(ε/2); a candidate weighs r^(−errors)

Main declarations
    BlockExponential    a number of errors by its weight, then a uniform candidate with so many errors
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.exact.weighted import Weights
from privpac.mechanisms.quantile import LN2
from privpac.mechanisms.selection import Outcome, Selection
from privpac.privacy.budget import Budget

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class BlockExponential(Selection):
    """(block, place in it) with probability ∝ e^(−ε·errors/2); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> BlockExponential(Budget(1)).release([np.array([900]), np.array([[800, 700], [0, 900]])], SYSTEM)
    (1, 2)
    """

    cost: Budget
    name: ClassVar[str] = "exponential over blocks"
    theorem: ClassVar[str] = "rule learner, Theorem 1"

    @property
    def log_priors(self) -> tuple[float, ...]:
        """Of block 0, 1, …; the last one is that of all further blocks."""
        return (0.0,)

    def menu(self, data: Iterable[Ints]) -> tuple[Weights, Outcome]:
        priors, rate = self.log_priors, self.cost.epsilon / 2
        least, candidates = 0, 0
        for block in data:
            least, candidates = (
                min(least, int(block.min())) if candidates else int(block.min()),
                candidates + block.size,
            )
        # beyond so many errors more than the least, all candidates together weigh less than 2^-64
        reach = ceil(((candidates.bit_length() + 64) * LN2 + ceil(max(priors) - min(priors))) / rate)

        @cache
        def counted(most: int | None) -> list[tuple[int, int, int]]:
            """(errors, kind, candidates), the fewest errors first."""
            found: Counter[tuple[int, int]] = Counter()
            for number, block in enumerate(data):
                kind = min(number, len(priors) - 1)
                for errors, count in tallied(block if most is None else block[block <= most]):
                    found[errors, kind] += count
            return [(errors, kind, count) for (errors, kind), count in sorted(found.items())]

        def weights(most: int | None, complete: Callable[[], Weights] | None = None) -> Weights:
            errors, kinds, counts = zip(*counted(most), strict=True)
            return Weights(-np.array(errors), rate, np.array(counts), np.take(priors, kinds), complete)

        def outcome(group: int, member: int) -> tuple[int, int]:
            errors, kind, _ = counted(least + reach if group < len(counted(least + reach)) else None)[group]
            blocks = islice(enumerate(data), kind, None if kind == len(priors) - 1 else kind + 1)
            return place(blocks, errors, member)

        return weights(least + reach, lambda: weights(None)), outcome


def tallied(block: Ints) -> Iterable[tuple[int, int]]:
    """The distinct entries of a block, and how often each occurs.

    >>> list(tallied(np.array([[3, 5], [5, 3]])))
    [(3, 2), (5, 2)]
    """
    if not block.size:
        return ()
    least = int(block.min())
    if block.max() - least > 8 * block.size:
        found, counts = np.unique(block, return_counts=True)
        return zip(found.tolist(), counts.tolist(), strict=True)
    counts = np.bincount((block - least).ravel())
    found = np.flatnonzero(counts)
    return zip((found + least).tolist(), counts[found].tolist(), strict=True)


def place(data: Iterable[tuple[int, Ints]], errors: int, member: int) -> tuple[int, int]:
    """Of all entries of numbered blocks that equal ``errors``, the ``member``-th: its block, and its place there.

    >>> place(enumerate([np.array([4]), np.array([[3, 5], [5, 3]])]), 5, 1)
    (1, 2)
    """
    for number, block in data:
        hits = block == errors
        if member < (count := int(np.count_nonzero(hits))):
            return number, int(np.flatnonzero(hits)[member])
        member -= count
    raise IndexError("there are fewer candidates with so many errors")
