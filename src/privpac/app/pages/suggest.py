"""The pages of suggested schemas: a form, a preview of what it would cost and see, and the schema to edit."""

from __future__ import annotations

from dataclasses import replace

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.priced_page import (
    PagePreview,
    PricedForm,
    PricedPage,
    RequestTask,
    chosen_table,
    record_count,
    unit_fields,
)
from privpac.app.pages.released import KeptFile
from privpac.app.session import Session
from privpac.app.spending.prices import Promise, cost_facts, price_table
from privpac.app.spending.spend_once import NewRelease
from privpac.classes.schemas.classes_by_name import names_in
from privpac.privacy.store.once import Once
from privpac.release.suggestions.suggestion_request import SuggestionRequest
from privpac.report.numbers import grouped
from privpac.report.pages.suggested_schema import suggestion_page

LEAST_EPSILON = "0.5"  # the value in the field before anyone types
COLUMNS_HINT = "With commas between them. They share the price: with fewer columns, each is measured more precisely."
LABEL_HINT = "If a rule will predict it; otherwise empty."
SuggestTask = RequestTask[SuggestionRequest]


def suggest_form(session: Session, values: FormValues) -> PricedForm:
    """The form of a suggestion: which table, which columns, at which price."""
    question = [
        FormField("Columns to look at", "columns", values.get("columns", ""), COLUMNS_HINT),
        FormField("Column of labels", "y", values.get("y", ""), LABEL_HINT),
    ]
    units, values = unit_fields(session, None, values), {"epsilon": LEAST_EPSILON} | values
    return PricedForm.of(session, values, question, units, with_bounds=False)


def suggest_task(session: Session, values: FormValues) -> SuggestTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    declared = session.unit()
    unit = replace(declared, max_records=1) if declared else None  # a suggestion looks at one record of each unit
    request = SuggestionRequest(
        epsilon=values.get("epsilon", LEAST_EPSILON).strip(),
        delta=values.get("delta", "").strip() or None,
        y=values.get("y", "").strip() or None,
        columns=names_in(values.get("columns", ""), "columns"),
    )
    request.conditions()
    table = chosen_table(session, values, "this suggestion")
    return SuggestTask(request, table, unit.column if unit else None, record_count(table, unit))


def _preview(session: Session, values: FormValues, task: SuggestTask) -> PagePreview:
    preview = task.request.preview(task.table, task.unit)

    def promise_at(ε: str) -> Promise:
        at_ε = task.request.asking(epsilon=ε).preview(task.table, task.unit)
        return at_ε.cost, f"{grouped(at_ε.ranges_from)} records or more"

    remark = "noise hides what fewer records share"
    return PagePreview(
        preview.cost,
        [
            *cost_facts(session, values, preview.cost, preview.n, task.unit is not None),
            ("Ranges of values are seen", f"if shared by {grouped(preview.ranges_from)} records or more", remark),
        ],
        ["asked for", "how"],
        [
            ["kinds, bounds, and frequent values", "noisy histograms of all columns"],
            ["how many records fit, at least", "fresh noisy counts, 95 % certain for all columns at once"],
        ],
        price_table(session, values, "ranges are seen if shared by", promise_at),
    )


def _release(task: SuggestTask, account: Once, source: str) -> NewRelease:
    task.request.budget = account
    suggestion = task.request.fit(task.table, task.unit, source).suggestion_
    title = f"A schema of {len(suggestion.columns)} columns"
    return NewRelease(suggestion.text, title, lambda: suggestion_page(suggestion))


SUGGEST = PricedPage(
    "suggest",
    form=suggest_form,
    task=suggest_task,
    preview=_preview,
    release=_release,
    files={"schema.toml": KeptFile("text/plain")},
)
