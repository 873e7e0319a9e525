"""Weights of the rows of a pool, so that its tables come close to noisy ones. Only released numbers are read here.

Throughout this file
    w      the weights of the rows of the pool, in records         w₀     the weights before the descent, all equal
    y, σ²  a noisy count and the variance of its noise             m      the same count by w
    n      the sum of the weights                                  θ      potentials, a number for each count:
                                                                          ln w is the sum of those of a row's cells

The descent minimizes Σ (m − y)²/2 + τ·σ²·KL(w, w₀) + λ·|Θ|: the noise in y would otherwise go into the weights. Θ is
the matrix of the potentials of all pairs of columns, with a row and a column for each cell, and |Θ| the sum of the
absolute values of its eigenvalues. Dependence often has few causes, so that Θ is nearly a matrix of low rank, and
noise is not. Blocks of Θ that no table measures are free.

Main declarations
    descent       the weights
    membership    which counts each row belongs to
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from privpac.release.consistency import Chosen, Floats, as_tables
from privpac.release.noisy_tables import NoisyTables

STEPS, STEP = 160, 0.2
ANEW = 120  # steps after which the momentum starts anew: what has built up by then would soon fit noise
PRIOR = 0.006  # τ
RANK = 0.4  # λ/(σ·√m) for m counts in a row of Θ; the largest eigenvalue of noise alone is about 2·σ·√m
LARGEST_MATRIX = 600  # rows of Θ; a larger one would take longer than all the rest


def descent(tables: NoisyTables, rows: NDArray[Any]) -> Floats:
    """The weights: mirror descent with momentum, which starts anew whenever a step led uphill, and near the end."""
    n, member, prior = tables.total, membership(rows, tables.shape, tables.noisy), PRIOR * tables.variance
    scale, y = max(n, 1.0) + prior, np.concatenate([table.ravel() for table in tables.consistent.values()])
    low_rank = _LowRank(tables, STEP / scale)
    θ, speed, last, k = np.zeros(len(y)), np.zeros(len(y)), np.inf, 0
    for step in range(STEPS):
        off = _weights(member @ θ, n) @ member - y
        loss = float(off @ off)
        speed, k = (speed, k) if loss <= last and step != ANEW else (np.zeros(len(y)), 0)
        last, k = loss, k + 1
        moved = low_rank(θ + k / (k + 3) * speed - STEP / scale * (off + prior * θ))
        θ, speed = moved, moved - θ
    return _weights(member @ θ, n)


class _LowRank:
    """Moves the eigenvalues of Θ towards 0: the proximal step of λ·|Θ|; what the free blocks hold is kept."""

    def __init__(self, tables: NoisyTables, step: float) -> None:
        self.sets, self.shape = tuple(tables.noisy), tables.shape
        first = [0, *accumulate(tables.shape)]
        self.inside = {pair: tuple(slice(first[i], first[i + 1]) for i in pair) for pair in self.sets if len(pair) == 2}
        self.free = np.zeros((first[-1], first[-1]))
        noisy = np.zeros(first[-1])  # counts in each row of Θ
        for (i, j), (rows, columns) in self.inside.items():
            noisy[rows] += self.shape[j]
            noisy[columns] += self.shape[i]
        self.less = step * RANK * sqrt(tables.variance * noisy.max())

    def __call__(self, θ: Floats) -> Floats:
        if not self.inside or len(self.free) > LARGEST_MATRIX:
            return θ
        tables, whole = as_tables(θ, self.sets, self.shape), self.free
        for pair, (rows, columns) in self.inside.items():
            whole[rows, columns], whole[columns, rows] = tables[pair], tables[pair].T
        values, vectors = np.linalg.eigh(whole)
        self.free = (vectors * (np.sign(values) * np.maximum(np.abs(values) - self.less, 0))) @ vectors.T
        for pair, block in self.inside.items():
            tables[pair] = self.free[block]
        return np.concatenate([table.ravel() for table in tables.values()])


def membership(rows: NDArray[Any], shape: Sequence[int], sets: Iterable[Chosen]) -> csr_array:
    """Which counts each row belongs to, one set after another.

    >>> membership(np.array([[0, 1], [1, 1]]), (2, 2), [(0, 1)]).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    inside, first = [], 0
    for chosen in sets:
        sides = [shape[i] for i in chosen]
        inside.append(first + np.ravel_multi_index([rows[:, i] for i in chosen], sides))
        first += prod(sides)
    entries, ends = np.ones(len(inside) * len(rows)), np.arange(len(rows) + 1) * len(inside)
    return csr_array((entries, np.stack(inside, axis=1).ravel(), ends), shape=(len(rows), first))


def _weights(tilt: Floats, total: float) -> Floats:
    weights = np.exp(tilt - tilt.max())
    return np.asarray(weights * (total / weights.sum()))
