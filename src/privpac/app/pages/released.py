"""The page that follows a charge: what was released, or why nothing was; and the report as a page of its own."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.responses import Response

from privpac.app.forms import FormValues
from privpac.app.markup import STYLE, render, unstyled
from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.pages.cut_slider import CutSlider
from privpac.app.session import Session
from privpac.app.spending.offers import EarlierQuestion, SpendForm
from privpac.app.spending.store_keys import store_key, stored_charge
from privpac.data.files.csv_files import csv_text
from privpac.privacy.budget import Budget
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.tried_charges import WatchedAccount
from privpac.refusals.refusal import Refused
from privpac.release.release import Release
from privpac.release.sanitizer import Frame
from privpac.report.pages.frame import body_of

UNKNOWN = "nothing was released for this question; ask it again"


@dataclass(frozen=True)
class KeptFile:
    """A file that people can keep; ``content`` makes it from the kept text of a release."""

    media_type: str
    content: Callable[[str], str] = str
    label: str = ""  # the text of its link, if that is not the name of the file

    def response(self, session: Session, values: FormValues, kind: str) -> Response:
        return Response(self.content(released_outcome(session, values, kind).text), media_type=self.media_type)


JSON_FILE = KeptFile("application/json")


def csv_file(rows: Callable[[Release], Frame], label: str = "") -> KeptFile:
    """A file with rows of a release."""
    return KeptFile("text/csv", lambda text: csv_text(rows(Release.from_json(text))), label)


def released_page(session: Session, values: FormValues, kind: str, files: Mapping[str, KeptFile]) -> str:
    """The page about an outcome: the report and files to keep, or why nothing was released."""
    outcome = known_outcome(session, values, kind)
    if outcome.is_released:
        content: dict[str, object] = {
            "files": {name: file.label or name for name, file in files.items()},
            "report": unstyled(body_of(outcome.report)) if outcome.report else None,
            "form": SpendForm.new_round(session, outcome.question),
            "cuts": CutSlider.of(Release.from_json(outcome.text)) if kind == "release" else None,
        }
    else:
        earlier = EarlierQuestion.of(session, outcome.question, outcome.source)
        content = {"failure": _failure(session, outcome), "earlier": earlier}
    return render("released.html", mode=session.mode, outcome=outcome, **content)


def report_page(session: Session, values: FormValues, kind: str) -> Response:
    """The report as a page of its own. Its policy lets a browser apply the page's own styles, and load nothing."""
    page = released_outcome(session, values, kind).report
    digests = {b64encode(sha256(style.encode()).digest()).decode() for style in STYLE.findall(page)}
    sources = " ".join(f"'sha256-{digest}'" for digest in sorted(digests))
    policy = f"default-src 'none'; style-src {sources}; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def known_outcome(session: Session, values: FormValues, kind: str) -> SpendOutcome:
    """The outcome of a question; Refused if nobody asked the question, or if someone else did."""
    outcome = session.outcome_store.get(values.get("of", ""))
    if outcome is None or outcome.question.kind != kind or outcome.account not in session.accounts():
        raise Refused("of", UNKNOWN)
    return outcome


def released_outcome(session: Session, values: FormValues, kind: str) -> SpendOutcome:
    """The outcome of a question that has a release; Refused if nothing was released."""
    outcome = known_outcome(session, values, kind)
    if not outcome.is_released:
        raise Refused("of", UNKNOWN)
    return outcome


def _failure(session: Session, outcome: SpendOutcome) -> str:
    """Why this server has no release for the question, and what the account was charged for it.

    Another server that shares the store may have charged the same question, and even released an answer. If the account
    has a charge under the question's key, that charge counts. Otherwise, the charges count that this server tried and
    the account recorded.
    """
    reason = outcome.failure or "the server stopped before it was answered, or is still at work"
    stored = None
    try:
        account = session.account(outcome.account)
        cost = WatchedAccount.of(account, list(outcome.tried)).charged()  # waits for a charge that is under way
        if (stored := stored_charge(account, store_key(session, outcome.question))) is not None:
            cost = stored.entry.cost
        payment = f"Charged to {outcome.account}: {'nothing' if cost == Budget(0) else cost}"
    except StoreError:
        payment = f"The account {outcome.account} cannot be asked now; load this page again to see what was charged"
    no_release = "" if stored is not None and stored.released else "; nothing was released"
    return f"{reason[0].upper()}{reason[1:]}{no_release}. {payment}."
