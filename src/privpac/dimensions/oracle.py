"""Littlestone oracles: the questions that the algorithms of [GGKM21] ask about a class, answered for listed classes.

``Oracle`` names the questions of Algorithms 1 and 2. ``ListedOracle`` answers them, and those of Algorithm 3, for every
class whose concepts can be listed; ``PointOracle`` answers them for points of any domain. ``SetOracle`` and
``FlatOracle`` answer them for sparse sets and flats, except those about concepts that err on a few examples.

Throughout this file
    state    a sub-class as a bitset of its concepts: bit i of the integer is concept i; 0 if it is empty
    σ        SOA of a state: at x the label that leaves the larger Littlestone dimension [GGKM21, Def. 4.2]
    e        for each concept, the number of examples that it errs on
    points   one of each group of points that every concept labels alike; ``all_points`` has every point

Points *reduce* a state if its concepts with the labels of σ on them have a smaller Ldim. If no k points do so, the
state is k-irreducible.

``SparseSets`` and ``AffineSubspaces`` themselves answer questions about version spaces in closed form, on domains that
are too large to list. The concepts that err on a few examples are not a version space, so they cannot name those.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import LARGEST_DOMAIN, ConceptClass
from privpac.classes.finite.explicit import ClassOrMatrix, Listed, explicit
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.matrices import MOST_ENTRIES
from privpac.classes.values.points import Points, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.dimensions.closure_oracle import FlatOracle, SetOracle
from privpac.dimensions.irreducible import Reduction, soa_labels
from privpac.dimensions.littlestone import Littlestone
from privpac.dimensions.point_oracle import PointOracle
from privpac.dimensions.witnesses import ReducingSet

Errors = NDArray[np.int64]


class SubClass(Protocol):
    """A state: equal sub-classes compare equal, only the empty one is false, and ``&`` is the intersection."""

    def __hash__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __and__(self, other: Self, /) -> Self: ...


State = TypeVar("State", bound=SubClass)


class Oracle(Protocol[State]):
    """What ReduceTree and PolyPriLearn ask about a class. Earlier questions must not change an answer.

    An oracle must answer whatever the examples are, raise no error that quotes them, and remember nothing about them.
    """

    @property
    def concept_class(self) -> ConceptClass:
        """The class, which says how records are read."""

    @property
    def dimension(self) -> int:
        """Ldim of the whole class."""

    @property
    def everything(self) -> State:
        """The whole class."""

    def restrict(self, state: State, x: Hashable, y: bool, /) -> State:
        """The concepts of ``state`` with label ``y`` on ``x``."""

    def ldim(self, state: State, /) -> int:
        """Ldim(state); −1 if it is empty."""

    def soa(self, state: State, /) -> Hypothesis:
        """σ, if ``state`` is not empty. Equal functions are equal hypotheses, which print and are stored alike."""

    def reducing_set(self, state: State, k: int, /) -> ReducingSet | None:
        """At most k points that reduce ``state``, with the labels of σ; None if it is k-irreducible."""

    def part(self, examples: Sequence[tuple[Any, bool]], /) -> Any:
        """What ``low_errors`` needs to know about the examples of one subset."""

    def low_errors(self, part: Any, shares: Iterable[Fraction], /) -> dict[Fraction, State]:
        """For each α of ``shares``, the concepts that err on at most a share α of a part: F_{P̂, α} in the paper."""


def oracle_of(concept_class: ConceptClass, *, closed: bool = False) -> Oracle[Any]:
    """The oracle of a class, in closed form if ``closed`` or if there are too many points to list; otherwise listed.

    Points(1) is always listed: it has Ldim 0, but the closed form assumes Ldim 1. The closed forms of sets and flats
    know no concepts with errors, so they are for plans that need none, and only ``closed`` selects them.

    >>> [type(oracle_of(Points(size))).__name__ for size in (40, 2**64, None)]
    ['ListedOracle', 'PointOracle', 'PointOracle']
    >>> classes = Points(1), Points(2), SparseSets(2), AffineSubspaces(2, 64, 1)
    >>> [type(oracle_of(H, closed=True)).__name__ for H in classes]
    ['ListedOracle', 'PointOracle', 'SetOracle', 'FlatOracle']
    """
    oracle = closed_oracle(concept_class)
    if oracle and (closed or (isinstance(oracle, PointOracle) and concept_class.size**2 > MOST_ENTRIES)):
        return oracle
    if concept_class.domain.size > LARGEST_DOMAIN:
        raise ValueError("the class is too large to list; list it on some values (H.materialize, or --class-file)")
    return ListedOracle(concept_class)


def closed_oracle(concept_class: ConceptClass) -> Oracle[Any] | None:
    """The closed form of a class that has one; None for other classes."""
    if isinstance(concept_class, SparseSets) and concept_class.k:
        return SetOracle(concept_class)
    if isinstance(concept_class, AffineSubspaces):
        return FlatOracle(concept_class)
    return PointOracle(concept_class) if isinstance(concept_class, Points) and concept_class.size > 1 else None


class ListedOracle:
    """The oracle of an explicit class, or of any class on a domain that can be listed.

    >>> from privpac.classes.values.points import SparseSets
    >>> F = ListedOracle(SparseSets(2, 6))
    >>> with_3 = F.restrict(F.everything, 3, True)
    >>> F.ldim(with_3), F.ldim(F.restrict(with_3, 3, False)), str(F.soa(with_3)), str(F.close([1, 4]))
    (1, -1, 'x = 3', 'x is one of 1, 4')
    >>> print(F.reducing_set(F.everything, 5), F.reducing_set(F.everything, 4), sep="; ")
    0 = 0, 1 = 0, 2 = 0, 3 = 0, 4 = 0; None
    >>> F.names(F.low_error(F.errors({(3, True): 9, (5, True): 2}), 1))
    ('x is one of 3, 5',)
    """

    def __init__(self, concept_class: ClassOrMatrix) -> None:
        self.concept_class = explicit(concept_class)
        self.source = concept_class if isinstance(concept_class, ConceptClass) else self.concept_class
        if not self.concept_class.size:
            raise ValueError("a class without concepts predicts nothing; give a class with at least one concept")
        self.points = self.concept_class.points
        self.matrix = self.concept_class.matrix
        self._by_rule = self.source is not self.concept_class
        self._H = Littlestone(self.matrix)
        self.everything = self._H.everything
        columns = self.concept_class.columns(self.concept_class.all_points).tolist()
        self._column: dict[Hashable, int] = dict(zip(self.concept_class.all_points, columns, strict=True))
        self._soa: dict[int, Hypothesis] = {}
        self._reducing: dict[int, ReducingSet] = {}

    @cached_property
    def dimension(self) -> int:
        """Ldim of the whole class."""
        return self.ldim(self.everything)

    def restrict(self, state: int, x: Hashable, y: bool, /) -> int:
        """The concepts of ``state`` with label ``y`` on ``x``."""
        ones = self._H.columns[self._at(x)]
        return state & ones if y else state & ~ones

    def after(self, state: int, labels: Iterable[tuple[Hashable, bool]]) -> int:
        """The concepts of ``state`` with all these labels, G|S in the paper."""
        for x, y in labels:
            state = self.restrict(state, x, y)
        return state

    def ldim(self, state: int, /) -> int:
        """Ldim(state); −1 if it is empty."""
        return self._H.dimension(state)

    def soa(self, state: int, /) -> Hypothesis:
        """σ, which is 1 where both labels leave the same Ldim. Equal functions are equal hypotheses."""
        if not state:
            raise ValueError("a class without concepts has no SOA hypothesis; give at least one concept")
        if state not in self._soa:
            self._soa[state] = self.hypothesis(soa_labels(self._H, state))
        return self._soa[state]

    def hypothesis(self, labels: NDArray[np.bool_]) -> Hypothesis:
        """The function with these labels on ``points``: as a rule of the class, if it is a concept that has one."""
        concept = self._concepts.get(np.packbits(labels).tobytes()) if self._by_rule else None
        if isinstance(concept, Hypothesis):
            return concept
        c = self.concept_class
        return Listed(c.all_points, tuple(labels[c.columns(c.all_points)].tolist()))

    def close(self, positives: Iterable[Hashable], /) -> Hypothesis | None:
        """The least concept that contains ``positives``; None if there is none."""
        state = self.after(self.everything, ((x, True) for x in positives))
        if not state:
            return None
        common = np.asarray(self.matrix[self.rows(state)].all(axis=0))
        return self.hypothesis(common) if np.packbits(common).tobytes() in self._concepts else None

    def reducing_set(self, state: int, k: int, /) -> ReducingSet | None:
        """At most k points that reduce ``state``, with the labels of σ; None if it is k-irreducible.

        The set that the greedy search finds, if it is small enough; otherwise a set that the full search finds.
        """
        if state.bit_count() <= 1:
            return None
        if state not in self._reducing:
            search = Reduction(self._H, self.matrix, state)
            self._reducing[state] = search.witness(self.concept_class, search.greedy())
        if len(self._reducing[state].points) <= k:
            return self._reducing[state]
        search = Reduction(self._H, self.matrix, state)
        columns = search.reduce(state, k)
        return None if columns is None else search.witness(self.concept_class, columns)

    def errors(self, examples: Mapping[tuple[Hashable, bool], int]) -> Errors:
        """e, from how often each example (x, y) occurs."""
        counts = np.zeros((len(self.points), 2), dtype=np.int64)
        for (x, y), times in examples.items():
            counts[self._at(x), int(y)] += times
        return self.errors_of(counts)

    def errors_of(self, counts: NDArray[np.int64]) -> Errors:
        """e, from how often each example occurs: a row for each of ``points`` and a column for each label."""
        zeros, ones = counts[:, 0], counts[:, 1]
        errors: Errors = self.matrix @ (zeros - ones) + ones.sum()
        return errors

    def merged(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts with a row for each of ``points``, from counts with a row for each of ``all_points``.

        >>> ListedOracle([[0, 0, 1], [1, 1, 0]]).merged(np.array([[3, 0], [2, 1], [0, 4]])).tolist()
        [[5, 1], [0, 4]]
        """
        if np.shape(counts) != (len(self._column), 2):
            raise ValueError(f"counts must have {len(self._column)} rows, one for each point, and 2 columns")
        totals = np.zeros((len(self.points), 2), dtype=np.int64)
        np.add.at(totals, list(self._column.values()), counts)
        return totals

    def part(self, examples: Sequence[tuple[Any, bool]], /) -> NDArray[np.int64]:
        """How often each example occurs: a row for each of ``points`` and a column for each label.

        >>> ListedOracle([[0, 0, 1], [1, 1, 0]]).part([(1, True), (0, True)]).tolist()
        [[0, 2], [0, 0]]
        """
        columns = self.concept_class.columns([x for x, _ in examples])
        cells = 2 * columns + np.array([y for _, y in examples], dtype=np.intp)  # cells of the table, row by row
        return np.bincount(cells, minlength=2 * len(self.points)).reshape(-1, 2)

    def low_errors(self, part: NDArray[np.int64], shares: Iterable[Fraction], /) -> dict[Fraction, int]:
        """F_{P̂, α} for each α of ``shares``, of a part with these counts.

        >>> shares = Fraction(2, 7), Fraction(1, 7), Fraction(0)
        >>> ListedOracle(np.eye(3, dtype=int)).low_errors(np.array([[6, 0], [1, 0], [0, 0]]), shares)
        {Fraction(2, 7): 6, Fraction(1, 7): 6, Fraction(0, 1): 4}
        """
        e, n = self.errors_of(part), int(part.sum())
        return {α: self.low_error(e, α.numerator * n // α.denominator) for α in shares}

    def low_error(self, errors: Errors, most: int) -> int:
        """The concepts that err on at most ``most`` examples, F_{P̂, most/n} in the paper."""
        return int.from_bytes(np.packbits(errors <= most, bitorder="little").tobytes(), "little")

    def forget(self) -> None:
        """Forget all states: they follow from examples, and the oracle of a learner is public."""
        self._soa.clear()
        self._reducing.clear()
        self._H = Littlestone(self.matrix)

    def rows(self, state: int) -> list[int]:
        """The concepts of ``state``, by their rows in ``matrix``."""
        return [i for i in range(len(self.matrix)) if state >> i & 1]

    def names(self, state: int) -> tuple[str, ...]:
        """The concepts of ``state``, by their names."""
        return tuple(str(self.concept_class.concepts[i]) for i in self.rows(state))

    def _at(self, x: Hashable) -> int:
        if x not in self._column:
            raise ValueError("x must be one of the points of the class; they are in concept_class.all_points")
        return self._column[x]

    @cached_property
    def _concepts(self) -> dict[bytes, Hashable]:
        """The name of each concept, by its labels."""
        return {
            np.packbits(row).tobytes(): name for row, name in zip(self.matrix, self.concept_class.concepts, strict=True)
        }
