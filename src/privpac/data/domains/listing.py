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

FEW_NAMES = 12  # the most names that are all shown


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
        """The form in which values are compared with the names."""
        return form_among(self.names)

    @property
    def words(self) -> str:
        few = ", ".join(map(value_text, self.names[:FEW_NAMES]))
        return f"one of {few}" if len(self.names) <= FEW_NAMES else f"one of {len(self.names)} values: {few}, …"

    def encode(self, values: object) -> NDArray[np.intp]:
        forms = hashables(values, "values", self.form)
        numbers = np.array([self._number.get(each, -1) for each in forms], dtype=np.intp)
        if (numbers < 0).any():
            raise ValueError("some names are not declared; declare them as well, or drop these records")
        return numbers

    def decode(self, number: int) -> Hashable:
        return self.names[number_below(number, self.size)]

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """The declared names; names have no nearest name to clamp to."""
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
