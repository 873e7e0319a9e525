"""Fits in parallel, by joblib and Dask, on one durable account: never overspent; repeated tasks are charged once."""

import os
import pickle
import signal
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed

from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded, Ledger
from privpac.privacy.store.accounts import BudgetStore

AGES, ILL = np.arange(200) % 100, (np.arange(200) % 100 > 49).astype(int)
SPENT = "a fit that the account does not cover"


def classifier(budget):
    return PrivateClassifier(
        Thresholds(0, 99, direction="above"), epsilon=0.1, delta=0, feature=None, report_error=True, budget=budget
    )


def rule(clf):
    """The rule of a fit, or why there is none."""
    try:
        return str(clf.fit(AGES, ILL).hypothesis_)
    except BudgetExceeded:
        return SPENT


@pytest.fixture
def account(tmp_path):
    """Room for 12 fits."""
    return BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget("1.2"))


@pytest.mark.audit
def test_twenty_fits_with_joblib_never_overspend(account):
    rules = Parallel(n_jobs=2)(delayed(rule)(classifier(account)) for _ in range(20))
    assert rules.count(SPENT) == 8
    assert account.spent == Budget("1.2")
    assert sum((each.cost for each in account.history()), Budget(0)) == Budget("1.2")


@pytest.mark.audit
def test_twenty_fits_with_joblib_under_four_keys_are_charged_four_times(account):
    rules = Parallel(n_jobs=2)(delayed(rule)(classifier(account.once(f"day {i % 4}"))) for i in range(20))
    assert SPENT not in rules
    assert all(len(set(rules[i::4])) == 1 for i in range(4))
    assert account.spent == Budget("0.4")


@pytest.mark.audit
def test_an_account_in_memory_is_not_spent_by_another_process():
    with pytest.raises(RuntimeError, match="use a BudgetStore account"):
        Parallel(n_jobs=2)(delayed(rule)(classifier(Ledger(Budget(1)))) for _ in range(2))


@pytest.mark.parametrize("kind", ["plain", "once"])
def test_a_fitted_classifier_can_be_sent(account, kind):
    clf = classifier(account if kind == "plain" else account.once("day 0")).fit(AGES, ILL)
    sent = pickle.loads(pickle.dumps(clf))
    assert sent.hypothesis_ == clf.hypothesis_
    assert (sent.predict(AGES) == clf.predict(AGES)).all()
    assert (sent.ledger_, sent.guarantee_, sent.budget) == (clf.ledger_, clf.guarantee_, clf.budget)
    assert rule(sent) != SPENT
    assert len(account.history()) == (1 if kind == "once" else 2 * len(clf.ledger_.entries))


def dies_after_its_first_fit(clf, marker):
    """A task whose worker dies when its work is done but not yet reported; Dask then runs the task again."""
    found = rule(clf)
    if not Path(marker).exists():
        Path(marker).write_text(found, encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return found


@pytest.fixture
def client(tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(tmp_path / "dask"),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.audit
@pytest.mark.filterwarnings("ignore")  # of Dask, about its workers
def test_dask_never_overspends_and_repeated_tasks_are_charged_once(account, client, tmp_path):
    many = client.map(rule, [classifier(account) for _ in range(15)], pure=False)
    assert client.gather(many).count(SPENT) == 3
    assert account.spent == Budget("1.2")
    other = account.store.account("archive", Budget(1))
    marker = tmp_path / "marker"
    task = client.submit(dies_after_its_first_fit, classifier(other.once("day 0")), str(marker), pure=False)
    assert task.result(timeout=60) == marker.read_text("utf-8")
    assert len(other.history()) == 1
