"""What a command that ends early, or runs again, says about the budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

from privpac.cli.output import say

if TYPE_CHECKING:
    from privpac.privacy.store.tried_charges import Watched

NOTHING = "interrupted; nothing was charged"


class Interrupted(KeyboardInterrupt):
    """An interruption; its text says what was charged."""


@contextmanager
def charges_told(account: Watched | None) -> Iterator[None]:
    """A block that says what was charged to the account if it is interrupted or fails."""
    try:
        yield
    except Exception as error:
        if account is not None and (said := what_was_paid(account) or _unpaid(error, account)) is not None:
            typer.echo(f"note: {said}", err=True)
        raise
    except KeyboardInterrupt:
        paid = None if account is None else what_was_paid(account)
        raise Interrupted(NOTHING if paid is None else f"interrupted; {paid}") from None


def what_was_paid(account: Watched) -> str | None:
    """What was charged, as the account itself says; None if nothing was."""
    try:
        charged = account.charged()
    except (OSError, KeyboardInterrupt):  # Ctrl-C once more
        return f"perhaps after a charge: see privpac budget history {account.account.name}"
    if not (charged.epsilon or charged.delta):
        return None
    return f"{charged} was charged to the account {account.account.name!r}"


def say_left(account: Watched | None) -> None:
    """Say what this run has charged, and what is left; nothing without an account, or if the store does not answer."""
    if account is None:
        return
    charged = what_was_paid(account) or f"nothing was charged to the account {account.account.name!r}"
    with suppress(OSError):  # the release is paid for and must not seem to fail
        say(f"budget:  {charged}; {account.account.remaining} of {account.total} is left")


def _unpaid(error: Exception, account: Watched) -> str | None:
    """That nothing was charged, if an engine failed, which may happen at any time; other refusals come before."""
    from privpac.data.engines.queries import is_engine_failure  # noqa: PLC0415  (--help does without numpy)

    return f"nothing was charged to the account {account.account.name!r}" if is_engine_failure(error) else None


def say_kept(key: str) -> None:
    """Say that the release under this key was made before."""
    then = "this is the release that was made then, and nothing was charged now"
    typer.echo(f"note: the key {key!r} was charged before; {then}", err=True)
