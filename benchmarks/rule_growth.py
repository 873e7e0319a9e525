"""How the times of scorecards and half-planes grow; those of trees are in tree_growth.

Predicted for scorecards: each of at most 50 rounds adds up the weights of n records column by column, then scores T
tests. So the exponent is 1 in n, and at most 1 in columns and cuts. Predicted for half-planes: the exponent is 2 in the
number of distinct points, of which at most 4096 are looked at; beyond that, more records cost little, and the side of
the grid hardly counts.
The bar for half-planes of a 64 × 64 grid: .3 s at n = 10⁴, 1.5 s at n = 10⁶.

Main declarations
    tables     the figures
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
from measure import Table, growth
from tree_growth import records

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.learners.classifier import PrivateClassifier


def tables(quick: bool) -> list[Table]:
    """Growth in each number while the others stay."""
    scorecard(1000, 2, 3)  # modules are loaded
    half_plane(1000, 64)
    few = 2 if quick else None
    cards = {
        "records": [(n, 10, 15) for n in (10**3, 10**4, 10**5, 10**6)],
        "columns": [(10**4, columns, 15) for columns in (5, 10, 20, 40)],
        "cuts": [(10**4, 10, cuts) for cuts in (7, 15, 31, 63)],
    }
    planes = {
        "records, on a small grid": [(n, 64) for n in (10**3, 10**4, 10**5, 10**6)],
        "records, on a large grid": [(n, 2**16) for n in (10**3, 2 * 10**3, 4 * 10**3, 10**4, 10**5, 10**6)],
        "sides": [(2000, side) for side in (2**7, 2**10, 2**13, 2**16)],
    }
    return [
        *(
            growth(f"Scorecards by {about}", ("n", "columns", "cuts each"), cases[:few], scorecard)
            for about, cases in cards.items()
        ),
        *(growth(f"Half-planes by {about}", ("n", "side"), cases[:few], half_plane) for about, cases in planes.items()),
    ]


def scorecard(n: int, columns: int, cuts: int) -> float:
    """The time of a fit; every cut of a column is a test."""
    X, y = records(n, columns, cuts, labels=2)
    return fitted(Scorecards(*(Thresholds(0, cuts).on(name) for name in X)), X, y)


def half_plane(n: int, side: int) -> float:
    """The time of a fit; one label in ten is wrong."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, side, (n, 2))
    return fitted(HalfPlanes(side), X, (3 * X[:, 0] - 2 * X[:, 1] >= side // 3) ^ (rng.random(n) < 0.1))


def fitted(of: ConceptClass, X: Any, y: np.ndarray) -> float:
    learner = PrivateClassifier(of, epsilon=1)
    start = process_time()
    learner.fit(X, y)
    return process_time() - start
