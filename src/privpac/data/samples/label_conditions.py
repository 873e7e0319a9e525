"""Labels declared as a condition on a column: "price ≥ 5000", or "ward is one of A, B".

A record whose entry meets the condition has the label yes, and one whose entry does not has the label no. A record
whose entry is missing or cannot be read has neither label. Each entry is read independently of the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import overload

import numpy as np

from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.values.columns import Array, objects
from privpac.data.values.value_text import in_list, readable_bound
from privpac.refusals.refusal import Refused

NO_YES = ("no", "yes")
Bound = int | float | Decimal | date


@dataclass(frozen=True)
class LabelCondition(Sequence[str]):
    """The two labels of a column, no and yes: an entry is ``at_least`` a bound, or it is ``one_of`` some values.

    >>> expensive = LabelCondition("price", at_least=5000)
    >>> expensive.name, list(expensive), expensive.labels_of(np.array(["5000.5", "37", "?"], dtype=object)).tolist()
    ('price ≥ 5000', ['no', 'yes'], ['yes', 'no', None])
    """

    column: str
    at_least: Bound | None = None
    one_of: tuple[Hashable, ...] | None = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.one_of is None):
            raise Refused("at_least", 'say either at_least = 5000 or one_of = ["A", "B"]')
        if self.one_of is None:
            if isinstance(self.at_least, bool) or not isinstance(self.at_least, Bound):
                raise Refused("at_least", "at_least must be a number like 5000, or a date like 2026-01-31")
            _ = self._line  # refuses what cannot be a bound
            return
        is_list = isinstance(self.one_of, list | tuple) and all(isinstance(value, str | int) for value in self.one_of)
        if not is_list or not self.one_of:
            raise Refused("one_of", 'one_of must be a list of texts or whole numbers, such as ["A", "B"]')
        object.__setattr__(self, "one_of", tuple(dict.fromkeys(self.one_of)))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return NO_YES[index]

    def __len__(self) -> int:
        return len(NO_YES)

    @property
    def name(self) -> str:
        """The condition as people read it."""
        if self.one_of is None:
            return f"{self.column} ≥ {readable_bound(self.at_least)}"
        return f"{self.column} {'=' if len(self.one_of) == 1 else 'is'} {in_list(self.one_of)}"

    @property
    def domain(self) -> Line | Listing:
        """How entries are read."""
        return self._line if self.one_of is None else Listing(self.one_of)

    @property
    def _line(self) -> Line:
        return Line(self.at_least, self.at_least)  # only the bound: all that matters is on which side an entry lies

    def labels_of(self, values: Array) -> Array:
        """The label of each entry; None if it is missing or cannot be read."""
        entries = self.domain.spell(values)
        _, readable = Anything().fit(values, clamp=False)
        if self.one_of is None:
            readable = readable & self._line.fit(entries, clamp=True)[1]
            meets = np.zeros(len(entries), dtype=bool)
            meets[readable] = self._line.sides(entries[readable]) >= 0
        else:
            _, meets = self.domain.fit(entries, clamp=False)
        number = np.where(readable, meets.astype(np.intp), len(NO_YES))
        return objects([*NO_YES, None])[number]
