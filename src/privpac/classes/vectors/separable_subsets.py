"""All subsets of finitely many points that half-spaces cut off, in exact arithmetic.

Throughout this file
    d         the dimension of the space        (w, b)    the half-space w·x ≥ b, with integers w and b
    V         n distinct points of ℤ^d, as an n × d array
    t         a direction of a line             v, s      the values w·x and t·x on V

Let V span the space. Take a hyperplane through d affinely independent points of V, and tilt it a little, so that some
half-space of the hyperplane splits the points on it. Every proper subset that a half-space cuts off is cut off in this
way, because the pairs (w, b) that separate it weakly form a pointed cone, and an extreme ray of that cone is tight on d
such points. A tilt by (u, c) is exact: if |u·x − c| < M on V and w·x ≠ b, then M(w·x − b) + (u·x − c) has the sign of
w·x − b.

In the plane, the tilted lines of one direction sort V by w·x and then by ± t·x; they cut off the ends of that order.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from privpac.classes.finite.patterns import first_of_each
from privpac.classes.hypothesis import Labels
from privpac.classes.vectors.vector_class import Vectors

BATCH = 2**18  # values w·x computed at a time


class Cuts(NamedTuple):
    """Half-spaces, and the subsets of V that they cut off: labels[i, j] says whether normals[i]·V[j] ≥ biases[i]."""

    labels: Labels
    normals: Vectors
    biases: Vectors

    def distinct(self) -> Cuts:
        """These cuts without repeated subsets."""
        return self._only(first_of_each(self.labels))

    def proper(self) -> Cuts:
        """These cuts without ∅ and V."""
        return self._only(np.flatnonzero(self.labels.any(axis=1) & ~self.labels.all(axis=1)))

    def with_complements(self) -> Cuts:
        """These cuts and those of the complements: w·x < b is −w·x ≥ 1 − b."""
        parts = zip(self, (~self.labels, -self.normals, 1 - self.biases), strict=True)
        return Cuts(*map(np.concatenate, parts)).distinct()

    def _only(self, rows: NDArray[np.intp]) -> Cuts:
        return Cuts(*(part[rows] for part in self))


def cuts(V: Vectors) -> Cuts:
    """Every subset of V that a half-space cuts off, once, without ∅ and V.

    >>> proper = cuts(np.array([[0], [1], [3]]))
    >>> sorted(proper.labels.astype(int).tolist())
    [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]
    """
    return _cuts(V, {})


def _cuts(V: Vectors, memo: dict[tuple[tuple[int, ...], ...], Cuts]) -> Cuts:
    """The cuts of V; ``memo`` has those of earlier point sets, since the same set lies in many hyperplanes."""
    key = tuple(map(tuple, V.tolist()))
    if key not in memo:
        coordinates = _coordinates(V)
        if len(coordinates) < V.shape[1]:
            memo[key] = _lifted(_cuts(V[:, coordinates], memo), coordinates, V.shape[1])
        elif len(coordinates) <= 2:
            memo[key] = _in_plane(V).with_complements()
        else:
            memo[key] = _in_space(V, memo).with_complements()
    return memo[key]


def _coordinates(V: Vectors) -> list[int]:
    """The fewest coordinates that determine all others on the affine span of V; in these alone, V spans the space."""
    if len(V) == 1:
        return []
    echelon, _, rank = fmpz_mat((V[1:].astype(object) - V[0]).tolist()).rref()
    return [next(j for j in range(V.shape[1]) if echelon[i, j] != 0) for i in range(rank)]


def _lifted(part: Cuts, coordinates: list[int], d: int) -> Cuts:
    """The half-spaces of ``part``, which has these ``coordinates`` alone, in d dimensions: all others have weight 0."""
    normals = np.zeros((len(part.normals), d), dtype=part.normals.dtype)
    normals[:, coordinates] = part.normals
    return Cuts(part.labels, normals, part.biases)


def _in_plane(V: Vectors) -> Cuts:
    """The cuts up to complements. V spans its space, of dimension d ≤ 2; a line is seen as a line in the plane."""
    n, d = V.shape
    V = np.hstack([V, np.zeros((n, 2 - d), dtype=V.dtype)])
    reach = 2 * int(np.abs(V.astype(object)).max())
    V = V if 8 * (reach + 1) ** 4 < 2**63 else V.astype(object)  # no number below exceeds 8·(reach + 1)^4
    directions = np.array(_directions(V), dtype=V.dtype).reshape(-1, 2)
    parts = []
    for t in np.array_split(directions, 1 + len(directions) * n // BATCH):  # a batch of directions, one in each row
        w = t[:, ::-1] * [-1, 1]  # orthogonal to t
        s, v = t @ V.T, w @ V.T
        M = 1 + np.ptp(s, axis=1, keepdims=True)
        for tilt in (1, -1):
            normals, values = M * w + tilt * t, M * v + tilt * s
            order = np.argsort(values, axis=1)
            v_sorted = np.take_along_axis(v, order, axis=1)
            # Entry i + 1 of a row: whether the points at i and i + 1 lie on one line, w·x being equal.
            tied = np.pad(v_sorted[:, 1:] == v_sorted[:, :-1], ((0, 0), (1, 1)))
            # Only cuts within a line that has two or more of the points, or just before or after it, are needed.
            direction, place = np.nonzero(tied[:, :-2] | tied[:, 1:-1] | tied[:, 2:])
            biases = np.take_along_axis(values, order, axis=1)[direction, place + 1]
            parts.append(Cuts(values[direction] >= biases[:, None], normals[direction, :d], biases).distinct())
    return Cuts(*map(np.concatenate, zip(*parts, strict=True)))


def _directions(V: Vectors) -> list[tuple[int, int]]:
    """The directions of the lines through two points of V ⊂ ℤ²: coprime coordinates, and one of both signs."""
    i, j = np.triu_indices(len(V), 1)
    t = V[j] - V[i]
    t //= np.gcd(t[:, 0], t[:, 1])[:, None]
    return list(dict.fromkeys((a, b) if (a, b) > (0, 0) else (-a, -b) for a, b in t.tolist()))


def _in_space(V: Vectors, memo: dict[tuple[tuple[int, ...], ...], Cuts]) -> Cuts:
    """The cuts up to complements. V spans its space, of dimension d ≥ 3."""
    V = V.astype(object)
    reach = np.abs(V).max(axis=0)
    parts = []
    for w, b in _hyperplanes(V):
        v = V @ w - b
        on_plane = v == 0
        # On the hyperplane, all coordinates but one (whose weight is not 0) determine that one.
        coordinates = np.delete(np.arange(len(w)), np.flatnonzero(w)[0])
        inside = _lifted(_cuts(V[on_plane][:, coordinates], memo), coordinates.tolist(), len(w))
        # One side with no point on the hyperplane; with all of them; with each subset that is cut off within it.
        labels = np.tile(v > 0, (len(inside.labels) + 2, 1))
        labels[1, on_plane] = True
        labels[2:, on_plane] = inside.labels
        M = 1 + np.abs(inside.normals.astype(object)) @ reach + np.abs(inside.biases.astype(object))
        normals = [[w, w], M[:, None] * w + inside.normals]
        biases = [[b + 1, b], M * b + inside.biases]
        parts.append(Cuts(labels, np.concatenate(normals), np.concatenate(biases)))
    return Cuts(*map(np.concatenate, zip(*parts, strict=True))).proper().distinct()


def _hyperplanes(V: Vectors) -> list[tuple[Vectors, int]]:
    """The hyperplanes w·x = b through d affinely independent points of V ⊂ ℤ^d, each once, with coprime weights."""
    d = V.shape[1]
    corners = V[np.array(list(combinations(range(len(V)), d)))]
    edges = corners[:, 1:] - corners[:, :1]
    signs = (-1) ** np.arange(d)
    w = np.stack([signs[i] * _determinants(np.delete(edges, i, axis=2)) for i in range(d)], axis=1)
    proper = (w != 0).any(axis=1)
    w, corner = w[proper], corners[proper, 0]
    w //= np.gcd.reduce(w, axis=1, keepdims=True)
    w *= np.where([next(filter(None, normal)) > 0 for normal in w], 1, -1)[:, None]
    b = (w * corner).sum(axis=1)
    return [(np.array(row[:-1], dtype=object), row[-1]) for row in dict.fromkeys(map(tuple, np.column_stack([w, b])))]


def _determinants(A: Vectors) -> Vectors:
    """The determinants of a stack of small integer matrices, by the first row."""
    k = A.shape[1]
    if k == 1:
        return A[:, 0, 0]
    terms = [(-1) ** j * A[:, 0, j] * _determinants(np.delete(A[:, 1:], j, axis=2)) for j in range(k)]
    total: Vectors = sum(terms[1:], terms[0])
    return total
