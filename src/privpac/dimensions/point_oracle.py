"""The oracle of points of any domain, listed or not: every answer in closed form.

Throughout this file
    state     the points x = v of finitely many values v, or of all others
    σ         SOA of a state: of one or two points the set of them, of more never
    excess    of a value, in a part: its records with label 0, minus those with label 1
    ones      the records of a part with label 1; x = v errs on ones + excess(v) of its records

The domain counts as infinite, so a state of all others is never empty and k-irreducible for all k. A learner of these
points also learns those of a finite domain. The proofs: docs/proofs/ggkm21.md, Points of any domain.
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
    """The points of ``values``, or of all other values.

    >>> PointSet(frozenset("ab"), others=True) & PointSet(frozenset("bc"))
    PointSet(values=frozenset({'c'}), others=False)
    """

    values: frozenset[Hashable] = frozenset()
    others: bool = False

    def __bool__(self) -> bool:
        return self.others or bool(self.values)

    def __and__(self, state: PointSet) -> PointSet:
        if self.others and state.others:
            return PointSet(self.values | state.values, others=True)
        if self.others or state.others:
            few, without = (state, self) if self.others else (self, state)
            return PointSet(few.values - without.values)
        return PointSet(self.values & state.values)


class Part(NamedTuple):
    """What the oracle sees of a part: the excess of each value in it, the number of ones, and of records."""

    values: NDArray[Any]
    excess: NDArray[np.int64]
    ones: int
    records: int


@dataclass(frozen=True)
class PointOracle:
    """The points x = v of any values v, read as the class says.

    >>> F = PointOracle(Points(2**64))
    >>> rare = F.restrict(F.everything, 3, False)
    >>> F.ldim(rare), str(F.soa(rare)), F.reducing_set(rare, 10**6), F.ldim(F.restrict(rare, 3, True))
    (1, 'never', None, -1)
    >>> part = F.part([(3, True), (3, True), (8, False)])
    >>> [str(F.soa(G)) for G in F.low_errors(part, [Fraction(0), Fraction(2, 3)]).values()]
    ['x = 3', 'never']
    """

    concept_class: Points
    dimension: ClassVar[int] = 1
    everything: ClassVar[PointSet] = PointSet(others=True)

    def restrict(self, state: PointSet, x: Hashable, y: bool, /) -> PointSet:
        """The points of ``state`` with label ``y`` on ``x``."""
        return state & PointSet(frozenset(self.concept_class.encode([x]).tolist()), others=not y)

    def ldim(self, state: PointSet, /) -> int:
        """Ldim(state); −1 if it is empty."""
        return 1 if state.others else min(len(state.values), 2) - 1

    def soa(self, state: PointSet, /) -> OneOf:
        """σ."""
        if not state:
            raise ValueError("a class without concepts has no SOA hypothesis; give at least one concept")
        return OneOf(frozenset() if state.others or len(state.values) > 2 else state.values)

    def reducing_set(self, state: PointSet, k: int, /) -> ReducingSet | None:
        """All values of ``state`` but the last, if they are at most k; None if it is k-irreducible."""
        least = len(state.values) - 1
        if state.others or not 0 < least <= k:
            return None
        return ReducingSet(tuple(sorted(state.values, key=repr)[:-1]), (least == 1,) * least, 1)

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
        """F_{P̂, α} for each α of ``shares``: the values that err little, or all but those that err much."""

        def few(most: int) -> PointSet:
            others = part.ones <= most  # on a value that no record has, a point errs on the ones
            return PointSet(frozenset(part.values[(part.ones + part.excess <= most) != others].tolist()), others)

        return {α: few(α.numerator * part.records // α.denominator) for α in shares}
