"""Ctrl-C: what an interrupted command says about the budget.

A charge is complete once its entry is on disk, and the interruption may come just then. So the account is asked.

Main declarations
    Watched        an account that remembers which charges were tried
    Interrupted    a KeyboardInterrupt with a sentence about the charges
    charges_told   turns an interruption into one with such a sentence
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privpac.privacy.budget import Budget
    from privpac.privacy.certificate import Entry
    from privpac.privacy.store import DurableAccount

NOTHING = "interrupted; nothing was charged"
PATIENCE = 1.0  # seconds to wait for the account


class Interrupted(KeyboardInterrupt):
    """An interruption; its text says what was charged."""


@dataclass(frozen=True)
class Watched:
    """An account, with the charges that were tried."""

    account: DurableAccount
    tried: list[Entry] = field(default_factory=list)

    @property
    def total(self) -> Budget:
        return self.account.total

    @property
    def spent(self) -> Budget:
        return self.account.spent

    def charge(self, entry: Entry) -> None:
        """Note the entry, then charge it."""
        self.tried.append(entry)
        self.account.charge(entry)

    def sentence(self) -> str:
        """What was charged, as the account itself says."""
        if not self.tried:
            return NOTHING
        quick = replace(self.account, store=replace(self.account.store, timeout=PATIENCE))
        tried = {(entry.time, entry.mechanism, entry.cost) for entry in self.tried}
        try:
            charged = [each.cost for each in quick.history() if (each.time, each.mechanism, each.cost) in tried]
        except (OSError, KeyboardInterrupt):  # Ctrl-C once more
            return f"interrupted; perhaps after a charge: see privpac budget history {self.account.name}"
        if not charged:
            return NOTHING
        return f"interrupted; {sum(charged[1:], charged[0])} was charged to the account {self.account.name!r}"


@contextmanager
def charges_told(account: Watched | None) -> Iterator[None]:
    """A block whose interruption says what was charged to the account."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(NOTHING if account is None else account.sentence()) from None
