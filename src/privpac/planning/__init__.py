"""WHAT IT COSTS: how many records a learner needs, both certified and published."""

from privpac.planning.bounds import BOUNDS, Bound, Goal
from privpac.planning.planner import plan
from privpac.planning.plans import Plan, Row

__all__ = ["BOUNDS", "Bound", "Goal", "Plan", "Row", "plan"]
