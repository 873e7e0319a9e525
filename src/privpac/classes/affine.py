"""Affine subspaces as rules: equations between coordinates over a prime field.

Throughout this file
    p      the size of the field            lead   the first coordinate of a direction that is not 0

Main declarations
    AffineSubspace     a point and directions, in canonical form: equal sets are equal values
    Equation           what a coordinate equals
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from flint import fmpz

from privpac.classes.base import Hypothesis, Labels
from privpac.classes.vectors import coordinate_names
from privpac.data.grid import Grid

LARGEST_PRIME = 2**64  # testing a prime of thousands of digits, as from a foreign file, would take long
NOT_PRIME = "p must be a prime below 2^64"

Vector = tuple[int, ...]


class Equation(NamedTuple):
    """The sum of ``constant`` and of the ``factors`` times their coordinates, in the field."""

    constant: int
    factors: tuple[tuple[int, int], ...]

    def sentence(self, p: int, equal: list[str], x: Mapping[int, str]) -> str:
        """These coordinates equal the sum.

        >>> Equation(1, ((0, 1), (2, 1))).sentence(2, ["b"], {0: "a", 2: "c"}), Equation(0, ()).sentence(3, ["b"], {})
        ('b = a ⊕ c ⊕ 1', 'b = 0')
        """
        if len(self.factors) == 1 and self.factors[0][1] == 1 and (p == 2 or not self.constant):
            one = x[self.factors[0][0]]
            return " = ".join([*equal, f"not {one}"] if self.constant else [one, *equal])
        terms = [x[i] if factor == 1 else f"{factor}·{x[i]}" for i, factor in self.factors]
        terms += [str(self.constant)] if self.constant or not terms else []
        total = (" ⊕ " if p == 2 else " + ").join(terms)
        return " = ".join([*equal, total]) + (f" (mod {p})" if p > 2 and self.factors else "")


@dataclass(frozen=True)
class AffineSubspace(Hypothesis):
    """The points ``origin`` + span of ``basis`` over the field of ``p`` elements.

    Any directions are brought into canonical form: the basis is in reduced echelon form and the origin is 0 where
    the basis leads.

    >>> h = AffineSubspace(5, (3, 1), ((2, 4),))
    >>> print(h, h([(3, 1), (0, 1)]))
    x₂ = 2·x₁ (mod 5) [ True False]
    """

    p: int
    origin: Vector
    basis: tuple[Vector, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.origin or not all(len(row) == len(self.origin) for row in self.basis):
            raise ValueError("a subspace needs an origin, and directions of the same length")
        if self.p >= LARGEST_PRIME or not fmpz(self.p).is_prime():
            raise ValueError(NOT_PRIME)
        basis = _echelon(self.p, self.basis)
        object.__setattr__(self, "basis", basis)
        object.__setattr__(self, "origin", _reduced(self.p, self.origin, basis))

    @property
    def dimension(self) -> int:
        return len(self.basis)

    def __call__(self, column: Any, /) -> Labels:
        kind = np.int64 if self.p**2 * (self.dimension + 1) < 2**63 else object
        n = len(self.origin)
        rest = (Grid(0, self.p - 1, n).vectors(column).astype(kind) - np.array(self.origin, dtype=kind)) % self.p
        basis = np.array(self.basis, dtype=kind).reshape(-1, n)
        rest = (rest - rest[:, [_lead(row) for row in self.basis]] @ basis) % self.p
        return np.asarray(~rest.astype(bool).any(axis=1))

    def joined(self, x: Vector) -> AffineSubspace:
        """The smallest affine subspace that contains this one and the point ``x``."""
        away = tuple(a - b for a, b in zip(x, self.origin, strict=True))
        return AffineSubspace(self.p, self.origin, (*self.basis, away))

    @property
    def constant(self) -> bool | None:
        return True if self.dimension == len(self.origin) else None

    @property
    def equations(self) -> dict[Equation, list[int]]:
        """What each coordinate equals that does not vary freely; coordinates that equal the same are together."""
        free = [_lead(row) for row in self.basis]
        found: dict[Equation, list[int]] = {}
        for i in (i for i in range(len(self.origin)) if i not in set(free)):
            factors = tuple((lead, row[i]) for lead, row in zip(free, self.basis, strict=True) if row[i])
            found.setdefault(Equation(self.origin[i], factors), []).append(i)
        return found

    def sentence(self, *names: str) -> str:
        """The equations: x₁ = x₂ = x₅ and x₃ = 0."""
        x = coordinate_names(names, len(self.origin))
        parts = [each.sentence(self.p, [x[i] for i in equal], x) for each, equal in self.equations.items()]
        return " and ".join(parts) or "always"


def _echelon(p: int, vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    """The reduced echelon form over the field of p elements of what ``vectors`` span."""
    basis: list[Vector] = []
    for vector in vectors:
        rest = _reduced(p, vector, basis)
        if any(rest):
            inverse = pow(rest[_lead(rest)], -1, p)
            row = tuple(inverse * x % p for x in rest)
            basis = sorted([*(_reduced(p, other, [row]) for other in basis), row], key=_lead)
    return tuple(basis)


def _reduced(p: int, vector: Vector, basis: Iterable[Vector]) -> Vector:
    """``vector`` reduced to 0 in the leading positions of an echelon basis."""
    for row in basis:
        factor = vector[_lead(row)]
        vector = tuple((x - factor * b) % p for x, b in zip(vector, row, strict=True))
    return tuple(x % p for x in vector)


def _lead(row: Vector) -> int:
    return next(i for i, x in enumerate(row) if x)
