"""The memo tells matrices apart, whatever their hashes, and says no more when it is full."""

import numpy as np
import pytest

pytest.importorskip("numba")

from privpac.dimensions.kernels import memo
from tests.grid import over

UNKNOWN = (1, memo.LEVELS - 1, 0)


def matrices(rng, count):
    return [rng.integers(0, 8, (rng.integers(1, 3), rng.integers(1, 5)), dtype=np.uint64) for _ in range(count)]


def test_it_returns_what_was_entered():
    rng = np.random.default_rng(1)
    found, notes = memo.empty(1 << 20), {}
    for i, A in enumerate(matrices(rng, 600)):
        n, finding = 50 + i % 2, (i % 20, 20 + i % 7, i)
        memo.remember(found, A, n, finding)
        notes[n, A.shape, A.tobytes()] = A, finding
    for (n, _, _), (A, finding) in notes.items():
        assert memo.recall(found, A, n) == finding
        assert memo.recall(found, A, 52) == UNKNOWN
    assert found.counts["entries"][0] == len(notes) > 300


def test_entries_with_the_same_hash_are_told_apart():
    found = memo.empty(1 << 20)
    A, B = np.array([[1, 2]], np.uint64), np.array([[1, 3]], np.uint64)
    memo.remember(found, A, 9, (3, 4, 0))
    start, h = int(found.slots.max()), found.words[found.slots.max() + 1]
    assert memo._is_entry(found.words, start, A, 9, h)
    assert not memo._is_entry(found.words, start, B, 9, h)
    assert not memo._is_entry(found.words, start, A, 8, h)


def test_a_full_memo_keeps_what_it_has():
    rng = np.random.default_rng(2)
    found = memo.empty(1 << 11)
    first, *others = matrices(rng, 100)
    memo.remember(found, first, 9, (3, 4, 5))
    for A in others:
        memo.remember(found, A, 60, (3, 3, 0))
    assert found.counts["used"][0] <= found.words.size
    assert found.counts["entries"][0] < 50
    assert memo.recall(found, first, 9) == (3, 4, 5)
    memo.remember(found, first, 9, (4, 4, 6))
    assert memo.recall(found, first, 9) == (4, 4, 6)


def test_very_large_matrices_are_not_kept():
    found = memo.empty(1 << 20)
    memo.remember(found, np.zeros((1, memo.LARGEST_KEPT + 1), np.uint64), 9, (3, 4, 0))
    assert found.counts["entries"][0] == 0


@over("octets", [0, 1, 1000, 1536, 10**6])
def test_any_size_will_do(octets):
    found = memo.empty(octets)
    for A in matrices(np.random.default_rng(3), 50):
        memo.remember(found, A, 9, (3, 4, 5))
        assert memo.recall(found, A, 9) in {UNKNOWN, (3, 4, 5)}
