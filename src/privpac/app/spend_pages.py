"""The parts of pages that spend: what a preview says about the cost, the button, and what was released.

Main declarations
    cost_facts       what will be charged, and what is left afterwards
    spend_or_show    the button that spends, or what was released for this question before
    released_page    what was released, what was charged, and a form to release anew
    releases_list    what was asked and released before, with links
    found_of         what was released, for a file to keep
    standalone       a page with styles of its own
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from html import escape

from starlette.responses import Response

from privpac.app.markup import FormField, drawn, hidden_fields, page_frame, warning
from privpac.app.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.app.spending import spend_token
from privpac.data.refusal import Refused
from privpac.privacy.budget import Budget
from privpac.privacy.database import StoreError
from privpac.privacy.watched import Watched
from privpac.report.frame import body_of
from privpac.report.numbers import grouped

ONCE = "Charged once: sending this again, going back, or a second click shows the same release and costs nothing."
UNKNOWN = "nothing was released for this question; ask it again"
NO_PAGE = "The page about the release failed. The release itself is in the files above."
STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def released_page(session: Session, given: dict[str, str], kind: str, files: Mapping[str, str]) -> str:
    """The report about what was released; ``files`` to keep are names and what they are called on the page."""
    outcome, place = outcome_of(session, given, kind), f"/{kind}"
    if not outcome.text:
        told = warning(_what_failed(session, outcome)) + anew_form(session, outcome)
        return page_frame("Failed", "", told, place, mode=session.mode)
    of = escape(given["of"])
    links = " · ".join(f'<a href="{place}/{each}?of={of}" download="{each}">{said}</a>' for each, said in files.items())
    paid = f"{outcome.cost} on {outcome.asked:%Y-%m-%d at %H:%M} UTC. Table: {outcome.source}."
    body = f"<p>Charged to {escape(outcome.account)}: {escape(paid)}</p><p>{links}</p>"
    if outcome.unkept:
        lost = f"The release is only in the memory of this server ({outcome.unkept}). Keep the files above."
        body += warning(lost)
    if outcome.report:
        body += f'<div class="released">{drawn(body_of(outcome.report))}</div>'
    else:
        body += f"<h1>Released</h1>{warning(NO_PAGE)}"
    return page_frame("Released", "", body + anew_form(session, outcome), place, mode=session.mode, headed=True)


def _what_failed(session: Session, outcome: SpendOutcome) -> str:
    """Why nothing was released, and what was charged, as the account itself says now."""
    why = outcome.failure or "the server stopped before it was answered, or is still at work"
    try:
        charged = Watched(session.account(outcome.account), list(outcome.tried)).charged()
        paid = f"Charged to {outcome.account}: {'nothing' if charged == Budget(0) else charged}"
    except StoreError:
        paid = f"The account {outcome.account} cannot be asked now; load this page again to see what was charged"
    return f"{why[0].upper()}{why[1:]}; nothing was released. {paid}."


def found_of(session: Session, given: dict[str, str], kind: str) -> SpendOutcome:
    """What was released for a question; Refused if nothing was."""
    outcome = outcome_of(session, given, kind)
    if not outcome.text:
        raise Refused("of", UNKNOWN)
    return outcome


def standalone(page: str) -> Response:
    """A page with styles of its own, each allowed by its hash."""
    styles = {b64encode(sha256(each.encode()).digest()).decode() for each in STYLE_ELEMENT.findall(page)}
    allowed = " ".join(f"'sha256-{each}'" for each in sorted(styles))
    policy = f"default-src 'none'; style-src {allowed}; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def outcome_of(session: Session, given: dict[str, str], kind: str) -> SpendOutcome:
    """What came of a question; Refused if it was never asked, or by someone else."""
    outcome = session.kept.get(given.get("of", ""))
    if outcome is None or outcome.question.kind != kind or outcome.account not in session.accounts():
        raise Refused("of", UNKNOWN)
    return outcome


def releases_list(outcomes: Iterable[SpendOutcome]) -> str:
    """What was asked and released before, with links."""
    return f'<ul class="releases">{"".join(map(_listed, outcomes))}</ul>'


def _listed(outcome: SpendOutcome) -> str:
    title = outcome.title or ("failed" if outcome.failure else "not answered")
    said = f"{outcome.asked:%Y-%m-%d %H:%M} UTC · {outcome.source} · {outcome.cost} · {outcome.account}"
    place = f"/{outcome.question.kind}/released?of={outcome.question.key}"
    return f'<li><a href="{place}">{escape(title)}</a><small>{escape(said)}</small></li>'


def anew_form(session: Session, outcome: SpendOutcome) -> str:
    """A form that releases the same question once more, if the person says so."""
    again = session.kept.next_round(outcome.question)
    if session.number_of(again.table) is None:
        return f"<p class=note>The table {escape(outcome.source)} is not offered now, so this cannot be asked anew.</p>"
    sure = FormField(f"Release anew and charge {outcome.account} once more", "anew", "", flag=True, needed=True).html()
    return f"<h2>The same question again</h2><p class=note>{ONCE}</p>{spend_form(session, again, 'Release anew', sure)}"


def spend_form(session: Session, asked: Question, button: str, inside: str = "") -> str:
    """The button that spends; nothing but a sentence if this server is read-only."""
    if not session.spends:
        return "<p><strong>This server is read-only.</strong> Start it with <code>--spend</code> to release.</p>"
    sent = dict(asked.fields) | {"source": session.number_of(asked.table) or "", "round": str(asked.round)}
    sent |= {"token": spend_token(session, asked), "form_token": session.form_token}
    inside += f"<button>{escape(button)}</button>"
    return f'<form method="post" action="/{asked.kind}/spend">{hidden_fields(sent)}{inside}</form>'


def cost_facts(
    session: Session, given: dict[str, str], cost: Budget, protected: int, units: bool
) -> list[tuple[str, str, str]]:
    """What will be charged, what is left afterwards, and how many records δ may reveal."""
    name = given.get("account", "")
    remark = "there is no account to charge"
    if name in session.accounts():
        remaining = session.account(name).remaining
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
    if name not in session.accounts():  # what others released, and whether they did, is theirs
        return '<p>An account pays for a release; see <a href="/budgets">Budgets</a>.</p>'
    again = session.kept.next_round(asked)
    if again.round and (before := session.kept.get(replace(asked, round=again.round - 1).key)):
        return f"<p>This question was released before:</p>{releases_list([before])}{anew_form(session, before)}"
    if not cost <= session.account(name).remaining:
        return warning(f"The account {name} cannot pay for this. Ask for less, or choose another account.")
    return (
        _alike(session, asked) + spend_form(session, asked, f"Spend {cost} and release") + f"<p class=note>{ONCE}</p>"
    )


def _alike(session: Session, asked: Question) -> str:
    """Releases of the same question about another upload of the same name: their content is not compared."""
    name = session.source(session.number_of(asked.table) or "").name.rpartition(" (upload")[0]
    found = [each for each in session.outcomes() if each.question.like(asked) and each.source.startswith(f"{name} (")]
    if not (name and found):
        return ""
    return f"<p>The same was released about an earlier upload of {escape(name)}:</p>{releases_list(found)}"
