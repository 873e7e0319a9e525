"""Two servers with one store and one folder: nobody's release is lost, and pages say what the store says."""

import pytest

from privpac.app.pages.learn import LEARN
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount
from tests.app.conftest import released, spent
from tests.app.outcomes.test_outcome_store import Died
from tests.app.pages.test_learn import ASKED

pytestmark = pytest.mark.slow


@pytest.fixture
def serve(started, folder):
    """A server that may spend, and waits only briefly for others."""

    def start():
        browser = started(spends=True, keep=folder / "kept").enter()
        browser.session.store = BudgetStore(browser.session.store.url, timeout=0.3)
        return browser

    return start


def place_of(folder) -> str:
    [file] = (folder / "kept").glob("*.json")
    return f"/learn/released?of={file.stem}"


def test_a_release_that_only_the_folder_has_survives_a_server_that_came_too_late(serve, folder, monkeypatch):
    """The store cannot keep the first server's release, and the second one asked before the first was charged."""
    first, second = serve(), serve()
    form, late = (each.get("/learn", ASKED).hidden() for each in (first, second))
    claim, replies = DurableAccount.charge_once, []

    def overtaken(self, entry, claimed):
        monkeypatch.setattr(DurableAccount, "charge_once", claim)
        replies.append(first.post("/learn/spend", form))
        claim(self, entry, claimed)

    def full(self, key, text):
        raise StoreError("the disk is full")

    monkeypatch.setattr(DurableAccount, "keep", full)
    monkeypatch.setattr(DurableAccount, "charge_once", overtaken)
    reply = second.post("/learn/spend", late)
    place = released(replies[0])
    assert reply.status == 400 and "Nothing more was charged" in reply.text
    assert spent(folder) == Budget(1)
    for each in (first, second, serve()):
        assert "dep_delay ≥" in each.get(place).text


def test_a_server_that_failed_sees_what_another_one_released_later(serve, folder, monkeypatch):
    first, second = serve(), serve()
    form, away = first.get("/learn", ASKED).hidden(), folder / "away.db"

    def lost(self, entry, claim):
        (folder / "budget.db").rename(away)
        (folder / "budget.db").write_bytes(b"not a database" * 99)
        raise StoreError("the connection is lost")

    with monkeypatch.context() as patched:
        patched.setattr(DurableAccount, "charge_once", lost)
        place = released(first.post("/learn/spend", form))
    away.replace(folder / "budget.db")
    for each in (first, second):
        assert "nothing was released. Charged to clinic: nothing" in each.get(place).text
    assert released(second.post("/learn/spend", second.get(place).hidden())) == place
    for each in (first, second, serve()):
        assert "dep_delay ≥" in each.get(place).text and "nothing was released" not in each.get(place).text
    assert spent(folder) == Budget(1)


def test_a_page_tells_the_charge_of_a_server_whose_note_was_replaced(serve, folder, monkeypatch):
    """Both are about to charge, and the note of the second replaces that of the first, which charges. Both die."""
    first, second = serve(), serve()
    form, late = (each.get("/learn", ASKED).hidden() for each in (first, second))
    claim = DurableAccount.charge_once

    def dies_before(self, entry, claimed):
        raise Died

    def dies_after(self, entry, claimed):
        monkeypatch.setattr(DurableAccount, "charge_once", dies_before)
        with pytest.raises(Died):
            LEARN.spend(second.session, late)
        claim(self, entry, claimed)
        raise Died

    monkeypatch.setattr(DurableAccount, "charge_once", dies_after)
    with pytest.raises(Died):
        LEARN.spend(first.session, form)
    monkeypatch.undo()
    page = serve().get(place_of(folder)).text
    assert "Charged to clinic: ε = 1." in page and "Charged to clinic: nothing" not in page


def test_lists_name_no_cost_that_was_not_charged(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()

    def dies(self, entry, claimed):
        raise Died

    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(DurableAccount, "charge_once", dies)
        LEARN.spend(browser.session, form)
    for path in ("/", "/budgets"):
        page = serve().get(path).text
        listed = page[page.index("not answered") :].partition("</li>")[0]
        assert "flights.csv" in listed and "ε" not in listed
