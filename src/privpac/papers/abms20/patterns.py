"""[ABMS20, Alg. 2, Steps 1 and 2]: the patterns of a class on the points of a sample, and how many there can be.

The points of a sample are private, so they must not decide whether its patterns fit into memory. The number n alone
decides, before anything is spent.

Throughout this file
    P      the distinct points of a sample        n      the number of records, at least |P|
    H      the concept class                      V      its VC dimension
    pattern    the labels that a concept of H gives to the points of P; Π_H(P) is the set of all patterns
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import Compose, OnColumn, Union, patterns_of
from privpac.classes.compositions.equalities import Equalities
from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.patterns import first_of_each
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.classes.matrices import MOST_ENTRIES
from privpac.classes.values.code_lists import HasAny
from privpac.classes.vectors.boxes import Rectangles
from privpac.dimensions.closure import tree_sauer

UNLISTED = (Auto, HasAny, Scorecards, Trees)  # For these, the number of rows depends on the points, not on n alone.
ROWS_PER_PATTERN = 3  # the most rows, repeats included, that a class lists for each pattern (conjunctions 3, trees 2)


def pattern_count(H: ConceptClass, n: int) -> int | float:
    """An upper bound on the number of patterns of ``H`` on n points; ∞ if unknown.

    It is the least of C(n, ≤ V), 2^n and |H|; for a composition, the product (for a union, the sum) over its parts.

    >>> from privpac.classes.lines.intervals import Intervals
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.compositions.compose import And
    >>> pattern_count(Thresholds(0, 2**64, direction="above"), 10), pattern_count(Intervals(0, 99), 3)
    (11, 7)
    >>> pattern_count(And(Thresholds(0, 9, direction="above").on(0), Intervals(0, 9).on(1)), 3)
    28
    """
    match H:
        case OnColumn():
            return pattern_count(H.concept_class, n)
        case Compose():
            return math.prod(pattern_count(part, n) for part in H.parts)
        case Union():
            return sum(pattern_count(part, n) for part in H.parts)
    n, known = int(min(n, H.domain.size)), H.known("VC")
    by_dimension = tree_sauer(n, int(known.value)) if known and known.value < math.inf else math.inf
    by_points = 2**n if n <= math.log2(MOST_ENTRIES) else math.inf
    return min(by_dimension, by_points, H.size)


def listed_count(H: ConceptClass, n: int) -> int | float:
    """An upper bound on the rows written out to list the patterns of ``H`` on n points; ∞ if n alone gives none.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> listed_count(Thresholds(0, 2**64, direction="above"), 10), listed_count(Rectangles(0, 9, 2), 3)
    (33, 37)
    """
    match H:
        case OnColumn():
            rows = listed_count(H.concept_class, n)
        case Compose():
            rows = math.prod(listed_count(part, n) for part in H.parts)
        case Union():
            rows = sum(listed_count(part, n) for part in H.parts)
        case ExplicitClass():
            rows = H.size
        case Rectangles():
            n = min(n, int(H.domain.size))
            rows = (n * (n + 1) // 2) ** H.dim + 1
        case Equalities():
            rows = H.levels * n + 2
        case _:
            rows = math.inf if isinstance(H, UNLISTED) else ROWS_PER_PATTERN * pattern_count(H, n)
    return rows


def check_listed(H: ConceptClass, n: int, *others: ConceptClass) -> None:
    """ValueError if the patterns of ``H`` on some n points, or all choices of patterns with ``others``, are too many.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> check_listed(Thresholds(0, 2**64, direction="above"), 10**5)
    Traceback (most recent call last):
    ValueError: the patterns of Thresholds on 100000 points may be too many to list; give fewer examples, or keep some \
of them at random: SmallEpsilon
    """
    rows = math.prod([listed_count(part, n) for part in (H, *others)])
    if rows * max(min(n, H.domain.size), 1) > MOST_ENTRIES:
        names = ", ".join(dict.fromkeys(type(part).__name__ for part in (H, *others)))
        if rows == math.inf:
            raise ValueError(
                f"the patterns of {names} cannot be listed: how many there are depends on the points; use a class of "
                "known VC dimension"
            )
        raise too_many(names, n)


def too_many(names: str, n: int) -> ValueError:
    """The error for patterns that would take too much room or time."""
    return ValueError(
        f"the patterns of {names} on {n} points may be too many to list; give fewer examples, or keep some of them at "
        "random: SmallEpsilon"
    )


@dataclass(frozen=True, eq=False)
class Patterns:
    """Π_H(P): one row for each pattern and one column for each point of P, and the column of each record.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> patterns = Patterns.on(Thresholds(0, 9, direction="above"), [7, 3, 7])
    >>> patterns.rows.astype(int).tolist(), patterns.column.tolist()
    ([[1, 0], [1, 1], [0, 0]], [0, 1, 0])
    """

    rows: Labels
    column: NDArray[np.intp]
    concept: Callable[[int], Hypothesis]  # the number of a row → a concept with this pattern

    @classmethod
    def on(cls, H: ConceptClass, points: Sequence[Any]) -> Self:
        """The patterns of H on ``points``, the points of at least one record, repeats included."""
        names = H.named(list(points))
        column_of = {x: i for i, x in enumerate(dict.fromkeys(names))}  # P, in the order of the sample
        column = np.array([column_of[x] for x in names], dtype=np.intp)
        if isinstance(H, ExplicitClass):  # a hundred times faster than the general way below
            labels = H.matrix_on(column_of)
            first = first_of_each(labels)
            return cls(labels[first], column, lambda row: H.hypothesis(H.concepts[first[row]]))
        rows, hypotheses = patterns_of(H, list(column_of))
        return cls(rows, column, hypotheses.__getitem__)

    def labels(self, row: int) -> Labels:
        """The labels that a pattern gives to the records."""
        return np.asarray(self.rows[row][self.column])
