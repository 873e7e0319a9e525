"""Broken twins of the learners whose rules name values that a positive record brings along.

Main declarations
    OneLevelEqualities        conjunctions on different columns share no δ
    UndiscountedEqualities    a conjunction is not discounted by what its one record gains
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privpac.audit.broken_learners import Broken, View
from privpac.exact.weighted import Weights
from privpac.learners.equalities import EqualityLearner
from privpac.mechanisms.public_stable import DiscountedExponential
from privpac.mechanisms.selection import Outcome


class OneLevelEqualities(Broken, EqualityLearner):
    """δ is not divided by the number of choices of columns."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection, as if every record brought one conjunction."""
        return replace(mechanism, levels=1), view


class UndiscountedEqualities(Broken, EqualityLearner):
    """A conjunction that a single record brings is discounted by δ, but not by what that record gains."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with larger weights."""
        return Undiscounted(**vars(mechanism)), view


@dataclass(frozen=True)
class Undiscounted(DiscountedExponential):
    """Candidates a_l·r^(−err) instead of (a_l/r)·r^(−err)."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        gained = np.arange(len(weights.scores)) >= len(data[0])
        return replace_scores(weights, weights.scores + gained), outcome


def replace_scores(weights: Weights, scores: Any) -> Weights:
    """The same weights with other scores."""
    return Weights(scores, weights.rate, weights.counts, weights.log_prior)
