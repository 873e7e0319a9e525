"""The table that a command reads: a file, a folder, an address, or ``example:flights``, which comes with the package.

A missing file is refused while the words of the command are read, before engines and learners are imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.spelling import OF_TABLES
from privpac.refusals.absent_names import TABLE_FILE, did_you_mean, no_such_file
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    from privpac.classes.schemas.schema import Schema
    from privpac.data.domains.domain import Domain
    from privpac.data.files.file_format import FileFormat

EXAMPLE = "example:"
LINES_OF_NUMBERS = ("integer", "float", "decimal")  # the kinds of lines whose values a file spells as numbers
TABLE_HELP = "CSV, Parquet, or Excel file, folder of Parquet files, address of a database, or example:flights."


def example_folder() -> Traversable:
    """The folder of example tables: in an installed package, or in a clone, where it lies beside the source."""
    installed = files("privpac").joinpath("examples")
    return installed if installed.is_dir() else Path(__file__).parents[3] / "examples"


def example_names(ending: str = ".csv") -> list[str]:
    """The tables that come with the package, or their schemas.

    >>> example_names()
    ['airports', 'flights', 'planes', 'westward', 'zones']
    """
    return sorted(file.name.removesuffix(ending) for file in example_folder().iterdir() if file.name.endswith(ending))


def source(typed: str | None) -> str | None:
    """The path or the address; FileNotFoundError if there is no such file.

    >>> Path(source("example:flights")).name
    'flights.csv'
    >>> source("nowhere/visits.csv")
    Traceback (most recent call last):
    FileNotFoundError: there is no file nowhere/visits.csv; give the path of a CSV, Parquet, Excel, ...
    """
    from privpac.data.files.csv_files import matching

    if typed is None or "://" in typed or Path(typed).is_dir() or matching(typed):
        return typed
    if typed.startswith(EXAMPLE):
        return _example(typed)
    raise no_such_file(typed, _advice(Path(typed)))


def _advice(path: Path) -> str:
    """What to type instead of the path of a file that does not exist."""
    if (name := path.name.removesuffix(".csv")) in example_names():
        return f"; for the table that comes with privpac, type {EXAMPLE}{name}"
    beside = map(str, path.parent.iterdir()) if path.parent.is_dir() else []
    return did_you_mean(str(path), beside) or TABLE_FILE


def schema_file(typed: Path | None) -> Path | None:
    """The file of a schema; FileNotFoundError if there is none.

    >>> schema_file(Path("example:flights")).name
    'flights.toml'
    """
    if typed is None or typed.exists():
        return typed
    if str(typed).startswith(EXAMPLE):
        return Path(_example(str(typed), ".toml"))
    init = f"begin one with `privpac schema init DATA --out {typed}`"
    raise no_such_file(typed, f"; check the path, or {init}", kind="schema")


def _example(typed: str, ending: str = ".csv") -> str:
    name, names = typed.removeprefix(EXAMPLE), example_names(ending)
    if name not in names:
        close = did_you_mean(name, names).replace("'", f"'{EXAMPLE}", 1)
        advice = close or f"; choose one of {', '.join(f'{EXAMPLE}{name}' for name in names)}"
        raise Refused("data" if ending == ".csv" else "schema", f"there is no {typed}{advice}")
    return str(example_folder().joinpath(f"{name}{ending}"))


def display_name(place: str) -> str:
    """What to type for a table; DATA for an address, which may hold a password.

    >>> display_name(source("example:flights")), display_name("tables/visits.csv"), display_name("postgres://ann:secret@host/db")
    ('example:flights', 'visits.csv', 'DATA')
    """
    if "://" in place:
        return "DATA"
    path = Path(place)
    return f"{EXAMPLE}{path.stem}" if path.parent == Path(str(example_folder())) else path.name


Data = Annotated[str, typer.Argument(callback=source, help=TABLE_HELP)]
Table = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=OF_TABLES,
        help="Which table of a database: TABLE or SCHEMA.TABLE; or which sheet of an Excel file.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=OF_TABLES, metavar="SIGN", help="What separates cells in a text file: ';', '|', tab, …"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(rich_help_panel=OF_TABLES, help="The encoding of a text file, such as latin-1. Default: utf-8."),
]
DecimalComma = Annotated[
    bool,
    typer.Option("--decimal-comma", rich_help_panel=OF_TABLES, help="Numbers in the file are written 1.234,5."),
]


def file_format(
    schema: Schema | None,
    separator: str | None,
    encoding: str | None,
    decimal_comma: bool = False,
    *,
    domain: Domain | None = None,
    names: Iterable[object] = (),
) -> FileFormat:
    """How the file is spelled, by schema and options; without a schema, the ``domain`` says which columns are numbers.

    >>> file_format(None, ";", None).separator
    ';'
    """
    from dataclasses import replace

    from privpac.data.files.file_format import FileFormat

    typed = FileFormat(separator, encoding, decimal_comma or None)
    if schema is not None:
        return schema.files.with_facts_of(typed)
    columns = zip(domain.column_names or names, domain.columns, strict=False) if domain else ()
    numbers = (
        str(name) for name, column in columns if column.line is not None and column.line.kind in LINES_OF_NUMBERS
    )
    return replace(typed, numbers=frozenset(numbers))
