"""``privpac predict``: label new records with a saved model.

Main declarations
    predict    the command
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.drafts import drafts
from privpac.cli.output import Json, working
from privpac.cli.sources import WHAT, Table, schema_file, source
from privpac.data.private_files import OWNER
from privpac.data.refusal import InOtherWords, Refused, Setting, parts_of, retold

if TYPE_CHECKING:
    from privpac.classes.schema import Schema
    from privpac.learners.model import Model

ONE_OF_TWO = "give a table to label, or say ", Setting("sql"), " to print the rule as SQL"


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `privpac learn --out` wrote.")],
    data: Annotated[str | None, typer.Argument(callback=source, help=WHAT)] = None,
    *,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="TOML", callback=schema_file, help="Check that this schema declares the columns that are read."
        ),
    ] = None,
    table: Table = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="CSV|PARQUET", help="Where to write; .parquet makes a Parquet file. Default: print CSV."),
    ] = None,
    sql: Annotated[bool, typer.Option("--sql", help="Print the rule as an SQL expression; needs no table.")] = False,
    as_json: Json = False,
) -> None:
    """Label the records of a table: print it as CSV with one more column, the predictions."""
    from privpac.classes.schema import Schema
    from privpac.cli.predictions import writing
    from privpac.data.engines import open_table
    from privpac.report.numbers import grouped

    rule, declared = read_model(model), None if schema is None else Schema.read(schema)
    if sql == (data is not None):
        raise Refused("data", *ONE_OF_TWO)
    if data is None:
        typer.echo(json.dumps({"sql": rule.to_sql()}, ensure_ascii=False) if as_json else rule.to_sql())
        return
    with drafts({"out": out}, [model, data, schema], OWNER) as (file,):  # it holds the records
        opened = open_table(data, table)
        if declared is not None:
            _check_columns(declared, rule, opened)
        n = void = 0
        unread = InOtherWords(lambda error: Refused("data", *parts_of(error)), (TypeError, ValueError))
        with unread, working("reading"), writing(rule, opened, file, as_json) as write:
            for rows in rule.labeled(opened):
                write(rows)
                n, void = n + len(rows.labels), void + rows.misfits
        beyond = f"{grouped(void)} record{'s' * (void != 1)} did not fit the declared domain" if void else ""
        if file is None:
            if beyond:
                typer.echo(beyond, err=True)
            return
        file.keep()
        if not as_json:
            typer.echo(f"{grouped(n)} predictions in {out}{beyond and '; '}{beyond}")


def read_model(path: Path) -> Model:
    """The model in a file; Refused if the file does not hold one."""
    from privpac.learners.model import Model

    try:
        return Model.from_json(path.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise Refused(
            "model", f"{path} is not UTF-8 text, so it is not a model; give the file that `privpac learn --out` wrote"
        ) from None
    except OSError:
        raise Refused("model", f"{path} cannot be read; give the file that `privpac learn --out` wrote") from None
    except ValueError as error:
        raise Refused("model", f"{path}: ", *parts_of(error)) from None


def _check_columns(declared: Schema, rule: Model, table: Any) -> None:
    """Refused if the schema, or the table, lacks a column that the rule reads."""
    try:
        declared.check_names(table.columns, [name for name in rule.columns if isinstance(name, str)])
    except Refused as error:
        raise retold(error, "schema") from None
