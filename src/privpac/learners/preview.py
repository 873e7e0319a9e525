"""What a fit would cost and promise, before it reads a record.

Main declarations
    Preview    the algorithm, its cost, and its certificate for n records
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.learners.conditions import Conditions
from privpac.learners.fitting import Fit
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility


@dataclass(frozen=True)
class Preview:
    """A fit of ``n`` records that has not happened; everything here is public.

    >>> from privpac.classes.line import Thresholds
    >>> from privpac.learners.classifier import PrivateClassifier
    >>> ahead = PrivateClassifier(Thresholds(0, 120), epsilon=1, report_error=True).preview(5000)
    >>> print(ahead.learner, ahead.cost, ahead.learned, ahead.held, sep="; ")
    PureThresholdLearner; ε = 1; 4000; 1000
    """

    n: int
    learner: str  # the name that ``method`` takes
    title: str  # what it does
    cost: Budget  # per record, or per unit
    learned: int  # how many records the rule is learned from
    held: int  # how many other records measure its error
    protected: int  # how many records or units are protected
    utility: Utility | None = None

    @classmethod
    def of(cls, fit: Fit, conditions: Conditions, n: int) -> Preview:
        """The preview of a fit. With units, rounding leaves a little of δ unspent; the account must hold all of it."""
        learner, sizes = fit.learner, conditions.sizes(n)
        cost = conditions.price_ahead(n, learner.cost)
        utility = learner.utility(sizes.learned) if fit.k == 1 else None
        return cls(n, learner.name, learner.title, cost, sizes.learned, sizes.held, n // conditions.k, utility)

    @property
    def delta_n(self) -> Fraction:
        """How many of the records or units δ allows to be revealed outright, on average."""
        return self.cost.delta * self.protected
