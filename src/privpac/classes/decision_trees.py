"""Decision trees of small depth over tests on declared columns.

Main declarations
    Trees    all trees of depth at most ``depth`` over the concepts of the parts
    Split    one such tree
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privpac.classes.base import ConceptClass, Constant, Hypothesis, Labels
from privpac.classes.compose import Combination, common_domain
from privpac.data.domain import Domain


@dataclass(frozen=True)
class Split(Hypothesis):
    """``yes`` where ``test`` holds, ``no`` elsewhere."""

    test: Hypothesis
    yes: Hypothesis
    no: Hypothesis

    def __call__(self, column: Any, /) -> Labels:
        return np.where(self.test(column), self.yes(column), self.no(column))

    def sentence(self, *names: str) -> str:
        """Both sides."""
        yes, no = (side.sentence(*names) for side in (self.yes, self.no))
        return f"if {self.test.sentence(*names)}: ({yes}), else: ({no})"


@dataclass(frozen=True, init=False, repr=False)
class Trees(Combination):
    """All decision trees with at most ``depth`` tests on a path."""

    parts: tuple[ConceptClass, ...]
    depth: int

    def __init__(self, *parts: ConceptClass, depth: int = 2) -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "depth", depth)
        common_domain(parts)

    def __repr__(self) -> str:
        return f"Trees({', '.join(map(repr, self.parts))}, depth={self.depth})"

    @property
    def domain(self) -> Domain:
        """The domain of the parts."""
        return common_domain(self.parts)

    @property
    def size(self) -> float:
        """Many."""
        return float("inf")

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """The constants."""
        return np.array([[False] * len(points), [True] * len(points)]), [Constant(False), Constant(True)]
