"""How the certified n changes with α, with ε and with the size of the domain.

Main declarations
    panels    the curves: one panel for each of the three
    draw_plan      the same as a picture
    family    a class in other sizes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from privpac.classes.base import ConceptClass
from privpac.classes.boxes import Rectangles
from privpac.classes.central_half_planes import CentralHalfPlanes
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.paths import RootPaths, StartsWith
from privpac.classes.plane import HalfPlanes, HalfSpaces
from privpac.classes.points import Points
from privpac.classes.spider import Spider
from privpac.planning.bounds import BOUNDS, PRINTED, Goal
from privpac.planning.planner import CERTIFIED, LOWER, Plan, certified
from privpac.report import Panel, Picture, draw_panels

ERRORS = (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0)
DOMAIN_BITS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)
SIDES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


def draw_plan(plan: Plan) -> Picture:
    """Three small panels, n upwards: certified learners as lines, proved lower bounds dotted, the plan as a mark."""
    return draw_panels(panels(plan), f"Records to learn {plan.title}")


def panels(plan: Plan) -> list[Panel]:
    """The curves of a plan; the last panel is missing if the class comes in one size only.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> from privpac.planning.planner import plan
    >>> [panel.title for panel in panels(plan(ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]])))]
    ['error α', 'privacy ε']
    """
    H, goal = plan.concept_class, plan.goal
    made = [
        _panel("error α", goal.alpha, [(α, H, replace(goal, alpha=α)) for α in ERRORS], plan.regime),
        _panel("privacy ε", goal.epsilon, [(ε, H, replace(goal, epsilon=ε)) for ε in EPSILONS], plan.regime),
    ]
    found = family(H)
    if found is None:
        return made
    title, now, sizes = found
    return [*made, _panel(title, now, [(x, other, goal) for x, other in sizes], plan.regime)]


def _panel(title: str, now: float | None, points: list[tuple[float, ConceptClass, Goal]], regime: str) -> Panel:
    lines: dict[str, list[tuple[float, float]]] = {}
    for x, H, goal in points:
        for row in certified(H, goal, regime):
            if row.kind == CERTIFIED and row.n is not None:
                lines.setdefault(row.learner, []).append((x, row.n))
        for bound in BOUNDS:
            if bound.kind == "lower" and bound.label == PRINTED and (least := bound.n(H, goal)):
                lines.setdefault(f"{LOWER} {bound.source}", []).append((x, least))
    xs = [x for x, _, _ in points]
    return Panel(title, [(x, f"{x:g}") for x in xs[:: 1 + len(xs) // 6]], now, lines)


Family = tuple[str, float | None, list[tuple[float, ConceptClass]]]


def family(H: ConceptClass) -> Family | None:
    """Other sizes of a class: the axis, where ``H`` stands, and the classes.

    >>> family(Points(2**64))[0], family(RootPaths(height=32))[1]
    ('bits of the domain', 32)
    """
    lines: dict[type[ConceptClass], Callable[[int], ConceptClass]] = {
        Thresholds: lambda b: Thresholds(0, 2**b - 1, direction=getattr(H, "direction", "above")),
        Intervals: lambda b: Intervals(0, 2**b - 1),
        Points: lambda b: Points(2**b),
        Spider: Spider,
    }
    if type(H) in lines:
        size = H.bits if isinstance(H, Spider) else H.domain.size
        now = size if isinstance(H, Spider) else size.bit_length() - 1 if isinstance(size, int) else None
        return "bits of the domain", now, [(b, lines[type(H)](b)) for b in DOMAIN_BITS]
    other: Any = H
    if isinstance(H, RootPaths | StartsWith):
        return "height", other.height, [(h, replace(other, height=h)) for h in HEIGHTS]
    if isinstance(H, HalfPlanes | HalfSpaces):
        return "side of the grid", other.side, [(a, replace(other, side=a)) for a in SIDES]
    if isinstance(H, CentralHalfPlanes):
        return "side of the grid", H.domain.side, [(a, CentralHalfPlanes(0, a - 1)) for a in SIDES]
    if isinstance(H, Rectangles):
        return "side of the grid", H.domain.side, [(a, replace(H, low=0, high=a - 1)) for a in SIDES]
    return None
