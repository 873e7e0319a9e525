"""The sample sizes that [HCT24, Cor. 15, Cor. 22, footnote 3] prints for half-spaces. The paper does not prove them.

[HCT24]  docs/references.bib        corrections: docs/errata/HCT24.md

Throughout this file
    side   |X|, the number of values that one coordinate can take        d    the dimension
    α, β   error and failure probability                                 ε, δ    privacy

The paper hides all constants; here they are 1, so these are orders of magnitude. Plans show these numbers. They are
outside ``hct24`` because its learners are not private (E-HCT24-3, E-HCT24-6), and plans must not import those.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from privpac.papers.yan25 import log_star


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
