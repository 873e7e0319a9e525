"""A page that asks for something at a price: its form, a preview, the spending, and what was released."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from starlette.responses import RedirectResponse, Response

from privpac.app.forms import FormField, FormValues, complete_values
from privpac.app.markup import render
from privpac.app.outcomes.outcome import Question
from privpac.app.pages.class_form import schema_name
from privpac.app.pages.plan import DELTA_HINT, DELTAS, EPSILON_HINT, EPSILONS
from privpac.app.pages.released import KeptFile, released_page, report_page
from privpac.app.pages.table_editor import TypedTable
from privpac.app.refusals import result_or_refusal
from privpac.app.session import Session
from privpac.app.spending.offers import SpendOffer
from privpac.app.spending.prices import Fact, PriceTable
from privpac.app.spending.spend_once import NewRelease, spend_once, uncharged
from privpac.classes.schemas.schema import Schema, Unit
from privpac.data.counting.groups import size_of
from privpac.data.samples.units import Quota
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.budget import Budget
from privpac.privacy.store.once import Once
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused
from privpac.requests.paying import protected
from privpac.requests.request import Request

PageView = Callable[[Session, FormValues], Response | str]
MISFITS: InvalidRule = "default"  # records that do not fit are counted in n and in no score, and stop no fit
ANY_KEY = "counting units needs no key"
UNDECLARED = (
    "the server decides who is protected as a whole, not a form; start it with another schema, or with "
    "privpac explore --unit COLUMN --max-records NUMBER"
)
AnyRequest = TypeVar("AnyRequest", bound=Request)


@dataclass(frozen=True)
class PricedForm:
    """The fields in three groups: records, question with its details, and price with options."""

    records: list[FormField]
    question: list[FormField]
    details: list[FormField]
    price: list[FormField]
    options: list[FormField]
    with_bounds: bool  # whether people type bounds or values; if so, a note says where these should come from

    @staticmethod
    def of(
        session: Session,
        values: FormValues,
        question: list[FormField],
        details: list[FormField],
        *options: FormField,
        with_bounds: bool,
        with_delta: bool = True,
    ) -> PricedForm:
        """The form of this question, which names a table and a price."""
        sources = session.sources
        source = values.get("source", next(iter(sources), ""))
        table = FormField("Table", "source", source, "Pages show neither its values nor its columns.", sources)
        price = _price_fields(session, values, with_delta)
        return PricedForm([table], question, details, price, list(options), with_bounds)

    @property
    def fields(self) -> list[FormField]:
        """All fields, in the order of the page, which is also their order in a question."""
        return [*self.records, *self.question, *self.details, *self.price, *self.options]

    @property
    def has_account(self) -> bool:
        return any(field.name == "account" for field in self.price)


@dataclass(frozen=True)
class PagePreview:
    """What will be asked, in a table, and what it costs and promises."""

    cost: Budget
    facts: list[Fact]
    head: list[str]
    rows: list[list[str]]
    prices: PriceTable | None
    numbers: Sequence[int] = ()  # columns of the table that are aligned to the right
    editor: TypedTable | None = None
    caption: str = "What will be asked"
    note: str = ""  # below the table
    obstacle: str = ""  # why this is not offered, although nothing in the form is wrong


class FormTask(Protocol):
    """What a form asks for, of an open table with ``n`` records."""

    @property
    def n(self) -> int: ...


@dataclass(frozen=True)
class RequestTask(Generic[AnyRequest]):
    """A request about an open table with ``n`` records, or slots of units."""

    request: AnyRequest
    table: Any
    unit: str | None
    n: int
    y: str | None = None
    classes: tuple[Any, ...] = ()  # the labels in the words of the form


Task = TypeVar("Task", bound=FormTask)


@dataclass(frozen=True)
class PricedPage(Generic[Task]):
    """A form, a preview of what it would cost, and what was released."""

    kind: str  # its address, without the slash
    form: Callable[[Session, FormValues], PricedForm]
    task: Callable[[Session, FormValues], Task]
    preview: Callable[[Session, FormValues, Task], PagePreview]
    release: Callable[[Task, Once, str], NewRelease]  # the str is the name of the table
    files: Mapping[str, KeptFile]  # files to keep, beside the report, by their names
    template: str = "priced_page.html"
    shown: Mapping[str, object] = field(default_factory=dict)  # further values for its template

    @property
    def views(self) -> dict[str, PageView]:
        """The pages and files by their addresses."""
        place = f"/{self.kind}"
        files = {f"{place}/{name}": partial(file.response, kind=self.kind) for name, file in self.files.items()}
        return {place: self.page, f"{place}/released": self.result, f"{place}/report.html": self.report, **files}

    def page(self, session: Session, values: FormValues) -> str:
        """The form, and the preview of what it asks for."""
        form = self.form(session, values)
        result = result_or_refusal(lambda: self._result(session, values, form), form.fields)
        of_every_page = {"kind": self.kind, "mode": session.mode, "form": form, "form_token": session.form_token}
        return render(self.template, **of_every_page, **self.shown, **result)

    def spend(self, session: Session, values: FormValues) -> Response:
        """Charge the account and release; if the question was asked before, show the same answer."""
        with uncharged():
            form = self.form(session, values)
        values = complete_values(form.fields, values)
        tasks: list[Task] = []  # ``question`` adds the task that ``release`` runs

        def question(round_number: int) -> Question:
            tasks.append(self.task(session, values))
            return self._question(session, form, values, tasks[-1].n, round_number)

        def release(account: Once) -> NewRelease:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LargeDeltaWarning)  # the preview showed δ·n
                return self.release(tasks[-1], account, session.source(values["source"]).name)

        key = spend_once(session, values, question, release)
        return RedirectResponse(f"/{self.kind}/released?of={key}", status_code=303)

    def result(self, session: Session, values: FormValues) -> str:
        """What was released, what was charged, and a form to release anew."""
        return released_page(session, values, self.kind, self.files)

    def report(self, session: Session, values: FormValues) -> Response:
        return report_page(session, values, self.kind)

    def _result(self, session: Session, values: FormValues, form: PricedForm) -> dict[str, object]:
        """The preview and the offer below it; None for both before anything was asked."""
        if "source" not in values:
            return {"preview": None, "offer": None}
        values = complete_values(form.fields, values)
        task = self.task(session, values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargeDeltaWarning)
            preview = self.preview(session, values, task)
        question = self._question(session, form, values, task.n)
        return {"preview": preview, "offer": SpendOffer.of(session, values, question, preview.cost)}

    def _question(
        self, session: Session, form: PricedForm, values: FormValues, n: int, round_number: int = 0
    ) -> Question:
        """The question that the fields ask. Whatever else the browser sent is not a part of it."""
        names = [field.name for field in form.fields if field.name != "source"]
        # Browsers may send carriage returns, which must not make it another question.
        texts = tuple((name, values.get(name, "").replace("\r", "").strip()) for name in names)
        table = session.source(values.get("source", "")).place
        return Question(self.kind, texts, table, n, session.schema_digest(schema_name(session, values)), round_number)


def unit_fields(session: Session, schema: Schema | None, values: FormValues) -> list[FormField]:
    """The unit as it was declared when the server was started; Refused if a form names another one.

    The number of units is shown before anything is charged. If a form chose the column, anyone could count the values
    of any column.
    """
    unit = session.unit()
    declared = {"unit": unit.column, "max_records": str(unit.max_records)} if unit else {"unit": "", "max_records": ""}
    if any(values.get(name, "").strip() not in ("", text) for name, text in declared.items()):
        raise Refused("unit", UNDECLARED)
    if schema is not None and schema.unit is not None:
        return []
    return [
        FormField("Protected as a whole: each", "unit", declared["unit"], fixed=True),
        FormField("Records of each that count, at most", "max_records", declared["max_records"], fixed=True),
    ]


def _price_fields(session: Session, values: FormValues, with_delta: bool) -> list[FormField]:
    """ε, δ, and the account that is charged, if there is one."""
    names = {name: name for name in session.accounts()}
    fields = [FormField("Privacy ε", "epsilon", values.get("epsilon", "1"), EPSILON_HINT, steps=EPSILONS)]
    if with_delta:
        fields.append(FormField("Privacy δ", "delta", values.get("delta", ""), DELTA_HINT, steps=DELTAS, rare=True))
    account = values.get("account", next(iter(names), ""))
    return [*fields, FormField("Account to charge", "account", account, "", names)] if names else fields


def chosen_table(session: Session, values: FormValues, purpose: str, schema: Schema | None = None) -> Any:
    """The table that the form names, with the columns of the schema; no record is read.

    OtherUnit if the account that would pay protects another unit.
    """
    unit = session.unit()
    if (name := values.get("account", "")) in session.accounts():
        protected(session.account(name), unit.column if unit else None, purpose)
    table = session.table(values.get("source", ""), schema)
    if schema is not None:
        schema.check_names(table.columns)
    return table


def record_count(table: Any, unit: Unit | None) -> int:
    """How many records count, or slots of declared units: both are public; Refused if there are none."""
    n = size_of(table, Quota(unit.column, unit.max_records, ANY_KEY) if unit else None)
    if n == 0:
        raise Refused("source", "the table has no records; choose another one")
    return n
