"""Dimensions by their definitions, as slow as that; and small classes to try them on.

A class is a list of rows of 0 and 1. Nothing here shares code with the package.
"""

from functools import cache
from itertools import combinations

import numpy as np


def patterns(rows, points):
    return {tuple(row[x] for x in points) for row in rows}


def naive_vc(rows) -> int:
    """The largest k such that some k points show 2^k patterns; −1 without concepts."""
    n = len(rows[0]) if rows else 0
    shattered = [k for k in range(n + 1) for P in combinations(range(n), k) if len(patterns(rows, P)) == 2**k]
    return max(shattered, default=-1)


def naive_littlestone(rows) -> int:
    """1 + the larger of min(Ldim of both parts) over all points; 0 for one concept, −1 for none."""

    @cache
    def ldim(H: frozenset) -> int:
        if len(H) <= 1:
            return len(H) - 1
        n = len(next(iter(H)))
        parts = [frozenset(row for row in H if row[x]) for x in range(n)]
        return max(1 + min(ldim(one), ldim(H - one)) for one in parts if 0 < len(one) < len(H))

    return ldim(frozenset(map(tuple, rows)))


def naive_threshold(rows) -> int:
    """The longest x₁, x₂ …, c₁, c₂ … with c_i(x_j) = 1 iff i ≤ j, built from the front, pair by pair."""
    rows = [list(map(int, row)) for row in rows]
    n = len(rows[0]) if rows else 0

    def longest(concepts: tuple, points: tuple) -> int:
        best = len(concepts)
        for c in range(len(rows)):
            for x in range(n):
                fits = rows[c][x] and all(not rows[c][y] for y in points) and all(rows[b][x] for b in concepts)
                if fits:
                    best = max(best, longest((*concepts, c), (*points, x)))
        return best

    return longest((), ())


def random_rows(rng, most_concepts, most_points):
    """Distinct rows; sizes and density are random too."""
    m, n = rng.integers(1, most_concepts + 1), rng.integers(1, most_points + 1)
    return np.unique(rng.random((m, n)) < rng.choice([0.15, 0.3, 0.5, 0.7]), axis=0).astype(int).tolist()


def random_tree(rng, nodes) -> list[int]:
    """parents[v] < v, the root 0 its own parent; shallow, deep or in between."""
    reach = rng.choice([1, 2, 5, nodes])
    return [0] + [int(rng.integers(max(0, v - reach), v)) for v in range(1, nodes)]


def paths_of(parents, proper) -> np.ndarray:
    """The root paths that end at ``proper`` nodes, on the points 1, 2 …: one a row."""
    H = np.zeros((len(proper), len(parents)), dtype=int)
    for row, end in enumerate(proper):
        v = end
        while v:
            H[row, v] = 1
            v = parents[v]
    return H[:, 1:]


def random_laminar(rng, most_nodes):
    """A class of VC dimension at most 1: random root paths XOR a random concept, its points shuffled and repeated."""
    nodes = int(rng.integers(2, most_nodes + 1))
    parents = random_tree(rng, nodes)
    proper = np.flatnonzero(rng.random(nodes) < rng.choice([0.4, 0.8, 1.0]))
    H = paths_of(parents, proper if len(proper) else [0])
    H = H[:, rng.integers(0, nodes - 1, size=nodes + 1)]
    H = H ^ rng.integers(0, 2, size=H.shape[1])
    return rng.permutation(np.unique(H, axis=0)).tolist()
