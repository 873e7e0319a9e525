"""Learners that are deliberately broken, each in one place.

Each is the real learner, except that one of its requests, a mechanism or a view of the sample, is changed on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from privpac.audit.claims.fits import Learned, Unseen
from privpac.classes.base import Hypothesis
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.weighted import Weights
from privpac.learners.algorithm import Learner
from privpac.learners.finite import FiniteLearner
from privpac.learners.lines.intervals import IntervalLearner
from privpac.learners.lines.stumps import StumpLearner
from privpac.learners.rules.boxes import RectangleLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.rules.named_rules import NamedRuleLearner
from privpac.learners.values.buckets import BucketLearner
from privpac.learners.values.points import PointLearner, ProperPointLearner
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.intervals import IntervalExponential
from privpac.mechanisms.lines.stumps import StumpExponential
from privpac.mechanisms.selection.blocks import VariantExponential
from privpac.mechanisms.selection.exponential import Outcome
from privpac.mechanisms.values.points import PointExponential
from privpac.privacy.ledger import Mechanism, Records

View = Callable[[Sample], Any]


class Broken(Learner):
    """A learner with changed requests; the real learner is the next base class.

    >>> BalancedRules.title
    'permute-and-flip over all concepts'
    """

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        def instead(mechanism: Any, view: View) -> Any:
            changed, seen = self.changed(mechanism, view)
            return ask(changed, records.see(seen))

        return super().run(Unseen(records.size), instead)  # type: ignore[safe-super]

    instead: ClassVar[type[Mechanism] | None] = None  # asked for where the learner asks for its base class

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """What is asked for instead."""
        if self.instead and isinstance(mechanism, self.instead.__bases__):
            mechanism = self.instead(**vars(mechanism))
        return mechanism, lambda sample: view(self.sample(sample))

    def sample(self, sample: Sample) -> Sample:
        """What is looked at instead."""
        return sample


class CountedTwice(Broken):
    """Every record is counted twice."""

    def sample(self, sample: Sample) -> Sample:
        return replace(sample, counts=np.full(len(sample.labels), 2))


@cache
def twin(fault: type[Broken], kind: type[Learner]) -> type[Learner]:
    """A learner with this fault.

    >>> twin(CountedTwice, FiniteLearner).__name__
    'CountedTwiceFiniteLearner'
    """
    return type(fault.__name__ + kind.__name__, (fault, kind), {})


counted_twice = partial(twin, CountedTwice)


class DoublePositives(Broken, PointLearner):
    """Records with label 1 are counted twice."""

    def sample(self, sample: Sample) -> Sample:
        return replace(sample, counts=1 + sample.labels.astype(np.int64))


class UnseenByRecords(Broken, ProperPointLearner):
    """The number of unseen values is taken to be N minus the records, not N minus the values seen."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return Miscounted(**vars(mechanism)), lambda sample: (view(sample), len(sample.labels))


@dataclass(frozen=True)
class Miscounted(PointExponential):
    """Too few unseen values."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data[0])
        counts = np.array([1] * (len(weights.scores) - 1) + [max(self.N - data[1], 1)])
        return replace(weights, counts=counts), outcome


class KeyFromValues(Broken, BucketLearner):
    """The number of distinct values chooses the hash."""

    def sample(self, sample: Sample) -> Sample:
        key = len(sample.tally().points)
        return replace(sample, points=objects(f"{key} {value}" for value in sample.points.tolist()))


class BalancedRules(Broken, FiniteLearner):
    """The records of each label share the same total weight."""

    def sample(self, sample: Sample) -> Sample:
        others = np.where(sample.labels, sample.negatives, sample.positives)
        return replace(sample, counts=np.maximum(others, 1))


class OriginFromRecords(Broken):
    """The grid begins where the records do, and the public point is its lower left corner."""

    def sample(self, sample: Sample) -> Sample:
        return replace(sample, points=sample.points - sample.points.min(axis=0, initial=2**20))


@dataclass(frozen=True)
class Inferred(IntervalExponential):
    """Only intervals up to the largest record."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        return IntervalExponential(self.cost, int(data.points.max(initial=0)) + 1).menu(data)


class LineFromRecords(Broken, IntervalLearner):
    """The line ends at the largest record."""

    instead = Inferred


class CellsFromRecords(Broken, RectangleLearner):
    """Each coordinate that occurs in a record gets a cell of its own."""

    def sample(self, sample: Sample) -> Sample:
        ranks = [np.unique(column, return_inverse=True)[1] for column in sample.points.T]
        return replace(sample, points=np.stack(ranks, axis=1))


@dataclass(frozen=True)
class FirstCuts(StumpExponential):
    """The first cut of each run."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        return Weights(weights.scores, weights.rate), outcome


class CutsAtRecords(Broken, StumpLearner):
    """Only cuts just above a record's value are candidates."""

    instead = FirstCuts


class OncePerColumn(Broken, RuleLearner):
    """A record is counted once for each column."""

    def sample(self, sample: Sample) -> Sample:
        return replace(sample, counts=np.full(len(sample.labels), sample.points.shape[1]))


@dataclass(frozen=True)
class UndiscountedVariants(VariantExponential):
    """λ without ln r."""

    @property
    def log_priors(self) -> tuple[float, ...]:
        none, discount = super().log_priors
        return none, discount + float(self.cost.epsilon / 2)


class UndiscountedNames(Broken, NamedRuleLearner):
    """A name that a single record brings is discounted by δ, but not by what that record gains."""

    instead = UndiscountedVariants


class FirstRows(Learned):
    """The first k rows per unit count, whichever units they belong to."""

    def chosen(self, units: list[str], records: list[Any]) -> tuple[list[Any], int]:
        n = self.slots * len(set(units))
        return records[:n], n
