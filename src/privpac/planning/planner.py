"""How many records it takes to learn a class, or which error or ε is certified, next to published numbers.

Throughout this file
    n      number of records            α, β, ε, δ    error, failure probability, privacy

A *certified* number is computed for this class and these parameters, with all constants, by the theorem its row names.
A *published* number comes from a paper. Hidden constants are set to 1, and then the number guarantees nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.learners.choice import ranking
from privpac.learners.public.requests import with_public
from privpac.planning.bounds import BOUNDS, Goal
from privpac.planning.learner_rows import certified_rows
from privpac.planning.paper_rows import paper_rows
from privpac.planning.plans import Plan, in_sections
from privpac.planning.published import published_row
from privpac.planning.release_plan import ReleasePlan, release_plan
from privpac.planning.rows import Sought
from privpac.privacy.accounting.delta import CAP
from privpac.privacy.budget import Number, as_count
from privpac.refusals.option_words import PlanTask, Regime, one_of
from privpac.refusals.refusal import Refused, RefusedType, Setting
from privpac.requests.conditions import Conditions
from privpac.requests.labels import declared_number
from privpac.requests.weights import BALANCED, EXAMPLE, ErrorWeights


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
    class_weight: object = None,
    classes: Sequence[Any] | None = None,
    public: object = None,
    max_records: int | None = None,
) -> Plan:
    """The number of records each learner of a class needs, with certificates, next to the published bounds.

    Given ``n``, it shows the error each learner is certified for with n records instead; given ``n`` and ``alpha``, the
    smallest ε that certifies this error. Given ``n``, ``alpha``, and ``epsilon``, it shows the errors and says whether
    they are small enough. The defaults are ``alpha=0.1`` and ``epsilon=1``. Without ``delta``, each row uses the
    default δ for its number of records, min(10⁻⁶, 1/(100·n)).

    ``class_weight`` is what errors cost, ``(1, 9)`` or ``{0: 1, 1: 9}``, the negative label first. ``alpha`` is then a
    share of the largest: the average cost exceeds that of the best rule by at most 9·α.

    ``public`` are public records without labels, as a classifier takes them, or their number; the plan is then about
    the learners that use them.

    With ``max_records``, records of a unit are protected together, as a classifier does it; this many of each count. n
    counts units if it is 1. If it is larger, nothing is certified about rules.

    ``classes`` are the labels, as a classifier takes them; they matter only if there are more than two.
    ``task="release"`` plans releases that answer all queries of the class: the error is that of the worst answer.

    >>> import privpac as pp
    >>> rules = pp.ExplicitClass([[0, 0, 1], [0, 1, 1]])
    >>> plan(rules, alpha=0.1, epsilon=1).best.n, plan(rules, n=2000).best.alpha < 0.1
    (..., True)
    >>> plan(rules, n=2000, alpha=0.1).best.epsilon < 1
    True
    >>> plan(pp.Points(), alpha=0.1, epsilon=1, delta=1e-6, task="release").best.n
    540
    """
    if not isinstance(concept_class, ConceptClass):
        raise RefusedType("concept_class", "plan() needs a concept class, for example Thresholds(low, high)")
    one_of("task", task, PlanTask)
    if public is not None:
        if task == "release":
            raise Refused("public", "a release has no use for public records; leave out ", Setting("public"))
        bare = isinstance(public, list | np.ndarray) and np.ndim(public) == 1
        concept_class = with_public(concept_class, public, None if bare else 0)
    if task == "release" and regime != "agnostic":
        raise Refused("regime", "a release has no labels; leave out ", Setting("regime"))
    sought = Sought.RECORDS if n is None else Sought.EPSILON if alpha and epsilon is None else Sought.ERROR
    has_alpha, α, ε = alpha is not None, 0.1 if alpha is None else alpha, 1 if epsilon is None else epsilon
    labels = declared_number(classes)
    if isinstance(class_weight, str) and class_weight == BALANCED:
        raise Refused("class_weight", "a plan reads no record, so it cannot balance weights; name them, like ", EXAMPLE)
    weights = ErrorWeights.of(class_weight, classes or (0, 1))
    if task == "release" and not weights.even:
        raise Refused("class_weight", "a release has no labels; leave out ", Setting("class_weight"))
    conditions = Conditions.of(
        epsilon=ε,
        delta=delta,
        alpha=α,
        beta=beta,
        regime=regime,
        weights=weights,
        labels=labels,
        max_records=max_records,
    )
    n = None if n is None else as_count(n, "n")
    k, tied = conditions.max_records, conditions.delta is None
    δ = float(CAP if conditions.delta is None else conditions.delta)
    goal = Goal(float(conditions.alpha), float(conditions.beta), float(conditions.epsilon), δ, tied, weights, k)
    if task == "release":
        return release_plan(ReleasePlan(concept_class, goal, regime, n, sought, has_alpha), conditions)
    without_rows = Plan(concept_class, goal, regime, n, sought, has_alpha, labels=labels)
    plain = labels == 2 and weights.even and k is None
    published = [published_row(each, without_rows) for each in BOUNDS if each.holds and plain]
    rows = [
        *certified_rows(concept_class, goal, regime, n, sought, labels),
        *paper_rows(concept_class, conditions, n, sought),
        *(row for row in published if row),
    ]
    plan = in_sections(without_rows, rows)
    # The default learner may depend on ε, so it is that at the ε of the best row.
    ε = Fraction(str(plan.best.epsilon)) if plan.best and sought is Sought.EPSILON else conditions.epsilon
    learners = ranking(concept_class, replace(conditions, epsilon=ε))
    return replace(plan, default=next((kind.__name__ for kind, _ in learners), None))
