"""The page of budgets shows what the store holds, and changes nothing."""

import pytest

from privpac.app.markup import whole
from privpac.app.pages.budgets import budgets_page
from privpac.app.session import Session
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore
from tests.app.conftest import as_read


def test_accounts_and_charges_are_shown(tmp_path):
    url = f"sqlite:///{tmp_path}/budget.db"
    account = BudgetStore(url).account("clinic <1>", Budget(4, 1e-5))
    account.charge(Entry("exponential cut", Budget(1, "1e-6"), "threshold learner, Theorem 1", who="ann"))
    account.charge(Entry("seeded", Budget(1), "no theorem", private=False))
    BudgetStore(url).account("school", Budget(1))
    page = as_read(budgets_page(Session(1, store=url), {"n": "1,000"}))
    assert "clinic &lt;1&gt;" in page and "clinic <1>" not in page
    for text in ("ε = 2, δ = 1e-06", "ε = 2, δ = 9e-06", "50 % of ε", "ann", "NO: a seed", "0.001", "school"):
        assert text in page
    assert page.index("seeded") < page.index("exponential cut")
    assert "school</h2>" not in budgets_page(Session(1, store=url), {"account": "clinic <1>"})
    assert account.spent == Budget(2, "1e-6")


def test_a_store_that_does_not_exist_is_not_made(tmp_path):
    page = budgets_page(Session(1, store=f"sqlite:///{tmp_path}/none.db"), {})
    assert "privpac budget create" in page
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "b.db").write_bytes(b"not a database" * 100)
    assert 'role="alert"' in budgets_page(Session(1, store=f"sqlite:///{tmp_path}/b.db"), {})


@pytest.mark.slow
def test_a_charge_says_what_was_asked_about_which_table(spender, folder):
    """An officer reads the question, not the name of an algorithm."""
    page = spender.get("/release", {"source": "t1", "what": "counts", "by": "carrier", "account": "clinic"})
    spender.post("/release/spend", page.hidden())
    assert "<td>How many records have each carrier · flights.csv · PointSanitizer</td>" in spender.get("/budgets").text


def test_a_budget_stays_on_one_line():
    assert whole("ε = 1, δ = 1e-05") == ('<span class="whole">ε = 1</span>, <span class="whole">δ = 1e-05</span>')
    assert whole("on <2026-01-31>, 5,000") == 'on &lt;<span class="whole">2026-01-31</span>&gt;, 5,000'
