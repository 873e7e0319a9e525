"""Votes of disjoint subsets: exact laws, deals, levels, twins are in the audit of learners."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from privpac.audit.claims.case import Case
from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.selection.votes import (
    Ballots,
    VoteExponential,
    arrangements,
    level_count,
    records_of,
    subset_votes,
)
from privpac.privacy.budget import Budget


def ballots(records):
    """Letters vote for the set of letters in their subset; a dot is a record that never votes."""
    letters = sorted({each for each in records if each != "."})
    names = {}

    def vote(numbers):
        return names.setdefault("".join(sorted({letters[i] for i in numbers})), len(names)) if numbers else None

    def errors(number):
        return sum(each != "." and each not in list(names)[number] for each in records)

    positives = np.array([records.count(each) for each in letters], dtype=np.int64)
    return Ballots(positives, len(records), {"": sum(positives)}, vote, errors, lambda i: list(names)[i])


@pytest.mark.parametrize(
    ("sizes", "deals", "cap", "n", "universe", "least"),
    [
        ((1, 2), 1, 0, 2, "ab.", 0.999),
        ((1, 2), 2, 1, 2, "ab.", 0.94),
        ((2,), 2, 0, 2, "ab.", 0.999),
        ((1, 3), 1, 0, 3, "a.", 0.94),
    ],
)
def test_the_claim_holds_for_all_neighbors_and_is_nearly_attained(sizes, deals, cap, n, universe, least):
    for ε, δ in ((1, "0.000001"), (0.2, "0.3"), (3, "0.01")):
        cost = Budget(ε, δ)
        mechanism = VoteExponential.of(cost, sizes=sizes, deals=deals, cap=cap)
        found = Case(mechanism, ballots, "letters", universe, n, cost).exact()
        assert not found.refuted
        assert float(found.ratio) > least


@pytest.mark.slow
def test_a_law_is_that_of_the_releases():
    """Size 1e-7: a count of 600 deviates by 5.4 standard deviations; power 1 − 1e-9 against a deal that is sorted."""
    mechanism = VoteExponential.of(Budget(4, "0.3"), sizes=(2,), deals=1, cap=2)
    data = ballots("aabb")
    law = {name: float(p) for name, p in mechanism.law(data).items()}
    assert sum(law.values()) == pytest.approx(1)
    drawn = Counter(mechanism.release(data, SYSTEM) for _ in range(600))
    for name, p in law.items():
        assert abs(drawn[name] - 600 * p) < 5.4 * (600 * p * (1 - p)) ** 0.5 + 1
    assert law["ab"] > 0.3  # a deal that is sorted never makes this subset


def test_subsets_are_disjoint_and_a_rest_does_not_vote():
    heard = []
    data = ballots("aabbb..")._replace(vote=lambda numbers: heard.append(numbers) or None)
    assert not subset_votes(data, np.array([0, -1, 1, 0, -1, 1, 1]), 3)
    assert heard == [[0, 1], [0, 1]]


def test_deals_are_all_orders():
    assert records_of(ballots("b.ab")).tolist() == [0, 1, 1, -1]
    orders = list(arrangements([0, 1, 1, -1]))
    assert len(orders) == len(set(orders)) == 12 == 2 * comb(4, 2)
    mechanism = VoteExponential.of(Budget(1, "0.1"), sizes=(2,), deals=2, cap=0)
    shares = [share for _, share in mechanism.all_deals(ballots("b.ab"))]
    assert len(shares) == 144 and sum(shares) == 1


def test_single_records_are_one_level():
    assert [level_count(sizes, deals) for sizes, deals in (((1,), 16), ((1, 2), 3), ((2, 5), 3), ((), 1))] == [
        1,
        4,
        6,
        1,
    ]


def test_the_order_in_which_records_were_read_does_not_matter():
    """The same law, whatever the numbers of the points."""
    mechanism = VoteExponential.of(Budget(2, "0.1"), sizes=(1, 2), deals=1, cap=1)
    data = ballots("aab.")
    turned = data._replace(positives=data.positives[::-1], vote=lambda numbers: data.vote([1 - i for i in numbers]))
    one, other = mechanism.law(data), mechanism.law(turned)
    assert {name: str(p) for name, p in one.items()} == {name: str(p) for name, p in other.items()}


def test_seeds_repeat():
    mechanism = VoteExponential.of(Budget(1, "0.3"), sizes=(1, 2), deals=2, cap=1)
    assert [mechanism.release(ballots("aabb."), Seeded(i)) for i in range(9)] == [
        mechanism.release(ballots("aabb."), Seeded(i)) for i in range(9)
    ]
