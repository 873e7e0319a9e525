"""Rules that see only a hash of a value, under a random key: a bucket of any values, or a share of all numbers.

proofs: docs/proofs/point_learner.md, Lemma 2; docs/proofs/bbkn14.md, Lemma 5

Throughout this file
    p      a prime: 2^127 − 1 for buckets; for numbers, any prime above all of them
    u      the fingerprint of a value: the polynomial whose coefficients are its text, at a random point modulo p

Equal values have the same text and thus the same bucket. Different values have different texts, hence different
polynomials, which agree at few points. A value without a text (missing, or without a JSON form) is in no bucket.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.classes.plain_values import to_plain
from privpac.data.values.allowed_types import missing
from privpac.data.values.equal_values import canonical, outcomes

PRIME = 2**127 - 1
COEFFICIENT_BYTES = 15  # bytes per coefficient: few enough that it stays below the prime
ENCODER = json.JSONEncoder(ensure_ascii=False)  # escapes would confuse 😀 with its two surrogates


def fingerprint(value: Value, key: int) -> int | None:
    """u of ``value`` at the point ``key``; None if it has no text.

    >>> fingerprint("UA", 12345) == fingerprint("UA", 12345) != fingerprint("EV", 12345)
    True
    >>> fingerprint(1.0, 7) == fingerprint(True, 7), fingerprint(None, 7)
    (True, None)
    """
    text = _text(value)
    if text is None:
        return None
    text += b"\x80"  # an end mark, so that different texts differ after padding
    u = 1  # the leading coefficient, so that texts of different lengths give different polynomials
    for start in range(0, len(text), COEFFICIENT_BYTES):
        part = text[start : start + COEFFICIENT_BYTES].ljust(COEFFICIENT_BYTES, b"\0")
        u = (u * key + int.from_bytes(part, "big")) % PRIME
    return u


def _text(value: Value) -> bytes | None:
    """The JSON text of the canonical form: the same for equal values, and different for different values."""
    if missing(value):
        return None
    try:
        return ENCODER.encode(to_plain(canonical(value))).encode("utf-8", "surrogatepass")
    except Exception:  # whatever the error is, raising it would reveal the value
        return None


@dataclass(frozen=True)
class InBucket(Hypothesis):
    """x falls into ``bucket``: its bucket is ((a·u + b) mod p) mod ``buckets``, for the fingerprint u of x at ``key``.

    >>> rule = InBucket(key=12345, a=678, b=9, buckets=40, bucket=17)
    >>> print(rule)
    the hash of x falls into bucket 17 of 0 … 39
    >>> rule == Hypothesis.from_json(rule.to_json())
    True
    """

    key: int
    a: int
    b: int
    buckets: int
    bucket: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(0 <= number < PRIME for number in (self.key, self.a, self.b)):
            raise ValueError("key, a and b must be integers from 0 to 2^127 − 2")
        if not 0 <= self.bucket < self.buckets:
            raise ValueError("bucket must be an integer from 0 to buckets − 1")

    def __call__(self, column: Column, /) -> Labels:
        return outcomes(column, self._holds)

    def _holds(self, value: Value) -> bool:
        u = fingerprint(value, self.key)
        return u is not None and (self.a * u + self.b) % PRIME % self.buckets == self.bucket

    def sentence(self, *names: str) -> str:
        return f"the hash of {value_name(names)} falls into bucket {self.bucket} of 0 … {self.buckets - 1}"


@dataclass(frozen=True)
class Keyed(Hypothesis):
    """The remainder of a·x + b modulo ``p`` is below ``k``; False for anything but the integers 0 … p − 1.

    Under a uniform key (a, b), each number has the label 1 with probability k/p, and any two labels are independent.

    >>> rule = Keyed(a=3, b=1, p=7, k=2)
    >>> print(rule, rule(range(7)).astype(int))
    (3·x + 1) mod 7 < 2 [1 0 1 0 0 0 0]
    >>> rule == Hypothesis.from_json(rule.to_json())
    True
    """

    a: int
    b: int
    p: int
    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.a < self.p and 0 <= self.b < self.p and 0 <= self.k <= self.p):
            raise ValueError("a and b must be integers from 0 to p − 1, and k an integer from 0 to p")

    def __call__(self, column: Column, /) -> Labels:
        return outcomes(column, self._holds)

    def _holds(self, x: Value) -> bool:
        return type(x) is int and 0 <= x < self.p and (self.a * x + self.b) % self.p < self.k

    def sentence(self, *names: str) -> str:
        return f"({self.a}·{value_name(names)} + {self.b}) mod {self.p} < {self.k}"
