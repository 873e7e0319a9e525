"""What people may use of [HCT24]: the list of its editions, and the sample sizes that it prints for half-spaces.

Its privacy theorems are false, so commands neither run nor audit the editions. This file imports none of them: nothing
that people use may lead to an algorithm that is not private. The paper does not prove the sizes of Cor. 15 and Cor. 22.
It hides all constants; here they are 1, so these are orders of magnitude. Plans show them.

Throughout this file
    side   |X|, the number of values that one coordinate can take        d    the dimension
    α, β   error and failure probability                                 ε, δ    privacy
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from privpac.papers.edition import Edition
from privpac.papers.yan25 import log_star

DATA = "labels of angles count, with too little noise: E-HCT24-1"
AGAIN = "it reads the examples once more, without noise: E-HCT24-3"
HIGH = "it reads the examples once more, in every dimension: E-HCT24-6"

EDITIONS = (
    Edition("HCT24", "Alg. 1", "make-data", "MakeData", "copies of angles", false=DATA),
    Edition("HCT24", "Alg. 2", "make-thr-data", "MakeThrData", "thresholds from angles", false=AGAIN),
    Edition(
        "HCT24",
        "Alg. 3",
        "simple-h",
        "SimpleH",
        "half-planes through the origin",
        printed="log*|X|·ln²(log*|X|/(βδ))/(αε)",
        false=AGAIN,
    ),
    Edition("HCT24", "Alg. 4", "make-high-dim-data", "MakeHighDimData", "copies of directions", false=DATA),
    Edition("HCT24", "Alg. 5", "make-high-dim-thr-data", "MakeHighDimThrData", "thresholds from these", false=HIGH),
    Edition(
        "HCT24",
        "Alg. 6",
        "high-h",
        "HighH",
        "half-spaces through the origin",
        printed="d·log*|X|·ln²(d·log*|X|/(βδ))/(αε)",
        false=HIGH,
    ),
    Edition(
        "HCT24",
        "Alg. 7",
        "reorder-slice-compute",
        "ReorderSliceCompute",
        "slices of a sample",
        false="what Alg. 6 does with it is not covered by its theorem: E-HCT24-7",
    ),
)


def corollary_15(side: int, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """log*|X|·ln²(log*|X|/(βδ))/(αε): the records for half-planes through the origin.

    Half-planes that do not pass through the origin are three-dimensional by footnote 3, so this does not cover them.

    >>> round(corollary_15(2**16, 0.1, 0.05, 1.0, 1e-6))
    13246
    """
    return corollary_22(1, side, alpha, beta, epsilon, delta)


def corollary_22(d: int, side: int, alpha: float, beta: float, epsilon: float, delta: float) -> float:  # noqa: PLR0917
    """d·log*|X|·ln²(d·log*|X|/(βδ))/(αε): the records for half-spaces in dimension d through the origin.

    >>> round(corollary_22(3, 2**16, 0.1, 0.05, 1.0, 1e-6))
    44681
    """
    thresholds = d * log_star(side)  # d·log*|X|
    return thresholds * log(thresholds / (beta * delta)) ** 2 / (alpha * epsilon)


def footnote_3(x: Sequence[int]) -> tuple[int, ...]:
    """x with a coordinate 1 appended, which makes every half-space pass through the origin.

    a·x + b ≥ 0 if and only if (a, b)·(x, 1) ≥ 0.

    >>> footnote_3((3, -2))
    (3, -2, 1)
    """
    return (*x, 1)
