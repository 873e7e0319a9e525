"""What is looked at before a fit reads a record or spends anything: parameters, units, the account.

Throughout this file
    α, β    the error to plan for, and how often a certificate may fail
    k       how many records of a unit count

Main declarations
    check_parameters    everything public
    as_share            reads α or β
    counted_records     k
    record_cost         what a fit may cost per record
    fit_ledger          the ledger that a fit charges
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privpac.classes.base import ConceptClass
from privpac.learners.certificates.deviation import REGIMES
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.privacy.groups import per_record
from privpac.privacy.ledger import BudgetExceeded, Ledger

if TYPE_CHECKING:
    from privpac.learners.base import PrivateLearner

LEAST = Fraction(1, 10**9)  # ε of a record; with less, no number of records says anything
NEAR = Fraction(1, 10**300), Fraction(1, 10**12)  # to 0 and to 1: α and β are no nearer, so that floats tell them apart


def check_parameters(learner: PrivateLearner) -> None:
    """ValueError or TypeError if a public parameter is not what it must be.

    >>> from privpac.classes.line import Thresholds
    >>> from privpac.learners.thresholds import ThresholdLearner
    >>> check_parameters(ThresholdLearner(Thresholds(0, 9), regime="hopeful"))
    Traceback (most recent call last):
    ValueError: regime must be one of agnostic, realizable
    """
    if not isinstance(learner.concept_class, ConceptClass):
        raise TypeError("say what may be learned: concept_class=Thresholds(low, high), for example")
    if learner.regime not in REGIMES:
        raise ValueError(f"regime must be one of {', '.join(REGIMES)}")
    for name in ("alpha", "beta"):
        as_share(getattr(learner, name), name)
    k = 1 if learner.max_records is None else learner.max_records
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise ValueError("max_records must be a whole number of records, at least 1")
    if 0 < as_rational(learner.epsilon, "epsilon") < LEAST * int(k):
        raise ValueError("epsilon must be at least 1e-9, and so much for each record of a unit that counts")
    if learner.delta is not None and not 0 <= as_rational(learner.delta, "delta") < 1:
        raise ValueError("delta must lie in [0, 1)")
    if not isinstance(learner.allow_large_delta, bool | np.bool_):
        raise TypeError("allow_large_delta must be True or False")
    if not learner.applies(learner.concept_class, learner.regime):
        who = type(learner).__name__
        raise ValueError(f"{who} does not learn this class; docs/guide/learners.md has a table of who learns what")


def as_share(value: Number, name: str) -> Fraction:
    """α or β as a fraction.

    >>> as_share(0.05, "beta")
    Fraction(1, 20)
    """
    if not 0 < (share := as_rational(value, name)) < 1:
        raise ValueError("alpha and beta must lie strictly between 0 and 1")
    if not NEAR[0] <= share <= 1 - NEAR[1]:
        raise ValueError(f"{name} must be at least 1e-300 and at most 1 - 1e-12")
    return share


def counted_records(max_records: int | None, unit: Any) -> int:
    """k; 1 if records are protected one by one.

    >>> counted_records(None, None), counted_records(3, ["ann", "bob", "ann"])
    (1, 3)
    """
    if (unit is None) != (max_records is None):
        raise ValueError("unit and max_records belong together: fit(X, y, unit=column), max_records=k")
    return 1 if max_records is None else int(max_records)


def record_cost(cost: Budget, k: int) -> Budget:
    """What a fit may cost per record, if a unit of k records shall pay no more than ``cost``.

    >>> record_cost(Budget(1), 4)
    Budget(0.25, 0)
    """
    record = per_record(cost, k)
    if cost.delta and not record.delta:
        raise ValueError("for units of so many records this epsilon leaves no delta; ask for a smaller epsilon")
    return record


def fit_ledger(budget: Any, random_state: int | None, cost: Budget) -> Ledger:
    """A ledger for one fit, whose account must have the whole cost left: nothing is spent on half a fit.

    >>> fit_ledger(Budget(0.5), None, Budget(1))
    Traceback (most recent call last):
    privpac.privacy.ledger.BudgetExceeded: a fit costs ε = 1 but ε = 0.5 remains; ask for less or use another account
    """
    if isinstance(budget, Ledger) and random_state is not None:
        raise ValueError("a ledger brings its own source of coins; give the seed to the ledger, not to the learner")
    account = cost if budget is None else budget
    ledger = account.branch() if isinstance(account, Ledger) else Ledger(account, random_state)
    if not cost <= ledger.remaining:
        left = ledger.remaining
        raise BudgetExceeded(f"a fit costs {cost} but {left} remains; ask for less or use another account")
    return ledger
