"""The ground under the store: addresses, durability settings, locks, and errors that say what to do."""

import os
import sqlite3
import stat
import subprocess
import sys
import time

import psycopg
import pytest
import sqlalchemy as sa

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.database import Database, StoreError, address

ENTRY = Entry("exponential", Budget(1), "selection, Theorem 2")
PATIENCE = 30.0


# --- addresses -------------------------------------------------------------------------------------------------------


def test_a_path_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert address("sqlite:///budget.db") == f"sqlite:///{tmp_path}/budget.db"
    assert address("sqlite+pysqlite:////var/budget.db") == "sqlite:////var/budget.db"


def test_a_server_s_address_is_kept():
    assert address("postgresql://me:secret@host:5433/budget") == "postgresql://me:secret@host:5433/budget"
    assert address("postgresql+psycopg://host/budget") == "postgresql://host/budget"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_store_is_not_in_memory(url):
    with pytest.raises(ValueError, match="needs a file"):
        address(url)


@pytest.mark.parametrize(
    "url", ["mysql://host/x", "postgresql+asyncpg://host/x", "sqlite+aiosqlite:///x", "nosuch:///x"]
)
def test_other_databases_are_refused(url):
    with pytest.raises(ValueError, match=r"a store cannot be .*; use sqlite:///… or postgresql://…"):
        address(url)


@pytest.mark.parametrize("url", ["budget.db", "", "postgresql://me:secret@host:port/x"])
def test_what_is_not_an_address_is_not_quoted(url):
    with pytest.raises(ValueError, match=r"reads sqlite:///budget\.db or postgresql://") as error:
        address(url)
    assert "secret" not in str(error.value)


# --- what a commit means ---------------------------------------------------------------------------------------------


def test_a_transaction_is_kept_whole_or_not_at_all(url):
    with Database(url, PATIENCE).transaction(writes=True) as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    with pytest.raises(ZeroDivisionError), Database(url, PATIENCE).transaction(writes=True) as connection:
        connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        connection.exec_driver_sql("CREATE TABLE u (x INTEGER)")
        _ = 1 / 0
    with Database(url, PATIENCE).transaction() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM t")) == 0
        assert sa.inspect(connection).get_table_names() == ["t"]


def test_sqlite_s_statements_see_one_state(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    with Database(url, PATIENCE).transaction(writes=True) as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    other = sqlite3.connect(tmp_path / "x.db", timeout=0)
    with Database(url, PATIENCE).transaction() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM t")) == 0
        other.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.commit()
    other.commit()
    other.close()


def test_sqlite_flushes_every_commit_and_its_directory(tmp_path):
    with Database(f"sqlite:///{tmp_path}/x.db", PATIENCE).transaction() as connection:
        assert connection.scalar(sa.text("PRAGMA synchronous")) == 3
        assert connection.scalar(sa.text("PRAGMA fullfsync")) == 1


@pytest.mark.parametrize(("found", "used"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
def test_postgresql_flushes_every_commit(postgres, found, used):
    url = sa.make_url(postgres()).update_query_dict({"options": f"-c synchronous_commit={found}"})
    with Database(url.render_as_string(hide_password=False), PATIENCE).transaction(writes=True) as connection:
        assert connection.scalar(sa.text("SHOW synchronous_commit")) == used


def test_postgresql_reads_what_the_lock_waited_for_whatever_the_default(postgres):
    url = sa.make_url(postgres()).update_query_dict({"options": "-c default_transaction_isolation=serializable"})
    with Database(url.render_as_string(hide_password=False), PATIENCE).transaction(writes=True) as connection:
        assert connection.scalar(sa.text("SHOW transaction_isolation")) == "read committed"


def test_a_restarted_server_is_met_with_a_new_connection(postgres):
    url = postgres()
    account = BudgetStore(url).account("clinic", Budget(2))
    account.charge(ENTRY)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    account.charge(ENTRY)
    assert account.spent == Budget(2)


# --- errors that say what to do --------------------------------------------------------------------------------------


def test_a_sqlite_lock_is_waited_for_and_no_longer(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db", timeout=0.2).account("clinic", Budget(1))
    other = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    with pytest.raises(StoreError, match=r"locked \(another process has locked it for too long; try again"):
        account.charge(ENTRY)
    assert 0.1 < time.monotonic() - start < 10
    assert account.spent == Budget(0)
    other.close()
    account.charge(ENTRY)


def test_a_sqlite_reader_that_does_not_finish_undoes_the_charge(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db", timeout=0.2).account("clinic", Budget(1))
    reader = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM privpac_entry").fetchall()
    with pytest.raises(StoreError, match="another process"):
        account.charge(ENTRY)
    reader.close()
    assert account.spent == Budget(0)
    account.charge(ENTRY)


def test_a_postgresql_lock_is_waited_for_and_no_longer(postgres):
    url = postgres()
    account = BudgetStore(url, timeout=0.2).account("clinic", Budget(1))
    with psycopg.connect(url) as other:
        other.execute("SELECT * FROM privpac_account FOR UPDATE")
        with pytest.raises(StoreError, match="another process has locked it for too long"):
            account.charge(ENTRY)
        assert account.spent == Budget(0)
    account.charge(ENTRY)


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"nowhere/budget.db cannot be used: .*check that its directory exists"):
        BudgetStore(f"sqlite:///{tmp_path}/nowhere/budget.db").account("clinic", Budget(1))


def test_a_file_that_may_not_be_written_is_named(tmp_path):
    """PRAGMA query_only stands in for file permissions, which do not bind the superuser who may run this test."""
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(1))
    with (
        pytest.raises(StoreError, match="writable"),
        Database(account.store.url, PATIENCE).transaction() as connection,
    ):
        connection.exec_driver_sql("PRAGMA query_only = ON")
        connection.exec_driver_sql("DELETE FROM privpac_entry")


def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database, and long enough to be seen as something else\n" * 100)
    with pytest.raises(StoreError, match="choose another path"):
        BudgetStore(f"sqlite:///{tmp_path}/notes.txt").accounts()


def test_a_silent_server_is_named_without_its_password():
    with pytest.raises(StoreError, match=r"postgresql://me:\*\*\*@localhost:1/budget cannot be used") as error:
        BudgetStore("postgresql://me:secret@localhost:1/budget").accounts()
    assert "secret" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize(("package", "url"), [("sqlalchemy", "sqlite:///x.db"), ("psycopg", "postgresql://host/x")])
def test_a_missing_package_is_named(package, url):
    script = f"""
import sys
sys.modules[{package!r}] = None
try:
    from privpac.privacy.store.accounts import BudgetStore
    BudgetStore({url!r}).accounts()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("pip install 'privpac[store]'\n")


@pytest.mark.parametrize("mask", [0, 0o022], ids=oct)
def test_a_file_and_its_journal_belong_to_their_owner(tmp_path, mask):
    url, before = f"sqlite:///{tmp_path}/budget.db", os.umask(mask)
    try:
        with Database(url, 1).transaction(writes=True) as connection:
            connection.exec_driver_sql("CREATE TABLE a (b INTEGER)")
            connection.exec_driver_sql("INSERT INTO a VALUES (1)")
            there = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert there == {"budget.db": 0o600, "budget.db-journal": 0o600}


def test_a_file_that_is_shared_stays_shared(tmp_path):
    (tmp_path / "budget.db").touch(0o660)
    (tmp_path / "budget.db").chmod(0o660)
    with Database(f"sqlite:///{tmp_path}/budget.db", 1).transaction(writes=True) as connection:
        connection.exec_driver_sql("CREATE TABLE a (b INTEGER)")
    assert stat.S_IMODE((tmp_path / "budget.db").stat().st_mode) == 0o660
