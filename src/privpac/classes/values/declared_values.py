"""Classes on values that are declared one by one: candidate nodes of a tree of paths, and cuts of a line.

Written ``StartsWith().on("icd", values=("J10", "K2"))``, and ``Thresholds(0, 120).on("age", values=(18, 65))``.
(Declared categories are in ``points``.)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from privpac.classes.finite.patterns import PatternClass, PatternTable, each_once
from privpac.classes.hypothesis import Hypothesis, Value
from privpac.classes.values.points import as_declared
from privpac.data.domains.domain import Domain
from privpac.refusals.refusal import Refused


@dataclass(frozen=True)
class DeclaredOnly(PatternClass):
    """The concepts of a class at declared values only; a subclass lists them."""

    concept_class: Any
    values: tuple[Hashable, ...]

    @property
    @abstractmethod
    def concepts(self) -> tuple[Hypothesis, ...]:
        """The concepts at the declared values."""

    @property
    def domain(self) -> Domain:
        domain: Domain = self.concept_class.domain
        return domain

    @property
    def size(self) -> int:
        return len(self.concepts)

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        return each_once(np.array([h(points) for h in self.concepts], dtype=bool), self.concepts)


@dataclass(frozen=True)
class Candidates(DeclaredOnly):
    """Declared nodes: the concepts of ``concept_class``, a class on paths, at these nodes only.

    Any path fits its domain, whether or not it is declared.

    >>> from privpac.classes.tree_orders.paths import StartsWith
    >>> [str(h) for h in Candidates(StartsWith(), ("J10", "K2")).representatives(["J101", "K3"])]
    ['x starts with J10', 'x starts with K2']
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", as_declared(self.values))
        if len(set(self.concepts)) < len(self.values):
            raise Refused("values", "some of the values name the same node; name each node once")

    @property
    def concepts(self) -> tuple[Hypothesis, ...]:
        return tuple(self.concept_class.hypothesis(node) for node in self.domain.encode(self.values))


@dataclass(frozen=True)
class DeclaredCuts(DeclaredOnly):
    """x ≥ v, or x < v, for declared cuts v of a line, as the direction of ``concept_class`` says.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> ages = DeclaredCuts(Thresholds(0, 120, direction="above"), (18, 65))
    >>> [str(h) for h in ages.representatives([7, 37, 70])], ages.starts
    (['x ≥ 18', 'x ≥ 65'], (0, 18, 65))
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", as_declared(self.values))
        try:
            starts = self.starts
        except (TypeError, ValueError) as error:
            raise Refused("values", f"every cut must be a value of the line: {error}") from None
        if any(a >= b for a, b in pairwise(starts)):
            raise Refused("values", "cuts must lie above low and be in order, at least one step apart")

    @property
    def starts(self) -> tuple[int, ...]:
        """The numbers of low and of all cuts: the values at which the cells between the cuts begin."""
        return 0, *(int(number) for number in self.domain.encode(list(self.values)))

    @property
    def concepts(self) -> tuple[Hypothesis, ...]:
        """One concept for each cut; two if the direction is "either"."""
        sides = {"above": (True,), "below": (False,), "either": (True, False)}[self.concept_class.direction]
        return tuple(self.concept_class.at(t, above) for above in sides for t in self.starts[1:])

    def hypothesis(self, cut: Hashable, above: bool | None = None) -> Hypothesis:
        """The concept at a declared cut; the arguments are those of the class of all cuts."""
        concept: Hypothesis = self.concept_class.hypothesis(cut, above)
        if concept not in self.concepts:
            raise Refused("cut", "this cut is not declared; name one of the declared cuts")
        return concept
