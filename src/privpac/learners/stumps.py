"""Decision stumps: one threshold on one of several columns.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/rule_learner.md

Throughout this file
    t        a cut of a column's line, 0 ≤ t ≤ N; cuts between two records' values have equal errors and form a run
    G(t)     positive minus negative records below t: x ≥ t errs on (negatives + G(t)), x < t on (positives − G(t))
    r        e^(ε/2); a stump weighs r^(−its errors)

Main declarations
    StumpExponential    the selection among all cuts of all columns, in their directions
    StumpLearner      pure ε, noisy labels or not; no grid is needed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.line import Thresholds
from privpac.classes.union import Union
from privpac.data.sample import Sample, Tally
from privpac.exact.weighted import Weights
from privpac.learners.base import PrivateLearner, Spend
from privpac.learners.certificates.deviation import chance
from privpac.learners.views.grids import Reads
from privpac.learners.views.interval_counts import Cuts
from privpac.mechanisms.quantile import LN2
from privpac.mechanisms.selection import Outcome, Selection
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class StumpExponential(Selection):
    """(column, t, above) with probability ∝ e^(−ε·errors/2), for columns given by size and direction; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> ages = Tally(np.array([17, 18]), zeros=np.array([400, 0]), ones=np.array([0, 300]))
    >>> sizes = Tally(np.array([170]), zeros=np.array([400]), ones=np.array([300]))
    >>> StumpExponential(Budget(1), ((100, "above"), (250, "either"))).release([ages, sizes], SYSTEM)
    (0, 18, True)
    """

    cost: Budget
    columns: tuple[tuple[int, str], ...]
    name: ClassVar[str] = "exponential over cuts"
    theorem: ClassVar[str] = "rule learner, Theorem 5"

    def menu(self, data: list[Tally]) -> tuple[Weights, Outcome]:
        tables = [
            (number, above, *_runs(tally, size, above, direction))
            for number, (tally, (size, direction)) in enumerate(zip(data, self.columns, strict=True))
            for above in ((True, False) if direction == "either" else (direction == "above",))
        ]
        starts, lengths, errors = (np.concatenate([table[i] for table in tables]) for i in (2, 3, 4))
        origin = np.repeat(np.arange(len(tables)), [len(table[2]) for table in tables])
        rate = self.cost.epsilon / 2
        # beyond so many errors more than the least, all cuts together weigh less than 2^-64
        reach = ceil((int(lengths.sum()).bit_length() + 64) * LN2 / rate)
        near = (lengths > 0) & (errors <= errors[lengths > 0].min() + reach)
        order = np.argsort(~near.astype(bool), kind="stable")

        def weights(chosen: NDArray[np.intp], complete: Callable[[], Weights] | None = None) -> Weights:
            return Weights(-errors[chosen], rate, lengths[chosen], complete=complete)

        def outcome(group: int, member: int) -> tuple[int, int, bool]:
            number, above = tables[origin[order[group]]][:2]
            return number, int(starts[order[group]]) + member, above

        return weights(order[: int(near.sum())], lambda: weights(order)), outcome


def _runs(tally: Tally, size: int, above: bool, direction: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Starts, lengths and errors of the runs of cuts in one direction; always and never belong to the first of two."""
    starts, lengths, G = Cuts.of(tally, size)
    if direction == "either" and not above:
        starts, lengths = starts.copy(), lengths.copy()
        starts[0] += 1
        lengths[0] -= 1
        lengths[-1] -= 1
    return starts, lengths, tally.zeros.sum() + G if above else tally.ones.sum() - G


class StumpLearner(PrivateLearner):
    """Learn a stump: a union of thresholds on columns, all of whose cuts are candidates.

    Privacy   ε, for all inputs: rule learner, Theorem 5
    Utility   noisy labels or not: rule learner, Theorem 6
    Cost      a sort of each column

    >>> stumps = Union(Thresholds(0, 120).on("age"), Thresholds(0, 250, direction="either").on("size"))
    >>> people = {"age": [17, 18] * 500, "size": [150, 160, 170, 180] * 250}
    >>> print(StumpLearner(stumps, epsilon=1).fit(people, [0, 1] * 500).hypothesis_)
    age ≥ 18
    """

    title: ClassVar[str] = "exponential mechanism over all cuts of all columns"
    theorem: ClassVar[str] = "rule learner, Theorem 6"
    pure: ClassVar[bool] = True

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, Union) and all(
            isinstance(Reads.of(part).concept_class, Thresholds) for part in concept_class.parts
        )

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        H, parts = self.concept_class, [Reads.of(part) for part in self.concept_class.parts]

        def columns(sample: Sample) -> list[Tally]:
            codes = [part.codes(sample, H.domain) for part in parts]
            return [Sample(each, sample.labels, sample.counts, sample.size).tally() for each in codes]

        lines = tuple((part.concept_class.domain.size, part.concept_class.direction) for part in parts)
        number, t, above = spend(StumpExponential(cost, lines), columns)
        chosen: Reads = parts[number]
        return chosen.named(chosen.concept_class.at(t, above))

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        H, log_r = self.concept_class, float(cost.epsilon / 2)
        listed = chance(log(H.size), 0, n, alpha, log_r, self.regime)
        told = chance(log(2 * len(H.parts) * (n + 1)), log(H.size) / log_r + 1, n - 1, alpha, log_r, self.regime)
        return min(listed, told)
