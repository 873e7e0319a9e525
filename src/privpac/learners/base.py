"""What every private learner does around its own few lines: read, seal, charge, learn, certify, predict.

Throughout this room
    H      the concept class            n      how many records there are, public
    ε, δ   the promise: of a fit in all, per record, or per unit where units are named
    α, β   what a certificate says: with probability ≥ 1 − β the error is at most α (beyond that of the best rule of H,
           if labels may be noisy)

Main declarations
    PrivateLearner    a scikit-learn classifier; a learner adds _learn (the algorithm) and _failure (its certificate)
    Spend             how a learner asks for a release: a mechanism, and what it shall see of the sample
    ErrorEstimate     a private estimate of the released rule's error, with an interval
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.data.sample import Sample
from privpac.learners.certificates.deviation import smallest
from privpac.learners.checks import as_share, check_parameters, counted_records, fit_ledger, record_cost
from privpac.learners.error import ErrorEstimate, error_estimate
from privpac.learners.reading import labelled, read, seal
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.certificate import Utility
from privpac.privacy.groups import PerUnit
from privpac.privacy.ledger import Mechanism

Spend = Callable[[Mechanism, Callable[[Sample], Any]], Any]

MOST = 2**30  # what is certified for more records is what is certified for so many
TOLD = Fraction(1, 10**4)  # ε of a record from which on errors are certified
FINENESS = 10_000  # certified errors are multiples of 1/FINENESS
SHARE = Fraction(1, 10)  # of ε, for the estimate of the rule's error, if it is asked for
INDEPENDENT = "records are drawn independently from one distribution"
UNITS = "units are drawn independently from one distribution, and one record of each counts"
REALIZABLE = "some rule of the class makes no error"
FITTING = "errors are counted on records that fit the declared domain"
SUCH = "some such rule makes no error"
USUAL = frozenset({INDEPENDENT, UNITS, REALIZABLE, SUCH, FITTING})  # all other assumptions say which best is meant


class PrivateLearner(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Learn a rule of ``concept_class`` privately.

    Parameters
    ----------
    concept_class
        What may be learned, with its domain: ``Thresholds(low=0, high=120)``.
    epsilon, delta
        The promise. Learners that need no δ spend none.
    alpha, beta
        The error to plan for, and how often a certificate may fail.
    regime
        "agnostic": labels may be noisy. "realizable": some rule of the class makes no error; the caller declares it.
    feature
        The column of X that is read: a position or a name; a list of them for rules about vectors; None if X is that
        column itself. Compositions name their columns themselves.
    classes
        The two labels, (negative, positive). None takes the values of y, which makes public which labels occur.
    on_invalid
        What becomes of a record that does not fit the declared domain: "raise" (before anything is spent), "clamp" (to
        the nearest bound) or "default" (it counts in n and in no score).
    max_records
        With ``fit(..., unit=)``: how many records of a unit count; the promise is then per unit.
    report_error
        Spend a tenth of ε on a private estimate of the rule's error: ``error_``.
    budget
        An account or a ledger to charge; or a budget, an allowance that each fit has anew; None for ε and δ themselves.
    random_state
        A seed, for tests and teaching only: what it touches is not private.
    """

    title: ClassVar[str]  # what a plan calls it
    theorem: ClassVar[str]  # of its certificate, in docs/proofs
    proper: ClassVar[bool] = True  # its rules are rules of the class
    pure: ClassVar[bool] = False  # it spends no δ
    automatic: ClassVar[bool] = True  # a good first choice; the others are taken if nothing else is left

    def __init__(
        self,
        concept_class: ConceptClass | None = None,
        *,
        epsilon: Number = 1.0,
        delta: Number = 1e-6,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        regime: str = "agnostic",
        feature: Any = 0,
        classes: Sequence[Any] | None = (0, 1),
        on_invalid: str = "raise",
        max_records: int | None = None,
        report_error: bool = False,
        budget: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.concept_class: Any = concept_class  # learners know which class it is
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.beta = beta
        self.regime = regime
        self.feature = feature
        self.classes = classes
        self.on_invalid = on_invalid
        self.max_records = max_records
        self.report_error = report_error
        self.budget = budget
        self.random_state = random_state

    @classmethod
    @abstractmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        """Whether this learner learns this class, labels being noisy or not."""

    @abstractmethod
    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        """The algorithm: a rule for n records, at this cost per record."""

    @abstractmethod
    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        """At least the probability that n records lead to an error beyond α; 1.0 where nothing is proved."""

    def _release(self, cost: Budget, n: int, spend: Spend) -> tuple[Hypothesis, ErrorEstimate | None]:
        """All that a fit releases of n records, at this cost per record: a rule and, if asked for, its error."""
        learning, telling = self._shares(cost)
        rule = self._learn(learning, n, spend)
        return rule, None if telling is None else error_estimate(rule, telling, n, self._beta, spend)

    def _assumptions(self, *meant: str) -> tuple[str, ...]:
        """What the certificate assumes of records and labels.

        ``meant`` says among which rules the best is sought, where these are not all of the class.
        """
        drawn = INDEPENDENT if self.max_records is None else UNITS
        exact = SUCH if meant else REALIZABLE
        return (
            drawn,
            *meant,
            *([exact] if self.regime == "realizable" else []),
            *([FITTING] if self.on_invalid != "raise" else []),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # a few hundred records, most of which no single column explains
        tags.non_deterministic = self.random_state is None
        tags.input_tags.string = True  # what a value may be is up to the domain
        tags.input_tags.allow_nan = self.on_invalid != "raise"  # a missing value is void
        return tags

    def fit(self, X: Any, y: Any, unit: Any = None) -> Self:
        """Learn from records X with labels y, protecting each record, or each unit (a column of names) as a whole.

        X is a table or a column: numpy, pandas, polars, pyarrow, lists; with an Ibis table, y and unit are names of
        columns and the counting is done in the database.
        """
        cost, slots = self._cost(), counted_records(self.max_records, unit)
        record = record_cost(cost, slots)
        sealed = seal(self, X, y, unit, slots)
        ledger, n = fit_ledger(self.budget, self.random_state, cost), sealed.size

        def spend(mechanism: Mechanism, view: Callable[[Sample], Any]) -> Any:
            return ledger.spend(PerUnit(mechanism, slots) if slots > 1 else mechanism, sealed, view)

        utility = self._utility(self._shares(cost)[0], n) if slots == 1 else None  # before anything is spent
        self.hypothesis_, self.error_ = self._release(record, n, spend)
        self.n_records_, self.ledger_ = n, ledger.since(0).by_day()
        self.privacy_ = self.ledger_.spent
        given = () if self.classes is not None else ("which labels occur is public",)
        self.guarantee_ = self.ledger_.certificate(utility, None if unit is None else slots, given)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each record: one of ``classes``."""
        check_is_fitted(self)
        positive = labelled(self.hypothesis_, *read(self, X))
        predicted: NDArray[Any] = self.classes_[np.where(positive, -1, 0)]  # if y had one label, it is both
        return predicted

    def certified_n(self, alpha: Number | None = None, beta: Number | None = None) -> int | None:
        """The least number of records for which an error of at most α is certified; None if none is."""
        α = self.alpha if alpha is None else alpha
        return self._needed(α, self.beta if beta is None else beta) if (self.max_records or 1) == 1 else None

    def _needed(self, alpha: Number, beta: Number) -> int | None:
        """The same if all records were independent, also those of one unit: a number to compare learners by."""
        learning, _ = self._shares(record_cost(self._cost(), int(self.max_records or 1)))
        α, β = float(as_share(alpha, "alpha")), float(as_share(beta, "beta"))
        return None if learning.epsilon < TOLD else smallest(lambda n: self._failure(learning, n, α) <= β, limit=MOST)

    def certified_alpha(self, n: int, beta: Number | None = None) -> Fraction | None:
        """The least error that is certified for n records; None if none is, or only one that is close to 1."""
        learning, _ = self._shares(self._cost())
        β = float(self._beta if beta is None else as_share(beta, "beta"))
        return self._certified(learning, n, β) if (self.max_records or 1) == 1 else None

    def _certified(self, cost: Budget, n: int, beta: float) -> Fraction | None:
        if cost.epsilon < TOLD or n < 1:
            return None
        n = min(n, MOST)
        step = smallest(lambda k: self._failure(cost, n, k / FINENESS) <= beta, limit=FINENESS)
        return Fraction(step, FINENESS) if step is not None and step < FINENESS else None

    def _utility(self, cost: Budget, n: int) -> Utility | None:
        α = self._certified(cost, n, float(self._beta))
        return None if α is None else Utility(α, self._beta, self.regime, self.theorem, self._assumptions())

    @property
    def _beta(self) -> Fraction:
        return as_share(self.beta, "beta")

    def _check(self) -> None:
        """Everything public, before a record is read."""
        check_parameters(self)

    def _cost(self) -> Budget:
        """The whole cost of a fit."""
        self._check()
        return mechanism_budget(self.epsilon, 0 if self.pure else self.delta, approximate=not self.pure)

    def _shares(self, cost: Budget) -> tuple[Budget, Budget | None]:
        """What learning may cost, and what the estimate of the error may, if it is asked for."""
        if not self.report_error:
            return cost, None
        telling = Budget(cost.epsilon * SHARE)
        return cost - telling, telling
