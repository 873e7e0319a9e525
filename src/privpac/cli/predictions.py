"""The file that ``privpac predict`` writes, a few rows at a time: CSV, Parquet, or JSON.

Main declarations
    writing    a block that writes labeled rows
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from privpac.cli.drafts import Draft
from privpac.data.values import shown

if TYPE_CHECKING:
    from privpac.learners.model import Model
    from privpac.learners.model_tables import LabeledRows

Write = Callable[["LabeledRows"], None]


@contextmanager
def writing(rule: Model, table: Any, file: Draft | None, as_json: bool) -> Iterator[Write]:
    """A block that writes labeled rows of a table to a draft, or prints them if there is none."""
    if file is not None and not as_json and file.asked.suffix.lower() in (".parquet", ".pq"):
        with _parquet(rule, table, file) as write:
            yield write
    elif file is None:
        with _text(rule, table, as_json, lambda text: typer.echo(text, nl=False)) as write:
            yield write
    else:
        with (
            file.draft.open("w", encoding="utf-8", newline="\n") as there,
            _text(rule, table, as_json, there.write) as write,
        ):
            yield write


@contextmanager
def _text(rule: Model, table: Any, as_json: bool, put: Callable[[str], object]) -> Iterator[Write]:
    """The rows as CSV, or their labels as JSON; nothing is put before the first rows are read."""
    start = f'{{"rule": {json.dumps(str(rule), ensure_ascii=False)}, "predictions": ['
    before = start if as_json else _csv([[*table.columns, _name(rule)]])

    def write(rows: LabeledRows) -> None:
        nonlocal before
        if as_json:
            told = json.dumps(rows.labels.tolist(), default=str, ensure_ascii=False)[1:-1]
        else:
            told = _csv(zip(*map(_entries, (*rows.columns, rows.labels)), strict=True))
        put(before + told)
        before = ", " if as_json else ""

    yield write
    if as_json:
        put("]}\n")


@contextmanager
def _parquet(rule: Model, table: Any, file: Draft) -> Iterator[Write]:
    """The rows as a Parquet file; a column is text if no other type holds all its values."""
    arrow = import_module("pyarrow")
    named = dict(table.schema().items())
    kinds = [arrow.string() if _only_text(kind) else kind.to_pyarrow() for kind in named.values()]
    alike = len({type(each) for each in rule.classes}) == 1
    kinds.append(arrow.array(list(rule.classes)).type if alike else arrow.string())
    schema = arrow.schema(list(zip([*named, _name(rule)], kinds, strict=True)))

    def column(entries: Any, kind: Any) -> Any:
        told = [None if each is None else str(each) for each in entries] if kind == arrow.string() else entries
        return arrow.array(told, kind)

    with import_module("pyarrow.parquet").ParquetWriter(file.draft, schema) as there:

        def write(rows: LabeledRows) -> None:
            entries = zip((*rows.columns, rows.labels), kinds, strict=True)
            there.write_table(arrow.table([column(*each) for each in entries], schema=schema))

        yield write


def _only_text(kind: Any) -> bool:
    return kind.is_uuid() or kind.is_json() or (kind.is_decimal() and kind.precision is None)


def _name(rule: Model) -> str:
    return f"predicted {rule.label}" if rule.label else "predicted"


def _entries(column: NDArray[Any]) -> list[Any]:
    """A column as text files spell it; numpy would make numbers of times that Python's do not hold."""
    if column.dtype.kind != "M":
        return column.tolist()  # type: ignore[no-any-return]
    pairs = zip(column.tolist(), column, strict=True)
    return [None if np.isnat(time) else told if isinstance(told, date) else shown(time) for told, time in pairs]


def _csv(rows: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
