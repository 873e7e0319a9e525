"""The pages of releases: a form, a preview of what it would cost, and the answers with their error.

Main declarations
    release_preview    the form and the preview
    release_spend      charges the account and releases the answers, once
    release_result     what was released
    release_files      the release as JSON, its report, its counts, and synthetic records, to keep
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape

from starlette.responses import RedirectResponse, Response

from privpac.app.learn_form import filled, question
from privpac.app.markup import FormField, columns, facts, html_table, live_form, page_frame, warning
from privpac.app.release_form import ReleaseTask, release_fields, release_task
from privpac.app.session import Session
from privpac.app.spend_pages import cost_facts, found_of, released_page, spend_or_show, standalone
from privpac.app.spending import Noted, Question, spend_once
from privpac.app.words import EXPECTED, explained
from privpac.data.csv_text import csv_text
from privpac.privacy.delta import LargeDeltaWarning
from privpac.release.preview import ReleasePreview
from privpac.release.released import Release
from privpac.report.accuracy import percent
from privpac.report.frame import Named
from privpac.report.release_page import release_page

RELEASING = "Counts, distributions, crosstabs, and synthetic tables, each with a bound on its error."
NOTHING_YET = "<p>Say what to count, then look at what it will cost. Looking costs nothing.</p>"
MOST_ROWS = 100_000  # of a synthetic table in a browser
FILES = {
    "release.json": "release.json",
    "counts.csv": "counts.csv",
    "synthetic.csv": "synthetic records",
    "report.html": "report.html",
}


@dataclass(frozen=True)
class Answered:
    """Answers that were released."""

    release: Release

    @cached_property
    def report(self) -> str:
        """The page about them."""
        return release_page(self.release, Named(file="release.json"))


def release_preview(session: Session, given: dict[str, str]) -> str:
    """The form, and the preview of what it asks for."""
    fields, wrong, result = release_fields(session, given), None, NOTHING_YET
    if "source" in given:
        try:
            result = _preview(session, filled(fields, given), fields)
        except EXPECTED as error:
            told, wrong = explained(error, [each for each in fields if isinstance(each, FormField)])
            result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    asked = live_form("/release", fields, "See what it will cost", wrong, follows="change")
    return page_frame("Release", RELEASING, columns(asked, result), "/release", spends=session.spends)


def release_spend(session: Session, given: dict[str, str]) -> Response:
    """Charge the account, release, and show the answers; the same question again shows the same answers."""
    fields = release_fields(session, given)
    given = filled(fields, given)
    opened: list[ReleaseTask] = []

    def asked(number: int) -> Question:
        opened.append(release_task(session, given))
        return question("release", fields, given, opened[-1].n, number)

    def release(account: Noted) -> Answered:
        task = opened[-1]
        task.front.budget = account
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargeDeltaWarning)  # the preview showed δ·n
            return Answered(task.front.fit(task.table, task.unit).released())

    token = spend_once(session, given, asked, release)
    return RedirectResponse(f"/release/released?of={token}", status_code=303)


def release_result(session: Session, given: dict[str, str]) -> str:
    """What was released, what was charged, and a form to release anew."""
    return released_page(session, given, "release", FILES)


def _json(found: Answered) -> Response:
    return Response(found.release.to_json(), media_type="application/json")


def _counts(found: Answered) -> Response:
    return Response(csv_text(found.release.counts()), media_type="text/csv")


def _synthetic(found: Answered) -> Response:
    """Records drawn from the answers alone, which costs no privacy; other ones each time."""
    rows = found.release.synthetic(min(found.release.n, MOST_ROWS))
    return Response(csv_text(rows), media_type="text/csv")


def _file(made: Callable[[Answered], Response]) -> Callable[[Session, dict[str, str]], Response]:
    return lambda session, given: made(found_of(session, given, "release"))


release_files = {
    "/release/release.json": _file(_json),
    "/release/counts.csv": _file(_counts),
    "/release/synthetic.csv": _file(_synthetic),
    "/release/report.html": _file(lambda found: standalone(found.report)),
}


def _preview(session: Session, given: dict[str, str], fields: list[FormField | str]) -> str:
    task = release_task(session, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LargeDeltaWarning)
        ahead = task.front.preview(task.n)
    asked = question("release", fields, given, task.n)
    told = cost_facts(session, given, ahead.cost, ahead.protected, task.unit is not None)
    how = ("Error", "bounded with certainty" if ahead.certain else "will be measured", _measured(ahead))
    rows = [["answers to all queries", ahead.title]]
    if ahead.measuring:
        share = percent(float(ahead.measuring))
        rows.append(["how far they are off", f"noisy measurement of the largest error, for {share} of the budget"])
    listed = html_table(["asked for", "how"], rows, "What will be asked")
    return facts(*told, how) + listed + spend_or_show(session, given, asked, ahead.cost)


def _measured(ahead: ReleasePreview) -> str:
    return "the noise is never larger" if ahead.certain else "for all answers at once, 95 % certain"
