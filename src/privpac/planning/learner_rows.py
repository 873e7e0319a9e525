"""What each learner of a class is certified for, as rows of a plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.classes.concept_class import ConceptClass
from privpac.learners.algorithm import FINENESS, Learner, is_usual
from privpac.learners.choice import ranking
from privpac.learners.sample_sizes import certifies
from privpac.planning.bounds import Goal
from privpac.planning.published import smallest_epsilon
from privpac.planning.rows import CERTIFIED, NOTHING, Row, Sought
from privpac.privacy.accounting.delta import CAP
from privpac.privacy.accounting.group_privacy import per_unit
from privpac.privacy.bisection import smallest_in_stretches
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import Regime
from privpac.requests.conditions import Conditions
from privpac.requests.weights import ErrorWeights


@lru_cache(maxsize=1024)
def certified_rows(  # noqa: PLR0917  (a question, as a key of the cache)
    concept_class: ConceptClass,
    goal: Goal,
    regime: Regime,
    n: int | None = None,
    sought: Sought = Sought.RECORDS,
    labels: int = 2,
) -> tuple[Row, ...]:
    """One row for each learner of the class, with what it is certified for.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> print(certified_rows(ExplicitClass([[0, 1], [1, 1]]), Goal(0.1, 0.05, 1.0, 1e-6), "agnostic")[0].kind)
    certified
    """
    weights = goal.weights if labels == 2 else ErrorWeights((1,) * labels)
    conditions = goal.conditions(regime=regime, weights=weights, labels=labels)
    ranked = ranking(concept_class, conditions)
    return tuple(learner_row(kind, needed, concept_class, conditions, n, sought) for kind, needed in ranked)


def learner_row(  # noqa: PLR0917  (a question, as above)
    kind: type[Learner],
    needed: int | None,
    concept_class: ConceptClass,
    conditions: Conditions,
    n: int | None = None,
    sought: Sought = Sought.RECORDS,
) -> Row:
    """What one learner of the class is certified for; it needs ``needed`` records for the error of the conditions."""
    dependent = conditions.k > 1  # records of one unit are not independent, so nothing is certified
    records = n if dependent or n is not None else needed
    own_conditions: Conditions | None = conditions  # those of this row, with its ε or α; None if none is enough
    if n is not None and sought is Sought.EPSILON:
        own_conditions = None if dependent else _with_least_epsilon(kind, concept_class, conditions, n)
    elif n is not None and kind.aims:
        own_conditions = None if dependent else _with_least_alpha(kind, concept_class, conditions, n)
    learner = kind.for_class(concept_class, (own_conditions or conditions).terms(records or 1))
    assert learner is not None  # it learns the class
    learner = learner if records is None else learner.for_records(records)
    α: Fraction | None = conditions.alpha
    if n is not None and sought is not Sought.EPSILON:
        α = None if dependent or own_conditions is None else learner.certified_alpha(n)
    certified = None not in (records, α, own_conditions)
    privacy, δ = _spent(learner, conditions, records)
    ε = None if own_conditions is None else learner.cost.epsilon if kind.aims else own_conditions.epsilon
    return Row(
        learner=learner.name,
        n=records,
        alpha=None if α is None else float(α),
        proper=learner.proper,
        privacy=privacy if own_conditions else "–",
        kind=replace(CERTIFIED, within=learner.within) if certified else NOTHING,
        source=learner.acting.theorem,
        remark="; ".join(each for each in learner.assumptions if not is_usual(each)) if certified else "",
        automatic=learner.automatic,
        paper=learner.aims,
        title=learner.described,
        delta=δ,
        epsilon=None if ε is None else float(ε),
    )


def _with_least_epsilon(kind: type[Learner], H: ConceptClass, conditions: Conditions, n: int) -> Conditions | None:
    """The conditions with the smallest ε at which n records certify their error; None if no ε is enough."""
    α, β = float(conditions.alpha), float(conditions.beta)
    turns = [Fraction(turn, n) for turn in kind.turns]  # where it changes to another algorithm, as values of ε
    ε = smallest_epsilon(lambda ε: certifies(kind, H, replace(conditions, epsilon=ε), n, alpha=α, beta=β), turns)
    return None if ε is None else replace(conditions, epsilon=ε)


def _with_least_alpha(kind: type[Learner], H: ConceptClass, conditions: Conditions, n: int) -> Conditions | None:
    """The conditions with the least error to aim at that n records certify; None if that is a half or more."""

    def aiming_at(step: int) -> Conditions:
        return replace(conditions, alpha=Fraction(step, FINENESS))

    def holds(step: int) -> bool:
        return certifies(kind, H, aiming_at(step), n, alpha=step / FINENESS, beta=float(conditions.beta))

    step = smallest_in_stretches(holds, [FINENESS // 2 - 1])
    return None if step is None else aiming_at(step)


def _spent(learner: Learner, conditions: Conditions, n: int | None) -> tuple[str, float | None]:
    """The privacy cost of a unit with n records, in words, and its δ; None if δ depends on n and n is unknown."""
    if n is None and conditions.delta is None and not learner.pure:
        return f"{Budget(conditions.epsilon)}, δ ≤ {float(CAP):.6g}", None
    cost = per_unit(learner.cost, conditions.k * learner.copies)
    return str(cost), float(cost.delta)
