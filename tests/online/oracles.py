"""The definitions, without any cleverness: mistake trees, SOA experts, greedy contradiction.

Throughout this file
    rows   a tuple of concepts, each a tuple of booleans; the points are 0, 1, 2 …
"""

from functools import cache
from itertools import combinations, product

from privpac.dimensions.witnesses import MistakeTree
from privpac.online.online_learner import OnlineLearner
from tests.dimensions.oracles import naive_littlestone


def all_classes(points):
    """Every nonempty class on 0, …, points − 1."""
    concepts = list(product([False, True], repeat=points))
    return [rows for m in range(1, len(concepts) + 1) for rows in combinations(concepts, m)]


def random_class(rng, concepts, points):
    return tuple(sorted({tuple(row) for row in rng.integers(0, 2, (concepts, points)).astype(bool).tolist()}))


def part(rows, x, y):
    return tuple(row for row in rows if row[x] == y)


ldim = cache(naive_littlestone)


def mistake_tree(rows):
    """A tree of depth ldim(rows); concepts go by their place in ``rows``."""

    def grow(part_, depth):
        if depth == 0:
            return [], [rows.index(part_[0])]
        x = next(x for x in range(len(part_[0])) if min(ldim(part(part_, x, y)) for y in (False, True)) >= depth - 1)
        (left, left_leaves), (right, right_leaves) = (grow(part(part_, x, y), depth - 1) for y in (False, True))
        levels = [[x]] + [a + b for a, b in zip(left, right, strict=True)]
        return levels, left_leaves + right_leaves

    levels, leaves = grow(rows, ldim(rows))
    return MistakeTree(tuple(x for level in levels for x in level), tuple(leaves))


class Reversed(OnlineLearner):
    """The SOA expert that reverses its prediction in the rounds of ``flips``, and believes what it predicts."""

    def __init__(self, rows, flips):
        self.rows, self.flips, self.round = rows, flips, 0

    def predict_one(self, x):
        soa = ldim(part(self.rows, x, True)) >= ldim(part(self.rows, x, False))
        return soa != (self.round in self.flips)

    def _learn(self, x, y):
        self.rows = part(self.rows, x, self.predict_one(x)) or self.rows
        self.round += 1


def contradict(learner, rows, most):
    """Show the learner labels that it does not predict, as long as some concept gives them all; how many were wrong."""
    for wrong in range(most):
        moves = [(x, not learner.predict_one(x)) for x in range(len(rows[0]))]
        x, y = max(moves, key=lambda move: len(part(rows, *move)))
        if not part(rows, x, y):
            return wrong
        learner.learn_one(x, y)
        rows = part(rows, x, y)
    return most
