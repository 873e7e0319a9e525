"""The first page: what this server can do, and for whom."""

from __future__ import annotations

from privpac.app.forms import FormValues
from privpac.app.markup import render
from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.session import Session
from privpac.privacy.store.database import StoreError


def home_page(session: Session, values: FormValues) -> str:
    """The page with a card for each task, the mode of the server, and the latest releases."""
    return render("home.html", mode=session.mode, user=session.user, spends=session.spends, outcomes=_outcomes(session))


def _outcomes(session: Session) -> list[SpendOutcome]:
    """All releases; none while the accounts cannot be read. The page “Budgets” then says why."""
    try:
        return session.outcomes()
    except StoreError:
        return []
