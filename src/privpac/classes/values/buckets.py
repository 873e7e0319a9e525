"""Rules that see only the hash of a value: it falls into one of m buckets.

proof: docs/proofs/point_learner.md, Lemma 2

Throughout this file
    p      2^127 − 1, a prime
    u      the fingerprint of a value: the polynomial whose coefficients are its text, at a random point modulo p
    h      (a·u + b mod p) mod m: the bucket of a value

Equal values have the same text and thus the same bucket. Different values have different texts, hence different
polynomials, which agree at few points. A value without a text (missing, or without a JSON form) is in no bucket.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.classes.json_values import to_plain
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
    u = 1
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
    """The value x, whose fingerprint at ``key`` is u, falls into ``bucket``: (a·u + b mod p) mod ``buckets``.

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
        x = value_name(names)
        return f"the hash of {x} falls into bucket {self.bucket} of 0 … {self.buckets - 1}"
