"""A fit or a release that runs again: one charge, one release, and nothing that depends on the records."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.one_per_label import one_per_label
from privpac.learners.rule_request import RuleRequest
from privpac.mechanisms.lines.cuts import CutExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.accounts import BudgetStore, StoreError
from privpac.privacy.store.durable_account import DurableAccount
from privpac.privacy.store.once import AlreadyCharged, Once
from privpac.privacy.store.tables import RESULT
from privpac.release.private_release import PrivateRelease
from privpac.release.release_request import ReleaseRequest
from privpac.requests import paying
from privpac.requests.conditions import Conditions
from privpac.requests.labels import Against
from privpac.requests.paying import Unkept, question_of, question_text
from tests.races import ended_together

AGES, ILL = np.arange(1000) % 100, (np.arange(1000) % 100 > 49).astype(int)
LINE = Thresholds(0, 99, direction="above")
RUNNER = Path(__file__).with_name("runs_once.py")


@pytest.fixture
def account(tmp_path):
    return BudgetStore(f"sqlite:///{tmp_path}/budget.db", timeout=0.2).account("clinic", Budget(3, 1e-5))


def classifier(account, key="May 3", **asked):
    return PrivateClassifier(
        LINE,
        budget=account.once(key),
        **{"delta": 0, "epsilon": 0.1, "feature": None, "method": "PureThresholdLearner"} | asked,
    )


def fitted(clf):
    return {name: value for name, value in vars(clf).items() if name.endswith("_") and name != "labels_"}


@pytest.mark.parametrize("asked", [{}, {"report_error": True}, {"random_state": 3}, {"delta": None}])
def test_a_fit_that_runs_again_is_the_same_fit(account, asked):
    first, again = (classifier(account, **asked).fit(AGES, ILL) for _ in range(2))
    assert fitted(first) == fitted(again)
    assert len(account.history()) == 1
    assert first.privacy_ <= account.spent


@pytest.mark.slow
def test_coins_are_fresh_under_another_key(account):
    """Twenty rules at ε = 1/10 are equal by chance less often than once in 10⁹ runs."""
    rules = [classifier(account, f"May {day}").fit(AGES, ILL).hypothesis_ for day in range(20)]
    assert len(set(rules)) > 1
    assert account.spent == Budget(2)


@pytest.mark.parametrize("of", [Points(), LINE])
def test_a_release_that_runs_again_is_the_same_release(account, of):
    budget = account.once("May 3")
    first, again = (PrivateRelease(of, 1, 1e-6, budget=budget).fit(AGES).release_ for _ in range(2))
    assert first == again
    assert len(account.history()) == 1


def test_units_are_released_once_as_well(account):
    names, units = np.array(["a", "b"])[AGES % 2], pd.Series(np.arange(1000) // 2, name="pair")
    first, again = (
        PrivateRelease(Points(), 1, 1e-6, budget=account.once("k"), max_records=2).fit(names, unit=units)
        for _ in range(2)
    )
    assert first.release_ == again.release_
    assert len(account.history()) == 1


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"epsilon": 0.2}, "epsilon"),
        ({"delta": 1e-6}, "delta"),
        ({"concept_class": Thresholds(0, 100, direction="above")}, "concept_class"),
        ({"classes": (1, 0)}, "classes"),
        ({"report_error": True}, "report_error"),
        ({"on_invalid": "clamp"}, "on_invalid"),
        ({"random_state": 7}, "random_state"),
    ],
)
def test_another_question_under_the_key_is_refused(account, other, name):
    classifier(account).fit(AGES, ILL)
    with pytest.raises(AlreadyCharged, match=f"another question, with (other classes|another (?!classes){name}); "):
        classifier(account).set_params(**other).fit(AGES, ILL)
    assert len(account.history()) == 1


def test_a_command_and_an_estimator_ask_the_same_under_a_key(account):
    table = {"age": AGES.tolist(), "ill": ILL.tolist()}
    asked = {"feature": "age", "budget": account.once("May 3")}
    rules = [front(LINE, **asked).fit(table, "ill").hypothesis_ for front in (RuleRequest, PrivateClassifier)]
    assert rules[0] == rules[1]
    queries = {"feature": "age", "budget": account.once("May 4")}
    first, again = (front(LINE, **queries).fit(table).release_ for front in (PrivateRelease, ReleaseRequest))
    assert first == again
    assert len(account.history()) == 2


def test_an_estimator_of_another_kind_asks_another_question(account):
    class Other(PrivateClassifier):
        """It might learn in another way."""

    classifier(account).fit(AGES, ILL)
    with pytest.raises(AlreadyCharged, match="with another kind; "):
        Other(**classifier(account).get_params(deep=False)).fit(AGES, ILL)


def test_another_number_of_records_is_refused(account):
    classifier(account).fit(AGES, ILL)
    with pytest.raises(AlreadyCharged, match="with another n; "):
        classifier(account).fit(AGES[:-1], ILL[:-1])
    with pytest.raises(AlreadyCharged, match="with another kind; "):
        PrivateRelease(LINE, 0.1, budget=account.once("May 3")).fit(AGES)


def test_numbers_may_be_written_differently(account):
    rules = [
        classifier(account, epsilon=ε, classes=pair).fit(AGES, ILL).hypothesis_
        for ε in (0.1, "0.1", "1/10")
        for pair in ((0, 1), [0, 1], np.array([0, 1]))
    ]
    assert len(set(rules)) == 1


def told(account, ages):
    """What a run says about these records: its rule, or its refusal."""
    try:
        return classifier(account).fit(ages, ILL).hypothesis_
    except AlreadyCharged as refusal:
        return str(refusal)


def test_a_second_run_says_the_same_about_all_neighbors(account):
    """Telling other records apart, by a digest of them, would be a release that nobody paid for."""
    neighbors = [AGES, *(np.where(np.arange(1000) == i, value, AGES) for i, value in ((0, 99), (999, 0), (500, 50)))]
    assert len({told(account, each) for each in neighbors}) == 1


class Comparing(Once):
    """Broken: refuses records that are not those of the first run."""

    def released(self, claim):
        if self.account.spent.epsilon and self.digest != DIGEST[self.key]:
            raise AlreadyCharged("once", "these are other records")
        DIGEST[self.key] = self.digest
        return super().released(claim)


DIGEST = {}


def test_the_twin_that_compares_records_is_caught(account, monkeypatch):
    def once(self, key):
        twin = Comparing(self, key)
        object.__setattr__(twin, "digest", current[0].tobytes())
        return twin

    current = [AGES]
    monkeypatch.setattr(DurableAccount, "once", once)
    first = told(account, AGES)
    current[0] = np.where(np.arange(1000) == 0, 99, AGES)
    assert told(account, current[0]) != first


# --- failures --------------------------------------------------------------------------------------------------------


def fail(*_, **__):
    raise OSError("the machine died")


def test_after_a_death_between_charge_and_release_the_key_is_refused(account, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(CutExponential, "release", fail)
        with pytest.raises(OSError, match="died"):
            classifier(account).fit(AGES, ILL)
    assert account.spent == Budget(0.1)
    with pytest.raises(AlreadyCharged, match="If it died, its charge is lost: choose another key"):
        classifier(account).fit(AGES, ILL)
    assert account.spent == Budget(0.1)
    classifier(account, "May 3, again").fit(AGES, ILL)
    assert account.spent == Budget(0.2)


def test_a_failure_before_the_first_coin_claims_nothing(account, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(CutExponential, "check", fail)
        with pytest.raises(OSError, match="died"):
            classifier(account).fit(AGES, ILL)
    assert account.claim_on("May 3") is None
    classifier(account).fit(AGES, ILL)
    assert account.spent == Budget(0.1)


def test_a_release_that_cannot_be_kept_is_not_lost(account, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(DurableAccount, "keep", lambda *_: (_ for _ in ()).throw(StoreError("the disk is full")))
        with pytest.warns(Unkept, match=r"was charged and is returned here.*save it now \(the disk is full\)"):
            assert classifier(account).fit(AGES, ILL).privacy_ == Budget(0.1)
    with pytest.raises(AlreadyCharged):
        classifier(account).fit(AGES, ILL)
    assert account.spent == Budget(0.1)


def test_an_account_that_cannot_pay_claims_nothing(account):
    with pytest.raises(BudgetExceeded):
        classifier(account, epsilon=4).fit(AGES, ILL)
    assert account.claim_on("May 3") is None


def test_a_spent_account_still_gives_what_it_paid_for(account):
    first = classifier(account, epsilon=3).fit(AGES, ILL)
    assert account.remaining.epsilon == 0
    assert classifier(account, epsilon=3).fit(AGES, ILL).hypothesis_ == first.hypothesis_


def test_a_slower_run_gets_the_release_of_the_faster_one(account, monkeypatch):
    """Both find the key free; one of them charges first."""
    faster, look = [], Once.released

    def looked(self, claim):
        found = look(self, claim)
        if not faster:
            faster.append(None)
            faster[0] = classifier(account).fit(AGES, ILL).hypothesis_
        return found

    monkeypatch.setattr(Once, "released", looked)
    assert classifier(account).fit(AGES, ILL).hypothesis_ == faster[0]
    assert account.spent == Budget(0.1)


@pytest.mark.audit
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_processes_with_one_key_charge_once_and_release_once(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path}/budget.db" if kind == "sqlite" else request.getfixturevalue("postgres")()
    account = BudgetStore(url).account("clinic", Budget(1))
    rules = [json.loads(printed) for printed in ended_together(RUNNER, url, racers=2)]
    assert rules[0] == rules[1]
    assert len(account.history()) == 1
    assert account.spent == Budget(0.01)


@pytest.mark.parametrize(
    "kept", ['[{"is": "Unknown"}, []]', "None", json.dumps({"privpac": paying.version("privpac"), "released": [7]})]
)
def test_a_kept_release_that_cannot_be_read_is_a_sentence(account, kept):
    classifier(account).fit(AGES, ILL)
    with account.store.transaction(writes=True) as connection:
        connection.execute(RESULT.update().values(released=kept))
    with pytest.raises(ValueError, match="written by another version of privpac"):
        classifier(account).fit(AGES, ILL)


def test_a_release_of_another_version_is_not_certified_by_this_one(account, monkeypatch):
    """Its algorithm may have been another one, under the same name."""
    with monkeypatch.context() as patch:
        patch.setattr(paying, "version", lambda _: "0.0.7")
        first = classifier(account).fit(AGES, ILL)
    with pytest.raises(ValueError, match=r"written by another version of privpac, 0\.0\.7; use that version"):
        classifier(account).fit(AGES, ILL)
    monkeypatch.setattr(paying, "version", lambda _: "0.0.7")
    assert classifier(account).fit(AGES, ILL).hypothesis_ == first.hypothesis_


@pytest.mark.parametrize("error", [AttributeError, RecursionError, NotImplementedError, MemoryError])
def test_a_release_that_cannot_be_written_is_not_lost(account, monkeypatch, error):
    monkeypatch.setattr(paying, "stored", lambda *_: (_ for _ in ()).throw(error("no")))
    with pytest.warns(Unkept, match="save it now"):
        assert classifier(account).fit(AGES, ILL).privacy_ == Budget(0.1)


def test_labels_that_are_taken_from_the_records_belong_to_the_question(account):
    """They are public then, and a rule about ill and well says nothing about rich and poor."""
    first, again = (classifier(account, classes=None).fit(AGES, np.array(["ill", "well"])[ILL]) for _ in range(2))
    assert first.predict([7, 70]).tolist() == again.predict([7, 70]).tolist()
    with pytest.raises(AlreadyCharged, match="with other labels"):
        classifier(account, classes=None).fit(AGES, np.array(["poor", "rich"])[ILL])
    assert len(account.history()) == 1


def test_one_key_does_not_pay_for_a_fit_of_each_label_or_fold(account):
    """All of them would get the rule of the first, with a certificate that is not about them."""
    bands, clf = np.digitize(AGES, (30, 70)), classifier(account)
    for several in (
        lambda: OneVsRestClassifier(clf).fit(AGES[:, None], bands),
        lambda: cross_val_score(clf, AGES[:, None], ILL, cv=5, error_score="raise"),
        lambda: one_per_label(clf, [0, 1, 2]),
    ):
        with pytest.raises(ValueError, match="a key pays for one fit"):
            several()
    assert account.spent == Budget(0)


# --- questions -------------------------------------------------------------------------------------------------------


def test_questions_leave_nothing_out():
    """The repr of a matrix, and of much else, does."""
    asked = [
        ExplicitClass([[0, 1], [1, 1]]),
        ExplicitClass([[0, 1], [1, 0]]),
        ExplicitClass([[0, 1], [1, 1]], points="ab"),
        LINE,
        Points(),
        (LINE, "a"),
        {"a": 1},
        frozenset("ab"),
        Against("a", ("b", "c")),
        np.arange(3),
        np.arange(5000),
        np.where(np.arange(5000) == 2500, 0, np.arange(5000)),
    ]
    assert len({question_text({"x": each}) for each in asked}) == len(asked)


def test_questions_are_short_and_the_same_in_every_order_of_a_set():
    ((_, text),) = question_text({"x": frozenset(map(str, range(100)))})
    assert text == question_text({"x": frozenset(map(str, reversed(range(100))))})[0][1]
    assert len(text) < 100


def test_everything_that_decides_is_asked():
    conditions = Conditions.of(epsilon="1/3")
    asked = question_of(PrivateClassifier(LINE), conditions, ("concept_class",), 7, "y", np.array([1]))
    assert asked["columns"] == ("y", None)
    assert {"kind", "epsilon", "delta", "random_state", "concept_class", "n"} <= set(asked)


def test_no_warning_without_a_key(account):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateClassifier(LINE, budget=account, delta=0, feature=None).fit(AGES, ILL)
