"""The page of budgets: what each account allows, what was spent, who asked for what, and what is left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from privpac.app.markup import FormField, columns, facts, html_table, live_form, page_frame, warning
from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.refusals import EXPECTED, for_the_page
from privpac.app.session import Session
from privpac.app.spending.pages import releases_list
from privpac.app.spending.store_keys import store_key
from privpac.privacy.accounting.delta import LARGE
from privpac.privacy.certificate import RECORDS, Entry
from privpac.privacy.store.account import DurableAccount
from privpac.report.numbers import grouped, ungrouped

ASKED_HERE = re.compile(", once: explore ([0-9a-f]{8})[0-9a-f]*$")  # a key of an explorer, not of a job
LATEST = 200  # charges that are shown
NONE = "privpac budget create NAME --epsilon 3 --store {store}"
CREATE = "<p>There are no accounts yet. A privacy officer creates one, whose total can never be changed:</p>"


def budgets_page(session: Session, given: dict[str, str]) -> str:
    """Every account of the store, or one of them."""
    about = f"Read from {session.store}. This page changes nothing."
    try:
        names = session.accounts()
        shown = [given["account"]] if given.get("account") in names else names
        n = _records(given.get("n", ""))
        outcomes = [each for each in session.outcomes() if each.account in shown]
        asked_here = {store_key(session, each.question): each for each in outcomes if each.title}
        found = _kept(session, outcomes) + "".join(_account(session.account(name), n, asked_here) for name in shown)
    except EXPECTED as error:
        return page_frame("Budgets", about, warning(for_the_page(error)), "/budgets", mode=session.mode)
    if not names:
        found = f"{CREATE}<pre>{escape(NONE.format(store=session.store))}</pre>"
        return page_frame("Budgets", about, found, "/budgets", mode=session.mode)
    every = {"": "all"} | {name: name for name in names}
    asked = [
        FormField("Account", "account", given.get("account", ""), "", every),
        FormField(
            "Records n",
            "n",
            given.get("n", ""),
            "How many records the account protects, to see how many δ may reveal (δ·n).",
        ),
    ]
    body = columns(live_form("/budgets", asked, "Show"), found)
    return page_frame("Budgets", about, body, "/budgets", mode=session.mode)


def _kept(session: Session, outcomes: list[SpendOutcome]) -> str:
    """What was released at the expense of these accounts, and is still here."""
    damaged = session.kept.damaged() if session.user == "" else []
    listed = f"<h2>Releases</h2>{releases_list(outcomes[:LATEST])}" if outcomes else ""
    bad = warning(f"These files of {session.kept.folder} cannot be read: {', '.join(damaged)}.") if damaged else ""
    return listed + bad


def _records(text: str) -> int | None:
    plain = ungrouped(text)
    return int(plain) if plain.isdecimal() and len(plain) < 16 else None


def _account(account: DurableAccount, n: int | None, asked_here: Mapping[str, SpendOutcome]) -> str:
    history = account.history()
    spent = account.spent
    share = float(spent.epsilon / account.total.epsilon) if account.total.epsilon else 1.0
    told = [
        ("Allowed", str(account.total), _protects(account.unit)),
        (
            "Spent",
            str(spent),
            f"{100 * share:.3g} % of ε, in {grouped(len(history))} charge{'s' * (len(history) != 1)}",
        ),
        ("Left", str(account.total - spent), ""),
    ]
    if n is not None:
        exposed = spent.delta * n
        remark = (
            "above 0.1: too many" if exposed > LARGE else "records that δ allows to be revealed outright, on average"
        )
        told.append(("Spent δ·n", f"{float(exposed):.3g}", f"{remark}; n = {grouped(n)}"))
    bar = f'<progress max="1" value="{share:.4f}" aria-label="Share of ε that is spent">{100 * share:.3g} %</progress>'
    latest = history[::-1][:LATEST]
    rows = [_row(entry, asked_here) for entry in latest]
    head = ["day (UTC)", "who", "what", "cost", "theorem", "private coins"]
    more = f"<p class=note>{grouped(len(history) - LATEST)} earlier charges are not shown.</p>" * (
        len(history) > LATEST
    )
    listed = (
        html_table(head, rows, f"Charges to {account.name}, latest first") if rows else "<p>Nothing was charged.</p>"
    )
    return f'<section class="account"><h2>{escape(account.name)}</h2>{facts(*told)}{bar}{listed}{more}</section>'


def _protects(unit: str | None) -> str:
    """Whom all charges to an account protect."""
    if unit is None:
        return "fixed; the first charge decides whom it protects"
    return "fixed, for each record" if unit == RECORDS else f"fixed, for each {unit} as a whole"


def _row(entry: Entry, asked_here: Mapping[str, SpendOutcome]) -> list[str]:
    when, coins = f"{entry.time:%Y-%m-%d}", "yes" if entry.private else "NO: a seed"
    return [when, entry.who, _what(entry.mechanism, asked_here), str(entry.cost), entry.theorem, coins]


def _what(mechanism: str, asked_here: Mapping[str, SpendOutcome]) -> str:
    """What a charge was for: the question, if it was asked here and its release is still here."""
    name, _, key = mechanism.partition(", once: ")
    if (outcome := asked_here.get(key)) is not None:
        return f"{outcome.title} · {outcome.source} · {name}"
    return ASKED_HERE.sub(r", in the explorer (\1)", mechanism)
