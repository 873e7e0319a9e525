"""The first page lists the latest releases, and works while the accounts cannot be read."""

from dataclasses import replace

from privpac.app.pages.home import home_page
from privpac.app.session import Session
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from tests.app.outcomes.test_outcome_store import ASKING, DONE


def session_with(tmp_path, releases: int) -> Session:
    url = f"sqlite:///{tmp_path}/budget.db"
    BudgetStore(url).account("clinic", Budget(9))
    session = Session(1, store=url)
    for n in range(releases):
        session.outcome_store.begin(replace(DONE, question=replace(ASKING, n=n), title=f"rule <{n}>"))
    return session


def test_the_latest_three_releases_are_listed(tmp_path):
    page = home_page(session_with(tmp_path, 4), {})
    assert [f"rule &lt;{n}&gt;" in page for n in range(4)] == [False, True, True, True]
    assert "All releases" in page and "for you alone" in page


def test_without_releases_none_are_listed(tmp_path):
    assert "Latest releases" not in home_page(session_with(tmp_path, 0), {})
    (tmp_path / "b.db").write_bytes(b"not a database" * 100)
    assert "Latest releases" not in home_page(Session(1, store=f"sqlite:///{tmp_path}/b.db", user="<ann>"), {})


def test_a_user_is_named_and_escaped():
    assert "for &lt;ann&gt;; pages never show a record" in home_page(Session(1, user="<ann>"), {})
