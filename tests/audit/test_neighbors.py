"""Pairs are neighbors, all of them where all are promised."""

from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from privpac.audit.neighbors import around, hostile, neighbor_pairs


def apart(S, T):
    """How many records of S are not in T, as multisets."""
    return (Counter(S) - Counter(T)).total()


@pytest.mark.parametrize(("universe", "n"), [("ab", 1), ("ab", 4), ("abc", 2), ("abcd", 3), (range(5), 2)])
def test_all_multisets_that_differ_in_one_record(universe, n):
    found = [frozenset(pair) for pair in neighbor_pairs(universe, n)]
    samples = list(combinations_with_replacement(universe, n))
    assert len(found) == len(set(found))
    assert set(found) == {frozenset((S, T)) for S in samples for T in samples if apart(S, T) == 1}


@pytest.mark.parametrize(("universe", "n"), [("ab", 1), ("ab", 3), ("abc", 2)])
def test_all_tuples_that_differ_in_one_place(universe, n):
    found = [frozenset(pair) for pair in neighbor_pairs(universe, n, ordered=True)]
    samples = list(product(universe, repeat=n))
    differ = {frozenset((S, T)) for S in samples for T in samples if sum(map(str.__ne__, S, T)) == 1}
    assert len(found) == len(set(found))
    assert set(found) == differ


@pytest.mark.parametrize("universe", ["ab", "abc", range(10), range(-(2**63), 2**64), [("x", 0), ("x", 1), ("y", 0)]])
@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_hostile_pairs_are_neighbors_over_the_universe(universe, n):
    pairs = hostile(universe, n)
    for S, T in pairs:
        assert len(S) == len(T) == n
        assert apart(S, T) == apart(T, S) == 1
        assert all(record in universe for record in (*S, *T))
    unordered = [frozenset((tuple(sorted(S)), tuple(sorted(T)))) for S, T in pairs]
    assert len(unordered) == len(set(unordered))


def test_hostile_pairs_reach_the_ends_the_middle_and_ties():
    pairs = hostile(range(101), 4)
    samples = {tuple(sorted(sample)) for pair in pairs for sample in pair}
    assert {(0, 0, 0, 0), (100, 100, 100, 100), (50, 50, 50, 50), (0, 0, 0, 100), (0, 0, 100, 100)} <= samples
    assert any(len(set(sample)) >= 3 for sample in samples)


def test_around_a_threshold():
    for S, T in around(3, 5):
        assert (S.count("a"), T.count("a")) == (3, 2)
        assert sum(a != b for a, b in zip(S, T, strict=True)) == 1
    assert around(1, 1) == [(("a",), ("b",)), (("a",), ("c",))]


@pytest.mark.parametrize("call", [lambda: hostile("a", 2), lambda: hostile("ab", 0), lambda: around(3, 2)])
def test_what_cannot_be_is_explained(call):
    with pytest.raises(ValueError, match=r"at least two records|between 1 and n"):
        call()
