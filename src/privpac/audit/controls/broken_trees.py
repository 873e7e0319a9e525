"""Learners of decision trees that are deliberately broken, each in one place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.audit.controls.broken_learners import Broken, View
from privpac.exact.weighted import Weights
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.mechanisms.decision_trees.counts import InCells
from privpac.mechanisms.decision_trees.draw import MANTISSA, TreeExponential


class OnlyDividing(Broken, DecisionTreeLearner):
    """Tests are candidates only where they divide the records."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The draw without the other tests."""
        return DividingTests(**vars(mechanism)), view


class DividingTests(TreeExponential):
    """Weight 0 for tests that all records or none pass."""

    def choices(self, records: InCells, k: int) -> Weights:
        weights = super().choices(records, k)
        for b in range(self.tests.number):
            if not all(len(side.w) for side in records.divided(self.tests, b)):
                _without(weights, slice(b + 1, b + 2))
        return weights


class StopsIfPure(Broken, DecisionTreeLearner):
    """Nothing is asked where all labels agree."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The draw that stops there."""
        return PureStops(**vars(mechanism)), view


class PureStops(TreeExponential):
    """Weight 0 for all tests where all labels agree."""

    def choices(self, records: InCells, k: int) -> Weights:
        weights = super().choices(records, k)
        if abs(records.net) == records.room:
            _without(weights, slice(1, None))
        return weights


def _without(weights: Weights, some: slice) -> None:
    assert weights.counts is not None
    weights.counts[some] = 0


class Vanishing(Broken, DecisionTreeLearner):
    """Weights are e^(−errors·ε/2) in floats."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The draw with such weights."""
        return FloatWeights(**vars(mechanism)), view


class FloatWeights(TreeExponential):
    """Weights below 2^-1074 are 0."""

    def choices(self, records: InCells, k: int) -> Weights:
        weights = super().choices(records, k)
        assert weights.counts is not None
        with np.errstate(under="ignore"):
            small = np.exp(float(weights.rate) * (weights.scores - weights.scores.max()))
            floats = small * (weights.counts.astype(np.float64) * 2.0**-MANTISSA)
        return Weights(0 * weights.scores, weights.rate, [int(Fraction(each) * 2**1074) for each in floats.tolist()])


class CutsForFree(Broken, PrivateCutTrees):
    """The tree costs all that the learner may, as if the cuts before it cost nothing."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The draw that spends too much."""
        return (replace(mechanism, cost=self.cost) if isinstance(mechanism, TreeExponential) else mechanism), view
