"""The page of neighbors: the exact law of everything a learner releases, on a made-up sample and on a neighbor of it.

Nothing here is drawn at random, and nothing is about real records.

Throughout this file
    S, S′    the made-up sample, and the sample in which one record was replaced
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from privpac.app.markup import FormField, columns, facts, figure, html_table, live_form, page_frame, warning
from privpac.app.pages.plan import EPSILON_HINT
from privpac.app.refusals import EXPECTED, explained
from privpac.app.session import Session
from privpac.app.spending.pages import factor
from privpac.audit.claims.fits import Learned, Unseen, fit_of
from privpac.audit.exact import loss
from privpac.classes.base import ConceptClass
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
from privpac.report.pictures.laws import draw_laws

ABOUT_NEIGHBORS = (
    "A learner sees one of two made-up tables that differ in a single record. Privacy means that nobody can tell which "
    "one from the rule that comes out: every rule is about as likely on both. The probabilities are exact."
)
LAST, MOST = 7, 12  # the largest value of a record, and the most records
COUNTS, VALUES = range(1, MOST + 1), range(LAST + 1)
FIRSTS = {"n": 8, "cut": 4, "changed": 1, "value": LAST, "label": 0}  # before anything is typed
SHOWN = 12  # rules in the picture
EPSILONS = ["0.1", "0.2", "0.5", "1", "1.5", "2", "3", "5"]
STEPS = [[x >= t for x in range(LAST + 1)] for t in range(LAST + 2)]
TRIED: dict[str, tuple[str, type[Learner], ConceptClass]] = {
    "thresholds": ("thresholds, exponential mechanism", PureThresholdLearner, Thresholds(0, LAST)),
    "flip": ("thresholds, permute-and-flip", FiniteLearner, ExplicitClass(STEPS)),
    "points": ("points, permute-and-flip", ProperPointLearner, Points(LAST + 1)),
    "intervals": ("intervals, exponential mechanism", IntervalLearner, Intervals(0, LAST)),
}
Record = tuple[int, int]


@dataclass(frozen=True)
class NeighborPair:
    """S, and S′, which differs from it in the record with number ``changed``."""

    records: tuple[Record, ...]
    changed: int
    new: Record

    @property
    def neighbor(self) -> tuple[Record, ...]:
        """S′."""
        i = self.changed
        return (*self.records[:i], self.new, *self.records[i + 1 :])


def neighbors_page(session: Session, given: dict[str, str]) -> str:
    """The form, both laws, and the log of their ratio."""
    label = given.get("label", "0")
    asked = [
        FormField(
            "Learner", "learner", given.get("learner", "thresholds"), "", {key: each[0] for key, each in TRIED.items()}
        ),
        FormField("Privacy ε", "epsilon", given.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS),
        _slider("Records", "n", given, COUNTS),
        _slider("True cut", "cut", given, VALUES),
        _slider("Record that changes", "changed", given, COUNTS),
        _slider("Its new value", "value", given, VALUES),
        FormField("Its new label", "label", label, "", {"0": "0", "1": "1"}),
    ]
    wrong = None
    try:
        result = _result(given)
    except EXPECTED as error:
        told, wrong = explained(error, asked)
        result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    body = columns(live_form("/neighbors", asked, "Compute", wrong), result)
    return page_frame("Neighbors", ABOUT_NEIGHBORS, body, "/neighbors", mode=session.mode)


def _slider(label: str, name: str, given: dict[str, str], numbers: range) -> FormField:
    return FormField(label, name, given.get(name, str(FIRSTS[name])), "", steps=[str(i) for i in numbers])


def _number(given: dict[str, str], name: str, numbers: range) -> int:
    text = given.get(name, str(FIRSTS[name])).strip()
    if not text.isdecimal() or int(text[:9]) not in numbers:
        raise Refused(name, Setting(name), f" must be a whole number from {numbers[0]} to {numbers[-1]}")
    return int(text)


def _result(given: dict[str, str]) -> str:
    _, kind, concept_class = TRIED.get(given.get("learner", ""), TRIED["thresholds"])
    n, cut = _number(given, "n", COUNTS), _number(given, "cut", VALUES)
    records = tuple((i * (LAST + 1) // n, int(i * (LAST + 1) // n >= cut)) for i in range(n))
    new = _number(given, "value", VALUES), _number(given, "label", range(2))
    pair = NeighborPair(records, min(_number(given, "changed", COUNTS), n) - 1, new)
    learned = Learned(fit_of(kind, concept_class, epsilon=given.get("epsilon", "1").strip(), delta=0), n)
    P, Q = (learned.law(learned.sample(each)) for each in (pair.records, pair.neighbor))
    lost = max(float(loss(P, Q).upper()), float(loss(Q, P).upper()))
    ε = learned.cost.epsilon
    rows = _rows(learned, P, Q, n)
    within = lost <= float(ε) + 1e-12
    told = facts(
        ("Promised", f"at most {factor(learned.cost)} times", f"as likely, for every pair: e^ε for {learned.cost}"),
        (
            "This pair",
            f"{math.exp(lost):.3g} times",
            f"as likely at most; ln ratio {lost:.4g}, and ε allows {float(ε):g}",
        ),
    )
    verdict = (
        '<p class="good">The promise holds.</p>' if within else '<p class="bad">Beyond ε: the claim is refuted.</p>'
    )
    likely = sorted(rows, key=lambda row: -max(row[1:]))[:SHOWN]
    picture = figure(draw_laws([row for row in rows if row in likely], float(ε)), _caption(rows, ε))
    cells = [[name, f"{p:.5f}", f"{q:.5f}", f"{_ratio(learned, name, P, Q, n)}"] for name, p, q in rows]
    listed = html_table(["rule", "on S", "on S′", "ln ratio"], cells, "Every rule", [1, 2, 3])
    return told + verdict + picture + _samples(pair) + listed


def _rows(learned: Learned, P: Any, Q: Any, n: int) -> list[tuple[str, float, float]]:
    """Every rule with its probabilities, in a natural order."""
    return sorted(
        ((_rule(learned, outcome, n), float(P[outcome]), float(Q[outcome])) for outcome in P),
        key=lambda row: (row[0] == "never", -len(row[0]) if "one of" in row[0] else 0, row[0]),
    )


def _rule(learned: Learned, outcome: tuple[Any, ...], n: int) -> str:
    """The rule that follows from the answers, which is all that anybody sees."""
    answers = iter(outcome)
    return str(learned.learner.run(Unseen(n), lambda *_: next(answers)))


def _ratio(learned: Learned, name: str, P: Any, Q: Any, n: int) -> str:
    outcome = next(each for each in P if _rule(learned, each, n) == name)
    return f"{float((P[outcome] / Q[outcome]).log()):+.4f}".replace("-", "−")


def _caption(rows: list[Any], ε: Fraction) -> str:
    some = f"The {SHOWN} likeliest of {len(rows)} rules. " if len(rows) > SHOWN else ""
    return f"{some}No bar of the lower chart may leave the band from −ε to ε = {float(ε):g}."


def _samples(pair: NeighborPair) -> str:
    def told(records: tuple[Record, ...]) -> list[str]:
        return [f"({x}, {y})" for x, y in records]

    rows = [["S", *told(pair.records)], ["S′", *told(pair.neighbor)]]
    head = ["sample", *(str(i + 1) for i in range(len(pair.records)))]
    made = html_table(head, rows, "Records (value, label); made up")
    return f"<details><summary>The two samples (made up)</summary>{made}</details>"
