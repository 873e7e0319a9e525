"""A question as a key of the store: whoever repeats it about the same table gets the same release, and pays nothing.

A folder of releases belongs to one server, while several servers may share a store. A key is made from what is public
about the question: what people typed, the address of the table, and its number of records. It contains no value of a
record, and only those names of columns that people typed, because the first line of a file may be a record.

proof: docs/proofs/once.md, Theorem 4
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256

from privpac.app.outcomes.outcome import Question
from privpac.app.session import Session
from privpac.privacy.certificate import Entry
from privpac.privacy.store.durable_account import DurableAccount


@dataclass(frozen=True)
class StoredCharge:
    """The charge for a question, and whether the store still has the release."""

    entry: Entry
    released: bool


def store_key(session: Session, question: Question) -> str:
    """The key of the question, the same on every server that shares the store."""
    text = json.dumps([question.key, session.machine(question.table)])
    return f"explore {sha256(text.encode()).hexdigest()[:32]}"


def next_round(session: Session, question: Question) -> Question:
    """The question in the first round that no server has charged or released.

    A round that was asked but never charged is used again: the store lets only one run charge its key.
    """
    account, question = paying_account(session, question), replace(question, round=0)
    while _is_released(session, question) or account.claim_on(store_key(session, question)) is not None:
        question = replace(question, round=question.round + 1)
    return question


def _is_released(session: Session, question: Question) -> bool:
    outcome = session.outcome_store.get(question.key)
    return outcome is not None and outcome.is_released


def stored_charge(account: DurableAccount, key: str) -> StoredCharge | None:
    """The charge that the account has for the key of a question; None if there is none."""
    if account.claim_on(key) is None:
        return None
    entry = next(entry for entry in account.history() if entry.mechanism.endswith(f", once: {key}"))
    return StoredCharge(entry, account.result(key) is not None)


def paying_account(session: Session, question: Question) -> DurableAccount:
    """The account that the question names; Refused if it is someone else's."""
    return session.account(dict(question.fields).get("account", ""))
