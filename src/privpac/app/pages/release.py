"""The pages of releases: a form, a preview of what it would cost, and the answers with their error.

The form of a release: which table, what is counted, and at which price.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from privpac.app.markup import FormField, facts, html_table
from privpac.app.pages.class_form import NAMED, PART_HINT
from privpac.app.pages.learn import (
    KNOWN,
    MISFITS,
    check_account,
    counted_records,
    price_fields,
    source_fields,
    unit_fields,
)
from privpac.app.pages.priced_page import AskingPage
from privpac.app.session import Session
from privpac.app.spending.pages import Promise, cost_facts, found_of, other_prices
from privpac.app.spending.spend_once import JustReleased
from privpac.classes.base import ConceptClass
from privpac.classes.schemas.described import built, columns_of, combinations
from privpac.classes.schemas.schema import Schema
from privpac.data.engines.views import check_columns
from privpac.data.files.csv_files import csv_text
from privpac.privacy.budget import Budget
from privpac.privacy.store.keys import Once
from privpac.refusals.refusal import Refused, Setting
from privpac.release.algorithm import ReleasePreview
from privpac.release.release import Release
from privpac.release.release_request import ReleaseRequest
from privpac.report.numbers import grouped
from privpac.report.pages.accuracy import percent
from privpac.report.pages.frame import Named
from privpac.report.pages.release import release_page

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
    front.algorithm(1)
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


RELEASING = "Counts, distributions, crosstabs, and synthetic tables, each with a bound on its error."
NOTHING_YET = "<p>Say what to count, then look at what it will cost. Looking costs nothing.</p>"
UNFIT = "missing, or not declared: counted in the number of records, and nowhere else"
NAMED_HERE = Named(about={"Values that do not fit": UNFIT}, file="release.json")
MOST_ROWS = 100_000  # of a synthetic table in a browser


def _counts(release: Release) -> Response:
    return Response(csv_text(release.counts()), media_type="text/csv")


def _synthetic(release: Release) -> Response:
    """Records drawn from the answers alone, which costs no privacy; other ones each time."""
    return Response(csv_text(release.synthetic(min(release.n, MOST_ROWS))), media_type="text/csv")


def _json(session: Session, given: dict[str, str]) -> Response:
    return Response(found_of(session, given, "release").text, media_type="application/json")


def _file(made: Callable[[Release], Response]) -> Callable[[Session, dict[str, str]], Response]:
    return lambda session, given: made(Release.from_json(found_of(session, given, "release").text))


release_files = {
    "/release/release.json": _json,
    "/release/counts.csv": _file(_counts),
    "/release/synthetic.csv": _file(_synthetic),
}


def _ahead(session: Session, given: dict[str, str], task: ReleaseTask) -> tuple[str, Budget]:
    ahead = task.front.preview(task.n)
    told = cost_facts(session, given, ahead.cost, ahead.protected, task.unit is not None)
    how = ("Error of every count", _off(ahead) or "will be measured", _measured(ahead))
    rows = [["all counts", ahead.title]]
    if ahead.measuring:
        share = percent(float(ahead.measuring))
        rows.append(["how far they are off", f"noisy measurement of the largest error, for {share} of the budget"])

    def at(ε: str) -> Promise:
        other = task.front.asking(epsilon=ε).preview(task.n)
        return other.cost, _off(other)

    prices = other_prices(session, given, "error of every count", at)
    return facts(*told, how) + html_table(["asked for", "how"], rows, "What will be asked") + prices, ahead.cost


def _off(ahead: ReleasePreview) -> str:
    """By how many records every count is off at most; nothing if that is known only afterwards."""
    if ahead.known is None:
        return ""
    return f"± {grouped(ahead.known // 2 if _halved(ahead) else ahead.known)} records"


def _halved(ahead: ReleasePreview) -> bool:
    """Whether a count that is shown is off by half as much as one that is not."""
    return ahead.certain and ahead.known is not None and ahead.known < ahead.n


def _measured(ahead: ReleasePreview) -> str:
    if ahead.certain:
        unseen = f"; a value that is not shown has at most {grouped(ahead.known or 0)}" * _halved(ahead)
        return f"with certainty{unseen}"
    return "for all counts at once, 95 % certain" + "; it will be measured, too" * (ahead.known is not None)


def _answered(task: ReleaseTask, account: Once, _: str) -> JustReleased:
    task.front.budget = account
    release = task.front.fit(task.table, task.unit).release_
    return JustReleased(release.to_json(), release.subject, lambda: release_page(release, NAMED_HERE))


RELEASE = AskingPage(
    *("release", "Release", RELEASING, NOTHING_YET),
    fields=release_fields,
    task=release_task,
    preview=_ahead,
    release=_answered,
    files={
        "release.json": "release.json",
        "counts.csv": "counts.csv",
        "synthetic.csv": "synthetic records",
        "report.html": "report.html",
    },
)
