"""[GGKM21, App. B]: without irreducibility, SOA hypotheses can be arbitrarily complicated.

[GGKM21]  docs/references.bib        corrections: docs/errata/GGKM21.md

Throughout this file
    δ_x        1 at x alone; −δ_x is 1 everywhere else (the paper's labels −1 and 1 are 0 and 1 here)
    neg-pt     all δ_x and −δ_x on n points; the paper has infinitely many
    A          d ≥ 3 of the points         G    the concepts that are 1 on some point of A; their SOA, 1_A, is 1 on A
    SOA        of a class, labels each point so that the concepts with this label have the larger Littlestone dimension
    F̃_k        the SOA hypotheses of all k-irreducible subclasses with a concept (``trees.soa_functions``); F̃_0 is (39)
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.irreducible import soa

FEWEST = 3  # points of A: E-GGKM21-7


def negated_points(n: int) -> ExplicitClass:
    """The point functions on n ≥ 2 points, and their negations.

    >>> from privpac.dimensions import littlestone_dimension, vc_dimension
    >>> vc_dimension(negated_points(6)).value, littlestone_dimension(negated_points(6)).value
    (3, 3)
    """
    if n < 2:
        raise ValueError("n must be at least 2: on one point there is nothing to negate")
    points = np.eye(n, dtype=bool)
    return ExplicitClass(np.vstack([points, ~points]))


def touching(n: int, A: Iterable[int]) -> ExplicitClass:
    """The concepts of neg-pt on n points that are 1 on some point of A, which must have at least 3 of them.

    >>> print(soa(touching(7, [1, 4, 5])))
    x is one of 1, 4, 5
    """
    columns = sorted(set(A))
    if len(columns) < FEWEST:
        raise ValueError("A must have at least 3 points: with fewer, the SOA is 1 everywhere")
    H = negated_points(n)
    touches = H.matrix[:, columns].any(axis=1)
    return ExplicitClass(H.matrix[touches], points=H.points)


def soa_shatters(n: int) -> tuple[int, ...]:
    """The first n − 4 points, which F̃_0 of neg-pt on n points shatters.

    Each set of them, with the next 3 points added, is an A with the SOA hypothesis 1_A. The last point stays outside,
    because A must not be all of X.

    >>> soa_shatters(8)
    (0, 1, 2, 3)
    """
    points = tuple(range(n - 4))
    for size in range(len(points) + 1):
        for A in combinations(points, size):
            labels = np.array(soa(touching(n, (*A, n - 4, n - 3, n - 2))).labels)
            if set(np.flatnonzero(labels[: n - 4])) != set(A):
                raise ArithmeticError("this contradicts [GGKM21, Prop. B.1]")
    return points
