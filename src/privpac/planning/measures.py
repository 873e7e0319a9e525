"""The dimensions of a class that published bounds depend on.

Main declarations
    known_dimension    a dimension of a class, or an upper bound on it
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, inf, prod
from typing import Any

from privpac.classes.base import ConceptClass
from privpac.classes.compose import Compose
from privpac.classes.explicit import ExplicitClass
from privpac.dimensions import littlestone_dimension, threshold_dimension, vc_dimension

SECONDS = 0.5  # time limit for each dimension of an explicit class


@lru_cache(maxsize=1024)
def known_dimension(H: ConceptClass, kind: str) -> int | float | None:
    """The dimension of this kind, or a known upper bound on it; None if no bound is known.

    >>> from privpac.classes.line import Thresholds
    >>> from privpac.classes.plane import HalfPlanes
    >>> known_dimension(Thresholds(0, 2**64 - 1), "Littlestone"), known_dimension(HalfPlanes(9), "Littlestone")
    (64, None)
    """
    known = H.known(kind)
    if known is None and isinstance(H, Compose) and kind == "VC":
        return _vc_of_composition(tuple(known_dimension(part, "VC") for part in H.parts))
    if known is not None or not isinstance(H, ExplicitClass):
        return None if known is None else known.value
    searches: dict[str, Any] = {
        "VC": vc_dimension,
        "Littlestone": littlestone_dimension,
        "threshold": threshold_dimension,
    }
    measured: int | float = searches[kind](H, time_limit=SECONDS).upper
    return measured


def _vc_of_composition(parts: tuple[int | float | None, ...]) -> int | None:
    """The largest m with 2^m ≤ Π C(m, ≤ V_i): the parts bound the labelings of m shattered points."""
    if None in parts or inf in parts:
        return None

    def room(m: int) -> int:
        return prod(sum(comb(m, i) for i in range(int(V or 0) + 1)) for V in parts)

    m = 0
    while 2 ** (m + 1) <= room(m + 1) or 2 ** (m + 2) <= room(m + 2):
        m += 1
    return m
