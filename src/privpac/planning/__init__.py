"""WHAT IT COSTS: how many records a learner needs, both certified and published.

A plan puts the certified number of each learner of a class next to the bounds that papers publish. It also answers the
other way round: which error n records certify, or which ε they take. Releases have plans of their own.

Published bounds are data, with the theorem that each of them comes from. Hidden constants are set to 1, and the plan
says so: such a number shows an order of magnitude and guarantees nothing.

Parts, each importing only from those below it:
    planner             plan(), which makes plans
    release_plan        plans of releases
    plans               the plan: its table, its question, its answer, and its notes
    plan_pictures       the card of a plan in notebooks, and curves of the certified n
    paper_rows          the rows of papers' algorithms
    learner_rows        the certified rows of learners
    published           published bounds as rows
    release_bounds      published and proved bounds on releases
    bounds              published bounds on learning
    dimension_bounds    dimensions of a class, or bounds on them
    rows                the rows of a plan, and how far to trust their numbers
"""

from privpac.planning.bounds import BOUNDS, Bound, Goal
from privpac.planning.planner import plan
from privpac.planning.plans import Plan
from privpac.planning.rows import Row

__all__ = ["BOUNDS", "Bound", "Goal", "Plan", "Row", "plan"]
