"""An account protects one unit: declared when it is created, or decided by its first charge, whoever makes it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pandas as pd
import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.mechanisms import discrete_laplace
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import RECORDS, Entry
from privpac.privacy.ledger import Ledger, MemoryAccount, OtherUnit
from privpac.privacy.store import charging
from privpac.privacy.store import tables as store_tables
from privpac.privacy.store.accounts import AccountExistsError, BudgetStore
from privpac.refusals.refusal import Refused
from privpac.release.private_release import PrivateRelease

RACERS = 6
VISITS = {"age": np.arange(60) % 50, "patient": np.arange(60) % 20, "doctor": np.arange(60) % 3}
ILL = (VISITS["age"] > 25).astype(int)


def entry(unit: str = RECORDS) -> Entry:
    return Entry("exponential", Budget("0.01"), "selection, Theorem 1", unit=unit)


def fit(budget, unit=None, k=None):
    clf = PrivateClassifier(
        Thresholds(0, 50, direction="above"),
        epsilon="0.01",
        delta=0,
        feature="age",
        budget=budget,
        max_records=k,
        random_state=None,
    )
    return clf.fit(VISITS, ILL, unit)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def account(request, tmp_path):
    if request.param == "memory":
        return MemoryAccount(Budget(1))
    url = f"sqlite:///{tmp_path}/b.db" if request.param == "sqlite" else request.getfixturevalue("postgres")()
    return BudgetStore(url).account("clinic", Budget(1))


def test_the_first_charge_decides(account):
    assert account.unit is None
    account.charge(entry("patient"))
    for other in ("doctor", RECORDS):
        with pytest.raises(OtherUnit, match="protects each 'patient' as a whole, and exponential protects"):
            account.charge(entry(other))
    account.charge(entry("patient"))
    assert account.unit == "patient" and account.spent == Budget("0.02")


def test_history_names_the_unit(tmp_path):
    """Entries are equal whatever they protect, so this asks each."""
    account = BudgetStore(f"sqlite:///{tmp_path}/b.db").account("clinic", Budget(1))
    account.charge(entry("patient"))
    assert [each.unit for each in account.history()] == ["patient"]


def test_a_charge_that_is_refused_decides_nothing(account):
    with pytest.raises(RuntimeError, match="remains of"):
        account.charge(Entry("exponential", Budget(2), "selection, Theorem 1", unit="patient"))
    assert account.unit is None
    account.charge(entry())
    assert account.unit == RECORDS


def test_fits_releases_and_mechanisms_share_an_account_only_for_one_unit(account):
    fit(account, "patient", 2)
    fit(account, "patient", 3)  # how many records count may differ: both protect patients
    for another in (
        lambda: fit(account),
        lambda: fit(account, "doctor", 2),
        lambda: fit(Ledger(account), "doctor", 2),
        lambda: discrete_laplace(7, epsilon="0.01", budget=account),
        lambda: PrivateRelease(Thresholds(0, 50, direction="above"), epsilon="0.01", budget=account, feature="age").fit(
            VISITS
        ),
    ):
        before = account.spent
        with pytest.raises(OtherUnit, match="use another account"):
            another()
        assert account.spent == before
    discrete_laplace(7, epsilon="0.01", budget=Ledger(account, unit="patient"))  # each patient counts once


def test_it_is_refused_before_a_record_is_read(account):
    account.charge(entry("patient"))

    class Unread:
        """A table that must not be touched."""

        def __getattr__(self, name):
            raise AssertionError(name)

    for front in (PrivateClassifier(Thresholds(0, 50, direction="above"), feature="age", budget=account),):
        with pytest.raises(OtherUnit):
            front.fit(Unread(), Unread())
    with pytest.raises(OtherUnit):
        PrivateRelease(Thresholds(0, 50, direction="above"), feature="age", budget=account).fit(Unread())


def test_units_need_a_name_to_share_an_account(account):
    for named in ("patient", pd.Series(VISITS["patient"], name="patient")):
        fit(account, named, 2)
    for unnamed in (VISITS["patient"], pd.Series(VISITS["patient"]), VISITS["patient"].tolist()):
        with pytest.raises(Refused, match="these units have no name"):
            fit(account, unnamed, 2)
        fit(Budget(1), unnamed, 2)  # an allowance for this fit alone
    with pytest.raises(Refused, match="another name"):
        fit(account, pd.Series(VISITS["patient"], name=RECORDS), 2)


def test_keys_charge_for_the_unit_too(url):
    account = BudgetStore(url).account("clinic", Budget(1))
    fit(account.once("a"), "patient", 2)
    assert account.unit == "patient"
    with pytest.raises(OtherUnit):
        fit(account.once("b"))
    assert account.claim_on("b") is None


def test_it_is_declared_when_the_account_is_created(url):
    store = BudgetStore(url)
    account = store.account("clinic", Budget(1), unit="patient")
    assert account.unit == store.account("clinic", Budget(1)).unit == "patient"
    assert store.account("clinic", Budget(1), unit="patient") == account
    with pytest.raises(OtherUnit):
        account.charge(entry())
    with pytest.raises(AccountExistsError, match="has the unit 'patient', not 'records'"):
        store.account("clinic", unit=RECORDS)
    for wrong in ("", " ", 3, "a\nb"):
        with pytest.raises(Refused, match="the name of a column"):
            store.account("other", Budget(1), unit=wrong)


def of_version_1(store: BudgetStore) -> None:
    with store.transaction(writes=True) as connection:
        store_tables.UNIT.drop(connection)
        connection.execute(store_tables.SCHEMA.update().values(version=1))


def version(store: BudgetStore) -> int:
    with store.transaction() as connection:
        return connection.scalar(store_tables.sa.select(store_tables.SCHEMA.c.version))


def test_an_account_of_an_earlier_version_takes_its_unit_from_the_next_charge(url):
    store = BudgetStore(url)
    account = store.account("clinic", Budget(1))
    account.charge(entry())
    of_version_1(store)
    assert (account.unit, account.spent, store.accounts()) == (None, Budget("0.01"), ["clinic"])
    assert version(store) == 1  # looking changes nothing
    assert [each.unit for each in account.history()] == [RECORDS]
    account.charge(entry("patient"))
    assert [each.unit for each in account.history()] == ["patient", "patient"]  # as the page of the proof says
    assert (account.unit, account.spent, version(store)) == ("patient", Budget("0.02"), 2)
    of_version_1(store)
    assert store.account("clinic", Budget(1)).unit is None and version(store) == 2  # its owner makes the table


def raced(account, charge) -> list[str]:
    """Which units were charged, if all racers come at once; each has a unit of its own."""
    start = Barrier(RACERS)

    def racer(i: int) -> str | None:
        start.wait()
        try:
            charge(account, entry(f"unit {i}"), start)
        except OtherUnit:
            return None
        return f"unit {i}"

    with ThreadPoolExecutor(RACERS) as racers:
        return [unit for unit in racers.map(racer, range(RACERS)) if unit]


def test_racers_for_the_first_charge_agree(account):
    (unit,) = raced(account, lambda account, each, _: account.charge(each))
    assert account.unit == unit and account.spent == Budget("0.01")


def test_racers_bring_an_earlier_version_up_together(url):
    store = BudgetStore(url)
    account = store.account("clinic", Budget(1))
    of_version_1(store)
    (unit,) = raced(account, lambda account, each, _: account.charge(each))
    assert (account.unit, version(store)) == (unit, 2)


def test_an_account_that_looks_first_and_charges_later_mixes_units(account, monkeypatch):
    """The negative control: the same race finds the mistake."""
    looked = []

    def careless(account, each, start):
        looked.append(account.unit)
        start.wait()
        account.charge(each)

    monkeypatch.setattr(charging, "_record_unit", lambda *_: None)
    monkeypatch.setattr("privpac.privacy.ledger.account_unit", lambda before, unit, *_: unit)
    assert len(raced(account, careless)) == RACERS and set(looked) == {None}


def test_the_certificate_of_a_ledger_says_what_its_charges_protect():
    ledger = Ledger(MemoryAccount(Budget(1)), unit="patient")
    discrete_laplace(7, epsilon="0.01", budget=ledger)
    assert "that differ in one unit [" in str(ledger.certificate())
    single = Ledger(Budget(1))
    discrete_laplace(7, epsilon="0.01", budget=single)
    assert "that differ in one record [" in str(single.certificate())
