"""Private selection of one of the numbers 0 … N − 1; all unseen numbers form one group.

proof: docs/proofs/point_learner.md

Throughout this file
    err(v)    the errors of the rule x = v        r    e^(ε/2)
    P         the errors of the rule x = v for any unseen v: the number of positive records
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.selection.exponential import Menu, Selection
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class PointExponential(Selection):
    """v of 0 … N − 1 with probability ∝ r^(−err(v)); ε-DP. The data are the values seen, in order, their errors, and P.

    >>> from privpac.exact.entropy import SYSTEM
    >>> PointExponential(Budget(1), 2**64).release(([2, 5], np.array([900, 0]), 800), SYSTEM)
    5
    """

    cost: Budget
    N: int
    name: ClassVar[str] = "exponential over points"
    theorem: ClassVar[str] = "point learner, Theorem 3"

    def menu(self, data: tuple[Sequence[int], NDArray[np.int64], int]) -> Menu:
        values, errors, P = data
        k = len(values)
        counts = np.ones(k + 1, dtype=np.int64 if self.N < 2**63 else object)
        counts[k] = self.N - k
        weights = Weights(-np.append(errors, P), self.cost.epsilon / 2, counts)

        def outcome(group: int, member: int) -> int:
            if group < k:
                return values[group]
            # Below values[i] lie values[i] − i unseen numbers.
            seen_below = bisect_right(range(k), member, key=lambda i: values[i] - i)
            return member + seen_below

        return weights, outcome
