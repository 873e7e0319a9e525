"""The pages of learning: a form, a preview of what it would cost and promise, and what was released.

Nothing about a record is shown but what was released. Reading the table before the preview counts its records, whose
number is public.

Main declarations
    learn_page       the form and the preview
    learn_spend      charges the account and releases the rule, once
    result_page      what was released
    model_file       the model as JSON, to keep
    report_file      the report as a page that stands alone, to keep
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

from starlette.responses import RedirectResponse, Response

from privpac.app.learn_form import LearnTask, filled, learn_fields, learn_task, question
from privpac.app.markup import FormField, columns, facts, html_table, live_form, page_frame, warning
from privpac.app.session import Session
from privpac.app.spend_pages import cost_facts, found_of, released_page, spend_or_show, standalone
from privpac.app.spending import Noted, Question, spend_once
from privpac.app.words import EXPECTED, explained
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import Model, model_of
from privpac.learners.preview import Preview
from privpac.privacy.certainty import certainty
from privpac.privacy.delta import LargeDeltaWarning
from privpac.report.accuracy import percent
from privpac.report.frame import Named
from privpac.report.html import fit_page
from privpac.report.numbers import grouped

ABOUT_LEARNING = "What a rule would cost and promise comes first. An account is charged before a coin is tossed."
EMPTY = "<p>Name the columns, then look at what it will cost. Looking costs nothing.</p>"


@dataclass(frozen=True)
class LearnedRule:
    """A rule that was released."""

    clf: PrivateClassifier
    model: Model
    source: str

    @cached_property
    def report(self) -> str:
        """The page about it."""
        return fit_page(self.clf, self.model, Named(file="model.json", data=self.source))


def learn_page(session: Session, given: dict[str, str]) -> str:
    """The form, and the preview of what it asks for."""
    fields, wrong, result = learn_fields(session, given), None, EMPTY
    if "source" in given:
        try:
            result = _preview(session, filled(fields, given), fields)
        except EXPECTED as error:
            told, wrong = explained(error, [each for each in fields if isinstance(each, FormField)])
            result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    asked = live_form("/learn", fields, "See what it will cost", wrong, follows="change")
    return page_frame("Learn", ABOUT_LEARNING, columns(asked, result), "/learn", spends=session.spends)


def learn_spend(session: Session, given: dict[str, str]) -> Response:
    """Charge the account, learn, and show the rule; the same question again shows the same rule."""
    fields = learn_fields(session, given)
    given = filled(fields, given)
    opened: list[LearnTask] = []

    def asked(number: int) -> Question:
        opened.append(learn_task(session, given))
        return question("learn", fields, given, opened[-1].n, number)

    def release(account: Noted) -> LearnedRule:
        task = opened[-1]
        task.clf.budget = account
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargeDeltaWarning)  # the preview showed δ·n
            task.clf.fit(task.table, task.y, task.unit)
        model = replace(model_of(task.clf, task.y), classes=task.classes)
        task.clf.budget = None
        return LearnedRule(task.clf, model, session.source(given["source"]).name)

    token = spend_once(session, given, asked, release)
    return RedirectResponse(f"/learn/released?of={token}", status_code=303)


def result_page(session: Session, given: dict[str, str]) -> str:
    """What was released, what was charged, and a form to release anew."""
    return released_page(session, given, "learn", {"model.json": "model.json", "report.html": "report.html"})


def model_file(session: Session, given: dict[str, str]) -> Response:
    """The model as JSON."""
    return Response(found_of(session, given, "learn").model.to_json(), media_type="application/json")


def report_file(session: Session, given: dict[str, str]) -> Response:
    """The report as a page that stands alone; its browser may apply the styles that it holds, and nothing else."""
    return standalone(found_of(session, given, "learn").report)


def _preview(session: Session, given: dict[str, str], fields: list[FormField | str]) -> str:
    task = learn_task(session, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LargeDeltaWarning)
        ahead = task.clf.preview(task.n)
    asked = question("learn", fields, given, task.n)
    utility = ahead.utility
    best = "" if utility is None else ("best + " if utility.regime == "agnostic" else "")
    told = [
        *cost_facts(session, given, ahead.cost, ahead.protected, task.unit is not None),
        (
            "Certified error",
            "none" if utility is None else f"≤ {best}{percent(utility.alpha)}",
            "too few records, or no proof" if utility is None else f"{certainty(utility.beta, percent=True)} certain",
        ),
    ]
    return facts(*told) + _asked_for(ahead, task) + spend_or_show(session, given, asked, ahead.cost)


def _asked_for(ahead: Preview, task: LearnTask) -> str:
    rows = [[f"a rule ({ahead.learner})", ahead.title, grouped(ahead.learned)]]
    if ahead.held:
        rows.append(["its error", "noisy counts of right and wrong answers", f"{grouped(ahead.held)} others"])
    return html_table(["asked for", "how", "records"], rows, "What will be asked", [2])
