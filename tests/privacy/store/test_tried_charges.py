"""What was charged is what the account says, not what this process believes."""

import pytest

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.charging import entry_line
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.once import AlreadyCharged, Claim
from privpac.privacy.store.tables import ENTRY
from privpac.privacy.store.tried_charges import WatchedAccount


@pytest.fixture
def account(tmp_path):
    return BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3, 1e-5))


def entry(epsilon: float | str = 1, delta: str = "0") -> Entry:
    return Entry("exponential", Budget(epsilon, delta), "selection, Theorem 1")


def test_only_charges_that_were_made_count(account):
    ours, theirs = WatchedAccount.of(account), WatchedAccount.of(account)
    assert ours.charged() == Budget(0)
    theirs.charge(entry())
    ours._note(entry())  # interrupted before the disk
    assert (ours.charged(), theirs.charged()) == (Budget(0), Budget(1))
    ours.charge(entry("0.5", "1e-6"))
    assert ours.charged() == Budget("0.5", "1e-6")
    assert (ours.spent, ours.total) == (Budget("1.5", "1e-6"), Budget(3, 1e-5))


def test_an_account_that_cannot_be_asked_says_so(account, tmp_path):
    watched = WatchedAccount.of(account, [entry()])
    (tmp_path / "budget.db").write_text("lost")
    with pytest.raises(StoreError):
        watched.charged()


def test_a_charge_that_is_still_being_made_is_not_denied(account):
    """Its process lost the connection; the database has not ended the transaction yet."""
    watched, tried = WatchedAccount.of(account, []), entry()
    watched.tried.append(tried)
    with account.store.transaction(writes=True) as connection:
        connection.execute(ENTRY.insert().values(entry_line(account.name, 1, tried, tried.cost)))
        with pytest.raises(StoreError, match="locked"):
            watched.charged()
    assert watched.charged() == Budget(1)


def test_a_key_knows_its_run(account):
    """Two runs that ask the same under one key, on one day: only one of them was charged."""
    ours, theirs = WatchedAccount.of(account), WatchedAccount.of(account)
    first, second = Claim("night", (("n", "9"),)), Claim("night", (("n", "9"),))
    ours._note(entry())
    ours.claims.append((ours.tried[0], first))  # on its way to the disk, when theirs overtakes it
    theirs.charge_once(entry(), second)
    assert (ours.charged(), theirs.charged()) == (Budget(0), Budget(1))
    with pytest.raises(AlreadyCharged):
        ours.charge_once(entry(), first)
    assert ours.charged() == Budget(0)
