"""Values without an order.

Main declarations
    Anything    any values, of which there may be a declared number
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import NoneType
from typing import Any

from numpy.typing import NDArray

from privpac.data.canonical import canonical
from privpac.data.columns import objects
from privpac.data.domain import Domain, Fitted, one_by_one
from privpac.data.refusal import Refused
from privpac.data.values import hashables


@dataclass(frozen=True)
class Anything(Domain):
    """Any values: text, numbers, dates, tuples of them. Their codes are their canonical forms.

    ``limit`` is how many values are possible, None if that is not bounded. It is a number for the theory: which values
    they are is not said, and 0 … limit − 1 stand for them where they must be listed.

    >>> Anything().encode(["UA", ("UA", 1)]).tolist()
    ['UA', ('UA', 1)]
    """

    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise Refused("limit", "the number of possible values must be a whole number, at least 1, or None")

    @property
    def size(self) -> int | float:
        """How many values are possible."""
        return math.inf if self.limit is None else self.limit

    def encode(self, values: Any) -> NDArray[Any]:
        """The forms of the values, one for equal ones; ValueError if some are missing."""
        listed = hashables(values, "values", canonical)
        if NoneType in set(map(type, listed)):
            raise ValueError("some values are missing; give them a name of their own first, such as 'missing'")
        return objects(listed)

    def distinct(self, values: Any) -> list[Any]:
        """The distinct ones among public ``values``; ValueError if there are more than possible.

        >>> Anything(2).distinct(["UA", "EV", "UA"])
        ['UA', 'EV']
        """
        found = list(dict.fromkeys(self.encode(values).tolist()))
        if len(found) > self.size:
            raise ValueError("there are more distinct values than domain_size says are possible; declare a larger one")
        return found

    def decode(self, code: Any) -> Any:
        """The value itself."""
        return code

    def settled(self, values: Any, points: NDArray[Any]) -> NDArray[Any]:
        """The canonical forms."""
        return points

    def fit(self, values: NDArray[Any], clamp: bool) -> Fitted:
        """All that are not missing."""
        return one_by_one(values, lambda value: value, canonical)
