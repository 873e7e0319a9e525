"""``privpac examples``: the tables of the guide and the gallery, written to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privpac.cli.sources import example_folder
from privpac.refusals.refusal import Refused


def examples(
    *, folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them; made if it does not exist.")]
) -> None:
    """Write the tables that the guide and the gallery learn from. Existing files are not overwritten.

    You can also use them without writing them: example:flights stands for the table of flights.
    """
    files = [file for file in example_folder().iterdir() if file.name.endswith((".csv", ".toml", "README.md"))]
    files.sort(key=lambda file: file.name)
    if existing := [file.name for file in files if (folder / file.name).exists()]:
        raise Refused("folder", f"{folder} already has {', '.join(existing)}; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
        typer.echo(folder / file.name)
