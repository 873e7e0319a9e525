"""Charges: exact, never overspent by racing processes, never behind what was released."""

import json
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from privpac.exact.entropy import Entropy
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded, Ledger, Mechanism, Sealed, spend
from privpac.privacy.store import tables as store_tables
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount
from tests.races import ended_together

SPENDER = Path(__file__).with_name("spender.py")
COST = Budget("0.001")  # what a spender charges each time


def entry(epsilon, delta=0, **fields):
    return Entry("exponential", Budget(epsilon, delta), "selection, Theorem 2", **fields)


def spender(*arguments, **pipes):
    return subprocess.Popen([sys.executable, SPENDER, *map(str, arguments)], text=True, **pipes)


def consistent(account):
    """The running sum of the last entry is the sum of the entries, and within the total."""
    assert account.spent == sum((each.cost for each in account.history()), Budget(0))
    assert account.spent <= account.total
    return True


def test_ten_tenths_fit_into_one_and_an_eleventh_does_not(url):
    account = BudgetStore(url).account("clinic", Budget(1, 1e-6))
    for _ in range(10):
        account.charge(entry(0.1, 1e-7))
    assert account.remaining == Budget(0)
    for cost in (Budget(0.1), Budget(0, 1e-7), Budget(Fraction(1, 10**30))):
        with pytest.raises(BudgetExceeded, match=r"remains of ε = 1, δ = 1e-06"):
            account.charge(entry(cost.epsilon, cost.delta))
    account.charge(entry(0))
    assert len(account.history()) == 11
    assert consistent(account)


def test_rationals_of_any_size_come_back_exactly(url):
    costs = [Budget(Fraction(1, 3), Fraction(1, 7**60)), Budget(Fraction(2**200 + 1, 2**201)), Budget("1e-300")]
    account = BudgetStore(url).account("clinic", Budget(2, 1))
    for cost in costs:
        account.charge(entry(cost.epsilon, cost.delta))
    assert [each.cost for each in account.history()] == costs
    assert consistent(account)


def test_one_account_does_not_pay_for_another(url):
    store = BudgetStore(url)
    rich, poor = store.account("rich", Budget(5)), store.account("poor", Budget(1))
    rich.charge(entry(4))
    poor.charge(entry(1))
    with pytest.raises(BudgetExceeded):
        poor.charge(entry(1))
    assert (rich.spent, poor.spent) == (Budget(4), Budget(1))


def test_history_gives_back_what_was_charged(url):
    account = BudgetStore(url).account("clinic", Budget(3))
    noon = datetime(2025, 3, 1, 12, 0, 0, 123456, timezone(timedelta(hours=2)))
    charged = [
        entry(1, who="Ada", time=noon),
        Entry("discrete Laplace", Budget(0.5), "noise, Theorem 1", private=False, who="Émilie"),
    ]
    for each in charged:
        account.charge(each)
    assert account.history() == charged
    assert account.history()[0].time.tzinfo == UTC


def times(account):
    """What the database holds."""
    with account.store.transaction() as connection:
        return list(connection.scalars(sa.select(store_tables.ENTRY.c.time).order_by(store_tables.ENTRY.c.number)))


def dated(account, *moments):
    """Entries as earlier versions wrote them."""
    for moment in moments:
        account.charge(entry("0.1"))
        table, number = store_tables.ENTRY, account.entry_count
        with account.store.transaction(writes=True) as connection:
            connection.execute(table.update().where(table.c.number == number).values(time=moment))


def test_a_store_has_no_stopwatch(url):
    """Charges have a day; a fit that ends after midnight has the day on which it began."""
    account = BudgetStore(url).account("clinic", Budget(3))
    account.charge(entry(1, time=datetime(2025, 3, 1, 23, 59, 59, 123456, UTC)))
    account.charge(entry(1, time=datetime(2025, 3, 1, 23, 59, 59, 123456, timezone(timedelta(hours=-2)))))
    assert times(account) == ["2025-03-01T00:00:00+00:00", "2025-03-02T00:00:00+00:00"]


class Still(Mechanism):
    """Releases nothing."""

    name, theorem, cost = "still", "none", Budget("0.5")

    def release(self, data: object, coins: Entropy) -> None:
        return None


def test_all_charges_of_a_fit_have_the_day_of_its_beginning(tmp_path, monkeypatch):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3))
    days = iter(datetime(2025, 3, day, tzinfo=UTC) for day in range(1, 9))
    monkeypatch.setattr("privpac.privacy.ledger.today", lambda: next(days))
    task = Ledger(account).branch()
    for _ in range(3):
        task.spend(Still(), Sealed([1]))
    assert len({each.time for each in account.history()}) == len(set(times(account))) == 1
    Ledger(account).spend(Still(), Sealed([1]))
    assert len(set(times(account))) == 2


def test_times_of_earlier_versions_are_cut_to_the_day(url):
    account = BudgetStore(url).account("clinic", Budget(3))
    dated(
        account, "2025-03-01T12:00:00.123456+00:00", "2025-03-01T12:00:00.234567+00:00", "2025-03-02T00:00:00.5+00:00"
    )
    assert [f"{each.time:%d %H:%M}" for each in account.history()] == ["01 00:00", "01 00:00", "02 00:00"]
    again = BudgetStore(url).account("clinic")
    assert times(again) == [*["2025-03-01T00:00:00+00:00"] * 2, "2025-03-02T00:00:00+00:00"]
    assert consistent(again)


def test_no_rest_of_a_time_stays_in_the_file(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3))
    dated(account, "2025-03-01T12:34:56.123456+00:00")
    assert b"12:34:56" in (tmp_path / "budget.db").read_bytes()
    account.store.account("clinic")
    assert b"12:34:56" not in (tmp_path / "budget.db").read_bytes()


def test_who_may_only_read_old_times_opens_the_account(analyst):
    """A role that may spend cannot change entries; it sees days all the same."""
    account = BudgetStore(analyst).account("clinic")
    owner = BudgetStore(sa.make_url(analyst).set(username="postgres").render_as_string(hide_password=False))
    dated(owner.account("clinic"), "2025-03-01T12:00:00.123456+00:00")
    assert BudgetStore(analyst).account("clinic").history()[-1].time == datetime(2025, 3, 1, tzinfo=UTC)
    assert times(account)[-1] == "2025-03-01T12:00:00.123456+00:00"


def test_an_unsigned_entry_is_signed_with_the_user(url, monkeypatch):
    monkeypatch.setenv("LOGNAME", "grace")
    account = BudgetStore(url).account("clinic", Budget(3))
    account.charge(entry(1))
    assert [each.who for each in account.history()] == ["grace"]


def test_a_user_without_a_name_signs_with_the_number(tmp_path, monkeypatch):
    def nameless():
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nameless)
    monkeypatch.setattr("os.getuid", lambda: 12345)
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3))
    account.charge(entry(1))
    assert [each.who for each in account.history()] == ["uid 12345"]


class Watchful(Mechanism):
    """Releases what the account had recorded when its coins were tossed."""

    name, theorem, cost = "watchful", "none", Budget(1)

    def __init__(self, account: DurableAccount) -> None:
        self.account = account

    def release(self, data: object, coins: Entropy) -> Budget:
        return BudgetStore(self.account.store.url).account("clinic").spent


def test_the_entry_is_committed_before_the_coin(url):
    account = BudgetStore(url).account("clinic", Budget(2))
    assert spend(Watchful(account), None, account, None) == Budget(1)
    ledger = Ledger(account, rng=7, who="Ada")
    assert ledger.spend(Watchful(account), Sealed([1, 2, 3])) == Budget(2)
    with pytest.raises(BudgetExceeded):
        ledger.spend(Watchful(account), Sealed([1, 2, 3]))
    assert ledger.remaining == Budget(0)
    assert [(each.mechanism, each.private, each.who) for each in account.history()][1:] == [("watchful", False, "Ada")]


LONG_PASSBOOK = """
    WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 100000)
    INSERT INTO privpac_entry
        (account, number, private, time, who, mechanism, theorem, epsilon, delta, spent_epsilon, spent_delta)
    SELECT 'clinic', n, true, '2025-03-01T12:00:00+00:00', 'Ada', 'm', 't', '1', '0', CAST(n AS TEXT), '0' FROM k
"""


@pytest.mark.slow
def test_a_charge_stays_quick_in_a_long_passbook(url):
    """The median is a few milliseconds whatever the length; summing 10⁵ rationals anew would take a second."""
    account = BudgetStore(url).account("clinic", Budget(10**6))
    with account.store.transaction(writes=True) as connection:
        connection.exec_driver_sql(LONG_PASSBOOK)
    durations = []
    for _ in range(20):
        start = time.perf_counter()
        account.charge(entry(1))
        durations.append(time.perf_counter() - start)
    assert account.spent == Budget(100_020)
    assert sorted(durations)[10] < 0.1


@pytest.fixture
def analyst(postgres):
    """The address of a store for its owner and for a role with the grants that docs/guide/budget.md asks for."""
    url = postgres()
    schema = url.rpartition("%3D")[2]
    BudgetStore(url).account("clinic", Budget(2)).charge(entry(1))
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "budget.md").read_text("utf-8")
    grants = re.search(r"```sql\n(.*?)```", guide, re.DOTALL)[1].replace("analysts", schema)
    with psycopg.connect(url) as owner:
        owner.execute(f"CREATE ROLE {schema} LOGIN")
        owner.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
        owner.execute(grants)
    return sa.make_url(url).set(username=schema).render_as_string(hide_password=False)


def test_a_role_that_may_spend_cannot_change_what_was_spent(analyst):
    account = BudgetStore(analyst).account("clinic", Budget(2))
    account.charge(entry(1))
    with pytest.raises(BudgetExceeded):
        account.charge(entry(1))
    for statement in (
        "UPDATE privpac_account SET epsilon = '100'",
        "UPDATE privpac_account SET name = 'x'",
        "UPDATE privpac_entry SET spent_epsilon = '0'",
        "DELETE FROM privpac_entry",
        "DELETE FROM privpac_account",
        "INSERT INTO privpac_account VALUES ('x', '1', '0')",
    ):
        with (
            pytest.raises(StoreError, match=r"permission denied|violates foreign key"),
            account.store.transaction() as connection,
        ):
            connection.exec_driver_sql(statement)
    assert account.spent == Budget(2)


# --- races -----------------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What the racers say, and what the store says."""

    accepted: int
    refused: int
    failed: int
    recorded: int


def race(url, kind, folder, *, racers, fits, spends):
    """``racers`` processes that charge one account, which has room for ``fits`` charges, ``spends`` times each."""
    account = BudgetStore(url).account("shared", Budget(fits * COST.epsilon))
    folder.mkdir()
    asked = "race", kind, url, spends, folder, racers
    counts = [json.loads(printed) for printed in ended_together(SPENDER, *asked, racers=racers)]
    sums = {key: sum(count[key] for count in counts) for key in ("accepted", "refused", "failed")}
    assert sum(sums.values()) == racers * spends
    return Outcome(**sums, recorded=len(account.history()))


def assert_never_overspent(outcome, fits):
    assert outcome.recorded == outcome.accepted
    assert outcome.accepted <= fits


@pytest.mark.audit
def test_racing_processes_spend_exactly_what_fits(url, tmp_path):
    outcome = race(url, "durable", tmp_path / "race", racers=8, fits=1000, spends=200)
    assert_never_overspent(outcome, fits=1000)
    assert outcome == Outcome(accepted=1000, refused=600, failed=0, recorded=1000)
    assert consistent(BudgetStore(url).account("shared"))


@pytest.mark.audit
def test_the_race_catches_an_account_that_checks_before_it_locks(url, tmp_path):
    outcome = race(url, "careless", tmp_path / "race", racers=3, fits=1, spends=1)
    assert outcome.accepted == 3
    with pytest.raises(AssertionError):
        assert_never_overspent(outcome, fits=1)


@pytest.mark.audit
def test_the_primary_key_alone_admits_one_racer(url, tmp_path):
    outcome = race(url, "unlocked", tmp_path / "race", racers=3, fits=3, spends=1)
    assert_never_overspent(outcome, fits=3)
    assert outcome == Outcome(accepted=1, refused=0, failed=2, recorded=1)
    assert consistent(BudgetStore(url).account("shared"))


@pytest.mark.audit
def test_a_fork_does_not_share_its_parent_s_connection(url):
    account = BudgetStore(url).account("shared", Budget(1))
    assert spender("fork", url, 20).wait(timeout=300) == 0
    assert len(account.history()) == 1 + 5 * 20
    assert consistent(account)


# --- crashes ---------------------------------------------------------------------------------------------------------


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def assert_spent_covers_released(account, path):
    assert account.spent.epsilon >= lines(path) * COST.epsilon


@pytest.mark.audit
def test_kill_9_leaves_spent_at_least_what_was_released(url, tmp_path):
    account = BudgetStore(url).account("shared", Budget(1))
    path = tmp_path / "released"
    for kills in range(1, 4):
        process = spender("release", "durable", url, path, 0)
        moment = lines(path) + random.randint(1, 60)
        while lines(path) < moment:
            assert process.poll() is None
            time.sleep(random.random() / 100)
        process.kill()
        process.wait()
        assert_spent_covers_released(account, path)
        assert lines(path) <= len(account.history()) <= lines(path) + kills
    account.charge(entry("0.001"))
    assert len(account.history()) > lines(path)
    assert consistent(account)


@pytest.mark.audit
def test_a_crash_after_the_charge_leaves_it_spent(url, tmp_path):
    account = BudgetStore(url).account("shared", Budget(1))
    assert spender("release", "durable", url, tmp_path / "released", 15).wait(timeout=300) == -9
    assert (lines(tmp_path / "released"), len(account.history())) == (14, 15)


@pytest.mark.audit
def test_the_crash_catches_an_account_that_commits_late(url, tmp_path):
    account = BudgetStore(url).account("shared", Budget(1))
    assert spender("release", "tardy", url, tmp_path / "released", 15).wait(timeout=300) == -9
    with pytest.raises(AssertionError):
        assert_spent_covers_released(account, tmp_path / "released")
