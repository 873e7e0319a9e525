"""Uniform bits, uniform integers, and who may call them private."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.exact.entropy import SYSTEM, Entropy, Seeded, entropy
from tests.grid import over
from tests.statistics import assert_matches


class Bytes(Entropy):
    """Plays the given bytes, then fails."""

    private = False

    def __init__(self, *played):
        self.rest = bytes(played)

    def octets(self, count):
        assert len(self.rest) >= count, "more coins were tossed than needed"
        played, self.rest = self.rest[:count], self.rest[count:]
        return played


@given(st.integers(0, 300))
def test_bits_have_their_width(count):
    assert 0 <= SYSTEM.bits(count) < 2**count
    assert 0 <= Seeded(1).bits(count) < 2**count


def test_bits_are_the_leading_bits_of_the_stream():
    assert Bytes(0b10110111).bits(3) == 0b101
    assert Bytes(0xAB, 0xCD).bits(16) == 0xABCD
    assert Bytes(0xAB, 0xCD).bits(12) == 0xABC
    assert Bytes().bits(0) == 0


@pytest.mark.parametrize("coins", [SYSTEM, Seeded(3)], ids=["system", "seeded"])
def test_bits_are_uniform(coins):
    uniform = dict.fromkeys(range(8), 1 / 8)
    assert_matches(lambda: coins.bits(3), uniform, must_reject=uniform | {0: 1 / 16, 7: 3 / 16})


def test_every_bit_of_a_long_word_is_fair():
    fair, unfair = {0: 0.5, 1: 0.5}, {0: 0.6, 1: 0.4}
    for place in (0, 7, 8, 63, 69):
        assert_matches(lambda place=place: SYSTEM.bits(70) >> place & 1, fair, must_reject=unfair)


@pytest.mark.slow
@over("bound", [1, 2, 3, 5, 8, 9])
def test_below_is_uniform(bound):
    uniform = dict.fromkeys(range(bound), 1 / bound)
    width = 2 ** (bound - 1).bit_length()
    modulo = {i: len(range(i, width, bound)) / width for i in range(bound)}
    mutant = modulo if modulo != uniform else {0: 0.8 / bound}
    assert_matches(lambda: SYSTEM.below(bound), uniform, must_reject=mutant, draws=20_000)


@over("bound", [1, 2, 3, 6, 2**70 + 1])
def test_below_cuts_long_numbers_into_equal_shares(bound):
    """128 bits, or 64 more than the bound has: each result has equally many, and the last few are drawn again."""
    width = max((bound - 1).bit_length(), 64) + 64
    share = 2**width // bound
    for number, result in ((0, 0), (share - 1, 0), ((bound - 1) * share, bound - 1), (bound * share - 1, bound - 1)):
        assert Bytes(*_bytes(number, width)).below(bound) == result
    assert 2**width - bound * share < bound  # rejected with probability less than 2^-64
    if bound * share < 2**width:
        assert Bytes(*_bytes(bound * share, width), *_bytes(2**width - 1, width), *_bytes(0, width)).below(bound) == 0


def _bytes(number, width):
    size = -(-width // 8)
    return (number << (8 * size - width)).to_bytes(size, "big")


@given(st.integers(1, 2**200))
def test_below_keeps_within_the_bound(bound):
    assert 0 <= Seeded(bound).below(bound) < bound


@pytest.mark.parametrize("bound", [0, -1, -(2**70)])
def test_below_needs_a_positive_bound(bound):
    with pytest.raises(ValueError, match="at least 1"):
        SYSTEM.below(bound)


def test_a_seed_repeats_and_seeds_differ():
    first, again, other = ([Seeded(seed).octets(16)] for seed in (7, 7, 8))
    assert first == again != other
    one, two = Seeded(7), Seeded(7)
    assert [one.bits(k) for k in range(40)] == [two.bits(k) for k in range(40)]


def test_a_seeded_stream_does_not_repeat_itself():
    coins = Seeded(0)
    assert len({coins.octets(16) for _ in range(1000)}) == 1000
    assert Seeded(1).octets(16) != Seeded(11).octets(16) != Seeded(-1).octets(16)


def test_only_the_system_is_private():
    assert SYSTEM.private and not Seeded(1).private


def test_a_source_is_chosen_by_what_is_given():
    assert entropy(None) is SYSTEM
    assert entropy(source := Seeded(5)) is source
    for seed in (5, np.int64(5), np.uint8(5)):
        assert isinstance(entropy(seed), Seeded)
        assert entropy(seed).bits(64) == Seeded(5).bits(64)


@pytest.mark.parametrize("source", [True, 1.5, "7", np.True_, np.random.default_rng(1), b"seed", [7]])
def test_other_sources_are_refused(source):
    with pytest.raises(TypeError):
        entropy(source)


FORK = """
import os
from privpac.exact.entropy import SYSTEM
SYSTEM.bits(64)
child = os.fork()
os.write(1, SYSTEM.octets(16).hex().encode() + b"\\n")
os.waitpid(child, 0) if child else os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_fork_does_not_repeat_the_parent():
    ran = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    parent, child = ran.stdout.split()
    assert parent != child
