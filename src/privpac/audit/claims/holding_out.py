"""Audits of whole fits that hold out records: the choice of the records, the rule, and the counts, all together.

The law of everything that is released is the mean over all choices, computed over all neighbors.

Throughout this file
    m    how many records are held out
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.claims.case import AsIs, Case, Records, labeled, mean_law
from privpac.audit.claims.fits import AuditedFit, fit_of
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.regions import Bands, Leaves, Partition
from privpac.data.samples.sample import NEGATIVE, POSITIVE, Sample, Void
from privpac.exact.entropy import Entropy
from privpac.learners.errors.region_counts import count_regions
from privpac.learners.finite import FiniteLearner
from privpac.mechanisms.algorithm import Ask, law_of
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened

BETA = Fraction(1, 20)
UNFIT = (None, 0), (None, 1)  # records whose value does not fit the domain
Choice = tuple[Records, Records]  # the records for training, and those that are held out


@dataclass(frozen=True)
class HeldOut(AsIs):
    """A fit after a uniform choice of m held-out records; the output is m and everything that is released.

    >>> case = HOLDING_OUT_CLAIMS[0]
    >>> round(float(case.exact().ratio), 3)
    0.979
    """

    fit: AuditedFit
    m: int = 1

    @property
    def cost(self) -> Budget:
        return self.fit.cost

    def choices(self, records: Records) -> Iterator[Choice]:
        """All choices of m records to hold out, equally likely."""
        for places in combinations(range(len(records)), self.m):
            training = tuple(record for i, record in enumerate(records) if i not in places)
            yield training, tuple(records[i] for i in places)

    def release(self, records: Records, coins: Entropy) -> Any:
        choices = list(self.choices(records))
        training, holdout = choices[coins.below(len(choices))]
        return len(holdout), *self.fit.release(self.fit.parts(training, holdout), coins)

    def law(self, records: Records) -> dict[Any, arb]:
        choices = list(self.choices(records))
        return mean_law((self._law_after(*choice) for choice in choices), len(choices))

    def _law_after(self, training: Records, holdout: Records) -> dict[Any, arb]:
        law = self.fit.law(self.fit.parts(training, holdout))
        return {(len(holdout), *releases): p for releases, p in law.items()}


@dataclass(frozen=True)
class MeasuredRegions(AsIs):
    """Noisy counts of the held-out records in the regions of a rule; the output is the regions and the counts.

    >>> case = HOLDING_OUT_CLAIMS[-1]
    >>> case.name, round(float(case.exact().ratio), 3)
    ('MeasuredRegions', 1.0)
    """

    partition: Partition
    cost: Budget
    void: bool = False
    labels: int = 2

    def release(self, sample: Sample, coins: Entropy) -> Any:
        return self._measure(sample, lambda mechanism, data: mechanism.release(mechanism.check(data), coins))

    def law(self, sample: Sample) -> dict[Any, arb]:
        return law_of(lambda ask: self._measure(sample, ask), reach=2 * sample.size + 2)

    def _measure(self, sample: Sample, ask: Ask) -> tuple[str, tuple[int, ...]]:
        """The regions and their noisy counts, for a rule that was learned from other records."""
        rule, holdout = self.partition.rule, Opened(sample, sample.size)
        regions, labels = self.partition, self.labels
        cells = count_regions(rule, self.cost, BETA, holdout, ask, void=self.void, labels=labels, partition=regions)
        return repr(cells.partition), cells.noisy


def holdout_sample(records: Records, K: int = 2) -> Sample:
    """Held-out records (x, y), where x is a number, or None if it does not fit, and y is one of K labels."""
    fitting = [record for record in records if record[0] is not None]
    unfit = [POSITIVE if y else NEGATIVE for x, y in records if x is None]
    values, labels = (np.array([record[i] for record in fitting], dtype=np.int64) for i in (0, 1))
    void = Void(np.array(unfit, dtype=np.intp), np.ones(len(unfit), dtype=np.int64))
    labels = labels.astype(bool) if K == 2 else labels
    return Sample(values, labels, None, len(records), values, void=void, K=K)


def _regions_claims() -> Iterator[Case]:
    yes, no = Constant(True), Constant(False)
    leaves = Leaves(Split(Threshold(2), yes, Split(Threshold(1), no, yes)))
    card = Scorecard((Threshold(1), Threshold(2)), (1, 2), 2)
    values = [(x, y) for x in range(3) for y in (0, 1)]
    for about, regions in (("3 leaves", leaves), ("3 bands of points", Bands(card, (3, 2)))):
        for cost, n in ((Budget(6), 1), (Budget(1), 2)):
            measured = MeasuredRegions(regions, cost)
            yield Case(measured, holdout_sample, f"records by label in {about}", values, n, cost)
    three_labels = MeasuredRegions(Leaves(LabelSplit(Threshold(1), Answer(2), Answer(0))), Budget(1), labels=3)
    about, universe = "records by label, one of three, in 2 leaves", [(x, y) for x in range(2) for y in range(3)]
    yield Case(three_labels, partial(holdout_sample, K=3), about, universe, 1, Budget(1))
    or_void = MeasuredRegions(leaves, Budget(1), void=True)
    yield Case(or_void, holdout_sample, "records by label in 3 leaves, or void", [*values, *UNFIT], 1, Budget(1))


RULES = FiniteLearner.audited[0].concept_class
AB = labeled("ab")


def _claims() -> Iterator[Case]:
    one_point: list[Any] = [*labeled("a"), None]
    for ε, n, m, universe in (
        (1, 2, 1, [*AB, None]),
        (6, 2, 1, [*AB, None]),
        (6, 3, 1, one_point),
        ("0.2", 3, 2, one_point),
    ):
        fits = HeldOut(AuditedFit(fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True), n), m)
        yield Case(fits, tuple, f"whole fits, {m} of {n} held out", universe, n, fits.cost)
    for ε, universe in ((1, [*AB, *UNFIT]), (6, [*one_point, *UNFIT])):
        fit = fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True, on_invalid="default")
        fits = HeldOut(AuditedFit(fit, 2))
        yield Case(fits, tuple, "whole fits, records that do not fit measured", universe, 2, fits.cost)


HOLDING_OUT_CLAIMS = *_claims(), *_regions_claims()
