"""A private estimate of how often the released rule errs.

proof: docs/proofs/certificates.md

Given the released rule, the number of records it labels wrongly has sensitivity 1. Discrete Laplace noise makes that
number private, and the exact tails of the noise give the interval.

Main declarations
    ErrorEstimate     the estimated share of the n records that the rule labels wrongly, with an interval
    error_estimate    releases the estimate
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.classes.base import Hypothesis
from privpac.exact.smallest import smallest
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.noise import DiscreteLaplace, tail
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records


@dataclass(frozen=True)
class ErrorEstimate:
    """The share of the n records that a rule labels wrongly: a noisy value and a confidence interval.

    >>> print(ErrorEstimate(0.083, 0.08, 0.086, Fraction(95, 100)))
    errs on about 8.3 % of these records (between 8.0 % and 8.6 % with 95 % confidence)
    """

    value: float
    low: float
    high: float
    confidence: Fraction

    def __str__(self) -> str:
        between = (
            f"between {100 * self.low:.1f} % and {100 * self.high:.1f} % with {100 * float(self.confidence):.3g} %"
        )
        return f"errs on about {100 * self.value:.1f} % of these records ({between} confidence)"


def error_estimate(rule: Hypothesis, cost: Budget, beta: Fraction, records: Records, ask: Ask) -> ErrorEstimate:
    """The estimate, released at this cost, with confidence 1 − β."""
    noisy, n = ask(DiscreteLaplace(cost), records.see(lambda sample: sample.errors(rule))), records.size
    reach = smallest(lambda k: float(tail(cost.epsilon, k)) <= float(beta) / 2)
    value, low, high = (min(max(each / n, 0.0), 1.0) for each in (noisy, noisy - reach + 1, noisy + reach - 1))
    return ErrorEstimate(value, low, high, 1 - beta)
