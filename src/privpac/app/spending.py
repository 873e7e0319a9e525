"""Spending: a question is charged once, however often it is asked.

The key of a question is made from the question itself, so a second click, the back button, and simultaneous requests
all find the first answer. To release anew, the round of the question goes up, and the person must say so.

Main declarations
    spend_once       releases and charges, unless the question was answered before
    spend_token      what the form of a question holds; only this server can make it
    JustReleased     what a page releases: a text to keep, its title, and how to make the page about it
    uncharged        a block before any charge, whose refusals say so
    Paying           an account whose charges are noted on disk before they are made
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from privpac.app.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.data.refusal import Refusal, Refused, parts_of
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.database import StoreError
from privpac.privacy.durable_account import DurableAccount
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.watched import Watched

READ_ONLY = "this server is read-only; start it again with --spend"
CHANGED = "the table or the question has changed since the preview; look at the preview again"
NOT_ANEW = "this question was released before; tick the box to release it anew"


@dataclass(frozen=True)
class JustReleased:
    """The text to keep comes first: should the page about it fail, the text is not lost."""

    text: str
    title: str
    report: Callable[[], str]


@dataclass(frozen=True)
class Paying(Watched):
    """Should the server die, the note says which charges to look for."""

    note: Callable[[tuple[Entry, ...]], None] = lambda _: None
    who: str = ""

    def charge(self, entry: Entry) -> None:
        """Note the entry on disk, then charge it."""
        signed = replace(entry, who=self.who or entry.who)
        self.note((*self.tried, signed))
        super().charge(signed)


def spend_token(session: Session, asked: Question) -> str:
    """The same for the same question while this server runs."""
    return session.signed(asked.key)


def spend_once(
    session: Session,
    given: dict[str, str],
    question: Callable[[int], Question],
    release: Callable[[Paying], JustReleased],
) -> str:
    """The key of the outcome; charges and releases unless it exists.

    ``question`` makes the question in a round, from the table as it is now.
    """
    with session.lock:
        with uncharged():
            begun, account = _begun(session, given, question)
        if account is not None:
            _released(session, begun, account, release)
    return begun.question.key


def _begun(
    session: Session, given: dict[str, str], question: Callable[[int], Question]
) -> tuple[SpendOutcome, DurableAccount | None]:
    """The outcome and the account to charge; no account if the question was asked before."""
    if not session.spends:
        raise Refused("spend", READ_ONLY)
    number = int(said) if (said := given.get("round", "")).isdecimal() and len(said) < 6 else 0
    asked, kept = question(number), session.kept
    if spend_token(session, asked) != given.get("token"):
        raise Refused("spend", CHANGED)
    account = session.account(given.get("account", ""))  # before anything is found that someone else released
    if (before := kept.get(asked.key)) is not None:
        return before, None
    if number and given.get("anew") != "yes":
        raise Refused("anew", NOT_ANEW)
    begun = SpendOutcome(asked, account.name, session.source(given["source"]).name, datetime.now(UTC))
    kept.begin(begun)
    return begun, account


def _released(
    session: Session, begun: SpendOutcome, account: DurableAccount, release: Callable[[Paying], JustReleased]
) -> None:
    """Charge and release; whatever happens, what is kept says what was charged."""
    kept = session.kept
    paying = Paying(account, note=lambda tried: kept.note(replace(begun, tried=tried)), who=session.user)
    try:
        found = release(paying)
    except Exception as error:
        _unreleased(session, begun, paying, error)
        return
    done = replace(begun, tried=tuple(paying.tried), text=found.text, title=found.title)
    kept.note_anyway(done)  # before the page about it is made
    try:
        report = found.report()
    except Exception as error:
        print(f"privpac explore: the page about a release failed with {type(error).__name__}", file=sys.stderr)
        return
    kept.note_anyway(replace(done, report=report))


def _unreleased(session: Session, begun: SpendOutcome, paying: Paying, error: Exception) -> None:
    """Raise the error if the account says that nothing was charged; otherwise keep what happened."""
    tried, kind = tuple(paying.tried), type(error).__name__
    try:
        nothing = paying.charged() == Budget(0)
    except StoreError:
        session.kept.note_anyway(
            replace(begun, tried=tried, failure=f"the connection to the accounts was lost ({kind})")
        )
        return
    if not nothing:
        session.kept.note_anyway(replace(begun, tried=tried, failure=f"the release failed after a charge ({kind})"))
        return
    session.kept.forget(begun.question.key)  # it may be asked again
    with uncharged():
        if isinstance(error, Refusal | BudgetExceeded | OSError):
            raise error
        raise Refused("spend", f"the release failed ({kind})")


@contextmanager
def uncharged() -> Iterator[None]:
    """A block before any charge: whatever it refuses, it adds that nothing was charged."""
    try:
        yield
    except OSError as error:
        said = f"{error.filename} cannot be used: {error.strerror}" if error.filename else str(error)
        raise Refused("spend", f"{said}; nothing was charged") from None
    except (Refusal, BudgetExceeded) as error:
        raise Refused("spend", *parts_of(error), "; nothing was charged") from None
