"""The pages of summaries: counts, sums, means, and quartiles of a column by groups, at one price."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, InvalidOperation
from functools import partial
from typing import Any

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.class_form import COLUMN_HINT, schema_field, schema_name, stored_name
from privpac.app.pages.priced_page import (
    MISFITS,
    PagePreview,
    PricedForm,
    PricedPage,
    chosen_table,
    record_count,
    unit_fields,
)
from privpac.app.pages.release import ReleaseTask, release_answers
from privpac.app.pages.released import JSON_FILE, csv_file
from privpac.app.session import Session
from privpac.app.spending.prices import Promise, cost_facts, price_table
from privpac.classes.schemas.classes_by_name import grouping_columns
from privpac.classes.schemas.schema import NUMBERS, Column, Schema
from privpac.data.engines.views import check_columns
from privpac.refusals.refusal import InOtherWords, Refused, Setting, refusal_about
from privpac.release.release_request import ReleaseRequest
from privpac.release.summaries.answers import Estimate
from privpac.release.summaries.sanitizer import SummarySanitizer
from privpac.release.summarize import Summary, group_names, summary_request
from privpac.report.numbers import grouped, number_text, percent
from privpac.report.pages.frame import PageNames

BOUNDS = {"low": "0", "high": "100", "step": "1"}  # the values in the fields before anyone types
STEP_HINT = "1 for whole numbers, 0.1 for numbers such as 4.7. Values in between count as the lower one."
BY_HINT = "Such as ward. Empty: all records together."
VALUES_HINT = "All that may occur: medicine, surgery, other. A record with another value is not counted."
SEVERAL = "Several with commas between them. Empty: all records together."
NUMBER_HINT = f"{COLUMN_HINT} Empty cells, NA, and ? count as missing."
NA = ("NA", "N/A", "n/a", "?", "-", ".")  # none of them spells a number
UNFIT = "a group or number that was not declared: counted in the number of records, and nowhere else"
QUARTILES_HINT = "Without them, counts, sums, and means get the whole price, and are more exact."


def summarize_form(session: Session, values: FormValues) -> PricedForm:
    """The form of a summary: which table, which column, which groups, at which price."""
    schema = session.schema(schema_name(session, values))
    columns = _typed_fields(values) if schema is None else _declared(schema, values)
    question, units = [*schema_field(session, values), *columns], unit_fields(session, schema, values)
    quartiles = FormField("Quartiles, too", "quartiles", _quartiles(values), QUARTILES_HINT, flag=True)
    return PricedForm.of(session, values, question, units, quartiles, with_bounds=schema is None, with_delta=False)


def summarize_task(session: Session, values: FormValues) -> ReleaseTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    if not (number := values.get("x", "").strip()):
        raise Refused("x", "name the column that holds the number")
    by = grouping_columns(text) if (text := values.get("by", "").strip()) else []
    schema, unit = session.schema(schema_name(session, values)), session.unit()
    table = chosen_table(session, values, "this summary", schema)
    check_columns(table, [number], "x")
    check_columns(table, by, "by")
    request = summary_request(
        schema or _typed_schema(values, number, by, table), number, by, quartiles=bool(_quartiles(values)),
        epsilon=values.get("epsilon", "1").strip(), on_invalid=MISFITS, max_records=unit.max_records if unit else None,
    )  # fmt: skip
    request.algorithm(1)
    return ReleaseTask(request, table, unit.column if unit else None, record_count(table, unit))


def _typed_fields(values: FormValues) -> list[FormField]:
    """The fields without a schema: the bounds of the numbers, and one column of groups with its values."""
    low, high, step = (values.get(name, first) for name, first in BOUNDS.items())
    return [
        FormField("Column of numbers", "x", values.get("x", ""), NUMBER_HINT),
        FormField("Least value", "low", low),
        FormField("Largest value", "high", high),
        FormField("Round down to multiples of", "step", step, STEP_HINT),
        FormField("Column of groups", "by", values.get("by", ""), BY_HINT),
        FormField("Groups", "groups", values.get("groups", ""), VALUES_HINT),
    ]


def _declared(schema: Schema, values: FormValues) -> list[FormField]:
    """The fields with a schema: one of its columns of numbers, and some of its categories."""
    numbers = {column.name: column.name for column in schema.columns if column.kind in NUMBERS}
    groups = group_names(schema)
    hint = f"{SEVERAL} Declared: {', '.join(groups)}." if groups else "The schema declares no groups; leave this empty."
    return [
        FormField("Column of numbers", "x", values.get("x", next(iter(numbers), "")), "", numbers),
        FormField("Columns of groups", "by", values.get("by", ""), hint),
    ]


def _typed_schema(values: FormValues, number: str, by: list[str], table: Any) -> Schema:
    """The columns as the form declares them: the ``number``, which may be missing, and the groups."""
    low, high, step = (values.get(name, first).strip() for name, first in BOUNDS.items())
    numbers = Column(number, "float64", low=low, high=high, step=_step(step), missing=True, na=NA)
    group_values = [value for text in values.get("groups", "").split(",") if (value := text.strip())]
    if len(by) > 1:
        raise Refused(
            "by", "several columns of groups need a schema; name one column, or start the server with a schema"
        )
    if bool(by) != bool(group_values):
        raise Refused("groups" if by else "by", "name the column of groups and its values, or neither of the two")
    with InOtherWords(partial(refusal_about, parameter="groups"), Refused):
        groups = [
            Column(name, "category", values=[stored_name(value, table, name) for value in group_values]) for name in by
        ]
    return Schema((*groups, *([] if by == [number] else [numbers])))


def _step(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise Refused("step", Setting("step"), " must be a number such as 1 or 0.1") from None


def _quartiles(values: FormValues) -> str:
    """The value of the box: "yes" if it is ticked, else "". It is ticked until someone sends the form without it."""
    return values.get("quartiles", "" if "x" in values else "yes")


def _preview(session: Session, values: FormValues, task: ReleaseTask) -> PagePreview:
    preview = task.request.preview(task.n)
    sanitizer = _sanitizer(task.request, task.n)
    estimates, groups = sanitizer.foreseen(task.n), grouped(sanitizer.groups)
    number, low, high = estimates.records  # an end of the interval may be cut off at 0 or at n
    rows = [
        ["number of records", "noisy counts", f"± {grouped(max(number - low, high - number))}"],
        ["sum and mean", "noisy sums", f"about {_width(estimates.mean)} for the mean"],
    ]
    if preview.measuring:
        rows.append(["quartiles", "a noisy distribution", f"will be measured, for {percent(preview.measuring)} of ε"])

    def promise_at(ε: str) -> Promise:
        request = task.request.asking(epsilon=ε)
        return request.preview(task.n).cost, _width(_sanitizer(request, task.n).foreseen(task.n).mean)

    size = f"about, in a group of {grouped(number)} records; the fewer records, the wider"
    return PagePreview(
        preview.cost,
        [
            *cost_facts(session, values, preview.cost, preview.protected, task.unit is not None),
            ("Mean of a group", _width(estimates.mean), f"{size}; 95 % certain"),
        ],
        [
            f"asked for, in each of {groups} groups" if sanitizer.groups > 1 else "asked for, of all records",
            "how",
            "off by at most",
        ],
        rows,
        price_table(session, values, "mean of a group, about", promise_at),
    )


def _sanitizer(request: ReleaseRequest, n: int) -> SummarySanitizer:
    """The algorithm behind the request, which also foresees how wide intervals will be."""
    sanitizer = request.algorithm(n).sanitizer
    assert isinstance(sanitizer, SummarySanitizer)
    return sanitizer


def _width(estimate: Estimate) -> str:
    """Half the width of an estimate's interval, as text."""
    return f"± {number_text(float(estimate.high - estimate.low) / 2, ROUND_CEILING, 2)}"


SUMMARIZE = PricedPage(
    "summarize",
    form=summarize_form,
    task=summarize_task,
    preview=_preview,
    release=release_answers(PageNames(about={"Records that do not fit": UNFIT}, file="release.json")),
    files={"summary.csv": csv_file(lambda release: Summary(release).table()), "release.json": JSON_FILE},
)
