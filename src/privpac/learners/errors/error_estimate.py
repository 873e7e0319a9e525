"""The error of a released rule with two labels on new records, measured on records that learning did not see.

proof: docs/proofs/holding_out.md

Noisy counts of held-out records show the error on new records, with an interval, what the errors cost, how the rule
compares with the better of the two constant rules, and how many records do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Self

from privpac.classes.hypothesis import Hypothesis
from privpac.learners.errors.any_weights import AnswerShares, whole_weights
from privpac.learners.errors.error_intervals import NO_SHARE, MeasuredShare, percent
from privpac.learners.errors.measured_error import MeasuredError, TrainingError
from privpac.learners.errors.region_counts import Kinds, RegionCounts, share
from privpac.requests.json_values import STORED

Costs = tuple[int, int]  # what an error costs on a negative record, and on a positive one
EVEN: Costs = (1, 1)


@dataclass(frozen=True)
class ErrorEstimate(MeasuredError):
    """How often a rule errs on new records, and how often the better of the two constant rules does.

    ``low`` to ``high`` covers the error on new records with probability at least ``confidence``. With units, a new
    record is a random record of a new unit. ``sensitivity`` is the share of positive records that the rule labels
    positive, and ``specificity`` the share of negative ones that it labels negative; ``positives`` is the share of
    positive records, and ``constant`` the error of the best constant. ``better`` says whether the rule is clearly
    better than both constants, and ``worse`` whether it is clearly worse than the best one, each with the same
    confidence.

    If records may be void, all of this is about records with a declared label, each with the label that ``predict``
    gives it: the negative one if it does not fit. ``unfit`` is the share of all records that do not fit what is
    declared, ``undeclared`` that of records without a declared label, which are some of them.

    If errors cost differently, by ``weights`` for negative and positive records, ``better`` and ``worse`` compare
    costs. ``false_positives`` and ``false_negatives`` are then the shares of such errors among all records; both
    intervals hold together with the same confidence, so they bound the cost for any weights. ``cells`` are the released
    counts.

    ``positives_seen`` and ``negatives_seen`` say whether there clearly are such records, with the same confidence.
    If noise alone may have made their count, the rate among them is unknown.

    >>> error = ErrorEstimate(0.083, 0.069, 0.099, Fraction(95, 100), 0.81, 0.95, 0.22, 0.22, better=True, held=1000)
    >>> print(error.named("on time", "late"))
    errs on about 8.3 % of new records (between 6.9 % and 9.9 % with 95 % confidence if records are independent); \
always answering on time would err on about 22.0 %
    """

    error: float
    low: float
    high: float
    confidence: Fraction
    sensitivity: float
    specificity: float
    positives: float
    constant: float
    better: bool
    held: int  # how many records were held out
    wider: tuple[str, ...] = ()  # a parameter of the class and its value, which allow more rules
    worse: bool = False
    unfit: MeasuredShare | None = None  # None if all records fit, or nobody measured it
    undeclared: MeasuredShare | None = None
    positives_seen: bool = True
    negatives_seen: bool = True
    false_positives: MeasuredShare | None = None  # None if all errors cost the same
    false_negatives: MeasuredShare | None = None
    weights: Costs = EVEN
    cells: RegionCounts | None = None
    per_unit: bool = field(default=False, compare=False)  # one record of each unit was measured; the model knows it
    always: int | None = field(default=None, compare=False)  # the answer of a constant rule for records that fit

    def __post_init__(self) -> None:
        shares = (self.sensitivity, self.specificity, self.positives, self.constant)
        if not (0 <= self.low <= self.error <= self.high <= 1 and all(0 <= share <= 1 for share in shares)):
            raise ValueError("error must lie within its interval, and all shares between 0 and 1")
        if self.held < 0:
            raise ValueError("the number of records that were held out must not be negative")
        if (self.better and self.worse) or (self.unfit is None) != (self.undeclared is None):
            raise ValueError("a rule is not both better and worse, and misfits are measured with undeclared labels")
        if min(self.weights) < 1 or (self.weights != EVEN and not (self.false_positives and self.false_negatives)):
            raise ValueError("weights are positive integers, and errors of both kinds are measured with them")

    @property
    def costs(self) -> tuple[float, ...]:
        """The average cost of a new record and the ends of its interval; empty if all errors cost the same.

        >>> rare = MeasuredShare(0.35, 0.33, 0.38), MeasuredShare(0.02, 0.01, 0.03)
        >>> error = ErrorEstimate(0.37, 0.34, 0.4, Fraction(19, 20), 0.76, 0.62, 0.085, 0.085, better=True, held=2000,
        ...     false_positives=rare[0], false_negatives=rare[1], weights=(1, 8))
        >>> round(error.cost, 2), round(error.cost_low, 2), round(error.cost_high, 2)
        (0.51, 0.41, 0.62)
        >>> print(error)
        costs about 51.0 per 100 new records (between 41.0 and 62.0 with 95 % confidence if records are independent); \
always answering no would cost about 68.0, always answering yes about 91.5; an error on no costs 1, on yes 8
        """
        on_negatives, on_positives = self.false_positives, self.false_negatives
        if on_negatives is None or on_positives is None:
            return ()
        a, b = self.weights
        value, low, high = (a * x + b * y for x, y in zip(on_negatives.numbers, on_positives.numbers, strict=True))
        most = float(max(a, b))
        return min(value, most), min(low, most), min(high, most)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the negative and of the positive label."""
        return getattr(self, "_labels", ("no", "yes"))

    def weighed(self, *weights: int) -> ErrorEstimate:
        """The same counts, if errors cost this much on negative and on positive records.

        The interval of the cost holds for all weights together, and so does what ``better`` and ``worse`` then say.
        """
        a, b = whole_weights(weights, self.labels)
        shares, estimate = AnswerShares.of(self.counts), read_counts(self.counts, self.wider, (a, b))
        compared = replace(estimate, better=shares.better((a, b)), worse=shares.worse((a, b)), per_unit=self.per_unit)
        return compared.of_rule(self.counts.pruning.rule).named(*self.labels)

    @property
    def constant_costs(self) -> tuple[float, float]:
        """The average cost of a record if the answer is always negative, and if it is always positive."""
        a, b = self.weights
        return b * self.positives, a * (1 - self.positives)

    def of_rule(self, rule: Hypothesis) -> Self:
        """The same estimate; for a constant rule, its rates are exact, and follow from the error alone.

        >>> from privpac.classes.hypothesis import Constant
        >>> error = ErrorEstimate(0.2, 0.17, 0.23, Fraction(19, 20), 0.4, 0.96, 0.22, 0.22, better=False, held=1000)
        >>> print(error.of_rule(Constant(False)))
        This rule always answers no. It errs on about 20.0 % of new records (between 17.0 % and 23.0 % with 95 % \
confidence if records are independent).
        """
        estimate = replace(self, always=rule.constant)
        if not estimate._constant:
            return estimate
        positives = 1 - self.error if rule.constant else self.error
        never, always = replace(self, positives=positives).constant_costs
        if self.weights != EVEN:
            all_errors = MeasuredShare(self.error, self.low, self.high)
            kinds = (all_errors, NO_SHARE) if rule.constant else (NO_SHARE, all_errors)
            estimate = replace(estimate, false_positives=kinds[0], false_negatives=kinds[1])
        return replace(
            estimate,
            sensitivity=float(bool(rule.constant)),
            specificity=float(not rule.constant),
            positives=positives,
            constant=min(self.error, 1 - self.error),
            better=False,
            worse=self.worse and (always > never if rule.constant else never > always),
        )

    @property
    def rates(self) -> str:
        """How the rule treats records of either label, if there clearly are held-out records with it.

        >>> print(ErrorEstimate(0.1, 0.08, 0.12, Fraction(19, 20), 0.5, 0.9, 0.0, 0.0, False, 200).rates)
        labels an unknown share of the positive records and about 90.0 % ...
        """
        positive = self._rate(self.sensitivity, self.positives_seen and self.positives > 0)
        negative = self._rate(self.specificity, self.negatives_seen and self.positives < 1)
        right = f"labels {positive} of the positive records and {negative} of the negative ones correctly"
        which = "all records" if self.unfit is None else "the records that have a declared label"
        return f"{right}; about {percent(self.positives)} of {which}{self._one_of_each} are positive"

    def _rate(self, share: float, seen: bool) -> str:
        """The share of one label's records that the rule labels correctly, in words; a constant's is known exactly."""
        if self._constant:
            return "all" if share else "none"
        return f"about {percent(share)}" if seen else "an unknown share"


# In earlier versions, the name "ErrorEstimate" stood for the error on records that were learned from.
STORED |= {"MeasuredShare": MeasuredShare, "ErrorEstimate": TrainingError, "ErrorOnNewRecords": ErrorEstimate}


@lru_cache(maxsize=1024)  # audits read the same counts over and over
def read_counts(cells: RegionCounts, wider: tuple[str, ...] = (), weights: Costs = EVEN) -> ErrorEstimate:
    """The estimate from noisy counts that add up to about n, for the rule that pruning leaves."""
    beta, error_beta, kinds, even = cells.beta, cells.error_beta, cells.kinds, weights == EVEN
    error, (unfit, undeclared) = cells.share_of(lambda kinds: kinds.errors, error_beta), cells.misfits
    positives = share(cells.estimate(kinds.positives), cells.estimate(kinds.declared))
    estimate = ErrorEstimate(
        error=error.value,
        low=error.low,
        high=error.high,
        confidence=cells.confidence,
        sensitivity=share(cells.estimate(kinds.true_positive), cells.estimate(kinds.positives)),
        specificity=share(cells.estimate(kinds.true_negative), cells.estimate(kinds.negatives)),
        positives=positives,
        constant=min(positives, 1 - positives),
        better=all(_cheaper(cells, kinds, weights, never, beta) for never in (True, False)),
        held=cells.held,
        wider=wider,
        worse=_costlier(cells, kinds, weights, positives, beta / 2),
        unfit=unfit,
        undeclared=undeclared,
        positives_seen=cells.clearly_occur(kinds.positives),
        negatives_seen=cells.clearly_occur(kinds.negatives),
        false_positives=None if even else cells.share_of(lambda kinds: kinds.false_positive, error_beta / 2),
        false_negatives=None if even else cells.share_of(lambda kinds: kinds.false_negative, error_beta / 2),
        weights=weights,
        cells=cells,
    )
    return estimate.of_rule(cells.pruning.rule)


def _cheaper(cells: RegionCounts, kinds: Kinds, weights: Costs, never: bool, beta: Fraction) -> bool:
    """Whether the rule clearly costs less than a constant rule: the negative one if ``never``, else the positive one.

    Where both answer alike, they cost the same. Elsewhere the rule saves the weight of one label and pays the other's.
    """
    a, b = weights
    saves, pays = (kinds.true_positive, kinds.false_positive) if never else (kinds.true_negative, kinds.false_negative)
    return cells.clearly_exceed(saves, pays, beta, Fraction(a if never else b, a + b))


def _costlier(cells: RegionCounts, kinds: Kinds, weights: Costs, positives: float, beta: Fraction) -> bool:
    """Whether the rule clearly costs more than the better constant; the counts tell which constant that is."""
    a, b = weights
    if b * positives <= a * (1 - positives):
        return cells.clearly_exceed(kinds.false_positive, kinds.true_positive, beta, Fraction(b, a + b))
    return cells.clearly_exceed(kinds.false_negative, kinds.true_negative, beta, Fraction(a, a + b))
