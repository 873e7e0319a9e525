"""The form of a release: which table, what is counted, and at which price.

Main declarations
    release_fields    the fields, with what was given in them
    release_task      what the fields ask for, checked
    ReleaseTask       the release, the open table, and the units
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privpac.app.class_form import NAMED, PART_HINT
from privpac.app.learn_form import (
    KNOWN,
    MISFITS,
    check_account,
    counted_records,
    price_fields,
    source_fields,
    unit_fields,
)
from privpac.app.markup import FormField
from privpac.app.session import Session
from privpac.classes.base import ConceptClass
from privpac.classes.described import built, columns_of, combinations
from privpac.classes.schema import Schema
from privpac.data.engine_views import check_columns
from privpac.data.refusal import Refused, Setting
from privpac.release.release_request import ReleaseRequest

KINDS = {
    "counts": "how many records have each value",
    "distribution": "how a number is distributed",
    "crosstab": "how columns go together",
}
TABLE = {"table": "a whole table, declared by a schema"}
BOUNDS = {"low": "0", "high": "120", "step": ""}  # before anything is typed
SHIPPED = "flights.csv"  # the table that is offered if none is named
PARTS = "dep_delay thresholds -60 1440 step=100\ncarrier points AA,DL,UA"
BY_HINT = "Several with commas between them, counted together. Values need not be declared; rare ones are not shown."
STEP_HINT = "Such as 0.1, 5, 15m, 1h, or 1d. Values in between count as the lower one."


@dataclass(frozen=True)
class ReleaseTask:
    """What to release about an open table."""

    front: ReleaseRequest
    table: Any
    unit: str | None
    n: int


def release_fields(session: Session, given: dict[str, str]) -> list[FormField | str]:
    """The fields in three groups: records, question, and price."""
    kind = _kind(session, given)
    offered = KINDS | (TABLE if session.schemas else {})
    schema = _schema(session, given) if kind == "table" else None
    return [
        "<fieldset><legend>1 · Records</legend>",
        *source_fields(session, given),
        "</fieldset><fieldset><legend>2 · Question</legend>",
        FormField("Find out", "what", kind, "", offered, reloads=True),
        *_question_fields(session, given, kind),
        *unit_fields(session, schema, given),
        "</fieldset><fieldset><legend>3 · Price</legend>",
        *price_fields(session, given),
        "</fieldset>",
    ]


def release_task(session: Session, given: dict[str, str]) -> ReleaseTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    kind = _kind(session, given)
    schema = _schema(session, given) if kind == "table" else None
    queries = schema or _queries(given, kind)
    unit = session.unit()
    x = given.get("x", "").strip()
    if kind == "distribution" and not x:
        raise Refused("x", "name the column that holds the number")
    front = ReleaseRequest(
        queries,
        epsilon=given.get("epsilon", "1").strip(),
        delta=given.get("delta", "").strip() or None,
        feature=x if kind == "distribution" else (),
        on_invalid=MISFITS,
        max_records=unit.max_records if unit else None,
    )
    front.releasing(1)
    check_account(session, given, unit, "this release")
    table = session.source(given.get("source", "")).table()
    if schema is not None:
        schema.check_names(table.columns)
    elif kind == "distribution":
        check_columns(table, [x], "x")
    elif isinstance(queries, ConceptClass):
        check_columns(table, [str(name) for name in queries.domain.column_names], "by" if kind == "counts" else "part")
    return ReleaseTask(front, table, unit.column if unit else None, counted_records(table, unit))


def _kind(session: Session, given: dict[str, str]) -> str:
    asked = given.get("what", "counts")
    return asked if asked in KINDS or (asked == "table" and session.schemas) else "counts"


def _schema(session: Session, given: dict[str, str]) -> Schema:
    found = session.schema(given.get("schema") or next(iter(session.schemas)))
    assert found is not None
    return found


def _queries(given: dict[str, str], kind: str) -> ConceptClass:
    if kind == "counts":
        return combinations(columns_of(given.get("by", "")))
    if kind == "distribution":
        said = {name: given.get(name, first).strip() for name, first in BOUNDS.items()}
        return built("thresholds", {name: text for name, text in said.items() if text})
    if not (lines := [line for line in given.get("part", "").splitlines() if line.strip()]):
        raise Refused("part", Setting("part"), " needs a line for each column, such as: ward points A,B,C")
    return built("marginals", {"part": lines})


def _example(session: Session, given: dict[str, str]) -> str:
    """Columns of the table that ships with the package; nothing for other tables, whose columns nobody shows."""
    sources = session.sources
    return PARTS if sources.get(given.get("source", next(iter(sources), ""))) == SHIPPED else ""


def _question_fields(session: Session, given: dict[str, str], kind: str) -> list[FormField | str]:
    if kind == "counts":
        return [FormField("Columns to count by", "by", given.get("by", ""), BY_HINT)]
    if kind == "table":
        chosen = given.get("schema") or next(iter(session.schemas))
        return [FormField("Schema", "schema", chosen, "", {name: name for name in session.schemas}, reloads=True)]
    if kind == "crosstab":
        return [
            FormField("Columns, a line each", "part", given.get("part", _example(session, given)), PART_HINT, lines=5),
            KNOWN,
        ]
    return [
        FormField("Column", "x", given.get("x", ""), NAMED),
        FormField("Least value", "low", given.get("low", BOUNDS["low"])),
        FormField("Largest value", "high", given.get("high", BOUNDS["high"])),
        FormField("Distance between cuts", "step", given.get("step", ""), STEP_HINT, rare=True),
        KNOWN,
    ]
