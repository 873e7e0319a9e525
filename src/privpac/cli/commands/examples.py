"""``privpac examples``: the tables of the guide and the gallery, written to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privpac.cli.sources import shipped
from privpac.refusals.refusal import Refused


def examples(
    *, folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them; made if it does not exist.")]
) -> None:
    """Write the tables that the guide and the gallery learn from. Existing files are not overwritten.

    Commands also read them without this: example:flights stands for the table of flights.
    """
    found = [each for each in shipped().iterdir() if each.name.endswith((".csv", ".toml", "README.md"))]
    tables = sorted(found, key=lambda table: table.name)
    if there := [each.name for each in tables if (folder / each.name).exists()]:
        raise Refused("folder", f"{folder} already has {', '.join(there)}; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / table.name).write_bytes(table.read_bytes())
        typer.echo(folder / table.name)
