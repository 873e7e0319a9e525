"""One rule for each of several labels: shares, labels, and what is refused before anything is spent."""

from fractions import Fraction

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import privpac as pp
from privpac.learners.one_per_label import one_per_label, total_cost
from privpac.requests.labels import Against
from tests.grid import over

AGES, LABELS = pp.Intervals(0, 99), ("child", "adult", "senior")
X = np.arange(3000) % 100
Y = np.where(X < 18, "child", np.where(X < 65, "adult", "senior"))
TABLE = pd.DataFrame({"age": X, "group": Y})


def rules(**given):
    told = {"feature": "age", "delta": 0, "epsilon": 9} | given
    return one_per_label(pp.PrivateClassifier(AGES, **told), LABELS)


def test_shares_add_up_exactly():
    shared = rules(epsilon=1, delta="1e-6")
    assert [rule.epsilon for rule in shared] == [Fraction(1, 3)] * 3
    assert sum(rule.delta for rule in shared) == Fraction(1, 10**6)
    assert total_cost(shared) == pp.Budget(1)  # intervals spend no δ
    names = one_per_label(pp.PrivateClassifier(pp.Points(), epsilon=1, delta="1e-6"), LABELS)
    assert total_cost(names) == pp.Budget(1, 1e-6)


@pytest.mark.slow
@over("X", [TABLE, ibis.memtable(pa.Table.from_pandas(TABLE))])
def test_each_label_has_its_rule_and_one_ledger_pays_for_all(X):
    ledger = pp.Ledger(pp.Budget(9))
    for rule, label in zip(rules(budget=ledger), LABELS, strict=True):
        rule.fit(X, "group")
        assert rule.labels_.tolist() == [f"not {label}", label]
        assert ((rule.predict(TABLE) == label) == (label == Y)).mean() > 0.95
        assert (
            pp.Model.from_json(pp.model_of(rule, "group").to_json()).predict(TABLE).tolist()[0]
            == rule.predict(TABLE)[0]
        )
    assert ledger.spent == pp.Budget(9)


@pytest.mark.slow
def test_labels_that_are_not_declared_follow_on_invalid():
    other = TABLE.assign(group=np.where(X == 50, "secret", Y))
    ledger = pp.Ledger(pp.Budget(9))
    with pytest.raises(ValueError, match="none of the 3 declared ones") as refused:
        rules(budget=ledger)[0].fit(other, "group")
    assert "secret" not in str(refused.value) and ledger.spent == pp.Budget(0)
    rule = rules(on_invalid="default", epsilon=90)[1].fit(other, "group")
    assert rule.n_records_ == 3000 and rule.predict({"age": [50]}).tolist() == ["adult"]  # a void record is no error


def test_large_deltas_are_those_of_all_rules_together():
    rule = one_per_label(pp.PrivateClassifier(pp.Points(), feature="age", delta="1e-4"), LABELS)[0]
    with pytest.raises(ValueError, match="is too large for 3000 records"):  # 0.3 of them; 0.1 a rule would pass
        rule.fit(TABLE, "group")


@over("values", [[1, 2, 3], ["1", "2.0", "3"]])
def test_whole_numbers_are_labels_in_every_spelling_of_a_file(values):
    table = ibis.memtable(pa.table({"age": [10, 20, 30] * 200, "group": values * 200}))
    rule = pp.PrivateClassifier(AGES, feature="age", delta=0, epsilon=30, classes=Against(2, (1, 3)))
    assert rule.fit(table, "group").predict({"age": [10, 20, 30]}).tolist() == ["not 2", "2", "not 2"]


def test_what_is_refused():
    for spending in (pp.Points(), pp.Scorecards(pp.Thresholds(0, 99).on("age"))):  # a card of one record spends no δ
        with pytest.raises(ValueError, match="name the total: delta='1e-6'"):
            one_per_label(pp.PrivateClassifier(spending), LABELS)
    for labels in (("a", "b"), ("a", "b", "b"), ("1", 1, 2)):
        with pytest.raises(ValueError, match="three different labels"):
            one_per_label(pp.PrivateClassifier(AGES, delta=0), labels)
