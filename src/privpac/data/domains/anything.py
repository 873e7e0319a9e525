"""Values without an order."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from types import NoneType

from privpac.data.domains.domain import Domain, Fitted, one_by_one
from privpac.data.values.canonical import canonical
from privpac.data.values.columns import Array, objects
from privpac.data.values.compare import hashables
from privpac.data.values.spelling import spelled
from privpac.refusals.refusal import Refused


@dataclass(frozen=True)
class Anything(Domain):
    """Any values: text, numbers, dates, tuples of them. Their codes are their canonical forms.

    ``limit`` is the number of possible values, None if it is unbounded. Only the theory uses it: the values themselves
    are not declared, and 0 … limit − 1 stand for them where they must be listed.

    >>> Anything().encode(["UA", ("UA", 1)]).tolist()
    ['UA', ('UA', 1)]
    """

    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise Refused("limit", "the number of possible values must be a whole number, at least 1, or None")

    @property
    def size(self) -> int | float:
        return math.inf if self.limit is None else self.limit

    def encode(self, values: object) -> Array:
        """The canonical forms of the values; ValueError if some are missing."""
        forms = hashables(values, "values", canonical)
        if NoneType in set(map(type, forms)):
            raise ValueError("some values are missing; replace them with a value first, such as 'missing'")
        return objects(forms)

    def distinct(self, values: object) -> list[Hashable]:
        """The distinct ``values``, which are public; ValueError if there are more than ``limit``.

        >>> Anything(2).distinct(["UA", "EV", "UA"])
        ['UA', 'EV']
        """
        distinct = list(dict.fromkeys(self.encode(values).tolist()))
        if len(distinct) > self.size:
            raise ValueError("there are more distinct values than domain_size allows; declare a larger domain_size")
        return distinct

    def decode(self, code: Hashable) -> Hashable:
        return code

    def settled(self, values: object, points: Array) -> Array:
        return points

    def fit(self, values: Array, clamp: bool) -> Fitted:
        return one_by_one(values, lambda value: value, canonical)


@dataclass(frozen=True)
class Numbers(Anything):
    """Any values, where rules name whole numbers; in a file, text spells them.

    >>> Numbers(9).spell(objects(["5", "5.0", "five"])).tolist()
    [5, 5, 'five']
    """

    @property
    def words(self) -> str:
        return "any number"

    def spell(self, texts: Array) -> Array:
        """Whole numbers in any spelling; other texts stay unchanged."""
        read = zip(spelled("integer", texts).tolist(), texts.tolist(), strict=True)
        return objects(number if type(number) is int else text for number, text in read)
