"""Values of any type, without an order: no bounds, no list, and every value fits."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from types import NoneType

from privpac.data.domains.domain import Domain, Fitted, one_by_one
from privpac.data.values.columns import Array, objects
from privpac.data.values.equal_values import canonical, hashables
from privpac.data.values.spelling import spelled
from privpac.refusals.refusal import Refused


@dataclass(frozen=True)
class Anything(Domain):
    """Any values: text, numbers, dates, tuples of them. The code of a value is its canonical form.

    ``limit`` is the number of possible values, None if it is unbounded. Only certified bounds and dimensions use it. It
    does not say which values are possible; where a class must list them, 0 … limit − 1 stand for them.

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
        """The canonical forms of the values; ValueError if a value is missing."""
        forms = hashables(values, "values", canonical)
        if NoneType in set(map(type, forms)):
            raise ValueError("some values are missing; replace them with a value first, such as 'missing'")
        return objects(forms)

    def distinct(self, values: object) -> list[Hashable]:
        """Public ``values``, each once, in order; ValueError if there are more than ``limit``.

        The error says ``domain_size``, which is what classes call the limit.

        >>> Anything(2).distinct(["UA", "EV", "UA"])
        ['UA', 'EV']
        """
        distinct = list(dict.fromkeys(self.encode(values).tolist()))
        if len(distinct) > self.size:
            raise ValueError("there are more distinct values than domain_size allows; declare a larger domain_size")
        return distinct

    def decode(self, code: Hashable) -> Hashable:
        return code

    def plain_values(self, values: object, points: Array) -> Array:
        """The codes: canonical forms have Python's own types."""
        return points

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """Every value that can be read fits."""
        return one_by_one(values, lambda value: value, canonical)


@dataclass(frozen=True)
class Numbers(Anything):
    """Any values, for classes whose rules name whole numbers. In a file, text that spells a whole number is one.

    >>> Numbers(9).spell(objects(["5", "5.0", "five"])).tolist()
    [5, 5, 'five']
    """

    words = "any number"

    def spell(self, texts: Array) -> Array:
        """Whole numbers in any spelling; other texts stay unchanged."""
        numbers = spelled("integer", texts).tolist()
        return objects(
            number if type(number) is int else text for number, text in zip(numbers, texts.tolist(), strict=True)
        )
