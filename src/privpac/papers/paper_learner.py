"""The contract of a paper's algorithm: labeled examples in, a hypothesis out.

Throughout this room
    S      labeled examples (x, y)         n    their number, public
    N      how many a theorem asks for; None if no theorem here covers the algorithm
    α, β, ε, δ    error, failure, privacy

An algorithm is a frozen record of its public parameters. ``constants`` is "printed" for the numbers in the paper, or
"tight" for the least that the corrected proof allows. It runs on any number of examples: privacy does not depend on
N. With fewer than N, or if N is None, nothing is guaranteed about the error, and :meth:`PaperLearner.learn` warns about
that before it spends anything. Where a paper hides constants, its printed N guarantees nothing either.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.data.values.allowed_types import declared
from privpac.data.values.equal_values import hashables
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Algorithm
from privpac.privacy.budget import Budget, as_rational
from privpac.privacy.ledger import Account, Ledger, spend

Examples = tuple[tuple[Any, bool], ...]


def store_approximate_goal(learner: Any, least: Fraction) -> None:
    """Store a frozen learner's alpha and beta as fractions; ValueError if one is below ``least``, or ε or δ is 0."""
    for name in ("alpha", "beta"):
        goal = as_rational(getattr(learner, name), name)
        object.__setattr__(learner, name, goal)
        if not least <= goal < 1:
            raise ValueError(f"alpha and beta must be at least {float(least)} and less than 1")
    if not (learner.cost.epsilon > 0 and 0 < learner.cost.delta < 1):
        raise ValueError("the budget must have a positive epsilon and a delta strictly between 0 and 1")


class PaperLearner(Algorithm):
    """An algorithm that learns from labeled examples. A subclass is a frozen dataclass and adds :meth:`run`."""

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """Where points come from."""

    @property
    @abstractmethod
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        """How many examples the theorem asks for; None if there is no theorem."""

    def stays_in(self, H: ConceptClass) -> bool:
        """Whether this is a proper learner of ``H``: it returns only concepts of H. False if unknown."""
        return False

    def learns(self, H: ConceptClass) -> bool:
        """Whether N is enough for examples labeled by any concept of ``H``. False if unknown."""
        return self.stays_in(H)

    @property
    def outputs(self) -> int | float:
        """The size of a public set that contains everything it may return; ∞ if unknown."""
        return inf

    def check_size(self, n: int) -> None:
        """ValueError if it refuses every sample of n examples, whatever they are."""

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples, if all of them lie in the domain and are labeled 0 or 1."""
        points = hashables([x for x, _ in data], "points", declared)
        labels = hashables([y for _, y in data], "labels")
        if any(y not in {0, 1} for y in labels):
            raise ValueError("labels must be 0 and 1, or False and True")
        self.domain.points(points)  # refuses points outside the domain
        return tuple((x, bool(y)) for x, y in zip(points, labels, strict=True))

    def learn(
        self,
        points: Sequence[Hashable],
        labels: Sequence[Hashable],
        *,
        budget: Ledger | Account | Budget | None = None,
        rng: Entropy | int | None = None,
    ) -> Any:
        """A hypothesis from labeled points, charged to ``budget``. UserWarning if there are fewer than N, or no N."""
        if len(points) != len(labels):
            raise ValueError("points and labels must have the same length")
        examples = self.check(list(zip(points, labels, strict=True)))
        n, N = len(examples), self.N
        if N is None or n < N:
            reason = f"the theorem asks for N = {N} examples, but there are {n}"
            if N is None:
                reason = "no theorem says how many examples are enough"
            warnings.warn(f"{reason}: privacy still holds, but nothing is guaranteed about the error", stacklevel=2)
        return spend(self, examples, budget, rng, n)


class WrapperLearner(PaperLearner):
    """An algorithm that runs another one, ``inner``, with its cost, domain and N unless a subclass overrides them."""

    inner: PaperLearner

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.inner.cost

    @property
    def domain(self) -> Domain:
        return self.inner.domain

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        return self.inner.N


class RelayLearner(WrapperLearner):
    """A wrapper that runs ``inner`` on examples that it selects or changes, and returns its hypothesis."""

    def __post_init__(self) -> None:
        if not isinstance(self.inner, PaperLearner):
            raise TypeError("inner must be a private algorithm of privpac.papers, such as PrivateOccam")

    def stays_in(self, H: ConceptClass) -> bool:
        return self.inner.stays_in(H)

    def learns(self, H: ConceptClass) -> bool:
        return self.inner.learns(H)

    @property
    def outputs(self) -> int | float:
        return self.inner.outputs
