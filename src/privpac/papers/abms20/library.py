"""Adapters that let the papers' constructions run a learner of the library, and any learner on a column of a table.

N is the number of examples from which the learner certifies its α and β.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import Domain
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample
from privpac.data.values.tables import pick
from privpac.learners.algorithm import Learner
from privpac.mechanisms.algorithm import Ask
from privpac.papers.abms20.agnostic import goals
from privpac.papers.abms20.closure import NEVER, as_hypothesis
from privpac.papers.paper_learner import Examples, PaperLearner, RelayLearner
from privpac.privacy.bisection import smallest_upto
from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.ledger import Data, Mechanism, Opened, Release

MOST_EXAMPLES = 2**50  # stands for N if the learner has no certificate: no sample is that large


@dataclass(frozen=True)
class Library(PaperLearner):
    """A learner of the library, on examples: ``Library(PrivateClassifier(H, epsilon=1).fitting(n).learner)``.

    Privacy   the cost of the learner, for all inputs: every release of its run, added up
    Utility   its certificate: N examples give an error of at most α with probability at least 1 − β

    >>> from privpac import PrivateClassifier, Points
    >>> clf = PrivateClassifier(Points(), epsilon=1, delta=1e-6, regime="realizable")
    >>> learner = Library(clf.fitting(1000).learner)
    >>> print(learner.cost, learner.N)
    ε = 1, δ = 1e-06 400
    >>> print(learner.learn(["EV"] * 300 + ["UA"] * 300, [1] * 300 + [0] * 300))
    x = EV
    """

    learner: Learner
    name: ClassVar[str] = "a learner of the library"
    theorem: ClassVar[str] = "composition, Theorem 1"

    def __post_init__(self) -> None:
        if not isinstance(getattr(self.learner, "cost", None), Budget) or not hasattr(self.learner, "terms"):
            raise TypeError(
                "learner must be a learner of the library, such as PrivateClassifier(H, epsilon=1).fitting(n).learner"
            )
        if self.learner.terms.units:
            raise ValueError("the learner protects units, but examples are records; leave out the units")

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.learner.cost

    @property
    def domain(self) -> Domain:
        return self.learner.domain

    @property
    def alpha(self) -> Fraction:
        return Fraction(self.learner.terms.alpha)

    @property
    def beta(self) -> Fraction:
        return Fraction(self.learner.terms.beta)

    @cached_property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        α, β = float(self.alpha), float(self.beta)
        return smallest_upto(MOST_EXAMPLES, lambda n: self.learner.failure(n, α) <= β) or MOST_EXAMPLES

    def learns(self, H: ConceptClass) -> bool:
        return self.learner.concept_class == H

    def stays_in(self, H: ConceptClass) -> bool:
        return self.learner.proper and self.learns(H)

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        values = [x for x, _ in data]
        points = self.domain.points(values)
        sample = Sample(points, np.array([y for _, y in data], dtype=bool), None, len(data), values)
        return self.learner.run(Opened(sample, len(data)), within(self.cost, ask))


@dataclass(frozen=True)
class ColumnLearner(RelayLearner):
    """A learner of whole points, on one column of a table: the base learner for ``H.on(column)``.

    Privacy   that of ``inner``, which sees nothing but the column
    Utility   that of ``inner``

    >>> from privpac import Budget, Thresholds
    >>> from privpac.papers.bbkn14 import IntervalExponential
    >>> learner = ColumnLearner(IntervalExponential(9, Budget(9), 0.1, 0.05), "seats")
    >>> rows = [{"seats": 3, "rows": 1}, {"seats": 4, "rows": 1}]
    >>> print(learner.learn(rows * 100, [1, 0] * 100))
    seats < 4
    >>> learner.stays_in(Thresholds(1, 9, direction="below").on("seats"))
    True
    """

    inner: PaperLearner
    column: str | int
    name: ClassVar[str] = "a learner on a column"
    theorem: ClassVar[str] = "composition, Theorem 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        ColumnRule(NEVER, self.column)  # refuses an invalid column

    @property
    def domain(self) -> Columns:
        return Columns((self.column,), (self.inner.domain,))

    @property
    def alpha(self) -> Fraction:
        return goals(self.inner)[0]

    @property
    def beta(self) -> Fraction:
        return goals(self.inner)[1]

    def learns(self, H: ConceptClass) -> bool:
        return self._reads(H) and self.inner.learns(H.concept_class)  # type: ignore[attr-defined]

    def stays_in(self, H: ConceptClass) -> bool:
        return self._reads(H) and self.inner.stays_in(H.concept_class)  # type: ignore[attr-defined]

    def _reads(self, H: ConceptClass) -> bool:
        return isinstance(H, OnColumn) and H.column == self.column and not H.missing

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples, if ``inner`` takes those of the column."""
        examples = super().check(data)
        self.inner.check(self._entries(examples))
        return examples

    def _entries(self, examples: Examples) -> Examples:
        entries = pick([x for x, _ in examples], self.column).tolist()
        return tuple(zip(entries, (y for _, y in examples), strict=True))

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        return ColumnRule(as_hypothesis(ask(self.inner, self._entries(data))), self.column)


def within(cost: Budget, ask: Ask) -> Ask:
    """``ask`` for releases that cost no more than ``cost`` together; the one that would cost more is not released.

    A learner of the library says what it costs, but what an adapter charges for must be what runs.

    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> ask = within(Budget(1), lambda mechanism, data: data)
    >>> ask(DiscreteLaplace(Budget(1)), 7), ask(DiscreteLaplace(Budget("0.001")), 7)
    Traceback (most recent call last):
    RuntimeError: the learner says that it costs ε = 1 and asks for more; its cost must cover every release of its run
    """
    spent = NOTHING

    def counted(mechanism: Mechanism, data: Data) -> Release:
        nonlocal spent
        spent = spent + mechanism.cost
        if not spent <= cost:
            claim = f"the learner says that it costs {cost} and asks for more"
            raise RuntimeError(f"{claim}; its cost must cover every release of its run")
        return ask(mechanism, data)

    return counted
