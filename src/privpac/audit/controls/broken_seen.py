"""Broken twins of the learners whose rules name values that a positive record brings along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.controls.broken_learners import Broken, View
from privpac.exact.weighted import Weights
from privpac.learners.values.code_lists import AnyCodeLearner
from privpac.learners.values.equalities import EqualityLearner
from privpac.mechanisms.selection.exponential import Outcome
from privpac.mechanisms.selection.public_stable import DiscountedExponential
from privpac.mechanisms.values.code_sets import AnyCodeExponential


class OneLevelEqualities(Broken, EqualityLearner):
    """δ is not divided by the number of choices of columns."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection, as if every record brought one conjunction."""
        return replace(mechanism, levels=1), view


class UndiscountedEqualities(Broken, EqualityLearner):
    """A conjunction that a single record brings is discounted by δ, but not by what that record gains."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with larger weights."""
        return NoDiscount(**vars(mechanism)), view


@dataclass(frozen=True)
class NoDiscount(DiscountedExponential):
    """Candidates a_l·r^(−err) instead of (a_l/r)·r^(−err)."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        gained = np.arange(len(weights.scores)) >= len(data[0])
        return replace_scores(weights, weights.scores + gained), outcome


def replace_scores(weights: Weights, scores: Any) -> Weights:
    """The same weights with other scores."""
    return Weights(scores, weights.rate, weights.counts, weights.log_prior)


class NoGain(Broken, AnyCodeLearner):
    """a leaves out r: (1 + a)^s − 1 = δ/(1 − δ)."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with a larger a."""
        return LargerA(**vars(mechanism), factor=float(mechanism.cost.epsilon / 2)), view


class OneCode(Broken, AnyCodeLearner):
    """a is that of records with one code."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection as if s were 1."""
        return replace(mechanism, s=1), view


class OncePerSet(Broken, AnyCodeLearner):
    """A set is discounted once, however many codes it has."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with the weights a·r^(−err)."""
        return DiscountedOnce(**vars(mechanism)), view


@dataclass(frozen=True)
class LargerA(AnyCodeExponential):
    """ln a plus ``factor``."""

    factor: float = 0.0

    @property
    def log_a(self) -> float:
        return super().log_a + self.factor


@dataclass(frozen=True)
class DiscountedOnce(AnyCodeExponential):
    """a·r^(−err(A)) for every set but the empty one."""

    def law(self, data: Any) -> dict[Any, Any]:
        each = super().law(data)
        a = arb(self.log_a).exp()
        weights = {A: p if not A else p * a ** (1 - len(A)) for A, p in each.items()}
        total = sum(weights.values(), arb(0))
        return {A: weight / total for A, weight in weights.items()}
