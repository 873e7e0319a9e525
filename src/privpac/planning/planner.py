"""How many records it takes to learn a class, or which error or ε is certified, next to published numbers.

Throughout this file
    n      number of records            α, β, ε, δ    error, failure probability, privacy

A *certified* number is computed for this class and these parameters, with all constants, by the theorem its row names.
A *published* number comes from a paper. Hidden constants are set to 1, and then the number guarantees nothing.

Main declarations
    plan    the rows for a class: the n for an error; given n, the error; given both, the smallest ε
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import inf

from privpac.classes.base import ConceptClass
from privpac.data.refusal import RefusedType
from privpac.exact.smallest import smallest_between, smallest_upto
from privpac.learners.algorithm import Learner, is_usual
from privpac.learners.choice import certifies, ranked
from privpac.learners.conditions import Conditions
from privpac.planning.bounds import ANY, BOUNDS, PURE_DP, VAGUE, Bound, Goal
from privpac.planning.kinds import CERTIFIED, NOTHING, Kind, Section
from privpac.planning.plans import Plan, Row, Sought
from privpac.privacy.budget import Budget, Number, as_count
from privpac.privacy.delta import CAP

BOUND_FINENESS = 1000  # published bounds are solved for multiples of 1/BOUND_FINENESS
LEAST, PER_DECADE, LAST = Fraction(1, 10**4), 900, 5400  # ε is solved for numbers of three digits, up to 100


def plan(
    concept_class: ConceptClass,
    *,
    alpha: Number | None = None,
    beta: Number = 0.05,
    epsilon: Number | None = None,
    delta: Number | None = None,
    regime: str = "agnostic",
    n: int | None = None,
) -> Plan:
    """The number of records each learner of a class needs, with certificates, next to the published bounds.

    Given ``n``, it shows the error each learner is certified for with n records instead; given ``n`` and ``alpha``, the
    smallest ε that certifies this error. Given ``n``, ``alpha``, and ``epsilon``, it shows the errors and says whether
    they are small enough. The defaults are ``alpha=0.1`` and ``epsilon=1``. Without ``delta``, each row uses the
    default δ for its number of records, min(10⁻⁶, 1/(100·n)).

    >>> from privpac.classes.explicit import ExplicitClass
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]])
    >>> plan(rules, alpha=0.1, epsilon=1).best.n, plan(rules, n=2000).best.alpha < 0.1
    (..., True)
    >>> plan(rules, n=2000, alpha=0.1).best.epsilon < 1
    True
    """
    if not isinstance(concept_class, ConceptClass):
        raise RefusedType("concept_class", "plan() needs a concept class, for example Thresholds(low, high)")
    sought = Sought.RECORDS if n is None else Sought.EPSILON if alpha and epsilon is None else Sought.ERROR
    wanted, α, ε = alpha is not None, 0.1 if alpha is None else alpha, 1 if epsilon is None else epsilon
    asked = Conditions.of(epsilon=ε, delta=delta, alpha=α, beta=beta, regime=regime)
    n = None if n is None else as_count(n, "n")
    δ = float(CAP if asked.delta is None else asked.delta)
    goal = Goal(float(asked.alpha), float(asked.beta), float(asked.epsilon), δ, tied=asked.delta is None)
    made = Plan(concept_class, goal, regime, n, sought, wanted)
    published = [_published(each, made) for each in BOUNDS if each.holds]
    rows = [*certified_rows(concept_class, goal, regime, n, sought), *(row for row in published if row)]
    ordered = sorted(rows, key=made.rank)
    made = replace(made, rows=tuple(row for section in Section for row in ordered if row.kind.section is section))
    ε = Fraction(repr(made.best.epsilon)) if made.best and sought is Sought.EPSILON else asked.epsilon
    return replace(
        made, default=next((kind.__name__ for kind, _ in ranked(concept_class, replace(asked, epsilon=ε))), None)
    )


@lru_cache(maxsize=1024)
def certified_rows(
    concept_class: ConceptClass, goal: Goal, regime: str, n: int | None = None, sought: Sought = Sought.RECORDS
) -> tuple[Row, ...]:
    """One row per learner of the class: what it is certified for.

    >>> from privpac.classes.explicit import ExplicitClass
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
    ε = _smallest_epsilon(lambda ε: certifies(kind, H, replace(asked, epsilon=ε), n, alpha=α, beta=β))
    return None if ε is None else replace(asked, epsilon=ε)


def _smallest_epsilon(holds: Callable[[Fraction], bool]) -> Fraction | None:
    """The smallest ε of three digits, from 0.0001 to 100, that ``holds``; None if there is none.

    >>> _smallest_epsilon(lambda ε: ε >= 0.1234), _smallest_epsilon(lambda ε: False)
    (Fraction(31, 250), None)
    """

    def ε(k: int) -> Fraction:
        decade, place = divmod(k, PER_DECADE)
        return LEAST * Fraction((100 + place) * 10**decade, 100)

    return ε(smallest_between(lambda k: holds(ε(k)), -1, LAST)) if holds(ε(LAST)) else None


def _spent(learner: Learner, goal: Goal, n: int | None) -> tuple[str, float | None]:
    """The privacy cost with n records, in words, and its δ; None if δ depends on n and n is unknown."""
    if n is None and goal.tied and not learner.pure:
        return f"{Budget(goal.epsilon)}, δ ≤ {goal.delta:.6g}", None
    return str(learner.cost), float(learner.cost.delta)


def _published(bound: Bound, made: Plan) -> Row | None:
    """The bound as a row of this plan; None where it does not apply."""
    H, n = made.concept_class, made.n
    if bound.kind == "upper" and made.regime == "realizable" and bound.regime == "agnostic":
        return None  # it holds, but is never the better bound
    goal = made.goal if n is None else made.goal.of(n)
    least = bound.n(H, goal)
    if least is None:
        return None
    goal = goal.of(least)

    def holds(wanted: Goal) -> bool:
        return n is not None and (bound.n(H, wanted) or inf) <= n

    α: float | None = goal.alpha
    ε: Fraction | None = Fraction(goal.epsilon)
    if made.sought is Sought.ERROR:
        step = smallest_upto(BOUND_FINENESS - 1, lambda k: holds(replace(goal, alpha=k / BOUND_FINENESS)))
        α = None if step in (None, 1) else step / BOUND_FINENESS  # 1: the bound ignores α, or is out of reach
    if made.sought is Sought.EPSILON:
        found = _smallest_epsilon(lambda ε: holds(replace(goal, epsilon=float(ε))))
        ε = None if found == LEAST else found  # the bound ignores ε, or is out of reach
        goal = replace(goal, epsilon=float(ε or goal.epsilon))
    spent = {PURE_DP: (str(Budget(goal.epsilon)), 0.0), VAGUE: (VAGUE, None), ANY: (ANY, None)}
    privacy, δ = spent.get(bound.privacy, (str(Budget(goal.epsilon, goal.delta)), goal.delta))
    kind = Kind(Section.LOWER, bound.constants)
    if bound.kind == "upper":
        kind = Kind(Section.PUBLISHED, bound.constants, bound.regime if bound.regime != made.regime else None)
    numbers = bound.name, least if n is None else n, α, bound.proper, privacy if ε else "–"
    return Row(*numbers, kind, bound.source, bound.remark, delta=δ, epsilon=None if ε is None else float(ε))
