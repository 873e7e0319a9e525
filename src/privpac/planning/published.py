"""Published bounds as rows of a plan, solved for whatever the plan looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from privpac.planning.bounds import ANY, PURE_DP, VAGUE, Bound, Goal
from privpac.planning.rows import Kind, Row, Section, Sought
from privpac.privacy.bisection import smallest_between, smallest_in_stretches
from privpac.privacy.budget import Budget

if TYPE_CHECKING:
    from privpac.planning.plans import Plan

BOUND_FINENESS = 1000  # published bounds are solved for an α that is a multiple of 1/BOUND_FINENESS
LEAST, PER_DECADE, LAST = Fraction(1, 10**4), 900, 5400  # ε is one of 5401 numbers of three digits, from 0.0001 to 100


def smallest_epsilon(holds: Callable[[Fraction], bool], turns: Iterable[Fraction] = ()) -> Fraction | None:
    """The smallest ε of three digits, from 0.0001 to 100, for which the claim ``holds``; None if there is none.

    Between two of the ``turns``, a claim that is true for some ε stays true for larger ones.

    >>> smallest_epsilon(lambda ε: ε >= 0.1234), smallest_epsilon(lambda ε: False)
    (Fraction(31, 250), None)
    """
    k = _first(holds, turns)
    return None if k is None else _three_digits(k)


def _first(holds: Callable[[Fraction], bool], turns: Iterable[Fraction] = ()) -> int | None:
    """The place of the first number of three digits for which the claim ``holds``; None if there is none."""

    def last_before(turn: Fraction) -> int:
        return smallest_between(lambda k: _three_digits(k) >= turn, -1, LAST + 1) - 1

    ends = map(last_before, turns)
    return smallest_in_stretches(lambda k: holds(_three_digits(k)), [*ends, LAST], above=-1)


def _three_digits(k: int) -> Fraction:
    """The number at place k among those of three digits, which begin with 0.0001."""
    decade, place = divmod(k, PER_DECADE)
    return LEAST * Fraction((100 + place) * 10**decade, 100)


def published_row(bound: Bound, plan: Plan) -> Row | None:
    """The bound as a row of this plan; None where it does not apply.

    If the plan looks for an error or an ε, an upper bound shows the least one of a grid for which n records suffice,
    a lower bound the largest one for which n are too few. So rounding never makes a bound say more than its theorem.
    """
    H, n = plan.concept_class, plan.n
    lower = bound.kind == "lower"
    if not lower and plan.regime == "realizable" and bound.regime == "agnostic":
        return None  # an agnostic bound also holds for realizable labels, but there are better ones for these
    goal = plan.goal if n is None else plan.goal.of(n)
    least = bound.n(H, goal)
    if least is None:
        return None
    goal = goal.of(least)

    def holds(other: Goal) -> bool:
        """Whether n records reach the other goal by this bound."""
        needed = bound.n(H, other)
        return n is not None and (lower if needed is None else needed <= n)

    α: float | None = goal.alpha
    ε: Fraction | None = Fraction(goal.epsilon)
    if plan.sought is Sought.ERROR:
        step = smallest_between(lambda k: holds(replace(goal, alpha=k / BOUND_FINENESS)), 0, BOUND_FINENESS)
        depends_on_α = 1 < step < BOUND_FINENESS  # otherwise the bound ignores α, or is out of reach
        α = (step - lower) / BOUND_FINENESS if depends_on_α else None
    if plan.sought is Sought.EPSILON:
        first = _first(lambda ε: holds(replace(goal, epsilon=float(ε))))
        ε = _three_digits(first - lower) if first else None  # otherwise the bound ignores ε, or is out of reach
        goal = replace(goal, epsilon=float(ε or goal.epsilon))
    spent = {PURE_DP: (str(Budget(goal.epsilon)), 0.0), VAGUE: (VAGUE, None), ANY: (ANY, None)}
    privacy, δ = spent.get(bound.privacy, (str(Budget(goal.epsilon, goal.delta)), goal.delta))
    kind = Kind(Section.LOWER, bound.constants)
    if not lower:
        kind = Kind(Section.PUBLISHED, bound.constants, bound.regime if bound.regime != plan.regime else None)
    numbers = bound.name, least if n is None else n, α, bound.proper, privacy if ε else "–"
    return Row(*numbers, kind, bound.source, bound.remark, delta=δ, epsilon=None if ε is None else float(ε))
