"""Sets of a few values: x is one of at most k values, from an unbounded domain.

proof: docs/proofs/set_learner.md

Throughout this file
    k        the largest size of a set
    Z, x, ρ  the noise of the histogram, its rate ε/2 (``log_r``), and e^(−x)
    k₀       the least noisy weight with which the histogram shows a value (``least``)
    γ, π     the mass of a value, and the probability that the histogram hides it; π falls as γ grows
    J, M     the number of records of a value, Bin(n, γ), and M(u) = 1 − γ + γ·e^u
    l, i     how many values of the best set are missing, and how many others are shown in their place
    s, t     bases and slopes of exponential bounds, for which the best is taken; λ = ln s
    μ, ν     E[s^Z] and E[s^Z/max(1, k₀ − Z)]: factors for a missing value, and for one shown in its place
    h        the most by which the noisy weights of missing values exceed those of the values in their place
    v, σ     how far the errors of the best set exceed their mean (Theorem 4), and √n/2
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, log_ndtr, xlogy

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.points import OneOf, SparseSets
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import EQUAL, Trial, Universe
from privpac.learners.certificates.capped_selection import Floats
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, MOST, at_most, log_moment
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.privacy.ledger import Records

MASSES, SLOPES = 3000, 32  # how many γ, and how many t, are tried for the bound of Theorem 2
BASES, BLOCKS = 128, 64  # how many s are tried for the bounds of Theorems 3 and 4, and the blocks of a sum over noise
DEVIATIONS = 15  # how many v are tried for the bound of Theorem 4
MOST_TERMS = 2**22  # the most terms of these bounds, over all s: if k is large, fewer s are tried
SLACK = 1 + 1e-9  # covers all rounding errors
# Each δ is the probability that a value with one record is shown, slightly rounded up. A crowd of 27 is one below k₀.
TIGHT = (
    Trial(1, "8.534e-7", 1, 0),
    Trial(1, "8.534e-7", 1, 27),
    Trial("0.2", "0.31842", 2, 0),
    Trial(6, "0.047426", 3, 0),
)


class SetLearner(Learner):
    """Learn which values are the positive ones, for any kind of values.

    Privacy   (ε, δ) for all inputs, whatever k is: set learner, Theorem 1
    Utility   realizable labels: set learner, Theorem 2; noisy labels: Theorems 3 and 4
    Time      O(n), one pass; memory O(distinct values)

    >>> from privpac import PrivateClassifier
    >>> carriers = ["EV"] * 300 + ["B6"] * 300 + ["UA"] * 900
    >>> late = [1] * 560 + [0] * 40 + [1] * 90 + [0] * 810
    >>> clf = PrivateClassifier(SparseSets(3), epsilon=1, delta=1e-6, feature=None)
    >>> print(clf.fit(carriers, late).hypothesis_)
    x is one of B6, EV
    """

    concept_class: SparseSets
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (SparseSets,)
    title: ClassVar[str] = "signed histogram of the values seen"
    theorem: ClassVar[str] = "set learner, Theorems 2 to 4"
    audited: ClassVar[tuple[Universe, ...]] = (Universe(SparseSets(1), "any values", EQUAL, TIGHT),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        shown = ask(SignedHistogram(self.cost), records.see(Sample.tally))
        return OneOf(frozenset(value for value, _ in shown[: self.most]))

    def failure(self, n: int, alpha: float) -> float:
        least = SignedHistogram(self.cost).least
        if self.terms.regime == "realizable":
            return missed_values(self.most, n, alpha, least, self.log_r)
        return wrong_values(self.most, n, alpha, least, self.log_r, self.copies)

    @property
    def most(self) -> int:
        """The largest number of values in a rule: k, or as many as there are."""
        return int(min(self.concept_class.k, self.concept_class.domain.size))


def hidden_chance(n: int, masses: Floats, least: int, x: float) -> Floats:
    """An upper bound on π(γ), the probability that a value of mass γ is hidden, by tilted binomial laws (Lemma 2).

    A value is hidden, that is, not shown, if it has no record, or if Bin(n, γ) + Z < k₀.
    """
    x = min(x, LARGEST_LOGARITHM)  # beyond it, noise is rarer than any rounding error
    ρ, last = np.exp(-x), np.full(masses.shape, least - 1)
    log_up, log_down = np.log1p(masses * np.expm1(x)), np.log1p(masses * np.expm1(-x))  # ln M(x), ln M(−x)
    more, fewer = np.minimum(1.0, masses * np.exp(x - log_up)), masses * np.exp(-x - log_down)  # the tilted masses
    below = at_most(last, n, masses)  # without noise, the value would be hidden
    raised = np.exp(np.minimum(n * log_up - least * x, LARGEST_LOGARITHM)) * at_most(last, n, more)
    above = bdtrc(least - 1, n, fewer) if least <= n else np.zeros(masses.shape)
    lowered = np.exp(np.minimum(n * log_down + (least - 1) * x, LARGEST_LOGARITHM)) * (above + 1e-300)
    unseen = (1 - masses) ** n * np.exp(-least * x)
    shown = np.minimum(raised / (1 + ρ), below / 2)  # Z ≥ k₀ − J ≥ 1 has probability at most 1/2
    return np.asarray(np.minimum(1.0, (below - shown + (lowered + unseen) / (1 + ρ)) * SLACK))


def missed_values(k: int, n: int, alpha: float, least: int, x: float) -> float:
    """An upper bound on P(hidden values of the best set have a mass above α), for realizable labels (Theorem 2)."""
    if n <= 0 or alpha <= 0:
        return 1.0
    n = min(n, MOST)  # with fewer records, more values are missed
    if k < 2:
        return float(hidden_chance(n, np.array([alpha]), least, x)[0]) if k else 0.0
    γ = np.linspace(0, alpha, MASSES + 1)
    π = hidden_chance(n, γ[:-1], least, x)
    after = γ[1:] / alpha

    def bounds(slopes: Floats) -> Floats:
        """The logarithms of the bounds for these values of t·α."""
        return np.array([k * np.log1p(π * np.expm1(slope * after)).max() - slope for slope in slopes])

    wide = np.geomspace(0.1, 500, SLOPES)
    best = wide[bounds(wide).argmin()]  # a finer search follows around it
    log_p = float(bounds(best * np.geomspace(0.75, 1.33, SLOPES)).min())
    return min(1.0, float(np.exp(min(0.0, log_p))) * SLACK)


def wrong_values(  # noqa: PLR0917  (the numbers of the theorem)
    k: int, n: int, alpha: float, least: int, x: float, copies: int = 1
) -> float:
    """An upper bound on P(the set errs on a share α more than the best set), for any labels: Theorem 3 or 4.

    The smaller of the two bounds is returned. With weights of errors, each record counts up to ``copies`` times, and k₀
    and s are those of single copies.
    """
    if n <= k or alpha <= 0:
        return 1.0
    bases = int(min(BASES, max(MOST_TERMS // (k + 1) ** 2, 8)))

    def log_bases(largest: float) -> Floats:
        """ln s for the s that are tried, up to this one."""
        return np.linspace(0, min(largest / copies, x, LARGEST_LOGARITHM / copies), bases + 2)[1:-1]

    i = np.arange(k + 1)  # how many records name the values of the wrong set
    φ_least = 0.5 * (log1p(alpha) - log1p(-alpha)) if alpha < 1 else LARGEST_LOGARITHM  # ln s where φ(s) is least
    λ = log_bases(φ_least)
    pairs = np.outer(copies * i, λ) + np.outer(n - i, log_moment(copies * λ, alpha, "agnostic"))
    by_pairs = wrong_chance(k, least, x, copies, λ, pairs + ways(n, i))
    λ = log_bases(6 * alpha)
    alone = wrong_alone(n, alpha, copies, i, λ) + ways(n, i)
    σ, by_deviations = n**0.5 / 2, 1.0
    for v in np.linspace(0.5, 4, DEVIATIONS) * σ:
        # The best set's errors exceed their mean by more than ``ahead`` with probability at most ``escaped``.
        escaped, ahead = (exp(log_ndtr(-v / σ)), v + 1) if copies == 1 else (exp(-2 * v**2 / n), copies * v)
        by_deviations = min(by_deviations, escaped + wrong_chance(k, least, x, copies, λ, alone + ahead * λ))
    return min(1.0, min(by_pairs, by_deviations) * SLACK)


def ways(n: int, i: NDArray[np.intp]) -> Floats:
    """An upper bound on ln C(n, i), as a column."""
    logarithms: Floats = (i * log(n) - gammaln(i + 1))[:, None]
    return logarithms


def wrong_alone(n: int, alpha: float, copies: int, i: NDArray[np.intp], λ: Floats) -> Floats:
    """An upper bound on ln E[s^(np − errors of the wrong set)], if i records name its values (Theorem 4).

    p, the probability that the best set errs on a record, is the worst one. The best set errs on the i records, and
    the wrong set does not.
    """
    if copies > 1:
        return np.asarray(np.outer(copies * (i - n * alpha), λ) + np.outer(n - i, (copies * λ) ** 2 / 8))
    c = -np.expm1(-λ)
    u, i = 1 - alpha * c, i[:, None]
    b = n * (c - λ * u)
    p = np.clip((np.sqrt(b**2 + 4 * λ * n * c * i * u) - b) / (2 * λ * n * c), 0, 1 - alpha)  # where it is largest
    return np.asarray(xlogy(i, p) + n * λ * p + (n - i) * np.log1p(-(p + alpha) * c))


def wrong_chance(  # noqa: PLR0917  (the numbers of the theorems)
    k: int, least: int, x: float, copies: int, log_s: Floats, records: Floats
) -> float:
    """The sum of Theorems 3 and 4 over l and i; ``records`` has the logarithms of the records' factors by i and s."""
    s, ρ = np.exp(log_s), float(np.exp(-x))
    log_μ = 2 * log1p(-ρ) - np.log1p(-ρ * s) - np.log1p(-ρ / s)
    log_ν = np.minimum(np.log(copies * shared_noise(s, least, ρ)), log_μ)  # all copies may be those of one record
    total = 0.0
    for l in range(1, k + 1):
        i = np.arange(l + 1)
        h = np.where(i == l, 0, (least - 1) * l - least * i)
        missing = gammaln(k + 1) - gammaln(l + 1) - gammaln(k - l + 1)
        terms = records[: l + 1] + np.outer(h, log_s) + l * log_μ + np.outer(i, log_ν)
        total += float(np.exp(np.minimum(0.0, missing + terms.min(axis=1))).sum())
    return total


def shared_noise(s: Floats, least: int, ρ: float) -> Floats:
    """An upper bound on ν. A value that is shown with noise Z has at least k₀ − Z positive records."""
    edges = np.unique(np.linspace(0, least - 1, BLOCKS + 1).astype(np.int64))
    powers = np.power.outer(ρ * s, edges.astype(np.float64)) / (1 - ρ * s)[:, None]
    between = ((powers[:, :-1] - powers[:, 1:]) / (least + 1 - edges[1:])).sum(axis=1)
    negative = (ρ / s) / (1 - ρ / s) / (least + 1)
    return np.asarray((1 - ρ) / (1 + ρ) * (negative + between + powers[:, -1]))
