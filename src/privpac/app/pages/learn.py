"""The pages of learning: a form, a preview of what it would cost and promise, and what was released.

Nothing about a record is shown but what was released. Reading the table before the preview counts its records, whose
number is public.

The form of a rule to learn: which table, which columns, which class, at which price.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Any

from starlette.responses import Response

from privpac.app.markup import FormField, facts, html_table
from privpac.app.pages.class_form import ChosenClass, as_stored, chosen_class, class_editor, class_fields, schema_name
from privpac.app.pages.plan import DELTA_HINT, DELTAS, EPSILON_HINT, EPSILONS, OF_ALL
from privpac.app.pages.priced_page import AskingPage
from privpac.app.session import Session
from privpac.app.spending.pages import Promise, cost_facts, found_of, other_prices
from privpac.app.spending.spend_once import JustReleased
from privpac.classes.schemas.described import columns_read
from privpac.classes.schemas.schema import Schema, Unit
from privpac.data.counting.groups import size_of
from privpac.data.engines.views import check_columns
from privpac.data.samples.units import Quota
from privpac.data.values.spelling import labels, words
from privpac.learners.fit import Preview
from privpac.learners.model import model_of
from privpac.learners.rule_request import RuleRequest
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.printed_bounds import certainty
from privpac.privacy.store.keys import Once
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting
from privpac.report.numbers import grouped
from privpac.report.pages.accuracy import percent
from privpac.report.pages.frame import Named
from privpac.report.pages.rule import fit_page
from privpac.requests.paying import protected

UPLOAD = (
    '<div class="field"><label for="upload">Another CSV or Parquet file</label>'
    '<input type="file" id="upload" name="upload" form="sending" accept=".csv,.tsv,.parquet,.pq" data-upload '
    'data-token="{token}"><small id="upload-status" role="status">At most 20 MB. It stays in the memory of this '
    'server.</small><button form="sending" class="small nojs">Send the file</button></div>'
)
KNOWN = '<p class="note">Bounds and values come from what everyone knows, not from a look at the records.</p>'
MISFITS: InvalidRule = "default"  # no record can stop a fit: one that does not fit counts toward n and toward no score
MEASURED = "It costs nothing more: the rule is learned from the other records."
ANY_KEY = "counting units needs no key"
UNDECLARED = (
    "the server decides who is protected as a whole, not a form; start it with another schema, or with "
    "privpac explore --unit COLUMN --max-records NUMBER"
)


@dataclass(frozen=True)
class LearnTask:
    """What to learn from which columns of an open table."""

    clf: RuleRequest
    table: Any
    y: str
    classes: tuple[Any, ...]  # the labels in the words of the form
    unit: str | None
    n: int


def learn_fields(session: Session, given: dict[str, str]) -> list[FormField | str]:
    """The fields in three groups: records, rule, and price."""
    schema = session.schema(schema_name(session, given))
    return [
        "<fieldset><legend>1 · Records</legend>",
        *source_fields(session, given),
        "</fieldset><fieldset><legend>2 · Rule</legend>",
        *class_fields(session, given),
        KNOWN if schema is None else "",
        *_label_fields(given, declared=schema is not None and schema.label is not None),
        *unit_fields(session, schema, given),
        "</fieldset><fieldset><legend>3 · Price</legend>",
        *price_fields(session, given),
        FormField("Measure the error on a fifth of the records", "report_error", _ticked(given), MEASURED, flag=True),
        "</fieldset>",
    ]


def source_fields(session: Session, given: dict[str, str]) -> list[FormField | str]:
    """Which table."""
    sources = session.sources
    chosen = given.get("source", next(iter(sources), ""))
    return [
        FormField("Table", "source", chosen, "Pages show neither its values nor its columns.", sources),
        UPLOAD.format(token=escape(session.form_token)),
    ]


def unit_fields(session: Session, schema: Schema | None, given: dict[str, str]) -> list[FormField | str]:
    """The unit as it was declared when the server was started; Refused if a form names another one.

    The number of units is shown before anything is charged. If a form chose the column, anyone could count the values
    of any column.
    """
    unit = session.unit()
    said = {"unit": unit.column, "max_records": str(unit.max_records)} if unit else {"unit": "", "max_records": ""}
    if any(given.get(name, "").strip() not in ("", text) for name, text in said.items()):
        raise Refused("unit", UNDECLARED)
    if schema is not None and schema.unit is not None:
        return []
    return [
        FormField("Protected as a whole: each", "unit", said["unit"], fixed=True),
        FormField("Records of each that count, at most", "max_records", said["max_records"], fixed=True),
    ]


def price_fields(session: Session, given: dict[str, str]) -> list[FormField | str]:
    """ε, δ, and the account that is charged."""
    names = {name: name for name in session.accounts()}
    account = FormField("Account to charge", "account", given.get("account", next(iter(names), "")), "", names)
    none = '<p class="note">There is no account to charge; see <a href="/budgets">Budgets</a>.</p>'
    return [
        FormField("Privacy ε", "epsilon", given.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS),
        FormField("Privacy δ", "delta", given.get("delta", ""), DELTA_HINT, steps=DELTAS, rare=True),
        account if names else none,
    ]


def learn_task(session: Session, given: dict[str, str]) -> LearnTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    chosen = chosen_class(session, given)
    y, said = _labels(chosen, given)
    unit = session.unit()
    clf = RuleRequest(
        chosen.concept_class,
        feature=columns_read(chosen.concept_class, chosen.x),
        epsilon=given.get("epsilon", "1").strip(),
        delta=given.get("delta", "").strip() or None,
        classes=said,
        on_invalid=MISFITS,
        max_records=unit.max_records if unit else None,
        report_error=bool(_ticked(given)),
    )
    clf.learner()
    check_account(session, given, unit, "this fit")
    table = session.source(given.get("source", "")).table()
    if chosen.schema is not None:
        chosen.schema.check_names(table.columns)
    clf.concept_class = as_stored(chosen.concept_class, table, clf.feature)
    clf.classes = labels((said[0], said[1]), table, y)
    read = chosen.concept_class.domain.column_names or ([clf.feature] if isinstance(clf.feature, str) else clf.feature)
    check_columns(table, [str(name) for name in read], "x")
    check_columns(table, [y], "y")
    return LearnTask(clf, table, y, said, unit.column if unit else None, counted_records(table, unit))


def check_account(session: Session, given: dict[str, str], unit: Unit | None, what: str) -> None:
    """OtherUnit if the account that would pay protects another unit; no record is read for it."""
    if (name := given.get("account", "")) in session.accounts():
        protected(session.account(name), unit.column if unit else None, what)


def counted_records(table: Any, unit: Unit | None) -> int:
    """How many records count, or slots of declared units: both are public; Refused if there are none."""
    n = size_of(table, Quota(unit.column, unit.max_records, ANY_KEY) if unit else None)
    if n == 0:
        raise Refused("source", "the table has no records; choose another one")
    return n


def _labels(chosen: ChosenClass, given: dict[str, str]) -> tuple[str, tuple[Any, ...]]:
    """The column of labels, and the two labels."""
    if chosen.schema is not None and chosen.schema.label is not None:
        return chosen.schema.label.column, chosen.schema.label.classes
    if not (y := given.get("y", "").strip()):
        raise Refused("y", "name the column that holds the labels")
    said = words(given.get("classes", "0, 1"))
    if len(said) != 2:
        raise Refused("classes", Setting("classes"), " takes two labels here, the negative one first")
    return y, said


def _label_fields(given: dict[str, str], *, declared: bool) -> list[FormField | str]:
    if declared:
        return []
    return [
        FormField("Column to predict", "y", given.get("y", ""), "It holds one of two labels, such as no and yes."),
        FormField("The two labels", "classes", given.get("classes", "0, 1"), "The negative one first: no, yes."),
    ]


def _ticked(given: dict[str, str]) -> str:
    """Ticked before the form was ever sent."""
    return given.get("report_error", "" if "class" in given else "yes")


ABOUT_LEARNING = "First see what a rule would cost and promise. If you then spend, you get the rule and a report, once."
EMPTY = "<p>Name the columns, then look at what it will cost. Looking costs nothing.</p>"


def model_file(session: Session, given: dict[str, str]) -> Response:
    """The model as JSON."""
    return Response(found_of(session, given, "learn").text, media_type="application/json")


def _ahead(session: Session, given: dict[str, str], task: LearnTask) -> tuple[str, Budget]:
    ahead = task.clf.preview(task.n)
    utility = ahead.utility
    told = [
        *cost_facts(session, given, ahead.cost, ahead.protected, task.unit is not None),
        (
            "Certified error",
            _certified(utility) or "none",
            "too few records, or no proof"
            if utility is None
            else f"{OF_ALL * (utility.regime == 'agnostic')}{certainty(utility.beta, percent=True)} certain",
        ),
    ]

    def at(ε: str) -> Promise:
        other = task.clf.asking(epsilon=ε).preview(task.n)
        return other.cost, _certified(other.utility)

    prices = other_prices(session, given, "certified error", at)
    return facts(*told) + _asked_for(ahead) + prices + class_editor(session, given), ahead.cost


def _certified(utility: Utility | None) -> str:
    """The certified error; nothing if there is none."""
    if utility is None:
        return ""
    return f"≤ {'best + ' * (utility.regime == 'agnostic')}{percent(utility.alpha)}"


def _asked_for(ahead: Preview) -> str:
    rows = [[f"a rule ({ahead.learner})", ahead.title, grouped(ahead.learned)]]
    if ahead.held:
        rows.append(["its error", "noisy counts of right and wrong answers", f"{grouped(ahead.held)} others"])
    return html_table(["asked for", "how", "records"], rows, "What will be asked", [2])


def _learned(task: LearnTask, account: Once, source: str) -> JustReleased:
    task.clf.budget = account
    task.clf.fit(task.table, task.y, task.unit)
    task.clf.budget = None
    model = replace(model_of(task.clf, task.y), classes=task.classes)
    named = Named(file="model.json", data=source)
    return JustReleased(model.to_json(), model.headline, lambda: fit_page(task.clf, model, named))


LEARN = AskingPage(
    *("learn", "Learn", ABOUT_LEARNING, EMPTY),
    fields=learn_fields,
    task=learn_task,
    preview=_ahead,
    release=_learned,
    files={"model.json": "model.json", "report.html": "report.html"},
)
