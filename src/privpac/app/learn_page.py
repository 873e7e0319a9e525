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

import re
import warnings
from base64 import b64encode
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response

from privpac.app.learn_form import LearnTask, learn_fields, learn_task, question
from privpac.app.markup import Field, columns, drawn, facts, form, frame, hidden, table, warning
from privpac.app.session import Session
from privpac.app.spending import Noted, Outcome, Question, spend_once
from privpac.app.words import EXPECTED, explained
from privpac.data.refusal import Refused
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import Model, model_of
from privpac.learners.preview import Preview
from privpac.privacy.certainty import certainty
from privpac.privacy.delta import LargeDeltaWarning
from privpac.report.accuracy import percent
from privpac.report.frame import Named, body_of
from privpac.report.html import fit_page
from privpac.report.numbers import grouped

ABOUT = "What a rule would cost and promise comes first. An account is charged before a coin is tossed."
EMPTY = "<p>Name the columns, then look at what it will cost. Looking costs nothing.</p>"
ONCE = "Charged once: sending this again, going back, or a second click shows the same release and costs nothing."
STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class Learned:
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
            result = _preview(session, given, fields)
        except EXPECTED as error:
            told, wrong = explained(error, [each for each in fields if isinstance(each, Field)])
            result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    asked = form("/learn", fields, "See what it will cost", wrong)
    return frame("Learn", ABOUT, columns(asked, result), "/learn", spends=session.spends)


def learn_spend(session: Session, given: dict[str, str]) -> Response:
    """Charge the account, learn, and show the rule; the same question again shows the same rule."""
    fields = learn_fields(session, given)
    opened: list[LearnTask] = []

    def asked(number: int) -> Question:
        opened.append(learn_task(session, given))
        return question("learn", fields, given, opened[-1].n, number)

    def release(account: Noted) -> Learned:
        task = opened[-1]
        task.clf.budget = account
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargeDeltaWarning)  # the preview showed δ·n
            task.clf.fit(task.table, task.y, task.unit)
        model = replace(model_of(task.clf, task.y), classes=task.classes)
        task.clf.budget = None
        return Learned(task.clf, model, session.source(given["source"]).name)

    token = spend_once(session, given, asked, release)
    return RedirectResponse(f"/learn/released?of={token}", status_code=303)


def result_page(session: Session, given: dict[str, str]) -> str:
    """What was released, what was charged, and a form to release anew."""
    outcome = outcome_of(session, given, "learn")
    if outcome.failure:
        told = f"{outcome.failure}. Charged to {outcome.account}: {outcome.charged}"
        return frame("Failed", "", warning(told) + anew_form(session, outcome), "/learn", spends=session.spends)
    found: Learned = outcome.found
    of = escape(given["of"])
    links = (
        f"<p>Charged to {escape(outcome.account)}: {escape(str(outcome.charged))}. "
        f'<a href="/learn/model.json?of={of}" download="model.json">model.json</a> · '
        f'<a href="/learn/report.html?of={of}" download="report.html">report.html</a></p>'
    )
    body = f'<div class="released">{drawn(body_of(found.report))}</div>'
    return frame(
        str(found.model), "", links + body + anew_form(session, outcome), "/learn", spends=session.spends, headed=True
    )


def model_file(session: Session, given: dict[str, str]) -> Response:
    """The model as JSON."""
    return Response(outcome_of(session, given, "learn").found.model.to_json(), media_type="application/json")


def report_file(session: Session, given: dict[str, str]) -> Response:
    """The report as a page that stands alone; its browser may apply the styles that it holds, and nothing else."""
    return standalone(outcome_of(session, given, "learn").found.report)


def standalone(page: str) -> Response:
    """A page with styles of its own, each allowed by its hash."""
    styles = {b64encode(sha256(each.encode()).digest()).decode() for each in STYLE_ELEMENT.findall(page)}
    allowed = " ".join(f"'sha256-{each}'" for each in sorted(styles))
    policy = f"default-src 'none'; style-src {allowed}; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def outcome_of(session: Session, given: dict[str, str], kind: str) -> Outcome:
    """What was released for a question; Refused if nothing was."""
    outcome: Any = session.released.get(given.get("of", ""))
    if outcome is None or outcome.question.kind != kind:
        raise Refused("of", "nothing was released for this question since the server was started; ask it again")
    return outcome  # type: ignore[no-any-return]


def anew_form(session: Session, outcome: Outcome) -> str:
    """A form that releases the same question once more, if the person says so."""
    again = outcome.question.next_round(session)
    sure = Field(f"Release anew and charge {outcome.account} once more", "anew", "", flag=True).html()
    return f"<h2>The same question again</h2><p class=note>{ONCE}</p>{spend_form(session, again, 'Release anew', sure)}"


def spend_form(session: Session, asked: Question, button: str, inside: str = "") -> str:
    """The button that spends; nothing but a sentence if this server is read-only."""
    if not session.spends:
        return "<p><strong>This server is read-only.</strong> Start it with <code>--spend</code> to release.</p>"
    sent = dict(asked.fields) | {"round": str(asked.round), "token": asked.token(session)}
    sent["form_token"] = session.form_token
    inside += f"<button>{escape(button)}</button>"
    return f'<form method="post" action="/{asked.kind}/spend">{hidden(sent)}{inside}</form>'


def _preview(session: Session, given: dict[str, str], fields: list[Field | str]) -> str:
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


def cost_facts(
    session: Session, given: dict[str, str], cost: Any, protected: int, units: bool
) -> list[tuple[str, str, str]]:
    """What will be charged, what is left afterwards, and how many records δ may reveal."""
    name = given.get("account", "")
    remark = "there is no account to charge"
    if name in session.store.accounts():
        remaining = session.store.account(name).remaining
        remark = f"{name}: {remaining - cost} left afterwards" if cost <= remaining else f"{name} has only {remaining}"
    what = "unit" if units else "record"
    exposed = f"; δ·n = {float(cost.delta * protected):.3g}" if cost.delta else ""
    return [
        ("Will be charged", str(cost), remark),
        (f"{what.capitalize()}s", grouped(protected), f"the promise is per {what}{exposed}"),
    ]


def spend_or_show(session: Session, given: dict[str, str], asked: Question, cost: Any) -> str:
    """The button that spends, or what was released for this question before."""
    name = given.get("account", "")
    again = asked.next_round(session)
    if again.round:
        of = replace(asked, round=again.round - 1).token(session)
        shown = (
            f'<p>This question was released before: <a href="/{asked.kind}/released?of={of}">see the release</a>.</p>'
        )
        return shown + anew_form(session, session.released[of])
    if name not in session.store.accounts():
        return '<p>An account pays for a release; see <a href="/budgets">Budgets</a>.</p>'
    if not cost <= session.store.account(name).remaining:
        return warning(f"The account {name} cannot pay for this. Ask for less, or choose another account.")
    return spend_form(session, asked, f"Spend {cost} and release") + f"<p class=note>{ONCE}</p>"


def _asked_for(ahead: Preview, task: LearnTask) -> str:
    rows = [[f"a rule ({ahead.learner})", ahead.title, grouped(ahead.learned)]]
    if ahead.held:
        rows.append(["its error", "noisy counts of right and wrong answers", f"{grouped(ahead.held)} others"])
    return table(["asked for", "how", "records"], rows, "What will be asked", [2])
