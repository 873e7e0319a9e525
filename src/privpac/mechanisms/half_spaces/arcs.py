"""Private selection of a direction from a circle of candidates.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md

Throughout this file
    candidate  a direction of the half circle, by its number; a candidate and a side are a rule, 1 on that side
    arc        the candidates between two neighboring lines of records: they label all records alike
    e          errors of an arc's rules that say 1 to the left; those that say 1 to the right err on all other records
    R          the reach: all rules with R more errors than some rule weigh less than 2^-64 of it, together
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
    """Arc i holds the candidates ends[i] … ends[i + 1] − 1, none where records share a line.

    Groups 0, 1, … are the arcs with 1 to the left, which err on e records; after them come the same with 1 to the
    right, which err on the others of ``total`` records.

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
        """The fewest errors of a group, even if it has no candidates."""
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


class OnCircle(Protocol):
    """Records on the circle."""

    def arcs(self, reach: int | None = None) -> Arcs:
        """All arcs; given ``reach``, at least those within 2·``reach`` errors of the best."""


@dataclass(frozen=True)
class ArcExponential(Selection):
    """(candidate, side) with probability ∝ e^(−ε·errors/2), side 0 to the left and 1 to the right; ε-DP.

    There are ``size`` candidates; the records determine how they fall into arcs. What is released is a candidate, never
    an arc.
    """

    cost: Budget
    size: int
    name: ClassVar[str] = "arc exponential"
    theorem: ClassVar[str] = "plane learner, Theorem 1"

    def menu(self, data: OnCircle) -> Menu:
        """A short list of the arcs within 2R errors of the best; the full list is made only if a draw needs it.

        The least number of errors may be that of an empty arc. But if an arc with candidates is within R of it, the
        list holds all arcs within R of that one, and all others weigh less than 2^-64 of it. If none is, all arcs are
        listed.
        """
        rate = self.cost.epsilon / 2
        R = reach((2 * self.size).bit_length(), rate)
        listed = data.arcs(R)
        near = listed.within(most := listed.least + 2 * R)
        if not near.size or listed.errors(near).min() > most - R:
            listed = data.arcs()
            near = listed.within(most := listed.total)

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
