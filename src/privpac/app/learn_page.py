"""The pages of learning: a form, a preview of what it would cost and promise, and what was released.

Nothing about a record is shown but what was released. Reading the table before the preview counts its records, whose
number is public.

Main declarations
    LEARN            the form, the preview, the spending, and the result
    model_file       the model as JSON, to keep
"""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from privpac.app.asking import AskingPage
from privpac.app.class_form import class_editor
from privpac.app.learn_form import LearnTask, learn_fields, learn_task
from privpac.app.markup import facts, html_table
from privpac.app.plan_page import OF_ALL
from privpac.app.session import Session
from privpac.app.spend_pages import Promise, cost_facts, found_of, other_prices
from privpac.app.spending import JustReleased
from privpac.learners.model import model_of
from privpac.learners.preview import Preview
from privpac.privacy.budget import Budget
from privpac.privacy.certainty import certainty
from privpac.privacy.certificate import Utility
from privpac.privacy.once import Once
from privpac.report.accuracy import percent
from privpac.report.frame import Named
from privpac.report.html import fit_page
from privpac.report.numbers import grouped

ABOUT_LEARNING = "First see what a rule would cost and promise. If you then spend, you get the rule and a report, once."
EMPTY = "<p>Name the columns, then look at what it will cost. Looking costs nothing.</p>"


def model_file(session: Session, given: dict[str, str]) -> Response:
    """The model as JSON."""
    return Response(found_of(session, given, "learn").text, media_type="application/json")


def _ahead(session: Session, given: dict[str, str], task: LearnTask) -> tuple[str, Budget]:
    ahead = task.clf.preview(task.n)
    utility = ahead.utility
    told = [
        *cost_facts(session, given, ahead.cost, ahead.protected, task.unit is not None),
        (
            "Certified error",
            _certified(utility) or "none",
            "too few records, or no proof"
            if utility is None
            else f"{OF_ALL * (utility.regime == 'agnostic')}{certainty(utility.beta, percent=True)} certain",
        ),
    ]

    def at(ε: str) -> Promise:
        other = task.clf.asking(epsilon=ε).preview(task.n)
        return other.cost, _certified(other.utility)

    prices = other_prices(session, given, "certified error", at)
    return facts(*told) + _asked_for(ahead) + prices + class_editor(session, given), ahead.cost


def _certified(utility: Utility | None) -> str:
    """The certified error; nothing if there is none."""
    if utility is None:
        return ""
    return f"≤ {'best + ' * (utility.regime == 'agnostic')}{percent(utility.alpha)}"


def _asked_for(ahead: Preview) -> str:
    rows = [[f"a rule ({ahead.learner})", ahead.title, grouped(ahead.learned)]]
    if ahead.held:
        rows.append(["its error", "noisy counts of right and wrong answers", f"{grouped(ahead.held)} others"])
    return html_table(["asked for", "how", "records"], rows, "What will be asked", [2])


def _learned(task: LearnTask, account: Once, source: str) -> JustReleased:
    task.clf.budget = account
    task.clf.fit(task.table, task.y, task.unit)
    task.clf.budget = None
    model = replace(model_of(task.clf, task.y), classes=task.classes)
    named = Named(file="model.json", data=source)
    return JustReleased(model.to_json(), model.headline, lambda: fit_page(task.clf, model, named))


LEARN = AskingPage(
    *("learn", "Learn", ABOUT_LEARNING, EMPTY),
    fields=learn_fields,
    task=learn_task,
    preview=_ahead,
    release=_learned,
    files={"model.json": "model.json", "report.html": "report.html"},
)
