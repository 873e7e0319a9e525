"""How many records a learner needs: the least n with which an error of at most α is certified."""

from __future__ import annotations

from privpac.classes.concept_class import ConceptClass
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.deviation import MOST
from privpac.privacy.bisection import smallest, smallest_in_stretches, smallest_upto
from privpac.requests.conditions import Conditions


def certified_n(
    kind: type[Learner],
    concept_class: ConceptClass,
    conditions: Conditions,
    alpha: float | None = None,
    beta: float | None = None,
) -> int | None:
    """The smallest number of records that certifies an error of at most α; None if no number does.

    All records count as independent, even those of one unit, because the number serves only to compare algorithms.
    """
    α, β = float(conditions.alpha if alpha is None else alpha), float(conditions.beta if beta is None else beta)
    ε = conditions.counting.most * conditions.terms(1).cost.epsilon

    def holds(n: int) -> bool:
        return certifies(kind, concept_class, conditions, n, alpha=α, beta=β)

    def last_before(turn: int) -> int:
        """The most records below a turn. There, the algorithm changes to another one, which may need more records."""
        return smallest(lambda n: ε * conditions.sizes(n).learned >= turn) - 1

    ends = list(map(last_before, kind.turns))  # after each of these sizes, the claim may fail again
    return smallest_in_stretches(holds, ends) or smallest_upto(MOST, holds, max(ends, default=0))


def certifies(
    kind: type[Learner], concept_class: ConceptClass, conditions: Conditions, n: int, *, alpha: float, beta: float
) -> bool:
    """Whether an error of at most α is certified with n records."""
    learner = kind.for_class(concept_class, conditions.terms(n))
    return learner is not None and learner.certifies(conditions.sizes(n).learned, alpha, beta)
