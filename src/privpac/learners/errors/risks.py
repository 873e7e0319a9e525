"""Risks: how likely a label is in each region of a released rule, and rules that flag other regions.

proof: docs/proofs/risks.md. Everything here follows from counts that were released; nothing here sees a record.

Throughout this file
    m      the number of regions that were counted
    β      the probability that a claim is wrong, for all regions together, or for all rules together
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Column, Hypothesis
from privpac.classes.regions import Bands, Leaves, Partition, Sides
from privpac.data.domains.domain import WhichFit
from privpac.learners.errors.error_intervals import MeasuredShare
from privpac.learners.errors.measured_error import MeasuredError
from privpac.learners.errors.region_counts import Kinds, LabelCounts, RegionCounts, share
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ceil_to, certainty, floor_to
from privpac.refusals.refusal import Part, Refused, Setting
from privpac.requests.weights import example

Floats = NDArray[np.float64]
UNFIT = "the record does not fit what was declared"
PRIOR_WEIGHT = 2  # how many records with the average risk are added to each region, so that no risk is 0 or 1


@dataclass(frozen=True)
class Region:
    """A region of a released rule, and how likely a record of it is positive.

    ``low`` to ``high`` covers the risk among new records; for all regions of a rule together, this holds with the
    confidence of the measured error. With units, a new record is a random record of a random unit. ``share`` says how
    many of all records lie in the region, about. ``label`` is what the rule answers there: its position in ``classes``.

    >>> print(Region("prior ≥ 2 and age ≥ 48", 0.312, 0.271, 0.353, 0.21, label=1))
    31 % (27–36 %) if prior ≥ 2 and age ≥ 48
    """

    sentence: str
    risk: float
    low: float
    high: float
    share: float
    label: int = 0

    @property
    def numbers(self) -> str:
        """The risk with its interval."""
        return f"{_percent(self.risk)} ({_span(self.low, self.high)})"

    @property
    def chances(self) -> float | list[float]:
        """The risk; with more than two labels, the risk of each label."""
        return self.risk

    def __str__(self) -> str:
        return f"{self.numbers} if {self.sentence}"


@dataclass(frozen=True)
class LabelRegion(Region):
    """A region of a rule with more than two labels; the risk is that of the label that the rule answers there.

    ``risks`` has the risk of each label. The intervals of all labels in all regions hold together.
    """

    cells: RegionCounts = field(kw_only=True, repr=False, compare=False)
    group: tuple[int, ...] = field(kw_only=True, repr=False, compare=False)
    labels: tuple[Hashable, ...] = field(kw_only=True, repr=False, compare=False)

    @cached_property
    def risks(self) -> dict[Hashable, MeasuredShare]:
        """The risk of each label with its interval, in the order of ``classes``."""
        return {label: _measured(self.cells, self.group, k) for k, label in enumerate(self.labels)}

    @property
    def chances(self) -> list[float]:
        """The risk of each label."""
        return [_risk(self.cells, self.group, k) for k in range(self.cells.K)]


@dataclass(frozen=True)
class OperatingPoint:
    """A rule that flags some regions of a measured rule: those with the highest risks.

    The three intervals hold with this confidence together, whichever rule is chosen, so it may be chosen by looking at
    them. ``sensitivity`` is the share of positive records that are flagged, ``specificity`` that of negative records
    that are not, ``flagged`` that of all records.
    """

    rule: Hypothesis
    sensitivity: MeasuredShare
    specificity: MeasuredShare
    flagged: MeasuredShare
    confidence: Fraction

    def __str__(self) -> str:
        shares = (self.flagged, self.sensitivity, self.specificity)
        flagged, positive, negative = (f"about {_percent(own.value)} ({_span(own.low, own.high)})" for own in shares)
        confidence = certainty(1 - self.confidence, percent=True)
        return (
            f"{self.rule}: flags {flagged} of new records, {positive} of the positive ones, and leaves {negative} of "
            f"the negative ones alone, with {confidence} confidence"
        )


@dataclass(frozen=True)
class Risks:
    """The risks that follow from noisy counts, for a rule with these ``labels`` whose columns have these ``names``.

    >>> from privpac.classes.lines.rules import Threshold
    >>> cells = RegionCounts(Threshold(37), (160, 40, 60, 740), 1000, Fraction(1, 2), Fraction(1, 20))
    >>> for region in Risks(cells, ("delay",)).regions:
    ...     print(region)
    79 % (72–87 %) if delay ≥ 37
    8 % (5–11 %) if delay < 37
    """

    cells: RegionCounts
    names: tuple[str, ...] = ()
    labels: tuple[Hashable, ...] = ()

    @cached_property
    def regions(self) -> list[Region]:
        """The regions in the order of the rule; records that do not fit, if there may be any, are the last one."""
        cells = self.cells
        if not cells.held:
            return []
        named = zip(self._groups, cells.pruning.sentences(cells.partition, *self.names), strict=False)
        misfits = [((cells.partition.number,), UNFIT)] if cells.void else []
        return [self._region(group, sentence) for group, sentence in (*named, *misfits)]

    @cached_property
    def _groups(self) -> list[tuple[int, ...]]:
        """The measured regions that each region holds; the only region of a constant rule holds both sides."""
        constant = self.cells.pruning.rule.constant
        if constant is not None and isinstance(self.cells.partition, Sides):
            return [(0, 1)]
        return list(self.cells.pruning.groups)

    def _region(self, group: tuple[int, ...], sentence: str) -> Region:
        """The region that holds these measured regions; they are named by ``sentence``."""
        cells, answers = self.cells, (*self.cells.pruning.labels, 0)  # records that do not fit are answered 0
        constant = cells.pruning.rule.constant
        label = answers[group[0]] if constant is None or group[0] == cells.partition.number else int(constant)
        share = cells.estimate(_kinds(cells, group, range(cells.K))) / cells.held
        if cells.K == 2:
            return Region(sentence, *_measured(cells, group, 1).numbers, share, label)
        risk, low, high = _measured(cells, group, label).numbers
        labels = self.labels or tuple(range(cells.K))
        return LabelRegion(sentence, risk, low, high, share, label, cells=cells, group=group, labels=labels)

    @property
    def confidence(self) -> Fraction:
        return self.cells.confidence

    def by_record(self, values: Column) -> Floats:
        """The risk of every record that fits; with more than two labels, a row of risks for each record."""
        return self._by_place(values, [region.chances for region in self.regions])

    def grades(self, values: Column) -> Floats:
        """Larger numbers for higher risks, above 0 where the rule gives the positive label and below it elsewhere."""
        return self._by_place(values, [region.risk - 1 + region.label for region in self.regions])

    def _by_place(self, values: Column, numbers: Sequence[float | list[float]]) -> Floats:
        """For each record, the number, or the row of numbers, of its region."""
        places = self.cells.partition.places(values)
        of_place = np.zeros((self.cells.partition.number, *np.shape(numbers)[1:]))
        for group, number in zip(self._groups, numbers, strict=False):
            of_place[list(group)] = number
        return np.asarray(of_place[places])

    @property
    def unfit(self) -> Region | None:
        """The records that do not fit, if they were measured."""
        return self.regions[-1] if self.cells.void and self.regions else None

    @cached_property
    def _order(self) -> list[int]:
        """The positions of the groups, the highest risk first; bands and sides keep their public order instead."""
        places = list(range(len(self._groups)))
        if self.cells.partition.ordered:
            return places
        return sorted(places, key=lambda place: -self.regions[place].risk)

    @property
    def _prefixes(self) -> list[list[int]]:
        """Rules that flag the first group, the first two, and so on, but not all: labels of the measured regions."""
        prefixes = []
        for flagged in range(1, len(self._groups)):
            chosen = {g for place in self._order[:flagged] for g in self._groups[place]}
            prefixes.append([int(g in chosen) for g in range(self.cells.partition.number)])
        return prefixes

    def point(self, labels: Sequence[int]) -> OperatingPoint:
        """The rule that gives these labels in the measured regions."""
        cells = self.cells
        kinds, beta = Kinds.of(labels, cells.void), cells.beta / (3 * _possible_rules(cells))
        return OperatingPoint(
            cells.partition.relabeled(labels).named(*self.names),
            self._share(kinds.true_positive, kinds.false_negative, beta),
            self._share(kinds.true_negative, kinds.false_positive, beta),
            MeasuredShare.within(self._estimate(kinds.flagged, kinds.unflagged), *cells.interval(kinds.flagged, beta)),
            self.confidence,
        )

    def operating_point(self, sensitivity: float | None = None, flagged_at_most: float | None = None) -> OperatingPoint:
        """The rule that flags the fewest regions with this sensitivity, or the most within this share of all records.

        Refused if no rule does; the refusal says what can be reached.
        """
        if self.cells.K > 2:
            reason = "a cut-off is for two labels, and this rule has more; say what errors cost when you learn, like "
            raise Refused("sensitivity", reason, example(self.cells.K), ", or compare the columns of predict_proba")
        name, share = ("sensitivity", sensitivity) if flagged_at_most is None else ("flagged_at_most", flagged_at_most)
        if share is None or None not in (sensitivity, flagged_at_most):
            examples = Setting.to("sensitivity", 0.8), " or ", Setting.to("flagged_at_most", 0.15)
            raise Refused("sensitivity", "say one of ", *examples)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
            raise Refused.must(name, "be a share between 0 and 1, such as 0.8")
        if not (prefixes := self._prefixes):
            raise Refused(name, "the rule gives every record the same label, so there is no region to choose")
        kinds = [Kinds.of(labels, self.cells.void) for labels in prefixes]
        if name == "sensitivity":
            reached = [self._estimate(rule.true_positive, rule.false_negative) for rule in kinds]
            if max(reached) < share:
                most = f"flagging all regions but one reaches a sensitivity of about {_percent(max(reached))}"
                less = _say(name, _in_digits(max(reached), floor_to), " or less")
                raise Refused(name, most, *less, ";", " or" if less else "", " flag every record")
            return self.point(next(labels for labels, rate in zip(prefixes, reached, strict=True) if rate >= share))
        flagged = [self._estimate(rule.flagged, rule.unflagged) for rule in kinds]
        if flagged[0] > share:
            least = f"the region with the highest risk holds about {_percent(flagged[0])} of all records already"
            raise Refused(name, least, *_say(name, _in_digits(flagged[0], ceil_to), " or more"))
        return self.point([labels for labels, part in zip(prefixes, flagged, strict=True) if part <= share][-1])

    @cached_property
    def auc(self) -> MeasuredShare | None:
        """How often a random positive record has a higher risk than a random negative one; ties count half.

        It is about records that fit. If the counts themselves order the regions, the estimate is the middle of the
        interval, because the area by these counts would be too high. None with one region, or more than two labels.
        """
        if self.cells.K > 2 or not (prefixes := self._prefixes):
            return None
        beta = self.cells.beta / (2 * _possible_rules(self.cells))
        kinds = [Kinds.of(labels, void=False) for labels in prefixes]
        true = [self._share(rule.true_positive, rule.false_negative, beta) for rule in kinds]
        false = [self._share(rule.false_positive, rule.true_negative, beta) for rule in kinds]
        low = _area([rate.low for rate in true], [rate.high for rate in false])
        high = _area([rate.high for rate in true], [rate.low for rate in false])
        by_counts = _area([rate.value for rate in true], [rate.value for rate in false])
        value = min(max(by_counts, low), high) if self.cells.partition.ordered else (low + high) / 2
        return MeasuredShare(value, low, high)

    def _estimate(self, first: Sequence[int], second: Sequence[int]) -> float:
        """About the share of the first kinds among the records of both; 1/2 if nothing is known about it."""
        return share(self.cells.estimate(first), self.cells.estimate(first) + self.cells.estimate(second))

    def _share(self, first: Sequence[int], second: Sequence[int], beta: Fraction) -> MeasuredShare:
        """The share of the first kinds among the records of both, with its interval."""
        return MeasuredShare.within(self._estimate(first, second), *self.cells.pair(first, second).interval(beta))


TOO_FEW_HELD_OUT = (
    "too few records were held out to count each label in each region of the rule; use predict, or more records"
)
UNMEASURED = (
    "without measured risks, a rule gives labels, not probabilities; fit with report_error=True, or use predict, or "
    "decision_function for its side"
)


def risks_of(error: object, names: Sequence[str] = (), labels: Sequence[Hashable] = ()) -> Risks | None:
    """The risks that were measured with an error; None if none were."""
    cells = error.cells if isinstance(error, MeasuredError) else None
    if cells is None or not cells.held or (isinstance(cells, LabelCounts) and cells.folded):
        return None
    return Risks(cells, tuple(names), tuple(labels))


def measured_risks(error: object, names: Sequence[str] = (), labels: Sequence[Hashable] = ()) -> Risks:
    """The risks that were measured with an error; Refused if none were."""
    if (risks := risks_of(error, names, labels)) is not None:
        return risks
    if isinstance(error, MeasuredError) and not error.held:
        none_held = "there were too few records to hold any out, so no risk was measured"
        raise Refused("report_error", f"{none_held}; learn from 5 records or more")
    if isinstance(error, MeasuredError) and isinstance(error.cells, LabelCounts):
        raise Refused("report_error", TOO_FEW_HELD_OUT)
    raise Refused("report_error", "no risk was measured; learn again with ", Setting.to("report_error", True))


# For some records at a time: the values that a rule reads, and which of the records fit.
Read = Iterable[tuple[Any, WhichFit | None]]


def risk_column(risks: Risks, read: Read) -> Floats:
    """:meth:`Risks.by_record` for all records that are read.

    If records that do not fit were not counted, nothing is known about them: all labels are equally likely.
    """
    unfit = risks.unfit.chances if risks.unfit else 1 / risks.cells.K
    return np.concatenate([_with_misfits(risks.by_record(values), fits, unfit) for values, fits in read])


def grade_column(rule: Hypothesis, risks: Risks | None, read: Read) -> Floats:
    """Larger numbers where the positive label is more likely, above 0 where the rule gives it.

    For a scorecard, these are its points minus the points needed, plus ½; for other rules, the grades by measured
    risks; without these, 1 or −1.
    """
    unfit = -1.0  # the lowest grade, for records that do not fit
    if isinstance(rule, Scorecard):
        unfit = sum(min(points, 0) for points in rule.points) - rule.enough - 0.5

    def grades(values: object) -> Floats:
        if isinstance(rule, Scorecard):
            return np.asarray(rule.total(values) - rule.enough, dtype=np.float64) + 0.5
        return risks.grades(values) if risks else np.where(rule(values), 1.0, -1.0)

    return np.concatenate([_with_misfits(grades(values), fits, unfit) for values, fits in read])


def _with_misfits(numbers: Floats, fits: WhichFit | None, unfit: float | list[float]) -> Floats:
    """The numbers of all records: ``numbers`` for those that fit, and ``unfit`` for the others."""
    if fits is None:
        return numbers
    whole = np.full((len(fits), *numbers.shape[1:]), unfit)
    whole[fits] = numbers
    return whole


def label_probabilities(risks: Floats, labels: int) -> Floats:
    """For each record, the probability of each of ``labels`` labels; two labels have one risk, the positive one's."""
    if labels > 2:
        return risks
    return np.stack([1 - risks, risks], axis=1) if labels == 2 else np.ones((len(risks), 1))


@lru_cache(maxsize=4096)
def _measured(cells: RegionCounts, group: tuple[int, ...], k: int) -> MeasuredShare:
    """The risk of label k, with an interval that holds for all regions together, also for those that pruning merges.

    With more than two labels, the intervals also hold for all labels together; of two, each gives the other.
    """
    K, partition = cells.K, cells.partition
    own, every = _kinds(cells, group, (k,)), _kinds(cells, group, range(K))
    rest = tuple(kind for kind in every if kind not in own)
    statements = (_possible_regions(partition) + cells.void) * (1 if K == 2 else K)
    low, high = cells.pair(own, rest).interval(cells.beta / statements)
    risk = _risk(cells, group, k)
    # Between 0 and 1 and inside the interval, if there are two labels; risks of more labels must add up to 1.
    inside = min(max(risk, low, 1e-6), high, 1 - 1e-6) if K == 2 else risk
    return MeasuredShare(inside, min(low, inside), max(high, inside))


def _risk(cells: RegionCounts, group: Sequence[int], k: int) -> float:
    """The share of label k, moved a little toward its share of all records, so that it is never 0 or 1."""
    kinds = cells.measured_kinds
    prior = (cells.estimate(kinds.having(k)) + 1) / (cells.estimate(kinds.declared) + cells.K)
    weight = PRIOR_WEIGHT + sqrt(DisjointCounts(Budget(2 * cells.rate), cells.held).variance)
    own, every = (cells.estimate(_kinds(cells, group, labels)) for labels in ((k,), range(cells.K)))
    return (own + weight * prior) / (every + weight)


def _kinds(cells: RegionCounts, group: Sequence[int], labels: Iterable[int]) -> tuple[int, ...]:
    """The numbers of the kinds with these labels in these regions; records that do not fit are the last region."""
    return tuple(cells.K * g + cells.K - 1 - k for g in group for k in labels)


def _possible_regions(partition: Partition) -> int:
    """How many regions pruning may lead to: every node of a tree, every run of bands, or the two sides."""
    m = partition.number
    if isinstance(partition, Leaves):
        return 2 * m - 1
    return m * (m + 1) // 2 if isinstance(partition, Bands) else m


def _possible_rules(cells: RegionCounts) -> int:
    """How many rules may be chosen by the counts: one for each set of leaves, or for each prefix of a public order."""
    m = cells.partition.number
    return m - 1 if cells.partition.ordered else 2**m - 2


def _area(true: Sequence[float], false: Sequence[float]) -> float:
    """The area under a curve through these rates, in order; both are first made to rise.

    Of the true rates this takes the least rising ones above them, of the false rates the largest rising ones below.
    """
    true_rates = np.maximum.accumulate([0.0, *true, 1.0])
    false_rates = np.minimum.accumulate([0.0, *false, 1.0][::-1])[::-1]
    return float(np.clip(((true_rates[1:] + true_rates[:-1]) / 2) @ np.diff(false_rates), 0.0, 1.0))


def _in_digits(share: float, rounded: Callable[[float, int], float]) -> float | None:
    """The share, rounded to the fewest decimals that keep it between 0 and 1; None if none do."""
    return next((few for places in range(3, 16) if 0 < (few := rounded(share, places)) < 1), None)


def _say(name: str, share: float | None, others: str) -> tuple[Part, ...]:
    """Advice to ask for this share; no words if there is none."""
    return () if share is None else ("; say ", Setting.to(name, share), others)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _span(low: float, high: float) -> str:
    """An interval in whole percents, rounded outward."""
    return f"{100 * floor_to(low, 2):.0f}–{100 * ceil_to(high, 2):.0f} %"
