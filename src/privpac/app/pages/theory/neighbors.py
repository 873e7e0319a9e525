"""The page of neighbors: the exact law of everything a learner releases, on a made-up sample and on a neighbor of it.

Nothing here is drawn at random, and nothing is about real records.

Throughout this file
    S, S′    the made-up sample, and the sample in which one record was replaced
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from privpac.app.forms import FormField, FormValues
from privpac.app.markup import inline, render
from privpac.app.pages.plan import EPSILON_HINT
from privpac.app.refusals import result_or_refusal
from privpac.app.session import Session
from privpac.app.spending.prices import likelihood_factor
from privpac.audit.claims.fits import AuditedFit, UnseenRecords, fit_of
from privpac.audit.exact_divergence import loss
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.learners.algorithm import Learner
from privpac.learners.finite import FiniteLearner
from privpac.learners.lines.intervals import IntervalLearner
from privpac.learners.lines.thresholds import PureThresholdLearner
from privpac.learners.values.points import ProperPointLearner
from privpac.refusals.refusal import Refused, Setting
from privpac.report.pictures.neighbors import draw_laws

LAST, MOST_RECORDS = 7, 12  # the largest value of a record, and the most records
COUNTS, VALUES = range(1, MOST_RECORDS + 1), range(LAST + 1)
FIRST_VALUES = {"n": 8, "cut": 4, "changed": 1, "value": LAST, "label": 0}  # before anything is typed
MOST_SHOWN = 12  # rules in the picture
EPSILONS = ["0.1", "0.2", "0.5", "1", "1.5", "2", "3", "5"]
STEPS = [[x >= t for x in range(LAST + 1)] for t in range(LAST + 2)]  # thresholds as lines of 0 and 1
LEARNERS: dict[str, tuple[str, type[Learner], ConceptClass]] = {
    "thresholds": ("thresholds, exponential mechanism", PureThresholdLearner, Thresholds(0, LAST, direction="above")),
    "flip": ("thresholds, permute-and-flip", FiniteLearner, ExplicitClass(STEPS)),
    "points": ("points, permute-and-flip", ProperPointLearner, Points(LAST + 1)),
    "intervals": ("intervals, exponential mechanism", IntervalLearner, Intervals(0, LAST)),
}
Record = tuple[int, int]


@dataclass(frozen=True)
class NeighborPair:
    """S is ``records``; S′ has ``new`` in place of the record with the number ``changed``."""

    records: tuple[Record, ...]
    changed: int
    new: Record

    @property
    def neighbor(self) -> tuple[Record, ...]:
        return (*self.records[: self.changed], self.new, *self.records[self.changed + 1 :])


class ReleasedRule(NamedTuple):
    """A rule that the learner may release."""

    name: str
    p: float  # its probability on S
    q: float  # its probability on S′
    log_ratio: str  # ln(p/q), as text


def neighbors_page(session: Session, values: FormValues) -> str:
    """The form, both laws, and the log of their ratio."""
    learners = {key: name for key, (name, _, _) in LEARNERS.items()}
    fields = [
        FormField("Learner", "learner", values.get("learner", "thresholds"), "", learners),
        FormField("Privacy ε", "epsilon", values.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS),
        _slider("Records", "n", values, COUNTS),
        _slider("True cut", "cut", values, VALUES),
        _slider("Record that changes", "changed", values, COUNTS),
        _slider("Its new value", "value", values, VALUES),
        FormField("Its new label", "label", values.get("label", "0"), "", {"0": "0", "1": "1"}),
    ]
    result = result_or_refusal(lambda: _result(values), fields)
    return render("theory/neighbors.html", mode=session.mode, fields=fields, **result)


def _slider(label: str, name: str, values: FormValues, numbers: range) -> FormField:
    return FormField(label, name, values.get(name, str(FIRST_VALUES[name])), "", steps=[str(i) for i in numbers])


def _number(values: FormValues, name: str, numbers: range) -> int:
    text = values.get(name, str(FIRST_VALUES[name])).strip()
    if not text.isdecimal() or int(text[:9]) not in numbers:
        raise Refused(name, Setting(name), f" must be a whole number from {numbers[0]} to {numbers[-1]}")
    return int(text)


def _result(values: FormValues) -> dict[str, object]:
    _, kind, concept_class = LEARNERS.get(values.get("learner", ""), LEARNERS["thresholds"])
    pair = _pair(values)
    n = len(pair.records)
    fit = AuditedFit(fit_of(kind, concept_class, epsilon=values.get("epsilon", "1").strip(), delta=0), n)
    P, Q = (fit.law(fit.sample(records)) for records in (pair.records, pair.neighbor))
    largest = max(float(loss(P, Q).upper()), float(loss(Q, P).upper()))
    ε = fit.cost.epsilon
    rules = _rules(fit, P, Q, n)
    likeliest = sorted(rules, key=lambda rule: -max(rule.p, rule.q))[:MOST_SHOWN]
    promise = f"at most {likelihood_factor(fit.cost)} times"
    return {
        "ratios": [
            ("Promised", promise, f"as likely, for every pair: e^ε for {fit.cost}"),
            (
                "This pair",
                f"{math.exp(largest):.3g} times",
                f"as likely at most; ln ratio {largest:.4g}, and ε allows {float(ε):g}",
            ),
        ],
        "within": largest <= float(ε) + 1e-12,
        "picture": inline(draw_laws([rule[:3] for rule in rules if rule in likeliest], float(ε))),
        "caption": _caption(len(rules), ε),
        "sample_head": ["sample", *(str(i + 1) for i in range(n))],
        "samples": [["S", *_cells(pair.records)], ["S′", *_cells(pair.neighbor)]],
        "rules": [[name, f"{p:.5f}", f"{q:.5f}", log_ratio] for name, p, q, log_ratio in rules],
    }


def _pair(values: FormValues) -> NeighborPair:
    n, cut = _number(values, "n", COUNTS), _number(values, "cut", VALUES)
    records = tuple((i * (LAST + 1) // n, int(i * (LAST + 1) // n >= cut)) for i in range(n))
    new = _number(values, "value", VALUES), _number(values, "label", range(2))
    return NeighborPair(records, min(_number(values, "changed", COUNTS), n) - 1, new)


def _rules(fit: AuditedFit, P: Any, Q: Any, n: int) -> list[ReleasedRule]:
    """Every rule, in a natural order: long lists of values before short ones, and "never" at the end."""
    laws = ((_rule(fit, outcome, n), p, Q[outcome]) for outcome, p in P.items())

    def order(rule: ReleasedRule) -> tuple[bool, int, str]:
        return rule.name == "never", -len(rule.name) if "one of" in rule.name else 0, rule.name

    return sorted((ReleasedRule(name, float(p), float(q), _log_ratio(p, q)) for name, p, q in laws), key=order)


def _rule(fit: AuditedFit, outcome: tuple[Any, ...], n: int) -> str:
    """The rule that follows from ``outcome``, the answers to the learner's requests; people see nothing else."""
    answers = iter(outcome)
    return str(fit.learner.run(UnseenRecords(n), lambda *_: next(answers)))


def _log_ratio(p: Any, q: Any) -> str:
    return f"{float((p / q).log()):+.4f}".replace("-", "−")


def _caption(number: int, ε: Fraction) -> str:
    selection = f"The {MOST_SHOWN} likeliest of {number} rules. " if number > MOST_SHOWN else ""
    return f"{selection}No bar of the lower chart may leave the band from −ε to ε = {float(ε):g}."


def _cells(records: tuple[Record, ...]) -> list[str]:
    return [f"({x}, {y})" for x, y in records]
