"""A question as a key of the store: whoever asks the same of the same table finds its release, and pays nothing.

A folder of releases belongs to one server; the store belongs to all of them. A key is made from what is public about
the question: what was typed, the address of the table, and its number of records. No value of a record is in it, and
no name of a column but those that were typed, because the first line of a file may be a record.

proof: docs/proofs/once.md, Theorem 4
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256

from privpac.app.outcomes.outcome import Question
from privpac.app.session import Session
from privpac.privacy.certificate import Entry
from privpac.privacy.store.account import DurableAccount


@dataclass(frozen=True)
class Found:
    """The charge of a question, and whether its release can be had again."""

    entry: Entry
    released: bool


def store_key(session: Session, asked: Question) -> str:
    """The same for the same question to every server that shares the store."""
    whole = json.dumps([asked.key, session.machine(asked.table)])
    return f"explore {sha256(whole.encode()).hexdigest()[:32]}"


def next_round(session: Session, asked: Question) -> Question:
    """The question in the first round that was neither charged nor released, here or by another server.

    A round that was asked and never charged is asked again: the store lets only one run charge its key.
    """
    account, asked = paying_account(session, asked), replace(asked, round=0)
    while _released(session, asked) or account.claimed(store_key(session, asked)) is not None:
        asked = replace(asked, round=asked.round + 1)
    return asked


def _released(session: Session, asked: Question) -> bool:
    outcome = session.kept.get(asked.key)
    return outcome is not None and bool(outcome.text)


def found_in(account: DurableAccount, key: str) -> Found | None:
    """What the account knows about the key of a question; None if it was never charged."""
    if account.claimed(key) is None:
        return None
    entry = next(each for each in account.history() if each.mechanism.endswith(f", once: {key}"))
    return Found(entry, account.result(key) is not None)


def paying_account(session: Session, asked: Question) -> DurableAccount:
    """The account that the question names; Refused if it is someone else's."""
    return session.account(dict(asked.fields).get("account", ""))
