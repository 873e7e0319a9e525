"""Paths of text: everything above a node, or everything below it, read from the start or from the end.

Throughout this file
    v      a node: the steps that lead to it from the root, components of a path or characters of a text
    H      the declared height: the most steps of a path
    A      the number of characters
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import ClassVar, Self

from privpac.classes.concept_class import ConceptClass, Family, Known
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value, value_name
from privpac.classes.picture_shapes import DrawnPath, Shape, titled
from privpac.classes.shell_options import Height, Separator
from privpac.classes.tree_orders.tree_class import PAGE, Node, TreeClass
from privpac.classes.values.declared_values import Candidates
from privpac.classes.values.points import as_declared
from privpac.data.domains.domain import Domain
from privpac.data.domains.paths import PathNode, Paths, PathsFromEnd, path
from privpac.data.values.equal_values import outcomes
from privpac.data.values.text_order import A, log_texts
from privpac.data.values.value_text import value_text

HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)  # the heights that curves show


@dataclass(frozen=True)
class _NodeRule(Hypothesis):
    """A rule about ``node``, with its steps in the order of the text, and their separator."""

    above: ClassVar[bool] = False  # whether the rule is 1 above the node, not below it
    paths: ClassVar[type[Paths]] = Paths  # its slice ``order`` puts steps in text order into root order, and back
    node: PathNode
    separator: str | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if path(self._text, self.separator) != self.node:
            raise ValueError("a node must be text if there is no separator, else a tuple of components without it")

    @property
    def steps(self) -> PathNode:
        """The steps from the root to the node."""
        return self.node[self.paths.order]

    @property
    def _text(self) -> str:
        return Paths(self.separator).decode(self.node)

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """The nodes from the root to ``node``: whole beginnings or ends of a text, single components of a path."""
        nodes = [self.steps[: i + 1][self.paths.order] for i in range(len(self.steps))]
        steps = (nodes or ["the root"]) if self.separator is None else ["the root", *self.steps]
        return (*titled(columns), DrawnPath(tuple(map(value_text, steps)), self.above))


@dataclass(frozen=True)
class OnPath(_NodeRule):
    """1 on ``node`` and all its ancestors, the root included.

    >>> above = OnPath(("usr", "lib"), "/")
    >>> print(above, above(["/usr", "/usr/lib/", "/", "/usr/lib/x", "/var"]))
    x lies on the path to usr/lib [ True  True  True False False]
    """

    above: ClassVar[bool] = True

    def __call__(self, column: Column, /) -> Labels:
        def above(text: Value) -> bool:
            steps = path(text, self.separator)
            return self.node[: len(steps)] == steps

        return outcomes(column, above)

    def sentence(self, *names: str) -> str:
        place = f"lies on the path to {value_text(self._text)}" if self.node else "is the root"
        return f"{value_name(names)} {place}"


class _Below(_NodeRule):
    """1 on a node and everything below it."""

    verb: ClassVar[str]

    def __call__(self, column: Column, /) -> Labels:
        order, steps = self.paths.order, self.steps
        return outcomes(column, lambda text: path(text, self.separator)[order][: len(steps)] == steps)

    def sentence(self, *names: str) -> str:
        return f"{value_name(names)} {self.verb}s with {value_text(self._text)}"

    def denial(self, *names: str) -> str:
        """The sentence that says the opposite."""
        return f"{value_name(names)} does not {self.verb} with {value_text(self._text)}"


@dataclass(frozen=True)
class HasPrefix(_Below):
    """1 on ``node`` and everything below it.

    >>> flu = HasPrefix("J10", None)
    >>> print(flu, flu(["J10.1", "J11", None]))
    x starts with J10 [ True False False]
    """

    verb: ClassVar[str] = "start"


@dataclass(frozen=True)
class HasSuffix(_Below):
    """1 on ``node`` and everything that ends with it.

    >>> jet_blue = HasSuffix("JB", None)
    >>> print(jet_blue, jet_blue(["N203JB", "N14228", None]))
    x ends with JB [ True False False]
    """

    paths: ClassVar[type[Paths]] = PathsFromEnd
    verb: ClassVar[str] = "end"


class _PathClass(TreeClass):
    """The common part of classes on paths: the tree of all paths."""

    separator: str | None
    height: int | None

    @classmethod
    def from_shell(cls, separator: Separator = None, height: Height = None) -> Self:
        """Paths with this separator; an empty one means none."""
        options = {} if separator is None else {"separator": separator or None}
        return cls(height=height, **options)  # type: ignore[call-arg]

    def family(self) -> Family:
        members = [(height, type(self)(self.separator, height)) for height in HEIGHTS]  # type: ignore[call-arg]
        return Family("height", self.height, members)

    def __post_init__(self) -> None:
        _ = self.domain  # refuses an invalid separator or height

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """The concepts at declared nodes only; every path remains a valid record."""
        return Candidates(self, as_declared(values))

    @property
    def domain(self) -> Paths:
        return Paths(self.separator, self.height)

    @property
    def log_size(self) -> float:
        """The logarithm of the size; the size itself may have millions of digits."""
        H = self.domain.height
        return math.inf if self.domain.separator is not None or H is None else log_texts(H)

    @property
    def root(self) -> PathNode:
        return () if self.domain.separator is not None else ""

    def depth(self, v: Node) -> int:
        return len(v)

    def ancestor(self, v: Node, l: int) -> Node:
        return v[:l]

    def children(self, v: Node) -> Iterable[Node]:
        """None at full height; elsewhere, there are too many to list."""
        if len(v) == self.height:
            return []
        raise ValueError("a path has too many children to list; use materialize(points) for the tree of some points")


@dataclass(frozen=True)
class RootPaths(_PathClass):
    """1 on a node and all its ancestors, for every node of at most ``height`` components (any number, if None).

    Leading, trailing and doubled separators do not count; without a separator every character is a step. Where no
    height is declared, records may have at most 1,024 steps.

    >>> folders = RootPaths("/", height=32)
    >>> print(folders.hypothesis(folders.canon("/usr/lib")), folders.known("Littlestone").value)
    x lies on the path to usr/lib 32
    >>> folders.canon("/"), folders.ref_label("/"), folders.closure(["/usr", "/usr/lib"])
    (None, True, ('usr', 'lib'))
    """

    shell_name: ClassVar[str] = "root-paths"
    separator: str | None = "/"
    height: int | None = None

    def canon(self, x: Value) -> PathNode | None:
        """The steps that lead to ``x``; None at the root, which lies on every path."""
        return self.encode([x])[0] or None

    def hypothesis(self, v: Node) -> OnPath:
        return OnPath(v, self.separator)

    def known(self, kind: str) -> Known | None:
        return known_of_paths(self.height, kind)


@dataclass(frozen=True)
class StartsWith(_PathClass):
    """1 on a prefix and everything that starts with it, for every prefix of at most ``height`` steps.

    A step is a character, or a component if there is a ``separator``: prefixes of paths, networks, codes.

    >>> codes = StartsWith(height=7)
    >>> print(codes.hypothesis(codes.closure(["J10.1", "J10.8"])), codes.known("Littlestone").value)
    x starts with J10. 4
    """

    shell_name: ClassVar[str] = "starts-with"
    shell_words: ClassVar[tuple[str, ...]] = ("values", "separator")
    separator: str | None = None
    height: int | None = None
    kind = "subtree"

    def canon(self, x: Value) -> PathNode:
        v: PathNode = self.encode([x])[0]
        return v

    def hypothesis(self, v: Node) -> Hypothesis:
        """Everything that starts with ``v``; always, at the root."""
        return HasPrefix(v, self.separator) if v else Constant(True)

    def known(self, kind: str) -> Known | None:
        """All six dimensions: the class is the dual of the root paths."""
        return known_of_paths(self.height, kind.removeprefix("dual ") if kind.startswith("dual ") else f"dual {kind}")

    def _concept_without(self, nodes: set[Node]) -> list[Hypothesis]:
        """The concept of a first step that no point takes; none if points take all characters as first steps."""
        first_steps = {v[0] for v in nodes if v}
        if self.separator is not None:
            free_steps = (step for step in map(str, count()) if step not in first_steps and self.separator not in step)
            return [self.hypothesis((next(free_steps),))]
        characters = (chr((ord("0") + i) % A) for i in range(A))
        return [self.hypothesis(step) for step in islice((c for c in characters if c not in first_steps), 1)]


@dataclass(frozen=True)
class EndsWith(StartsWith):
    """1 on a suffix and everything that ends with it, for every suffix of at most ``height`` steps.

    A step is a character, or a component if there is a ``separator``: endings of names, files, and mail addresses.
    Steps are counted from the end.

    >>> tails = EndsWith(height=6)
    >>> print(tails.hypothesis(tails.closure(["N203JB", "N618JB"])), tails.known("Littlestone").value)
    x ends with JB 3
    """

    shell_name: ClassVar[str] = "ends-with"

    @property
    def domain(self) -> PathsFromEnd:
        return PathsFromEnd(self.separator, self.height)

    def hypothesis(self, v: Node) -> Hypothesis:
        """Everything that ends with the steps ``v``, the last one first; always, at the root."""
        return HasSuffix(v[self.domain.order], self.separator) if v else Constant(True)


def known_of_paths(height: int | None, kind: str) -> Known | None:
    """The dimensions of the root paths in the tree of all paths. The prefixes have the dual ones."""
    H = math.inf if height is None else height
    value = {
        "VC": 1,
        "Littlestone": H,
        "threshold": H + 1,
        "dual VC": 2,
        "dual Littlestone": math.inf if height is None else (height + 1).bit_length(),
        "dual threshold": H + 1,
    }.get(kind)
    return None if value is None else Known(value, f"{PAGE}, Paths and prefixes")
