"""``privpac predict``: label new records with a saved model.

Main declarations
    predict    the command
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.drafts import drafts
from privpac.cli.output import Json, working
from privpac.data.refusal import Refused, parts_of, retold

if TYPE_CHECKING:
    from privpac.classes.schema import Schema
    from privpac.learners.model import Model


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `privpac learn --out` wrote.")],
    data: Annotated[
        str, typer.Argument(help="CSV or Parquet file, folder of Parquet files, or address of a database.")
    ],
    *,
    schema: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Check that this schema declares the columns that are read.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="Which table of a database: TABLE or SCHEMA.TABLE.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="CSV", help="Where to write. Default: standard output.")] = None,
    as_json: Json = False,
) -> None:
    """Label the records of a table: print it as CSV with one more column, the predictions."""
    from privpac.classes.schema import Schema
    from privpac.data.engines import open_table
    from privpac.report.numbers import grouped

    rule, declared = read_model(model), None if schema is None else Schema.read(schema)
    with drafts({"out": out}, [model, data, schema]) as (file,):
        opened = open_table(data, table)
        if declared is not None:
            _check_columns(declared, rule, opened)
        try:
            with working("reading"):
                predictions = rule.predict(opened).tolist()
        except (TypeError, ValueError) as error:  # values that the rule cannot read
            raise Refused("data", *parts_of(error)) from None
        with working("reading"):
            text = _json(rule, predictions) if as_json else _table(rule, opened, predictions)
            beyond = _misfits(rule, opened)
        if file is None:
            typer.echo(text, nl=False)
            if beyond:
                typer.echo(beyond, err=True)
            return
        file.write(text)
        file.keep()
        if not as_json:
            typer.echo(f"{grouped(len(predictions))} predictions in {out}{beyond and '; '}{beyond}")


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


def _json(rule: Model, predictions: list[Any]) -> str:
    return json.dumps({"rule": str(rule), "predictions": predictions}, default=str, ensure_ascii=False) + "\n"


def _table(rule: Model, table: Any, predictions: list[Any]) -> str:
    """The columns of the table and the predictions, as CSV."""
    from privpac.data.engines import fetched

    names = list(table.columns)
    columns = [column.tolist() for column in fetched(table, names)]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*names, f"predicted {rule.label}" if rule.label else "predicted"])
    rows.writerows(zip(*columns, predictions, strict=True))
    return text.getvalue()


def _misfits(rule: Model, table: Any) -> str:
    from privpac.report.numbers import grouped

    k = rule.misfits(table)
    return f"{grouped(k)} record{'s' * (k != 1)} did not fit the declared domain" if k else ""
