"""The page of plans: how many records a class takes, which error is certified, or which ε suffices."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from privpac.app.markup import FormField, columns, facts, figure, filled, html_table, live_form, page_frame, warning
from privpac.app.pages.class_form import chosen_class, class_editor, class_fields
from privpac.app.refusals import EXPECTED, explained, for_the_page
from privpac.app.session import Session
from privpac.planning.curves import panels
from privpac.planning.planner import plan
from privpac.planning.plans import ORDERS, Plan
from privpac.planning.rows import human
from privpac.privacy.rounding import certainty
from privpac.refusals.option_words import Regime, one_of
from privpac.refusals.refusal import Refused, Setting
from privpac.report import draw_panels
from privpac.report.numbers import ungrouped
from privpac.report.pages.accuracy import percent

ABOUT_PLANS = "How many records it takes to learn a rule privately. Nothing here reads a record or costs anything."
FIND = {"records": "how many records it takes", "error": "which error is certified", "epsilon": "which ε suffices"}
RECORDS = [f"{digit}{'0' * zeros}" for zeros in range(2, 7) for digit in (1, 2, 5)]
ERRORS = ["0.01", "0.02", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2", "0.3"]
EPSILONS = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "3", "5", "10"]
DELTAS = ["0", "1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5"]
EPSILON_HINT = "Smaller protects more, and makes more errors."
ALPHA_HINT = "How much worse than the best rule: 0.1 is 10 % of new records."
DELTA_HINT = "A small exception to ε. Empty: at most 10⁻⁶, and less for many records."
OF_ALL = "best: the smallest error of any rule in the class; "
MOST_DIGITS = 100
REGIMES = {"agnostic": "may be noisy", "realizable": "some rule makes no error"}


def plan_page(session: Session, given: dict[str, str]) -> str:
    """The form, and the plan that it asks for."""
    find = said if (said := given.get("find", "records")) in FIND else "records"
    asked = [
        FormField("Find out", "find", find, "", FIND, reloads=True),
        *class_fields(session, given, columns=False),
    ]
    if find != "records":
        asked.append(FormField("Records n", "n", given.get("n", "5000"), "", steps=RECORDS))
    if find != "error":
        asked.append(FormField("Error α", "alpha", given.get("alpha", "0.1"), ALPHA_HINT, steps=ERRORS))
    if find != "epsilon":
        asked.append(FormField("Privacy ε", "epsilon", given.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS))
    asked += [
        FormField("Privacy δ", "delta", given.get("delta", ""), f"{DELTA_HINT} 0: none at all.", steps=DELTAS),
        FormField("Labels", "regime", given.get("regime", "agnostic"), "", REGIMES),
    ]
    wrong = None
    try:
        given = filled(asked, given)
        result = _result(_planned(session, given, find), find) + class_editor(session, given)
    except EXPECTED as error:
        told, wrong = explained(error, asked)
        result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    body = columns(live_form("/plan", asked, "Plan", wrong), result)
    return page_frame("Plan", ABOUT_PLANS, body, "/plan", mode=session.mode)


def _planned(session: Session, given: dict[str, str], find: str) -> Plan:
    n = None if find == "records" else _whole(given.get("n", "5000"))
    return plan(
        chosen_class(session, given).concept_class,
        alpha=None if find == "error" else given.get("alpha", "0.1").strip(),
        epsilon=None if find == "epsilon" else given.get("epsilon", "1").strip(),
        delta=given.get("delta", "").strip() or None,
        regime=one_of("regime", given.get("regime", "agnostic"), Regime),
        n=n,
    )


def _whole(text: str) -> int:
    if not (plain := ungrouped(text)).isdecimal() or len(plain) > MOST_DIGITS:
        raise Refused("n", Setting("n"), f" must be a whole number with at most {MOST_DIGITS} digits")
    return int(plain)


def _result(found: Plan, find: str) -> str:
    best = found.best
    learners = [pair for pair in zip(found.rows, found.cells(), strict=True) if pair[0].title]
    published = [cells for row, cells in zip(found.rows, found.cells(), strict=True) if not row.title]
    told = [for_the_page(Refused("", *note.parts)) for note in found.notes]
    notes, asides = (_notes(each for each in told if _of_papers(each) is those) for those in (False, True))
    head = ["learner", "how", found.sought.value, "privacy", "δ·n", "kind", "theorem"]
    rows = [
        [row.learner, row.title, cells[found.sought.value], row.privacy, cells["δ·n"], str(row.kind), row.source]
        for row, cells in learners
    ]
    more = asides
    if published:
        listed = html_table(list(published[0]), [list(each.values()) for each in published], "Published bounds", [1])
        several = f"{len(published)} published bound{'s' * (len(published) != 1)}"
        more = f"<details><summary>{several}</summary>{listed}{asides}</details>"
    shown = html_table(head, rows, "Learners of this class", [2, 4]) if rows else "<p>No learner learns this class.</p>"
    certain = f"{OF_ALL * (found.regime == 'agnostic')}{certainty(found.goal.beta, percent=True)} certain"
    numbers = [
        (
            "Records" if find != "records" else "Records needed",
            human(found.n or (best.n if best else None)),
            f"by {best.learner}" if best else "",
        ),
        ("Error", f"≤ {_above(found)}{percent(best.alpha)}" if best and best.alpha else "none certified", certain),
        ("Privacy", best.privacy if best else "–", "per record; planning spends nothing"),
    ]
    first = {"records": 0, "error": 1, "epsilon": 2}[find]
    numbers = [numbers[first], *(each for i, each in enumerate(numbers) if i != first)]
    return facts(*numbers) + _picture(found) + shown + notes + more


def _notes(told: Iterable[str]) -> str:
    return "".join(f"<p class=note>{escape(each)}</p>" for each in told)


def _of_papers(note: str) -> bool:
    """Whether a note is about published bounds, which are folded away."""
    return note.startswith("[") or note == ORDERS


def _picture(found: Plan) -> str:
    """The curves; nothing if no learner has a certificate."""
    made = panels(found)
    if not any(panel.lines for panel in made):
        return ""
    told = (
        "How many records certify the error, and how that changes with each number. The vertical lines mark this plan."
    )
    return figure(draw_panels(made, f"{found.about} {found.title}"), told)


def _above(found: Plan) -> str:
    return "best + " if found.regime == "agnostic" else ""
