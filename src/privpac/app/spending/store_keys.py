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
class StoredCharge:
    """The charge of a question, and whether its release can be had again."""

    entry: Entry
    released: bool


def store_key(session: Session, question: Question) -> str:
    """The same for the same question to every server that shares the store."""
    text = json.dumps([question.key, session.machine(question.table)])
    return f"explore {sha256(text.encode()).hexdigest()[:32]}"


def next_round(session: Session, question: Question) -> Question:
    """The question in the first round that was neither charged nor released, here or by another server.

    A round that was asked and never charged is asked again: the store lets only one run charge its key.
    """
    account, question = paying_account(session, question), replace(question, round=0)
    while _released(session, question) or account.claimed(store_key(session, question)) is not None:
        question = replace(question, round=question.round + 1)
    return question


def _released(session: Session, question: Question) -> bool:
    outcome = session.outcome_store.get(question.key)
    return outcome is not None and bool(outcome.text)


def stored_charge(account: DurableAccount, key: str) -> StoredCharge | None:
    """What the account knows about the key of a question; None if it was never charged."""
    if account.claimed(key) is None:
        return None
    entry = next(each for each in account.history() if each.mechanism.endswith(f", once: {key}"))
    return StoredCharge(entry, account.result(key) is not None)


def paying_account(session: Session, question: Question) -> DurableAccount:
    """The account that the question names; Refused if it is someone else's."""
    return session.account(dict(question.fields).get("account", ""))
