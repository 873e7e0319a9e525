"""The pages of releases: a form, a preview of what it would cost, and the answers with their error.

Main declarations
    RELEASE          the form, the preview, the spending, and the result
    release_files    the release as JSON, its counts, and synthetic records, to keep
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from privpac.app.asking import AskingPage
from privpac.app.markup import facts, html_table
from privpac.app.release_form import ReleaseTask, release_fields, release_task
from privpac.app.session import Session
from privpac.app.spend_pages import Promise, cost_facts, found_of, other_prices
from privpac.app.spending import JustReleased
from privpac.data.csv_text import csv_text
from privpac.privacy.budget import Budget
from privpac.privacy.once import Once
from privpac.release.preview import ReleasePreview
from privpac.release.released import Release
from privpac.report.accuracy import percent
from privpac.report.frame import Named
from privpac.report.numbers import grouped
from privpac.report.release_page import release_page

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
