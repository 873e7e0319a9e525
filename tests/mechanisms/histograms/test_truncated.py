"""Truncated noise on counts of keys: its least m, its divergence over all neighbors, the twin with m − 1, bounds."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pytest
from flint import ctx

from privpac.audit.claims.case import Case
from privpac.data.counting.keys import ManyKeys
from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.histograms import truncated as module
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.grid import over


@over(
    ("ε", "δ", "m"),
    [
        *(("1", "1e-6", 27), ("0.1", "1e-6", 217), ("3", "1e-6", 10), ("1", "0.1", 4), ("1", "1e-50", 229)),
        *(("1e-9", "1e-300", None), ("1e-20", "1e-30", None), ("1e-20", "1e-6", None), ("1", "1/2", None)),
    ],
)
def test_the_largest_noise(ε, δ, m):
    found = TruncatedHistogram(Budget(ε, δ))
    assert m in (None, found.most)
    with ctx.workprec(4096):
        lost = [1 - (1 - found._weight(most, most)) ** 2 for most in (found.most, found.most - 1)]
        assert lost[0] <= ball(found.cost.delta) < lost[1]


def test_noise_beyond_machine_integers_is_added_exactly():
    wide = TruncatedHistogram(Budget("1e-20", "1e-30"))
    assert wide.most > 2**64
    assert all(wide.release({"a": 1, "b": 2**63 - 1}, SYSTEM) == {} for _ in range(20))  # probability 1e-10
    near = TruncatedHistogram(Budget(1, "1e-6")).release({"a": 2**63 - 1}, SYSTEM)["a"]
    assert abs(near - (2**63 - 1)) <= 27


@dataclass(frozen=True)
class OneLess(TruncatedHistogram):
    """Truncated one step early."""

    @cached_property
    def most(self):
        return TruncatedHistogram(self.cost).most - 1


COSTS = (Budget(1, "0.1"), Budget(3, "0.01"), Budget("0.2", "0.5"))


def worst(mechanism, crowd):
    return Case(mechanism, Counter, "3 keys", "abc", 1, mechanism.cost, crowd=crowd).exact()


@pytest.mark.parametrize("cost", COSTS)
def test_all_neighbors_are_within_the_claim_and_the_twin_is_refuted(cost):
    right = TruncatedHistogram(cost)
    for each in (0, 1, right.most, right.most + 1, 2 * right.most + 2):
        assert not worst(right, ("a", "b") * each).refuted
    assert worst(OneLess(cost), ("a", "b") * (2 * right.most + 2)).refuted


def test_truncation_itself_uses_all_of_delta():
    """Among many records both cells that change lose p: the divergence is 1 − (1 − p)² at ε."""
    cost = Budget(1, "0.1")
    mechanism = TruncatedHistogram(cost)
    found = worst(mechanism, ("a", "b") * (2 * mechanism.most + 2))
    p = float(mechanism._weight(mechanism.most, mechanism.most))
    assert float(found.value) == pytest.approx(1 - (1 - p) ** 2, rel=1e-9)


def test_bounds_are_certain():
    mechanism = TruncatedHistogram(Budget(1, "1e-6"))
    counts = {key: 3 * key + 1 for key in range(400)}
    for _ in range(20):
        shown = mechanism.release(mechanism.check(counts), SYSTEM)
        assert all(abs(shown[key] - counts[key]) <= mechanism.most for key in shown)
        assert all(counts[key] <= 2 * mechanism.most for key in counts.keys() - shown.keys())


def test_no_key_and_large_counts():
    mechanism = TruncatedHistogram(Budget(1, "1e-6"))
    assert mechanism.release(mechanism.check({}), SYSTEM) == {}
    assert abs(mechanism.release(mechanism.check({"a": 2**70}), SYSTEM)["a"] - 2**70) <= 27
    with pytest.raises(ValueError, match="negative"):
        mechanism.check({"a": -1})


@pytest.mark.slow
def test_equal_counts_come_in_an_order_that_does_not_tell_who_came_first():
    """Counts far above the noise tie about once in 5 draws. Arrival would decide; each order must be as likely."""
    mechanism, firsts = TruncatedHistogram(Budget(3, "1e-2")), Counter()
    for draw in range(2400):
        shown = mechanism.release(dict.fromkeys(("ab", "ba")[draw % 2], 90), SYSTEM)
        if len(set(shown.values())) == 1:
            firsts[next(iter(shown)) == ("a", "b")[draw % 2]] += 1
    assert firsts.total() > 500
    assert abs(firsts[True] - firsts[False]) < 7 * firsts.total() ** 0.5  # of fair coins: fails once in 10¹¹ runs


def test_many_keys_follow_the_same_law(monkeypatch):
    """With the same coins, the same keys are shown, whether they are Python values or not."""
    counts = {(f"{i:04d}",): i % 90 + 1 for i in range(2000)}
    many = ManyKeys((pa.array([key for (key,) in counts]),), np.array([*counts.values()]))
    mechanism = TruncatedHistogram(Budget(1, "1e-6"))
    expected = mechanism.release(mechanism.check(counts), Seeded(3))
    assert 500 < len(expected) < 1900
    found = mechanism.release(mechanism.check(many), Seeded(3))
    assert list(found.items()) == list(expected.items())
    monkeypatch.setattr(module, "AT_ONCE", 700)
    found = mechanism.release(mechanism.check(many), SYSTEM)
    assert {key for key, count in counts.items() if count > 2 * mechanism.most} <= found.keys()
    assert all(mechanism.most < number and abs(number - counts[key]) <= mechanism.most for key, number in found.items())
    assert sorted(found.values(), reverse=True) == list(found.values())
    none = ManyKeys((pa.array([], pa.string()),), np.array([], dtype=np.int64))
    assert mechanism.release(none, SYSTEM) == {}
