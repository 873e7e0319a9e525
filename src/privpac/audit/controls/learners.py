"""Learners that are broken on purpose, each in one place, and what each of them leaks.

Each is the real learner, except that one of its requests, a mechanism or a view of the sample, is changed on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.claims.case import Records, labeled
from privpac.audit.claims.fits import AuditedFit, UnseenRecords, fit_of, stages
from privpac.audit.claims.holding_out import AB, RULES, Choice, HeldOut
from privpac.audit.controls.mechanisms import Control
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Weights
from privpac.learners.algorithm import Learner
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.learners.lines.stumps import StumpLearner
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.stumps import StumpExponential
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Outcome
from privpac.privacy.ledger import Records as SealedRecords

View = Callable[[Sample], Any]


class BrokenLearner(Learner):
    """A learner whose requests are changed by ``instead``. A subclass also inherits from the real learner.

    >>> CutsAtRecords.title == StumpLearner.title
    True
    """

    def run(self, records: SealedRecords, ask: Ask) -> Hypothesis:
        def ask_instead(mechanism: object, view: View) -> Any:
            other_mechanism, other_view = self.instead(mechanism, view)
            return ask(other_mechanism, records.see(other_view))

        # The real learner sees views, not records: ``UnseenRecords`` passes each view on without evaluating it.
        return super().run(UnseenRecords(records.size), ask_instead)  # type: ignore[safe-super]

    def instead(self, mechanism: object, view: View) -> tuple[Any, View]:
        """The mechanism to ask in place of ``mechanism``, and the view that it gets."""
        return mechanism, view


class CountedTwice(BrokenLearner):
    """Every record is counted twice."""

    def instead(self, mechanism: object, view: View) -> tuple[Any, View]:
        return mechanism, lambda sample: view(replace(sample, counts=np.full(len(sample.labels), 2)))


@cache
def counted_twice(kind: type[Learner]) -> type[Learner]:
    """A learner that counts every record twice.

    >>> counted_twice(FiniteLearner).__name__
    'CountedTwiceFiniteLearner'
    """
    return type(f"CountedTwice{kind.__name__}", (CountedTwice, kind), {})


@dataclass(frozen=True)
class WithoutNoise(DiscreteLaplace):
    """A number as it is, at the price of a noisy one."""

    def release(self, data: int, coins: Entropy) -> int:
        return data

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        return {data: arb(1)}


class ExactErrors(BrokenLearner, ThresholdLearner):
    """The cap C of the selection is computed from the exact number of errors of the best cut, without noise."""

    def instead(self, mechanism: object, view: View) -> tuple[Any, View]:
        return (WithoutNoise(**vars(mechanism)) if isinstance(mechanism, DiscreteLaplace) else mechanism), view


@dataclass(frozen=True)
class FirstCuts(StumpExponential):
    """Only the first cut of each run of cuts that split the records alike is a candidate."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        return Weights(weights.scores, weights.rate), outcome  # without the lengths of the runs: one cut for each


class CutsAtRecords(BrokenLearner, StumpLearner):
    """Only cuts just above a record's value are candidates."""

    def instead(self, mechanism: object, view: View) -> tuple[Any, View]:
        return FirstCuts(**vars(mechanism)), view


class NotHeldOut(HeldOut):
    """The error is measured on the records that were learned from, and this is not charged."""

    def choices(self, records: Records) -> Iterator[Choice]:
        yield records, records


def _control(fit: Fit, about: str, universe: Sequence[Any], n: int, why: str) -> Control:
    """The control for the first release of a broken learner."""
    (case,) = stages(fit, about, universe, n)
    return Control(case.mechanism, case.view, about, universe, n, case.claimed, why)


LEARNER_CONTROLS = (
    _control(
        fit_of(ExactErrors, Thresholds(0, 3, direction="above"), epsilon=1, delta=0.1),
        "the best cut's errors without noise",
        labeled((0, 1)), 2, "the output shows whether the two records contradict each other",
    ),
    _control(
        fit_of(CutsAtRecords, StumpLearner.audited[0].concept_class, epsilon=1), "cuts at the records' values only",
        labeled(((0, 0), (2, 1))), 1, "a cut that only one sample offers reveals that sample",
    ),
    _control(
        fit_of(counted_twice(FiniteLearner), RULES, epsilon=1), "every record counted twice",
        labeled("abc"), 3, "one record changes the errors by 2, and the noise hides a change by 1",
    ),
    Control(
        NotHeldOut(AuditedFit(fit_of(FiniteLearner, RULES, epsilon=1, report_error=True), 2)), tuple,
        "measured on the records learned from", AB, 2, fit_of(FiniteLearner, RULES, epsilon=1).cost,
        "each record pays twice, and one payment is charged",
    ),
)  # fmt: skip
