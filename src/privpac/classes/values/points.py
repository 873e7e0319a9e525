"""Single points, and sets of a few points, of an unordered domain.

Throughout this file
    N      the number of possible values, infinite if it is not declared
    k      the largest number of points in a set

A missing value equals nothing: its label is False. Values are equal if Python says so: 1, 1.0 and True are one value.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, count, islice
from numbers import Real
from typing import ClassVar, cast

import numpy as np

from privpac.classes.concept_class import ConceptClass, Family, Known, bits_family
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value, value_name
from privpac.classes.matrices import check_matrix_size
from privpac.classes.picture_shapes import MOST_DRAWN, Pills, Shape, titled
from privpac.classes.shell_options import K, Size, whole
from privpac.classes.typed_fields import fit_fields
from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.values.allowed_types import filled_in_order
from privpac.data.values.equal_values import canonical, hashables, member
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import Refused, RefusedType

PROOF = "docs/proofs/dimensions.md, Points and sparse sets"
SIZES = (1, 2, 3, 5, 10, 20, 50)  # the sizes of sets that curves show
MOST_SETS = 2**17  # the most sets of categories that are listed


@dataclass(frozen=True)
class OneOf(Hypothesis):
    """x is one of ``values``; equal sets are equal hypotheses.

    >>> print(OneOf(frozenset(["EV"])), OneOf(frozenset({12, 5})), OneOf(frozenset()), sep="; ")
    x = EV; x is one of 5, 12; never
    """

    values: frozenset[Hashable]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.values) > 1:  # so that the order of records, in which a set may have been filled, does not show
            object.__setattr__(self, "values", filled_in_order(self.values))

    @property
    def constant(self) -> bool | None:
        return None if self.values else False

    def __call__(self, column: Column, /) -> Labels:
        return member(column, self.values)

    def sentence(self, *names: str) -> str:
        """The values: numbers in order, then text."""
        x = value_name(names)
        ordered = sorted(self.values, key=lambda v: (not isinstance(v, Real), v if isinstance(v, Real) else 0, str(v)))
        if len(ordered) < 2:
            return f"{x} = {value_text(ordered[0])}" if ordered else "never"
        return f"{x} is one of {', '.join(map(value_text, ordered))}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        texts = sorted(map(value_text, self.values))
        pills = [(text, True) for text in texts[:MOST_DRAWN]]
        if len(texts) > MOST_DRAWN:
            pills.append((f"and {len(texts) - MOST_DRAWN} more", True))
        return (*titled(columns), Pills((*pills, ("everything else", False))))


class _ValueClass(ConceptClass):
    """The common part of points and sparse sets: any values, perhaps with a declared number of possible ones."""

    domain_size: int | None

    def __post_init__(self) -> None:
        fit_fields(self)
        _ = self.domain  # refuses an invalid number of values

    @property
    def domain(self) -> Anything:
        return Anything(self.domain_size)


@dataclass(frozen=True)
class Points(_ValueClass):
    """x = v for every possible value v. This is POINT of [BBKN14, Def. 3.3]; it does not contain the empty concept.

    Values are text, numbers, dates and the like. ``domain_size`` is the number of possible values, for the theory; None
    means unbounded.

    >>> [str(h) for h in Points().representatives(["EV", "UA"])]
    ['x = EV', 'x = UA', 'never']
    >>> Points(2).patterns(["EV", "UA"]).astype(int).tolist()
    [[1, 0], [0, 1]]
    """

    shell_name: ClassVar[str] = "points"
    shell_words: ClassVar[tuple[str, ...]] = ("size",)
    domain_size: int | None = None

    @classmethod
    def from_shell(cls, size: Size = None) -> Points:
        return cls(None if size is None else whole(size, "size"))

    def family(self) -> Family:
        return bits_family(self.domain_size, lambda b: Points(2**b))

    def hypothesis(self, value: Hashable) -> OneOf:
        """x = ``value``.

        >>> print(Points().hypothesis("EV"))
        x = EV
        """
        return OneOf(frozenset(self.encode([value]).tolist()))

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """x = v for declared categories v. ``on_invalid`` decides what happens to records with other values.

        >>> jobs = Points().on("job", values=("clerk", "nurse"))
        >>> [str(h) for h in jobs.representatives({"job": ["nurse", "clerk"]})]
        ['job = clerk', 'job = nurse']
        """
        if self.domain_size not in (None, len(values)):
            raise Refused("values", "declare as many values as domain_size says, or leave out domain_size")
        return Categories(values)

    @property
    def size(self) -> int | float:
        return self.domain.size

    def known(self, kind: str) -> Known | None:
        """All six dimensions, and the threshold dimension of the complements; the class is its own dual."""
        vc = min(1, self.size - 1)
        known = {"VC": vc, "Littlestone": vc, "threshold": 1, "complement threshold": min(2, self.size - 1)}
        value = known.get(kind.removeprefix("dual "))
        return None if value is None else Known(value, PROOF)

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        """Each point; and never, which is the pattern of all other possible values, if there are any."""
        values = self.domain.distinct(points)
        never: list[Hypothesis] = [Constant(False)] if len(values) < self.size else []
        return [*(OneOf(frozenset([value])) for value in values), *never]


@dataclass(frozen=True)
class Seen:
    """The sparse sets that contain ``inside`` and nothing of ``outside``."""

    inside: frozenset[Hashable] = frozenset()
    outside: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class SparseSets(_ValueClass):
    """The sets of at most ``k`` values, including the empty one. ``domain_size`` is the number of possible values.

    A Littlestone oracle: :meth:`restrict`, :meth:`ldim`, :meth:`soa` and :meth:`reducing_set` work on version spaces;
    ``Seen()`` is the whole class.

    >>> sets = SparseSets(2)
    >>> state = sets.restrict(sets.restrict(Seen(), "EV", True), "UA", False)
    >>> sets.ldim(state), str(sets.soa(state))
    (1, 'x = EV')
    >>> str(sets.close(["EV", "UA"])), sets.close(["EV", "UA", "B6"])
    ('x is one of EV, UA', None)
    """

    shell_name: ClassVar[str] = "sparse-sets"
    k: int
    domain_size: int | None = None

    @classmethod
    def from_shell(cls, k: K, size: Size = None) -> SparseSets:
        """Sets of at most k of ``size`` points."""
        return cls(k or 0, None if size is None else whole(size, "size"))

    def family(self) -> Family:
        """Sets of up to 50 values."""
        return Family("values in a set", self.k, [(k, SparseSets(k, self.domain_size)) for k in SIZES])

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 0:
            raise Refused.must("k", "be at least 0")

    def hypothesis(self, *values: Hashable) -> OneOf:
        """x is one of ``values``, at most k.

        >>> print(SparseSets(2).hypothesis("EV", "UA"))
        x is one of EV, UA
        """
        if len(set(values)) > self.k:
            raise ValueError(f"give at most {self.k} values: the sets of this class have no more")
        return OneOf(frozenset(self.encode(list(values)).tolist()))

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """The sets of at most k declared categories. ``on_invalid`` decides what happens to records with other values.

        >>> jobs = SparseSets(2).on("job", values=("clerk", "nurse", "pilot"))
        >>> [str(h) for h in jobs.representatives({"job": ["nurse", "clerk"]})], jobs.size
        (['never', 'job = clerk', 'job = nurse', 'job is one of clerk, nurse'], 7)
        """
        if self.domain_size not in (None, len(values)):
            raise Refused("values", "declare as many values as domain_size says, or leave out domain_size")
        return CategorySets(self.k, values)

    @property
    def size(self) -> int | float:
        """C(N, 0) + … + C(N, k)."""
        if self.domain_size is None:
            return math.inf if self.k else 1
        return sum(math.comb(self.domain_size, i) for i in range(min(self.k, self.domain_size) + 1))

    def known(self, kind: str) -> Known | None:
        largest = self.ldim(Seen())  # the size of the largest sets
        dual_vc = min(self.k.bit_length(), self.domain_size.bit_length() - 1 if self.domain_size else math.inf)
        dual = {"dual VC": dual_vc, "dual Littlestone": dual_vc, "dual threshold": largest}
        value = ({"VC": largest, "Littlestone": largest, "threshold": largest} | dual).get(kind)
        return None if value is None else Known(value, PROOF)

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        """Every set of at most k of the points."""
        values = self.domain.distinct(points)
        sizes = range(min(self.k, len(values)) + 1)
        check_matrix_size(sum(math.comb(len(values), i) for i in sizes), len(values))
        return [OneOf(frozenset(chosen)) for i in sizes for chosen in combinations(values, i)]

    def restrict(self, state: Seen, x: Hashable, y: bool) -> Seen | None:
        """The sets of ``state`` that have label ``y`` on ``x``; None if there are none."""
        (x,) = self.encode([x])
        inside = state.inside | {x} if y else state.inside
        outside = state.outside if y else state.outside | {x}
        too_many = len(inside) > self.k or len(inside) + len(outside) > self.domain.size
        return None if inside & outside or too_many else Seen(inside, outside)

    def ldim(self, state: Seen) -> int:
        """The Littlestone dimension of ``state``: how many values may still be added or, if fewer, are undecided."""
        room, undecided = self.k - len(state.inside), self.domain.size - len(state.inside) - len(state.outside)
        return room if room <= undecided else int(undecided)

    def soa(self, state: Seen) -> OneOf:
        """The predictions of the standard optimal algorithm as one rule: label 1 on the values inside, 0 elsewhere."""
        return OneOf(state.inside)

    def reducing_set(self, state: Seen, k: int) -> tuple[Hashable, ...] | None:
        """At most ``k`` undecided values that reduce ``state``: label 0 on all of them lowers its Ldim.

        None if that takes more, so ``state`` is k-irreducible. The values of a finite domain are 0, 1, ….

        >>> SparseSets(2, 6).reducing_set(Seen(), 5), SparseSets(2, 6).reducing_set(Seen(), 4)
        ((0, 1, 2, 3, 4), None)
        """
        d, undecided = self.ldim(state), self.domain.size - len(state.inside) - len(state.outside)
        needed = undecided - d + 1  # with these at 0, fewer than d values are undecided
        if d == 0 or needed > k:
            return None
        free = (x for x in count() if x not in state.inside and x not in state.outside)
        return tuple(islice(free, int(needed)))

    def close(self, positives: Iterable[Hashable]) -> OneOf | None:
        """The least set that contains ``positives``; None if no set of the class does."""
        values = frozenset(hashables(list(positives), "positives"))
        return OneOf(values) if len(values) <= min(self.k, self.domain.size) else None


class Categories(ExplicitClass):
    """x = v for every declared category v: ``Points().on(column, values=…)`` on its column.

    Only declared categories fit its domain. A record with any other value is treated as ``on_invalid`` says: refused
    before anything is spent under "raise", void (it counts in n and in no score) under "clamp" and "default".

    >>> jobs = Categories(("clerk", "nurse"))
    >>> [str(h) for h in jobs.representatives(["nurse"])], jobs.size
    (['x = clerk', 'x = nurse'], 2)
    """

    def __init__(self, values: Sequence[Hashable]) -> None:
        values = as_declared(values)
        check_matrix_size(len(values), len(values))
        super().__init__(np.eye(len(values), dtype=bool), points=values, concepts=values)

    def __repr__(self) -> str:
        return f"Categories({self.all_points!r})"

    def hypothesis(self, concept: Hashable) -> OneOf:  # type: ignore[override]
        self.rows([concept])
        return OneOf(frozenset([concept]))

    def known(self, kind: str) -> Known | None:
        """The dimensions of the same number of points."""
        return Points(self.size).known(kind)


class CategorySets(ExplicitClass):
    """The sets of at most k declared categories: ``SparseSets(k).on(column, values=…)`` on its column.

    They are finitely many, so a rule is learned without δ. Other values are treated as those of ``Categories``.

    >>> jobs = CategorySets(2, ("clerk", "nurse", "pilot"))
    >>> jobs.size, str(jobs.hypothesis(("clerk", "pilot")))
    (7, 'x is one of clerk, pilot')
    """

    def __init__(self, k: int, values: Sequence[Hashable]) -> None:
        values = as_declared(values)
        self.k = min(k, len(values))
        size = sum(math.comb(len(values), i) for i in range(self.k + 1))
        if size > MOST_SETS:
            fewer = "choose a smaller k, or declare fewer values"
            raise Refused("values", f"there are more than {MOST_SETS} sets of at most {k} of these values; {fewer}")
        check_matrix_size(size, len(values))
        sets = [chosen for i in range(self.k + 1) for chosen in combinations(range(len(values)), i)]
        matrix = np.zeros((size, len(values)), dtype=bool)
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
        """The dimensions of sets of the same number of values."""
        return SparseSets(self.k, len(self.all_points)).known(kind)


def as_declared(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Declared values in their order: at least one, distinct, none missing.

    >>> as_declared(["clerk", "nurse"])
    ('clerk', 'nurse')
    """
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise RefusedType("values", "values must be a list or a tuple, such as ('clerk', 'nurse')")
    try:
        declared = tuple(hashables(list(values), "values", canonical))
    except TypeError as error:
        raise RefusedType("values", str(error)) from None
    if None in declared:
        raise Refused("values", "values must not be missing; declare a name for missing ones, such as 'none'")
    if not 0 < len(set(declared)) == len(declared):
        raise Refused("values", "values must be distinct, and at least one must be declared")
    return declared
