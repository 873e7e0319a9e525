"""The parts of pages that spend: what a preview says about the cost, the button, and what was released."""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from html import escape

from starlette.responses import Response

from privpac.app.markup import FormField, hidden_fields, html_table, page_frame, unstyled, warning, whole
from privpac.app.outcomes.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.app.spending.spend_once import spend_token
from privpac.app.spending.store_keys import found_in, next_round, paying_account, store_key
from privpac.privacy.budget import Budget, as_rational
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.tried_charges import Watched
from privpac.refusals.refusal import Refused
from privpac.report.numbers import grouped
from privpac.report.pages.frame import body_of

ONCE = "Charged once: sending this again, going back, or a second click shows the same release and costs nothing."
SAME_STORE = "The account keeps the release for everyone who may charge it."
NO_RELEASE = (
    "It has no release. If the server that was charged is still at work, load this page again later. If it died, its "
    "charge is lost: nobody may toss coins twice for one charge."
)
AGAIN = "Nothing has been charged for this question, so you can simply ask it again."
UNKNOWN = "nothing was released for this question; ask it again"
NO_PAGE = "The page about this release is missing. The release itself is in the files above."
USUAL = ("0.1", "0.5", "1", "3")  # ε that people compare
Promise = tuple[Budget, str]  # what an ε costs, and what it promises in words
LARGEST_FACTOR = 6  # of ε, whose factor is written as a number
STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def released_page(session: Session, given: dict[str, str], kind: str, files: Mapping[str, str]) -> str:
    """The report about what was released; ``files`` to keep are names and what they are called on the page."""
    outcome, place = outcome_of(session, given, kind), f"/{kind}"
    if not outcome.text:
        told = warning(_what_failed(session, outcome)) + _asked_before(session, outcome.question, outcome.source)
        return page_frame("Failed", "", told, place, mode=session.mode)
    of = escape(given["of"])
    there = {name: said for name, said in files.items() if outcome.report or name != "report.html"}
    links = " · ".join(f'<a href="{place}/{each}?of={of}" download="{each}">{said}</a>' for each, said in there.items())
    paid = f"{outcome.cost} on {outcome.asked:%Y-%m-%d} (UTC). Table: {outcome.source}."
    body = f"<p>Charged to {escape(outcome.account)}: {whole(paid)}</p><p>{links}</p>"
    if outcome.unkept:
        lost = f"The release is only in the memory of this server ({outcome.unkept}). Keep the files above."
        body += warning(lost)
    if outcome.report:
        body += f'<div class="released">{unstyled(body_of(outcome.report))}</div>'
    else:
        body += f"<h1>Released</h1>{warning(NO_PAGE)}"
    body += anew_form(session, outcome.question, outcome.source)
    return page_frame("Released", "", body, place, mode=session.mode, headed=True)


def _what_failed(session: Session, outcome: SpendOutcome) -> str:
    """Why nothing was released here, and what was charged, by whichever server, as the account itself says now."""
    why = outcome.failure or "the server stopped before it was answered, or is still at work"
    found = None
    try:
        account = session.account(outcome.account)
        charged = Watched(account, list(outcome.tried)).charged()
        if (found := found_in(account, store_key(session, outcome.question))) is not None:
            charged = found.entry.cost
        paid = f"Charged to {outcome.account}: {'nothing' if charged == Budget(0) else charged}"
    except StoreError:
        paid = f"The account {outcome.account} cannot be asked now; load this page again to see what was charged"
    nothing = "" if found is not None and found.released else "; nothing was released"
    return f"{why[0].upper()}{why[1:]}{nothing}. {paid}."


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
    cost = f" · {outcome.cost}" if outcome.text else ""  # otherwise only the account knows; the page asks it
    said = f"{outcome.asked:%Y-%m-%d} · {outcome.source}{cost} · {outcome.account}"
    place = f"/{outcome.question.kind}/released?of={outcome.question.key}"
    return f'<li><a href="{place}">{escape(title)}</a><small>{whole(said)}</small></li>'


def anew_form(session: Session, asked: Question, source: str) -> str:
    """A form that releases the same question about the table ``source`` once more, if the person says so."""
    if session.number_of(asked.table) is None:
        return f"<p class=note>The table {escape(source)} is not offered now, so this cannot be asked anew.</p>"
    again, name = next_round(session, asked), paying_account(session, asked).name
    sure = FormField(f"Release anew and charge {name} once more", "anew", "", flag=True, needed=True).html()
    return f"<h2>The same question again</h2><p class=note>{ONCE}</p>{spend_form(session, again, 'Release anew', sure)}"


def _asked_before(session: Session, asked: Question, source: str) -> str:
    """What the store knows about a question whose release is not in the folder, and a form to release anew."""
    found = found_in(paying_account(session, asked), store_key(session, asked))
    anew = anew_form(session, asked, source)
    if session.number_of(asked.table) is None:
        return anew
    if found is None:
        return f"<p>{AGAIN}</p>{spend_form(session, asked, 'Ask again, and release')}"
    charged = f"{found.entry.cost} on {found.entry.time:%Y-%m-%d}, by {found.entry.who}"
    if not found.released:
        return warning(f"This question was charged before ({charged}). {NO_RELEASE}") + anew
    told = f"<p>This question about {escape(source)} was released before ({whole(charged)}). {SAME_STORE}</p>"
    return told + spend_form(session, asked, "Show the release, for nothing") + anew


def spend_form(session: Session, asked: Question, button: str, inside: str = "") -> str:
    """The button that spends; nothing but a sentence if this server is read-only."""
    if not session.spends:
        return "<p><strong>This server is read-only.</strong> Start it with <code>--spend</code> to release.</p>"
    sent = dict(asked.fields) | {"source": session.number_of(asked.table) or "", "round": str(asked.round)}
    sent |= {"token": spend_token(session, asked), "form_token": session.form_token}
    inside += f"<button>{whole(button)}</button>"
    return f'<form method="post" action="/{asked.kind}/spend">{hidden_fields(sent)}{inside}</form>'


def cost_facts(
    session: Session, given: dict[str, str], cost: Budget, protected: int, units: bool
) -> list[tuple[str, str, str]]:
    """What will be charged, what is left afterwards, what that promises, and how many records δ may reveal."""
    name = given.get("account", "")
    remark = "there is no account to charge"
    if name in session.accounts():
        remaining = session.account(name).remaining
        remark = f"{name}: {remaining - cost} left afterwards" if cost <= remaining else f"{name} has only {remaining}"
    what = "unit" if units else "record"
    exposed = f", up to δ; δ·n = {float(cost.delta * protected):.3g}" if cost.delta else ""
    promised = f"with any one {what} replaced, every result stays as likely within a factor of {factor(cost)}{exposed}"
    return [("A release costs", str(cost), remark), (f"{what.capitalize()}s", grouped(protected), promised)]


def other_prices(session: Session, given: dict[str, str], title: str, told: Callable[[str], Promise]) -> str:
    """What other ε would promise, and what they would leave in the account: before anything is spent."""
    chosen = given.get("epsilon", "1").strip()
    name = given.get("account", "")
    remaining = session.account(name).remaining if name in session.accounts() else None
    rows = []
    for ε in sorted({*USUAL, chosen}, key=lambda said: as_rational(said, "epsilon")):
        try:
            cost, promise = told(ε)
        except ValueError:  # such as an ε that is too small for anything
            continue
        left = "" if remaining is None else str(remaining - cost) if cost <= remaining else "too little"
        rows.append([f"{ε} (this one)" if ε == chosen else ε, promise, left])
    if not any(promise for _, promise, _ in rows):
        return ""
    head = ["ε", title, f"{name} has left" if remaining is not None else ""]
    return html_table(head, rows, "What another ε would give")


def factor(cost: Budget) -> str:
    """By how much one record changes the probability of a result at most: e^ε.

    >>> factor(Budget(1)), factor(Budget("0.1")), factor(Budget(20))
    ('2.72', '1.11', 'e^20')
    """
    ε = float(cost.epsilon)
    return f"{math.exp(ε):.3g}" if ε <= LARGEST_FACTOR else f"e^{ε:g}"


def spend_or_show(session: Session, given: dict[str, str], asked: Question, cost: Budget) -> str:
    """The button that spends, or what was released for this question before."""
    name = given.get("account", "")
    if name not in session.accounts():  # what others released, and whether they did, is theirs
        return '<p>An account pays for a release; see <a href="/budgets">Budgets</a>.</p>'
    if (again := next_round(session, asked)).round:
        return _before(session, replace(asked, round=again.round - 1))
    if not cost <= session.account(name).remaining:
        return warning(f"The account {name} cannot pay for this. Ask for less, or choose another account.")
    unanswered = f"<p>It was asked before, and not answered. {AGAIN}</p>" if session.kept.get(asked.key) else ""
    spends = spend_form(session, asked, f"Spend {cost} and release")
    return f"{_alike(session, asked)}{unanswered}{spends}<p class=note>{ONCE}</p>"


def _before(session: Session, asked: Question) -> str:
    """A question that was asked before, here or at another server with the same store."""
    outcome = session.kept.get(asked.key)
    source = session.source(session.number_of(asked.table) or "").name
    if outcome is None:
        return _asked_before(session, asked, source)
    listed = f"<p>This question was {'released' if outcome.text else 'asked'} before:</p>{releases_list([outcome])}"
    return listed + (anew_form if outcome.text else _asked_before)(session, asked, source)


def _alike(session: Session, asked: Question) -> str:
    """Releases of the same question about another upload of the same name: their content is not compared."""
    name = session.source(session.number_of(asked.table) or "").name.rpartition(" (upload")[0]
    found = [each for each in session.outcomes() if each.question.like(asked) and each.source.startswith(f"{name} (")]
    if not (name and found):
        return ""
    return f"<p>The same was released about an earlier upload of {escape(name)}:</p>{releases_list(found)}"
