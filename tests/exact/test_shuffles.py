"""Uniform orders, exactly."""

from collections import Counter

from privpac.exact.entropy import SYSTEM, Entropy
from privpac.exact.shuffles import shuffled


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
