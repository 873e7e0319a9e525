"""The oracle of points of any domain, listed or not: every answer in closed form.

Throughout this file
    state     the concepts x = v for finitely many values v, or for all but finitely many
    σ         SOA of a state: the set of its values if there are one or two, otherwise never
    excess    of a value in a part: how many of its records have the label 0, minus how many have the label 1
    ones      how many records of a part have the label 1; x = v errs on ones + excess(v) records of the part

The domain counts as infinite, so a state of all but finitely many values is never empty, and it is k-irreducible for
all k. A learner of these points also learns those of a finite domain. The proofs: docs/proofs/ggkm21.md, Points of any
domain.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.values.points import OneOf, Points
from privpac.dimensions.witnesses import ReducingSet


@dataclass(frozen=True)
class PointSet:
    """The concepts x = v for v in ``values`` or, with ``complement``, for all other values v.

    >>> PointSet(frozenset("ab"), complement=True) & PointSet(frozenset("bc"))
    PointSet(values=frozenset({'c'}), complement=False)
    """

    values: frozenset[Hashable] = frozenset()
    complement: bool = False

    def __bool__(self) -> bool:
        return self.complement or bool(self.values)

    def __and__(self, state: PointSet) -> PointSet:
        if self.complement and state.complement:
            return PointSet(self.values | state.values, complement=True)
        if self.complement or state.complement:
            finite, cofinite = (state, self) if self.complement else (self, state)
            return PointSet(finite.values - cofinite.values)
        return PointSet(self.values & state.values)


class Part(NamedTuple):
    """What the oracle knows of a part: the excess of each value in it, and the numbers of ones and of records."""

    values: NDArray[Any]
    excess: NDArray[np.int64]
    ones: int
    records: int


@dataclass(frozen=True)
class PointOracle:
    """The oracle of the points x = v; values are read as the class says.

    >>> F = PointOracle(Points(2**64))
    >>> not_3 = F.restrict(F.everything, 3, False)
    >>> F.ldim(not_3), str(F.soa(not_3)), F.reducing_set(not_3, 10**6), F.ldim(F.restrict(not_3, 3, True))
    (1, 'never', None, -1)
    >>> part = F.part([(3, True), (3, True), (8, False)])
    >>> [str(F.soa(G)) for G in F.low_errors(part, [Fraction(0), Fraction(2, 3)]).values()]
    ['x = 3', 'never']
    """

    concept_class: Points
    dimension: ClassVar[int] = 1
    everything: ClassVar[PointSet] = PointSet(complement=True)

    def restrict(self, state: PointSet, x: Hashable, y: bool, /) -> PointSet:
        """The points of ``state`` with label ``y`` on ``x``."""
        return state & PointSet(frozenset(self.concept_class.encode([x]).tolist()), complement=not y)

    def ldim(self, state: PointSet, /) -> int:
        """Ldim(state); −1 if it is empty."""
        return 1 if state.complement else min(len(state.values), 2) - 1

    def soa(self, state: PointSet, /) -> OneOf:
        """σ, if ``state`` is not empty."""
        if not state:
            raise ValueError("a class without concepts has no SOA hypothesis; give at least one concept")
        return OneOf(frozenset() if state.complement or len(state.values) > 2 else state.values)

    def reducing_set(self, state: PointSet, k: int, /) -> ReducingSet | None:
        """All values of ``state`` but one, with the labels of σ, if they are at most k; None if it is k-irreducible."""
        size = len(state.values) - 1
        if state.complement or not 0 < size <= k:
            return None
        label = size == 1  # σ contains both of two values, and none of more
        return ReducingSet(tuple(sorted(state.values, key=repr)[:-1]), (label,) * size, 1)

    def part(self, examples: Sequence[tuple[Any, bool]], /) -> Part:
        """The values of these examples, with their counts."""
        values = self.concept_class.encode([x for x, _ in examples])
        number = {v: i for i, v in enumerate(dict.fromkeys(values.tolist()))}
        numbers = np.array([number[v] for v in values.tolist()], dtype=np.intp)
        labels = np.array([y for _, y in examples], dtype=bool)
        first = np.unique(numbers, return_index=True)[1]
        zeros, ones = (np.bincount(numbers[labels == y], minlength=len(first)) for y in (False, True))
        return Part(values[first], zeros - ones, int(ones.sum()), len(examples))

    def low_errors(self, part: Part, shares: Iterable[Fraction], /) -> dict[Fraction, PointSet]:
        """F_{P̂, α} for each α of ``shares``: the points that err on at most a share α of the part."""

        def low_error(most: int) -> PointSet:
            complement = part.ones <= most  # if no record has the value v, then x = v errs on the ones
            errs_little = part.ones + part.excess <= most
            return PointSet(frozenset(part.values[errs_little != complement].tolist()), complement)

        return {α: low_error(α.numerator * part.records // α.denominator) for α in shares}
