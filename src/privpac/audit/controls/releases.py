"""Releases that are each broken on purpose in one place, and what they leak."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.claims.releases import MARGINALS, ROWS, marginal_counts
from privpac.audit.controls.mechanisms import Control
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.budget import Budget

PURE = Budget(1)


@dataclass(frozen=True)
class InferredCategories(DiscreteLaplaces):
    """A list of the categories that occur, with noise in the counts but not in the list."""

    def check(self, data: Any) -> Any:
        return dict(sorted(data.items()))

    def release(self, data: Any, coins: Entropy) -> Any:
        noisy = super().release(np.array(list(data.values()), dtype=np.int64), coins)
        return tuple(zip(data, noisy.tolist(), strict=True))

    def law(self, data: object, reach: int = 3) -> dict[Any, arb]:
        counts = self.check(data)
        law = DiscreteLaplaces(self.cost, self.sensitivity).law(list(counts.values()), reach)
        return {tuple(zip(counts, noisy, strict=True)): p for noisy, p in law.items()}


RELEASE_CONTROLS = (
    Control(
        InferredCategories(PURE, 2), Counter, "categories inferred from the data", "abc", 1, PURE,
        "the list of categories shows who is there",
    ),
    Control(
        DiscreteLaplaces(PURE, len(MARGINALS.tables)), marginal_counts, "every record counted in one cell",
        range(len(ROWS)), 1, PURE, "a substitution changes two cells of each table, so it costs 2ε",
    ),
)  # fmt: skip
