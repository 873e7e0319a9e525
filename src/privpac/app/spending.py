"""Spending: a question is charged once, however often it is asked.

The token of a question is made from the question itself, so a second click, the back button, and simultaneous requests
all find the first answer. To release anew, the round of the question goes up, and the person must say so.

Main declarations
    Question      what is asked of which table, at which price
    SpendOutcome  what was released and charged, or why it failed after a charge
    spend_once    releases and charges, unless the question was answered before
    Noted         an account that remembers what was charged
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from privpac.app.session import Session
from privpac.data.refusal import Refusal, Refused, retold
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import Account, BudgetExceeded

READ_ONLY = "this server is read-only, so nothing was charged or released; start it again with --spend"
CHANGED = "the table or the question has changed since the preview, so nothing was charged; look at the preview again"
NOT_ANEW = "this question was released before, so nothing was charged; tick the box to release it anew"


@dataclass(frozen=True)
class Question:
    """What is asked: the fields of a form, the number of records, and how often it was released before."""

    kind: str  # the page that asks
    fields: tuple[tuple[str, str], ...]
    n: int
    round: int = 0

    def token(self, session: Session) -> str:
        """The same for the same question; only this server can make it."""
        return session.signed(json.dumps([self.kind, self.fields, self.n, self.round]))

    def next_round(self, session: Session) -> Question:
        """The question in the first round that was not released yet."""
        asked = replace(self, round=0)
        while asked.token(session) in session.released:
            asked = replace(asked, round=asked.round + 1)
        return asked


@dataclass(frozen=True)
class Noted:
    """An account, with what was charged to it."""

    account: Account
    charged: list[Entry] = field(default_factory=list)

    @property
    def total(self) -> Budget:
        return self.account.total

    @property
    def spent(self) -> Budget:
        return self.account.spent

    def charge(self, entry: Entry) -> None:
        """Charge the account, and note it."""
        self.account.charge(entry)
        self.charged.append(entry)


@dataclass(frozen=True)
class SpendOutcome:
    """What was released and charged; ``failure`` says why nothing was released after a charge."""

    question: Question
    account: str
    charged: Budget
    found: Any = None
    failure: str = ""


def spend_once(
    session: Session,
    given: dict[str, str],
    question: Callable[[int], Question],
    release: Callable[[Noted], Any],
) -> str:
    """The token of the outcome; charges and releases unless it exists.

    ``question`` makes the question in a round, from the table as it is now.
    """
    if not session.spends:
        raise Refused("spend", READ_ONLY)
    number = int(said) if (said := given.get("round", "")).isdecimal() and len(said) < 6 else 0
    with session.lock:
        asked = question(number)
        token = asked.token(session)
        if token != given.get("token"):
            raise Refused("spend", CHANGED)
        if token in session.released:
            return token
        if asked != asked.next_round(session):
            raise Refused("spend", CHANGED)
        if number and given.get("anew") != "yes":
            raise Refused("anew", NOT_ANEW)
        session.released[token] = _outcome(session, given.get("account", ""), asked, release)
    return token


def _outcome(session: Session, name: str, asked: Question, release: Callable[[Noted], Any]) -> SpendOutcome:
    account = Noted(session.store.account(name))
    found, failure = None, ""
    try:
        found = release(account)
    except Exception as error:
        if not account.charged and isinstance(error, Refusal | BudgetExceeded):
            raise retold(error, "spend", after=["; nothing was charged"]) from None  # it may be asked again
        if not account.charged:
            raise
        failure = f"the release failed after a charge ({type(error).__name__}); nothing was released"
    total = sum((entry.cost for entry in account.charged), Budget(0))
    return SpendOutcome(asked, name, total, found, failure)
