"""Sixteen blocks: what is refuted is false, and most of what is false is refuted."""

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("numba")

from privpac.dimensions.kernels.small_blocks import BLOCKS, SmallBlocks, refuted

WORK = 1 << 30


def proof(blocks, k, work=WORK, due=0):
    """What is left of the work after a proof that no k points shatter every one of the matrices."""
    B, n = SmallBlocks.empty(k), blocks[0].shape[1]
    for b, block in enumerate(blocks):
        B.sizes[0, b] = len(block)
        bits = np.zeros((n, 192), dtype=bool)
        bits[:, : len(block)] = block.T
        B.rows[0, :n, :3, b] = np.packbits(bits, axis=1, bitorder="little").view("<u8")
        B.rows[0, :n, 3, b] = block.sum(axis=0)
    B.due[0, :n] = due
    return refuted(B, n, k, 0, work)


def all_shatter(blocks, points):
    return all(len(np.unique(block[:, points], axis=0)) == 2 ** len(points) for block in blocks)


def some(blocks, k):
    """Some k points that shatter all the blocks."""
    return next((points for points in combinations(range(blocks[0].shape[1]), k) if all_shatter(blocks, points)), None)


@pytest.mark.slow
def test_what_is_refuted_is_false():
    rng = np.random.default_rng()
    true = false = refutations = 0
    for _ in range(300):
        k, n = rng.integers(2, 5), rng.integers(4, 9)
        size = rng.integers(2 ** (k + 1), 2 ** (k + 3))
        blocks = [rng.random((rng.integers(size // 2, size), n)) < 0.5 for _ in range(BLOCKS)]
        found, left = some(blocks, k), proof(blocks, k)
        assert found is None or not left, (k, found)
        true, false, refutations = true + (found is not None), false + (found is None), refutations + (left > 0)
    assert true > 50 and false > 50 and refutations > 0.5 * false


@pytest.mark.parametrize("b", [0, 7, 8, 15])
@pytest.mark.parametrize("c", [0, 63, 64, 127, 128, 191])
def test_every_block_and_every_concept_counts(b, c):
    """Four points shatter blocks of 192 concepts, until the only concept with one pattern is taken from one of them."""
    cube = np.array(list(np.ndindex((2,) * 4)), dtype=bool)
    block = np.vstack([cube[:1], np.tile(cube[1:], (13, 1))])[np.arange(192) % 196]
    block[0], block[c] = block[c].copy(), block[0].copy()  # 0000 stands at c and nowhere else
    blocks = [block.copy() for _ in range(BLOCKS)]
    assert all_shatter(blocks, range(4)) and proof(blocks, 4) == 0
    blocks[b][c] = cube[3]
    assert proof(blocks, 4) > 0


def test_points_that_come_too_late_are_given_up():
    cube = np.array(list(np.ndindex((2,) * 5)), dtype=bool)
    blocks = [np.tile(cube, (4, 1))] * BLOCKS
    assert proof(blocks, 4) == proof(blocks, 4, due=[0, 0, 2, 3, 3]) == 0
    assert proof(blocks, 4, due=[0, 2, 2, 2, 2]) > 0
    assert proof(blocks, 4, due=[0, 0, 0, 4, 4]) > 0


def test_a_proof_that_takes_too_long_is_none():
    rng = np.random.default_rng(1)
    blocks = [rng.random((40, 30)) < 0.5 for _ in range(BLOCKS)]
    left = proof(blocks, 4)
    assert 0 < left < WORK
    assert proof(blocks, 4, work=WORK - left) == 0
    assert proof(blocks, 4, work=WORK - left + 1) == 1
