"""Where coins come from."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod

from privpac.data.values.whole_numbers import is_whole

SPARE_BITS = 64  # a draw is rejected with probability less than 2^-64
SHORT = 64  # bits; for all bounds up to this length, the same number of bits is read


class Entropy(ABC):
    """A stream of independent fair bits."""

    private: bool

    @abstractmethod
    def octets(self, count: int) -> bytes:
        """The next ``count`` uniform bytes of the stream."""

    def bits(self, count: int) -> int:
        """A uniform integer of ``count`` bits."""
        size = -(-count // 8)
        return int.from_bytes(self.octets(size), "big") >> (8 * size - count)

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound). Rejections almost never happen, so the time that it takes tells nothing."""
        if bound < 1:
            raise ValueError("the bound must be at least 1")
        width = max((bound - 1).bit_length(), SHORT) + SPARE_BITS
        share = (1 << width) // bound
        while (draw := self.bits(width) // share) >= bound:
            pass
        return draw


class System(Entropy):
    """The operating system's cryptographic generator, read for every draw, so that a forked process repeats nothing."""

    private = True

    def octets(self, count: int) -> bytes:
        return os.urandom(count)


class Seeded(Entropy):
    """A reproducible stream (SHAKE-256 of seed and counter). Its releases are marked not private.

    >>> Seeded(7).bits(16) == Seeded(7).bits(16), Seeded(7).private
    (True, False)
    """

    private = False

    def __init__(self, seed: int) -> None:
        self._seed = str(int(seed)).encode()
        self._drawn = 0

    def octets(self, count: int) -> bytes:
        self._drawn += 1
        return hashlib.shake_256(b"%s/%d" % (self._seed, self._drawn)).digest(count)


SYSTEM = System()


def entropy(source: Entropy | int | None) -> Entropy:
    """The source itself; a seeded source for an integer; the operating system's for None."""
    if source is None:
        return SYSTEM
    if isinstance(source, Entropy):
        return source
    if not is_whole(source):
        raise TypeError("rng must be None (private), an integer seed (not private), or an Entropy source")
    return Seeded(source.__index__())
