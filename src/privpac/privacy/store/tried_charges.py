"""An account that remembers which charges were tried, so that after a failure it can say which of them were made.

A charge is complete once its entry is on disk. An interruption or a lost connection may come at that moment. This
process then cannot know whether the charge was made, so it asks the account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.durable_account import DurableAccount
from privpac.privacy.store.once import Claim

PATIENCE = 1.0  # seconds to wait for the account


@dataclass(frozen=True)
class WatchedAccount(DurableAccount):
    """An account, with the charges that were tried."""

    tried: list[Entry] = field(default_factory=list)
    on_result: Callable[[str], None] | None = None  # called with the key if a release was kept under it
    before: list[int] = field(default_factory=list, init=False)  # [how many entries came before the first try]
    claims: list[tuple[Entry, Claim]] = field(default_factory=list, init=False)  # the charges tried under a key

    @classmethod
    def of(cls, account: DurableAccount, *fields: Any, **named_fields: Any) -> Self:
        """A watched account like ``account``, with these values of its own fields."""
        return cls(account.store, account.name, account.total, *fields, **named_fields)

    def charge(self, entry: Entry) -> None:
        """Note the entry, then charge it."""
        self._note(entry)
        super().charge(entry)

    def charge_once(self, entry: Entry, claim: Claim) -> None:
        """Note the entry, then charge it under the key."""
        self._note(entry)
        self.claims.append((entry, claim))
        super().charge_once(entry, claim)

    def result(self, key: str) -> str | None:
        result = super().result(key)
        if result is not None and self.on_result is not None:
            self.on_result(key)
        return result

    def charged(self) -> Budget:
        """The sum of the tried charges that were made, according to the account; StoreError if it does not answer.

        A charge whose answer was lost may still be under way, so this waits for the account's lock. A charge under a
        key counts if this run claimed the key. Any other tried charge counts if an equal entry came after the first
        try. If someone else made the same charge meanwhile, the sum may be too large, but never too small.
        """
        if not self.tried:
            return Budget(0)
        impatient = DurableAccount(replace(self.store, timeout=PATIENCE), self.name, self.total)
        entries_before = self.before[0] if self.before else 0
        recorded = Counter(map(_visible, impatient.history(after=entries_before, locked=True)))
        with_key = Counter(_visible(entry) for entry, _ in self.claims)
        made = recorded & (Counter(map(_visible, self.tried)) - with_key)
        made += Counter(_visible(entry) for entry, claim in self.claims if impatient.claim_on(claim.key) == claim)
        return sum((cost for _, _, cost in made.elements()), Budget(0))

    def _note(self, entry: Entry) -> None:
        if not self.tried:
            self.before.append(self.entry_count)
        self.tried.append(entry)


def _visible(entry: Entry) -> tuple[datetime, str, Budget]:
    """The parts of an entry by which recorded and tried entries are compared."""
    return entry.time, entry.mechanism, entry.cost
