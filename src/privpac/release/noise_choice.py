"""Which noise many counts get, and sanitizers that add it. The choice depends on public numbers only.

Throughout this file
    d      the most counts that substituting one record changes, by 1 each
    m      how many counts there are
    κ      ``extra_weight``: if the noise is Gaussian and its cost also covers a certificate, how many counts the
           certificate is worth; 0 if the certificate is paid for separately
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import Self

from privpac.classes.concept_class import ConceptClass
from privpac.mechanisms.noise.gaussian import DiscreteGaussian, GaussianCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.accounting.gaussian_counts import ZERO
from privpac.privacy.budget import Budget
from privpac.release.sanitizer import Sanitizer
from privpac.requests.conditions import Terms

Noise = DiscreteGaussian | DiscreteLaplaces


@dataclass(frozen=True)
class NoisySanitizer(Sanitizer):
    """A sanitizer that adds one kind of noise to all its counts; the noise decides whether it spends δ."""

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        return cls(concept_class, terms) if cls.supports(concept_class) else None

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """The noise of all counts."""

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.noise.cost


def noise_for(cost: Budget, d: int, m: int, extra_weight: Fraction = ZERO) -> GaussianCounts | DiscreteLaplaces:
    """Gaussian or Laplace noise, whichever has the smaller largest draw; without δ, only Laplace noise is possible.

    The largest of m draws is about σ·√(2·ln m), or (d/ε)·ln m.

    >>> [type(noise_for(Budget(1, 1e-6), 2 * K, 8 * K)).__name__ for K in (1, 120)]
    ['DiscreteLaplaces', 'GaussianCounts']
    """
    laplace = DiscreteLaplaces(Budget(cost.epsilon), max(d, 1))
    if not cost.delta:
        return laplace
    gaussian = GaussianCounts(cost, max(d, 1), extra_weight)
    largest_laplace = d / float(cost.epsilon) * log(m + 1)
    largest_gaussian = sqrt(2 * float(gaussian.variance) * log(m + 1))
    return laplace if largest_laplace <= largest_gaussian else gaussian


def public_total(terms: Terms, n: int) -> int | None:
    """How many of n records are not void: n, if misfits are refused; None if records or places of units may be void."""
    return n if terms.on_invalid == "raise" and not terms.units else None
