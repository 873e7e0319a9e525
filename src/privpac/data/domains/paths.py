"""Text as nodes of a tree: paths of components, or of characters.

A node is its path from the root: a tuple of components, or, without a separator, the text itself, character by
character. The components or characters are its steps. The first l steps of the path are the ancestor at depth l; the
root is the empty path. Empty components do not count: "/usr//lib/" and "usr/lib" are the same node, and the root is ""
or "/". If texts are read from the end, the path of a text has its steps in reverse.

A node has at most as many steps as the declared height says, or MOST_STEPS, because the work of a learner grows with
the number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import VOID, Domain, Fitted, one_by_one
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array, objects
from privpac.data.values.equal_values import hashables
from privpac.data.values.text_order import texts
from privpac.refusals.refusal import Refused

DEEPEST = 2**31  # steps; no text has more
MOST_STEPS = 1024  # if no height is declared
PathNode = tuple[str, ...] | str


@dataclass(frozen=True)
class Paths(Domain):
    """All nodes, or those of at most ``height`` steps; each node is its own code.

    >>> paths = Paths("/", height=3)
    >>> paths.encode(["usr/lib", "/"]).tolist(), paths.decode(("usr", "lib"))
    ([('usr', 'lib'), ()], 'usr/lib')
    """

    order: ClassVar[slice] = slice(None)  # applied to the steps of a text, it lists them from the root down
    separator: str | None
    height: int | None = None

    def __post_init__(self) -> None:
        if self.separator is not None and (not isinstance(self.separator, str) or not self.separator):
            raise Refused("separator", "the separator must be text such as '/', or None to split text into characters")
        if self.height is not None and (type(self.height) is not int or not 1 <= self.height <= DEEPEST):
            whole = "be a whole number of steps, at least 1 and at most 2^31, or None for no bound"
            raise Refused.must("height", whole)

    @property
    def size(self) -> int | float:
        """How many nodes there are: infinitely many components are possible, but finitely many characters."""
        return math.inf if self.separator is not None or self.height is None else texts(self.height)

    @property
    def deepest(self) -> int:
        """How many steps a record may have."""
        return MOST_STEPS if self.height is None else self.height

    @property
    def words(self) -> str:
        most = f"at most {self.deepest}"
        return f"codes of {most} characters" if not self.separator else f"paths of {most} steps by {self.separator!r}"

    def encode(self, values: object) -> Array:
        """The nodes of ``values``; ValueError if some are missing or deeper than ``height``."""
        entries = hashables(values, "values")
        distinct = set(entries)
        distinct_texts = [value for value in distinct if isinstance(value, str)]
        all_text = len(distinct_texts) == len(distinct)
        if not all_text and any(map(missing, distinct)):
            raise ValueError("some values are missing; replace them with a text first, such as an empty one")
        if all_text and self.separator is None and self.order == slice(None):  # every text is its own node
            self._check_depths(distinct_texts)
            return objects(entries)
        nodes = {value: self._node(value) for value in distinct}
        self._check_depths(nodes.values())
        return objects(map(nodes.__getitem__, entries))

    def _check_depths(self, nodes: Iterable[PathNode]) -> None:
        if max(map(len, nodes), default=0) > self.deepest:
            raise ValueError(too_deep(self.height))

    def decode(self, node: PathNode) -> str:
        """A text that names the node."""
        steps = node[self.order]
        return steps if isinstance(steps, str) else str(self.separator).join(steps)

    def _node(self, text: object) -> PathNode:
        return path(text, self.separator)[self.order]

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """The texts of nodes; a path that is too deep is cut off under ``clamp`` and void otherwise."""

        def fit_value(text: str) -> str | None:
            node = self._node(text)
            if len(node) <= self.deepest:
                return text
            return self.decode(node[: self.deepest]) if clamp else VOID

        return one_by_one(values, fit_value)


@dataclass(frozen=True)
class PathsFromEnd(Paths):
    """Paths that are read from the end: the last step of a text is next to the root.

    Under ``clamp``, a text that is too long keeps its end.

    >>> ends = PathsFromEnd(None, height=2)
    >>> ends.encode(["JB", "B"]).tolist(), ends.decode("BJ")
    (['BJ', 'B'], 'JB')
    """

    order: ClassVar[slice] = slice(None, None, -1)


def path(text: object, separator: str | None) -> PathNode:
    """The node that ``text`` names.

    >>> path("/usr//lib/", "/"), path("J10", None)
    (('usr', 'lib'), 'J10')
    """
    if not isinstance(text, str):
        raise TypeError("values must be text")
    return text if separator is None else tuple(component for component in text.split(separator) if component)


def too_deep(height: int | None) -> str:
    """The message that refuses values with more steps than ``height`` (None: MOST_STEPS).

    >>> too_deep(5)
    'some values lie deeper than height=5; declare a height that covers all values'
    """
    bound = f"{MOST_STEPS:,} steps" if height is None else f"height={height}"
    return f"some values lie deeper than {bound}; declare a height that covers all values"


def path_steps(nodes: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of all steps, node after node; where each node starts among them; how many steps each node has.

    Equal steps have equal numbers. The nodes must be all texts or all tuples.

    >>> path_steps([("usr", "lib"), ("usr",)])
    (array([0, 1, 0]), array([0, 2]), array([2, 1]))
    """
    depth = np.fromiter(map(len, nodes), dtype=np.int64, count=len(nodes))
    if len(nodes) and isinstance(nodes[0], str):
        numbers = np.frombuffer("".join(nodes).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    else:
        number_of = {step: i for i, step in enumerate(dict.fromkeys(chain.from_iterable(nodes)))}
        numbers = np.fromiter(map(number_of.__getitem__, chain.from_iterable(nodes)), np.int64, int(depth.sum()))
    return numbers, np.cumsum(depth) - depth, depth


def next_groups(group: NDArray[np.int64], step: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Groups of nodes, divided further: nodes stay in one group if their next steps are equal.

    Returns the new group of each node, numbered from 0, and for each new group the old group that it is part of.

    >>> next_groups(np.array([0, 0, 3]), np.array([7, 8, 7]))
    (array([0, 1, 2]), array([0, 0, 3]))
    """
    base = int(step.max(initial=0)) + 1
    keys, new_group = np.unique(group * base + step, return_inverse=True)
    return new_group, keys // base
