"""Parities: linear functions of bits over GF(2).

Throughout this file
    d      the number of bits             V      finitely many points of {0, 1}^d, an n × d matrix over GF(2)

The patterns of the parities on V are the column space of V; the affine ones add the column of ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privpac.classes.concept_class import Known
from privpac.classes.finite.patterns import PatternTable
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.matrices import check_matrix_size
from privpac.classes.vectors.vector_class import VectorClass, check_positions, coordinate_names
from privpac.data.domains.grid import Grid

PARITIES = "docs/proofs/dimensions.md, Parities"


@dataclass(frozen=True)
class Parity(Hypothesis):
    """The sum modulo 2 of the bits at ``variables``, out of ``d`` bits, is ``value``; positions count from 0.

    >>> h = Parity(3, (0, 2))
    >>> print(h, h([(1, 0, 0), (1, 1, 1)]))
    x₁ ⊕ x₃ = 1 [ True False]
    """

    d: int
    variables: tuple[int, ...]
    value: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positions(self.d, self.variables)
        check_positions(2, (self.value,))

    def __call__(self, column: Column, /) -> Labels:
        V = Grid(0, 1, self.d).points(column)
        return np.asarray(V[:, list(self.variables)].sum(axis=1) % 2 == self.value)

    @property
    def constant(self) -> bool | None:
        """The sum of no bits is 0."""
        return None if self.variables else self.value == 0

    def sentence(self, *names: str) -> str:
        if self.constant is not None:
            return Constant(self.constant).sentence()
        x = coordinate_names(names, self.d, self.variables)
        return f"{' ⊕ '.join(x[i] for i in self.variables)} = {self.value}"


@dataclass(frozen=True)
class Parities(VectorClass):
    """All linear parities of d bits, including the empty one, which is never 1; with ``affine``, also their negations.

    >>> Parities(100).known("Littlestone").value, Parities(100, affine=True).size == 2**101
    (100, True)
    >>> [str(h) for h in Parities(3).representatives([(1, 1, 0), (0, 0, 1)])]
    ['never', 'x₁ = 1', 'x₃ = 1', 'x₁ ⊕ x₃ = 1']
    """

    d: int
    affine: bool = False

    @property
    def domain(self) -> Grid:
        return Grid(0, 1, self.d)

    @property
    def size(self) -> int:
        return 1 << self.d + self.affine

    def known(self, kind: str) -> Known | None:
        """All six: d for linear parities; d + 1 for affine ones, but d for their dual VC and Littlestone dimensions."""
        if kind in {"VC", "Littlestone", "threshold", "dual threshold"}:
            return Known(self.d + self.affine, PARITIES)
        return Known(self.d, PARITIES) if kind in {"dual VC", "dual Littlestone"} else None

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        V = self.domain.points(points)
        bits = V.astype(bool)
        columns = [np.ones(len(V), dtype=bool)] if self.affine else []
        columns += list(bits.T)
        basis = _independent(columns)
        check_matrix_size(2 ** len(basis), len(V))
        labels = np.zeros((1, len(V)), dtype=bool)
        subsets: list[tuple[int, ...]] = [()]
        for i in basis:
            labels = np.vstack([labels, labels ^ columns[i]])
            subsets += [(*subset, i) for subset in subsets]
        return labels, [self._parity(subset) for subset in subsets]

    def _parity(self, columns: tuple[int, ...]) -> Parity:
        """The sum of these columns. If the class is affine, the first column is the column of ones."""
        negated = self.affine and 0 in columns
        return Parity(self.d, tuple(i - self.affine for i in columns if i >= self.affine), 0 if negated else 1)


def _independent(columns: list[Labels]) -> list[int]:
    """Positions of columns that form a basis of their span, by elimination over GF(2)."""
    basis = []
    reduced: dict[int, int] = {}  # the reduced columns as integers, by their number of bits
    for i, column in enumerate(columns):
        remainder = int.from_bytes(np.packbits(column).tobytes(), "big")
        while remainder and remainder.bit_length() in reduced:
            remainder ^= reduced[remainder.bit_length()]
        if remainder:
            reduced[remainder.bit_length()] = remainder
            basis.append(i)
    return basis
