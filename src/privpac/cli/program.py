"""The command line: ``privpac --help``.

A failure that a user can cause ends with one sentence on stderr and an exit code, never with a traceback:
0 done, 1 refused (a budget does not allow it) or refuted (a promise does not hold), 2 bad usage or input.

Main declarations
    app       the command ``privpac``
    budget    its group of commands on durable accounts: create, show, history
    audit     its command that tries to refute what the mechanisms promise
"""

# ruff: noqa: PLC0415  (a command imports what it needs when it runs, so that --help answers at once)
from __future__ import annotations

import json
import sys
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, SupportsFloat

import typer
from typer.core import TyperGroup

from privpac import __version__
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded

if TYPE_CHECKING:
    from privpac.audit.cases import Case
    from privpac.privacy.store import DurableAccount

REFUSED, BAD_INPUT = 1, 2


def _end(reason: Exception, code: int) -> NoReturn:
    typer.echo(f"error: {reason}", err=True)
    raise typer.Exit(code)


class Explained(TyperGroup):
    """Commands whose expected failures are sentences."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except BudgetExceeded as refusal:
            _end(refusal, REFUSED)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            raise
        except (ValueError, LookupError, ImportError, OSError) as error:
            _end(error, BAD_INPUT)


app = typer.Typer(
    cls=Explained,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Differentially private PAC learning with an exact account of what was spent.",
)
budget = typer.Typer(no_args_is_help=True, help="Privacy budgets that outlive the process.")
app.add_typer(budget, name="budget")

Name = Annotated[str, typer.Argument(help="The account's name.")]
Store = Annotated[
    str,
    typer.Option(metavar="URL", envvar="PRIVPAC_STORE", help="sqlite:///FILE or postgresql://USER@HOST/DATABASE."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DEFAULT_STORE = "sqlite:///budget.db"
Row = dict[str, Any]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"privpac {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


@budget.command()
def create(
    name: Name,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="How much ε may be spent in all: 3, 0.1 or 1/3.")],
    delta: Annotated[str, typer.Option(metavar="NUMBER", help="How much δ may be spent in all.")] = "0",
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Create an account. Its total is fixed for good."""
    from privpac.privacy.store import AccountExistsError, BudgetStore

    try:
        account = BudgetStore(store).account(name, Budget(epsilon, delta))
    except AccountExistsError as refusal:
        _end(refusal, REFUSED)
    _print([_state(account)], as_json)


@budget.command()
def show(
    name: Annotated[str | None, typer.Argument(help="The account's name; without it, all accounts.")] = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Show what accounts allow, have spent and have left."""
    from privpac.privacy.store import BudgetStore

    place = BudgetStore(store)
    names = place.accounts() if name is None else [name]
    _print([_state(place.account(each)) for each in names], as_json, empty=f"no accounts in {place}")


@budget.command()
def history(name: Name, store: Store = DEFAULT_STORE, as_json: Json = False) -> None:
    """Show what was charged to an account: when, by whom, for what and under which theorem."""
    from privpac.privacy.store import BudgetStore

    columns = ("time", "who", "mechanism", "cost", "theorem", "private")
    entries = BudgetStore(store).account(name).history()
    rows = [{column: getattr(entry, column) for column in columns} for entry in entries]
    _print(rows, as_json, empty=f"nothing was charged to {name}")


@app.command()
def audit(
    name: Annotated[
        str | None, typer.Argument(help="A mechanism, such as sparse-exponential; without it, all.")
    ] = None,
    *,
    broken: Annotated[
        bool, typer.Option("--controls", help="Broken mechanisms, all of which must be refuted.")
    ] = False,
    sampled: Annotated[bool, typer.Option("--sampled", help="Judge by outputs on the worst neighbours.")] = False,
    runs: Annotated[int, typer.Option(min=4, help="With --sampled: runs on each of the two.")] = 20_000,
    confidence: Annotated[float, typer.Option(help="With --sampled: how sure each refutation is.")] = 0.999,
    as_json: Json = False,
) -> None:
    """Try to refute what the mechanisms promise, on all neighbours of small universes."""
    from rich.console import Console
    from rich.progress import track

    from privpac.audit.catalogue import CATALOGUE, named
    from privpac.audit.controls import controls

    tried = controls(0.05 if sampled else 1e-6) if broken else CATALOGUE  # outputs show nothing of the size of 1e-6
    cases = tried if name is None else named(name.replace("-", " "), tried)
    bar = track(cases, "auditing", console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    rows = [_sampled(case, runs, confidence) if sampled else _exact(case) for case in bar]
    _print(rows, as_json)
    if any((row["verdict"] == "REFUTED") != broken for row in rows):
        raise typer.Exit(REFUSED)


def _exact(case: Case) -> Row:
    found = case.exact()
    figures = {"worst": _figure(found.value), "of the claim": _figure(found.ratio), "pairs": found.pairs}
    return _claim(case) | figures | {"verdict": "REFUTED" if found.refuted else "NOT_REFUTED"}


def _sampled(case: Case, runs: int, confidence: float) -> Row:
    found = case.sampled(runs, confidence)
    figures = {"ε at least": _figure(found.epsilon_lower), "runs": runs, "confidence": confidence}
    return _claim(case) | figures | {"verdict": "REFUTED" if found.refuted else "NOT_REFUTED"}


def _claim(case: Case) -> Row:
    return {"mechanism": case.name, "audited on": case.about, "n": case.n, "claim": case.claimed}


def _figure(value: SupportsFloat) -> float | str:
    return float(f"{float(value):.6g}") if isfinite(float(value)) else "∞"  # JSON knows no infinity


def _state(account: DurableAccount) -> Row:
    spent = account.spent
    return {"account": account.name, "total": account.total, "spent": spent, "remaining": account.total - spent}


def _print(rows: list[Row], as_json: bool, empty: str = "") -> None:
    """Rows as JSON, as a framed table on a terminal, or as aligned columns that never wrap in files and pipes."""
    if as_json:
        typer.echo(json.dumps(rows, default=_json_value, indent=2, ensure_ascii=False))
    elif not rows:
        typer.echo(empty)
    elif sys.stdout.isatty():
        _print_frame([list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)])
    else:
        _print_columns([list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)])


def _json_value(value: Budget | datetime) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return {"epsilon": float(value.epsilon), "delta": float(value.delta)}


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else str(value)


def _print_frame(cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*cells[0])
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_columns(cells: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
