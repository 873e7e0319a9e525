"""Finitely many named values, numbered in order."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import VOID, DomainWithCache, Fitted, one_by_one
from privpac.data.values.allowed_types import Form
from privpac.data.values.columns import Array, number_below
from privpac.data.values.equal_values import form_among, hashables
from privpac.data.values.spelling import names_spelled
from privpac.data.values.value_text import value_text

FEW_NAMES = 12  # up to this many names are all shown; otherwise, only the first of them


class Names(DomainWithCache):
    """Distinct names, numbered 0, 1, 2 …; a subclass says where the names come from."""

    names: tuple[Hashable, ...]
    numbered = True

    @property
    def size(self) -> int:
        return len(self.names)

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {self.form(name): number for number, name in enumerate(self.names)}

    @cached_property
    def form(self) -> Form:
        """Takes a value to the form in which it is compared with the names."""
        return form_among(self.names)

    @property
    def words(self) -> str:
        first_names = ", ".join(map(value_text, self.names[:FEW_NAMES]))
        if len(self.names) <= FEW_NAMES:
            return f"one of {first_names}"
        return f"one of {len(self.names)} values: {first_names}, …"

    def encode(self, values: object) -> NDArray[np.intp]:
        forms = hashables(values, "values", self.form)
        numbers = np.array([self._number.get(form, -1) for form in forms], dtype=np.intp)
        if (numbers < 0).any():
            raise ValueError("some names are not declared; declare them as well, or drop these records")
        return numbers

    def decode(self, number: int) -> Hashable:
        return self.names[number_below(number, self.size)]

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """The values that are declared names; ``clamp`` has no effect, because no name is nearest to another."""
        return one_by_one(values, lambda value: value if value in self._number else VOID, self.form)

    def spell(self, texts: Array) -> Array:
        """The names that the texts spell, other texts unchanged. Numbers may be written in any way (1, 1.0)."""
        return names_spelled(self.names, texts)


@dataclass(frozen=True)
class Listing(Names):
    """Distinct names in a list.

    >>> Listing(("EV", "UA")).encode(["UA", "UA", "EV"]).tolist()
    [1, 1, 0]
    """

    names: tuple[Hashable, ...]
