"""The upper and lower bounds on sample sizes that the five papers publish, as data.

[Yan25], [GGKM21], [ABMS20], [BBKN14], [HCT24]  docs/references.bib        table: docs/theory/bounds.md

Throughout this file
    H          a concept class; V, d, t its VC, Littlestone, and threshold dimensions
    α, β       error and failure probability          ε, δ    privacy
    ln, log*   natural logarithm; how often log₂ must be applied to reach at most 1

A published O(·) or Ω(·) is computed with its hidden constants set to 1. The result shows only an order of magnitude. It
guarantees nothing and may even be impossibly small. A formula returns None if its theorem does not apply. If a theorem
requires a small ε and the given ε is larger, the formula uses the largest ε that the theorem allows. An upper bound is
computed from upper bounds on V, d, t, and a lower bound from lower bounds on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, inf, isfinite, log, log2
from typing import Any

from privpac.classes.compositions.compose import Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.papers.abms20.sizes import theorem_6_1, theorem_7_1
from privpac.papers.bbkn14.boosting import claim_4_5
from privpac.papers.bbkn14.intervals import proper_needs
from privpac.papers.bbkn14.occam import theorem_3_2, theorem_4_2
from privpac.papers.bbkn14.points import lemma_3_9
from privpac.papers.bbkn14.release import necessary_records, printed_order
from privpac.papers.bbkn14.without_privacy import rare_needs, vc_needs
from privpac.papers.ggkm21.sizes import printed_size
from privpac.papers.half_spaces import corollary_15, corollary_22
from privpac.papers.yan25 import improper_size, log_star, proper_size
from privpac.planning.dimension_bounds import at_least, at_most
from privpac.planning.rows import Constants
from privpac.privacy.accounting.delta import default_delta
from privpac.requests.conditions import Conditions
from privpac.requests.weights import EVEN, ErrorWeights

PRINTED = Constants.PRINTED
ROUNDING = 1e-12  # a float may exceed its formula by this share; a lower bound must not
APPROXIMATE_DP, PURE_DP, VAGUE, ANY = "(ε, δ)", "ε", "(O(1), O(δ))", "any or none"


@dataclass(frozen=True)
class Goal:
    """An error of at most α with probability 1 − β, under (ε, δ).

    If δ is ``tied`` to n, it is the default for n records, and ``delta`` is the largest value of that default.

    >>> Goal(0.1, 0.05, 1.0, 1e-6).of(10**6).delta, Goal(0.1, 0.05, 1.0, 1e-6, tied=True).of(10**6).delta
    (1e-06, 1e-08)
    """

    alpha: float
    beta: float
    epsilon: float
    delta: float
    tied: bool = False
    weights: ErrorWeights = EVEN  # of errors; α is then a share of the largest
    max_records: int | None = None  # how many records of a unit count; None: each record is protected by itself

    def conditions(self, **others: Any) -> Conditions:
        """The conditions of a fit with this goal; if δ is tied to n, each n has its default."""
        numbers = {name: getattr(self, name) for name in ("epsilon", "alpha", "beta", "max_records")}
        return Conditions.of(**numbers, delta=None if self.tied else self.delta, **others)

    def of(self, n: int) -> Goal:
        """The same goal with the δ for n records."""
        units = -(-n // (self.max_records or 1))
        return replace(self, delta=float(default_delta(units)), tied=False) if self.tied else self


Formula = Callable[[ConceptClass, Goal], float | None]


@dataclass(frozen=True)
class Bound:
    """A published sample size.

    ``kind`` is "upper" if this number of records suffices, and "lower" if fewer do not. ``privacy`` and ``proper``
    (None: both) say which learners the bound covers, and ``regime`` which labels; a lower bound for realizable labels
    also holds for noisy ones. ``constants`` says whether the paper prints all constants. ``holds`` is False if the
    published privacy proof is wrong beyond repair.

    >>> from privpac.classes.values.points import Points
    >>> thm = next(each for each in BOUNDS if each.source == "[BBKN14, Thm 3.2]")
    >>> print(thm.n(Points(2**64), Goal(0.1, 0.05, 1, 0)), thm.constants.value)
    474 O-constants = 1
    """

    name: str
    source: str
    kind: str
    formula: Formula
    proper: bool | None
    privacy: str = APPROXIMATE_DP
    regime: str = "realizable"
    constants: Constants = Constants.HIDDEN
    remark: str = ""
    holds: bool = True

    def n(self, concept_class: ConceptClass, goal: Goal) -> int | None:
        """The number of records; None if the theorem does not cover this class or these parameters.

        If δ is tied to n, this is the smallest n that suffices with the δ for n records: more records have a smaller δ,
        and a smaller δ takes more records, so n is raised until it suffices.
        """
        n, needed = None, self._n(concept_class, goal.of(1))
        while needed is not None and (n is None or needed > n):
            n, needed = needed, self._n(concept_class, goal.of(needed))
        return None if needed is None else n

    def _n(self, concept_class: ConceptClass, goal: Goal) -> int | None:
        try:
            size = self.formula(concept_class, goal) if goal.delta or self.privacy in (PURE_DP, ANY) else None
        except ArithmeticError:  # a number too large for floats
            return None
        if size is None or not isfinite(size):
            return None
        return max(1, ceil(size * (1 - ROUNDING) if self.kind == "lower" else size))


def _yan25(size: Callable[..., float]) -> Formula:
    """The formula of a size that depends on the number of depths of the tree order, t + 1; None unless V = 1."""

    def formula(H: ConceptClass, g: Goal) -> float | None:
        t = at_most(H, "threshold")
        if at_most(H, "VC") != 1 or t is None or t == inf:
            return None
        return size(t + 1, g.alpha, g.beta, g.epsilon, g.delta)

    return formula


_yan25_improper, _yan25_proper = _yan25(improper_size), _yan25(proper_size)


def _yan25_lower(H: ConceptClass, g: Goal) -> float | None:
    """log* d."""
    d = at_least(H, "Littlestone")
    return None if d is None or d < 1 or d == inf else log_star(d)


def dimensions(H: ConceptClass) -> tuple[int, int] | None:
    """d and V, or upper bounds on them; None if d is 0, infinite, or unknown."""
    d, V = at_most(H, "Littlestone"), at_most(H, "VC")
    return None if d is None or V is None or not 1 <= d < inf else (int(d), int(V))


def _ggkm21(H: ConceptClass, g: Goal) -> float | None:
    """d⁵V·ln²(d/(εδαβ))/(εα²)."""
    if (found := dimensions(H)) is None:
        return None
    (d, V), ε = found, min(g.epsilon, 1.0)
    return d**5 * V * log(d / (ε * g.delta * g.alpha * g.beta)) ** 2 / (ε * g.alpha**2)


def _ggkm21_algorithm(H: ConceptClass, g: Goal) -> float | None:
    """m·n₀ with the smallest m, n₀ that the proof accepts."""
    if (found := dimensions(H)) is None:
        return None
    return printed_size(*found, alpha=g.alpha, beta=g.beta, epsilon=g.epsilon, delta=g.delta)


def _abms20_agnostic(H: ConceptClass, g: Goal) -> float | None:
    """m + (V + ln(1/β))/α², where m is the smallest bound above for realizable labels at ε = 1."""
    m, V = _realizable(H, replace(g, epsilon=1.0)), at_most(H, "VC")
    return None if m is None or V is None else theorem_6_1(m, V, g.alpha, g.beta)


def _abms20_closure(H: ConceptClass, g: Goal) -> float | None:
    """(k³V + k²·ln(k/β))/α² + Σ m_i(α/k, β/k, 1, δ) for G(H₁, …, H_k)."""
    V = at_most(H, "VC")
    if not isinstance(H, Compose) or V is None:
        return None
    k = len(H.parts)
    parts = [_realizable(part, Goal(g.alpha / k, g.beta / k, 1.0, g.delta)) for part in H.parts]
    total = sum(m for m in parts if m is not None)
    return None if None in parts else theorem_7_1(k, V, total, g.alpha, g.beta)


def _realizable(H: ConceptClass, g: Goal) -> float | None:
    """The smallest of three upper bounds for realizable labels."""
    sizes = [each(H, g) for each in (_yan25_improper, _ggkm21, _bbkn14_finite)]
    return min((n for n in sizes if n is not None and isfinite(n)), default=None)


def _bbkn14_finite(H: ConceptClass, g: Goal) -> float | None:
    """(ln|H| + ln(1/β))/(εα)."""
    return theorem_3_2(H.log_size, g.alpha, g.beta, g.epsilon) if isfinite(H.log_size) else None


def _bbkn14_represented(H: ConceptClass, g: Goal) -> float | None:
    """(ln d + ln(1/α) + ln(1/β))/(εα) for points of {0, 1}^d."""
    if not isinstance(H, Points) or not 16 <= (d := log2(H.size)) < inf:
        return None
    return theorem_4_2(d, g.alpha, g.beta, g.epsilon)


def _bbkn14_noise(H: ConceptClass, g: Goal) -> float | None:
    """log_{5/4}(5/β) learners with error α/8 on 384·ln 4/(ε(α/8)²) records each, then 24·ln(3/β²)/(εα) to choose."""
    if not isinstance(H, Points) or g.alpha >= 0.5:
        return None
    return claim_4_5(g.alpha, g.beta, min(g.epsilon, 1.0))


def listed_points(H: ConceptClass) -> int | None:
    """How many points a class of points has; None for other classes, for infinitely many, and for at most two."""
    return int(H.size) if isinstance(H, Points) and 2 < H.size < inf else None


def _bbkn14_minimal(H: ConceptClass, g: Goal) -> float | None:
    """For points, an α-minimal class: if a concept is left out, the others do not come within error α of it."""
    return None if (T := listed_points(H)) is None else proper_needs(T, g.beta, g.epsilon)


def _bbkn14_intervals(H: ConceptClass, g: Goal) -> float | None:
    """For thresholds in one direction, a class that is α-minimal if α < ½."""
    if not isinstance(H, Thresholds) or H.direction == "either" or H.size <= 2 or g.alpha >= 0.5:
        return None
    return proper_needs(H.size, g.beta, g.epsilon)


def _bbkn14_points(H: ConceptClass, g: Goal) -> float | None:
    """One more than the last m with (|H| − 2)·e^(−4εαm)·(1 − Γ) > Γ = β + e^(−αm/3), as the proof asks."""
    return None if (T := listed_points(H)) is None else lemma_3_9(T, g.alpha, g.beta, g.epsilon)


def _bbkn14_net(H: ConceptClass, g: Goal) -> float | None:
    """The order of a synthetic database, from ln|X| and V."""
    V, size = at_most(H, "VC"), H.domain.size
    known = V is not None and 1 < size < inf
    return printed_order(log(size), int(V or 0), alpha=g.alpha, beta=g.beta, epsilon=g.epsilon) if known else None


def _bbkn14_release(H: ConceptClass, g: Goal) -> float | None:
    """For points, as the proof asks."""
    T = listed_points(H)
    return None if T is None else necessary_records(T, alpha=g.alpha, beta=g.beta, epsilon=g.epsilon)


def _by_shattering(H: ConceptClass, g: Goal) -> float | None:
    """V·(1 − 2(α + β − αβ)) for V points that are known to be shattered, if that is more than one record."""
    V = at_least(H, "VC")
    needed = 0 if V in (None, inf) else vc_needs(int(V or 0), g.alpha, g.beta)
    return needed if needed > 1 else None


def _rare(H: ConceptClass, g: Goal) -> float | None:
    """ln(1/(2β))/(−ln(1 − α)), for points."""
    return rare_needs(g.alpha, g.beta) or None if isinstance(H, Points) and H.size > 2 else None


def _hct24(H: ConceptClass, g: Goal) -> float | None:
    """For half-spaces of X^d through a point; others have one dimension more, by footnote 3."""
    if not isinstance(H, HalfSpaces | CentralHalfPlanes) or not H.domain.size > H.domain.side > 1:
        return None
    D = H.domain.dim + isinstance(H, HalfSpaces)
    return corollary_22(D, H.domain.side, g.alpha, g.beta, g.epsilon, g.delta)


def _hct24_plane(H: ConceptClass, g: Goal) -> float | None:
    """For half-planes through the origin."""
    if not isinstance(H, CentralHalfPlanes) or H.domain.side <= 1:
        return None
    return corollary_15(H.domain.side, g.alpha, g.beta, g.epsilon, g.delta)


LOOSE = "error O(α), failure O(β + δn)"
BOUNDS = (
    Bound("median of depths, then a choice", "[Yan25, Alg. 2]", "upper", _yan25_improper, False,
          remark="as printed, it is private only on realizable samples: E-Yan25-4"),
    Bound("the same, then down to a leaf", "[Yan25, Thm 13]", "upper", _yan25_proper, True,
          remark="its privacy rests on [Yan25, Thm 7], which is false: E-Yan25-9, E-Yan25-10"),
    Bound("PolyPriPropLearn", "[GGKM21, Thm 6.4]", "upper", _ggkm21, True),
    Bound("PolyPriLearn", "[GGKM21, Alg. 2]", "upper", _ggkm21_algorithm, False),
    Bound("PolyPriPropLearn, relabeled", "[GGKM21, Cor. 6.5]", "upper", _ggkm21, True, regime="agnostic"),
    Bound("PrivateAgnostic", "[ABMS20, Thm 6.1]", "upper", _abms20_agnostic, False, VAGUE, "agnostic", remark=LOOSE),
    Bound("ClosureLearn", "[ABMS20, Thm 7.1]", "upper", _abms20_closure, False, VAGUE,
          remark=f"{LOOSE}; ln(k/β) lacks a factor k: E-ABMS20-10"),
    Bound("exponential mechanism", "[BBKN14, Thm 3.2]", "upper", _bbkn14_finite, True, PURE_DP),
    Bound("a smaller class that represents", "[BBKN14, Thm 4.2]", "upper", _bbkn14_represented, False, PURE_DP),
    Bound("points with independent noise", "[BBKN14, Claim 4.5]", "upper", _bbkn14_noise, False, PURE_DP,
          constants=PRINTED, remark="its union bound needs β ≤ 0.01: E-BBKN14-4"),
    Bound("half-planes from thresholds", "[HCT24, Cor. 15]", "upper", _hct24_plane, True, holds=False,
          remark="not private: the published proof is wrong"),
    Bound("half-spaces from thresholds", "[HCT24, Cor. 22]", "upper", _hct24, True, holds=False,
          remark="not private: the published proof is wrong"),
    Bound("any learner", "[Yan25, §1]", "lower", _yan25_lower, None, constants=Constants.HIDDEN_BELOW),
    Bound("any learner", "[BBKN14, §1.2]", "lower", _by_shattering, None, ANY, constants=PRINTED),
    Bound("any learner", "[BBKN14, Remark 6.2]", "lower", _rare, None, ANY, constants=PRINTED),
    Bound("any proper, pure learner", "[BBKN14, Thm 3.6]", "lower", _bbkn14_minimal, True, PURE_DP, constants=PRINTED),
    Bound("any proper, pure learner", "[BBKN14, Lemma 3.9]", "lower", _bbkn14_points, True, PURE_DP, constants=PRINTED),
    Bound("any proper, pure learner", "[BBKN14, Lemma 5.2]", "lower", _bbkn14_intervals, True, PURE_DP,
          constants=PRINTED),
)  # fmt: skip
RELEASES = (
    Bound("synthetic database", "[BBKN14, Thm 7.1]", "upper", _bbkn14_net, None, PURE_DP, regime="no labels"),
    Bound("any pure release", "[BBKN14, §1.2]", "lower", lambda H, g: at_least(H, "VC") or None, None, PURE_DP,
          "no labels", Constants.HIDDEN_BELOW, remark="for a small ε"),
    Bound("any pure release", "[BBKN14, Thm 7.2]", "lower", _bbkn14_release, None, PURE_DP, "no labels", PRINTED),
)  # fmt: skip
