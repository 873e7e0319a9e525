"""A table of people, and classes on its columns, of all kinds that decision trees can ask about."""

from datetime import date

import numpy as np

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.learners.decision_trees.public_tests import tree_tests
from privpac.learners.grids.grids import ColumnPart

JOBS = ExplicitClass(np.eye(4, dtype=bool), points=["clerk", "nurse", "pilot", "cook"])
PLACES = Taxonomy({"Paris": "France", "Lyon": "France", "France": "world", "Spain": "world"}, kind="subtree")
MIXED = (
    Thresholds(17, 90, direction="above").on("age"),
    Thresholds(0.0, 1e6, direction="either").on("income"),
    Thresholds(0, 1, direction="below").on("member"),
    Thresholds(date(2000, 1, 1), date(2026, 11, 15), direction="above").on("since"),
    JOBS.on("job"),
    PLACES.on("place"),
    Intervals(0, 3).on("grade"),
)


def people(rng, n):
    days = np.datetime64("2000-01-01") + rng.integers(0, 9000, n)
    return {
        "age": rng.integers(17, 91, n),
        "income": np.round(10 ** rng.uniform(0, 6, n), 2),
        "member": rng.integers(0, 2, n),
        "since": days,
        "job": rng.choice(["clerk", "nurse", "pilot", "cook"], n),
        "place": rng.choice(["Paris", "Lyon", "France", "Spain", "world"], n),
        "grade": rng.integers(0, 4, n),
    }


def public_of(trees):
    return tree_tests(tuple(map(ColumnPart.of, trees.parts)), trees.domain, trees.depth)
