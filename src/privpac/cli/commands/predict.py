"""``privpac predict``: label new records with a saved model.

Labeled records are written a few rows at a time, as CSV, Parquet, or JSON.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.drafts import Draft, drafts
from privpac.cli.output import Json, working
from privpac.cli.sources import TABLE_HELP, DecimalComma, Encoding, Separator, Table, file_format, schema_file, source
from privpac.data.files.private_files import OWNER
from privpac.refusals.refusal import InOtherWords, Refused, Setting, parts_of, refusal_about

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from privpac.learners.model import LabeledRows, Model

GIVE_A_MODEL = "give the file that `privpac learn --out` wrote"
MODEL_FIRST = f"the model comes first, and the table second: {GIVE_A_MODEL}"
DIGITS = 4  # decimal places of a risk
Write = Callable[["LabeledRows"], None]


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `privpac learn --out` wrote.")],
    data: Annotated[str | None, typer.Argument(callback=source, help=TABLE_HELP)] = None,
    *,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="TOML",
            callback=schema_file,
            help="Check that this schema declares the columns that are read, and read the file as it says.",
        ),
    ] = None,
    table: Table = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="CSV|PARQUET", help="Where to write; .parquet makes a Parquet file. Default: print CSV."),
    ] = None,
    sql: Annotated[bool, typer.Option("--sql", help="Print the rule as an SQL expression; needs no table.")] = False,
    risk: Annotated[
        bool, typer.Option("--risk", help="Add the measured probability of the positive label, or of each of several.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Label the records of a table: print it as CSV with one more column, the predictions."""
    from privpac.classes.schemas.schema import Schema
    from privpac.data.open_table import opened
    from privpac.report.numbers import grouped

    rule, declared = read_model(model), None if schema is None else Schema.read(schema)
    if sql and risk:
        raise Refused("risk", Setting("sql"), " prints the rule, which has no risks; leave out ", Setting("risk"))
    if sql == (data is not None):
        raise Refused("data", "give a table to label, or say ", Setting("sql"), " to print the rule as SQL")
    if data is None:
        typer.echo(json.dumps({"sql": rule.to_sql()}, ensure_ascii=False) if as_json else rule.to_sql())
        return
    if risk and (rule.measured_risks is None or len(rule.classes) < 2):
        raise Refused("risk", *_why_no_risks(rule))
    form = file_format(declared, separator, encoding, decimal_comma, domain=rule.domain, names=rule.columns)
    with drafts({"out": out}, [model, data, schema], OWNER) as files:  # only the user may read it: it holds records
        records, file = opened(data, table, form), files["out"]
        if declared is not None:
            with InOtherWords(partial(refusal_about, parameter="schema"), Refused):
                declared.check_names(records.columns, [name for name in rule.columns if isinstance(name, str)])
        n = void = 0
        about_data = InOtherWords(lambda error: Refused("data", *parts_of(error)), (TypeError, ValueError))
        with about_data, working("reading"), writing(rule, records, file, as_json, risk) as write:
            for rows in rule.labeled(records, risk=risk):
                write(rows)
                n, void = n + len(rows.labels), void + rows.misfits
        misfits = f"{grouped(void)} record{'s' * (void != 1)} did not fit the declared domain" if void else ""
        if 2 * void > n and declared is None:
            misfits += "; if a schema says how the file is spelled, add --schema"
        if file is None:
            if misfits:
                typer.echo(misfits, err=True)
            return
        file.keep()
        if not as_json:
            typer.echo(f"{grouped(n)} predictions in {out}{misfits and '; '}{misfits}")


def read_model(path: Path) -> Model:
    """The model in a file; Refused if the file does not hold one."""
    from privpac.learners.model import Model

    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise Refused("model", f"there is no file {path}; {GIVE_A_MODEL}") from None
    except UnicodeDecodeError:
        raise Refused("model", f"{path} is not UTF-8 text, so it is not a model; {MODEL_FIRST}") from None
    except OSError:
        raise Refused("model", f"{path} cannot be read; {GIVE_A_MODEL}") from None
    if not text.lstrip().startswith("{"):
        raise Refused("model", f"{path} is not a model; {MODEL_FIRST}")
    try:
        return Model.from_json(text)
    except ValueError as error:
        raise Refused("model", f"{path}: ", *parts_of(error)) from None


@contextmanager
def writing(rule: Model, table: ir.Table, file: Draft | None, as_json: bool, risk: bool = False) -> Iterator[Write]:
    """A block that writes labeled rows of a table to a draft, or prints them if there is none."""
    if file is not None and not as_json and file.argument.suffix.lower() in (".parquet", ".pq"):
        with _parquet(rule, table, file, risk) as write:
            yield write
    elif file is None:
        with _text(rule, table, as_json, lambda text: typer.echo(text, nl=False), risk) as write:
            yield write
    else:
        with (
            file.draft.open("w", encoding="utf-8", newline="\n") as stream,
            _text(rule, table, as_json, stream.write, risk) as write,
        ):
            yield write


@contextmanager
def _text(rule: Model, table: ir.Table, as_json: bool, put: Callable[[str], object], risk: bool) -> Iterator[Write]:
    """The rows as CSV, or their labels or risks as JSON; nothing is written before the first rows are read."""
    start = f'{{"rule": {json.dumps(str(rule), ensure_ascii=False)}, "{"risks" if risk else "predictions"}": ['
    before = start if as_json else _csv([[*table.columns, _name(rule), *_risk_names(rule, risk)]])

    def write(rows: LabeledRows) -> None:
        nonlocal before
        if as_json:
            values = rows.labels if rows.risks is None else rows.risks.round(DIGITS)
            text = json.dumps(values.tolist(), default=str, ensure_ascii=False)[1:-1]
        else:
            text = _csv(zip(*map(_entries, rows.all_columns(DIGITS)), strict=True))
        put(before + text)
        before = ", " if as_json else ""

    yield write
    if as_json:
        put("]}\n")


@contextmanager
def _parquet(rule: Model, table: ir.Table, file: Draft, risk: bool) -> Iterator[Write]:
    """The rows as a Parquet file; a column is text if no other type holds all its values."""
    arrow = import_module("pyarrow")
    columns = dict(table.schema().items())
    kinds = [arrow.string() if _only_text(kind) else kind.to_pyarrow() for kind in columns.values()]
    same_type = len({type(label) for label in rule.classes}) == 1
    kinds.append(arrow.array(list(rule.classes)).type if same_type else arrow.string())
    risks = _risk_names(rule, risk)
    names, kinds = [*columns, _name(rule), *risks], [*kinds, *(arrow.float64() for _ in risks)]
    schema = arrow.schema(list(zip(names, kinds, strict=True)))

    def column(entries: Iterable[object], kind: pa.DataType) -> pa.Array:
        texts = [None if entry is None else str(entry) for entry in entries] if kind == arrow.string() else entries
        return arrow.array(texts, kind)

    with import_module("pyarrow.parquet").ParquetWriter(file.draft, schema) as parquet:

        def write(rows: LabeledRows) -> None:
            columns = map(column, rows.all_columns(DIGITS), kinds)
            parquet.write_table(arrow.table(list(columns), schema=schema))

        yield write


def _only_text(kind: dt.DataType) -> bool:
    """Whether Arrow has no type for these values, so that they become text."""
    return kind.is_uuid() or kind.is_json() or (kind.is_decimal() and kind.precision is None)


def _name(rule: Model) -> str:
    return f"predicted {rule.label}" if rule.label else "predicted"


def _risk_names(rule: Model, risk: bool) -> list[str]:
    return [f"risk of {label}" for label in (rule.classes if rule.several else rule.classes[-1:]) if risk]


def _why_no_risks(rule: Model) -> tuple[str | Setting, ...]:
    if rule.several and rule.error is not None:
        from privpac.learners.errors.risks import TOO_FEW_HELD_OUT

        return (TOO_FEW_HELD_OUT,)
    return "the model has no measured risks; learn again with ", Setting.to("report_error", True)


def _entries(column: NDArray[Any]) -> list[Any]:
    """A column as text files spell it; numpy would turn times that Python's types cannot hold into numbers."""
    if column.dtype.kind != "M":
        return column.tolist()  # type: ignore[no-any-return]
    import numpy as np

    from privpac.data.values.value_text import value_text

    pairs = zip(column.tolist(), column, strict=True)
    return [None if np.isnat(time) else entry if isinstance(entry, date) else value_text(time) for entry, time in pairs]


def _csv(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
