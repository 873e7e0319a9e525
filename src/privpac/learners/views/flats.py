"""What subsets of records span, and how many records a flat labels wrongly.

Throughout this file
    p      the size of the field            k      the largest dimension of a flat of the class
    P      all positive records

Main declarations
    Hulls             the flats that positive points span, by number; each is computed once
    ballots           the records as subsets of them vote
    tallied_points    the records by their points
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from privpac.classes.affine import AffineSubspace
from privpac.classes.base import Constant
from privpac.classes.subspaces import AffineSubspaces
from privpac.data.columns import objects
from privpac.data.sample import Sample, Tally
from privpac.mechanisms.votes import Ballots

NEVER = Constant(False)
TOO_WIDE = -1  # the hull of points that span more than k dimensions
SMALL = 2**31  # fields whose products fit into int64
MOST_LISTED = 2**12  # points of a flat that are looked up one by one


class Hulls:
    """The flats that positive points span. Numbers of points are those of ``ones``, numbers of flats as they come."""

    def __init__(self, H: AffineSubspaces, sample: Sample) -> None:
        self.H, self.P = H, sample.positives
        self.points, zeros, ones = sample.tally()
        self.gain = ones - zeros
        there = np.flatnonzero(ones)
        self.ones = ones[there]
        self._vectors = list(map(tuple, self.points[there].tolist()))
        self.flats: list[AffineSubspace] = []
        self._numbers: dict[AffineSubspace, int] = {}
        self._joined: dict[tuple[int | None, int], int] = {}

    def hull(self, points: Sequence[int]) -> int | None:
        """The number of the smallest flat that contains these points; None if there is none in the class."""
        hull: int | None = None
        for point in points:
            known = self._joined.get((hull, point))
            hull = self._join(hull, point) if known is None else known
            if hull == TOO_WIDE:
                return None
        return hull

    def _join(self, hull: int | None, point: int) -> int:
        x = self._vectors[point]
        wider = AffineSubspace(self.H.p, x) if hull is None else self.flats[hull].joined(x)
        if wider.dimension > self.H.dim:
            number = TOO_WIDE
        else:
            number = self._numbers.setdefault(wider, len(self.flats))
            self.flats += [wider] * (number == len(self.flats))
        self._joined[hull, point] = number
        return number

    def errors(self, number: int) -> int:
        """How many records this flat labels wrongly."""
        return self.errors_of(self.flats[number])

    def errors_of(self, flat: AffineSubspace) -> int:
        """How many records a flat labels wrongly."""
        if flat.p < SMALL and flat.p**flat.dimension <= min(MOST_LISTED, len(self.points)):
            gained = sum(self._gains.get(row.tobytes(), 0) for row in _listed(flat))
        else:
            gained = int(self.gain[flat(self.points)].sum())
        return self.P - gained

    @cached_property
    def _gains(self) -> dict[bytes, int]:
        """For each point, its positive records minus its negative ones."""
        rows = self.points.astype(np.int64)
        return dict(zip((row.tobytes() for row in rows.reshape(-1, self.H.n)), self.gain.tolist(), strict=True))


def ballots(H: AffineSubspaces, sample: Sample) -> Ballots:
    """The records as subsets of them vote for what their positive points span.

    >>> records = Sample(np.array([(0, 0), (0, 1), (1, 1)]), np.array([True, True, False]), None, 4)
    >>> seen = ballots(AffineSubspaces(p=2, n=2, dim=1), records)
    >>> number = seen.vote([0, 1])
    >>> print(seen.candidate(number), seen.errors(number), seen.positives, seen.n)
    x₁ = 0 0 [1 1] 4
    """
    hulls = Hulls(H, sample)
    return Ballots(hulls.ones, sample.size, {NEVER: hulls.P}, hulls.hull, hulls.errors, lambda i: hulls.flats[i])


def tallied_points(sample: Sample) -> Tally:
    """How many records have each label at each distinct point, points as tuples.

    >>> tallied_points(Sample(np.array([(0, 1), (0, 1)]), np.array([True, False]), None, 2))
    Tally(points=array([(0, 1)], dtype=object), zeros=array([1]), ones=array([1]))
    """
    points, zeros, ones = sample.tally()
    return Tally(objects(map(tuple, points.tolist())), zeros, ones)


def _listed(flat: AffineSubspace) -> NDArray[np.int64]:
    """All points of a flat."""
    origin, basis = np.array(flat.origin, dtype=np.int64), np.array(flat.basis, dtype=np.int64)
    weights = np.array(list(product(range(flat.p), repeat=flat.dimension)), dtype=np.int64)
    return (origin + weights.reshape(flat.p**flat.dimension, flat.dimension) @ basis.reshape(-1, len(origin))) % flat.p
