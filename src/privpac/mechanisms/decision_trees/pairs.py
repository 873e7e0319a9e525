"""Pairs of public tests: in which ways two tests may vote as one, and the weight of the records where each holds.

proof: docs/proofs/scorecards.md

Throughout this file
    T      the number of tests                       i, j   two of them, i < j
    k      the number of a truth table in ``JOINS``  g      an integer for each entry of the records
    b      the number of a pair (k, i, j): (k·T + i)·T + j
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.powers import Floats
from privpac.mechanisms.decision_trees.counts import Block, Places, PublicTests

Bits = NDArray[np.bool_]
JOINS = (  # truth tables on 00, 01, 10, 11; a vote with s = −1 stands for the negation, such as "not both"
    (False, False, False, True),  # both tests hold
    (False, False, True, False),  # only i
    (False, True, False, False),  # only j
    (True, False, False, False),  # neither
    (False, True, True, False),  # exactly one
)
MOST_TESTS = 2**8  # a round looks at 5·T² pairs


def pair_of(b: int, T: int) -> tuple[int, int, int]:
    """(k, i, j) for the pair with number b."""
    return b // T**2, b // T % T, b % T


def joined(k: int, first: Bits, second: Bits) -> Bits:
    """Where pair k holds, given where its tests do.

    >>> joined(4, np.array([False, False, True, True]), np.array([False, True, False, True])).tolist()
    [False, True, True, False]
    """
    holds: Bits = np.array(JOINS[k])[2 * first + second]
    return holds


def pairs(tests: PublicTests) -> Ints:
    """The numbers of all pairs of tests that say something new.

    Of two tests x ≥ 3 and x ≥ 5, where x ≥ 5 implies x ≥ 3, only "exactly one" says something new: 3 ≤ x < 5.

    >>> line = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[0, 1]], bool)))
    >>> [pair_of(b, T=3) for b in pairs(line).tolist()][:3], len(pairs(line))
    ([(0, 0, 2), (0, 1, 2), (1, 0, 2)], 11)
    """
    T = tests.number
    outcomes = np.full((T, T), 4)  # how many of 00, 01, 10, 11 occur: all four, for tests of different blocks
    for (start, end), block in zip(tests.spans, tests.blocks, strict=True):
        outcomes[start:end, start:end] = _outcomes(block)
    new = np.stack([*[outcomes == 4] * 4, outcomes >= 3])
    return np.flatnonzero(new & np.triu(np.ones((T, T), dtype=bool), 1))


def _outcomes(block: Block) -> Ints:
    """For every two tests of a block, how many of the outcomes 00, 01, 10, and 11 some cell has."""
    sides = block.astype(np.int64), (~block).astype(np.int64)
    return np.asarray(sum((a @ b.T > 0).astype(np.int64) for a, b in itertools.product(sides, repeat=2)))


def pair_weights(tests: PublicTests, cells: Places, g: Floats) -> Floats:
    """For each pair, by its number, the sum of g over the entries where it holds; exact while Σ |g| ≤ 2^50.

    >>> line = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[0, 1]], bool)))
    >>> weights = pair_weights(line, np.array([[0, 1, 2], [1, 0, 1]]), np.array([1.0, 10.0, 100.0]))
    >>> [(pair_of(b, 3), float(weights[b])) for b in pairs(line).tolist()][:2]
    [((0, 0, 2), 100.0), ((0, 1, 2), 100.0)]
    """
    both = np.empty((tests.number, tests.number))
    blocks = list(zip(tests.spans, tests.columns, cells, strict=True))
    for (span_i, A, cells_i), (span_j, B, cells_j) in itertools.combinations_with_replacement(blocks, 2):
        cell_pairs = np.bincount(cells_i * len(B) + cells_j, weights=g, minlength=len(A) * len(B))
        both[slice(*span_i), slice(*span_j)] = A.T @ cell_pairs.reshape(len(A), len(B)) @ B
    one_test, total = np.diag(both), g.sum()
    first, second = one_test[:, None], one_test
    by_join = both, first - both, second - both, total - first - second + both, first + second - 2 * both
    return np.stack(by_join).ravel()
