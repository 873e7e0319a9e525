"""The account that a command charges, what pays, and what was charged when the command ended."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

from privpac.cli.output import say
from privpac.refusals.refusal import Refused, Setting, parts_of, refusal_about

if TYPE_CHECKING:
    from privpac.privacy.store.accounts import BudgetStore
    from privpac.privacy.store.durable_account import DurableAccount
    from privpac.privacy.store.once import Once
    from privpac.privacy.store.tried_charges import WatchedAccount

NO_CHARGE = "interrupted; nothing was charged"


def open_account(store: BudgetStore, name: str) -> DurableAccount:
    """The account with this name; Refused, with how to create it, if it does not exist."""
    try:
        return store.account(name)
    except LookupError as error:
        creating = f"privpac budget create {shlex.quote(f'{store}#{name}')} --epsilon 3 --delta 1e-6"
        raise Refused("name", *parts_of(error), f". Create it, with the total that you allow: {creating}") from None


def store_and_name(address: str, parameter: str) -> tuple[str, str]:
    """The store and the name in an address of the form URL#NAME."""
    url, _, name = address.rpartition("#")
    if "://" not in address:
        example = f"{url or 'budget.db'}#{name}" if name and not name.endswith(".db") else f"{name or url}#clinic"
        raise Refused(parameter, f"this address names no database; write sqlite:///{example}")
    if not url or not name:
        raise Refused(parameter, "this URL names no account; add it after a #, as in sqlite:///budget.db#clinic")
    return url, name


def account(address: str | None, once: str | None = None) -> WatchedAccount | None:
    """The account at the address URL#NAME; None without an address. A key ``once`` needs an address.

    >>> account("sqlite:///budget.db")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: this URL names no account; add it after a #, as in sqlite:///budget.db#clinic
    """
    if address is None:
        if once is not None:
            budget = Setting.to("budget", "sqlite:///budget.db#clinic")
            raise Refused("once", Setting("once"), " names a charge, so it goes with ", budget)
        return None
    url, name = store_and_name(address, "budget")
    from privpac.privacy.store.accounts import BudgetStore
    from privpac.privacy.store.tried_charges import WatchedAccount

    try:
        return WatchedAccount.of(open_account(BudgetStore(url), name), on_result=say_earlier_release)
    except Refused as error:
        raise refusal_about(error, "budget") from None


def payer(account: WatchedAccount | None, once: str | None) -> WatchedAccount | Once | None:
    """What pays: the account, or its charge under the key ``once``; None without an account."""
    return account if account is None or once is None else account.once(once)


def file_of(address: str | None) -> str | None:
    """The file that holds the account at this address; None if no file does."""
    url = (address or "").rpartition("#")[0]
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else None


@contextmanager
def charge_note(account: WatchedAccount | None) -> Iterator[None]:
    """Run a block. If it fails, say what was charged to the account; the message of an interruption says it, too."""
    try:
        yield
    except Exception as error:
        if account is not None and (note := charge_sentence(account) or _no_charge_sentence(error, account)):
            typer.echo(f"note: {note}", err=True)
        raise
    except KeyboardInterrupt:
        charge = None if account is None else charge_sentence(account)
        raise KeyboardInterrupt(NO_CHARGE if charge is None else f"interrupted; {charge}") from None


def charge_sentence(account: WatchedAccount) -> str | None:
    """What was charged, as the account itself says; None if nothing was charged."""
    try:
        charged = account.charged()
    except (OSError, KeyboardInterrupt):  # The store does not answer, or the user pressed Ctrl-C again.
        return f"perhaps after a charge: see privpac budget history {account.name}"
    if not (charged.epsilon or charged.delta):
        return None
    return f"{charged} was charged to the account {account.name!r}"


def say_remaining_budget(account: WatchedAccount | None, *, err: bool = False) -> None:
    """Say what this run has charged, and what is left. Without an account or an answer of the store, say nothing."""
    if account is None:
        return
    charged = charge_sentence(account) or f"nothing was charged to the account {account.name!r}"
    with suppress(OSError):  # The release is paid for and must not seem to fail.
        say(f"budget:  {charged}; {account.remaining} of {account.total} is left", err=err)


def _no_charge_sentence(error: Exception, account: WatchedAccount) -> str | None:
    """A sentence that nothing was charged, if an engine failed; None for other errors.

    An engine may fail at any time, so users wonder. Other errors come before anything is charged.
    """
    from privpac.data.engines.queries import is_engine_failure  # it loads numpy, which --help does not need

    return f"nothing was charged to the account {account.name!r}" if is_engine_failure(error) else None


def say_earlier_release(key: str) -> None:
    """Say that this is an earlier release, made under the same key."""
    reused = "this is the release that was made then, and nothing was charged now"
    typer.echo(f"note: the key {key!r} was charged before; {reused}", err=True)
