"""Boosted votes: scores by definition, per-record weights, cost of all rounds, the law, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.decision_trees.boosting import FULL, MOST_RECORDS, BoostedVotes, Labeled, margin_weights
from privpac.mechanisms.decision_trees.counts import PublicTests
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from tests.grid import over

TESTS = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
T = 3


def by_definition(records, votes, allowed):
    """Weight for minus weight against, record by record."""

    def holds(b, cells):
        return b == T or bool(TESTS.blocks[b // 2][b % 2][cells[b // 2]])

    def rightly(vote, cells, y):
        b, s = vote
        return (holds(b, cells) == (s == 1)) == y

    found = []
    for vote in allowed:
        gain = 0
        for cells, y in records:
            m = sum(1 if rightly(v, cells, y) else -1 for v in votes)
            w = FULL if m <= 0 else math.floor(FULL * math.exp(-m / 5))
            gain += w if rightly(vote, cells, y) else -w
        found.append(gain)
    return found


def labeled(records):
    cells = [np.array([c[j] for c, _ in records], dtype=int) for j in (0, 1)]
    return Labeled.of(cells, np.array([y for _, y in records], dtype=bool), None, len(records))


@over("seed", range(12))
def test_gains_by_definition(seed):
    rng = np.random.default_rng(seed)
    records = [((int(rng.integers(3)), int(rng.integers(2))), bool(rng.integers(2))) for _ in range(seed * 5)]
    boosted = BoostedVotes(Budget(1), TESTS, 30, 2)
    votes = tuple((int(rng.integers(T + 1)), int(rng.choice([-1, 1]))) for _ in range(rng.integers(25)))
    allowed = boosted.allowed(votes)
    assert boosted.gains(labeled(records), votes, allowed).tolist() == by_definition(records, votes, allowed)


@over("seed", range(12))
def test_one_record_moves_the_weight_against_a_vote_by_at_most_one(seed):
    """−E(v) = (g(v) − S)/2; the weight S of all records is that of a vote and its opposite."""
    rng = np.random.default_rng(seed)
    draw = lambda: ((int(rng.integers(3)), int(rng.integers(2))), bool(rng.integers(2)))  # noqa: E731
    records, boosted = [draw() for _ in range(9)], BoostedVotes(Budget(1), TESTS, 12)
    votes = tuple((int(rng.integers(T + 1)), int(rng.choice([-1, 1]))) for _ in range(11))
    allowed = boosted.allowed(votes)

    def against(some):
        weight = sum(
            (by_definition([r], votes, [(T, 1)])[0] if r[1] else by_definition([r], votes, [(T, -1)])[0]) for r in some
        )
        return (weight - boosted.gains(labeled(some), votes, allowed)) // 2

    for _ in range(20):
        moved = np.abs(against([draw(), *records[1:]]) - against(records))
        assert moved.max() <= FULL


def test_weights_are_integers_up_to_one():
    table = margin_weights(300)
    assert table.dtype == np.int64 and len(table) == 601
    assert (table[:301] == FULL).all() and (np.diff(table[300:]) <= 0).all() and table[-1] == 0
    assert all(table[300 + m] == math.floor(FULL * math.exp(-m / 5)) for m in range(1, 301))


def test_equal_records_are_added_up_with_their_counts():
    one = Labeled.of([np.array([2, 2, 0])], np.array([True, False, True]), np.array([5, 7, 1]), 13)
    assert one.cells.tolist() == [[0, 2]] and one.ones.tolist() == [1, 5] and one.zeros.tolist() == [0, 7]
    none = Labeled.of([np.array([], dtype=int)] * 2, np.array([], dtype=bool), None, 4)
    boosted = BoostedVotes(Budget(1), TESTS, 2)
    assert boosted.gains(none, (), boosted.allowed(())).tolist() == [0] * 8
    assert len(boosted.release(none, SYSTEM)) == 2


@over("rounds", (1, 2, 5, 50, 200))
@over("promise", (Budget(1, 1e-6), Budget("0.1", 1e-9), Budget(3, "0.1"), Budget(2)))
def test_all_rounds_stay_within_the_promise(rounds, promise):
    boosted = BoostedVotes(promise, TESTS, rounds)
    each = boosted.each
    assert boosted.cost <= promise and each.delta == 0 and each.epsilon >= promise.epsilon / rounds
    if boosted.cost.delta:
        total = sum([Concentrated.of_bounded_range(each)] * rounds, Concentrated(0))
        assert total.rho <= Concentrated.within(promise).rho
        assert total.at_delta(promise.delta) <= promise
        more = Concentrated.of_bounded_range(Budget(each.epsilon * Fraction(101, 100)))
        assert not sum([more] * rounds, Concentrated(0)).at_delta(promise.delta) <= promise
    else:
        assert each.epsilon * rounds == promise.epsilon


def test_after_enough_tests_have_voted_only_these_may_vote():
    boosted = BoostedVotes(Budget(1), TESTS, 9, 2)
    assert len(boosted.allowed(((0, 1), (T, 1)))) == 8
    assert boosted.allowed(((0, 1), (T, 1), (2, -1))) == ((0, 1), (0, -1), (2, 1), (2, -1), (T, 1), (T, -1))
    assert len({b for b, _ in boosted.release(labeled([((1, 0), True)] * 3), SYSTEM)} - {T}) <= 2


@pytest.mark.audit
def test_the_law_is_that_of_the_draws():
    """4000 draws; the estimate of p has a standard deviation of at most 0.008, and 0.05 is more than six of them."""
    boosted, records = BoostedVotes(Budget(3, "0.1"), TESTS, 2), labeled([((1, 0), True), ((0, 1), False)])
    law = boosted.law(records)
    assert abs(float(sum(law.values())) - 1) < 1e-9 and len(law) == 64
    drawn = [boosted.release(records, SYSTEM) for _ in range(4000)]
    for votes, p in law.items():
        assert abs(drawn.count(votes) / 4000 - float(p)) < 0.05


def test_what_is_refused():
    for rounds in (0, 5000):
        with pytest.raises(ValueError, match="rounds must be between 1 and 4096"):
            BoostedVotes(Budget(1), TESTS, rounds)
    empty = Labeled.of([np.array([], dtype=int)] * 2, np.array([], dtype=bool), None, MOST_RECORDS + 1)
    with pytest.raises(ValueError, match="at most 2\\^38 records"):
        BoostedVotes(Budget(1), TESTS, 1).check(empty)
