"""The section about the errors of a rule: the measured error, then the certificate. Also the facts about both.

Throughout this file
    n      number of records, public        α, β   certified error; probability of exceeding it
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from html import escape
from typing import NamedTuple

from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.learners.decision_trees.scorecards import ScorecardLearner
from privpac.learners.errors.label_errors import LabelErrors
from privpac.learners.errors.measured_error import MeasuredError, hundredfold
from privpac.learners.model import Model
from privpac.learners.public.covers import SHARE, PublicLearner
from privpac.learners.rule_request import RuleRequest
from privpac.privacy.certificate import Utility
from privpac.privacy.rounding import ceil_to, certainty, floor_to
from privpac.report.numbers import grouped, percent, tenths
from privpac.report.pages.frame import Fact
from privpac.requests.conditions import in_python

ASSUMED = (
    "The interval assumes that records are drawn independently. If several records belong together, or some are copies "
    "of others, name what they share as the unit."
)
UNITS_ASSUMED = "The interval assumes that units are drawn independently; the records of one unit need not be."
CERTIFIED, CERTIFIED_COST = "Certified error", "Certified cost of 100 new records"
LESS_THAN_CONSTANT = "less than a constant promises"
MOST_ROWS = 12  # the most labels in a table of labels and answers
WEIGHTS_FROM_SAME_RECORDS = (
    "the records that the rule was learned from also decided the weights of errors; declare the weights, or measure "
    "the error, so that held-out records decide them"
)


class Goal(NamedTuple):
    """An error, and the number of records that certifies it; with weights of errors, α is a share of the largest.

    If ``above``, α is what comes on top of the error of the best rule. If the rule is a scorecard or may be one, n is
    None, and ``trees`` is the number of records for trees of depth 2.
    """

    alpha: float
    n: int | None  # None if no number of records certifies the error
    weights: tuple[int, ...] = ()
    trees: int | None = None
    above: bool = True

    @staticmethod
    def of(clf: RuleRequest) -> Goal | str:
        """The goal of a fit; or the reason, in words, why no number of records certifies anything."""
        if clf.balanced and not clf.report_error:
            return WEIGHTS_FROM_SAME_RECORDS
        request, α = clf.with_counted_weights(), float(clf.alpha)
        weights, concept_class = request.conditions().counting, request.concept_class
        n, n_of_trees = request.certified_n(α), None
        if n is None and isinstance(learner := request.learner(), PublicLearner):
            open_share = floor_to(100 * learner.uncovered(float(clf.beta) / SHARE), 3)
            return f"the public records leave {open_share:g} % open; give more that differ, or a larger alpha"
        if n is None and isinstance(concept_class, Auto | Scorecards):
            trees = Trees(*concept_class.parts)
            with suppress(ValueError):  # too many tests
                n_of_trees = request.asking(concept_class=trees, method="auto", budget=None).certified_n(α)
        return Goal(α, n, () if weights.even else weights.by_label, n_of_trees, clf.regime == "agnostic")

    @property
    def in_words(self) -> str:
        """The error as a bound in words.

        >>> print(Goal(0.1, 900).in_words, Goal(0.1, 900, (1, 9)).in_words, sep="; ")
        an error of at most 10 % above that of the best rule; an average cost of at most 0.9 above that of the best rule
        """
        error, cost = f"an error of at most {percent(self.alpha)}", self.alpha * max(self.weights, default=1)
        bound = f"an average cost of at most {cost:g}" if self.weights else error
        return f"{bound} above that of the best rule" if self.above else bound


def verdict(model: Model) -> str:
    """A warning if most records do not fit, or the rule is not clearly better than a constant; nothing otherwise."""
    bad = isinstance(model.error, MeasuredError) and (model.mostly_unfit or not model.error.better)
    warning = (model.verdict() or "").removeprefix(f"{model.headline}. ")  # the headline is the heading of the page
    return f'<p class="warn">{escape(warning)}</p>' if bad else ""


def measured_fact(model: Model) -> list[Fact]:
    """The fact about the measured error, in a list; the list is empty if no error was measured."""
    error = model.error
    if error is None:
        return []
    between = f"{tenths(floor_to(error.low, 3))} to {tenths(ceil_to(error.high, 3))}"
    if not isinstance(error, MeasuredError):
        return [("Error on its own records", tenths(error.value), f"measured privately: {between}")]
    if model.mostly_unfit:
        return [("Records that do not fit", str(error.unfit), "measured privately")]
    comparison = f"best constant: {tenths(error.constant)}"
    if error.unfit is not None:
        comparison += f"; {error.unfit} of the records do not fit"
    of_units = ", one of each unit" if error.per_unit else ""
    if error.costs:
        return [_cost_fact(error, of_units)]
    return [(f"Error on new records{of_units}", tenths(error.error), f"measured privately: {between}; {comparison}")]


def _cost_fact(error: MeasuredError, of_units: str) -> Fact:
    """The fact about the cost of 100 new records, if errors on different labels cost differently."""
    low, high = hundredfold(floor_to(error.cost_low, 3)), hundredfold(ceil_to(error.cost_high, 3))
    costs = error.constant_costs
    constants = " and ".join(map(hundredfold, costs)) if len(costs) == 2 else f"{hundredfold(min(costs))} or more"
    comparison = f"measured privately: {low} to {high}; constants: {constants}"
    return f"Cost of 100 new records{of_units}", hundredfold(error.cost), comparison


def certified_fact(model: Model) -> list[Fact]:
    """The fact about the certified error; none if most records do not fit, since the error is about those that do."""
    utility = model.certificate.utility
    if model.mostly_unfit:
        return []
    if utility is None:
        return [(CERTIFIED, "none", "reason below")]
    best = "best + " if utility.regime == "agnostic" else ""
    less = [LESS_THAN_CONSTANT] if constant_promise(utility, len(model.classes)) else []
    certain = f"{certainty(utility.beta, percent=True)} certain"
    remark = "; ".join([certain, *([best_rule_of(utility)] if best else []), *less])
    return [(certified_name(utility), f"≤ {best}{certified_bound(utility)}", remark)]


def constant_promise(utility: Utility, labels: int, records: int = 1) -> str:
    """A sentence if a constant answer promises more than the certificate; otherwise empty.

    It says what the better of two constant answers costs at most, for this number of ``records``.

    Errors cost a and b. If a share p of all records is positive, the constants cost a·(1 − p) and b·p, and the smaller
    of the two is at most ab/(a + b).

    >>> from dataclasses import replace
    >>> proved = Utility(Fraction(1, 10), Fraction(1, 20), "agnostic", "", weights=(1, 10))
    >>> [constant_promise(replace(proved, alpha=Fraction(1, k)), 2) for k in (20, 10)]
    ['', 'the better of the two constant answers costs at most 0.91 on average, so this bound promises less']
    """
    if labels != 2:
        return ""
    a, b = utility.weights if utility.regime == "agnostic" and utility.weights else (1, 1)
    most = Fraction(a * b, a + b)
    if utility.alpha * (utility.scale if utility.regime == "agnostic" else 1) < most:
        return ""
    cost = f"costs at most {ceil_to(records * most, 3):g} on average"
    promise = cost if utility.weights else "errs on at most half of new records"
    return f"the better of the two constant answers {promise}, so this bound promises less"


def certified_name(utility: Utility | None) -> str:
    """The quantity that a certificate bounds."""
    return CERTIFIED_COST if utility is not None and utility.weights else CERTIFIED


def certified_bound(utility: Utility) -> str:
    """The bound: a share of the records or, if errors have weights, what 100 of them cost.

    >>> from fractions import Fraction
    >>> certified_bound(Utility(Fraction(1, 10), Fraction(1, 20), "agnostic", "", weights=(1, 9)))
    '90'
    """
    if not utility.weights:
        return percent(utility.alpha)
    return f"{100 * ceil_to(utility.alpha * utility.scale, 4):.10g}"


def accuracy(model: Model, goal: Goal | str | None) -> str:
    """The section about errors."""
    utility = model.certificate.utility
    parts = [
        *_measured(model),
        _certified(utility, len(model.classes)) if utility else f"<p>{escape(why_not(model, goal))}</p>",
    ]
    return f"<h2>Accuracy</h2>{''.join(parts)}"


def _measured(model: Model) -> list[str]:
    error = model.error
    if error is None:
        return []
    if not isinstance(error, MeasuredError):
        return [f"<p>A private measurement: the rule {escape(str(error))}.</p>"]
    one, many = ("unit", "units") if model.certificate.unit_records is not None else ("record", "records")
    of_units = " (one record of each)" if one == "unit" else ""
    method = (
        f"This was measured on {grouped(error.held)} {many}{of_units} that were held out. The rule was learned from "
        f"others, so no {one} pays for both."
    )
    assumed = UNITS_ASSUMED if one == "unit" else ASSUMED
    sentence = error.in_words if model.mostly_unfit else model.verdict() or ""
    subject = "The rule " if sentence.startswith(("errs", "costs")) else ""
    # No rates if no records could be held out, or if most do not fit and nothing useful was learned.
    known = error.held and (error.better or not model.mostly_unfit)
    rates = f" It {escape(error.rates)}." if known else ""
    table = confusions(error) if known and isinstance(error, LabelErrors) else ""
    misfits = f" {escape(model.misfits_in_words)}." if model.misfits_in_words else ""
    return [f"<p>{subject}{escape(sentence.removesuffix('.'))}.{rates}{misfits} {method} {assumed}</p>", table]


def confusions(error: LabelErrors) -> str:
    """The table of labels and answers, as percentages of the records; empty if it was not measured or is too large.

    >>> from fractions import Fraction
    >>> errors = (0.3, 0.0, 0.0), (0.0, 0.3, 0.1), (0.0, 0.05, 0.25)
    >>> measured = LabelErrors(0.15, 0.1, 0.2, Fraction(19, 20), (0.3, 0.4, 0.3), (1.0, 0.75, 0.8), (True,) * 3, errors,
    ...     0.6, better=True, held=1000)
    >>> confusions(measured.named("red", "green", "blue")).count("<td>")
    9
    """
    if not 0 < len(error.confusions) <= MOST_ROWS:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in error.labels)
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{tenths(share)}</td>' for share in row)}</tr>"
        for name, row in zip(error.labels, error.confusions, strict=True)
    )
    return (
        "<p>Of all records that were held out, those with the label of a row that get the label of a column, according "
        f"to noisy counts:</p><table><thead><tr><th></th>{head}</tr></thead>{rows}</table>"
    )


def _certified(utility: Utility, labels: int) -> str:
    rivals = "of any rule in the class" if _covers_class(utility) else "of any rule that meets the conditions below"
    error, costs = "error on new records", ""
    if utility.weights:
        error, costs = "cost for 100 new records, on average,", f", where errors cost {utility.costs}"
    least = "cost" if utility.weights else "error"
    best = f"the smallest {least} {rivals}, plus " if utility.regime == "agnostic" else ""
    constant = constant_promise(utility, labels, 100)
    less = f"; {constant}" if constant else ""
    assumed = "".join(f"<li>{escape(assumption)}</li>" for assumption in utility.assumptions)
    return (
        f"<p>With probability at least {certainty(utility.beta, percent=True)}, the rule's {error} is at "
        f"most {best}{certified_bound(utility)}{costs}{less}. Proof: {escape(utility.theorem)}. Assumptions:</p>"
        f"<ul>{assumed}</ul>"
    )


def best_rule_of(utility: Utility) -> str:
    """The rule with which the certificate compares, in words: the best one of the class, or of some of its rules."""
    if utility.within:
        return f"best of the rules {utility.within}"
    return "best of all rules in the class" if _covers_class(utility) else "best of some rules in the class, see below"


def _covers_class(utility: Utility) -> bool:
    """Whether the certificate covers every rule of the class, not only those on a coarser grid or with a margin."""
    # Models of earlier versions have no ``within``, but name the best rules among their assumptions.
    return not utility.within and not any("the best" in assumption for assumption in utility.assumptions)


def why_not(model: Model, goal: Goal | str | None, spelled: Callable[..., str] = in_python) -> str:
    """Why no error bound is guaranteed, and what tells more about the error.

    ``goal`` is an error and the number of records that certifies it, or why there is none. ``spelled`` writes a
    parameter and its value in the caller's syntax.
    """
    measured = isinstance(model.error, MeasuredError)
    measure = [] if measured else [f"{spelled('report_error', True)} measures the error"]
    if (model.certificate.unit_records or 1) > 1:
        reasons = ["certificates need independent records, and those of one unit are not", *measure]
    elif goal is None:
        reasons = ["there are too few records for this learner's certificate, or the learner has none"]
    elif isinstance(goal, str):
        reasons = [goal]
    elif goal.trees is not None:
        reasons = _why_not_trees(model, goal, goal.trees, measure, spelled)
    elif goal.n is None or goal.n <= model.records:  # a learner may choose rules without a certificate
        reasons = [f"no bound is proved for this learner: {model.learner}", *measure]
    else:
        reasons = [_too_few(model, goal, goal.n)]
    return f"No error bound is guaranteed, because {'; '.join(reasons)}."


def _why_not_trees(model: Model, goal: Goal, n: int, measure: list[str], spelled: Callable[..., str]) -> list[str]:
    """Why scorecards, or trees that were chosen instead, have no bound; with trees, n records certify the error."""
    trees, have = ("trees of depth 2", "have") if spelled is in_python else (spelled("class_name", "trees"), "has")
    scorecards = model.learner.startswith(ScorecardLearner.title)
    if not scorecards and n > model.records:
        return [f"{_too_few(model, goal, n)} with {trees}"]
    alternative = [f"{trees} {have} a bound"] if n <= model.records else []
    return [f"none is proved for {'scorecards' if scorecards else model.learner}", *measure, *alternative]


def _too_few(model: Model, goal: Goal, n: int) -> str:
    """The sentence that certifying the error takes n records, which are more than there are."""
    few = "1 record is too few" if model.records == 1 else f"{grouped(model.records)} records are too few"
    return f"{few}: certifying {goal.in_words} takes {grouped(n)}"
