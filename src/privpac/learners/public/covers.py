"""Public candidates that are close to every rule of a class, as public records show, and a private choice among them.

[BEHW89] [ABM19]  docs/references.bib        proof: docs/proofs/public_records.md

Throughout this room
    m      the number of public records                      n      the number of private ones
    h*     the best rule of the class                        M      the number of candidates
    α₁     except with probability β/4 over the public records, some candidate differs from h* on at most a share α₁
           of new records; the private choice has the rest of α
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from math import comb, exp, inf, log, log1p
from typing import ClassVar

import numpy as np
from scipy.special import bdtr, gammaln

from privpac.classes.compositions.compose import Compose, OnColumn, Union
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.public_records import WithPublic
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import FINENESS, Assumption, Learner
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, ROUNDING
from privpac.privacy.bisection import smallest_between

SHARE = 4  # a share 1/SHARE of β is for the public records
GHOSTS = (1, 2, 4, 8, 16, 32)  # how many times m further records the proof draws
MOST_SUMMED = 64  # dimensions beyond this one are not bounded by a sum of binomials


class PublicLearner(Learner):
    """A private choice among public candidates, one of which is close to the best rule of the class."""

    concept_class: WithPublic
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (WithPublic,)
    pure: ClassVar[bool] = True

    @property
    @abstractmethod
    def log_candidates(self) -> float:
        """ln M; for permute-and-flip, M is half the number of candidates."""

    @abstractmethod
    def uncovered(self, chance: float) -> float:
        """α₁ if it may fail with at most this ``chance`` over the public records; 1.0 if nothing is proved."""

    def failure(self, n: int, alpha: float) -> float:
        β = float(self.terms.beta) / SHARE
        α = self.uncovered(β)
        if alpha <= α or n < 1:
            return 1.0
        if self.terms.regime == "agnostic":
            return min(1.0, β + self.chance(self.log_candidates, n, alpha - α))
        return min(1.0, β + chance_beyond(self.log_candidates, n, alpha, α, self.log_r))

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        return (Assumption.PUBLIC,)


def chance_beyond(log_m: float, n: int, alpha: float, uncovered: float, log_r: float) -> float:
    """An upper bound on the probability of an error above α if h* makes no error; some candidate then errs at most α₁.

    D is the errors of a bad candidate minus those of the best one. A record adds 1 to D with probability at least α,
    and takes 1 away with probability at most α₁.
    """
    best_log_s = LARGEST_LOGARITHM if uncovered <= 0 else log(alpha / uncovered) / 2
    log_s = min(best_log_s, log_r, LARGEST_LOGARITHM)
    if log_s <= 0:
        return 1.0
    moment = log1p(alpha * np.expm1(-log_s) + max(uncovered, 0.0) * np.expm1(log_s))
    return min(1.0, exp(min(0.0, log_m + n * moment)) * ROUNDING)


@lru_cache(maxsize=1024)
def share_above(count: int, m: int, chance: float) -> float:
    """α₁ if h* and some candidate differ only inside a set that holds at most ``count`` of m public records.

    It is the smallest α₁ for which a set of probability α₁ holds that few of m records with at most this ``chance``.

    >>> share_above(0, 100, 0.05), share_above(10, 100, 0.05)
    (0.0296, 0.1638)
    """
    if count >= m:
        return 1.0
    return smallest_between(lambda k: bdtr(count, m, k / FINENESS) * ROUNDING <= chance, 0, FINENESS) / FINENESS


@lru_cache(maxsize=1024)
def consistent_share(H: ConceptClass, m: int, chance: float) -> float:
    """α₁ if some candidate agrees with h* on all m public records."""
    return smallest_between(lambda k: _inconsistent(H, m, k / FINENESS) <= chance, 0, FINENESS) / FINENESS


def _inconsistent(H: ConceptClass, m: int, alpha: float) -> float:
    """An upper bound on P(a rule agrees with h* on m public records, but not on a share α of new ones)."""
    by_size = H.log_size + m * (log1p(-alpha) if alpha < 1 else -inf)
    logs = [by_size] + [_log_by_ghosts(H, m, k * m, int(alpha * k * m)) for k in GHOSTS]
    return min(1.0, exp(min(0.0, *logs)) * ROUNDING)


def _log_by_ghosts(H: ConceptClass, m: int, ghosts: int, g: int) -> float:
    """ln of 2·(patterns of N = m + ghosts records)·P(none of g marked records is among the first m)."""
    N = m + ghosts
    if g > ghosts or g < 1:
        return 0.0 if g < 1 else -inf
    missed = gammaln(N - g + 1) - gammaln(ghosts - g + 1) - gammaln(N + 1) + gammaln(ghosts + 1)
    return log(2) + log_patterns(H, N) + float(missed)


def log_patterns(H: ConceptClass, N: int) -> float:
    """An upper bound on ln of the largest number of patterns of the class on N points.

    >>> round(exp(log_patterns(Thresholds(0, 10**6, direction="above"), 300)))
    301
    """
    known = H.known("VC")
    bounds = [N * log(2), H.log_size]
    if known is not None and known.value <= MOST_SUMMED:
        bounds.append(log(sum(comb(N, i) for i in range(int(known.value) + 1))))
    if isinstance(H, Thresholds):
        bounds.append(log(2 * N))
    if isinstance(H, OnColumn):
        bounds.append(log_patterns(H.concept_class, N) + (log(2) if H.missing else 0))
    if isinstance(H, Compose):
        bounds.append(sum(log_patterns(part, N) for part in H.parts))
    if isinstance(H, Union):
        bounds.append(float(np.logaddexp.reduce([log_patterns(part, N) for part in H.parts])))
    return min(bounds)
