"""How many records it takes to learn a class, or which error or ε is certified, next to published numbers.

Throughout this file
    n      number of records            α, β, ε, δ    error, failure probability, privacy

A *certified* number is computed for this class and these parameters, with all constants, by the theorem its row names.
A *published* number comes from a paper. Hidden constants are set to 1, and then the number guarantees nothing.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.classes.base import ConceptClass
from privpac.learners.algorithm import Learner, is_usual
from privpac.learners.choice import certifies, ranked
from privpac.planning.bounds import BOUNDS, Goal
from privpac.planning.kinds import CERTIFIED, NOTHING
from privpac.planning.plans import Plan, Row, Sought, in_sections
from privpac.planning.published import published_row, smallest_epsilon
from privpac.planning.release_plan import ReleasePlan, release_plan
from privpac.privacy.accounting.delta import CAP
from privpac.privacy.budget import Budget, Number, as_count
from privpac.refusals.option_words import PlanTask, Regime, one_of
from privpac.refusals.refusal import Refused, RefusedType, Setting
from privpac.requests.conditions import Conditions


def plan(
    concept_class: ConceptClass,
    *,
    alpha: Number | None = None,
    beta: Number = 0.05,
    epsilon: Number | None = None,
    delta: Number | None = None,
    regime: Regime = "agnostic",
    n: int | None = None,
    task: PlanTask = "learning",
) -> Plan:
    """The number of records each learner of a class needs, with certificates, next to the published bounds.

    Given ``n``, it shows the error each learner is certified for with n records instead; given ``n`` and ``alpha``, the
    smallest ε that certifies this error. Given ``n``, ``alpha``, and ``epsilon``, it shows the errors and says whether
    they are small enough. The defaults are ``alpha=0.1`` and ``epsilon=1``. Without ``delta``, each row uses the
    default δ for its number of records, min(10⁻⁶, 1/(100·n)).

    ``task="release"`` plans releases that answer all queries of the class: the error is that of the worst answer.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]])
    >>> plan(rules, alpha=0.1, epsilon=1).best.n, plan(rules, n=2000).best.alpha < 0.1
    (..., True)
    >>> plan(rules, n=2000, alpha=0.1).best.epsilon < 1
    True
    >>> from privpac.classes.values.points import Points
    >>> plan(Points(), alpha=0.1, epsilon=1, delta=1e-6, task="release").best.n
    540
    """
    if not isinstance(concept_class, ConceptClass):
        raise RefusedType("concept_class", "plan() needs a concept class, for example Thresholds(low, high)")
    one_of("task", task, PlanTask)
    if task == "release" and regime != "agnostic":
        raise Refused("regime", "a release has no labels; leave out ", Setting("regime"))
    sought = Sought.RECORDS if n is None else Sought.EPSILON if alpha and epsilon is None else Sought.ERROR
    wanted, α, ε = alpha is not None, 0.1 if alpha is None else alpha, 1 if epsilon is None else epsilon
    asked = Conditions.of(epsilon=ε, delta=delta, alpha=α, beta=beta, regime=regime)
    n = None if n is None else as_count(n, "n")
    δ = float(CAP if asked.delta is None else asked.delta)
    goal = Goal(float(asked.alpha), float(asked.beta), float(asked.epsilon), δ, tied=asked.delta is None)
    if task == "release":
        return release_plan(ReleasePlan(concept_class, goal, regime, n, sought, wanted), asked)
    made = Plan(concept_class, goal, regime, n, sought, wanted)
    published = [published_row(each, made) for each in BOUNDS if each.holds]
    rows = [*certified_rows(concept_class, goal, regime, n, sought), *(row for row in published if row)]
    made = in_sections(made, rows)
    ε = Fraction(repr(made.best.epsilon)) if made.best and sought is Sought.EPSILON else asked.epsilon
    return replace(
        made, default=next((kind.__name__ for kind, _ in ranked(concept_class, replace(asked, epsilon=ε))), None)
    )


@lru_cache(maxsize=1024)
def certified_rows(
    concept_class: ConceptClass, goal: Goal, regime: Regime, n: int | None = None, sought: Sought = Sought.RECORDS
) -> tuple[Row, ...]:
    """One row per learner of the class: what it is certified for.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> print(certified_rows(ExplicitClass([[0, 1], [1, 1]]), Goal(0.1, 0.05, 1.0, 1e-6), "agnostic")[0].kind)
    certified
    """
    conditions = Conditions.of(
        epsilon=goal.epsilon, delta=None if goal.tied else goal.delta, alpha=goal.alpha, beta=goal.beta, regime=regime
    )
    rows = []
    for kind, needed in ranked(concept_class, conditions):
        records = needed if n is None else n
        spent: Conditions | None = conditions
        if n is not None and sought is Sought.EPSILON:
            spent = _cheapest(kind, concept_class, conditions, n)
        learner = kind.for_class(concept_class, (spent or conditions).terms(records or 1))
        assert learner is not None  # it is ranked among those that learn the class
        α = goal.alpha if n is None or sought is Sought.EPSILON else learner.certified_alpha(n)
        found = None not in (records, α, spent)
        privacy, δ = _spent(learner, goal, records)
        rows.append(
            Row(
                learner=learner.name,
                n=records,
                alpha=None if α is None else float(α),
                proper=learner.proper,
                privacy=privacy if spent else "–",
                kind=replace(CERTIFIED, within=learner.within) if found else NOTHING,
                source=learner.theorem,
                remark="; ".join(each for each in learner.assumptions if not is_usual(each)) if found else "",
                automatic=learner.automatic,
                title=learner.title,
                delta=δ,
                epsilon=None if spent is None else float(spent.epsilon),
            )
        )
    return tuple(rows)


def _cheapest(kind: type[Learner], H: ConceptClass, asked: Conditions, n: int) -> Conditions | None:
    """The same conditions with the smallest ε that certifies their error with n records; None if no ε does."""
    α, β = float(asked.alpha), float(asked.beta)
    ε = smallest_epsilon(lambda ε: certifies(kind, H, replace(asked, epsilon=ε), n, alpha=α, beta=β))
    return None if ε is None else replace(asked, epsilon=ε)


def _spent(learner: Learner, goal: Goal, n: int | None) -> tuple[str, float | None]:
    """The privacy cost with n records, in words, and its δ; None if δ depends on n and n is unknown."""
    if n is None and goal.tied and not learner.pure:
        return f"{Budget(goal.epsilon)}, δ ≤ {goal.delta:.6g}", None
    return str(learner.cost), float(learner.cost.delta)
