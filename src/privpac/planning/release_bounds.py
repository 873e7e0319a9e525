"""Bounds on private releases that answer all queries of a class, as data.

[GGKM21] [BLR08] [HR10]  docs/references.bib        table: docs/theory/bounds.md        proof: docs/proofs/bbkn14.md

Throughout this file
    d, V, d*    Littlestone, VC and dual Littlestone dimension; for labeled queries 2d* + 1 takes the place of d*
"""

from __future__ import annotations

from math import inf, isfinite, log, sqrt

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.classes.vectors.boxes import Conjunctions
from privpac.dimensions import littlestone_dimension
from privpac.papers.bbkn14.release import interval_net, necessary_records, point_net, sufficient_records
from privpac.papers.ggkm21.lower_bounds import theorem_6_8, theorem_6_9
from privpac.papers.ggkm21.sanitizer import corollary_6_7, labeled_dual
from privpac.planning.bounds import PURE_DP, Bound, Goal, dimensions, listed_points
from privpac.planning.dimension_bounds import SECONDS, at_least
from privpac.planning.rows import Constants

LABELS = "any labels"


def _for_conjunctions(H: ConceptClass, g: Goal) -> float | None:
    """For conjunctions of t = ⌊d/2⌋ literals, which belong to the class."""
    if not isinstance(H, Conjunctions) or H.monotone:
        return None
    return theorem_6_8(H.d, H.d // 2, alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, delta=g.delta)


def _by_shattering(H: ConceptClass, g: Goal) -> float | None:
    """The number in the corrected proof, from a lower bound on V: points that are known to be shattered."""
    V = at_least(H, "VC")
    if V is None or not isfinite(V):
        return None
    return theorem_6_9(int(V), alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, delta=g.delta)


def _dual(H: ConceptClass) -> int | float | None:
    """d*, or an upper bound on it.

    Thresholds are their own dual, and halving bounds their d*. A listed class is searched.
    """
    if isinstance(H, Points):
        return 1
    if isinstance(H, Thresholds) and H.direction != "either" and isfinite(H.domain.size):
        return int(H.domain.size).bit_length() - 1
    if isinstance(H, ExplicitClass) and H.size:
        return littlestone_dimension(H.dual(), time_limit=SECONDS).upper
    return None


def _by_fooling(H: ConceptClass, g: Goal) -> float | None:
    """The number of records in equation (32)."""
    found, dual = dimensions(H), _dual(H)
    if found is None or dual is None:
        return None
    (d, V), ε = found, min(g.epsilon, 1.0)
    return corollary_6_7(d, V, labeled_dual(int(dual)), alpha=g.alpha, beta=g.beta, epsilon=ε, delta=g.delta)


LABELED_RELEASES = (
    Bound("a generator fools learners", "[GGKM21, Cor. 6.7]", "upper", _by_fooling, None, regime=LABELS,
          remark="no generator is known where records cannot be listed; d* is that of labeled queries: E-GGKM21-15"),
    Bound("any release for conjunctions", "[GGKM21, Thm 6.8]", "lower", _for_conjunctions, None, regime=LABELS,
          constants=Constants.HIDDEN_BELOW, remark="needs α < ½: E-GGKM21-19"),
    Bound("any release", "[GGKM21, Thm 6.9]", "lower", _by_shattering, None, regime=LABELS, constants=Constants.PRINTED,
          remark="as printed it is false for δ above about ε: E-GGKM21-18"),
)  # fmt: skip


def _line(H: ConceptClass) -> int | None:
    """How many values the line of a class of cuts has; None for other classes and infinite lines."""
    return int(H.domain.size) if isinstance(H, Thresholds) and 1 < H.domain.size < inf else None


def _by_net(H: ConceptClass, g: Goal) -> float | None:
    """The records that the exponential mechanism over all synthetic databases of the best size needs."""
    goal = {"alpha": g.alpha, "beta": g.beta, "epsilon": g.epsilon}
    if (T := listed_points(H)) is not None:
        return sufficient_records(point_net, T, **goal)[1]
    return None if (T := _line(H)) is None else sufficient_records(interval_net, T, **goal)[1]


def _by_packing(H: ConceptClass, g: Goal) -> float | None:
    """The least n with (T − 1)·e^(−ε⌈2αn⌉)·(1 − β) ≤ β."""
    T = listed_points(H) or _line(H)
    return None if T is None else necessary_records(T, alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, constants="tight")


def _by_weights(H: ConceptClass, g: Goal) -> float | None:
    """√(ln|X|·ln(1/δ))·ln(|C|/β)/(α²ε)."""
    size = H.domain.size
    if not (1 < size < inf and isfinite(H.log_size)):
        return None
    return sqrt(log(size) * log(1 / g.delta)) * (H.log_size + log(1 / g.beta)) / (g.alpha**2 * g.epsilon)


PROVED_RELEASES = (
    Bound("synthetic database, points or a line", "bbkn14, Theorem 24", "upper", _by_net, None, PURE_DP,
          "no labels", Constants.PRINTED),
    Bound("private multiplicative weights", "[HR10, §1]", "upper", _by_weights, None, regime="no labels",
          remark="up to further logarithms"),
    Bound("any pure release, by packing", "bbkn14, Theorem 25", "lower", _by_packing, None, PURE_DP,
          "no labels", Constants.PRINTED),
)  # fmt: skip
