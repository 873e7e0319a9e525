"""Decision trees: what is found, what is certified, small and void samples."""

import numpy as np
import pytest

from privpac.audit.claims.fits import AuditedFit, UnseenRecords, fit_of
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import EndsWith, StartsWith
from privpac.classes.values.points import Points
from privpac.learners.choice import learner_for
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.sample_sizes import certified_n
from privpac.privacy.budget import Budget
from privpac.requests.conditions import Conditions, Terms
from tests.grid import over
from tests.learners.decision_trees.people import MIXED, people, public_of


def test_what_cannot_be_listed_is_not_learned():
    assert not DecisionTreeLearner.supports(Trees(Points().on("carrier"), depth=2))
    assert not DecisionTreeLearner.supports(Trees(Intervals(0, 10**6).on("age"), depth=2))
    assert not DecisionTreeLearner.supports(Thresholds(0, 1, direction="above"))


def law(trees, records):
    """The law of the released rules."""
    learned = AuditedFit(fit_of(DecisionTreeLearner, trees, epsilon=2), len(records))
    found = {}
    for (tree,), p in learned.law(learned.sample(records)).items():
        rule = learned.learner.run(UnseenRecords(len(records)), lambda *_, tree=tree: tree)
        found[str(rule)] = found.get(str(rule), 0) + float(p)
    return found


@pytest.mark.audit
def test_the_order_of_columns_does_not_matter():
    one, other = Thresholds(0, 2, direction="above").on("a"), ExplicitClass([[0, 1], [1, 1]], points=["x", "y"]).on("b")
    records = [({"a": 0, "b": "x"}, 1), ({"a": 2, "b": "y"}, 0), ({"a": 1, "b": "y"}, 1), None]
    first, second = law(Trees(one, other, depth=2), tuple(records)), law(Trees(other, one, depth=2), tuple(records))
    assert set(first) == set(second)
    assert all(abs(first[rule] - second[rule]) < 1e-9 for rule in first)


def test_a_rule_asks_nothing_that_its_path_has_decided():
    trees = Trees(Thresholds(0, 3, direction="above").on("a"), depth=3)
    learner = DecisionTreeLearner(trees, Terms(Budget(1)))

    def rule(tree):
        return learner.run(UnseenRecords(0), lambda *_: tree)

    a = public_of(trees).rules
    assert rule((1, (0, True, False), False)) == Split(a[1], Constant(True), Constant(False))
    assert rule((1, (2, False, True), (2, True, (0, False, False)))) == Split(
        a[1], Split(a[2], Constant(False), Constant(True)), Constant(False)
    )
    assert rule((1, (0, True, False), (2, False, True))) == Constant(True)
    assert rule((2, True, (1, True, False))) == Split(a[1], Constant(True), Constant(False))  # as it is printed


@pytest.mark.audit
@pytest.mark.parametrize("depth", [2, 3])
def test_a_tree_is_found_under_noise(depth):
    rng = np.random.default_rng(5)
    table = people(rng, 4000)
    true = np.where(table["age"] >= 40, table["job"] == "pilot", table["income"] >= 1000)
    labels = true ^ (rng.random(4000) < 0.1)
    clf = PrivateClassifier(Trees(*MIXED, depth=depth), method="DecisionTreeLearner", epsilon=2).fit(table, labels)
    assert np.mean(clf.predict(table) != true) < 0.05
    assert clf.privacy_ == Budget(2)
    assert "public grid" in clf.guarantee_.utility.assumptions[1]


@over("depth", (1, 2, 3))
@over("n", (1, 2, 30))
@over("label", (0, 1))
def test_small_and_one_sided_samples(depth, n, label):
    trees = Trees(Thresholds(0, 9, direction="above").on("a"), Thresholds(5, 5, direction="above").on("b"), depth=depth)
    clf = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=50, classes=(0, 1))
    clf.fit({"a": list(range(n)) if n <= 10 else [3] * n, "b": [5] * n}, [label] * n)
    if n == 30:
        assert clf.predict({"a": [3], "b": [5]}).tolist() == [label]


def test_no_records_at_all():
    learned = AuditedFit(fit_of(DecisionTreeLearner, Trees(Thresholds(5, 5).on("b"), depth=2), epsilon=1), 0)
    assert {outcome: float(p) for outcome, p in learned.law(learned.sample(())).items()} == {
        (False,): 0.5,
        (True,): 0.5,
    }


@pytest.mark.parametrize("on_invalid", ["default", "clamp"])
def test_void_records_and_units(on_invalid):
    trees = Trees(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 1, direction="above").on("b"), depth=2)
    table, who = {"a": [None, 50, 3, 7] * 200, "b": [0, 1, 0, 1] * 200}, np.repeat(np.arange(400), 2)
    made = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=8, on_invalid=on_invalid, max_records=2)
    clf = made.fit(table, [0, 1, 0, 1] * 200, unit=who)
    assert clf.predict({"a": [3, 7], "b": [0, 1]}).tolist() == [0, 1]
    assert clf.privacy_ == Budget(8)


def test_trees_are_certified_and_chosen():
    trees, asked = (
        Trees(Thresholds(0, 99, direction="above").on("a"), Thresholds(0, 99, direction="above").on("b"), depth=2),
        Conditions.of(delta=0),
    )
    assert learner_for(trees, asked) is DecisionTreeLearner
    n = certified_n(DecisionTreeLearner, trees, asked)
    learner = DecisionTreeLearner.for_class(trees, asked.terms(n))
    assert learner.failure(n, 0.1) <= 0.05 < learner.failure(n - 1, 0.1)
    for ε in ("1e-9", "1000000"):
        assert 0 <= DecisionTreeLearner(trees, Terms(Budget(ε))).failure(10**9, 0.1) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_no_certificate_is_violated(regime):
    """40 fits of which each fails with probability at most 0.05: 15 failures or more have probability below 10^-9."""
    rng, n = np.random.default_rng(7), 400
    trees = Trees(Thresholds(0, 3, direction="above").on(0), Thresholds(0, 3, direction="above").on(1), depth=2)
    X = np.array([(a, b) for a in range(4) for b in range(4)])
    truth = (X[:, 0] >= 2) ^ (X[:, 1] >= 1)
    error = 0.3 if regime == "agnostic" else 0.0
    made = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=1, regime=regime, beta=0.05)
    failures = 0
    for _ in range(40):
        at = rng.integers(16, size=n)
        labels = truth[at] ^ (rng.random(n) < error)
        clf = made.fit(X[at], labels)
        wrong = np.mean(clf.predict(X) != truth)
        excess = wrong * (1 - 2 * error)
        failures += excess > float(clf.guarantee_.utility.alpha)
    assert failures < 15


def test_declared_prefixes_are_tests():
    """Of texts and of paths, one within another, together with a column of numbers."""
    rng = np.random.default_rng(4)
    icd = rng.choice(["J10", "J101", "J11", "J", "K2", "L", ""], 3000)
    path = rng.choice(["/usr/lib/x", "usr/bin", "usrlib", "/", "home/lib"], 3000)
    table = {"icd": icd, "path": path, "age": rng.integers(0, 9, 3000)}
    starts = np.char.startswith(icd, "J1") & ~np.char.startswith(icd, "J10")
    below = np.isin(path, ["/usr/lib/x", "usr/bin"]) & (table["age"] >= 4)
    parts = (
        StartsWith().on("icd", values=("J1", "J10", "K", "M")),
        StartsWith("/").on("path", values=("usr", "usr/lib", "home", "")),
        Thresholds(0, 8, direction="above").on("age"),
    )
    for labels in (starts, below):
        clf = PrivateClassifier(Trees(*parts), epsilon=9).fit(table, labels)
        assert type(clf.learner_) is DecisionTreeLearner
        assert (clf.predict(table) == labels).all()


def test_declared_suffixes_are_tests():
    rng = np.random.default_rng(5)
    table = {"tail": rng.choice(["N203JB", "JB", "B", "N14UA", "", "JBX"], 2000), "age": rng.integers(0, 9, 2000)}
    labels = np.char.endswith(table["tail"], "B") & ~np.char.endswith(table["tail"], "JB")
    parts = EndsWith().on("tail", values=("JB", "B", "UA", "J")), Thresholds(0, 8, direction="above").on("age")
    clf = PrivateClassifier(Trees(*parts), epsilon=9).fit(table, labels)
    assert type(clf.learner_) is DecisionTreeLearner
    assert (clf.predict(table) == labels).all()
