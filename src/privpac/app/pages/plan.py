"""The page of plans: how many records a class takes, which error is certified, or which ε suffices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from markupsafe import Markup

from privpac.app.forms import FormField, FormValues, complete_values
from privpac.app.markup import inline, render
from privpac.app.pages.class_form import chosen_class, class_editor, class_fields, schema_name
from privpac.app.refusals import page_sentence, result_or_refusal
from privpac.app.session import Session
from privpac.classes.schemas.schema import Schema
from privpac.data.values.spelling import error_costs
from privpac.planning.plan_pictures import panels
from privpac.planning.planner import plan
from privpac.planning.plans import HIDDEN_CONSTANTS, Plan
from privpac.planning.rows import human
from privpac.privacy.rounding import ceil_to, certainty
from privpac.refusals.option_words import Regime, one_of
from privpac.refusals.refusal import Refused, Setting
from privpac.report import draw_panels
from privpac.report.numbers import percent, ungrouped
from privpac.requests.weights import BALANCED

FIND = {"records": "how many records it takes", "error": "which error is certified", "epsilon": "which ε suffices"}
RECORDS = [f"{digit}{'0' * zeros}" for zeros in range(2, 7) for digit in (1, 2, 5)]
ERRORS = ["0.01", "0.02", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2", "0.3"]
EPSILONS = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "3", "5", "10"]
DELTAS = ["0", "1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5"]
EPSILON_HINT = "Smaller protects more, and makes more errors."
ALPHA_HINT = "How much worse than the best rule: 0.1 is 10 % of new records."
DELTA_HINT = "A small exception to ε. Empty: at most 10⁻⁶, and less for many records."
BEST_ERROR = "best: the smallest error of any rule in the class; "
MOST_DIGITS = 100
REGIMES = {"agnostic": "may be noisy", "realizable": "some rule makes no error"}


def plan_page(session: Session, values: FormValues) -> str:
    """The form, and the plan for what it says."""
    goal = values.get("find", "records")
    goal = goal if goal in FIND else "records"
    fields = _fields(session, values, goal)
    values = complete_values(fields, values)
    result = result_or_refusal(
        lambda: _result(_plan(session, values, goal), goal) | {"editor": class_editor(session, values)}, fields
    )
    return render("plan.html", mode=session.mode, fields=fields, **result)


def _fields(session: Session, values: FormValues, goal: str) -> list[FormField]:
    fields = [
        FormField("Find out", "find", goal, "", FIND, reloads=True),
        *class_fields(session, values, columns=False),
    ]
    if goal != "records":
        fields.append(FormField("Records n", "n", values.get("n", "5000"), "", steps=RECORDS))
    if goal != "error":
        fields.append(FormField("Error α", "alpha", values.get("alpha", "0.1"), ALPHA_HINT, steps=ERRORS))
    if goal != "epsilon":
        fields.append(FormField("Privacy ε", "epsilon", values.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS))
    return [
        *fields,
        FormField("Privacy δ", "delta", values.get("delta", ""), f"{DELTA_HINT} 0: none at all.", steps=DELTAS),
        FormField("Labels", "regime", values.get("regime", "agnostic"), "", REGIMES),
        *weight_fields(_unbalanced(session.schema(schema_name(session, values))), values),
    ]


def weight_fields(schema: Schema | None, values: FormValues, more: str = "") -> list[FormField]:
    """What errors cost, unless the schema says it; the hint says ``more``."""
    if _declared_weights(schema) is not None:
        return []
    hint = f"On records of each label, in their order: 1, 9.{more} Empty: all errors cost the same."
    return [FormField("What errors cost", "class_weight", values.get("class_weight", ""), hint, rare=True)]


def asked_weights(schema: Schema | None, values: FormValues) -> Any:
    """What errors cost, by the schema or by the form; None: all errors cost the same."""
    text = values.get("class_weight", "").strip()
    return _declared_weights(schema) or (error_costs(text) if text else None)


def _unbalanced(schema: Schema | None) -> Schema | None:
    """The schema, unless its weights are balanced by a count: a plan reads no record, so the form asks for weights."""
    return None if _declared_weights(schema) == BALANCED else schema


def _declared_weights(schema: Schema | None) -> Any:
    return schema.label.weights if schema is not None and schema.label is not None else None


def _plan(session: Session, values: FormValues, goal: str) -> Plan:
    """The plan for complete values; what the person wants to find out is not given."""
    n, unit = None if goal == "records" else _whole_number(values["n"]), session.unit()
    chosen = chosen_class(session, values)
    label = chosen.schema.label if chosen.schema else None
    return plan(
        chosen.concept_class,
        alpha=None if goal == "error" else values["alpha"].strip(),
        epsilon=None if goal == "epsilon" else values["epsilon"].strip(),
        delta=values["delta"].strip() or None,
        regime=one_of("regime", values["regime"], Regime),
        n=n,
        max_records=unit.max_records if unit else None,
        class_weight=asked_weights(_unbalanced(chosen.schema), values),
        classes=label.classes if label else None,
    )


def _whole_number(text: str) -> int:
    if not (plain := ungrouped(text)).isdecimal() or len(plain) > MOST_DIGITS:
        raise Refused("n", Setting("n"), f" must be a whole number with at most {MOST_DIGITS} digits")
    return int(plain)


def _result(planned: Plan, goal: str) -> dict[str, object]:
    rows, sought = list(zip(planned.rows, planned.cells(), strict=True)), planned.heading
    notes = [page_sentence(Refused("", *note.parts)) for note in planned.notes]
    published = [cells for row, cells in rows if not row.title]
    return {
        "numbers": _numbers(planned, goal),
        "picture": _picture(planned),
        "sought": sought,
        "learners": [
            [row.learner, row.title, cells[sought], row.privacy, cells["δ·n"], str(row.kind), row.source]
            for row, cells in rows
            if row.title
        ],
        "published_head": list(published[0]) if published else [],
        "published": [list(cells.values()) for cells in published],
        "notes": [note for note in notes if not _about_papers(note)],
        "paper_notes": [note for note in notes if _about_papers(note)],
    }


def _numbers(planned: Plan, goal: str) -> list[tuple[str, str, str]]:
    """Records, error, and privacy; what the person wants to find out comes first."""
    best = planned.best
    above, meaning = ("best + ", BEST_ERROR) if planned.regime == "agnostic" else ("", "")
    name, bound = _bound(planned, best.alpha if best else None)
    if name != "Error":
        meaning = meaning.replace("error", "cost")
    certified = f"≤ {above}{bound}" if bound else "none certified"
    certain = f"{meaning}{certainty(planned.goal.beta, percent=True)} certain"
    protected = "record" if planned.goal.max_records is None else "unit"
    numbers = {
        "records": (
            "Records" if goal != "records" else "Records needed",
            human(planned.n or (best.n if best else None)),
            f"by {best.learner}" if best else "",
        ),
        "error": (name, certified, certain),
        "epsilon": ("Privacy", best.privacy if best else "–", f"per {protected}; planning spends nothing"),
    }
    return [numbers.pop(goal), *numbers.values()]


def _bound(planned: Plan, alpha: float | None) -> tuple[str, str]:
    """What is bounded, and the bound; with weights of errors, α is a share of the largest one."""
    weights = planned.goal.weights
    if weights.even or planned.regime != "agnostic":
        return "Error", percent(alpha) if alpha else ""
    cost = ceil_to(Fraction(repr(alpha)) * weights.most, 4) if alpha else 0
    return "Cost of 100 new records", f"{100 * cost:.10g}" if alpha else ""


def _about_papers(note: str) -> bool:
    """Whether a note is about published bounds, which the page folds away: it cites a paper, or explains constants."""
    return note.startswith("[") or note == HIDDEN_CONSTANTS


def _picture(planned: Plan) -> Markup | None:
    """The curves; None if no learner has a certificate."""
    curves = panels(planned)
    has_lines = any(panel.lines for panel in curves)
    return inline(draw_panels(curves, f"{planned.about} {planned.title}")) if has_lines else None
