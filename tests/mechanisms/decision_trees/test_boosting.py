"""Boosted votes: scores by definition, per-record weights, cost of all rounds, the law, and what is refused."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.decision_trees.boosting import FULL, MOST_RECORDS, BoostedVotes, margin_weights
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests
from privpac.mechanisms.decision_trees.pairs import JOINS, pair_of, pairs
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from tests.grid import over

TESTS = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
T = 3


def by_definition(records, votes, allowed):
    """The weight for the vote (b, 1) of each finding minus that against it, record by record."""

    def holds(b, cells):
        if b > T:
            k, i, j = pair_of(b - T - 1, T)
            return JOINS[k][2 * holds(i, cells) + holds(j, cells)]
        return b == T or bool(TESTS.blocks[b // 2][b % 2][cells[b // 2]])

    def rightly(vote, cells, y):
        b, s = vote
        return (holds(b, cells) == (s == 1)) == y

    found = []
    for b in allowed:
        gain, vote = 0, (b, 1)
        for cells, y in records:
            m = sum(1 if rightly(v, cells, y) else -1 for v in votes)
            w = FULL if m <= 0 else math.floor(FULL * math.exp(-m / 5))
            gain += w if rightly(vote, cells, y) else -w
        found.append(gain)
    return found


def labeled(records):
    cells = [np.array([c[j] for c, _ in records], dtype=int) for j in (0, 1)]
    return CellRecords.by_label(cells, np.array([y for _, y in records], dtype=bool), None, 2, len(records))


@over("seed", range(12))
@over("pairs", (False, True))
def test_gains_by_definition(seed, pairs):
    rng = np.random.default_rng(seed)
    records = [((int(rng.integers(3)), int(rng.integers(2))), bool(rng.integers(2))) for _ in range(seed * 5)]
    boosted = BoostedVotes(Budget(1), TESTS, 30, 4, pairs)
    votes = drawn_votes(rng, boosted, rng.integers(25))
    allowed = boosted.allowed(votes)
    assert boosted.gains(labeled(records), votes, allowed).tolist() == by_definition(records, votes, allowed)


def drawn_votes(rng, boosted, number):
    """Votes without regard to records."""
    return tuple((int(rng.choice(boosted.findings)), int(rng.choice([-1, 1]))) for _ in range(number))


def test_the_pairs_are_those_that_say_something_new():
    """Each function of two tests that is neither constant nor one of the two, up to negation, once for each two."""
    points = [(i, j) for i in range(3) for j in range(2)]
    holds = [[bool(TESTS.blocks[b // 2][b % 2][point[b // 2]]) for point in points] for b in range(T)]

    def up_to_negation(table, i, j):
        pattern = tuple(table[2 * x + z] for x, z in zip(holds[i], holds[j], strict=True))
        return min(pattern, tuple(not y for y in pattern))

    listed = [pair_of(b, T) for b in pairs(TESTS).tolist()]
    for i, j in combinations(range(T), 2):
        every = {up_to_negation(table, i, j) for table in product((False, True), repeat=4)}
        old = {up_to_negation(table, i, j) for table in ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1))}
        new = [up_to_negation(JOINS[k], i, j) for k, *both in listed if both == [i, j]]
        assert sorted(new) == sorted(every - old)


@over("seed", range(12))
@over("pairs", (False, True))
def test_one_record_moves_the_weight_against_a_vote_by_at_most_one(seed, pairs):
    """−E(v) = (g(v) − S)/2; the weight S of all records is that of a vote and its opposite."""
    rng = np.random.default_rng(seed)
    draw = lambda: ((int(rng.integers(3)), int(rng.integers(2))), bool(rng.integers(2)))  # noqa: E731
    records, boosted = [draw() for _ in range(9)], BoostedVotes(Budget(1), TESTS, 12, pairs=pairs)
    votes = drawn_votes(rng, boosted, 11)
    allowed = boosted.allowed(votes)

    def against(some):
        """E of both votes of each finding."""
        weight = sum(abs(by_definition([r], votes, [T])[0]) for r in some)
        gains = boosted.gains(labeled(some), votes, allowed)
        return (weight - np.concatenate([gains, -gains])) // 2

    for _ in range(20):
        moved = np.abs(against([draw(), *records[1:]]) - against(records))
        assert moved.max() <= FULL


def test_weights_are_integers_up_to_one():
    table = margin_weights(300)
    assert table.dtype == np.int64 and len(table) == 601
    assert (table[:301] == FULL).all() and (np.diff(table[300:]) <= 0).all() and table[-1] == 0
    assert all(table[300 + m] == math.floor(FULL * math.exp(-m / 5)) for m in range(1, 301))


def test_equal_records_are_added_up_with_their_counts():
    one = CellRecords.by_label([np.array([2, 2, 0])], np.array([True, False, True]), np.array([5, 7, 1]), 2, 13)
    assert one.cells.tolist() == [[0, 2]] and one.w.tolist() == [[0, 7], [1, 5]]
    none = CellRecords.by_label([np.array([], dtype=int)] * 2, np.array([], dtype=bool), None, 2, 4)
    boosted = BoostedVotes(Budget(1), TESTS, 2)
    assert boosted.gains(none, (), boosted.allowed(())).tolist() == [0] * 4
    assert len(boosted.release(none, SYSTEM)) == 2


@over("rounds", (1, 2, 5, 50, 200))
@over("promise", (Budget(1, 1e-6), Budget("0.1", 1e-9), Budget(3, "0.1"), Budget(2)))
def test_all_rounds_stay_within_the_promise(rounds, promise):
    boosted = BoostedVotes(promise, TESTS, rounds)
    each = boosted.round_cost
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
    assert len(boosted.allowed(((0, 1), (T, 1)))) == 4
    assert boosted.allowed(((0, 1), (T, 1), (2, -1))).tolist() == [0, 2, T]
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
    empty = CellRecords.by_label([np.array([], dtype=int)] * 2, np.array([], dtype=bool), None, 2, MOST_RECORDS + 1)
    with pytest.raises(ValueError, match="pairs of at most 256 tests may vote"):
        BoostedVotes(Budget(1), PublicTests((np.eye(257, dtype=bool),)), 1, pairs=True)
    with pytest.raises(ValueError, match="at most 2\\^38 records"):
        BoostedVotes(Budget(1), TESTS, 1).check(empty)
