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
    """How often a rule errs on new records; there is a kind for two labels, and one for more.

    ``labels`` are the names that people read.
    """

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
        """What always giving the same answer costs a record on average, for each label in turn."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The names of the labels."""

    @property
    def cost(self) -> float:
        """The average cost of a new record: an error costs the weight of its label; the error if all cost 1."""
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
            kept = "an earlier version measured this error, and did not keep the counts that costs need; learn again"
            raise Refused("report_error", f"{kept} with ", Setting.to("report_error", True))
        return self.cells

    def named(self, *labels: str) -> Self:
        """The same estimate, which knows the labels when it is printed."""
        other = copy(self)
        object.__setattr__(other, "_labels", labels)
        return other

    def of_rule(self, rule: Hypothesis) -> Self:
        """The same estimate, with what follows from the rule itself."""
        return self

    def pruned(self, rule: Hypothesis) -> Hypothesis:
        """The measured rule, or what pruning leaves of it: the estimate is about that."""
        return self.cells.pruning.rule if self.cells is not None and self.cells.pruning.mass else rule

    def certified(self, utility: Utility | None) -> Utility | None:
        """What a certificate of the learned rule says of the pruned one, which may err on a few records more."""
        return utility if utility is None or self.cells is None else self.cells.certified(utility)

    @property
    def headline(self) -> str | None:
        """What stands in the rule's place if clearly more than half of the records do not fit; None otherwise."""
        if self.unfit is None or self.undeclared is None or self.unfit.low <= 1 / 2:
            return None
        labels = f"; about {self.undeclared} have no declared label" if self.undeclared.seen else ""
        return f"About {self.unfit} of the records{self._one_of_each} do not fit what you declared{labels}"

    @property
    def in_words(self) -> str:
        """The error, or the cost, with its interval."""
        many = "units" if self.per_unit else "records"
        if not self.held:
            return f"errs on an unknown share of new records, because there were too few {many} to hold any out"
        if self.unfit is not None and self.high - self.low == 1:
            return f"errs on an unknown share of {self._counted}, because the held-out records tell nothing about it"
        if self.costs:
            low, high = hundredfold(floor_to(self.cost_low, 3)), hundredfold(ceil_to(self.cost_high, 3))
            sure = f"between {low} and {high} with {certainty(1 - self.confidence, percent=True)} confidence"
            return f"costs about {hundredfold(self.cost)} per 100 {self._counted} ({sure} if {many} are independent)"
        independent = f"{_between(self, self.confidence)} if {many} are independent"
        return f"errs on about {percent(self.error)} of {self._counted} ({independent})"

    def sentence(self, *labels: str, spelled: Callable[..., str] = in_python) -> str:
        """What people should know first; ``spelled`` writes a parameter and its value as the caller does."""
        if self.headline is not None:
            learned = "The rule was learned from the others" if self.better else "Nothing useful was learned"
            return f"{self.headline}. {learned}."
        names, costs = labels or self.labels, self.constant_costs
        best = costs.index(min(costs))
        verb, amount, of = ("cost", hundredfold, "per 100") if self.costs else ("err on", percent, "of")
        about = [f"about {amount(cost)}" for cost in costs]
        weighed = f"; {_weights_in_words(self.weights, names)}" if self.costs else ""
        more = f" {spelled(*self.wider)} allows more rules." if self.wider else ""
        if self.better:
            listed = [k for k in range(len(names)) if self.costs and len(names) <= FEW_CONSTANTS] or [best]
            would = [f"would {verb} {about[listed[0]]}", *(about[k] for k in listed[1:])]
            constants = [f"always answering {names[k]} {each}" for k, each in zip(listed, would, strict=True)]
            return f"{self.in_words}; {', '.join(constants)}{weighed}"
        if self._constant:
            said = f"This rule always answers {names[self.always or 0]}. It {self.in_words}"
            other = min((k for k in range(len(names)) if k != self.always), key=lambda k: costs[k])
            if self.costs or (self.held and costs[other] < self.error):
                said += f"; always answering {names[other]} would {verb} {about[other]}"
            return f"{said}{weighed}.{more}"
        said = self._no_better(names, best)
        if self.held:
            said += f", which would {verb} {about[best]} {of} {self._counted}"
        return f"{said}. It {self.in_words}{weighed}.{more}"

    def _no_better(self, names: Sequence[str], best: int) -> str:
        fits = f"answers {names[self.always]} for every record that fits, and " if self.always else ""
        worse = "clearly worse" if self.worse else "not clearly better"
        return f"This rule {fits}is {worse} than always answering {names[best]}"

    def misfits(self, first: str = "") -> str:
        """How many records do not fit, and what the rule answers for them; nothing if that was not measured."""
        if self.unfit is None or self.undeclared is None or not self.held:
            return ""
        share, without, answer = self.unfit, self.undeclared, first or self.labels[0]
        some = f"About {share}" if share.seen else f"At most {percent(ceil_to(share.high, 3))}"
        some += f" of the records{self._one_of_each}"
        between = f" ({_between(share, self.confidence)})" if share.seen else ""
        if not without.seen:
            odd = "have missing values, or values that do not fit what you declared"
            return f"{some} {odd}{between}; the rule answers {answer} for them"
        left_out = f"about {without} have no declared label, and the error leaves them out"
        misfits = f"{some} do not fit what you declared{between}; {left_out}"
        values = f"; where values are missing or do not fit, the rule answers {answer}"
        return misfits if share.low <= without.high else f"{misfits}{values}"

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
        return self.always is not None and (not self.always or self.unfit is None)

    def __str__(self) -> str:
        said, more = self.sentence(), "" if self.headline else self.misfits()
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
        return f"errs on about {percent(self.value)} of the records that it was learned from ({between})"


def _weights_in_words(weights: Sequence[int], names: Sequence[str]) -> str:
    """What errors cost; of many labels, the range."""
    if len(names) > FEW_WEIGHTS:
        return f"an error costs {min(weights)} to {max(weights)}, by its label"
    rest = [f"on {name} {cost}" for name, cost in zip(names[1:], weights[1:], strict=True)]
    return ", ".join([f"an error on {names[0]} costs {weights[0]}", *rest])


def _between(found: MeasuredError | MeasuredShare | TrainingError, confidence: Fraction) -> str:
    """The interval, rounded outward, and its confidence, rounded down."""
    low, high = percent(floor_to(found.low, 3)), percent(ceil_to(found.high, 3))
    return f"between {low} and {high} with {certainty(1 - confidence, percent=True)} confidence"


def hundredfold(cost: float) -> str:
    """The cost of a hundred records."""
    return f"{100 * cost:.1f}"
