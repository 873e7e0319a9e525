"""Disjoint parts of a sample: a record pays only for releases about its own part.

proof: docs/proofs/holding_out.md, Theorem 1
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from privpac.privacy.budget import Budget

THEOREM = "holding out, Theorem 1"


@dataclass(frozen=True, eq=False)
class Whole:
    """A sample that is divided into parts."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a sample. No record is in two parts."""

    name: str
    whole: Whole = field(repr=False)


def sample_parts(*names: str) -> tuple[Part, ...]:
    """The parts of one sample."""
    whole = Whole()
    return tuple(Part(name, whole) for name in names)


def largest_cost(*costs: Budget) -> Budget:
    """The cost of several releases about different parts: the largest ε and the largest δ."""
    return Budget(max(cost.epsilon for cost in costs), max(cost.delta for cost in costs))


class Payments:
    """What each part has paid to an account in this process.

    A forked process starts from zero, because its parent goes on paying.

    >>> payments, (learned, held) = Payments(), sample_parts("learned", "held out")
    >>> for part, cost in ((learned, Budget(1)), (held, Budget("0.7")), (held, Budget("0.7"))):
    ...     with payments.due(part, cost) as due:
    ...         print(due)
    ε = 1
    ε = 0
    ε = 0.4
    """

    def __init__(self) -> None:
        self._paid: defaultdict[tuple[int, Whole], dict[str, Budget]] = defaultdict(dict)
        self._one_at_a_time = Lock()

    @contextmanager
    def due(self, part: Part | None, cost: Budget) -> Iterator[Budget]:
        """What a release at this cost adds to the costs so far. It counts as paid unless the ``with`` block fails."""
        if part is None:
            yield cost
            return
        with self._one_at_a_time:
            key = os.getpid(), part.whole
            before = self._paid[key]
            # By name, so that a copy of a part counts as that part
            after = before | {part.name: before.get(part.name, Budget(0)) + cost}
            # All parts together cost as much as the one that paid the most: only what exceeds it is due.
            yield largest_cost(*after.values()) - largest_cost(Budget(0), *before.values())
            self._paid[key] = after
