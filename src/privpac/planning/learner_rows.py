"""What each learner of a class is certified for, as rows of a plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.classes.concept_class import ConceptClass
from privpac.learners.algorithm import Learner, is_usual
from privpac.learners.choice import ranking
from privpac.learners.sample_sizes import certifies
from privpac.planning.bounds import Goal
from privpac.planning.published import smallest_epsilon
from privpac.planning.rows import CERTIFIED, NOTHING, Row, Sought
from privpac.privacy.accounting.group_privacy import per_unit
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
    rows, dependent = [], conditions.k > 1  # records of one unit are not independent, so nothing is certified
    for kind, needed in ranking(concept_class, conditions):
        records = n if dependent or n is not None else needed
        own_conditions: Conditions | None = conditions  # those of this row, with its ε; None if no ε is enough
        if n is not None and sought is Sought.EPSILON:
            own_conditions = None if dependent else _with_least_epsilon(kind, concept_class, conditions, n)
        learner = kind.for_class(concept_class, (own_conditions or conditions).terms(records or 1))
        assert learner is not None  # it is ranked among those that learn the class
        learner = learner if records is None else learner.for_records(records)
        α = goal.alpha if n is None or sought is Sought.EPSILON else None if dependent else learner.certified_alpha(n)
        certified = None not in (records, α, own_conditions)
        privacy, δ = _spent(learner, goal, records, conditions.k)
        rows.append(
            Row(
                learner=learner.name,
                n=records,
                alpha=None if α is None else float(α),
                proper=learner.proper,
                privacy=privacy if own_conditions else "–",
                kind=replace(CERTIFIED, within=learner.within) if certified else NOTHING,
                source=learner.acting.theorem,
                remark="; ".join(each for each in learner.assumptions if not is_usual(each)) if certified else "",
                automatic=learner.automatic,
                title=learner.described,
                delta=δ,
                epsilon=None if own_conditions is None else float(own_conditions.epsilon),
            )
        )
    return tuple(rows)


def _with_least_epsilon(kind: type[Learner], H: ConceptClass, conditions: Conditions, n: int) -> Conditions | None:
    """The conditions with the smallest ε at which n records certify their error; None if no ε is enough."""
    α, β = float(conditions.alpha), float(conditions.beta)
    turns = [Fraction(turn, n) for turn in kind.turns]  # where it changes to another algorithm, as values of ε
    ε = smallest_epsilon(lambda ε: certifies(kind, H, replace(conditions, epsilon=ε), n, alpha=α, beta=β), turns)
    return None if ε is None else replace(conditions, epsilon=ε)


def _spent(learner: Learner, goal: Goal, n: int | None, k: int) -> tuple[str, float | None]:
    """The privacy cost of a unit with n records, in words, and its δ; None if δ depends on n and n is unknown."""
    if n is None and goal.tied and not learner.pure:
        return f"{Budget(goal.epsilon)}, δ ≤ {goal.delta:.6g}", None
    cost = per_unit(learner.cost, k * learner.copies)
    return str(cost), float(cost.delta)
