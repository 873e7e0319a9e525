"""Classes on values that are declared one by one: categories, candidate prefixes, and cuts.

Written ``Points().on("job", values=("clerk", "nurse"))``, ``StartsWith().on("icd", values=("J10", "K2"))``, and
``Thresholds(0, 120).on("age", values=(18, 65))``.

Throughout this file
    v      a declared value
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Any, cast

import numpy as np

from privpac.classes.base import Hypothesis, Known, Labels
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.patterns import PatternClass, first_of_each
from privpac.classes.matrices import check_room
from privpac.classes.values.points import OneOf, Points, SparseSets
from privpac.data.domains.anything import Anything
from privpac.data.domains.base import Domain
from privpac.refusals.refusal import Refused, RefusedType

MOST_SETS = 2**17  # that are listed


class Categories(ExplicitClass):
    """x = v for every declared category v: ``Points().on(column, values=…)`` on its column.

    Only declared categories fit its domain. A record with any other value is treated as ``on_invalid`` says: refused
    before anything is spent under "raise", void (it counts in n and in no score) under "clamp" and "default".

    >>> jobs = Categories(("clerk", "nurse"))
    >>> [str(h) for h in jobs.representatives(["nurse"])], jobs.size
    (['x = clerk', 'x = nurse'], 2)
    """

    def __init__(self, values: Sequence[Hashable]) -> None:
        values = listed(values)
        check_room(len(values), len(values))
        super().__init__(np.eye(len(values), dtype=bool), points=values, concepts=values)

    def __repr__(self) -> str:
        return f"Categories({self.all_points!r})"

    def hypothesis(self, concept: Hashable) -> OneOf:  # type: ignore[override]
        """x = ``concept``."""
        self.rows([concept])
        return OneOf(frozenset([concept]))

    def known(self, kind: str) -> Known | None:
        """Those of as many points."""
        return Points(self.size).known(kind)


class CategorySets(ExplicitClass):
    """The sets of at most k declared categories: ``SparseSets(k).on(column, values=…)`` on its column.

    They are finitely many, so a rule is learned without δ. Other values are treated as those of ``Categories``.

    >>> jobs = CategorySets(2, ("clerk", "nurse", "pilot"))
    >>> jobs.size, str(jobs.hypothesis(("clerk", "pilot")))
    (7, 'x is one of clerk, pilot')
    """

    def __init__(self, k: int, values: Sequence[Hashable]) -> None:
        values = listed(values)
        self.k = min(k, len(values))
        many = sum(comb(len(values), i) for i in range(self.k + 1))
        if many > MOST_SETS:
            fewer = "choose a smaller k, or declare fewer values"
            raise Refused("values", f"there are more than {MOST_SETS} sets of at most {k} of these values; {fewer}")
        check_room(many, len(values))
        sets = [chosen for i in range(self.k + 1) for chosen in combinations(range(len(values)), i)]
        matrix = np.zeros((many, len(values)), dtype=bool)
        for row, chosen in enumerate(sets):
            matrix[row, list(chosen)] = True
        super().__init__(matrix, points=values, concepts=[tuple(values[i] for i in chosen) for chosen in sets])

    def __repr__(self) -> str:
        return f"CategorySets({self.k}, {self.all_points!r})"

    def hypothesis(self, concept: Hashable) -> OneOf:  # type: ignore[override]
        """x is one of the values in ``concept``, a tuple of them in the order in which they are declared."""
        self.rows([concept])
        return OneOf(frozenset(cast("tuple[Hashable, ...]", concept)))

    def known(self, kind: str) -> Known | None:
        """Those of sets of as many values."""
        return SparseSets(self.k, len(self.all_points)).known(kind)


@dataclass(frozen=True)
class AtValues(PatternClass):
    """The concepts of a class at declared values only; a subclass lists them."""

    concept_class: Any
    values: tuple[Hashable, ...]

    @property
    @abstractmethod
    def concepts(self) -> tuple[Hypothesis, ...]:
        """The concepts at the declared values."""

    @property
    def domain(self) -> Domain:
        """That of the class."""
        domain: Domain = self.concept_class.domain
        return domain

    @property
    def size(self) -> int:
        """How many concepts there are."""
        return len(self.concepts)

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """The declared concepts, each pattern once."""
        return shown_of(self.concepts, points)


@dataclass(frozen=True)
class Candidates(AtValues):
    """The concepts of ``concept_class``, a class on paths, at the declared nodes only.

    Any path fits its domain, whether or not it is declared.

    >>> from privpac.classes.tree_orders.paths import StartsWith
    >>> [str(h) for h in Candidates(StartsWith(), ("J10", "K2")).representatives(["J101", "K3"])]
    ['x starts with J10', 'x starts with K2']
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", listed(self.values))
        if len(set(self.concepts)) < len(self.values):
            raise Refused("values", "some of the values name the same node; name each node once")

    @property
    def concepts(self) -> tuple[Hypothesis, ...]:
        """One concept for each declared value."""
        return tuple(self.concept_class.hypothesis(node) for node in self.domain.encode(self.values))


@dataclass(frozen=True)
class DeclaredCuts(AtValues):
    """x ≥ v, or x < v, for declared cuts v of a line, as the direction of ``concept_class`` says.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> ages = DeclaredCuts(Thresholds(0, 120), (18, 65))
    >>> [str(h) for h in ages.representatives([7, 37, 70])], ages.starts
    (['x ≥ 18', 'x ≥ 65'], (0, 18, 65))
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", listed(self.values))
        try:
            starts = self.starts
        except (TypeError, ValueError) as error:
            raise Refused("values", f"every cut must be a value of the line: {error}") from None
        if len(starts) <= len(self.values) or any(a >= b for a, b in pairwise(starts)):
            raise Refused("values", "cuts must lie above low and be in order, with at least one step between two")

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first value of each cell: of low, and of every cut."""
        return 0, *(int(number) for number in self.domain.encode(list(self.values)))

    @property
    def concepts(self) -> tuple[Hypothesis, ...]:
        """One concept for each cut, or two in both directions."""
        sides = {"above": (True,), "below": (False,), "either": (True, False)}[self.concept_class.direction]
        return tuple(self.concept_class.at(t, above) for above in sides for t in self.starts[1:])

    def hypothesis(self, cut: Hashable, above: bool | None = None) -> Hypothesis:
        """The concept at a declared cut, as the class of all cuts names it."""
        found: Hypothesis = self.concept_class.hypothesis(cut, above)
        if found not in self.concepts:
            raise Refused("cut", "this cut is not declared; name one of the declared cuts")
        return found


def shown_of(concepts: Sequence[Hypothesis], points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
    """The patterns of some concepts, each once, and a concept for each."""
    labels = np.array([h(points) for h in concepts], dtype=bool)
    first = first_of_each(labels)
    return labels[first], [concepts[i] for i in first]


def listed(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Declared values in their order: at least one, distinct, none missing.

    >>> listed(["clerk", "nurse"])
    ('clerk', 'nurse')
    """
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise RefusedType("values", "values must be a list or a tuple, such as ('clerk', 'nurse')")
    try:
        found = tuple(Anything().encode(list(values)).tolist())
    except ValueError:
        raise Refused("values", "values must not be missing; declare a name for missing ones, such as 'none'") from None
    except TypeError as error:
        raise RefusedType("values", str(error)) from None
    if not 0 < len(set(found)) == len(found):
        raise Refused("values", "values must be distinct, and at least one must be declared")
    return found
