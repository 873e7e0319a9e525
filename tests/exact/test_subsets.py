"""Every set of m records is chosen with the same probability, whether records are counted or listed."""

from collections import Counter
from itertools import combinations
from math import comb, prod

import numpy as np
import pytest

from privpac.exact import subsets
from privpac.exact.entropy import SYSTEM, Entropy, Seeded
from privpac.exact.subsets import chosen_of, distinct_numbers, shuffled
from tests.grid import over
from tests.statistics import assert_matches


def hypergeometric(counts, m):
    """The law of how many records of each entry are chosen."""
    law = Counter()
    places = [entry for entry, count in enumerate(counts) for _ in range(count)]
    for chosen in combinations(range(len(places)), m):
        found = Counter(places[i] for i in chosen)
        law[tuple(found[entry] for entry in range(len(counts)))] += 1 / comb(len(places), m)
    return law


def coins_by_record(counts, m):
    """The law if each record were chosen by a coin of its own with probability m/n: the sizes differ."""
    p = m / sum(counts)
    return {
        found: prod(comb(c, k) * p**k * (1 - p) ** (c - k) for c, k in zip(counts, found, strict=True))
        for found in hypergeometric(counts, m)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("counts", "m"), [((1, 1, 1, 1), 1), ((3, 0, 2), 2), ((5, 1), 3), ((2, 2, 3), 6)])
def test_counts_follow_the_hypergeometric_law(counts, m):
    """A false alarm has a probability of at most 10⁻⁹."""
    law = hypergeometric(counts, m)
    assert_matches(
        lambda: tuple(chosen_of(np.array(counts), m, SYSTEM).tolist()), law, must_reject=coins_by_record(counts, m)
    )


@pytest.mark.slow
def test_the_blocks_of_bytes_do_not_show(monkeypatch):
    monkeypatch.setattr(subsets, "BLOCK", 2)
    law = hypergeometric((3, 2, 2), 3)
    assert_matches(
        lambda: tuple(chosen_of(np.array([3, 2, 2]), 3, SYSTEM).tolist()), law,
        must_reject=coins_by_record((3, 2, 2), 3),
    )  # fmt: skip


@over("m", [0, 1, 499, 500, 999, 1000])
def test_exactly_m_are_chosen_and_no_more_than_there_are(m):
    counts = np.array([0, 400, 1, 599, 0])
    found = chosen_of(counts, m, SYSTEM)
    assert found.sum() == m
    assert (found >= 0).all() and (found <= counts).all()


def test_nothing_is_chosen_from_nothing():
    assert chosen_of(np.zeros(0, dtype=np.int64), 0, SYSTEM).tolist() == []
    with pytest.raises(ValueError, match="m must be at least 0 and at most the number of records"):
        chosen_of(np.array([2, 1]), 4, SYSTEM)


def test_numbers_are_different_and_each_set_is_equally_likely():
    law = dict.fromkeys(combinations(range(5), 3), 1 / 10)
    biased = {chosen: 1 / 10 + (0.05 if 0 in chosen else -0.075) for chosen in law}
    assert_matches(lambda: tuple(distinct_numbers(3, 5, SYSTEM)), law, must_reject=biased)


def test_a_seed_repeats_the_choice():
    first, second = (chosen_of(np.full(1000, 3), 600, Seeded(5)).tolist() for _ in range(2))
    assert first == second


def test_all_orders_are_equally_likely():
    """Size 6·1e-8: each of six counts of 6000 lies within 5.6 standard deviations."""
    found = Counter(tuple(shuffled(3, SYSTEM).tolist()) for _ in range(6000))
    assert len(found) == 6
    assert all(abs(count - 1000) < 5.6 * (1000 * 5 / 6) ** 0.5 for count in found.values())


class Tied(Entropy):
    """Two equal keys, then two different ones."""

    private = False

    def __init__(self):
        self.left = [bytes(16), bytes(8) + bytes([1] * 8)]

    def octets(self, count):
        return self.left.pop(0)


def test_equal_keys_are_drawn_again():
    coins = Tied()
    assert shuffled(2, coins).tolist() == [0, 1]
    assert not coins.left
    assert shuffled(0, SYSTEM).tolist() == []
