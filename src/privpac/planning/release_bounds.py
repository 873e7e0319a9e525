"""Lower bounds on private releases that answer all queries of a class of labelings, as data.

[GGKM21]  docs/references.bib        table: docs/theory/bounds.md

Main declarations
    SANITIZERS    the bounds of [GGKM21, §6.2], in the form of ``bounds.RELEASES``
"""

from __future__ import annotations

from math import isfinite

from privpac.classes.base import ConceptClass
from privpac.classes.boxes import Conjunctions
from privpac.classes.explicit import ExplicitClass
from privpac.dimensions import vc_dimension
from privpac.papers.ggkm21.lower_bounds import theorem_6_8, theorem_6_9
from privpac.planning.bounds import Bound, Goal
from privpac.planning.kinds import Constants
from privpac.planning.measures import SECONDS

LABELS = "any labels"


def _conjunctions(H: ConceptClass, g: Goal) -> float | None:
    """For conjunctions of t = ⌊d/2⌋ literals, which are some of those of the class."""
    if not isinstance(H, Conjunctions) or H.monotone:
        return None
    return theorem_6_8(H.d, H.d // 2, alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, delta=g.delta)


def _shattered(H: ConceptClass, g: Goal) -> float | None:
    """As the corrected proof asks. Only points that are known to be shattered count, not an upper bound on them."""
    known = H.known("VC")
    if known is None and not isinstance(H, ExplicitClass):
        return None
    V = vc_dimension(H, time_limit=SECONDS).lower if known is None else known.value
    if not isfinite(V):
        return None
    return theorem_6_9(int(V), alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, delta=g.delta)


SANITIZERS = (
    Bound("any release for conjunctions", "[GGKM21, Thm 6.8]", "lower", _conjunctions, None, regime=LABELS,
          constants=Constants.HIDDEN_BELOW, remark="needs α < ½: E-GGKM21-19"),
    Bound("any release", "[GGKM21, Thm 6.9]", "lower", _shattered, None, regime=LABELS, constants=Constants.PRINTED,
          remark="as printed it is false for δ above about ε: E-GGKM21-18"),
)  # fmt: skip
