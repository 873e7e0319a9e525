"""Rules that read a hash: equal values fall together, different ones apart as chance has it, and JSON comes back."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.hashes import COEFFICIENT_BYTES, PRIME, InBucket, _text, fingerprint
from privpac.exact.entropy import Seeded, entropy
from tests.classes.definitions import assert_comes_back

DIFFERENT = [
    *(
        "",
        "a",
        "b",
        "ab",
        "a\0",
        "a\x80",
        "1",
        "null",
        "true",
        '"a"',
        "ä",
        "a\u0308",
        "\U00010000",
        "\ud800\udc00",
        "\ud800",
    ),
    *(0, 1, -1, 2**200, 10**5000, 0.5, 0.1, 1e300, Decimal("0.1"), Fraction(1, 3), float("inf"), -float("inf")),
    *(
        (),
        (1,),
        ("1",),
        (1, 2),
        ((1, 2),),
        ("a", "b"),
        ("ab",),
        frozenset(),
        frozenset({1}),
        frozenset({1, 2}),
        b"a",
        b"",
    ),
    *(date(2026, 1, 1), datetime(2026, 1, 1, 1), "2026-01-01", np.datetime64("2026-01-01T00:00:00.000000001")),
    *(
        "x" * k
        for k in (COEFFICIENT_BYTES - 2, COEFFICIENT_BYTES - 1, COEFFICIENT_BYTES, 5 * COEFFICIENT_BYTES, 10_000)
    ),
]


def test_different_values_have_different_texts_and_prints():
    assert len({_text(value) for value in DIFFERENT}) == len(DIFFERENT)
    key = entropy(None).below(PRIME)
    assert len({fingerprint(value, key) for value in DIFFERENT}) == len(DIFFERENT)  # but with probability < 2^-80


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_texts_tell_strings_apart(a, b):
    assert (_text(a) == _text(b)) == (a == b)


def test_the_print_is_the_polynomial_that_spells_the_text():
    text = _text("J10")
    assert len(text) == 5  # with its quotation marks
    assert fingerprint("J10", 1000) == (1000 + int.from_bytes(text + b"\x80" + bytes(9), "big")) % PRIME
    assert fingerprint("J10", 0) == int.from_bytes(text + b"\x80" + bytes(9), "big")


@pytest.mark.parametrize("value", [None, float("nan"), np.datetime64("NaT")])
def test_what_is_missing_is_in_no_bucket(value):
    assert fingerprint(value, 5) is None
    assert not any(InBucket(5, 6, 7, 3, j)([value, "a"])[0] for j in range(3))


@pytest.mark.parametrize("value", [object(), (1, object())])
def test_what_is_no_value_has_no_print_and_is_refused(value):
    assert fingerprint(value, 5) is None
    with pytest.raises(TypeError, match="must be text"):
        InBucket(5, 6, 7, 3, 0)([value, "a"])


def test_equal_values_share_a_bucket():
    rule = InBucket(11, 12345, 678, 2, 0)
    for alike in ([1, 1.0, True, Decimal("1.0")], [0.5, Fraction(1, 2)], ["EV", np.str_("EV")]):
        assert len({bool(rule([value])[0]) for value in alike}) == 1
    assert rule(np.array([1, 2, 3])).tolist() == rule([1, 2, 3]).tolist() == rule([1.0, 2.0, 3.0]).tolist()


def test_hashes_are_pairwise_independent_on_a_small_field():
    """All (a, b) of a field of 13 elements: two different prints meet in a bucket of 3 as seldom as claimed."""
    p, m = 13, 3
    for u, v in combinations(range(p), 2):
        meet = sum((a * u + b) % p % m == (a * v + b) % p % m for a in range(p) for b in range(p))
        assert meet / p**2 <= 1 / m + 1 / p


def test_buckets_fill_evenly():
    """Size: each of 20 counts of 2000 hashes leaves 100 ± 65 with probability below 1e-9."""
    coins = Seeded(1)
    counts = np.zeros(20, dtype=int)
    for _ in range(2000):
        key, a, b = (coins.below(PRIME) for _ in range(3))
        counts[(a * fingerprint("EV", key) + b) % PRIME % 20] += 1
    assert counts.min() > 35 and counts.max() < 165


def test_rules_come_back_and_wrong_ones_are_refused():
    rule = InBucket(PRIME - 1, 0, 2**100, 40, 39)
    assert_comes_back(rule)
    assert str(rule) == "the hash of x falls into bucket 39 of 0 … 39"
    for parts in ({"bucket": 40}, {"bucket": -1}, {"key": PRIME}, {"a": -1}, {"buckets": 0, "bucket": 0}):
        with pytest.raises(ValueError, match=r"bucket|integers"):
            InBucket(**({"key": 1, "a": 2, "b": 3, "buckets": 4, "bucket": 0} | parts))
    with pytest.raises(ValueError, match="InBucket"):
        Hypothesis.from_json(
            '{"privpac": 1, "hypothesis": "InBucket", "key": 1, "a": 1, "b": 1, "buckets": 1, "bucket": "0"}'
        )


def test_a_value_without_a_text_has_no_fingerprint():
    class Silent:
        def __hash__(self):
            return 1

        def __repr__(self):
            raise RuntimeError("no")

    assert [fingerprint(value, 7) for value in (Fraction(10**5000, 3), Silent(), object())] == [None] * 3
