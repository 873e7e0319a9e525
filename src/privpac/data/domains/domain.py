"""The contract of a domain: the declared set that records come from.

A domain is public and declared; nothing about it is learned from records. Most domains read one column. Grids, pairs,
and tables of named columns read several, each with its own domain.

Throughout this room
    code     represents a value: its number, or, where values have no numbers, the value itself
    point    represents a record: a code, or a row of codes
    n        the number of records
    void     a record that does not fit the domain: it counts in n but in no score
    fits     a mask: which records are not void
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import Form, declared
from privpac.data.values.columns import Array, cells, objects
from privpac.data.values.equal_values import canonical, forms, hashables

if TYPE_CHECKING:
    from privpac.data.domains.line import Line

WhichFit = NDArray[np.bool_]
Fitted = tuple[Array, WhichFit]  # one value per record, and which of them fit
VOID = None  # takes the place of a value that does not fit; a missing value fits only in a domain that declares it


class Domain(ABC):
    """A declared set of values, or of records of several columns."""

    tabular: ClassVar[bool] = False  # whether rules read a table of several columns rather than one column

    @property
    @abstractmethod
    def size(self) -> int | float:
        """How many values there are, ``math.inf`` if infinitely many."""

    @abstractmethod
    def encode(self, values: object) -> Array:
        """The codes of ``values``; ValueError or TypeError if some lie outside the domain."""

    @abstractmethod
    def decode(self, code: Any) -> Any:
        """The value with this code."""

    def listed(self) -> list[Any]:
        """All values, in the order of their numbers."""
        return [self.decode(number) for number in range(int(self.size))]

    @property
    def columns(self) -> Sequence[Domain]:
        """The domain of each column that is read."""
        return (self,)

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        """The names of the columns that are read, where the domain declares them."""
        return ()

    @property
    def words(self) -> str:
        """The declared values of one column, in words."""
        return "any value"

    @property
    def optional(self) -> bool:
        """Whether the domain declares that entries of some column may be missing."""
        return False

    @property
    def present(self) -> Domain:
        """The domain of the entries of one column that are not missing."""
        return self

    @property
    def line(self) -> Line | None:
        """The domain itself, if its values are in order; otherwise None."""
        return None

    def path(self, value: Hashable) -> tuple[Hashable, ...]:
        """The path from the root down to a value, if values form a tree of names; otherwise the value alone."""
        return (value,)

    def split(self, values: object) -> list[Array]:
        """The columns of records, one for each of ``columns``; a row that lacks an entry has None there."""
        return [cells(values, "values")]

    def join(self, columns: Sequence[Array]) -> Any:
        """Columns in the form that rules read: a single column as it is, several as a table."""
        return columns[0]

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """The values of one column, each changed to one of the domain, and which of them fit.

        With ``clamp``, a value that does not fit is moved to one that does, where the domain knows how.
        """

        def fit_value(value: object) -> object:
            self.encode([value])  # raises if the value does not fit
            return value

        return one_by_one(values, fit_value)

    def spell(self, texts: Array) -> Array:
        """The values that the texts of one column spell, None where a text spells no value."""
        return texts

    def named(self, points: object) -> list[Hashable]:
        """The points as hashable values, for sets; rows of a table are tuples."""
        return hashables(list(points) if isinstance(points, str | Set) else points, "points", declared)

    def points(self, values: object) -> Array:
        """The points of records; ValueError or TypeError if some lie outside the domain."""
        return self.encode(values)

    def plain_values(self, values: object, points: Array) -> Any:
        """Accepted values in Python's own types, so that reading them later runs no code of their own types.

        ``points`` are the codes of the same values, for domains whose codes are such values already.
        """
        columns = self.split(values)
        if all(column.dtype.kind != "O" for column in columns):
            return values
        return self.join(
            [objects(forms(column, declared)) if column.dtype.kind == "O" else column for column in columns]
        )

    @property
    def numbered(self) -> bool:
        """Whether points have numbers 0 … size − 1."""
        return False

    def numbers(self, points: Array) -> NDArray[np.int64]:
        """The numbers of points, if they are ``numbered``."""
        return points.astype(np.int64)


def one_by_one(values: Array, fit_value: Callable[[Any], object], form: Form = canonical) -> Fitted:
    """``fit_value(form(value))`` for each value, and which values fit; one that is missing or raises does not fit.

    >>> one_by_one(np.array([1, None, 3], dtype=object), lambda value: value)[1].tolist()
    [True, False, True]
    """

    def safely(value: object) -> object:
        try:
            form_of_value = form(value)
            return VOID if form_of_value is None else fit_value(form_of_value)
        except Exception:  # an error must not affect other records
            return VOID

    times = values.dtype.kind in "mM"  # ``tolist`` would turn nanoseconds into plain integers
    entries = objects(safely(value) for value in (values if times else values.tolist()))
    return entries, np.array([value is not VOID for value in entries], dtype=bool)


class DomainWithCache(Domain):
    """Base of frozen dataclasses with cached properties; copies and pickles keep the fields only, not the caches."""

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
