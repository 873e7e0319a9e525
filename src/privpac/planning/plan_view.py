"""The card of a plan in notebooks: the question, a picture of the numbers, the table, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privpac.planning.rows import Row, Sought
from privpac.report.notebook import details, notebook_card, paragraphs, table_of, wide_picture
from privpac.report.pictures.measures import Measure, draw_measures
from privpac.report.pictures.shapes import Picture

if TYPE_CHECKING:
    from privpac.planning.plans import Plan

MOST_MEASURES = 10
AXES = {Sought.RECORDS: "records n", Sought.ERROR: "error", Sought.EPSILON: "ε"}


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
    measures = [_measure(plan, row) for row in plan.rows if (plan.sought.of(row) or 0) > 0 and not row.kind.hidden]
    axis = f"{AXES[plan.sought]}, on a logarithmic axis; filled: certified"
    return draw_measures(measures[:MOST_MEASURES], axis, logarithmic=True) if len(measures) > 1 else None


def _measure(plan: Plan, row: Row) -> Measure:
    name = row.learner if row.kind.certified else row.source
    return Measure(name, float(plan.sought.of(row) or 0), plan.sought.text(row), row.kind.certified)
