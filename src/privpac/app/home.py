"""The first page: what can be done here, and for whom.

Main declarations
    home_page    the page
"""

from __future__ import annotations

from html import escape

from privpac.app.markup import page_frame
from privpac.app.session import Session
from privpac.app.spend_pages import releases_list
from privpac.privacy.database import StoreError

CARDS = (
    ("/plan", "How many records does it take?", "Choose a class, an error, and ε, before anything is spent."),
    ("/learn", "Learn a rule", "See what it would cost and what it would promise; then spend, once."),
    ("/release", "Release a table", "Counts, distributions, crosstabs, and synthetic records, each with its error."),
    ("/budgets", "What was spent", "For a privacy officer: accounts, releases, and theorems."),
    ("/classes", "How hard is a class?", "Dimensions with witnesses, mistake trees, and a game against SOA."),
    ("/neighbors", "What one record changes", "The exact probability of every rule, on two samples."),
    ("/broken", "Watch a paper fail", "One record decides what [HCT24] releases."),
)


LATEST_HERE = 3  # releases on this page


def home_page(session: Session, fields: dict[str, str]) -> str:
    """The cards, and what this server may do."""
    cards = "".join(
        f'<a class="card" href="{place}"><strong>{escape(title)}</strong><span>{escape(about)}</span></a>'
        for place, title, about in CARDS
    )
    may = (
        "This server was started with --spend: it charges accounts when you say so."
        if session.spends
        else "This server is read-only: it plans, previews, and releases nothing. Start it with --spend to change that."
    )
    body = f'<div class="cards">{cards}</div><p class="about">{may}</p>{_latest(session)}'
    alone = f"for {session.user}" if session.user else "for you alone"
    about = f"It runs on this machine, {alone}. Pages show public facts and releases, never a record."
    return page_frame("Explorer", about, body, mode=session.mode)


def _latest(session: Session) -> str:
    """The latest releases; none while the accounts cannot be read, which “Budgets” explains."""
    try:
        outcomes = session.outcomes()
    except StoreError:
        return ""
    more = '<p><a href="/budgets">All releases</a></p>' * (len(outcomes) > LATEST_HERE)
    return f"<h2>Latest releases</h2>{releases_list(outcomes[:LATEST_HERE])}{more}" if outcomes else ""
