"""The public parameters of a fit, checked before the fit reads a record or spends anything.

Throughout this file
    n       the number of records
    α, β    the error to plan for, and the probability that a certificate fails
    k       the number of records that count per unit
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.exact.entropy import entropy
from privpac.mechanisms.algorithm import Algorithm
from privpac.privacy.accounting.delta import check_delta, default_delta
from privpac.privacy.accounting.group_privacy import per_record
from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.certificate import RECORDS
from privpac.privacy.ledger import BudgetExceeded, Ledger
from privpac.refusals.option_words import InvalidRule, Regime, one_of
from privpac.refusals.refusal import Refused, RefusedType, about
from privpac.requests.holding_out import HeldOutSizes
from privpac.requests.weights import EVEN, ErrorWeights

COUNT_SHARE = Fraction(1, 20)  # the share of ε for a count that decides the weights of errors
LEAST_EPSILON = Fraction(1, 10**9)  # per record; with a smaller ε, no number of records is enough
# The least distance of α and β from 0 and from 1, because formulas compute with them as floats.
FROM_ZERO, FROM_ONE = Fraction(1, 10**300), Fraction(1, 10**12)


@dataclass(frozen=True)
class Conditions:
    """The checked public parameters of a fit.

    >>> Conditions.of(regime="hopeful")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: regime must be one of agnostic, realizable
    """

    epsilon: Fraction = Fraction(1)
    delta: Fraction | None = None  # None: the default for n records
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)
    regime: Regime = "agnostic"
    on_invalid: InvalidRule = "raise"
    max_records: int | None = None  # k; None: each record is protected by itself
    report_error: bool = False
    allow_large_delta: bool = False
    random_state: int | None = None
    weights: ErrorWeights = EVEN  # what errors cost, in the order of the labels
    balanced: bool = False  # a noisy count of the positive records decides the weights
    labels: int = 2  # how many labels are declared

    @staticmethod
    def of(**parameters: Any) -> Conditions:
        """The conditions with these parameters, after checking them; ValueError or TypeError if one is invalid."""
        raw = Conditions(**parameters)
        one_of("regime", raw.regime, Regime)
        α, β = as_share(raw.alpha, "alpha"), as_share(raw.beta, "beta")
        k = 1 if raw.max_records is None else raw.max_records
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise Refused.must("max_records", "be a whole number of records, at least 1")
        if 0 < as_rational(raw.epsilon, "epsilon") < LEAST_EPSILON * int(k) * raw.counting.most:
            raise Refused.must("epsilon", "be at least 1e-9 for each record that counts per unit, times its weight")
        budget = mechanism_budget(raw.epsilon, 0 if raw.delta is None else raw.delta)
        if 0 < budget.delta < FROM_ZERO:
            raise Refused.must("delta", "be 0, or at least 1e-300")
        one_of("on_invalid", raw.on_invalid, InvalidRule)
        for name in ("allow_large_delta", "report_error"):
            if not isinstance(getattr(raw, name), bool | np.bool_):
                raise RefusedType.must(name, "be True or False")
        with about("random_state"):
            entropy(raw.random_state)
        δ = None if raw.delta is None else budget.delta
        max_records = None if raw.max_records is None else int(k)
        return replace(raw, epsilon=budget.epsilon, delta=δ, alpha=α, beta=β, max_records=max_records)

    @property
    def k(self) -> int:
        """The number of records that count per unit; 1 if each record is protected by itself."""
        return self.max_records or 1

    @property
    def counting(self) -> ErrorWeights:
        """The weights for choosing a rule: all 1 if some rule makes no error, because it is best for any weights."""
        return self.weights if self.regime == "agnostic" else EVEN

    def price(self, n: int) -> Budget:
        """The privacy cost of a fit of n records, per record or per unit."""
        return Budget(self.epsilon, default_delta(-(-n // self.k)) if self.delta is None else self.delta)

    def price_ahead(self, n: int, cost: Budget) -> Budget:
        """What an account must still allow before a fit of n records that costs ``cost``.

        This is the cost, but with all of the δ that was asked for if it has one.
        """
        return Budget(cost.epsilon, self.price(n).delta if cost.delta else 0)

    @property
    def error_cost(self) -> Budget:
        """The privacy cost of the error estimate, per held-out record or unit; zero if none is requested.

        If a count decides the weights, it is about held-out records, too, so it takes a part of their ε.
        """
        return Budget(self.epsilon - self.count_cost.epsilon if self.report_error else 0)

    @property
    def count_cost(self) -> Budget:
        """The privacy cost of the count that decides the weights; zero if there is none.

        It counts held-out records, if there are any, and otherwise the records learned from.
        """
        return Budget(self.epsilon * COUNT_SHARE if self.balanced else 0)

    def sizes(self, n: int) -> HeldOutSizes:
        """How many of n records are learned from, and how many are held out."""
        return HeldOutSizes.of(n, self.k) if self.report_error else HeldOutSizes(n, 0)

    def terms(self, n: int) -> Terms:
        """The terms on which an algorithm learns from n records.

        If a count decides the weights and no records are held out, these records pay for the count as well.
        """
        return _terms(self, self.price(n) if self.report_error else self.price(n) - self.count_cost)

    def check_delta(self, delta: Fraction, n: int) -> None:
        """Refuse a δ·n that is too large, unless the caller allows it explicitly."""
        noun = "records" if self.max_records is None else "units"
        check_delta(delta, n // self.k, noun, allow_large=self.allow_large_delta)


# The fields of ``Conditions`` that are parameters of a classifier, under the same names.
CONDITIONS = tuple(field.name for field in fields(Conditions) if field.name != "labels")


@lru_cache(maxsize=64)
def _terms(conditions: Conditions, price: Budget) -> Terms:
    """The terms with which a unit pays at most ``price``: k of its records count, each as often as its label weighs."""
    cost = per_record(price, conditions.k * conditions.counting.most)
    shared_names = ("alpha", "beta", "regime", "on_invalid", "random_state", "labels")
    shared = {name: getattr(conditions, name) for name in shared_names}
    return Terms(cost, units=conditions.max_records is not None, weights=conditions.counting, **shared)


def as_share(value: Number, name: str) -> Fraction:
    """α or β as a fraction."""
    if not 0 < (share := as_rational(value, name)) < 1:
        raise Refused.must(name, "lie strictly between 0 and 1")
    if not FROM_ZERO <= share <= 1 - FROM_ONE:
        raise Refused.must(name, "be at least 1e-300 and at most 1 - 1e-12")
    return share


def fit_ledger(budget: Any, random_state: int | None, cost: Budget, unit: str = RECORDS, what: str = "a fit") -> Ledger:
    """A ledger for one fit. Its account must cover the whole cost, so that no budget is spent on half a fit.

    >>> fit_ledger(Budget(0.5), None, Budget(1))
    Traceback (most recent call last):
    privpac.privacy.ledger.BudgetExceeded: a fit costs ε = 1 but ε = 0.5 remains; ask for less or use another account
    """
    if isinstance(budget, Ledger) and random_state is not None:
        seed = "a ledger has its own source of randomness; give the seed to the ledger, not to the classifier"
        raise Refused("random_state", seed)
    account = cost if budget is None else budget
    with about("budget"):
        ledger = (account if isinstance(account, Ledger) else Ledger(account, random_state)).branch(unit)
    if not cost <= ledger.remaining:
        left = ledger.remaining
        raise BudgetExceeded(f"{what} costs {cost} but {left} remains; ask for less or use another account")
    return ledger


def in_python(name: str, value: object) -> str:
    """A parameter and its value, as Python writes them.

    >>> print(in_python("direction", "either"), in_python("report_error", True))
    direction="either" report_error=True
    """
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value!r}"


def misfit_advice(spelled: Callable[..., str] = in_python) -> str:
    """The advice if most records do not fit what was declared; ``spelled`` writes a parameter with its value.

    >>> print(misfit_advice())
    Run `privpac schema check`, or set on_invalid="raise", which says what does not fit and spends nothing
    """
    raising = f"set {spelled('on_invalid', 'raise')}, which says what does not fit and spends nothing"
    return f"Run `privpac schema check`, or {raising}"


@dataclass(frozen=True)
class Terms:
    """The public terms on which an algorithm runs."""

    cost: Budget  # of everything it releases, per record; if errors have weights, per copy of a record
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)
    regime: Regime = "agnostic"
    on_invalid: InvalidRule = "raise"
    units: bool = False  # whether units are protected instead of records
    random_state: int | None = None
    weights: ErrorWeights = EVEN
    labels: int = 2  # how many labels are declared


@dataclass(frozen=True)
class ForClass(Algorithm):
    """An algorithm for ``concept_class`` on these ``terms``; learners and releases are such algorithms."""

    concept_class: ConceptClass
    terms: Terms

    kinds: ClassVar[
        tuple[type[ConceptClass], ...]
    ]  # the types of classes that it supports, unless ``_supports`` differs
    title: ClassVar[str]  # its name for people
    theorem: ClassVar[str]  # in docs/proofs
    pure: ClassVar[bool] = False  # whether it spends no δ
    several: ClassVar[bool] = False  # whether it supports more than two labels
    reads_missing: ClassVar[bool] = False  # whether it supports missing entries, as one more value of a column

    @classmethod
    def supports(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm is for the class."""
        if not isinstance(concept_class, cls.kinds) or (concept_class.domain.optional and not cls.reads_missing):
            return False
        return cls._supports(concept_class)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm is for the class, whose type is one of its ``kinds``."""
        return True

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """The algorithm for a class; None if it does not support the class or the number of labels, or needs δ > 0."""
        if not cls.supports(concept_class) or not (cls.pure or terms.cost.delta):
            return None
        if terms.labels > 2 and not cls.several:
            return None
        return cls(concept_class, replace(terms, cost=Budget(terms.cost.epsilon)) if cls.pure else terms)

    @property
    def name(self) -> str:
        """Its name as a ``method``."""
        return type(self).__name__

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of what it releases, per record."""
        return self.terms.cost

    @property
    def domain(self) -> Domain:
        """How records are read: as the class says, unless the algorithm reads only some values."""
        return self.concept_class.domain
