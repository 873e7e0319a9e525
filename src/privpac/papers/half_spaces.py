"""What people may use of [HCT24]: the list of its editions, and the sample sizes that it prints for half-spaces.

Its privacy theorems are false, so commands neither run nor audit its algorithms, and this file imports none of them.
The paper does not prove the sizes of Cor. 15 and Cor. 22, which plans show. It hides all constants; here they are 1, so
these sizes are orders of magnitude.

Throughout this file
    side   |X|, the number of values that one coordinate can take        d    the dimension
    α, β   error and failure probability                                 ε, δ    privacy
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from privpac.papers.edition import Edition
from privpac.papers.yan25 import log_star

LABELS_COUNT = "labels of angles count, with too little noise: E-HCT24-1"
READ_AGAIN = "it reads the examples once more, without noise: E-HCT24-3"
READ_AGAIN_HIGH = "it reads the examples once more, in every dimension: E-HCT24-6"

EDITIONS = (
    Edition("HCT24", "Alg. 1", "make-data", "MakeData", "copies of angles", false=LABELS_COUNT),
    Edition("HCT24", "Alg. 2", "make-thr-data", "MakeThrData", "thresholds from angles", false=READ_AGAIN),
    Edition(
        "HCT24",
        "Alg. 3",
        "simple-h",
        "SimpleH",
        "half-planes through the origin",
        printed="log*|X|·ln²(log*|X|/(βδ))/(αε)",
        false=READ_AGAIN,
    ),
    Edition("HCT24", "Alg. 4", "make-high-dim-data", "MakeHighDimData", "copies of directions", false=LABELS_COUNT),
    Edition(
        "HCT24",
        "Alg. 5",
        "make-high-dim-thr-data",
        "MakeHighDimThrData",
        "thresholds from directions",
        false=READ_AGAIN_HIGH,
    ),
    Edition(
        "HCT24",
        "Alg. 6",
        "high-h",
        "HighH",
        "half-spaces through the origin",
        printed="d·log*|X|·ln²(d·log*|X|/(βδ))/(αε)",
        false=READ_AGAIN_HIGH,
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

    It does not cover other half-planes: footnote 3 turns them into half-spaces of dimension 3.

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
