"""What people should know about the measured error of a rule, in sentences: the same for two labels and for more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from privpac.classes.hypothesis import Hypothesis
from privpac.learners.errors.error_intervals import MeasuredShare, percent
from privpac.learners.errors.region_counts import RegionCounts
from privpac.privacy.certificate import Utility
from privpac.privacy.rounding import ceil_to, certainty, floor_to
from privpac.refusals.refusal import Refused, Setting
from privpac.requests.conditions import in_python

FEW_CONSTANTS, FEW_WEIGHTS = 4, 8  # the most labels for which all constants, or all weights, are listed


class MeasuredError(ABC):
    """How often a rule errs on new records: ``ErrorEstimate`` for two labels, and ``LabelErrors`` for more."""

    error: float
    low: float
    high: float
    confidence: Fraction
    better: bool
    worse: bool
    held: int
    wider: tuple[str, ...]
    unfit: MeasuredShare | None
    undeclared: MeasuredShare | None
    weights: tuple[int, ...]
    cells: RegionCounts | None
    per_unit: bool
    always: int | None

    @property
    @abstractmethod
    def costs(self) -> tuple[float, ...]:
        """The average cost of a new record and the ends of its interval; empty if all errors cost the same."""

    @property
    @abstractmethod
    def constant_costs(self) -> tuple[float, ...]:
        """For each label in turn, the average cost of a record if that label is always the answer."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels, as people read them."""

    @property
    def cost(self) -> float:
        """The average cost of a new record: an error costs the weight of its label; without weights, the error."""
        return self.costs[0] if self.costs else self.error

    @property
    def cost_low(self) -> float:
        """The lower end of an interval for the cost."""
        return self.costs[1] if self.costs else self.low

    @property
    def cost_high(self) -> float:
        """The upper end of an interval for the cost; no record costs more than the largest weight."""
        return self.costs[2] if self.costs else self.high

    @property
    def counts(self) -> RegionCounts:
        """The counts that were released; refused if an earlier version did not keep them."""
        if self.cells is None:
            reason = "an earlier version measured this error without keeping the counts that costs need; learn again"
            raise Refused("report_error", f"{reason} with ", Setting.to("report_error", True))
        return self.cells

    def named(self, *labels: str) -> Self:
        """The same estimate with these names for the labels in its sentences."""
        estimate = copy(self)
        object.__setattr__(estimate, "_labels", labels)
        return estimate

    def of_rule(self, rule: Hypothesis) -> Self:
        """The same estimate, with what follows from the rule itself."""
        return self

    def pruned(self, rule: Hypothesis) -> Hypothesis:
        """The rule that the estimate is about: the measured one, or what pruning left of it."""
        return self.cells.pruning.rule if self.cells is not None and self.cells.pruning.mass else rule

    def certified(self, utility: Utility | None) -> Utility | None:
        """The learned rule's certificate, for the pruned rule, which may err on a few records more."""
        return utility if utility is None or self.cells is None else self.cells.certified(utility)

    @property
    def headline(self) -> str | None:
        """A sentence to show instead of the rule if clearly more than half of the records do not fit; else None."""
        if self.unfit is None or self.undeclared is None or self.unfit.low <= 1 / 2:
            return None
        labels = f"; about {self.undeclared} have no declared label" if self.undeclared.seen else ""
        return f"About {self.unfit} of the records{self._one_of_each} do not fit what you declared{labels}"

    @property
    def in_words(self) -> str:
        """The error, or the cost, with its interval."""
        many = "units" if self.per_unit else "records"  # those that the interval takes as independent
        if not self.held:
            return f"errs on an unknown share of new records, because there were too few {many} to hold any out"
        if self.unfit is not None and self.high - self.low == 1:
            return f"errs on an unknown share of {self._counted}, because the held-out records tell nothing about it"
        if self.costs:
            low, high = hundredfold(floor_to(self.cost_low, 3)), hundredfold(ceil_to(self.cost_high, 3))
            interval = f"between {low} and {high} with {certainty(1 - self.confidence, percent=True)} confidence"
            cost = hundredfold(self.cost)
            return f"costs about {cost} per 100 {self._counted} ({interval} if {many} are independent)"
        interval = f"{_between(self, self.confidence)} if {many} are independent"
        return f"errs on about {percent(self.error)} of {self._counted} ({interval})"

    def sentence(self, *labels: str, spelled: Callable[..., str] = in_python) -> str:
        """What people should know first; ``spelled`` writes a parameter and its value in the caller's syntax."""
        if self.headline is not None:
            learned = "The rule was learned from the others" if self.better else "Nothing useful was learned"
            return f"{self.headline}. {learned}."
        names, costs = labels or self.labels, self.constant_costs
        best = costs.index(min(costs))
        verb, amount, of = ("cost", hundredfold, "per 100") if self.costs else ("err on", percent, "of")
        amounts = [f"about {amount(cost)}" for cost in costs]  # of each constant rule
        weights = f"; {_weights_in_words(self.weights, names)}" if self.costs else ""
        advice = f" {spelled(*self.wider)} allows more rules." if self.wider else ""
        if self.better:
            shown = list(range(len(names))) if self.costs and len(names) <= FEW_CONSTANTS else [best]
            predicates = [f"would {verb} {amounts[shown[0]]}", *(amounts[k] for k in shown[1:])]
            constants = [f"always answering {names[k]} {words}" for k, words in zip(shown, predicates, strict=True)]
            return f"{self.in_words}; {', '.join(constants)}{weights}"
        if self._constant:
            text = f"This rule always answers {names[self.always or 0]}. It {self.in_words}"
            next_best = min((k for k in range(len(names)) if k != self.always), key=lambda k: costs[k])
            if self.costs or (self.held and costs[next_best] < self.error):
                text += f"; always answering {names[next_best]} would {verb} {amounts[next_best]}"
            return f"{text}{weights}.{advice}"
        text = self._no_better(names, best)
        if self.held:
            text += f", which would {verb} {amounts[best]} {of} {self._counted}"
        return f"{text}. It {self.in_words}{weights}.{advice}"

    def _no_better(self, names: Sequence[str], best: int) -> str:
        """The beginning of the sentence about a rule that is not clearly better than the constant ``best``."""
        fits = f"answers {names[self.always]} for every record that fits, and " if self.always else ""
        worse = "clearly worse" if self.worse else "not clearly better"
        return f"This rule {fits}is {worse} than always answering {names[best]}"

    def misfits(self, first: str = "") -> str:
        """How many records do not fit, and what the rule answers for them; nothing if that was not measured."""
        if self.unfit is None or self.undeclared is None or not self.held:
            return ""
        share, undeclared, answer = self.unfit, self.undeclared, first or self.labels[0]
        number = f"About {share}" if share.seen else f"At most {percent(ceil_to(share.high, 3))}"
        subject = f"{number} of the records{self._one_of_each}"
        interval = f" ({_between(share, self.confidence)})" if share.seen else ""
        if not undeclared.seen:
            faults = "have missing values, or values that do not fit what you declared"
            return f"{subject} {faults}{interval}; the rule answers {answer} for them"
        left_out = f"about {undeclared} have no declared label, and the error leaves them out"
        misfits = f"{subject} do not fit what you declared{interval}; {left_out}"
        values = f"; where values are missing or do not fit, the rule answers {answer}"
        return misfits if share.low <= undeclared.high else f"{misfits}{values}"

    @property
    def _counted(self) -> str:
        """The records that the error is about."""
        new = "new records" if self.unfit is None else "new records that have a declared label"
        return f"{new}, one of each unit" if self.per_unit else new

    @property
    def _one_of_each(self) -> str:
        """Says, between "the records" and a verb, that one record of each unit is measured."""
        return ", one of each unit," if self.per_unit else ""

    @property
    def _constant(self) -> bool:
        """Whether the rule is known to answer the same for all records, also for those that do not fit."""
        return self.always is not None and (not self.always or self.unfit is None)

    def __str__(self) -> str:
        sentence, misfits = self.sentence(), "" if self.headline else self.misfits()
        return f"{sentence.removesuffix('.')}. {misfits}." if misfits else sentence


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
        return f"errs on about {percent(self.value)} of the records that it was learned from ({between})"


def _weights_in_words(weights: Sequence[int], names: Sequence[str]) -> str:
    """What errors cost; of many labels, the range."""
    if len(names) > FEW_WEIGHTS:
        return f"an error costs {min(weights)} to {max(weights)}, by its label"
    rest = [f"on {name} {cost}" for name, cost in zip(names[1:], weights[1:], strict=True)]
    return ", ".join([f"an error on {names[0]} costs {weights[0]}", *rest])


def _between(measured: MeasuredError | MeasuredShare | TrainingError, confidence: Fraction) -> str:
    """The interval, rounded outward, and its confidence, rounded down."""
    low, high = percent(floor_to(measured.low, 3)), percent(ceil_to(measured.high, 3))
    return f"between {low} and {high} with {certainty(1 - confidence, percent=True)} confidence"


def hundredfold(cost: float) -> str:
    """A cost per record as the cost of a hundred records, in digits."""
    return f"{100 * cost:.1f}"
