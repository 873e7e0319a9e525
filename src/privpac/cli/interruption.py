"""Notes about the budget: after a command, after one that ends early, and after one that repeats an earlier release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

from privpac.cli.output import say

if TYPE_CHECKING:
    from privpac.privacy.store.tried_charges import Watched

NO_CHARGE = "interrupted; nothing was charged"


class Interrupted(KeyboardInterrupt):
    """An interruption; its text says what was charged."""


@contextmanager
def charge_note(account: Watched | None) -> Iterator[None]:
    """Run a block. If it fails or is interrupted, say what was charged to the account."""
    try:
        yield
    except Exception as error:
        if (
            account is not None
            and (note := charge_sentence(account) or _no_charge_sentence(error, account)) is not None
        ):
            typer.echo(f"note: {note}", err=True)
        raise
    except KeyboardInterrupt:
        charge = None if account is None else charge_sentence(account)
        raise Interrupted(NO_CHARGE if charge is None else f"interrupted; {charge}") from None


def charge_sentence(account: Watched) -> str | None:
    """What was charged, as the account itself says; None if nothing was charged."""
    try:
        charged = account.charged()
    except (OSError, KeyboardInterrupt):  # The store does not answer, or the user pressed Ctrl-C again.
        return f"perhaps after a charge: see privpac budget history {account.account.name}"
    if not (charged.epsilon or charged.delta):
        return None
    return f"{charged} was charged to the account {account.account.name!r}"


def say_remaining_budget(account: Watched | None) -> None:
    """Say what this run has charged, and what is left. Without an account or an answer of the store, say nothing."""
    if account is None:
        return
    charged = charge_sentence(account) or f"nothing was charged to the account {account.account.name!r}"
    with suppress(OSError):  # The release is paid for and must not seem to fail.
        say(f"budget:  {charged}; {account.account.remaining} of {account.total} is left")


def _no_charge_sentence(error: Exception, account: Watched) -> str | None:
    """A sentence that nothing was charged, if an engine failed; None for other errors.

    An engine may fail at any time, so users wonder. Other errors come before anything is charged.
    """
    from privpac.data.engines.queries import is_engine_failure  # noqa: PLC0415  (numpy, which --help does not need)

    return f"nothing was charged to the account {account.account.name!r}" if is_engine_failure(error) else None


def say_earlier_release(key: str) -> None:
    """Say that this is an earlier release, made under the same key."""
    reused = "this is the release that was made then, and nothing was charged now"
    typer.echo(f"note: the key {key!r} was charged before; {reused}", err=True)
