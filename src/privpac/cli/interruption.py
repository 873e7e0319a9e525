"""Ctrl-C: what an interrupted command says about the budget.

Main declarations
    Interrupted      a KeyboardInterrupt with a sentence about the charges
    charges_told     turns an interruption into one with such a sentence
    what_was_paid    the sentence
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privpac.privacy.watched import Watched

NOTHING = "interrupted; nothing was charged"


class Interrupted(KeyboardInterrupt):
    """An interruption; its text says what was charged."""


def what_was_paid(account: Watched) -> str:
    """What was charged, as the account itself says."""
    try:
        charged = account.charged()
    except (OSError, KeyboardInterrupt):  # Ctrl-C once more
        return f"interrupted; perhaps after a charge: see privpac budget history {account.account.name}"
    if not (charged.epsilon or charged.delta):
        return NOTHING
    return f"interrupted; {charged} was charged to the account {account.account.name!r}"


@contextmanager
def charges_told(account: Watched | None) -> Iterator[None]:
    """A block whose interruption says what was charged to the account."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(NOTHING if account is None else what_was_paid(account)) from None
