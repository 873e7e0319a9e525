"""``privpac budget``: durable accounts."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.interruption import say_earlier_release
from privpac.cli.output import Json, OutputRow, Proofs, print_rows
from privpac.cli.program import REFUSED, PlainCommand, PlainGroup, end
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused, Setting, parts_of, refusal_about

if TYPE_CHECKING:
    from privpac.privacy.store.accounts import BudgetStore
    from privpac.privacy.store.durable_account import DurableAccount
    from privpac.privacy.store.once import Once
    from privpac.privacy.store.tried_charges import Watched

budget = typer.Typer(
    cls=PlainGroup, add_completion=False, no_args_is_help=True, help="Privacy budgets that outlive the process."
)

Name = Annotated[str, typer.Argument(help="The account's name, or URL#NAME.")]
Store = Annotated[
    str,
    typer.Option(metavar="URL", envvar="PRIVPAC_STORE", help="sqlite:///FILE or postgresql://USER@HOST/DATABASE."),
]
DEFAULT_STORE = "sqlite:///budget.db"


@budget.command(cls=PlainCommand)
def create(
    name: Name,
    *,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="The total ε that may be spent: 3, 0.1, or 1/3.")],
    delta: Annotated[str, typer.Option(metavar="NUMBER", help="The total δ that may be spent.")] = "0",
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names whom all charges protect as a whole, or records. Default: the first charge.",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Create an account. Its total and its unit can never be changed."""
    from privpac.privacy.store.accounts import AccountExistsError, BudgetStore

    store, name = _placed(store, name)
    try:
        account = BudgetStore(store).account(name, Budget(epsilon, delta), unit)
    except AccountExistsError as refusal:
        end(refusal, REFUSED)
    print_rows([_state(account)], as_json)


@budget.command(cls=PlainCommand)
def show(
    name: Annotated[str | None, typer.Argument(help="The account's name. Default: all accounts.")] = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Show what accounts protect, and their total, spent, and remaining budget."""
    from privpac.privacy.store.accounts import BudgetStore

    if name is not None:
        store, name = _placed(store, name)
    place = BudgetStore(store)
    names = place.accounts() if name is None else [name]
    print_rows([_state(opened(place, each)) for each in names], as_json, empty=f"no accounts in {place}")


@budget.command(cls=PlainCommand)
def history(name: Name, store: Store = DEFAULT_STORE, proofs: Proofs = False, as_json: Json = False) -> None:
    """Show every charge to an account: when, by whom, and for what; with --proofs, under which theorem."""
    from privpac.privacy.store.accounts import BudgetStore

    columns = ("time", "who", "mechanism", "cost", *(("theorem",) if proofs or as_json else ()), "private")
    store, name = _placed(store, name)
    entries = opened(BudgetStore(store), name).history()
    rows = [{column: getattr(entry, column) for column in columns} for entry in entries]
    print_rows(rows, as_json, empty=f"nothing has been charged to {name}")


def opened(store: BudgetStore, name: str) -> DurableAccount:
    """The account with this name; Refused, with how to create it, if it does not exist."""
    try:
        return store.account(name)
    except LookupError as error:
        raise Refused("name", *parts_of(error), ". Create it with `privpac budget create`") from None


def _placed(store: str, name: str) -> tuple[str, str]:
    """The store and the name of an account; URL#NAME, as other commands take it, names both.

    >>> _placed("sqlite:///a.db", "clinic"), _placed("sqlite:///a.db", "sqlite:///b.db#clinic")
    (('sqlite:///a.db', 'clinic'), ('sqlite:///b.db', 'clinic'))
    """
    if "://" not in name:
        return store, name
    url, _, account_name = name.rpartition("#")
    if not url or not account_name:
        raise Refused("name", "this URL names no account; add it after a #, as in sqlite:///budget.db#clinic")
    return url, account_name


def _state(account: DurableAccount) -> OutputRow:
    spent = account.spent
    totals = {"total": account.total, "spent": spent, "remaining": account.total - spent}
    return {"account": account.name, **totals, "unit": account.unit}


def account(named: str | None, once: str | None = None) -> Watched | None:
    """The account that URL#NAME names; None if no budget is given. A key needs one.

    >>> account("sqlite:///budget.db")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: the budget names no account; add it after a #, as in sqlite:///budget.db#clinic
    """
    if named is None:
        if once is not None:
            needs = (
                Setting("once"),
                " names a charge, so it goes with ",
                Setting.to("budget", "sqlite:///budget.db#clinic"),
            )
            raise Refused("once", *needs)
        return None
    url, _, name = named.rpartition("#")
    if not url or not name:
        raise Refused("budget", "the budget names no account; add it after a #, as in sqlite:///budget.db#clinic")
    from privpac.privacy.store.accounts import BudgetStore
    from privpac.privacy.store.tried_charges import Watched

    try:
        return Watched(opened(BudgetStore(url), name), on_result=say_earlier_release)
    except Refused as error:
        raise refusal_about(error, "budget") from None


def payer(paid: Watched | None, once: str | None) -> Watched | Once | None:
    """What pays: the account, or a key on it."""
    return paid if paid is None or once is None else paid.once(once)


def file_of(named: str | None) -> str | None:
    """The file that holds an account, if a file does."""
    url = "" if named is None else named.rpartition("#")[0]
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else None
