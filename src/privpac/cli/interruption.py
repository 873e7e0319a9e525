"""What a command that ends early, or runs again, says about the budget.

A charge is complete once its entry is on disk, and the interruption may come just then. So the account is asked.

Main declarations
    Watched        an account that remembers which charges were tried
    Interrupted    a KeyboardInterrupt with a sentence about the charges
    charges_told   a block that ends with such a sentence if it is interrupted or fails
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import typer

from privpac.privacy.once import Once

if TYPE_CHECKING:
    from privpac.privacy.budget import Budget
    from privpac.privacy.certificate import Entry
    from privpac.privacy.durable_account import DurableAccount
    from privpac.privacy.once import Claim

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

    @property
    def patience(self) -> float:
        return self.account.patience

    def once(self, key: str) -> Once:
        """A key on this account."""
        return Once(self, key)

    def claim(self, entry: Entry, claim: Claim) -> None:
        """Note the entry, then charge it under the key."""
        self.tried.append(entry)
        self.account.claim(entry, claim)

    def claimed(self, key: str) -> Claim | None:
        """Who claimed the key, and for what."""
        return self.account.claimed(key)

    def result(self, key: str) -> str | None:
        """What was released under the key; says so, because nothing is charged now."""
        kept = self.account.result(key)
        if kept is not None:
            then = "this is the release that was made then, and nothing was charged now"
            typer.echo(f"note: the key {key!r} was charged before; {then}", err=True)
        return kept

    def keep(self, key: str, released: str) -> None:
        """Keep what was released under the key."""
        self.account.keep(key, released)

    def sentence(self) -> str:
        """What was charged until an interruption, as the account itself says."""
        return f"interrupted; {self.charges or 'nothing was charged'}"

    @property
    def charges(self) -> str | None:
        """What was charged, as the account itself says; None if nothing was."""
        if not self.tried:
            return None
        quick = replace(self.account, store=replace(self.account.store, timeout=PATIENCE))
        tried = {(entry.time, entry.mechanism, entry.cost) for entry in self.tried}
        try:
            charged = [each.cost for each in quick.history() if (each.time, each.mechanism, each.cost) in tried]
        except (OSError, KeyboardInterrupt):  # Ctrl-C once more
            return f"perhaps after a charge: see privpac budget history {self.account.name}"
        return f"{sum(charged[1:], charged[0])} was charged to the account {self.account.name!r}" if charged else None


@contextmanager
def charges_told(account: Watched | None) -> Iterator[None]:
    """A block that says what was charged to the account if it is interrupted or fails."""
    try:
        yield
    except Exception:
        if account is not None and account.charges is not None:
            typer.echo(f"note: {account.charges}", err=True)
        raise
    except KeyboardInterrupt:
        raise Interrupted(NOTHING if account is None else account.sentence()) from None
