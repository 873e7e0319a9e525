"""Durable accounts are opened, created, and listed; a store is a value, and leaves other databases alone."""

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store import tables as store_tables
from privpac.privacy.store.accounts import AccountExistsError, BudgetStore
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount


def entry(epsilon, delta=0, **fields):
    return Entry("exponential", Budget(epsilon, delta), "selection, Theorem 2", **fields)


# --- opening ---------------------------------------------------------------------------------------------------------


def test_an_account_is_created_once_and_opened_again(url):
    store = BudgetStore(url)
    assert store.accounts() == []
    account = store.account("clinic", Budget(3.0, 1e-5))
    account.charge(entry(0.5, 1e-6))
    for again in (store.account("clinic"), BudgetStore(url).account("clinic", Budget("3", "0.00001"))):
        assert again == account
        assert again.total == Budget(3, 1e-5)
        assert again.spent == Budget(0.5, 1e-6)
        assert again.remaining == Budget(2.5, 9e-6)
    store.account("archive", Budget(1))
    assert store.accounts() == ["archive", "clinic"]
    assert store.account("archive").spent == Budget(0)


def test_another_total_is_refused(url):
    store = BudgetStore(url)
    store.account("clinic", Budget(3.0, 1e-5))
    for other in (Budget(3.0), Budget(4, 1e-5)):
        with pytest.raises(AccountExistsError, match=r"account 'clinic' has the total ε = 3, δ = 1e-05, not ε = "):
            store.account("clinic", other)
    assert issubclass(AccountExistsError, ValueError)


def test_an_unknown_account_is_named_with_the_known_ones(url):
    store = BudgetStore(url)
    with pytest.raises(LookupError, match=r"no account 'clinic' in .*; it has none"):
        store.account("clinic")
    store.account("clinic", Budget(1))
    with pytest.raises(LookupError, match=r"no account 'clinik' in .*; it has clinic"):
        store.account("clinik")


def test_asking_leaves_no_file_behind(tmp_path):
    store = BudgetStore(f"sqlite:///{tmp_path}/budget.db")
    assert store.accounts() == []
    with pytest.raises(LookupError):
        store.account("clinic")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "nul\0"])
def test_a_name_is_printable(tmp_path, name):
    with pytest.raises(ValueError, match="printable"):
        BudgetStore(f"sqlite:///{tmp_path}/budget.db").account(name, Budget(1))


@pytest.mark.parametrize("name", [5, None, b"clinic", ["clinic"]])
def test_a_name_is_text(tmp_path, name):
    with pytest.raises(TypeError, match="an account's name must be text"):
        BudgetStore(f"sqlite:///{tmp_path}/budget.db").account(name, Budget(1))


def test_a_total_is_a_budget(tmp_path):
    with pytest.raises(TypeError, match=r"Budget\(3\.0, 1e-5\)"):
        BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", 3.0)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_timeout_is_positive(timeout):
    with pytest.raises(ValueError, match="timeout"):
        BudgetStore(timeout=timeout)


def test_many_create_one_account_at_the_same_time(url):
    with ThreadPoolExecutor(8) as pool:
        accounts = list(pool.map(lambda _: BudgetStore(url).account("clinic", Budget(1)), range(8)))
    assert set(accounts) == {BudgetStore(url).account("clinic")}
    assert BudgetStore(url).accounts() == ["clinic"]


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("passed_on", [copy.deepcopy, lambda account: pickle.loads(pickle.dumps(account))])
def test_an_account_can_be_copied_and_sent(url, passed_on):
    account = BudgetStore(url).account("clinic", Budget(2))
    account.charge(entry(1))
    twin = passed_on(account)
    assert twin == account
    twin.charge(entry(1))
    assert account.remaining == Budget(0)


def test_a_store_is_frozen_and_hides_its_password():
    store = BudgetStore("postgresql://me:secret@host/budget")
    with pytest.raises(dataclasses.FrozenInstanceError):
        store.url = "sqlite:///other.db"
    account = DurableAccount(store, "clinic", Budget(1))
    assert "secret" not in f"{store} {store!r} {account} {account!r}"


def test_a_change_of_directory_does_not_change_the_store(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    account = BudgetStore().account("clinic", Budget(1))
    monkeypatch.chdir(tmp_path / "elsewhere")
    account.charge(entry(1))
    assert account.spent == Budget(1)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["budget.db"]


# --- databases that must not be used ---------------------------------------------------------------------------------


def test_another_application_s_file_is_left_alone(tmp_path):
    url = f"sqlite:///{tmp_path}/patients.db"
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE patient (name TEXT)")
    with pytest.raises(StoreError, match="another application"):
        BudgetStore(url).account("clinic", Budget(1))
    assert sa.inspect(engine).get_table_names() == ["patient"]


def test_a_newer_schema_is_refused(url):
    account = BudgetStore(url).account("clinic", Budget(1))
    with account.store.transaction(writes=True) as connection:
        connection.execute(store_tables.SCHEMA.update().values(version=3))
    for use in (BudgetStore(url).accounts, lambda: BudgetStore(url).account("clinic", Budget(1))):
        with pytest.raises(StoreError, match="schema version 3, but privpac reads 2; upgrade"):
            use()


def test_a_deleted_account_cannot_be_charged(url):
    account = BudgetStore(url).account("clinic", Budget(1))
    with account.store.transaction(writes=True) as connection:
        connection.execute(store_tables.ACCOUNT.delete())
    with pytest.raises(StoreError, match="the account was deleted"):
        account.charge(entry(1))
    assert account.history() == []


def test_a_replaced_file_is_noticed(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(1))
    (tmp_path / "budget.db").unlink()
    with pytest.raises(StoreError, match="the file was replaced"):
        account.charge(entry(1))
