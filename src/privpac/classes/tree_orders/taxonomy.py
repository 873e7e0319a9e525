"""Taxonomies: a tree of names given by a table of parents."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, cast

from privpac.classes.concept_class import Known
from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.classes.picture_shapes import DrawnPath, Shape, titled
from privpac.classes.shell_options import Kind, Parents, parents_of
from privpac.classes.tree_orders.tree_class import PAGE, Node, TreeClass, merge
from privpac.data.domains.domain import Domain
from privpac.data.domains.hierarchy import Hierarchy
from privpac.data.values.equal_values import member
from privpac.data.values.value_text import value_text
from privpac.refusals.option_words import TreeKind, one_of


@dataclass(frozen=True)
class AtOrAbove(Hypothesis):
    """1 on the names of ``path``, which leads from the root down to one name.

    >>> print(AtOrAbove(("J", "J10")), AtOrAbove(("J", "J10"))(["J", "J11"]))
    x is J10 or above it [ True False]
    """

    path: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise ValueError("a path needs at least one name")

    def __call__(self, column: Column, /) -> Labels:
        return member(column, self.path)

    def sentence(self, *names: str) -> str:
        x, name = value_name(names), value_text(self.path[-1])
        return f"{x} is {name} or above it" if len(self.path) > 1 else f"{x} = {name}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (*titled(columns), DrawnPath(tuple(map(value_text, self.path)), above=True))


@dataclass(frozen=True)
class AtOrBelow(Hypothesis):
    """1 on ``name`` and on the names ``below`` it.

    >>> print(AtOrBelow("J", frozenset(["J10"])), AtOrBelow("J", frozenset(["J10"]))(["J10", "K"]))
    x is J or below it [ True False]
    """

    name: Hashable
    below: frozenset[Hashable]

    def __call__(self, column: Column, /) -> Labels:
        return member(column, self.below | {self.name})

    def sentence(self, *names: str) -> str:
        x = value_name(names)
        return f"{x} is {value_text(self.name)} or below it" if self.below else f"{x} = {value_text(self.name)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        path = domain.path(self.name) if domain else (self.name,)
        return (*titled(columns), DrawnPath(tuple(map(value_text, path)), above=False))


@dataclass(frozen=True)
class Taxonomy(TreeClass):
    """The names of a tree, each with the path that leads to it, or with everything below it.

    ``parents`` is a mapping of names to parents, a DataFrame of two columns (name, parent), or pairs, with one root.

    >>> icd = Taxonomy({"J10": "J", "J11": "J", "J": "ICD", "K": "ICD"}, kind="subtree")
    >>> print(icd.hypothesis("J"), icd.size, icd.closure(["J10", "J11"]))
    x is J or below it 5 J
    >>> Taxonomy({"J10": "J", "J11": "J", "J": "ICD", "K": "ICD"}).known("Littlestone").value
    2
    """

    shell_name: ClassVar[str] = "taxonomy"
    parents: Any
    kind: TreeKind = "root_path"

    @classmethod
    def from_shell(cls, parents: Parents, kind: Kind = None) -> Taxonomy:
        pairs = parents_of(cast(Path, parents).read_bytes().decode("utf-8-sig"), str(parents))
        return cls(pairs, one_of("kind", kind or "root_path", TreeKind))

    def __post_init__(self) -> None:
        one_of("kind", self.kind, TreeKind)
        tree = self.parents if isinstance(self.parents, Hierarchy) else Hierarchy.read(self.parents)
        object.__setattr__(self, "parents", tree)

    def __repr__(self) -> str:
        return f"Taxonomy({self.size} names under {self.root!r}, kind={self.kind!r})"

    @property
    def domain(self) -> Hierarchy:
        tree: Hierarchy = self.parents
        return tree

    @property
    def height(self) -> int:
        return max(self.domain.depth.values())

    @property
    def root(self) -> Hashable:
        return self.domain.root

    def canon(self, x: Value) -> Hashable | None:
        """The name; None for the root of root paths, which lies on all of them."""
        name = self.decode(self.encode([x])[0])
        return None if self.kind == "root_path" and name == self.root else name

    def hypothesis(self, v: Node) -> Hypothesis:
        if self.kind == "root_path":
            return AtOrAbove(self.domain.path(v))
        return AtOrBelow(v, frozenset(self.domain.below(v)[1:]))

    def depth(self, v: Node) -> int:
        return self.domain.depth[v]

    def ancestor(self, v: Node, l: int) -> Node:
        return self.domain.path(v)[l]

    def children(self, v: Node) -> list[Node]:
        return list(self.domain.children[v])

    def known(self, kind: str) -> Known | None:
        """The dimensions that follow from the shape of the tree; the subtrees are the dual of the root paths."""
        of_root_paths = kind.startswith("dual ") == (self.kind == "subtree")
        dimension = kind.removeprefix("dual ")
        if dimension == "threshold":
            return Known(self.height + 1, f"{PAGE}, Tree orders")
        if not of_root_paths or dimension not in ("VC", "Littlestone"):
            return None
        value = min(1, self.size - 1) if dimension == "VC" else self._weight().bit_length() - 1
        return Known(value, f"{PAGE}, Tree orders")

    def _weight(self) -> int:
        """N(root), the weight of the whole tree."""
        N: dict[Hashable, int] = {}
        for name in reversed(self.domain.names):  # children before parents
            N[name] = merge([1, *(N[child] for child in self.children(name))])
        return N[self.root]

    def _concept_without(self, nodes: set[Node]) -> list[Hypothesis]:
        if self.kind == "root_path":
            return super()._concept_without(nodes)
        return [self.hypothesis(v) for v in islice((v for v in self.domain.names if v not in nodes), 1)]
