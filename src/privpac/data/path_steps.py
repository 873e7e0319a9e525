"""Many paths at once, step by step, as arrays of numbers.

Main declarations
    path_steps     the steps of all nodes as numbers, one node after the other
    next_groups    groups of nodes, divided by their next step
    sums           the sum over each group
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from privpac.data.sample import Ints


def path_steps(nodes: Sequence[Any]) -> tuple[Ints, Ints, Ints]:
    """The steps of all nodes one after the other, as numbers; where each node's begin, and how many there are.

    >>> path_steps([("usr", "lib"), ("usr",)])
    (array([0, 1, 0]), array([0, 2]), array([2, 1]))
    """
    depth = np.fromiter(map(len, nodes), dtype=np.int64, count=len(nodes))
    if len(nodes) and isinstance(nodes[0], str):
        numbers = np.frombuffer("".join(nodes).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    else:
        number = {step: i for i, step in enumerate(dict.fromkeys(chain.from_iterable(nodes)))}
        numbers = np.fromiter(map(number.__getitem__, chain.from_iterable(nodes)), np.int64, int(depth.sum()))
    return numbers, np.cumsum(depth) - depth, depth


def next_groups(group: Ints, step: Ints) -> tuple[Ints, Ints]:
    """The groups divided by a step: the new group of each entry, and the old group of each new one.

    >>> next_groups(np.array([0, 0, 3]), np.array([7, 8, 7]))
    (array([0, 1, 2]), array([0, 0, 3]))
    """
    base = int(step.max(initial=0)) + 1
    keys, found = np.unique(group * base + step, return_inverse=True)
    return found, keys // base


def sums(group: Ints, values: Ints) -> Ints:
    """The sum over each group, in integers.

    >>> sums(np.array([0, 1, 0]), np.array([5, 6, 7]))
    array([12,  6])
    """
    totals = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(totals, group, values)
    return totals
