"""The first page: what can be done here, and for whom."""

from __future__ import annotations

from html import escape

from privpac.app.markup import page_frame
from privpac.app.session import Session
from privpac.app.spending.pages import releases_list
from privpac.privacy.store.database import StoreError

ABOUT = (
    "Learn from records about people and publish what you learned, with a proved limit on what it reveals about any "
    "one of them. This runs on this machine, {alone}; pages never show a record."
)
WORK = (
    ("/plan", "Plan: how many records?", "Which error a rule would have, for how much privacy. Reads nothing."),
    ("/learn", "Learn a rule", "Such as “age ≥ 65”, to predict one of two labels. See the price first."),
    ("/release", "Release counts", "Tables, distributions, and synthetic records, each with a bound on its error."),
    (
        "/budgets",
        "Budgets: what was spent",
        "For privacy officers: who asked for what, what it cost, and what is left.",
    ),
)
INSIGHT = (
    ("/neighbors", "What one record changes", "Two tables that differ in one record, and what comes out of each."),
    ("/broken", "Watch a paper fail", "A published algorithm whose privacy proof is wrong: one record decides."),
    ("/classes", "How hard is it to learn?", "Draw a table of rules: its dimensions, pictures, and a game."),
)
LATEST_HERE = 3  # releases on this page


def home_page(session: Session, fields: dict[str, str]) -> str:
    """The cards, and what this server may do."""
    may = (
        "This server was started with --spend: it charges accounts when you say so."
        if session.spends
        else "This server is read-only: it plans, previews, and releases nothing. Start it with --spend to change that."
    )
    body = f"<h2>With your records</h2>{_cards(WORK)}<p class=about>{may}</p>{_latest(session)}"
    body += f"<h2>How it works</h2>{_cards(INSIGHT)}"
    about = ABOUT.format(alone=f"for {session.user}" if session.user else "for you alone")
    return page_frame("Explorer", about, body, mode=session.mode)


def _cards(told: tuple[tuple[str, str, str], ...]) -> str:
    cards = (
        f'<a class="card" href="{place}"><strong>{escape(title)}</strong><span>{escape(about)}</span></a>'
        for place, title, about in told
    )
    return f'<div class="cards">{"".join(cards)}</div>'


def _latest(session: Session) -> str:
    """The latest releases; none while the accounts cannot be read, which “Budgets” explains."""
    try:
        outcomes = session.outcomes()
    except StoreError:
        return ""
    more = '<p><a href="/budgets">All releases</a></p>' * (len(outcomes) > LATEST_HERE)
    return f"<h2>Latest releases</h2>{releases_list(outcomes[:LATEST_HERE])}{more}" if outcomes else ""
