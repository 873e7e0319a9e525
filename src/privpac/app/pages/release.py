"""The pages of releases: a form, a preview of what it would cost, and the answers with their error."""

from __future__ import annotations

from collections.abc import Callable

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.class_form import COLUMN_HINT, PART_HINT
from privpac.app.pages.learn import label_column, label_fields
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
from privpac.app.pages.released import JSON_FILE, csv_file
from privpac.app.session import Session
from privpac.app.spending.prices import Promise, cost_facts, price_table
from privpac.app.spending.spend_once import NewRelease
from privpac.classes.concept_class import ConceptClass
from privpac.classes.schemas.classes_by_name import class_from_options, combinations, grouping_columns
from privpac.classes.schemas.schema import Schema
from privpac.data.engines.views import check_columns
from privpac.data.values.spelling import stored_labels
from privpac.privacy.store.once import Once
from privpac.refusals.refusal import Refused, Setting
from privpac.release.algorithm import ReleasePreview
from privpac.release.release import Release
from privpac.release.release_request import ReleaseRequest
from privpac.report.numbers import grouped, percent
from privpac.report.pages.frame import PageNames
from privpac.report.pages.release import release_page

KINDS = {
    "counts": "how many records have each value",
    "distribution": "how a number is distributed",
    "curve": "how well a number tells two labels apart (ROC curve)",
    "crosstab": "how columns go together",
}
ON_A_LINE = ("distribution", "curve")  # kinds that are about one number
TABLE = {"table": "a whole table, declared by a schema"}
BOUNDS = {"low": "0", "high": "120", "step": ""}  # the values in the fields before anyone types
SHIPPED = "flights.csv"  # the table of the package, which the explorer offers if it is started without a table
PARTS = "dep_delay thresholds -60 1440 step=100\ncarrier points AA,DL,UA"
BY_HINT = "Several with commas between them, counted together. Values need not be declared; rare ones are not shown."
STEP_HINT = "Such as 0.1, 5, 15m, 1h, or 1d. Values in between count as the lower one."
UNFIT = "missing, or not declared: counted in the number of records, and nowhere else"
MOST_ROWS = 100_000  # the most rows of a synthetic table in a browser
ReleaseTask = RequestTask[ReleaseRequest]


def release_form(session: Session, values: FormValues) -> PricedForm:
    """The form of a release: which table, what is counted, and at which price."""
    kind = _kind(session, values)
    offered = KINDS | (TABLE if session.schemas else {})
    schema = _schema(session, values) if kind == "table" else None
    what = FormField("Find out", "what", kind, "", offered, reloads=True)
    question, units = [what, *_question_fields(session, values, kind)], unit_fields(session, schema, values)
    return PricedForm.of(session, values, question, units, with_bounds=kind in (*ON_A_LINE, "crosstab"))


def release_task(session: Session, values: FormValues) -> ReleaseTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    kind = _kind(session, values)
    schema = _schema(session, values) if kind == "table" else None
    queries = schema or _queries(values, kind)
    unit = session.unit()
    x = values.get("x", "").strip()
    if kind in ON_A_LINE and not x:
        raise Refused("x", "name the column that holds the number")
    y, classes = label_column(values) if kind == "curve" else (None, (0, 1))
    request = ReleaseRequest(
        queries, epsilon=values.get("epsilon", "1").strip(), delta=values.get("delta", "").strip() or None,
        feature=x if kind in ON_A_LINE else (), classes=classes,
        on_invalid=MISFITS, max_records=unit.max_records if unit else None,
    )  # fmt: skip
    request.algorithm(1, labeled=y is not None)
    table = chosen_table(session, values, "this release", schema)
    if kind in ON_A_LINE:
        check_columns(table, [x], "x")
    elif isinstance(queries, ConceptClass):
        check_columns(table, [str(name) for name in queries.domain.column_names], "by" if kind == "counts" else "part")
    if y is not None:
        check_columns(table, [y], "y")
        request.classes = stored_labels((classes[0], classes[-1]), table, y)
    return ReleaseTask(request, table, unit.column if unit else None, record_count(table, unit), y, classes)


def _kind(session: Session, values: FormValues) -> str:
    kind = values.get("what", "counts")
    return kind if kind in KINDS or (kind == "table" and session.schemas) else "counts"


def _schema(session: Session, values: FormValues) -> Schema:
    schema = session.schema(values.get("schema") or next(iter(session.schemas)))
    assert schema is not None
    return schema


def _queries(values: FormValues, kind: str) -> ConceptClass:
    if kind == "counts":
        return combinations(grouping_columns(values.get("by", "")))
    if kind in ON_A_LINE:
        bounds = {name: values.get(name, first).strip() for name, first in BOUNDS.items()}
        return class_from_options("thresholds", {name: text for name, text in bounds.items() if text})
    if not (lines := [line for line in values.get("part", "").splitlines() if line.strip()]):
        raise Refused("part", Setting("part"), " needs a line for each column, such as: ward points A,B,C")
    return class_from_options("marginals", {"part": lines})


def _question_fields(session: Session, values: FormValues, kind: str) -> list[FormField]:
    if kind == "counts":
        return [FormField("Columns to count by", "by", values.get("by", ""), BY_HINT)]
    if kind == "table":
        chosen = values.get("schema") or next(iter(session.schemas))
        return [FormField("Schema", "schema", chosen, "", {name: name for name in session.schemas}, reloads=True)]
    if kind == "crosstab":
        part = values.get("part", _example(session, values))
        return [FormField("Columns, a line each", "part", part, PART_HINT, lines=5)]
    return [
        *(label_fields(values) if kind == "curve" else []),
        FormField("Column", "x", values.get("x", ""), COLUMN_HINT),
        FormField("Least value", "low", values.get("low", BOUNDS["low"])),
        FormField("Largest value", "high", values.get("high", BOUNDS["high"])),
        FormField("Distance between cuts", "step", values.get("step", ""), STEP_HINT, rare=True),
    ]


def _example(session: Session, values: FormValues) -> str:
    """Columns of the table that ships with the package; "" for other tables, whose columns are not public."""
    sources = session.sources
    return PARTS if sources.get(values.get("source", next(iter(sources), ""))) == SHIPPED else ""


def _preview(session: Session, values: FormValues, task: ReleaseTask) -> PagePreview:
    preview = task.request.preview(task.n, labeled=task.y is not None)
    rows = [["all counts", preview.title]]
    if preview.measuring:
        share = percent(float(preview.measuring))
        rows.append(["how far they are off", f"noisy measurement of the largest error, for {share} of the budget"])

    def promise_at(ε: str) -> Promise:
        at_ε = task.request.asking(epsilon=ε).preview(task.n, labeled=task.y is not None)
        return at_ε.cost, _error(at_ε)

    return PagePreview(
        preview.cost,
        [
            *cost_facts(session, values, preview.cost, preview.protected, task.unit is not None),
            ("Error of every count", _error(preview) or "will be measured", _certainty(preview)),
        ],
        ["asked for", "how"],
        rows,
        price_table(session, values, "error of every count", promise_at),
    )


def _error(preview: ReleasePreview) -> str:
    """A bound on the error of every count, in records; "" if it is known only afterwards."""
    if preview.known is None:
        return ""
    bound = preview.known // 2 if _hides_rare_values(preview) else preview.known
    return f"± {grouped(bound)} records"


def _hides_rare_values(preview: ReleasePreview) -> bool:
    """Whether a release shows frequent values only. Then the counts that it shows are off by at most ``known``/2."""
    return preview.certain and preview.known is not None and preview.known < preview.n


def _certainty(preview: ReleasePreview) -> str:
    if _hides_rare_values(preview):
        return f"with certainty; a value that is not shown has at most {grouped(preview.known or 0)}"
    if preview.certain:
        return "with certainty"
    return "for all counts at once, 95 % certain" + "; it will be measured, too" * (preview.known is not None)


def release_answers(names: PageNames) -> Callable[[ReleaseTask, Once, str], NewRelease]:
    """A function that releases answers; ``names`` are for their report."""

    def release(task: ReleaseTask, account: Once, _: str) -> NewRelease:
        task.request.budget = account
        answers = task.request.fit(task.table, task.y, task.unit).release_.labeled_as(task.classes)
        return NewRelease(answers.to_json(), answers.subject, lambda: release_page(answers, names))

    return release


RELEASE = PricedPage(
    "release",
    form=release_form,
    task=release_task,
    preview=_preview,
    release=release_answers(PageNames(about={"Values that do not fit": UNFIT}, file="release.json")),
    files={
        "release.json": JSON_FILE,
        "counts.csv": csv_file(Release.counts),
        # Synthetic records come from the answers alone, which costs no privacy; each file has new ones.
        "synthetic.csv": csv_file(lambda release: release.synthetic(min(release.n, MOST_ROWS)), "synthetic records"),
    },
)
