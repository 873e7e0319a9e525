"""The parts of pages that spend: what a preview says about the cost, the button, and what was released.

Main declarations
    cost_facts       what will be charged, and what is left afterwards
    spend_or_show    the button that spends, or what was released for this question before
    released_page    what was released, what was charged, and a form to release anew
    outcome_of       what was released for a question
    found_of         the same, for a file to keep
    standalone       a page with styles of its own
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from html import escape
from typing import Any

from starlette.responses import Response

from privpac.app.markup import FormField, drawn, hidden_fields, page_frame, warning
from privpac.app.session import Session
from privpac.app.spending import Question, SpendOutcome
from privpac.data.refusal import Refused
from privpac.privacy.budget import Budget
from privpac.report.frame import body_of
from privpac.report.numbers import grouped

ONCE = "Charged once: sending this again, going back, or a second click shows the same release and costs nothing."
STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def released_page(session: Session, given: dict[str, str], kind: str, files: Mapping[str, str]) -> str:
    """The report about what was released; ``files`` to keep are names and what they are called on the page."""
    outcome, place = outcome_of(session, given, kind), f"/{kind}"
    if outcome.failure:
        told = f"{outcome.failure[0].upper()}{outcome.failure[1:]}. Charged to {outcome.account}: {outcome.charged}"
        return page_frame("Failed", "", warning(told) + anew_form(session, outcome), place, spends=session.spends)
    of = escape(given["of"])
    links = " · ".join(f'<a href="{place}/{each}?of={of}" download="{each}">{said}</a>' for each, said in files.items())
    charged = f"<p>Charged to {escape(outcome.account)}: {escape(str(outcome.charged))}. {links}</p>"
    body = f'{charged}<div class="released">{drawn(body_of(outcome.found.report))}</div>{anew_form(session, outcome)}'
    return page_frame("Released", "", body, place, spends=session.spends, headed=True)


def found_of(session: Session, given: dict[str, str], kind: str) -> Any:
    """What was released for a question; Refused if nothing was."""
    outcome = outcome_of(session, given, kind)
    if outcome.failure:
        raise Refused("of", outcome.failure)
    return outcome.found


def standalone(page: str) -> Response:
    """A page with styles of its own, each allowed by its hash."""
    styles = {b64encode(sha256(each.encode()).digest()).decode() for each in STYLE_ELEMENT.findall(page)}
    allowed = " ".join(f"'sha256-{each}'" for each in sorted(styles))
    policy = f"default-src 'none'; style-src {allowed}; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def outcome_of(session: Session, given: dict[str, str], kind: str) -> SpendOutcome:
    """What was released for a question; Refused if nothing was."""
    outcome: Any = session.released.get(given.get("of", ""))
    if outcome is None or outcome.question.kind != kind:
        raise Refused("of", "nothing was released for this question since the server was started; ask it again")
    return outcome  # type: ignore[no-any-return]


def anew_form(session: Session, outcome: SpendOutcome) -> str:
    """A form that releases the same question once more, if the person says so."""
    again = outcome.question.next_round(session)
    sure = FormField(f"Release anew and charge {outcome.account} once more", "anew", "", flag=True).html()
    return f"<h2>The same question again</h2><p class=note>{ONCE}</p>{spend_form(session, again, 'Release anew', sure)}"


def spend_form(session: Session, asked: Question, button: str, inside: str = "") -> str:
    """The button that spends; nothing but a sentence if this server is read-only."""
    if not session.spends:
        return "<p><strong>This server is read-only.</strong> Start it with <code>--spend</code> to release.</p>"
    sent = dict(asked.fields) | {"round": str(asked.round), "token": asked.token(session)}
    sent["form_token"] = session.form_token
    inside += f"<button>{escape(button)}</button>"
    return f'<form method="post" action="/{asked.kind}/spend">{hidden_fields(sent)}{inside}</form>'


def cost_facts(
    session: Session, given: dict[str, str], cost: Budget, protected: int, units: bool
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


def spend_or_show(session: Session, given: dict[str, str], asked: Question, cost: Budget) -> str:
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
