"""Private selection of a direction from a circle of candidates.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md

Throughout this file
    candidate  the number of a direction of the half circle; a candidate and a side make a rule: 1 on that side
    arc        the candidates between two neighboring lines of records: they label all records alike
    e          the errors of an arc's rules with 1 to the left; its rules with 1 to the right err on all other records
    R          the reach: all rules with at least R more errors than some rule together weigh less than 2^-64 of it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.exact.exponential_weights import Integers, Weights
from privpac.mechanisms.selection.exponential import Menu, Selection, reach, short_list
from privpac.privacy.budget import Budget


class Arcs(NamedTuple):
    """Arc i holds the candidates ends[i] … ends[i + 1] − 1; it is empty where records share a line.

    Group i, for i below the number of arcs, is arc i with 1 to the left: it errs on e[i] of ``total`` records. After
    these groups come the same arcs with 1 to the right, which err on total − e[i].

    >>> Arcs(np.array([0, 32, 32, 128]), np.array([0, 1, 2]), total=2).errors(np.arange(6))
    array([0, 1, 2, 2, 1, 0])
    """

    ends: Integers
    e: NDArray[np.int64]
    total: int

    def errors(self, groups: NDArray[np.intp]) -> NDArray[np.int64]:
        """The errors of the rules in each group."""
        side, arc = np.divmod(groups, len(self.e))
        return np.where(side, self.total - self.e[arc], self.e[arc])

    def lengths(self, groups: NDArray[np.intp]) -> Integers:
        """The number of candidates in each group."""
        arc = groups % len(self.e)
        lengths: Integers = self.ends[arc + 1] - self.ends[arc]
        return lengths

    @property
    def least(self) -> int:
        """The fewest errors of all groups, empty ones included."""
        return min(int(self.e.min()), self.total - int(self.e.max()))

    def within(self, most: int) -> NDArray[np.intp]:
        """The nonempty groups with at most ``most`` errors."""
        sides = self.e <= most, self.e >= self.total - most
        groups = np.concatenate([np.flatnonzero(sides[0]), len(self.e) + np.flatnonzero(sides[1])])
        return groups[self.lengths(groups) > 0]


def arcs_between(places: Integers, gains: NDArray[np.int64], total: int, end: int) -> Arcs:
    """The arcs between entries at these places, where passing an entry adds its gain to e.

    A record has the gain −1 if the rules of the first arc err on it, and 1 if they do not; an entry may be the sum of
    several records.

    >>> arcs_between(np.array([5, 2]), np.array([1, -1]), total=2, end=8)
    Arcs(ends=array([0, 2, 5, 8]), e=array([1, 0, 1]), total=2)
    """
    order = np.argsort(places)
    first = (total - int(gains.sum())) // 2  # the number of records with the gain −1
    e = first + np.concatenate([[0], np.cumsum(gains[order])])
    return Arcs(np.concatenate([places[:0], [0], places[order], [end]]), e, total)  # places[:0] keeps the type


class CircleRecords(Protocol):
    """Records on the circle."""

    def arcs(self, reach: int | None = None) -> Arcs:
        """All arcs; with a ``reach``, at least those with at most 2·``reach`` errors more than the best."""


@dataclass(frozen=True)
class ArcExponential(Selection):
    """(candidate, side) with probability ∝ e^(−ε·errors/2), side 0 to the left and 1 to the right; ε-DP.

    There are ``size`` candidates; the records determine how they fall into arcs. The release names a candidate, never
    an arc.
    """

    cost: Budget
    size: int
    name: ClassVar[str] = "arc exponential"
    theorem: ClassVar[str] = "plane learner, Theorem 1"

    def menu(self, data: CircleRecords) -> Menu:
        """A short list of the arcs within 2R errors of the best; the full list is made only if a draw needs it.

        The best arc may be empty. If some arc with candidates is within R errors of it, the list holds all arcs within
        R of that arc, and all others weigh less than 2^-64 of it. Otherwise, the list holds all arcs.
        """
        rate = self.cost.epsilon / 2
        R = reach((2 * self.size).bit_length(), rate)
        listed = data.arcs(R)
        most = listed.least + 2 * R
        near = listed.within(most)
        if not near.size or listed.errors(near).min() > listed.least + R:
            listed = data.arcs()
            most = listed.total
            near = listed.within(most)

        def menu_of(arcs: Arcs, groups: NDArray[np.intp]) -> Menu:
            def outcome(group: int, member: int) -> tuple[int, int]:
                side, arc = divmod(int(groups[group]), len(arcs.e))
                return int(arcs.ends[arc]) + member, side

            return Weights(-arcs.errors(groups), rate, arcs.lengths(groups)), outcome

        def everything() -> Menu:
            full = data.arcs()
            first = full.within(most)  # the arcs of the short list, in the same order
            return menu_of(full, np.concatenate([first, np.delete(np.arange(2 * len(full.e)), first)]))

        return short_list(menu_of(listed, near), everything)
