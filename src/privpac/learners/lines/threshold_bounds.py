"""Certificates of private cuts: caps, and how often a bad cut is released.

proof: docs/proofs/threshold_learner.md

Throughout this file
    r, T       e^(ε/2), with the ε of the selection alone, and the support at which a node of the trie weighs 1: it
               weighs min(r^(q − T), r^(C − err))
    best cut   the one with the least probability of an error; "on the sample", the one with the fewest errors there
    b          bits of the line                   s       sides: left and right of the best cut, for each direction
    C, err, q  the cap of public-stable selection; the errors of a cut; the support of a node
    J          over all bad cuts, the smallest number of errors beyond those of the best cut; if labels are realizable,
               over the bad cuts of one side
    c, d       C minus the errors of the best cut on the sample, and c − J: a bad candidate weighs at most r^d
    g(c)       log_r of what some good candidate weighs at least: the largest min(K − T, c − ⌊(K − 1)/2⌋), K ≥ 1
    Z          discrete Laplace noise at ε₁
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, log
from typing import ClassVar

import numpy as np
from scipy.special import betainc

from privpac.learners.certificates.capped_selection import CappedSelection, Floats, NoiseLaw, laplace
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, ROUNDING, at_most, by_costs
from privpac.mechanisms.lines.dyadic_trie import MIDDLE, Proposal, bits, most_supported
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import Regime

NOISE_SHARE = Fraction(3, 20)  # the share of ε for the noisy errors of the best cut on the sample
CONSTANTS_WIN = 0.3  # the share of β for runs in which a constant wins although its error is not small
FINER_CUTS = Proposal(depth=4, crowd=8)  # finer cuts: fewer errors on most samples, a slightly larger certified n
MEAN_STEPS = 256  # the most steps in which a mean is taken


@dataclass(frozen=True)
class CutCertificate:
    """What all certificates share: the cost, the size of the line, and in how many directions (``ways``) it is cut."""

    cost: Budget
    size: int
    ways: int

    @property
    def log_r(self) -> float:
        """ln r."""
        return float(self.cost.epsilon / 2)

    @property
    def sides(self) -> int:
        """The number s of sides."""
        return 2 * self.ways

    def power(self, exponents: object) -> Floats:
        """r to these exponents; a power beyond the largest float becomes a large number."""
        return np.exp(np.minimum(np.asarray(exponents, dtype=np.float64) * self.log_r, LARGEST_LOGARITHM))


@dataclass(frozen=True)
class PureCuts(CutCertificate):
    """All cuts and both constants, each weighing r^(−errors) (Theorem 3).

    >>> from privpac.privacy.bisection import smallest
    >>> cuts = PureCuts(Budget(1), 2**64, ways=1)
    >>> [smallest(lambda n: cuts.failure(n, 0.1, regime) <= 0.05) for regime in ("realizable", "agnostic")]
    [1076, 1859]
    """

    def failure(self, n: int, alpha: float, regime: Regime) -> float:
        """An upper bound on the probability that a rule with (excess) error beyond α is released."""
        if regime == "agnostic":
            x = deviations(n, alpha)
            chance = probability_of(self.power(self.log_rules / self.log_r - x - 1))
            return expected_chance(chance, excess_law(x, n, alpha, self.sides))
        j = integers_between(-1, min(n, ceil((self.log_rules + 40) / self.log_r)))  # beyond, bad cuts weigh e^(−40)
        bad = self.power(self.log_rules / self.log_r - j - 1) / self.sides
        return min(1.0, self.sides * expected_chance(probability_of(bad), at_most(j, n, alpha)))

    @property
    def log_rules(self) -> float:
        """The logarithm of the number of cuts and constants."""
        return log(2 * self.size if self.ways == 2 else self.size + 1)


@dataclass(frozen=True)
class CappedCuts(CutCertificate):
    """Public-stable selection of a cut, capped by C (Theorem 4)."""

    beta: float
    proposals: ClassVar[tuple[Proposal, ...]] = (MIDDLE,)

    @cached_property
    def levels(self) -> int:
        """The most cuts that a record supports, over all directions; 1 on lines without cuts."""
        return max(most_supported(bits(self.size), self.proposals) * self.ways, 1)

    @property
    def selection_cost(self) -> Budget:
        """What selection costs."""
        return self.cost

    @cached_property
    def selection(self) -> CappedSelection:
        """T and g, with both constants as fallbacks."""
        return CappedSelection(self.selection_cost, self.levels, fallbacks=2, share=2)

    @property
    def log_r(self) -> float:
        return self.selection.log_r

    @cached_property
    def cap(self) -> int:
        """C: the least at which the constants, weighing 1 each, win with probability at most a share of β."""
        return self.selection.cap(CONSTANTS_WIN * self.beta)

    def failure(self, n: int, alpha: float) -> float:
        """An upper bound on the probability of an error beyond α with n records, all labeled correctly by some rule."""
        g = float(self.selection.gain(self.cap))
        j = integers_between(-1, min(n, ceil(self.cap + 2 * self.selection.T + 40 / self.log_r)))
        d = self.cap - (j + 1)
        nodes = self.levels / self.ways * (self.power(d - g) + self._beyond(d, g))
        bad = nodes + self.power(d - g) / self.sides + self.power(np.maximum(d, 0) - g)
        chance = np.where(d >= g, 1.0, probability_of(bad))  # with so small a J, even the good candidate may be bad
        return min(1.0, self.sides * expected_chance(chance, at_most(j, n, alpha)))

    def _beyond(self, d: Floats, g: float) -> Floats:
        """f(d)/r^g, where f(d) bounds the weight of the nodes of one level beyond the nearest bad one (Lemma 3)."""
        T, geometric = self.selection.T, 1 / (1 - exp(-self.log_r))
        few = np.maximum((d + T / 2) * self.power(1 - T - g), self.power(d - T / 2 - g))
        many = self.power(-T / 2 - g) * geometric
        return np.where(d > -T / 2, self.power(d - g) + few + many, self.power(d - g) * geometric)


@dataclass(frozen=True)
class NoisyCuts(CappedCuts):
    """Selection capped by C = X + (errors of the best cut on the sample + Z), for any labels (Theorem 5)."""

    proposals: ClassVar[tuple[Proposal, ...]] = (MIDDLE, FINER_CUTS)

    @property
    def noise(self) -> Budget:
        """What the noise costs: ε₁."""
        return Budget(self.cost.epsilon * NOISE_SHARE)

    @property
    def selection_cost(self) -> Budget:
        return self.cost - self.noise

    @cached_property
    def law(self) -> NoiseLaw:
        """The law of Z."""
        # |Z| exceeds the reach with probability at most β/1000, which counts as failure.
        reach = ceil(-log(1e-3 * self.beta) / float(self.noise.epsilon))
        return laplace(self.noise.epsilon, integers_between(-reach - 1, reach))

    @cached_property
    def margin(self) -> int:
        """X: the least at which the constants, weighing 1 each, win with probability at most a share of β."""
        return self.selection.noisy_cap(CONSTANTS_WIN * self.beta, self.law)

    @cached_property
    def _gains(self) -> Floats:
        return np.asarray(self.selection.gain(self.margin + self.law.low))

    def failure(self, n: int, alpha: float) -> float:
        """An upper bound on the probability that n records lead to an error beyond that of the best rule plus α."""
        _, high, p, outside = self.law
        x, g, T = deviations(n, alpha), self._gains[:, None], self.selection.T
        d = self.margin + high[:, None] - (x + 1)
        # ψ of Theorem 5. A bad candidate weighs at most r^d, and a node with only Q records at most r^(1 − T); here,
        # both are divided by r^g.
        weight, node = self.power(d - g), self.power(1 - T - g)
        bad = 3 * weight + 2 * self.power(-g)
        for proposal in self.proposals:
            M, Q = self.ways * most_supported(bits(self.size), [proposal]), proposal.crowd
            bad += M * n * np.maximum(np.minimum(node, weight) / Q, weight / np.maximum(Q, T + d + Q - 1))
        chance = p @ np.where(d >= g, 1.0, probability_of(bad))
        return min(1.0, outside + expected_chance(chance, excess_law(x, n, alpha, self.sides)))

    def weighted_failure(self, n: int, alpha: float, copies: int, cheapest: float) -> float:
        """An upper bound on the same probability if a record counts up to ``copies`` times (certificates, Theorem 2).

        ``cheapest`` is p₀: the best rule costs at most ``copies``·p₀ per record, on average.
        """
        _, high, p, outside = self.law
        g, B, λ = self._gains, self.selection.fallbacks, copies * self.log_r
        k = np.maximum(self.margin + high - g, 0) / copies
        of_records, fixed = max(n, 1) * (self.levels + self.ways), B + self.ways  # with the public cuts, by direction
        from_records = by_costs(log(of_records), k + 1, n - 1, alpha, λ, cheapest)
        bad = B * self.power(-np.maximum(g, 0)) + from_records + by_costs(log(fixed), k, n, alpha, λ, cheapest)
        return min(1.0, (outside + float(p @ np.minimum(bad, 1.0))) * ROUNDING)


def probability_of(odds: Floats) -> Floats:
    """bad/(bad + good), from the odds bad/good."""
    return odds / (1 + odds)


def integers_between(low: float, high: float) -> Floats:
    """Integers from ``low`` to ``high``: all of them, or MEAN_STEPS + 1 evenly spaced ones if there are more.

    >>> integers_between(-1, 3).tolist()
    [-1.0, 0.0, 1.0, 2.0, 3.0]
    """
    return np.unique(np.round(np.linspace(low, max(low, high), min(max(int(high - low), 0), MEAN_STEPS) + 1)))


def deviations(n: int, alpha: float) -> Floats:
    """The values of J to look at: from one that J hardly ever falls below, to nα, the mean for a barely bad cut."""
    return integers_between(np.floor(max(n * alpha - 8 * n**0.5, -1.0)), max(np.floor(n * alpha), 0.0))


def excess_law(x: Floats, n: int, alpha: float, sides: int) -> Floats:
    """An upper bound on P(J ≤ x): some bad cut errs on at most x records more than the best (Lemma 4)."""
    # The binomial law at k; smooth between two integers, so that the bound does not jump with the parity of n + x.
    k = np.clip((n + x) / 2, 0, n)
    return np.minimum(1.0, np.where(k < n, 2 * sides * betainc(n - k, k + 1, (1 - alpha) / 2), 1.0))


def expected_chance(chance: Floats, law: Floats) -> float:
    """An upper bound on E[chance(J)] for a decreasing function.

    It follows from values of the function at x_i + 1, and from the bounds ``law`` on P(J ≤ x_i).

    Between two points, J is replaced by the least it can be; up to the first point, failure is certain.
    """
    mean = law[0] + chance[:-1] @ np.diff(law) + chance[-1] * (1 - law[-1])
    return min(1.0, float(mean) * ROUNDING)
