"""Two columns, read as one: a group and a number."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.values.columns import Array, objects
from privpac.data.values.tables import coordinates, pick, width
from privpac.refusals.refusal import InOtherWords, Refused

WIDEST = 2**22  # the most bits of a value; a number of more bits would take more than half a megabyte


def pair(table: object) -> tuple[Array, Array]:
    """The two columns of a table with two columns, of a list of pairs, or of a tuple of two columns.

    >>> groups, values = pair([("Boeing", 1998), ("Airbus", 2001)])
    >>> groups.tolist(), values.tolist()
    (['Boeing', 'Airbus'], [1998, 2001])
    >>> [column.tolist() for column in pair((["Boeing"], [1998]))]
    [['Boeing'], [1998]]
    """
    table = {"group": table[0], "value": table[1]} if isinstance(table, tuple) and len(table) == 2 else table
    if width(table) not in (None, 2):  # None for a list of rows, whose entries are picked one by one
        raise ValueError("a table of pairs has two columns, the group and the value; select them first")
    groups, values = pick(table, 0), pick(table, 1)
    if len(groups) != len(values):
        raise ValueError("the two columns differ in length; every record needs a group and a value")
    return groups, values


@dataclass(frozen=True)
class Pairs(Domain):
    """Pairs (group, value) of any group and a value from 0 to 2^bits − 1. Each pair is its own code.

    >>> Pairs(8).encode([("Boeing", 255)]).tolist()
    [('Boeing', 255)]
    """

    bits: int
    tabular = True
    size = math.inf  # groups are unbounded

    def __post_init__(self) -> None:
        if type(self.bits) is not int or not 0 <= self.bits <= WIDEST:
            raise Refused.must("bits", f"be a whole number, at least 0 and at most {WIDEST}")

    @property
    def columns(self) -> tuple[Domain, ...]:
        return Anything(), Line(0, 2**self.bits - 1)

    def split(self, values: object) -> list[Array]:
        return coordinates(values, 2)

    def join(self, columns: Sequence[Array]) -> dict[int, Array]:
        return dict(enumerate(columns))

    def encode(self, table: object) -> Array:
        """The pairs themselves; ValueError if some groups are missing or some values have too many bits."""
        groups, values = pair(table)
        outside = (
            f"some entries of the second column are missing or lie outside 0 … 2^{self.bits} − 1; "
            "declare enough bits for every possible value"
        )
        with InOtherWords(lambda _: ValueError(outside), ValueError):
            codes = Line(0, 2**self.bits - 1).encode(values).tolist()
        return objects(zip(Anything().encode(groups).tolist(), codes, strict=True))

    def decode(self, code: tuple[Hashable, int]) -> tuple[Hashable, int]:
        return code
