"""Concept classes: sets of concepts on a domain, and what every one of them can do.

Throughout this room
    H      a concept class            x      a point of its domain
    P      a finite list of points    Π_H(P) the patterns of H on P: its distinct label vectors
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value
from privpac.classes.matrices import check_matrix_size
from privpac.data.domains.domain import Domain
from privpac.refusals.refusal import RefusedType

if TYPE_CHECKING:
    from privpac.classes.finite.explicit import ExplicitClass

Codes = NDArray[Any]  # the codes of values: machine integers, Python integers, or objects of the domain's own type
BITS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # curves over sizes show domains of 2^b values, for these b
SIDES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)  # curves over sizes show grids with these sides
LARGEST_DOMAIN = 10**6  # the most points of a domain that may be listed in full


@dataclass(frozen=True)
class Known:
    """A dimension in closed form."""

    value: int | float  # math.inf if it is unbounded
    why: str  # the theorem


class Family(NamedTuple):
    """A class in several sizes, for curves."""

    unit: str  # what sizes count, such as "bits of the domain"
    size: float | None  # the size of the class that the family belongs to; None if it is unbounded
    members: Sequence[tuple[float, ConceptClass]]  # the sizes that curves show, each with its class


def bits_family(size: int | None, make: Callable[[int], ConceptClass]) -> Family:
    """The family of a class on ``size`` values: ``make(b)`` is the class on 2^b values."""
    bits = None if size is None else size.bit_length() - 1
    return Family("bits of the domain", bits, [(b, make(b)) for b in BITS])


class ConceptClass(ABC):
    """A set of concepts on a domain, finite or not.

    A subclass defines its concepts on finitely many points (:meth:`representatives`); patterns and materialization
    follow from that. A class with a ``shell_name`` can be named on the command line.
    """

    in_shell: ClassVar[dict[str, type[ConceptClass]]] = {}  # every class with a shell_name, by that name
    shell_name: ClassVar[str]
    from_shell: ClassVar[Callable[..., ConceptClass]]  # makes the class from command-line options
    shell_words: ClassVar[tuple[str, ...]] = ()  # its options in a --part, in order; () if the class cannot be a part
    hypothesis: ClassVar[Callable[..., Hypothesis]]  # a concept by its name, where concepts have names

    # The types that ``on`` and ``materialize`` return. Both are subclasses of this one, so they are set when they are
    # defined.
    column_class: ClassVar[Callable[..., ConceptClass]]
    explicit_class: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "shell_name" in vars(cls):
            ConceptClass.in_shell[cls.shell_name] = cls

    def family(self) -> Family | None:
        """The class in other sizes, for curves; None if it comes in one size only."""
        return None

    @property
    @abstractmethod
    def size(self) -> int | float:
        """The number of concepts; ``math.inf`` if there are infinitely many."""

    @property
    def log_size(self) -> float:
        """The natural logarithm of the size; sample sizes depend on it."""
        return math.log(size) if (size := self.size) else -math.inf

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The domain of the concepts."""

    def encode(self, column: Column) -> Codes:
        """The codes of a column's values; ValueError if some lie outside the domain."""
        return self.domain.encode(column)

    def decode(self, code: Value) -> Value:
        """The value with this code."""
        return self.domain.decode(code)

    def known(self, kind: str) -> Known | None:
        """The dimension of this kind ("VC", "Littlestone", "threshold", "dual VC" …) in closed form, where proved."""
        return None

    def on(
        self,
        column: str | int,
        values: Sequence[Hashable] | None = None,
        *,
        missing: bool = False,
        na: Sequence[str] = (),
    ) -> ConceptClass:
        """This class on one column of a table: a name, or a position counted from 0; see :meth:`among` for values.

        With ``missing``, an entry may be absent: None, NaN, NaT, NULL, or one of the texts ``na``. Every concept is
        then false at absent entries, and one more concept is true at exactly those.
        """
        return self.column_class(self if values is None else self.among(values), column, missing=missing, na=na)

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """The concepts of this class at ``values`` only (points, prefixes, or cuts); most classes refuse."""
        raise RefusedType("values", f"{type(self).__name__} declares its values itself; leave out values")

    def named(self, points: Column) -> list[Hashable]:
        """The points as hashable values; rows of a table become tuples."""
        return self.domain.named(points)

    @abstractmethod
    def representatives(self, points: Sequence[Value]) -> Iterable[Hypothesis]:
        """Enough concepts to show every pattern of the class on ``points``; several may show the same one."""

    def patterns(self, points: Sequence[Value]) -> Labels:
        """Π_H(P): the distinct label vectors of the class on ``points``, one per row."""
        return self.materialize(points).matrix_on(self.named(points))

    def materialize(self, points: Sequence[Value] | None = None) -> ExplicitClass:
        """The class on finitely many points (by default its whole domain), one concept for each pattern.

        Its concepts are named by hypotheses of this class.
        """
        points = self._whole_domain() if points is None else list(dict.fromkeys(self.named(points)))
        hypotheses = list(dict.fromkeys(self.representatives(points)))
        check_matrix_size(len(hypotheses), len(points))
        matrix = np.array([h(points) for h in hypotheses], dtype=bool).reshape(len(hypotheses), len(points))
        explicit: ExplicitClass = self.explicit_class(matrix, points=points, concepts=hypotheses)
        return explicit

    def _whole_domain(self) -> list[Value]:
        domain = self.domain
        if domain.size > LARGEST_DOMAIN:
            raise ValueError("the domain is too large to list; name the points: materialize(points)")
        return domain.listed()
