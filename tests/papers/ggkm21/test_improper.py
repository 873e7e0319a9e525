"""PolyPriLearn: private for every sample, right at its tight N, and as printed line by line."""

import pickle
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction

import pytest

from privpac.classes.points import SparseSets
from privpac.mechanisms.selection import SparseExponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import Plan, Shape, votes_of
from privpac.privacy.budget import Budget
from tests.papers.ggkm21.audits import audited

ROUGH = Budget(1, "0.02")  # so that δ is seen on few records
ONE_OF_FOUR = SparseSets(1, 4)
LEVELS = Levels.tight(1, Fraction(1, 10), 2)
SMALL = Plan(2, 2, LEVELS, votes_of(LEVELS, Shape(1, 1, 4, 5)))  # two subsets of two records


class Remembered(PolyPriLearn):
    """Asks ReduceTree about each subset once."""

    known = {}

    def voted(self, T_j):
        key = T_j.tobytes()
        if key not in self.known:
            self.known[key] = super().voted(T_j)
        return self.known[key]


class Alone(Remembered):
    """Broken: ⊥ weighs as if a record supported one hypothesis."""

    @property
    def choosing(self):
        return SparseExponential(self.cost, 1)


class Twice(Remembered):
    """Broken: every hypothesis of a subset counts twice."""

    def voted(self, T_j):
        return [h for h in super().voted(T_j) for _ in range(2)]


class Sorted(Remembered):
    """Broken: records are dealt after sorting, so that one of them moves others to other subsets."""

    def run(self, data, ask):
        return super().run(tuple(sorted(data)), ask)


class ForAll(Remembered):
    """Broken: a subset that no concept fits votes for all concepts, as all of them fit vacuously."""

    def voted(self, T_j):
        return super().voted(T_j) or [self.F.soa(1 << i) for i in range(self.F.concept_class.size)]


@pytest.mark.parametrize(
    ("kind", "ratio"), [(Remembered, 1.0), (Alone, 2.885), (Twice, 1.63), (Sorted, 1.325), (ForAll, 1.31)]
)
def test_private_on_all_ordered_samples(kind, ratio):
    found = audited(kind(ONE_OF_FOUR, ROUGH, plan=SMALL), range(4), 4)
    assert float(found.ratio) == pytest.approx(ratio, abs=0.01)
    assert found.refuted is (kind is not Remembered)
