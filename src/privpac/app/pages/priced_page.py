"""A page that asks for something at a price: its form, a preview, the spending, and what was released."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Generic, Protocol, TypeVar

from starlette.responses import RedirectResponse, Response

from privpac.app.markup import FormField, columns, filled, live_form, page_frame, warning
from privpac.app.outcomes.outcome import Question
from privpac.app.pages.class_form import schema_name
from privpac.app.refusals import EXPECTED, explained
from privpac.app.session import Session
from privpac.app.spending.pages import found_of, released_page, spend_or_show, standalone
from privpac.app.spending.spend_once import JustReleased, spend_once, uncharged
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.budget import Budget
from privpac.privacy.store.keys import Once

Given = dict[str, str]
SENDING = (  # for browsers without JavaScript, below the form that it belongs to
    '<form id="sending" class="nojs" method="post" action="/upload/form" enctype="multipart/form-data">'
    '<input type="hidden" name="form_token" value="{token}"><input type="hidden" name="page" value="{page}"></form>'
)


class FormTask(Protocol):
    """What a form asks for, of an open table with ``n`` records."""

    @property
    def n(self) -> int: ...


T = TypeVar("T", bound=FormTask)


@dataclass(frozen=True)
class AskingPage(Generic[T]):
    """A form, a preview of what it would cost, and what was released."""

    kind: str  # its address, without the slash
    title: str
    about: str
    empty: str  # before anything was asked
    fields: Callable[[Session, Given], list[FormField | str]]
    task: Callable[[Session, Given], T]
    preview: Callable[[Session, Given, T], tuple[str, Budget]]  # what will be asked, and what it costs
    release: Callable[[T, Once, str], JustReleased]  # the text is the name of the table
    files: Mapping[str, str]  # to keep: their names, and what they are called on the page

    def shown(self, session: Session, given: Given) -> str:
        """The form, and the preview of what it asks for."""
        fields, wrong, result = self.fields(session, given), None, self.empty
        if "source" in given:
            try:
                result = self._ahead(session, filled(fields, given), fields)
            except EXPECTED as error:
                told, wrong = explained(error, [each for each in fields if isinstance(each, FormField)])
                result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
        place = f"/{self.kind}"
        asked = live_form(place, fields, "See what it will cost", wrong, follows="change")
        asked += SENDING.format(token=escape(session.form_token), page=place)
        return page_frame(self.title, self.about, columns(asked, result), place, mode=session.mode)

    def spend(self, session: Session, given: Given) -> Response:
        """Charge the account and release; the same question again shows the same answer."""
        with uncharged():
            fields = self.fields(session, given)
        given = filled(fields, given)
        opened: list[T] = []

        def asked(number: int) -> Question:
            opened.append(self.task(session, given))
            return question_of(session, self.kind, fields, given, n=opened[-1].n, number=number)

        def release(account: Once) -> JustReleased:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LargeDeltaWarning)  # the preview showed δ·n
                return self.release(opened[-1], account, session.source(given["source"]).name)

        key = spend_once(session, given, asked, release)
        return RedirectResponse(f"/{self.kind}/released?of={key}", status_code=303)

    def result(self, session: Session, given: Given) -> str:
        """What was released, what was charged, and a form to release anew."""
        return released_page(session, given, self.kind, self.files)

    def report(self, session: Session, given: Given) -> Response:
        """The report as a page that stands alone; its browser may apply the styles that it holds, and nothing else."""
        return standalone(found_of(session, given, self.kind).report)

    def _ahead(self, session: Session, given: Given, fields: list[FormField | str]) -> str:
        task = self.task(session, given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargeDeltaWarning)
            told, cost = self.preview(session, given, task)
        asked = question_of(session, self.kind, fields, given, n=task.n)
        return told + spend_or_show(session, given, asked, cost)


def question_of(
    session: Session, kind: str, fields: list[FormField | str], given: dict[str, str], *, n: int, number: int = 0
) -> Question:
    """The question that the fields ask; what else was sent does not belong to it."""
    names = [field.name for field in fields if isinstance(field, FormField) and field.name != "source"]
    said = tuple((name, given.get(name, "").replace("\r", "").strip()) for name in names)  # browsers add it or not
    table = session.source(given.get("source", "")).place
    return Question(kind, said, table, n, session.schema_digest(schema_name(session, given)), number)
