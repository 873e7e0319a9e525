"""What a preview offers, before anything is spent: an account that is someone else's tells nothing."""

import pytest

from privpac.app.forms import FormField
from privpac.app.outcomes.outcome import Question
from privpac.app.session import NamedTable, Session
from privpac.app.spending.offers import SpendForm, SpendOffer
from privpac.app.spending.prices import price_table
from privpac.app.spending.spend_once import spend_once
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from privpac.refusals.refusal import Refused

COST = Budget(1)


@pytest.fixture
def open_session(tmp_path):
    """A session with one table and the accounts of two users."""
    url = f"sqlite:///{tmp_path}/budget.db"
    BudgetStore(url).account("ann", Budget(1))
    BudgetStore(url).account("bob", Budget("0.5"))
    table = NamedTable(str(tmp_path / "visits.csv"))
    return lambda **options: Session(1, {"t1": table}, store=url, **options)


def question(session: Session, account: str) -> Question:
    return Question("learn", (("account", account),), session.source("t1").place, 100)


def offer(session: Session, account: str) -> SpendOffer:
    return SpendOffer.of(session, {"account": account}, question(session, account), COST)


def test_an_account_that_pays_gets_a_form_and_one_that_cannot_gets_none(open_session):
    session = open_session(spends=True)
    form = offer(session, "ann").form
    assert form.button == "Spend ε = 1 and release"
    assert (form.values["source"], form.values["round"], form.values["form_token"]) == ("t1", "0", session.form_token)
    assert offer(session, "bob") == SpendOffer("bob")


def test_a_read_only_server_sends_nothing(open_session):
    assert offer(open_session(), "ann").form == SpendForm("learn", "Spend ε = 1 and release")


def test_nothing_is_looked_up_for_an_account_of_someone_else(open_session, monkeypatch):
    session = open_session(spends=True, user="bob")
    monkeypatch.setattr(session, "outcome_store", None)
    assert offer(session, "ann") == offer(session, "nobody") == SpendOffer()


def test_to_release_anew_a_box_is_ticked_and_the_table_must_be_there(open_session):
    session = open_session(spends=True)
    form = SpendForm.new_round(session, question(session, "ann"))
    assert form.box == FormField("Release anew and charge ann once more", "anew", flag=True, needed=True)
    gone = Question("learn", (("account", "ann"),), "/elsewhere.csv", 100)
    assert SpendForm.new_round(session, gone) is None


def test_a_read_only_server_does_not_even_make_the_question(open_session):
    with pytest.raises(Refused, match="read-only"):
        spend_once(open_session(), {"account": "ann"}, lambda _: 1 / 0, lambda _: 1 / 0)


def test_prices_leave_out_an_epsilon_that_promises_nothing(open_session):
    def promise_at(ε: str) -> tuple[Budget, str]:
        if ε == "0.1":
            raise ValueError
        return Budget(ε), f"error at {ε}"

    table = price_table(open_session(), {"account": "ann", "epsilon": "0.7"}, "error", promise_at)
    assert [row[0] for row in table.rows] == ["0.5", "0.7 (this one)", "1", "3"]
    assert [row[2] for row in table.rows] == ["ε = 0.5", "ε = 0.3", "ε = 0", "too little"]
    assert price_table(open_session(), {}, "error", lambda ε: (Budget(ε), "")) is None
    some = price_table(
        open_session(), {}, "error", lambda ε: (Budget(ε), "none" if ε == "3" else "5 %"), nothing="none"
    )
    assert {row[0]: row[1] for row in some.rows}["3"] == "none"
    assert price_table(open_session(), {}, "error", lambda ε: (Budget(ε), "none"), nothing="none") is None
