"""Disjoint subsets of the records vote for candidates; one draw prefers candidates with many votes and few errors.

proof: docs/proofs/flat_learner.md

A deal puts all records in a uniform order, and cuts it into subsets. It looks at no record, and it is never released.
The positive records of a subset determine its vote, such as the smallest rule that contains them; a subset may also
cast no vote.

Throughout this file
    n          the number of records, public
    m          the size of a subset: the first m records of a deal, the next m, …; fewer than m at the end do not vote
    level      one size and one deal
    q          the number of votes for a candidate on one level
    C          the cap, an integer that does not depend on the records
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import probabilities
from privpac.exact.subsets import shuffled
from privpac.mechanisms.selection.public_stable import NO_PUBLIC, PublicStableExponential, Stable
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Data, Law, Release
from privpac.privacy.rounding import ball

SILENT = -1  # a record that never decides a vote: negative or void


class Ballots(NamedTuple):
    """Kind i of positive records has ``positives[i]`` equal records; ``n`` counts all records, negative ones included.

    ``vote`` maps the kinds of a subset's positive records, in the order of the deal, to the number of a candidate, or
    to None. It must depend on these records alone. ``errors`` counts the errors of a candidate on all records, and
    ``candidate`` is the name that is released for its number.
    """

    positives: Ints
    n: int
    fallback: Mapping[Hashable, int]
    vote: Callable[[Sequence[int]], int | None]
    errors: Callable[[int], int]
    candidate: Callable[[int], Release]


class Votes(NamedTuple):
    """The number of a candidate, a level, and q."""

    number: int
    level: int
    q: int


@dataclass(frozen=True)
class VoteExponential(PublicStableExponential):
    """The fallback, or a candidate that subsets of these ``sizes`` vote for in one of the deals; (ε, δ)-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> ballots = Ballots(np.array([90]), 100, {"none": 90}, lambda kinds: min(kinds, default=None), int, "A".format)
    >>> mechanism = VoteExponential.of(Budget(1, 1e-6), sizes=(1, 2), deals=1, cap=60)
    >>> mechanism.release(mechanism.check(ballots), SYSTEM)
    'A'
    """

    sizes: tuple[int, ...]
    deals: int
    name: ClassVar[str] = "votes of disjoint subsets"
    theorem: ClassVar[str] = "flat learner, Theorem 1"

    @staticmethod
    def of(cost: Budget, *, sizes: tuple[int, ...], deals: int, cap: int) -> VoteExponential:
        """The mechanism with the right number of levels."""
        return VoteExponential(cost, level_count(sizes, deals), cap, sizes, deals)

    def check(self, data: Data) -> Ballots:
        return Ballots(*data)

    def release(self, data: Ballots, coins: Entropy) -> Release:
        votes = self.votes(data, [self.deal(data, coins) for _ in range(self.deals)])
        return super().release(self.candidates(data, votes), coins)

    def deal(self, data: Ballots, coins: Entropy) -> Ints:
        """All records in a uniform order."""
        return records_of(data)[shuffled(data.n, coins)]

    def law(self, data: Ballots) -> Law:
        """The probability of every outcome, as rigorous balls: the mean over all deals. For few different records."""
        chances: defaultdict[frozenset[Votes], Fraction] = defaultdict(Fraction)
        for deals, share in self.all_deals(data):
            chances[frozenset(self.votes(data, deals))] += share
        law: Law = defaultdict(lambda: arb(0))
        with ctx.workprec(128):
            for votes, share in chances.items():
                weights, outcome = self.menu(self.candidates(data, sorted(votes)))
                for group, probability in enumerate(probabilities(weights)):
                    if weights.count(group):
                        law[outcome(group, 0)] += probability * ball(share)
        return dict(law)

    def all_deals(self, data: Ballots) -> Iterator[tuple[Sequence[Ints], Fraction]]:
        """Every sequence of deals, with its probability; the order of single records does not matter."""
        records = records_of(data)
        all_orders = [records] if set(self.sizes) <= {1} else arrangements(records.tolist())
        orders = [np.array(order, dtype=np.int64) for order in all_orders]
        share = Fraction(1, len(orders) ** self.deals)
        return ((deals, share) for deals in product(orders, repeat=self.deals))

    def votes(self, data: Ballots, deals: Sequence[Ints]) -> list[Votes]:
        """All votes after these deals."""
        levels = enumerate(_levels(self.sizes, deals))
        return [Votes(v, l, q) for l, (size, order) in levels for v, q in subset_votes(data, order, size).items()]

    def candidates(self, data: Ballots, votes: Sequence[Votes]) -> Data:
        """The candidates of the selection after these votes."""
        numbers, levels, support = zip(*votes, strict=True) if votes else ((), (), ())
        distinct = set(numbers)  # ``errors`` and ``candidate`` may be slow
        errors, names = {v: data.errors(v) for v in distinct}, {v: data.candidate(v) for v in distinct}
        stable = Stable([names[v] for v in numbers], levels, support, [errors[v] for v in numbers])
        return PublicStableExponential.check(self, (data.fallback, stable, NO_PUBLIC))


def level_count(sizes: Sequence[int], deals: int) -> int:
    """The number of levels, at least 1: one for each deal and size. Subsets of size 1 are the same in all deals.

    >>> level_count((1, 13, 38), 16)
    33
    """
    return max(sum(1 if size == 1 else deals for size in sizes), 1)


def subset_votes(data: Ballots, order: Ints, size: int) -> Counter[int]:
    """The number of subsets of this size that vote for each candidate."""
    places = np.flatnonzero(order[: len(order) - len(order) % size] != SILENT)
    starts = np.unique(places // size, return_index=True)[1].tolist()
    voters = order[places].tolist()
    votes = (data.vote(voters[start:end]) for start, end in pairwise([*starts, len(voters)]))
    return Counter(number for number in votes if number is not None)


def records_of(data: Ballots) -> Ints:
    """The kind of each positive record, then SILENT for each other record."""
    positives = np.repeat(np.arange(len(data.positives)), data.positives)
    return np.concatenate([positives, np.full(max(data.n - len(positives), 0), SILENT)])


def arrangements(records: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All different orders of these records.

    >>> list(arrangements([7, 7, 5]))
    [(5, 7, 7), (7, 5, 7), (7, 7, 5)]
    """
    counts = Counter(records)
    if not counts:
        yield ()
    for first in sorted(counts):
        others = list((counts - Counter([first])).elements())
        for order in arrangements(others):
            yield first, *order


def _levels(sizes: Sequence[int], deals: Sequence[Ints]) -> Iterator[tuple[int, Ints]]:
    """The size and the deal of each level."""
    return ((size, order) for size in sizes for order in (deals[:1] if size == 1 else deals))
