"""``privpac examples``: the tables of the guide and the gallery, written to a folder.

Main declarations
    examples    the command
    shipped     the folder of the tables that come with the package
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from privpac.data.refusal import Refused


def examples(
    *, folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them; made if it does not exist.")]
) -> None:
    """Write the tables that the guide and the gallery learn from. Existing files are not overwritten."""
    found = [each for each in shipped().iterdir() if each.name.endswith((".csv", "README.md"))]
    tables = sorted(found, key=lambda table: table.name)
    if there := [each.name for each in tables if (folder / each.name).exists()]:
        raise Refused("folder", f"{folder} already has {', '.join(there)}; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / table.name).write_bytes(table.read_bytes())
        typer.echo(folder / table.name)


def shipped() -> Traversable:
    """The tables in an installed package, or in a clone, where they lie beside the source."""
    installed = files("privpac").joinpath("examples")
    return installed if installed.is_dir() else Path(__file__).parents[3] / "examples"
