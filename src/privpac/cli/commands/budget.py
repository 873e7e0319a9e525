"""``privpac budget``: durable accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.charges import open_account, store_and_name
from privpac.cli.output import Json, OutputRow, Proofs, print_rows
from privpac.cli.program import REFUSED, PlainCommand, PlainGroup, end
from privpac.privacy.budget import Budget

if TYPE_CHECKING:
    from privpac.privacy.store.durable_account import DurableAccount

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

    store, name = _store_and_name(store, name)
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
        store, name = _store_and_name(store, name)
    accounts = BudgetStore(store)
    names = accounts.accounts() if name is None else [name]
    print_rows([_state(open_account(accounts, name)) for name in names], as_json, empty=f"no accounts in {accounts}")


@budget.command(cls=PlainCommand)
def history(name: Name, store: Store = DEFAULT_STORE, proofs: Proofs = False, as_json: Json = False) -> None:
    """Show every charge to an account: when, by whom, and for what; with --proofs, under which theorem."""
    from privpac.privacy.store.accounts import BudgetStore

    columns = ("time", "who", "mechanism", "cost", *(("theorem",) if proofs or as_json else ()), "private")
    store, name = _store_and_name(store, name)
    entries = open_account(BudgetStore(store), name).history()
    rows = [{column: getattr(entry, column) for column in columns} for entry in entries]
    print_rows(rows, as_json, empty=f"nothing has been charged to {name}")


def _store_and_name(store: str, name: str) -> tuple[str, str]:
    """The store and the name of an account; a name of the form URL#NAME replaces both.

    >>> _store_and_name("sqlite:///a.db", "clinic"), _store_and_name("sqlite:///a.db", "sqlite:///b.db#clinic")
    (('sqlite:///a.db', 'clinic'), ('sqlite:///b.db', 'clinic'))
    """
    return store_and_name(name, "name") if "://" in name else (store, name)


def _state(account: DurableAccount) -> OutputRow:
    spent = account.spent
    totals = {"total": account.total, "spent": spent, "remaining": account.total - spent}
    return {"account": account.name, **totals, "unit": account.unit}
