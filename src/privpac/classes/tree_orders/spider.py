"""Spiders: records have a group and a value, and a rule is one cut of the values of one group.

Throughout this file
    g      a group, any hashable value          c      a cut, from 0 to 2^b − 1
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from privpac.classes.concept_class import BITS, Family, Known
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.lines.rules import Threshold
from privpac.classes.picture_shapes import CutLine, Pills, Shape, Word, titled
from privpac.classes.shell_options import Bits
from privpac.classes.tree_orders.tree_class import PAGE, Node, TreeClass
from privpac.classes.typed_fields import fit_fields
from privpac.data.domains.domain import Domain
from privpac.data.domains.pairs import Pairs, pair
from privpac.data.values.allowed_types import missing
from privpac.data.values.equal_values import member
from privpac.data.values.value_text import value_text


@dataclass(frozen=True)
class GroupFrom(Hypothesis):
    """group = ``group`` and value ≥ ``cut``, on two columns.

    >>> new = GroupFrom("Boeing", 1998)
    >>> print(new, new([("Boeing", 1998), ("Airbus", 2001), ("Boeing", 1990)]))
    group = Boeing and value ≥ 1998 [ True False False]
    """

    group: Hashable
    cut: int

    @property
    def constant(self) -> bool | None:
        """Never, if the group is missing: nothing equals it."""
        return False if missing(self.group) else None

    def __call__(self, column: Column, /) -> Labels:
        groups, values = pair(column)
        return member(groups, [self.group]) & Threshold(self.cut)(values)

    def sentence(self, *names: str) -> str:
        if self.constant is not None:
            return Constant(self.constant).sentence()
        group, value = names if len(names) == 2 else ("group", "value")
        return f"{group} = {value_text(self.group)} and {value} ≥ {value_text(self.cut)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        if self.constant is not None:
            return Constant(self.constant).drawing(domain, columns)
        group, value = columns if len(columns) == 2 else ("group", "value")
        return (
            *titled([group]),
            Pills(((value_text(self.group), True), ("every other group", False))),
            Word("and"),
            CutLine(domain.columns[-1].line if domain else None, value, (self.cut,), (False, True)),
        )


@dataclass(frozen=True)
class Spider(TreeClass):
    """group = g and value ≥ c, for every group g and every c from 0 to 2^bits − 1. Groups are unbounded.

    Points are pairs (group, value): rows of a table with two columns, or a tuple of two columns. Below the root, which
    is neither a point nor a concept, each group is one branch, from its largest value down.

    >>> legs = Spider(bits=64)
    >>> print(legs.hypothesis(("Boeing", 1998)), legs.known("Littlestone").value)
    group = Boeing and value ≥ 1998 65
    """

    shell_name: ClassVar[str] = "spider"
    bits: int = 64

    @classmethod
    def from_shell(cls, bits: Bits) -> Spider:
        return cls(cast(int, bits))

    def family(self) -> Family:
        return Family("bits of the domain", self.bits, [(b, Spider(b)) for b in BITS])

    def __post_init__(self) -> None:
        fit_fields(self)
        _ = self.domain  # refuses an invalid number of bits

    @property
    def domain(self) -> Pairs:
        return Pairs(self.bits)

    @property
    def height(self) -> int:
        """2^bits: the largest value has depth 1."""
        return 1 << self.bits

    @property
    def root(self) -> tuple[()]:
        """The node above all groups, which is not a point."""
        return ()

    def canon(self, x: Value) -> tuple[Hashable, int]:
        v: tuple[Hashable, int] = self.encode([x])[0]
        return v

    def named(self, points: Column) -> list[Hashable]:
        return list(self.encode(points))

    def hypothesis(self, v: Node) -> GroupFrom:
        """The group of ``v`` from its value on; at the root, a rule on the same two columns that never holds."""
        return GroupFrom(*(v or (None, 0)))  # nothing equals None

    def depth(self, v: Node) -> int:
        """1 for the largest value of a group, 2^bits for 0; 0 for the root."""
        return self.height - v[1] if v else 0

    def ancestor(self, v: Node, l: int) -> Node:
        """The ``l``-th largest value of the group of ``v``."""
        return (v[0], self.height - l) if l else self.root

    def children(self, v: Node) -> list[Node]:
        """The next smaller value of the group."""
        if not v:
            raise ValueError("the root has too many children to list: one for every group, and groups are unbounded")
        return [(v[0], v[1] - 1)] if v[1] else []

    def is_proper(self, v: Node) -> bool:
        return bool(v)

    def known(self, kind: str) -> Known | None:
        b = self.bits
        value = {"VC": 1, "Littlestone": b + 1, "threshold": 1 << b}.get(kind.removeprefix("dual "))
        return None if value is None else Known(value, f"{PAGE}, Spiders")
