"""Spending: a question is charged once, however often it is asked.

The key of a question is made from the question itself, so a second click, the back button, and simultaneous requests
all find the first answer. To release anew, the round of the question goes up, and the person must say so. The store
knows the question by a key, so other servers find the answer as well, and so does this one if it died in between.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from privpac.app.outcomes.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.app.spending.store_keys import found_in, store_key
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry, today
from privpac.privacy.hold import hold
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.account import DurableAccount
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.keys import AlreadyCharged, Claim, Once
from privpac.privacy.store.tried_charges import Watched
from privpac.refusals.refusal import InOtherWords, Refusal, Refused, parts_of
from privpac.requests.paying import Unkept

READ_ONLY = "this server is read-only; start it again with --spend"
CHANGED = "the table or the question has changed since the preview; look at the preview again"
ELSEWHERE = (
    "this question was charged before, and its release cannot be shown here: the server that was charged is still at "
    "work, has died, or is another version of privpac. Nothing more was charged. Look at the preview again later, or "
    "release anew there"
)
NOT_ANEW = "this question was asked before; tick the box to release it anew"
UNCHARGED = "; nothing was charged"


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

    def claim(self, entry: Entry, claim: Claim) -> None:
        """Note the entry on disk, then charge it under the key of the question."""
        signed = replace(entry, who=self.who or entry.who)
        self.note((*self.tried, signed))
        super().claim(signed, claim)


def spend_token(session: Session, asked: Question) -> str:
    """The same for the same question while this server runs."""
    return session.signed(asked.key)


def spend_once(
    session: Session,
    given: dict[str, str],
    question: Callable[[int], Question],
    release: Callable[[Once], JustReleased],
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
    """The outcome and the account to ask for it; no account if the outcome is complete."""
    if not session.spends:
        raise Refused("spend", READ_ONLY)
    number = int(said) if (said := given.get("round", "")).isdecimal() and len(said) < 6 else 0
    account = session.account(given.get("account", ""))  # before anything is found that someone else released
    asked, kept = question(number), session.kept
    if spend_token(session, asked) != given.get("token"):
        raise Refused("spend", CHANGED)
    before, elsewhere = kept.get(asked.key), found_in(account, store_key(session, asked))
    if before is not None:
        if before.text or (elsewhere is not None and not elsewhere.released):
            return before, None
        return replace(before, tried=() if elsewhere is None else before.tried, failure=""), account
    if number and elsewhere is None and given.get("anew") != "yes":
        raise Refused("anew", NOT_ANEW)
    begun = SpendOutcome(asked, account.name, session.source(given["source"]).name, today())
    kept.begin(begun)
    return begun, account


def _released(
    session: Session, begun: SpendOutcome, account: DurableAccount, release: Callable[[Once], JustReleased]
) -> None:
    """Charge and release; whatever happens, what is kept says what was charged."""
    kept, key = session.kept, store_key(session, begun.question)
    elsewhere: list[str] = []  # the key, if the store knew the release
    paying = Paying(
        *(account, list(begun.tried), elsewhere.append),
        note=lambda tried: kept.note(replace(begun, tried=tried)),
        who=session.user,
    )
    try:
        with warnings.catch_warnings(), hold(session.held):  # other pages show what is kept
            warnings.simplefilter("ignore", Unkept)  # the folder keeps it as well
            found = release(paying.once(key))
    except Exception as error:
        _unreleased(session, begun, paying, error)
        return
    begun = _charged_before(begun, account, key) if elsewhere else replace(begun, tried=tuple(paying.tried))
    done = replace(begun, text=found.text, title=found.title, failure="")
    kept.note_anyway(done)  # before the page about it is made
    try:
        report = found.report()
    except Exception as error:
        print(f"privpac explore: the page about a release failed with {type(error).__name__}", file=sys.stderr)
        return
    kept.note_anyway(replace(done, report=report))


def _charged_before(begun: SpendOutcome, account: DurableAccount, key: str) -> SpendOutcome:
    """The outcome with the charge that was made for it before, if the account still answers."""
    with suppress(StoreError):
        if (found := found_in(account, key)) is not None:
            return replace(begun, asked=found.entry.time, tried=(found.entry,))
    return begun


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
    if isinstance(error, AlreadyCharged):
        raise Refused("spend", ELSEWHERE)
    with uncharged():
        if isinstance(error, Refusal | BudgetExceeded | OSError):
            raise error
        raise Refused("spend", f"the release failed ({kind})")


def uncharged() -> InOtherWords:
    """A block before any charge: whatever it refuses, it adds that nothing was charged."""
    return InOtherWords(_nothing_charged, (OSError, Refusal, BudgetExceeded))


def _nothing_charged(error: Exception) -> Refused:
    if not isinstance(error, OSError):
        return Refused("spend", *parts_of(error), UNCHARGED)
    said = f"{error.filename} cannot be used: {error.strerror}" if error.filename else str(error)
    return Refused("spend", f"{said.removesuffix(UNCHARGED)}{UNCHARGED}")
