"""The pages of learning: a form, a preview of what it would cost and promise, and what was released.

Nothing about a record is shown but what was released. Before the preview, the table is read only to count its records,
and their number is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.class_form import ChosenClass, as_stored, chosen_class, class_editor, class_fields, schema_name
from privpac.app.pages.plan import BEST_ERROR, asked_weights, weight_fields
from privpac.app.pages.priced_page import (
    MISFITS,
    PagePreview,
    PricedForm,
    PricedPage,
    RequestTask,
    chosen_table,
    record_count,
    unit_fields,
)
from privpac.app.pages.released import JSON_FILE
from privpac.app.session import Session
from privpac.app.spending.prices import Promise, cost_facts, price_table
from privpac.app.spending.spend_once import NewRelease
from privpac.classes.schemas.classes_by_name import columns_read
from privpac.data.engines.views import check_columns
from privpac.data.values.spelling import stored_labels, typed_labels
from privpac.learners.model import model_of
from privpac.learners.rule_request import RuleRequest
from privpac.privacy.certificate import Utility
from privpac.privacy.rounding import certainty
from privpac.privacy.store.once import Once
from privpac.refusals.refusal import Refused
from privpac.report.numbers import grouped
from privpac.report.pages.accuracy import certified_bound, certified_name
from privpac.report.pages.frame import PageNames
from privpac.report.pages.rule import fit_page

ERROR_LABEL = "Measure the error on a fifth of the records"
LABELS_HINT = "The negative one first: no, yes. For trees, also more."
ERROR_HINT = "It costs nothing more: the rule is learned from the other records."
LearnTask = RequestTask[RuleRequest]


def learn_form(session: Session, values: FormValues) -> PricedForm:
    """The form of a rule to learn: which table, which columns, which class, at which price."""
    schema = session.schema(schema_name(session, values))
    has_label = schema is not None and schema.label is not None
    labels = [] if has_label else label_fields(values)
    details = [*labels, *weight_fields(schema, values, " Or: balanced."), *unit_fields(session, schema, values)]
    measured = FormField(ERROR_LABEL, "report_error", _reports_error(values), ERROR_HINT, flag=True)
    question = class_fields(session, values)
    return PricedForm.of(session, values, question, details, measured, with_bounds=schema is None)


def learn_task(session: Session, values: FormValues, **parameters: Any) -> LearnTask:
    """What the fields ask for; Refused if something is wrong, before a record is read.

    ``parameters`` are further parameters of the request, for pages that name an algorithm.
    """
    chosen = chosen_class(session, values)
    y, classes = _labels(chosen, values)
    unit = session.unit()
    request = RuleRequest(
        chosen.concept_class, feature=columns_read(chosen.concept_class, chosen.x), classes=classes,
        epsilon=values.get("epsilon", "1").strip(), delta=values.get("delta", "").strip() or None,
        on_invalid=MISFITS, max_records=unit.max_records if unit else None,
        report_error=bool(_reports_error(values)), class_weight=asked_weights(chosen.schema, values), **parameters,
    )  # fmt: skip
    request.learner()
    table = chosen_table(session, values, "this fit", chosen.schema)
    feature = request.feature
    request.concept_class = as_stored(chosen.concept_class, table, feature)
    request.classes = stored_labels(classes, table, y)
    names = chosen.concept_class.domain.column_names or ([feature] if isinstance(feature, str) else feature)
    check_columns(table, [str(name) for name in names], "x")
    check_columns(table, [y], "y")
    return LearnTask(request, table, unit.column if unit else None, record_count(table, unit), y, tuple(classes))


def _labels(chosen: ChosenClass, values: FormValues) -> tuple[str, Sequence[Any]]:
    """The column of labels, and the labels: two, or more than two for a single tree."""
    if chosen.schema is not None and chosen.schema.label is not None:
        return chosen.schema.label.column, chosen.schema.label.classes
    return label_column(values)


def label_column(values: FormValues) -> tuple[str, tuple[Any, ...]]:
    """The column of labels, and the two labels, as the form names them."""
    if not (y := values.get("y", "").strip()):
        raise Refused("y", "name the column that holds the labels")
    return y, typed_labels(values.get("classes", "0, 1"))


def label_fields(values: FormValues) -> list[FormField]:
    """Which column holds the labels, and what they are."""
    return [
        FormField("Column to predict", "y", values.get("y", ""), "It holds one of two labels, such as no and yes."),
        FormField("The labels", "classes", values.get("classes", "0, 1"), LABELS_HINT),
    ]


def _reports_error(values: FormValues) -> str:
    """The value of the box: "yes" if it is ticked, else "". It is ticked until someone sends the form without it."""
    return values.get("report_error", "" if "class" in values else "yes")


def _preview(session: Session, values: FormValues, task: LearnTask) -> PagePreview:
    preview = task.request.preview(task.n)
    utility = preview.utility
    if utility is not None:
        best = BEST_ERROR.replace("error", "cost") if utility.weights else BEST_ERROR
        remark = f"{best if utility.regime == 'agnostic' else ''}{certainty(utility.beta, percent=True)} certain"
    elif task.request.balanced:
        remark = "unknown until the weights are counted"
    else:
        remark = "too few records, or no proof"

    def promise_at(ε: str) -> Promise:
        at_ε = task.request.asking(epsilon=ε).preview(task.n)
        return at_ε.cost, _certified_error(at_ε.utility) or "none"

    rows = [[f"a rule ({preview.learner})", preview.title, grouped(preview.learned)]]
    if preview.held:
        rows.append(["its error", "noisy counts of right and wrong answers", f"{grouped(preview.held)} others"])
    return PagePreview(
        preview.cost,
        [
            *cost_facts(session, values, preview.cost, preview.protected, task.unit is not None),
            (certified_name(utility), _certified_error(utility) or "none", remark),
        ],
        ["asked for", "how", "records"],
        rows,
        price_table(session, values, certified_name(utility).lower(), promise_at, nothing="none"),
        numbers=[2],
        editor=class_editor(session, values),
    )


def _certified_error(utility: Utility | None) -> str:
    """The certified error, in words; "" if there is none."""
    if utility is None:
        return ""
    return f"≤ {'best + ' if utility.regime == 'agnostic' else ''}{certified_bound(utility)}"


def release_rule(task: LearnTask, account: Once, source: str) -> NewRelease:
    """Learn the rule, and charge the account for it."""
    task.request.budget = account
    task.request.fit(task.table, task.y, task.unit)
    task.request.budget = None
    model = replace(model_of(task.request, task.y), classes=task.classes)
    names = PageNames(file="model.json", data=source)
    return NewRelease(model.to_json(), model.headline, lambda: fit_page(task.request, model, names))


LEARN = PricedPage(
    "learn",
    form=learn_form,
    task=learn_task,
    preview=_preview,
    release=release_rule,
    files={"model.json": JSON_FILE},
)
