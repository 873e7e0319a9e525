"""The worked examples of [GGKM21] as data: Figure 1, and the classes of Appendix B with the values that it states.

Labels −1 and 1 of the paper are 0 and 1 here.
"""

import numpy as np

# Figure 1: the three inner nodes of a generalized tree, each with its points (named node, index), its reducing array
# and the child that each row of the array leads to. The caption fixes everything but the order of the two last rows.
FIGURE_1 = {
    "v1": ((("v1", 1), ("v1", 2)), {(0,): "v2", (1, 1): "l1", (1, 0): "v3"}),
    "v2": ((("v2", 1), ("v2", 2)), {(1,): "l4", (0, 1): "l5", (0, 0): "l6"}),
    "v3": ((("v3", 1),), {(0,): "l2", (1,): "l3"}),
}
FIGURE_1_POINTS = [point for points, _ in FIGURE_1.values() for point in points]
FIGURE_1_HEIGHT = 3

# The ancestor sets that the caption writes out.
FIGURE_1_ANCESTORS = {
    "l5": {("v1", 1): 0, ("v2", 1): 0, ("v2", 2): 1},
    "l1": {("v1", 1): 1, ("v1", 2): 1},
    "l3": {("v1", 1): 1, ("v1", 2): 0, ("v3", 1): 1},
}


def ancestors(node="v1", above=None) -> dict:
    """The ancestor set of every leaf below ``node``: {leaf: {point: label}}."""
    above = above or {}
    if node not in FIGURE_1:
        return {node: above}
    points, array = FIGURE_1[node]
    leaves = {}
    for row, child in array.items():
        leaves |= ancestors(child, above | dict(zip(points, row, strict=False)))
    return leaves


def negated_points(n) -> np.ndarray:
    """Appendix B: the point functions and their negations, on n points instead of infinitely many."""
    return np.vstack([np.eye(n, dtype=int), 1 - np.eye(n, dtype=int)])


NEGATED_POINTS_DIMENSION = 3  # Littlestone and VC, "straightforward to check"


def some_of_first(n, d) -> np.ndarray:
    """The class 𝒢 in the proof of Prop. B.1: the concepts of ``negated_points(n)`` that are 1 on one of 0 … d − 1."""
    rows = negated_points(n)
    return rows[rows[:, :d].any(axis=1)]


# Ldim(𝒢 restricted to a label), as stated: (point among the first d?, label): value
SOME_OF_FIRST_DIMENSIONS = {(False, 1): 1, (False, 0): 2, (True, 1): 2, (True, 0): 2}
