"""The claims of boosted votes: each round given earlier votes, and some rounds together.

A record is (x, y), where x is 0 or 1, and the only test is x = 1; for pairs, it is (x₁, x₂, y), and the tests are
x₁ = 1 and x₂ = 1.

A vote (b, s): finding b speaks for the label 1 where it holds and against it elsewhere (s = 1), or the reverse
(s = −1). Findings are numbered: the tests, then the one that always holds, then the pairs of tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from privpac.audit.claims.case import Case, Records, labeled
from privpac.data.samples.sample import Ints
from privpac.mechanisms.decision_trees.boosting import BoostedVotes, Vote, WeightedVoteExponential
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests
from privpac.privacy.budget import Budget

ONE_TEST = PublicTests((np.array([[False, True]]),))
TWO_TESTS = PublicTests((np.array([[False, True]]), np.array([[False, True]])))
T = TWO_TESTS.number
# A vote for "just one of the two tests holds", the pair (k, i, j) = (4, 0, 1) of mechanisms/decision_trees/pairs.py.
# Pairs are numbered after the T tests and the finding that always holds.
JUST_ONE: Vote = (T + 1 + (4 * T + 0) * T + 1, 1)
FOUR_VOTES: tuple[Vote, ...] = ((0, 1),) * 4
EARLIER_VOTES: tuple[tuple[Vote, ...], ...] = (), FOUR_VOTES[:1], FOUR_VOTES, ((0, 1), (1, -1))
# After votes for x = 1, half of these records have full weight, so the vote for the label 0 everywhere is likely, and
# its opposite is not.
NEGATIVES = ((1, 0),) * 20 + ((0, 0),) * 20


def by_label(records: Records) -> CellRecords:
    """The records as boosting sees them.

    >>> by_label(((0, 1), (1, 1), (1, 1))).w.tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    *columns, y = np.array(records, dtype=np.int64).reshape(len(records), -1).T
    return CellRecords.by_label(columns, y, None, 2, len(records))


def round_after(
    votes: tuple[Vote, ...] = FOUR_VOTES, epsilon: str = "1", *, pairs: bool = False
) -> tuple[WeightedVoteExponential, Callable[[Records], Ints]]:
    """The mechanism of the round after ``votes``, with ``epsilon`` for this one round, and what it sees of records.

    >>> from privpac.mechanisms.decision_trees.boosting import FULL
    >>> mechanism, view = round_after(votes=())
    >>> list(zip(mechanism.findings.tolist(), (view(((1, 1), (0, 1))) / FULL).tolist()))
    [(0, 0.0), (1, 2.0)]
    """
    boosted = BoostedVotes(Budget(1), TWO_TESTS if pairs else ONE_TEST, len(votes) + 1, pairs=pairs)
    allowed = boosted.allowed(votes)
    mechanism = WeightedVoteExponential(Budget(epsilon), allowed)
    return mechanism, lambda records: boosted.gains(by_label(records), votes, allowed)


def boosting_cases() -> Iterator[Case]:
    """Single rounds, first of pairs, where the claim is tight; and several rounds, where zCDP is not tight."""
    pairs = list(product((0, 1), repeat=3))
    missed = ((1, 0, 0),) * 20 + ((0, 0, 0),) * 20  # half of them are missed by votes for "just one test holds"
    for votes, ε in product(((), (JUST_ONE,) * 4), ("1", "6")):
        about = f"pairs, after {len(votes)} votes"
        yield Case(*round_after(votes, ε, pairs=True), about, pairs, 1, Budget(ε), crowd=missed)
    records = labeled((0, 1))
    for votes, ε in product(EARLIER_VOTES, ("1", "6", "0.1")):
        crowd = NEGATIVES * (10 if ε == "0.1" else 1)
        yield Case(
            *round_after(votes=votes, epsilon=ε), f"after {len(votes)} votes", records, 1, Budget(ε), crowd=crowd
        )
    yield Case(*round_after(), "after 4 votes", records, 3, Budget(1), crowd=NEGATIVES)
    for rounds, n, claimed in ((2, 2, Budget(2, "0.01")), (3, 1, Budget(2, "0.1")), (3, 2, Budget("0.5", "0.05"))):
        yield Case(BoostedVotes(claimed, ONE_TEST, rounds), by_label, f"{rounds} rounds", records, n, claimed)
