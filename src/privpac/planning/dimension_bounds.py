"""Bounds on the dimensions of a class, which published sample sizes depend on.

A number of records that suffices grows with a dimension, so it takes an upper bound. A number of records that is too
few takes a lower bound: one that a witness or a closed form proves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf

from privpac.classes.compositions.compose import Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions import Dimension, littlestone_dimension, threshold_dimension, vc_dimension
from privpac.dimensions.closure import littlestone_of_composition

SECONDS = 0.5  # time limit for each dimension of an explicit class


SEARCHES: dict[str, Callable[..., Dimension]] = {
    "VC": vc_dimension,
    "Littlestone": littlestone_dimension,
    "threshold": threshold_dimension,
}


def at_most(H: ConceptClass, kind: str) -> int | float | None:
    """The dimension of this kind, or a proved upper bound on it; None if no bound is known.

    >>> import privpac as pp
    >>> at_most(pp.Thresholds(0, 2**64 - 1, direction="above"), "Littlestone"), at_most(pp.HalfPlanes(9), "Littlestone")
    (64, None)
    """
    dimension = _dimension(H, kind)
    if dimension is None and isinstance(H, Compose) and kind == "VC":
        return _vc_of_composition(tuple(at_most(part, "VC") for part in H.parts))
    return None if dimension is None else dimension.upper


def at_least(H: ConceptClass, kind: str) -> int | float | None:
    """The dimension of this kind, or a proved lower bound on it; None if no bound is known.

    The dimensions of the parts of a composition prove no lower bound: sixteen cuts of one column make one cut.

    >>> import privpac as pp
    >>> cuts = pp.Thresholds(0, 9, direction="above")
    >>> at_least(cuts, "VC"), at_least(pp.And(*[cuts] * 16), "VC"), at_most(pp.And(*[cuts] * 16), "VC")
    (1, None, 108)
    """
    dimension = _dimension(H, kind)
    return None if dimension is None else dimension.lower


@lru_cache(maxsize=1024)
def _dimension(H: ConceptClass, kind: str) -> Dimension | None:
    """The closed form of a class, or what a search in a listed class proves; None for other classes."""
    if H.known(kind) is None and not isinstance(H, ExplicitClass):
        return None
    return SEARCHES[kind](H, time_limit=SECONDS)


def _vc_of_composition(parts: tuple[int | float | None, ...]) -> int | None:
    """The largest m with 2^m ≤ Π C(m, ≤ V_i): the parts bound the labelings of m shattered points."""
    if None in parts or inf in parts:
        return None
    return max(littlestone_of_composition(int(V or 0) for V in parts), 0)  # the same formula holds for both dimensions
