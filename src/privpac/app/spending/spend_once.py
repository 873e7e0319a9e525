"""Spending: a question is charged once, however often it is asked.

The key of a question is made from the question itself, so a second click, the back button, and simultaneous requests
all find the first answer. A person who wants a new release must say so; the question then begins another *round*, which
is charged again. The store knows the question by a key, so other servers find the answer as well, and so does this
server after a crash.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from privpac.app.forms import FormValues
from privpac.app.outcomes.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.app.spending.store_keys import store_key, stored_charge
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry, today
from privpac.privacy.hold import hold
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount
from privpac.privacy.store.once import AlreadyCharged, Claim, Once
from privpac.privacy.store.tried_charges import WatchedAccount
from privpac.refusals.refusal import InOtherWords, Refusal, Refused, parts_of
from privpac.requests.paying import Unkept

READ_ONLY = "this server is read-only; start it again with --spend"
CHANGED = "the table or the question has changed since the preview; look at the preview again"
CHARGED_ELSEWHERE = (
    "this question was charged before, and its release cannot be shown here: the server that was charged is still at "
    "work, has died, or is another version of privpac. Nothing more was charged. Look at the preview again later, or "
    "release anew there"
)
NOT_ANEW = "this question was asked before; tick the box to release it anew"
UNCHARGED = "; nothing was charged"
ROUND_DIGITS = 5  # a longer number was not written by a page of this server, and counts as round 0


@dataclass(frozen=True)
class NewRelease:
    """A release. ``text`` is kept before ``report`` makes the page about it: if that fails, the text is not lost."""

    text: str
    title: str
    report: Callable[[], str]


@dataclass(frozen=True)
class NotedAccount(WatchedAccount):
    """An account that notes each charge before it makes it: if the server dies, the note names the charge."""

    note: Callable[[tuple[Entry, ...]], None] = lambda _: None
    who: str = ""

    def charge_once(self, entry: Entry, claim: Claim) -> None:
        """Note the entry on disk, then charge it under the key of the question."""
        signed = replace(entry, who=self.who or entry.who)
        self.note((*self.tried, signed))
        super().charge_once(signed, claim)


def spend_once(
    session: Session,
    values: FormValues,
    question_in: Callable[[int], Question],
    release: Callable[[Once], NewRelease],
) -> str:
    """Charge and release, unless the question was answered before; returns the key of the outcome.

    ``question_in`` makes the question in a round, from the table as it is now.
    """
    with session.lock:
        with uncharged():
            outcome, account = _outcome_and_account(session, values, question_in)
        if account is not None:
            _charge_and_release(session, outcome, account, release)
    return outcome.question.key


def _outcome_and_account(
    session: Session, values: FormValues, question_in: Callable[[int], Question]
) -> tuple[SpendOutcome, DurableAccount | None]:
    """The outcome, and the account to charge for it; None instead of the account if nothing may be charged any more."""
    if not session.spends:
        raise Refused("spend", READ_ONLY)
    text = values.get("round", "")
    round_number = int(text) if text.isdecimal() and len(text) <= ROUND_DIGITS else 0
    account = session.account(values.get("account", ""))  # refuses the accounts of other users before anything is shown
    question = question_in(round_number)
    if session.token_of(question.key) != values.get("token"):  # the token comes from the preview of this question
        raise Refused("spend", CHANGED)
    outcome, stored = session.outcome_store.get(question.key), stored_charge(account, store_key(session, question))
    if outcome is not None:
        if outcome.is_released or (stored is not None and not stored.released):
            return outcome, None
        # Nothing was charged, so the question is asked again; or the store has the release, which costs nothing.
        return replace(outcome, tried=() if stored is None else outcome.tried, failure=""), account
    if round_number and stored is None and values.get("anew") != "yes":
        raise Refused("anew", NOT_ANEW)
    outcome = SpendOutcome(question, account.name, session.source(values["source"]).name, today())
    session.outcome_store.begin(outcome)
    return outcome, account


def _charge_and_release(
    session: Session, outcome: SpendOutcome, account: DurableAccount, release: Callable[[Once], NewRelease]
) -> None:
    """Charge and release. Whatever happens, the outcome that is kept says what was charged."""
    outcomes, key = session.outcome_store, store_key(session, outcome.question)
    keys_in_store: list[str] = []  # receives the key if the store has the release already

    def note(tried: tuple[Entry, ...]) -> None:
        outcomes.note(replace(outcome, tried=tried))

    paying = NotedAccount.of(account, list(outcome.tried), keys_in_store.append, note=note, who=session.user)
    try:
        # The hold ends before the release is kept, because other pages show what is kept.
        with warnings.catch_warnings(), hold(session.hold_seconds):
            warnings.simplefilter("ignore", Unkept)  # if the store cannot keep the release, the folder still does
            released = release(paying.once(key))
    except Exception as error:
        _settle_failure(session, outcome, paying, error)
        return
    charged = replace(outcome, tried=tuple(paying.tried))
    charged = _with_stored_charge(outcome, account, key) if keys_in_store else charged
    complete = replace(charged, text=released.text, title=released.title, failure="")
    outcomes.note_anyway(complete)  # before the page about it is made
    try:
        report = released.report()
    except Exception as error:
        print(f"privpac explore: the page about a release failed with {type(error).__name__}", file=sys.stderr)
        return
    outcomes.note_anyway(replace(complete, report=report))


def _with_stored_charge(outcome: SpendOutcome, account: DurableAccount, key: str) -> SpendOutcome:
    """The outcome with the charge that was made for it before, if the account can be read."""
    with suppress(StoreError):
        if (stored := stored_charge(account, key)) is not None:
            return replace(outcome, day=stored.entry.time, tried=(stored.entry,))
    return outcome


def _settle_failure(session: Session, outcome: SpendOutcome, paying: NotedAccount, error: Exception) -> None:
    """Raise the error if the account says that nothing was charged; otherwise keep what happened."""
    tried, kind = tuple(paying.tried), type(error).__name__
    try:
        is_free = paying.charged() == Budget(0)
    except StoreError:
        failure = f"the connection to the accounts was lost ({kind})"
        session.outcome_store.note_anyway(replace(outcome, tried=tried, failure=failure))
        return
    if not is_free:
        failure = f"the release failed after a charge ({kind})"
        session.outcome_store.note_anyway(replace(outcome, tried=tried, failure=failure))
        return
    session.outcome_store.forget(outcome.question.key)  # it may be asked again
    if isinstance(error, AlreadyCharged):
        raise Refused("spend", CHARGED_ELSEWHERE)
    with uncharged():
        if isinstance(error, Refusal | BudgetExceeded | OSError):
            raise error
        raise Refused("spend", f"the release failed ({kind})")


def uncharged() -> InOtherWords:
    """A context for what happens before any charge. It adds to each refusal that nothing was charged."""
    return InOtherWords(_nothing_charged, (OSError, Refusal, BudgetExceeded))


def _nothing_charged(error: Exception) -> Refused:
    if not isinstance(error, OSError):
        return Refused("spend", *parts_of(error), UNCHARGED)
    sentence = f"{error.filename} cannot be used: {error.strerror}" if error.filename else str(error)
    return Refused("spend", f"{sentence.removesuffix(UNCHARGED)}{UNCHARGED}")
