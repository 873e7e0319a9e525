"""The page of budgets: what each account allows, what was spent, who asked for what, and what is left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from privpac.app.forms import FormField, FormValues
from privpac.app.markup import render
from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.refusals import result_or_refusal
from privpac.app.session import Session
from privpac.app.spending.prices import Fact
from privpac.app.spending.store_keys import store_key
from privpac.privacy.accounting.delta import LARGE
from privpac.privacy.certificate import RECORDS, Entry
from privpac.privacy.store.durable_account import DurableAccount
from privpac.report.numbers import grouped, ungrouped

EXPLORER_KEY = re.compile(", once: explore ([0-9a-f]{8})[0-9a-f]*$")  # the key of a charge by an explorer
LATEST = 200  # the most charges that the page shows
RECORDS_HINT = "How many records the account protects, to see how many δ may reveal (δ·n)."
OutcomesByKey = Mapping[str, SpendOutcome]


@dataclass(frozen=True)
class AccountSummary:
    """An account on the page."""

    name: str
    facts: list[Fact]
    share: float  # the share of ε that is spent
    charges: list[list[str]]
    earlier: str  # the number of earlier charges, which are not shown; "" if there are none


def budgets_page(session: Session, values: FormValues) -> str:
    """Every account of the store, or one of them."""
    result = result_or_refusal(lambda: _result(session, values), ())
    return render("budgets.html", mode=session.mode, store=str(session.store), **result)


def _result(session: Session, values: FormValues) -> dict[str, object]:
    names = session.accounts()
    shown_names = [values["account"]] if values.get("account") in names else names
    n = _records(values.get("n", ""))
    outcomes = [outcome for outcome in session.outcomes() if outcome.account in shown_names]
    by_key = {store_key(session, outcome.question): outcome for outcome in outcomes if outcome.title}
    accounts = {"": "all"} | {name: name for name in names}
    fields = [
        FormField("Account", "account", values.get("account", ""), "", accounts),
        FormField("Records n", "n", values.get("n", ""), RECORDS_HINT),
    ]
    return {
        "fields": fields if names else [],
        "outcomes": outcomes[:LATEST],
        "damaged": session.outcome_store.damaged() if session.user == "" else [],
        "folder": session.outcome_store.folder,
        "accounts": [_summary(session.account(name), n, by_key) for name in shown_names],
    }


def _records(text: str) -> int | None:
    plain = ungrouped(text)
    return int(plain) if plain.isdecimal() and len(plain) < 16 else None


def _summary(account: DurableAccount, n: int | None, by_key: OutcomesByKey) -> AccountSummary:
    history, spent = account.history(), account.spent
    share = float(spent.epsilon / account.total.epsilon) if account.total.epsilon else 1.0
    charges = f"{grouped(len(history))} charge{'s' * (len(history) != 1)}"
    facts = [
        ("Allowed", str(account.total), _protection(account.unit)),
        ("Spent", str(spent), f"{100 * share:.3g} % of ε, in {charges}"),
        ("Left", str(account.total - spent), ""),
    ]
    if n is not None:
        exposed = spent.delta * n
        meaning = "records that δ allows to be revealed outright, on average"
        remark = "above 0.1: too many" if exposed > LARGE else meaning
        facts.append(("Spent δ·n", f"{float(exposed):.3g}", f"{remark}; n = {grouped(n)}"))
    rows = [_row(entry, by_key) for entry in history[::-1][:LATEST]]
    earlier = grouped(len(history) - LATEST) if len(history) > LATEST else ""
    return AccountSummary(account.name, facts, share, rows, earlier)


def _protection(unit: str | None) -> str:
    """Whom all charges to an account protect."""
    if unit is None:
        return "fixed; the first charge decides whom it protects"
    return "fixed, for each record" if unit == RECORDS else f"fixed, for each {unit} as a whole"


def _row(entry: Entry, by_key: OutcomesByKey) -> list[str]:
    day, coins = f"{entry.time:%Y-%m-%d}", "yes" if entry.private else "NO: a seed"
    return [day, entry.who, _purpose(entry.mechanism, by_key), str(entry.cost), entry.theorem, coins]


def _purpose(mechanism: str, by_key: OutcomesByKey) -> str:
    """What a charge was for: the question, if this server still has its release; otherwise the mechanism."""
    name, _, key = mechanism.partition(", once: ")
    if (outcome := by_key.get(key)) is not None:
        return f"{outcome.title} · {outcome.source} · {name}"
    return EXPLORER_KEY.sub(r", in the explorer (\1)", mechanism)
