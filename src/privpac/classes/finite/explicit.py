"""Concept classes as boolean matrices.

Throughout this file
    M      the matrix: concepts are rows, points are columns, M[c, x] = c(x)
    f      a reference concept; the f-representation of a class relabels every concept c as c XOR f

In theory, equal rows are one concept and equal columns are one point, so they are merged: ``concepts`` and ``points``
name the first of each, ``twins`` and ``point_twins`` map the name of every other one to the name of its first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite import matrix_files
from privpac.classes.finite.boolean_functions import GateLike, gate
from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.classes.matrices import (
    as_label,
    boolean,
    distinct_rows,
    names_of,
    packed_columns,
    read_frame,
    without_clashes,
)
from privpac.classes.shell_options import Matrix
from privpac.data.domains.listing import Listing
from privpac.data.values.value_text import value_text

ClassOrMatrix = ConceptClass | ArrayLike  # anything two-dimensional made of booleans, or of 0 and 1


class ExplicitClass(ConceptClass):
    """Finitely many concepts on finitely many points.

    ``matrix`` is anything two-dimensional made of booleans or of 0 and 1: an array, nested lists, a generator of rows,
    a DataFrame (its columns name the points; its index, unless it only counts, names the concepts). A class without
    concepts is allowed, one without points is not.

    >>> c = ExplicitClass([[0, 0, 1], [0, 1, 1], [0, 1, 1]], points="abc", concepts=["late", "early", "again"])
    >>> c
    ExplicitClass(2 concepts, 3 points)
    >>> c.twins, c["early"]
    ({'again': 'early'}, array([False,  True,  True]))
    """

    shell_name: ClassVar[str] = "explicit"

    @classmethod
    def from_shell(cls, matrix: Matrix) -> ExplicitClass:
        return cls.from_csv(cast(Path, matrix))

    def __init__(
        self, matrix: object, *, points: Iterable[Hashable] | None = None, concepts: Iterable[Hashable] | None = None
    ) -> None:
        if hasattr(matrix, "columns"):
            matrix, columns_of_frame, index_of_frame = read_frame(matrix)
            points = columns_of_frame if points is None else points
            concepts = index_of_frame if concepts is None else concepts
        table = boolean(matrix)
        all_points = names_of(points, table.shape[1], "points")
        all_concepts = names_of(concepts, table.shape[0], "concepts")
        rows, self.twins = distinct_rows(np.packbits(table, axis=1), all_concepts)
        columns, self.point_twins = distinct_rows(packed_columns(table), all_points)
        is_repeated = bool(self.twins or self.point_twins)
        self.matrix: Labels = np.ascontiguousarray(table[np.ix_(rows, columns)] if is_repeated else table)
        self.matrix.setflags(write=False)
        self.concepts: tuple[Hashable, ...] = tuple(all_concepts[i] for i in rows)
        self.points: tuple[Hashable, ...] = tuple(all_points[i] for i in columns)
        self.all_points: tuple[Hashable, ...] = all_points
        # A listing numbers all names; the array has the row or the column of the matrix for each number.
        self._concept_listing, self._row_of_number = _numbered(self.concepts, self.twins)
        self._point_listing, self._column_of_number = _numbered(self.points, self.point_twins)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.matrix.setflags(write=False)  # copies and pickles lose this flag

    def __eq__(self, other: object) -> bool:
        """Equal names, in the same order, and equal labels under them."""
        if not isinstance(other, ExplicitClass):
            return NotImplemented
        ours, theirs = ((c.concepts, c.all_points, c.twins, c.point_twins) for c in (self, other))
        return ours == theirs and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.concepts, self.all_points, self.matrix.tobytes()))

    @classmethod
    def from_csv(cls, path: str | Path) -> ExplicitClass:
        """Read a table of 0/1 (or false/true): a line for each concept, a column for each point.

        The first line names the points, unless it consists of labels alone. A first column with the
        heading ``concept``, or with none, names the concepts.
        """
        matrix, points, concepts = matrix_files.read_table(Path(path).read_bytes().decode("utf-8-sig"), str(path))
        return cls(matrix, points=points, concepts=concepts)

    @classmethod
    def from_json(cls, text: str) -> ExplicitClass:
        """Read what :meth:`to_json` wrote."""
        matrix, points, concepts = matrix_files.read_json(text)
        return cls(matrix, points=points, concepts=concepts)

    def to_json(self) -> str:
        """The class as JSON: the names, and a text of 0 and 1 for each concept.

        Hypotheses are named by their sentences, or by their JSON where several share a sentence.
        """
        return matrix_files.write_json(self.matrix_on(self.all_points), self.all_points, self.concepts)

    @classmethod
    def random(cls, concepts: int, points: int, rng: Any, p: float = 0.5) -> ExplicitClass:
        """Independent labels, each 1 with probability ``p``, from a numpy Generator; equal concepts are merged.

        >>> ExplicitClass.random(100, 30, np.random.default_rng(1))
        ExplicitClass(100 concepts, 30 points)
        """
        return cls(rng.random((concepts, points)) < p)

    @property
    def size(self) -> int:
        return len(self.concepts)

    @property
    def domain(self) -> Listing:
        return Listing(self.all_points)

    def __repr__(self) -> str:
        return f"ExplicitClass({len(self.concepts)} concepts, {len(self.points)} points)"

    def __getitem__(self, concept: Hashable) -> Labels:
        """The labels of a concept on ``points``."""
        return np.asarray(self.matrix[self.rows([concept])[0]])

    def hypothesis(self, concept: Hashable) -> Listed:
        """A concept as a function of points.

        >>> print(ExplicitClass([[0, 1, 1]], points=["EV", "UA", "B6"], concepts=["c"]).hypothesis("c"))
        x is one of UA, B6
        """
        return Listed(self.all_points, tuple(self[concept][self.columns(self.all_points)].tolist()))

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        self.columns(points)
        return [self.hypothesis(concept) for concept in self.concepts]

    def matrix_on(self, points: Iterable[Hashable]) -> Labels:
        """The labels of all concepts on ``points``, in that order; points may repeat."""
        return self.matrix[:, self.columns(points)]

    def columns(self, points: Iterable[Hashable]) -> NDArray[np.intp]:
        """The columns of the matrix for these points; ValueError if some are unknown."""
        codes = self._point_listing.encode(points if isinstance(points, np.ndarray) else list(points))
        return self._column_of_number[codes]

    def rows(self, concepts: Iterable[Hashable]) -> NDArray[np.intp]:
        """The rows of the matrix for these concepts; ValueError if some are unknown."""
        return self._row_of_number[self._concept_listing.encode(list(concepts))]

    def patterns(self, points: Sequence[Value]) -> Labels:
        labels = self.matrix_on(points)
        distinct, _ = distinct_rows(np.packbits(labels, axis=1), tuple(range(len(labels))))
        return labels[distinct]

    def materialize(self, points: Sequence[Value] | None = None) -> ExplicitClass:
        """The class on some of its points; by default, the class itself."""
        return self if points is None else self.restrict(points)

    def restrict(self, points: Iterable[Hashable]) -> ExplicitClass:
        """The class on some of its points; concepts that agree there are merged."""
        points = list(dict.fromkeys(points))
        return ExplicitClass(self.matrix_on(points), points=points, concepts=self.concepts)

    def where(self, labels: Mapping[Hashable, object]) -> ExplicitClass:
        """The version space: the concepts that have the given labels, on all points.

        >>> ExplicitClass([[0, 0], [0, 1], [1, 1]]).where({1: 1})
        ExplicitClass(2 concepts, 2 points)
        """
        agree = (self.matrix_on(labels) == np.array([as_label(y) for y in labels.values()], dtype=bool)).all(axis=1)
        names = [self.concepts[i] for i in np.flatnonzero(agree)]
        return ExplicitClass(self.matrix_on(self.all_points)[agree], points=self.all_points, concepts=names)

    def union(self, other: ExplicitClass) -> ExplicitClass:
        """The concepts of both classes; the points must be the same. A concept of both keeps its name in this class.

        If both classes use a name for different concepts, the concept of ``other`` is renamed ("other", name).
        """
        if set(other.all_points) != set(self.all_points):
            raise ValueError("a union needs classes on the same points; restrict() both to the points they share")
        matrix = np.vstack([self.matrix_on(self.all_points), other.matrix_on(self.all_points)])
        names = [*self.concepts, *without_clashes(other.concepts, self.concepts)]
        return ExplicitClass(matrix, points=self.all_points, concepts=names)

    def complement(self) -> ExplicitClass:
        """Every concept negated; the names stay."""
        return self._relabeled(~self.matrix_on(self.all_points))

    def relative_to(self, concept: Hashable) -> ExplicitClass:
        """The f-representation for f = ``concept``: every concept XOR f. f itself becomes the empty concept.

        >>> ExplicitClass([[0, 1], [1, 1]], concepts="fc").relative_to("f")["c"]
        array([ True, False])
        """
        matrix = self.matrix_on(self.all_points)
        return self._relabeled(matrix ^ self[concept][self.columns(self.all_points)])

    def compose(self, G: GateLike, *others: ExplicitClass) -> ExplicitClass:
        """G(c₁, …, c_k) for all concepts c₁ of this class, c₂ of the next …, on the same points.

        ``G`` is a name (and, or, xor, majority, not), a function of k booleans or its 2^k values.

        >>> thresholds = ExplicitClass([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
        >>> thresholds.compose(lambda a, b: a and not b, thresholds)  # the intervals
        ExplicitClass(7 concepts, 3 points)
        """
        classes = (self, *others)
        G = gate(G, len(classes))
        if any(set(c.all_points) != set(self.all_points) for c in others):
            raise ValueError("a composition needs classes on the same points; restrict() all to the points they share")
        labels = G.on_rows(*(c.matrix_on(self.all_points) for c in classes))
        names = list(product(*(c.concepts for c in classes))) if others else self.concepts
        return ExplicitClass(labels, points=self.all_points, concepts=names)

    def dual(self) -> ExplicitClass:
        """Points and concepts swapped: the concept x of the dual contains the point c iff c(x) = 1."""
        if not self.size:
            raise ValueError("an empty class has no dual, since that would have no points; give at least one concept")
        return ExplicitClass(self.matrix.T, points=self.concepts, concepts=self.points)

    def _relabeled(self, matrix: Labels) -> ExplicitClass:
        """The same names with the labels of this matrix."""
        return ExplicitClass(matrix, points=self.all_points, concepts=self.concepts)


ConceptClass.explicit_class = ExplicitClass  # ``materialize`` makes it; concept_class.py cannot import this file


@dataclass(frozen=True)
class Listed(Hypothesis):
    """A concept as a list of its labels, one for every point. It refuses other points."""

    points: tuple[Hashable, ...]
    labels: tuple[bool, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(set(self.points)) == len(self.points) == len(self.labels):
            raise ValueError("a listed concept needs distinct points and one label for each of them")

    def __call__(self, column: Column, /) -> Labels:
        return np.array(self.labels, dtype=bool)[Listing(self.points).encode(column)]

    def sentence(self, *names: str) -> str:
        x = value_name(names)
        positive = [value_text(point) for point, label in zip(self.points, self.labels, strict=True) if label]
        if len(positive) == 1:
            return f"{x} = {positive[0]}"
        return f"{x} is one of {', '.join(positive)}" if positive else "never"


def _numbered(names: tuple[Hashable, ...], twins: dict[Hashable, Hashable]) -> tuple[Listing, NDArray[np.intp]]:
    """A listing of all names, and for each the position in ``names`` of itself or, for a twin, of its first."""
    position = {name: i for i, name in enumerate(names)}
    positions = [*position.values(), *(position[first] for first in twins.values())]
    return Listing((*names, *twins)), np.array(positions, np.intp)


def dual(concept_class: ClassOrMatrix) -> ExplicitClass:
    """The dual class: points and concepts swapped. Concepts that agree on all points are merged first.

    >>> dual([[0, 0, 1], [0, 1, 1]])
    ExplicitClass(3 concepts, 2 points)
    """
    return explicit(concept_class).dual()


def explicit(concept_class: ClassOrMatrix) -> ExplicitClass:
    """``concept_class`` as an explicit class: as it is, on its whole domain, or from a matrix.

    >>> explicit([[0, 1], [1, 1]])
    ExplicitClass(2 concepts, 2 points)
    """
    return concept_class.materialize() if isinstance(concept_class, ConceptClass) else ExplicitClass(concept_class)
