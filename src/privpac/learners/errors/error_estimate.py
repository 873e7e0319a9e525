"""The error of a released rule on new records, measured on records that learning did not see.

proof: docs/proofs/holding_out.md

Given the rule, each held-out record lies in one of its regions and has one of two labels. If records may be void, there
are three kinds more: those that do not fit and are positive, or negative, and those without a declared label. Records
that do not fit get the negative label, as in predictions. The counts are released with noise. From them follow the
error with an interval that covers the error on new records with a declared label, what the errors cost, how the rule
compares with the better of the two constant rules, and how many records do not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Self

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.regions import Partition
from privpac.learners.errors.error_intervals import (
    clearly_more,
    error_interval,
    nearest_counts,
)
from privpac.learners.errors.region_counts import MASSES, OTHERS, Kinds, RegionCounts, count_regions
from privpac.learners.errors.share_intervals import NoisyPair
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records
from privpac.privacy.printed_bounds import certainty, no_less, no_more
from privpac.requests.conditions import in_python
from privpac.requests.json_values import STORED

Costs = tuple[int, int]  # what an error costs on a negative record, and on a positive one
EVEN: Costs = (1, 1)
FINE = 10**6  # parts to which a bound is rounded up


@dataclass(frozen=True)
class MeasuredShare:
    """A share of the records; ``low`` to ``high`` covers it among new records.

    >>> print(MeasuredShare(0.203, 0.181, 0.226))
    20.3 %
    """

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high <= 1:
            raise ValueError("a share must lie within its interval, and the interval between 0 and 1")

    @property
    def seen(self) -> bool:
        """Whether there clearly are such records, to a tenth of a percent."""
        return no_less(self.low, 3) > 0

    def __str__(self) -> str:
        return _percent(self.value)


NONE = MeasuredShare(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ErrorEstimate:
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
    costs. ``false_positives`` and ``false_negatives`` are then the shares of records of either kind; both intervals
    cover with the same confidence together, so they bound the cost for any weights. ``cells`` are the released counts.

    ``positives_seen`` and ``negatives_seen`` say whether there clearly are such records, with the same confidence.
    While noise alone may have made their count, the rate among them is unknown.

    >>> found = ErrorEstimate(0.083, 0.069, 0.099, Fraction(95, 100), 0.81, 0.95, 0.22, 0.22, better=True, held=1000)
    >>> print(found)
    errs on about 8.3 % of new records (between 6.9 % and 9.9 % with 95 % confidence if records are independent); \
always answering no would err on about 22.0 %
    >>> print(found.named("on time", "late"))
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
    always: bool | None = field(default=None, compare=False)  # the only answer of the rule, for records that fit

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
    def cost(self) -> float:
        """The average cost of a new record: an error costs the weight of the record's label; the error if all cost 1.

        >>> rare = MeasuredShare(0.35, 0.33, 0.38), MeasuredShare(0.02, 0.01, 0.03)
        >>> found = ErrorEstimate(0.37, 0.34, 0.4, Fraction(19, 20), 0.76, 0.62, 0.085, 0.085, better=True, held=2000,
        ...     false_positives=rare[0], false_negatives=rare[1], weights=(1, 8))
        >>> round(found.cost, 2), round(found.cost_low, 2), round(found.cost_high, 2)
        (0.51, 0.41, 0.62)
        >>> print(found)
        costs about 51.0 per 100 new records (between 41.0 and 62.0 with 95 % confidence if records are independent); \
always answering no would cost about 68.0, always answering yes about 91.5; an error on no costs 1, on yes 8
        """
        return self._costs("value", self.error)

    @property
    def cost_low(self) -> float:
        """The lower end of an interval for the cost."""
        return self._costs("low", self.low)

    @property
    def cost_high(self) -> float:
        """The upper end of an interval for the cost; no record costs more than the larger weight."""
        return min(self._costs("high", self.high), float(max(self.weights)))

    def weighed(self, negative: int, positive: int) -> ErrorEstimate:
        """The same counts, read with errors that cost so much on negative and on positive records."""
        if self.cells is None:
            raise ValueError("an earlier version measured this error, without the counts that costs need; learn again")
        weighed = replace(read_counts(self.cells, self.wider, (negative, positive)), per_unit=self.per_unit)
        return weighed.named(*self._labels) if hasattr(self, "_labels") else weighed

    def _costs(self, of: str, error: float) -> float:
        if self.false_positives is None or self.false_negatives is None:
            return error
        a, b = self.weights
        return a * float(getattr(self.false_positives, of)) + b * float(getattr(self.false_negatives, of))

    @property
    def constant_costs(self) -> tuple[float, float]:
        """What always giving the negative answer costs a record on average, and always giving the positive one."""
        a, b = self.weights
        return b * self.positives, a * (1 - self.positives)

    @property
    def _counted(self) -> str:
        """The records that the error is about."""
        new = "new records" if self.unfit is None else "new records that have a declared label"
        return f"{new}, one of each unit" if self.per_unit else new

    @property
    def _one_of_each(self) -> str:
        """Which records of a unit are measured, between "the records" and a verb."""
        return ", one of each unit," if self.per_unit else ""

    @property
    def _constant(self) -> bool:
        """Whether the rule is known to answer the same for all records, also for those that do not fit."""
        return self.always is False or (self.always is True and self.unfit is None)

    def pruned(self, rule: Hypothesis) -> Hypothesis:
        """The measured rule, or what pruning leaves of it: the estimate is about that."""
        return self.cells.pruning.rule if self.cells is not None and self.cells.pruning.mass else rule

    def certified(self, utility: Utility | None) -> Utility | None:
        """What a certificate of the drawn rule says of the pruned one, which may differ on a few records more."""
        if utility is None or self.cells is None or not (mass := self.cells.pruning.mass):
            return utility
        alpha = min(utility.alpha + Fraction(ceil(mass * FINE), FINE), Fraction(1))
        beta = min(utility.beta + self.cells.beta * MASSES, Fraction(1))
        return replace(utility, alpha=alpha, beta=beta, theorem=f"{utility.theorem}; risks, Theorem 5")

    def of_rule(self, rule: Hypothesis) -> Self:
        """The same estimate, if the rule is a known constant with one number for it and exact rates.

        >>> from privpac.classes.hypothesis import Constant
        >>> found = ErrorEstimate(0.2, 0.17, 0.23, Fraction(19, 20), 0.4, 0.96, 0.22, 0.22, better=False, held=1000)
        >>> print(found.of_rule(Constant(False)))
        This rule always answers no. It errs on about 20.0 % of new records (between 17.0 % and 23.0 % with 95 % \
confidence if records are independent).
        >>> print(found.of_rule(Constant(False)).rates)
        labels none of the positive records and all of the negative ones correctly; about 20.0 % of all records are \
positive
        """
        known = replace(self, always=rule.constant)
        if not known._constant:
            return known
        positives = 1 - self.error if rule.constant else self.error
        if self.weights != EVEN:
            all_errors = MeasuredShare(self.error, self.low, self.high)
            kinds = (all_errors, NONE) if rule.constant else (NONE, all_errors)
            known = replace(known, false_positives=kinds[0], false_negatives=kinds[1])
        return replace(
            known,
            sensitivity=float(bool(rule.constant)),
            specificity=float(not rule.constant),
            positives=positives,
            constant=min(self.error, 1 - self.error),
            better=False,
            worse=self.worse and self._dearer(rule.constant is True, positives),
        )

    def _dearer(self, always: bool, positives: float) -> bool:
        """Whether a constant costs more than the other one, if this is the share of positive records."""
        a, b = self.weights
        return (a * (1 - positives) > b * positives) == always and a * (1 - positives) != b * positives

    @property
    def headline(self) -> str | None:
        """What stands in the rule's place if clearly more than half of the records do not fit; None otherwise.

        >>> most, all_but_one = MeasuredShare(0.99, 0.97, 1.0), MeasuredShare(0.002, 0.0, 0.01)
        >>> found = ErrorEstimate(0.5, 0.0, 1.0, Fraction(19, 20), 0.5, 0.5, 0.5, 0.5, better=False, held=1000,
        ...     unfit=most, undeclared=all_but_one)
        >>> print(found)
        About 99.0 % of the records do not fit what you declared. Nothing useful was learned.
        """
        if self.unfit is None or self.undeclared is None or self.unfit.low <= 1 / 2:
            return None
        labels = f"; about {self.undeclared} have no declared label" if self.undeclared.seen else ""
        return f"About {self.unfit} of the records{self._one_of_each} do not fit what you declared{labels}"

    @property
    def in_words(self) -> str:
        """The error with its interval."""
        many = "units" if self.per_unit else "records"
        if not self.held:
            return f"errs on an unknown share of new records, because there were too few {many} to hold any out"
        if self.unfit is not None and self.high - self.low == 1:
            return f"errs on an unknown share of {self._counted}, because the held-out records tell nothing about it"
        if self.weights != EVEN:
            low, high = _hundredfold(no_less(self.cost_low, 3)), _hundredfold(no_more(self.cost_high, 3))
            sure = f"between {low} and {high} with {certainty(1 - self.confidence, percent=True)} confidence"
            return f"costs about {_hundredfold(self.cost)} per 100 {self._counted} ({sure} if {many} are independent)"
        independent = f"{_between(self, self.confidence)} if {many} are independent"
        return f"errs on about {_percent(self.error)} of {self._counted} ({independent})"

    def named(self, negative: str, positive: str) -> Self:
        """The same estimate, which knows the two labels when it is printed."""
        other = copy(self)
        object.__setattr__(other, "_labels", (negative, positive))
        return other

    def sentence(self, negative: str = "no", positive: str = "yes", spelled: Callable[..., str] = in_python) -> str:
        """What people should know first; ``spelled`` writes a parameter and its value as the caller does."""
        if self.headline is not None:
            learned = "The rule was learned from the others" if self.better else "Nothing useful was learned"
            return f"{self.headline}. {learned}."
        more = f" {spelled(*self.wider)} allows more rules." if self.wider else ""
        if self.weights != EVEN:
            return self._in_costs(negative, positive, more)
        answer = negative if self.positives <= self.constant else positive
        if self.better:
            return f"{self.in_words}; always answering {answer} would err on about {_percent(self.constant)}"
        if self._constant:
            told = f"This rule always answers {positive if self.always else negative}. It {self.in_words}"
            if self.held and self.error > 1 / 2:
                told += f"; always answering {answer} would err on about {_percent(self.constant)}"
            return f"{told}.{more}"
        told = self._no_better(answer, positive)
        if self.held:
            told += f", which would err on about {_percent(self.constant)} of {self._counted}"
        return f"{told}. It {self.in_words}.{more}"

    def _no_better(self, answer: str, positive: str) -> str:
        fits = f"answers {positive} for every record that fits, and " if self.always else ""
        worse = "clearly worse" if self.worse else "not clearly better"
        return f"This rule {fits}is {worse} than always answering {answer}"

    def _in_costs(self, negative: str, positive: str, more: str) -> str:
        """The sentence if errors on the two labels cost differently."""
        (a, b), (never, always) = self.weights, map(_hundredfold, self.constant_costs)
        weighed = f"an error on {negative} costs {a}, on {positive} {b}"
        if self.better:
            constants = (
                f"always answering {negative} would cost about {never}, always answering {positive} about {always}"
            )
            return f"{self.in_words}; {constants}; {weighed}"
        if self._constant:
            answer, other, cost = (positive, negative, never) if self.always else (negative, positive, always)
            told = f"This rule always answers {answer}. It {self.in_words}"
            return f"{told}; always answering {other} would cost about {cost}; {weighed}.{more}"
        cheaper = self.constant_costs[0] <= self.constant_costs[1]
        told = self._no_better(negative if cheaper else positive, positive)
        if self.held:
            told += f", which would cost about {never if cheaper else always} per 100 {self._counted}"
        return f"{told}. It {self.in_words}; {weighed}.{more}"

    def misfits(self, negative: str = "no") -> str:
        """How many records do not fit, and what the rule answers for them; nothing if that was not measured.

        >>> found = ErrorEstimate(0.197, 0.17, 0.22, Fraction(19, 20), 0.8, 0.9, 0.22, 0.22, better=False, held=1000,
        ...     unfit=MeasuredShare(0.203, 0.181, 0.226), undeclared=MeasuredShare(0.001, 0.0, 0.005))
        >>> print(found.misfits())
        About 20.3 % of the records have missing values, or values that do not fit what you declared (between 18.1 % \
and 22.6 % with 95 % confidence); the rule answers no for them
        """
        if self.unfit is None or self.undeclared is None or not self.held:
            return ""
        share, without = self.unfit, self.undeclared
        some = f"About {share}" if share.seen else f"At most {_percent(no_more(share.high, 3))}"
        some += f" of the records{self._one_of_each}"
        between = f" ({_between(share, self.confidence)})" if share.seen else ""
        if not without.seen:
            odd = "have missing values, or values that do not fit what you declared"
            return f"{some} {odd}{between}; the rule answers {negative} for them"
        left_out = f"about {without} have no declared label, and the error leaves them out"
        told = f"{some} do not fit what you declared{between}; {left_out}"
        values = f"; where values are missing or do not fit, the rule answers {negative}"
        return told if share.low <= without.high else f"{told}{values}"

    @property
    def rates(self) -> str:
        """How the rule treats records of either label; unknown if there may be no held-out record with that label.

        >>> print(ErrorEstimate(0.1, 0.08, 0.12, Fraction(19, 20), 0.5, 0.9, 0.0, 0.0, False, 200).rates)
        labels an unknown share of the positive records and about 90.0 % ...
        """
        positive = self._rate(self.sensitivity, self.positives_seen and self.positives > 0)
        negative = self._rate(self.specificity, self.negatives_seen and self.positives < 1)
        right = f"labels {positive} of the positive records and {negative} of the negative ones correctly"
        which = "all records" if self.unfit is None else "the records that have a declared label"
        return f"{right}; about {_percent(self.positives)} of {which}{self._one_of_each} are positive"

    def _rate(self, share: float, seen: bool) -> str:
        """The share of the records of one label that the rule labels correctly; a constant's is known without them."""
        if self._constant:
            return "all" if share else "none"
        return f"about {_percent(share)}" if seen else "an unknown share"

    def __str__(self) -> str:
        names = getattr(self, "_labels", ())
        said, more = self.sentence(*names), "" if self.headline else self.misfits(*names[:1])
        return f"{said.removesuffix('.')}. {more}." if more else said


@dataclass(frozen=True)
class TrainingError:
    """What models of earlier versions say: the share of the records learned from that the rule labels wrongly.

    >>> print(TrainingError(0.083, 0.08, 0.086, Fraction(95, 100)))
    errs on about 8.3 % of the records that it was learned from (between 8.0 % and 8.6 % with 95 % confidence)
    """

    value: float
    low: float
    high: float
    confidence: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high <= 1:
            raise ValueError("error must lie within its interval, and the interval between 0 and 1")

    def __str__(self) -> str:
        between = _between(self, self.confidence)
        return f"errs on about {_percent(self.value)} of the records that it was learned from ({between})"


# "ErrorEstimate" is what earlier versions called the errors on records that were learned from
STORED |= {"MeasuredShare": MeasuredShare, "ErrorEstimate": TrainingError, "ErrorOnNewRecords": ErrorEstimate}


def error_estimate(
    rule: Hypothesis,
    cost: Budget,
    beta: Fraction,
    held: Records,
    ask: Ask,
    *,
    void: bool,
    wider: tuple[str, ...] = (),
    weights: Costs | None = None,
    partition: Partition | None = None,
) -> ErrorEstimate:
    """The estimate, with confidence 1 − β; the counts are released at this cost. ``void``: some records may be.

    ``weights`` are what an error costs on a negative record, and on a positive one. ``partition`` are the regions to
    count; by default, public numbers decide how many there are.
    """
    cells = count_regions(rule, cost, beta, held, ask, void=void, partition=partition)
    return read_counts(cells, wider, weights or EVEN)


@lru_cache(maxsize=1024)  # audits read the same counts over and over
def read_counts(cells: RegionCounts, wider: tuple[str, ...] = (), weights: Costs = EVEN) -> ErrorEstimate:
    """The estimate from noisy counts that add up to about n, for the rule that pruning leaves."""
    n, beta, noisy, void = cells.held, cells.beta, cells.noisy, cells.void
    pruning, counts = cells.pruning, nearest_counts(noisy, n)
    measured, kinds = Kinds.of(cells.partition.labels, void), Kinds.of(pruning.labels, void)
    sure, even = beta * (1 - MASSES) if pruning.choices > 1 else beta, weights == EVEN

    def about(places: tuple[int, ...]) -> float:
        return float(counts[list(places)].sum())

    def seen(places: tuple[int, ...]) -> bool:
        """Whether noise alone makes so many records of these kinds with probability β/2 at most."""
        return float(cells.noise(len(noisy)).tail(cells.twice(places))) <= float(beta) / 2

    def interval(places: tuple[int, ...], β: Fraction) -> tuple[float, float]:
        """For the measured rule; the pruned one differs on few records."""
        low, high = cells.interval(places, β)
        return max(low - pruning.mass, 0.0), min(high + pruning.mass, 1.0)

    declared = about(kinds.positives + kinds.negatives)

    def measured_share(places: tuple[int, ...], of_measured: tuple[int, ...], β: Fraction) -> MeasuredShare:
        low, high = interval(of_measured, β)
        return MeasuredShare(min(max(_share(about(places), declared), low), high), low, high)

    error = measured_share(kinds.errors, measured.errors, sure)
    positives = _share(about(kinds.positives), declared)
    unfit = _measured(cells, tuple(range(len(noisy) - 3, len(noisy)))) if void else None
    undeclared = _measured(cells, kinds.undeclared) if void else None
    if unfit and undeclared and unfit.value < undeclared.value:  # the latter are some of the former
        unfit = MeasuredShare(undeclared.value, unfit.low, max(unfit.high, undeclared.value))
    found = ErrorEstimate(
        error=error.value,
        low=error.low,
        high=error.high,
        confidence=1 - beta,
        sensitivity=_share(about(kinds.true_positive), about(kinds.positives)),
        specificity=_share(about(kinds.true_negative), about(kinds.negatives)),
        positives=positives,
        constant=min(positives, 1 - positives),
        better=all(_cheaper(cells, kinds, weights, never, beta) for never in (True, False)),
        held=n,
        wider=wider,
        worse=_dearer(cells, kinds, weights, positives, beta / 2),
        unfit=unfit,
        undeclared=undeclared,
        positives_seen=seen(kinds.positives),
        negatives_seen=seen(kinds.negatives),
        false_positives=None if even else measured_share(kinds.false_positive, measured.false_positive, sure / 2),
        false_negatives=None if even else measured_share(kinds.false_negative, measured.false_negative, sure / 2),
        weights=weights,
        cells=cells,
    )
    return found.of_rule(pruning.rule)


def _cheaper(cells: RegionCounts, kinds: Kinds, weights: Costs, never: bool, beta: Fraction) -> bool:
    """Whether the rule clearly costs less than always giving the negative answer, or the positive one.

    Where both answer alike, both cost the same. Elsewhere the rule saves the weight of one label and pays the other's.
    """
    a, b = weights
    saves, pays = (kinds.true_positive, kinds.false_positive) if never else (kinds.true_negative, kinds.false_negative)
    return _clearly(cells, saves, pays, Fraction(a if never else b, a + b), _selected(cells, beta))


def _dearer(cells: RegionCounts, kinds: Kinds, weights: Costs, positives: float, beta: Fraction) -> bool:
    """Whether the rule clearly costs more than the better constant; the counts tell which constant that is."""
    a, b = weights
    if b * positives <= a * (1 - positives):
        return _clearly(cells, kinds.false_positive, kinds.true_positive, Fraction(b, a + b), _selected(cells, beta))
    return _clearly(cells, kinds.false_negative, kinds.true_negative, Fraction(a, a + b), _selected(cells, beta))


def _selected(cells: RegionCounts, beta: Fraction) -> Fraction:
    """What is left of β for the rule that pruning chose: most of it if it chose nothing."""
    others = cells.pruning.choices - 1
    return beta if not others else beta * OTHERS / others if cells.pruning.mass else beta * (1 - OTHERS)


def _clearly(
    cells: RegionCounts, first: tuple[int, ...], second: tuple[int, ...], share: Fraction, beta: Fraction
) -> bool:
    """Whether clearly more than this share of the records of both kinds are of the first one."""
    if not (first and second):
        return False
    if share == Fraction(1, 2):
        return clearly_more(cells.noisy, (first, second), cells.held, cells.rate, beta)
    counts = cells.sum(first), cells.sum(second)
    return NoisyPair(counts, (len(first), len(second)), cells.held, cells.rate).exceeds(share, beta)


def _measured(cells: RegionCounts, places: tuple[int, ...]) -> MeasuredShare:
    """The share of these kinds among all n records."""
    y, n = cells.twice(places), cells.held
    low, high = error_interval(y, n, cells.noise(len(cells.noisy)), cells.beta)
    return MeasuredShare(min(max(y / (2 * max(n, 1)), low), high), low, high)


def _share(part: float, whole: float) -> float:
    """A share; 1/2 if nothing is known about it."""
    return min(part / whole, 1.0) if whole > 0 else 0.5


def _between(found: ErrorEstimate | MeasuredShare | TrainingError, confidence: Fraction) -> str:
    """The interval, rounded outward, and its confidence, rounded down."""
    low, high = _percent(no_less(found.low, 3)), _percent(no_more(found.high, 3))
    return f"between {low} and {high} with {certainty(1 - confidence, percent=True)} confidence"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _hundredfold(cost: float) -> str:
    """The cost of a hundred records."""
    return f"{100 * cost:.1f}"
