"""``privpac predict``: labels for new records, by a model alone.

Main declarations
    predict    the command
"""

# ruff: noqa: PLC0415  (a command imports what it needs when it runs, so that --help answers at once)
from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from privpac.cli.learn import writable
from privpac.cli.output import Json

if TYPE_CHECKING:
    from privpac.learners.model import Model


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `privpac learn --out` wrote.")],
    data: Annotated[str, typer.Argument(help="CSV or Parquet file, or the address of a database.")],
    *,
    table: Annotated[str | None, typer.Option(help="Which table of a database.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write; standard output otherwise.")] = None,
    as_json: Json = False,
) -> None:
    """Label the records of a table: its columns, and one more with the predictions, as CSV."""
    from privpac.data.engines import fetched, open_table

    writable(out)
    rule = read(model)
    opened = open_table(data, table)
    try:
        predictions = rule.predict(opened).tolist()
    except TypeError as error:  # values of another type than the rule reads: bad input, as others
        raise ValueError(error) from None
    if as_json:
        text = json.dumps({"rule": str(rule), "predictions": predictions}, default=str, ensure_ascii=False)
        out.write_text(f"{text}\n", encoding="utf-8") if out else typer.echo(text)
        return None
    names = list(opened.columns)
    columns = [column.tolist() for column in fetched(opened, names)]
    header = [*names, f"predicted {rule.label}" if rule.label else "predicted"]
    if out is None:
        return _write(sys.stdout, header, [*columns, predictions])
    with out.open("w", newline="", encoding="utf-8") as file:
        _write(file, header, [*columns, predictions])
    return None


def read(path: Path) -> Model:
    """The model in a file; ValueError if there is none."""
    from privpac.learners.model import Model

    try:
        return Model.from_json(path.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text in UTF-8, so no model") from None


def _write(file: TextIO, header: list[str], columns: list[list[Any]]) -> None:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(header)
    rows.writerows(zip(*columns, strict=True))
