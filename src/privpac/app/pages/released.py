"""The page of what was released, or why nothing was, and its report as a page that stands alone."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from starlette.responses import Response

from privpac.app.forms import FormValues
from privpac.app.markup import render, unstyled
from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.pages.cut_slider import CutSlider
from privpac.app.session import Session
from privpac.app.spending.offers import EarlierQuestion, SpendForm
from privpac.app.spending.store_keys import store_key, stored_charge
from privpac.privacy.budget import Budget
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.tried_charges import Watched
from privpac.refusals.refusal import Refused
from privpac.release.release import Release
from privpac.report.pages.frame import body_of

UNKNOWN = "nothing was released for this question; ask it again"
STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def released_page(session: Session, values: FormValues, kind: str, files: Mapping[str, str]) -> str:
    """The report about what was released; ``files`` to keep are names and what they are called on the page."""
    outcome = known_outcome(session, values, kind)
    content: dict[str, object]
    if outcome.text:
        content = {
            "files": {name: label for name, label in files.items() if outcome.report or name != "report.html"},
            "report": unstyled(body_of(outcome.report)) if outcome.report else None,
            "form": SpendForm.new_round(session, outcome.question),
            "cuts": CutSlider.of(Release.from_json(outcome.text)) if kind == "release" else None,
        }
    else:
        earlier = EarlierQuestion.of(session, outcome.question, outcome.source)
        content = {"failure": _failure(session, outcome), "earlier": earlier}
    return render("released.html", mode=session.mode, outcome=outcome, **content)


def report_page(session: Session, values: FormValues, kind: str) -> Response:
    """The report as a page that stands alone; a browser may apply the styles that it holds, and nothing else."""
    page = released_outcome(session, values, kind).report
    styles = {b64encode(sha256(each.encode()).digest()).decode() for each in STYLE_ELEMENT.findall(page)}
    allowed = " ".join(f"'sha256-{each}'" for each in sorted(styles))
    policy = f"default-src 'none'; style-src {allowed}; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def known_outcome(session: Session, values: FormValues, kind: str) -> SpendOutcome:
    """What came of a question; Refused if it was never asked, or by someone else."""
    outcome = session.outcome_store.get(values.get("of", ""))
    if outcome is None or outcome.question.kind != kind or outcome.account not in session.accounts():
        raise Refused("of", UNKNOWN)
    return outcome


def released_outcome(session: Session, values: FormValues, kind: str) -> SpendOutcome:
    """What was released for a question; Refused if nothing was."""
    outcome = known_outcome(session, values, kind)
    if not outcome.text:
        raise Refused("of", UNKNOWN)
    return outcome


def _failure(session: Session, outcome: SpendOutcome) -> str:
    """Why nothing was released here, and what was charged, by whichever server, as the account itself says now."""
    why = outcome.failure or "the server stopped before it was answered, or is still at work"
    stored = None
    try:
        account = session.account(outcome.account)
        cost = Watched(account, list(outcome.tried)).charged()
        if (stored := stored_charge(account, store_key(session, outcome.question))) is not None:
            cost = stored.entry.cost
        payment = f"Charged to {outcome.account}: {'nothing' if cost == Budget(0) else cost}"
    except StoreError:
        payment = f"The account {outcome.account} cannot be asked now; load this page again to see what was charged"
    nothing = "" if stored is not None and stored.released else "; nothing was released"
    return f"{why[0].upper()}{why[1:]}{nothing}. {payment}."
