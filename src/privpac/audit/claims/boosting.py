"""The claims of boosted votes: each round given earlier votes, and some rounds together.

A record is (x, y), where x is 0 or 1, and the only test is x = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from privpac.audit.claims.case import Case, Records, labelled
from privpac.data.samples.sample import Ints
from privpac.mechanisms.decision_trees.boosting import BoostedVotes, Labeled, Vote, WeightedVoteExponential
from privpac.mechanisms.decision_trees.counts import PublicTests
from privpac.privacy.budget import Budget

ONE_TEST = PublicTests((np.array([[False, True]]),))
FOUR: tuple[Vote, ...] = ((0, 1),) * 4
EARLIER: tuple[tuple[Vote, ...], ...] = (), FOUR[:1], FOUR, ((0, 1), (1, -1))
# After votes for x = 1, half of these have full weight: the vote against both x is likely, the opposite one is not.
MISSED = ((1, 0),) * 20 + ((0, 0),) * 20


def by_label(records: Records) -> Labeled:
    """The records as boosting sees them.

    >>> by_label(((0, 1), (1, 1), (1, 1))).ones.tolist()
    [1, 2]
    """
    x, y = (np.array([record[i] for record in records], dtype=np.int64) for i in (0, 1))
    return Labeled.of([x], y == 1, None, len(records))


def next_vote(
    votes: tuple[Vote, ...] = FOUR, epsilon: str = "1"
) -> tuple[WeightedVoteExponential, Callable[[Records], Ints]]:
    """The round after ``votes``, with ε₀ = ``epsilon``, and what it sees of records.

    >>> from privpac.mechanisms.decision_trees.boosting import FULL
    >>> mechanism, view = next_vote(votes=())
    >>> list(zip(mechanism.votes, (view(((1, 1), (0, 1))) / FULL).tolist()))
    [((0, 1), 0.0), ((0, -1), 0.0), ((1, 1), 2.0), ((1, -1), -2.0)]
    """
    boosted = BoostedVotes(Budget(1), ONE_TEST, len(votes) + 1)
    allowed = boosted.allowed(votes)
    mechanism = WeightedVoteExponential(Budget(epsilon), allowed)
    return mechanism, lambda records: boosted.gains(by_label(records), votes, allowed)


def boosting_cases() -> Iterator[Case]:
    """Single rounds, where the claim is tight, and compositions, where zCDP is not."""
    records = labelled((0, 1))
    for votes, ε in product(EARLIER, ("1", "6", "0.1")):
        crowd = MISSED * (10 if ε == "0.1" else 1)
        yield Case(*next_vote(votes=votes, epsilon=ε), f"after {len(votes)} votes", records, 1, Budget(ε), crowd=crowd)
    yield Case(*next_vote(), "after 4 votes", records, 3, Budget(1), crowd=MISSED)
    for rounds, n, claimed in ((2, 2, Budget(2, "0.01")), (3, 1, Budget(2, "0.1")), (3, 2, Budget("0.5", "0.05"))):
        yield Case(BoostedVotes(claimed, ONE_TEST, rounds), by_label, f"{rounds} rounds", records, n, claimed)
