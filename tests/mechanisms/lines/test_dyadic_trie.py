"""The compressed trie lists exactly the dyadic nodes that hold data, with the counts of the definition."""

from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.mechanisms.lines.dyadic_trie import split_at, trie_entries


def by_definition(sample, bits):
    """(split, weight, balance) of every node that holds a record, node by node."""
    nodes = Counter()
    for depth in range(bits + 1):
        for prefix in range(2**depth):
            low, high = prefix << (bits - depth), (prefix + 1) << (bits - depth)
            weight = sum(low <= x < high for x in sample)
            if weight:
                p = low if depth == bits else (low + high) // 2 - 1
                at_most = sum(x <= p for x in sample)
                beyond = sum(x >= p for x in sample) if depth == bits else sum(x > p for x in sample)
                nodes[p, weight, min(at_most, beyond)] += 1
    return nodes


def by_entries(sample, bits):
    counts = Counter(sample)
    values = sorted(counts)
    nodes = Counter()
    for entry in trie_entries(values, [counts[v] for v in values], bits):
        for p in entry.splits:
            nodes[p, entry.weight, entry.balance] += 1
    return nodes


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_all_small_samples(bits):
    for n in (1, 2, 3):
        for sample in combinations_with_replacement(range(2**bits), n):
            assert by_entries(sample, bits) == by_definition(sample, bits)


@given(st.lists(st.integers(0, 63), min_size=1, max_size=12))
def test_larger_samples(sample):
    assert by_entries(sample, 6) == by_definition(sample, 6)


def test_a_line_of_one_value_has_one_leaf():
    assert [(tuple(e.splits), e.weight, e.balance) for e in trie_entries([0], [4], 0)] == [((0,), 4, 4)]


@pytest.mark.parametrize("bits", [64, 4096])
def test_few_entries_stand_for_many_nodes(bits):
    values = [0, 1, 2 ** (bits - 1), 2**bits - 1]
    entries = list(trie_entries(values, [1] * 4, bits))
    assert len(entries) <= 6 * len(values)
    inner = sum(len(e.splits) for e in entries) - len(values)
    assert inner == sum(len({v >> s for v in values}) for s in range(1, bits + 1))


@pytest.mark.slow
def test_the_guaranteed_node():
    """Lemma 3: for every j some node holds m − 2j + 2 records and has j on either side of its split."""
    for bits, m in ((2, 5), (3, 4)):
        for sample in combinations_with_replacement(range(2**bits), m):
            nodes = by_entries(sample, bits)
            for j in range(1, (m + 1) // 2 + 1):
                assert any(w >= m - 2 * j + 2 and u >= j for _, w, u in nodes), (sample, j)


def test_unbalanced_nodes_are_few():
    """Lemma 4: at most 2b − 1 nodes have a split beyond the records."""
    for bits, m in ((3, 3), (4, 2)):
        for sample in combinations_with_replacement(range(2**bits), m):
            assert sum(k for (_, _, u), k in by_entries(sample, bits).items() if u == 0) <= 2 * bits - 1


def test_split_is_the_last_value_of_the_left_half():
    assert [split_at(0b1011, z) for z in (3, 2, 1, 0)] == [0b0111, 0b1011, 0b1001, 0b1010]
