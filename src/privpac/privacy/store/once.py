"""Keys: a job that runs again is charged once and released once.

A key names one question on one account. Its first run charges the whole cost and keeps what it released; every later
run gets the very same release. No run ever tosses coins under a charge that another run made: two releases for one
price would break the promise. So a key whose run died after its charge is refused from then on.

proof: docs/proofs/once.md
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import Account, spent_after
from privpac.refusals.refusal import Refused, RefusedType

THEOREM = "composition, Theorem 1"  # the whole cost covers all releases of a run
LONGEST = 200  # characters of a key
PAUSE = 0.05  # seconds before the store is asked again


class AlreadyCharged(Refused):
    """The key was charged before, and this run must not toss coins under it; nothing was charged now."""


@dataclass(frozen=True)
class Claim:
    """A claim on a key: the question that it pays for, as public names and values, and a random name of the run."""

    key: str
    question: tuple[tuple[str, str], ...]
    run: str = field(default_factory=lambda: SYSTEM.octets(16).hex())

    def differs(self, other: Claim) -> str | None:
        """The name of the first part of the question that differs; None if both claims ask the same question."""
        own, others = dict(self.question), dict(other.question)
        return next((name for name in {**own, **others} if own.get(name) != others.get(name)), None)


class KeyedAccount(Account, Protocol):
    """An account with keys, such as one of a ``BudgetStore``."""

    @property
    def patience(self) -> float: ...
    def charge_once(self, entry: Entry, claim: Claim) -> None:
        """Charge ``entry`` and record the claim, both or neither; AlreadyCharged if the key was claimed before."""

    def claim_on(self, key: str) -> Claim | None: ...
    def result(self, key: str) -> str | None: ...
    def keep(self, key: str, released: str) -> None: ...


@dataclass(frozen=True)
class Once:
    """A key on an account. Every run with this key and this question gets the same release, which is charged once."""

    account: KeyedAccount
    key: str

    def __post_init__(self) -> None:
        if not isinstance(self.key, str):
            raise RefusedType("once", f"a key must be text, such as 'night of May 3', not {type(self.key).__name__}")
        if not (self.key.strip() and self.key.isprintable() and len(self.key) <= LONGEST):
            raise Refused("once", f"a key must be printable, not blank, and at most {LONGEST} characters long")

    def released(self, claim: Claim) -> str | None:
        """What was released under the key, once the run that claimed it is done; None if the key is free."""
        earlier = self.account.claim_on(self.key)
        if earlier is None:
            return None
        if (name := claim.differs(earlier)) is not None:
            is_plural = name.endswith("s") and not name.endswith("ss")  # "other weights", but "another class"
            part = f"{'other' if is_plural else 'another'} {name}"
            charged = f"the key {self.key!r} was charged for another question, with {part}"
            raise AlreadyCharged("once", f"{charged}; give each question a key of its own. Nothing was charged now")
        deadline = time.monotonic() + self.account.patience
        while (result := self.account.result(self.key)) is None:
            if time.monotonic() >= deadline:
                raise AlreadyCharged(
                    "once",
                    f"the key {self.key!r} was charged by a run that has kept no release; if it is still at work, run "
                    "this again later. If it died, its charge is lost: choose another key, which is charged anew. "
                    "Nothing was charged now",
                )
            time.sleep(PAUSE)
        return result

    def __deepcopy__(self, memo: object) -> NoReturn:
        """Refused: scikit-learn copies a classifier for each label or fold, and all would get the rule of the first."""
        raise Refused(
            "once",
            "a key pays for one fit, and copies of a classifier are made to fit several times, such as once for each "
            "label or fold; give each fit a key of its own, or charge the account itself, without once",
        )


@dataclass
class ClaimingAccount:
    """An account of ``total`` for one run. Its first charge claims the key and charges ``total`` to the key's account.

    So whatever is checked before a charge, such as a mechanism's data, is checked before the key is claimed.
    """

    once: Once
    claim: Claim
    name: str  # the name of the fit or release
    total: Budget
    spent: Budget = NOTHING
    claimed: bool = False

    @property
    def unit(self) -> str | None:
        return self.once.account.unit

    def charge(self, entry: Entry) -> None:
        """Claim the key unless this was done, then count the entry toward the total."""
        if not self.claimed:
            name = f"{self.name}, once: {self.claim.key}"
            whole = Entry(name, self.total, THEOREM, entry.private, entry.who, entry.time, entry.unit)
            self.once.account.charge_once(whole, self.claim)
            self.claimed = True
        self.spent = spent_after(entry, self.total, self.spent)
