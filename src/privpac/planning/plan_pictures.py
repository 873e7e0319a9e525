"""How a plan is shown: its card in notebooks, and how the certified n depends on α, on ε, and on the domain's size."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from privpac.classes.concept_class import ConceptClass
from privpac.planning.bounds import Goal
from privpac.planning.rows import Constants, Row, Sought
from privpac.report.notebook import details, notebook_card, paragraphs, table_of, wide_picture
from privpac.report.pictures.log_curves import Panel, draw_panels
from privpac.report.pictures.measures import Measure, draw_measures
from privpac.report.pictures.shapes import Picture

if TYPE_CHECKING:
    from privpac.planning.plans import Plan

MOST_MEASURES = 10
ERRORS = (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0)
MOST_TICKS = 6
NUMBER_AT_END = re.compile(r" [0-9.e+-]+$")


def plan_view(plan: Plan) -> str:
    """The card of a plan as HTML."""
    title, _, question = plan.question.partition("\n")
    rows = list(zip(plan.rows, plan.cells(), strict=True))
    learners, others = ([cells for row, cells in rows if bool(row.title) is own] for own in (True, False))
    bounds = f"{len(others)} published bound{'s' * (len(others) != 1)}"
    parts = [wide_picture(_picture(plan)), table_of(learners) if learners else ""]
    parts += [details(bounds, table_of(others)) if others and learners else table_of(others) if others else ""]
    parts.append(paragraphs(map(str, plan.notes)))
    return notebook_card(title, question, parts)


def _picture(plan: Plan) -> Picture | None:
    """The numbers that have all constants, on one logarithmic axis; certified ones are filled."""
    shown = [plan.weighed(row) for row in plan.rows if (plan.sought.of(row) or 0) > 0 and not row.kind.hidden]
    measures = [_measure(plan, row) for row in shown]
    axis = f"{'records n' if plan.sought is Sought.RECORDS else plan.heading}, on a logarithmic axis; filled: certified"
    return draw_measures(measures[:MOST_MEASURES], axis, logarithmic=True) if len(measures) > 1 else None


def _measure(plan: Plan, row: Row) -> Measure:
    name = row.learner if row.kind.certified else row.source
    return Measure(name, float(plan.sought.of(row) or 0), plan.sought.text(row), row.kind.certified)


def draw_plan(plan: Plan) -> Picture:
    """Panels with n on the vertical axis: solid certificates, dotted lower bounds, and a mark at the plan's numbers."""
    return draw_panels(panels(plan), f"{plan.about} {plan.title}")


def panels(plan: Plan) -> list[Panel]:
    """A panel each for α, for ε, and for the size of the class, if it belongs to a family of several sizes.

    >>> import privpac as pp
    >>> [panel.title for panel in panels(pp.plan(pp.ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]])))]
    ['error α', 'privacy ε']
    """
    H, goal = plan.concept_class, plan.goal
    α_and_ε = [
        _panel("error α", goal.alpha, [(α, H, replace(goal, alpha=α)) for α in ERRORS], plan),
        _panel("privacy ε", goal.epsilon, [(ε, H, replace(goal, epsilon=ε)) for ε in EPSILONS], plan),
    ]
    family = H.family()
    if family is None:
        return α_and_ε
    return [*α_and_ε, _panel(family.unit, family.size, [(size, member, goal) for size, member in family.members], plan)]


def _panel(title: str, now: float | None, points: list[tuple[float, ConceptClass, Goal]], plan: Plan) -> Panel:
    """The panel of triples: an x, and the class and the goal that are planned there; ``now`` is the plan's own x."""
    lines: dict[str, list[tuple[float, float]]] = {}
    dotted: dict[str, list[tuple[float, float]]] = {}
    for x, H, goal in points:
        for row in plan.certified_at(H, goal):
            if row.kind.certified and row.n is not None:
                lines.setdefault(_line_name(row), []).append((x, row.n))
        for bound in plan.bounds:
            if bound.kind == "lower" and bound.constants is Constants.PRINTED and (least := bound.n(H, goal)):
                dotted.setdefault(f"lower bound {bound.source}", []).append((x, least))
    ticks = [(x, f"{x:g}") for x, _, _ in points[:: 1 + len(points) // MOST_TICKS]]
    return Panel(title, ticks, now, lines, dotted)


def _line_name(row: Row) -> str:
    """The name of a learner's curve: with the rules that it compares with, if not with all, and without their number.

    The number, such as a margin, may change along the curve.
    """
    return ", ".join(filter(None, (row.learner, NUMBER_AT_END.sub("", row.kind.within))))
