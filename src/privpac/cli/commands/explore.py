"""``privpac explore``: the library in a browser, on this machine."""

from __future__ import annotations

import errno
import socket
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.commands.budget import DEFAULT_STORE
from privpac.cli.fits import Hold, seconds_of
from privpac.cli.schema_options import units_of
from privpac.cli.sources import EXAMPLE, schema_file, source
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.app.session import NamedTable

PACKAGES = ("starlette", "uvicorn", "jinja2", "markupsafe")  # those that the extra ``app`` installs
EXTRA = "the explorer needs Starlette, Uvicorn, Jinja2, and SQLAlchemy; install them with: pip install 'privpac[app]'"
HERE = "127.0.0.1"  # other machines cannot reach it
TABLES = (".csv", ".tsv", ".parquet", ".pq", ".xlsx", ".xls", ".duckdb")


def explore(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tables to offer: files, folders of files, or addresses of databases, ADDRESS#TABLE. Default: flights."
        ),
    ] = None,
    *,
    schema: Annotated[
        list[Path] | None, typer.Option(metavar="TOML", help="A schema to offer. Repeat it for several.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Protect each person, patient, or other unit as a whole: the column that names it, in all tables.",
        ),
    ] = None,
    max_records: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="With --unit: how many records of each unit count.")
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            *("--budget", "--store"),
            metavar="URL",
            envvar="PRIVPAC_STORE",
            help="The store of accounts: sqlite:///FILE or postgresql://USER@HOST/DATABASE.",
        ),
    ] = DEFAULT_STORE,
    spend: Annotated[
        bool, typer.Option("--spend", help="Allow pages to charge accounts and to release. Default: read-only.")
    ] = False,
    hold: Hold = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where releases are kept. Default: beside the file of the store."),
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The address at which browsers see a proxy that authenticates its users."),
    ] = None,
    user_header: Annotated[
        str | None, typer.Option(metavar="NAME", help="The header in which the proxy sends the user's name.")
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The key that the proxy sends; made if the file is missing.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the explorer in a browser, if there is a screen.")] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on this machine; 0 for any free one.")] = 8765,
) -> None:
    """Open the library in a browser: plan, learn, release, and see what was spent."""
    try:
        from privpac.app.outcomes.outcome_store import folder_beside
        from privpac.app.server.front_door import a_person_watches, opened_in_browser
        from privpac.app.server.proxy import KEY_HEADER, proxy_from_options
        from privpac.app.server.routes import serve
        from privpac.app.session import Session
    except ImportError as error:
        # Without SQLAlchemy, the store's own ImportError names no module.
        if error.name and error.name.partition(".")[0] not in PACKAGES:
            raise
        raise ImportError(EXTRA) from None

    from privpac.classes.schemas.schema import Unit
    from privpac.privacy.store.database import address

    front, held = proxy_from_options(proxy, user_header, key_file), seconds_of(hold)
    schemas = {path.name: path for typed in schema or [] if (path := schema_file(typed))}
    unit, k = units_of(None, unit, max_records)
    protected_unit = None if unit is None or k is None else Unit(unit, k)
    offered = {f"t{i}": table for i, table in enumerate(offered_tables(data or []), 1)}
    with _listening_socket(port) as listener:
        open_port = listener.getsockname()[1]  # the free port that was found if ``port`` is 0
        folder = keep or folder_beside(address(budget))
        session = Session(
            open_port, offered, schemas, budget, spends=spend, keep=folder, hold_seconds=held, unit=protected_unit
        )
        session.unit()  # refused if a schema cannot be read, or if the unit is not the same everywhere
        browser_window: AbstractContextManager[None] = nullcontext()
        if front is None:
            page = f"http://{HERE}:{open_port}/?key={session.key}"
            typer.echo(f"Open {page}\nStop with Ctrl-C.")
            if browser and a_person_watches():
                browser_window = opened_in_browser(page)
        else:
            sent = f"{user_header}, and the key in {key_file} as {KEY_HEADER}"
            typer.echo(f"Answers {front.address} at http://{HERE}:{open_port}/, which sends {sent}.\nStop with Ctrl-C.")
        try:
            with browser_window:
                serve(session, listener, front)
        except KeyboardInterrupt:
            typer.echo("Stopped.")


def offered_tables(data: list[str]) -> list[NamedTable]:
    """The tables at these paths and addresses, and those in folders among them; flights if there are none."""
    from privpac.app.session import NamedTable

    tables: list[NamedTable] = []
    for argument in data or [f"{EXAMPLE}flights"]:
        path, mark, table = argument.partition("#")
        place = argument if "://" in argument else f"{source(path)}{mark}{table}"
        inside = sorted(Path(place).iterdir()) if Path(place).is_dir() else []
        files = [NamedTable(str(file)) for file in inside if file.suffix.lower() in TABLES]
        tables += files or [NamedTable(place)]
    return tables


def _listening_socket(port: int) -> socket.socket:
    """A socket on this machine at the port; Refused if another program has it."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HERE, port))
        listener.listen()  # so the address answers as soon as it is printed
    except OSError as error:
        listener.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        taken = f"the port {port} {why}; choose another one, such as "
        raise Refused("port", taken, Setting.to("port", 0), ", which takes any free one") from None
    return listener
