"""Sets of a few values: x is one of at most k values, from an unbounded domain.

proof: docs/proofs/set_learner.md

Throughout this file
    w(v)     positive records at v minus negative ones: by how many errors v improves a set
    k        the largest size of a set           ρ = e^(−x), x = ε/2, k₀    the noise and the threshold of the histogram
    γ, π     the mass of a value, and the probability that it is hidden; π falls as γ grows
    l, i     values of the best set that are missing, and values that are shown in their place
"""

from __future__ import annotations

from math import log, log1p
from typing import ClassVar

import numpy as np
from scipy.special import bdtrc, gammaln

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.points import OneOf, SparseSets
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.capped import Floats
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, MOST, at_most, log_moment
from privpac.learners.universe import EQUAL, Tried, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.signed import SignedHistogram
from privpac.privacy.ledger import Records

MASSES, SLOPES = 3000, 32  # points of the grids of γ and of t
BASES, BLOCKS = 128, 64  # points of the grid of s, and blocks of the sum over noise
MOST_TERMS = 2**22
SLACK = 1 + 1e-9  # exceeds all rounding errors
# δ is what a value of a single record is shown with, barely rounded up; the crowd is about to be shown
TIGHT = (
    Tried(1, "8.534e-7", 1, 0),
    Tried(1, "8.534e-7", 1, 27),
    Tried("0.2", "0.31842", 2, 0),
    Tried(6, "0.047426", 3, 0),
)


class SetLearner(Learner):
    """Learn which values are the positive ones, for any kind of values.

    Privacy   (ε, δ) for all inputs, whatever k is: set learner, Theorem 1
    Utility   realizable labels: set learner, Theorem 2; noisy labels: Theorem 3
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
    theorem: ClassVar[str] = "set learner, Theorems 2 and 3"
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


def hidden(n: int, masses: Floats, least: int, x: float) -> Floats:
    """At least π(γ) = P(no record, or Bin(n, γ) + Z < k₀), by tilted binomial laws (Lemma 2).

    >>> hidden(380, np.array([0.0, 0.1]), 28, 0.5).round(3)
    array([1.   , 0.049])
    """
    x = min(x, LARGEST_LOGARITHM)  # beyond it, noise is rarer than any rounding error
    ρ, last = np.exp(-x), np.full(masses.shape, least - 1)
    up, down = np.log1p(masses * np.expm1(x)), np.log1p(masses * np.expm1(-x))
    more, fewer = np.minimum(1.0, masses * np.exp(x - up)), masses * np.exp(-x - down)
    below = at_most(last, n, masses)
    risen = np.exp(np.minimum(n * up - least * x, LARGEST_LOGARITHM)) * at_most(last, n, more)
    above = bdtrc(least - 1, n, fewer) if least <= n else np.zeros(masses.shape)
    fallen = np.exp(np.minimum(n * down + (least - 1) * x, LARGEST_LOGARITHM)) * (above + 1e-300)
    unseen = (1 - masses) ** n * np.exp(-least * x)
    shown = np.minimum(risen / (1 + ρ), below / 2)  # Z ≥ k₀ − J ≥ 1 has probability at most 1/2
    return np.asarray(np.minimum(1.0, (below - shown + (fallen + unseen) / (1 + ρ)) * SLACK))


def missed_values(k: int, n: int, alpha: float, least: int, x: float) -> float:
    """At least P(hidden values of the best set weigh more than α), for realizable labels (Theorem 2).

    >>> [round(missed_values(k, n, 0.1, 28, 0.5), 3) for k, n in ((1, 400), (3, 900), (5, 1400))]
    [0.027, 0.043, 0.027]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    n = min(n, MOST)  # with fewer records, more values are missed
    if k < 2:
        return float(hidden(n, np.array([alpha]), least, x)[0]) if k else 0.0
    γ = np.linspace(0, alpha, MASSES + 1)
    π = hidden(n, γ[:-1], least, x)
    after = γ[1:] / alpha

    def bounds(slopes: Floats) -> Floats:  # t·α
        return np.array([k * np.log1p(π * np.expm1(slope * after)).max() - slope for slope in slopes])

    wide = np.geomspace(0.1, 500, SLOPES)
    best = wide[bounds(wide).argmin()]
    log_p = float(bounds(best * np.geomspace(0.75, 1.33, SLOPES)).min())
    return min(1.0, float(np.exp(min(0.0, log_p))) * SLACK)


def wrong_values(  # noqa: PLR0917  (the numbers of the theorem)
    k: int, n: int, alpha: float, least: int, x: float, copies: int = 1
) -> float:
    """At least P(the set errs by more than α more than the best set), for any labels (Theorem 3).

    With weights of errors, each record counts up to ``copies`` times, and k₀ and s are those of single copies.

    >>> [round(wrong_values(k, n, 0.1, 28, 0.5), 3) for k, n in ((1, 1500), (3, 3300), (5, 5200))]
    [0.043, 0.046, 0.037]
    """
    if n <= k or alpha <= 0:
        return 1.0
    largest = 0.5 * (log1p(alpha) - log1p(-alpha)) if alpha < 1 else LARGEST_LOGARITHM  # where φ is least
    bases = int(min(BASES, max(MOST_TERMS // (k + 1) ** 2, 8)))
    log_s = np.linspace(0, min(largest / copies, x, LARGEST_LOGARITHM / copies), bases + 2)[1:-1]
    s, ρ = np.exp(log_s), float(np.exp(-x))
    log_φ = log_moment(copies * log_s, alpha, "agnostic")
    log_μ = 2 * log1p(-ρ) - np.log1p(-ρ * s) - np.log1p(-ρ / s)
    log_ν = np.minimum(np.log(copies * shared_noise(s, least, ρ)), log_μ)  # so many copies may be one record's
    total = 0.0
    for l in range(1, k + 1):
        i = np.arange(l + 1)
        h = np.where(i == l, 0, (least - 1) * l - least * i)
        ways = gammaln(k + 1) - gammaln(l + 1) - gammaln(k - l + 1) + i * log(n) - gammaln(i + 1)
        terms = np.outer(h + copies * i, log_s) + l * log_μ + np.outer(i, log_ν) + np.outer(n - i, log_φ)
        total += float(np.exp(np.minimum(0.0, ways + terms.min(axis=1))).sum())
    return min(1.0, total * SLACK)


def shared_noise(s: Floats, least: int, ρ: float) -> Floats:
    """At least E[s^Z/max(1, k₀ − Z)]: a value that is shown with noise Z has at least k₀ − Z positive records.

    >>> shared_noise(np.array([1.0]), 28, np.exp(-0.5)).round(4)
    array([0.0367])
    """
    edges = np.unique(np.linspace(0, least - 1, BLOCKS + 1).astype(np.int64))
    powers = np.power.outer(ρ * s, edges.astype(np.float64)) / (1 - ρ * s)[:, None]
    between = ((powers[:, :-1] - powers[:, 1:]) / (least + 1 - edges[1:])).sum(axis=1)
    negative = (ρ / s) / (1 - ρ / s) / (least + 1)
    return np.asarray((1 - ρ) / (1 + ρ) * (negative + between + powers[:, -1]))
