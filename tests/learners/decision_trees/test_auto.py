"""What is learned if no class is named: a choice by public numbers, and everything said about it."""

from math import ceil

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.case import labeled
from privpac.audit.claims.fits import AuditedFit, stages
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.exact.entropy import SYSTEM
from privpac.learners.choice import learner_for as choice_for
from privpac.learners.choice import ranking
from privpac.learners.decision_trees import public_tests
from privpac.learners.decision_trees.auto import AutoLearner
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.scorecards import ScorecardLearner
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.fit import Fit
from privpac.learners.one_per_label import one_per_label, total_cost
from privpac.learners.sample_sizes import certified_n
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.privacy.store.accounts import BudgetStore
from privpac.requests.conditions import Conditions
from tests.learners.decision_trees.people import MIXED

RULES = pp.Auto(pp.Thresholds(0, 9, direction="above").on("a"), pp.Thresholds(0, 1, direction="above").on("b"))
SMALL = pp.Auto(pp.Thresholds(0, 1, direction="above").on(0), pp.Thresholds(0, 1, direction="above").on(1))
ONE = pp.Auto(pp.Thresholds(0, 1, direction="above").on(0))
FEW, MANY = AutoLearner.turns
WHY = "chosen by n and ε alone: no privacy spent"


def learner_for(n, concept_class=RULES, **settings):
    return Fit.of(AutoLearner, concept_class, Conditions.of(**settings), n).learner


def test_the_choice_follows_from_n_and_epsilon():
    for ε in (0.1, 1, 3):
        few, many = ceil(FEW / ε), ceil(MANY / ε)
        for n in (few, many // 2, many - 1):
            assert learner_for(n, epsilon=ε).choice == f"trees of depth 3, {WHY}"
        for n in (1, 2, few - 1, many, 10**9):
            assert learner_for(n, epsilon=ε).choice == f"scorecards of pairs, {WHY}"
    unknown = AutoLearner.for_class(RULES, Conditions.of(epsilon=1).terms(1))
    assert unknown.acting.concept_class == RULES.trees[1], "a tree as long as n is unknown"


def test_very_few_records_get_one_line_and_spend_no_delta():
    """One round: a card of one finding, drawn at all of ε."""
    n = FEW - 1
    for δ in (1e-9, 1e-6):
        learner = learner_for(n, epsilon=1, delta=δ)
        assert learner.acting.boosted(n).rounds == 1 and learner.cost == Budget(1)
        clf = pp.PrivateClassifier(RULES, epsilon=1, delta=δ)
        assert clf.preview(n).cost == Budget(1)
        labels = [0, 1] * (n // 2) + [1]
        assert clf.fit({"a": [9 * y for y in labels], "b": labels}, labels).privacy_ == Budget(1)


@pytest.mark.parametrize("reported", [False, True])
def test_counted_weights_leave_the_choice_as_it_was_foreseen(reported):
    """A card of one line spends no δ, and yet it is not the choice without a δ, which would be a tree."""
    n = FEW // 2
    clf = pp.PrivateClassifier(RULES, epsilon=1, class_weight="balanced", report_error=reported)
    clf.fit({"a": [0, 9, 9, 9] * (n // 4), "b": [0, 1, 1, 1] * (n // 4)}, [0, 1, 1, 1] * (n // 4))
    assert clf.learner_.described == clf.preview(n).title and clf.learner_.choice.startswith("scorecards")
    assert "boosted votes" in {entry.mechanism.split(" (")[0] for entry in clf.ledger_.entries}
    assert clf.privacy_ == clf.preview(n).cost == Budget(1)


def test_records_play_no_part(monkeypatch):
    """All samples of a size lead to the same releases, by the same mechanisms, at the same price."""
    monkeypatch.setattr(AutoLearner, "turns", (2, 4))
    for n in (0, 1, 2, 3, 4, 8):
        learned = AuditedFit(Fit.of(AutoLearner, SMALL, Conditions.of(epsilon=1, delta=1e-6), max(n, 1)), n)
        seen = set()
        for points in (((0, 0),), ((1, 1),), ((0, 1), (1, 0))):
            records = tuple((list(labeled(points)) * n)[:n])
            seen.add(tuple(asked_by(learned, records)))
        assert len(seen) == 1


def asked_by(learned, records):
    """The mechanisms that are asked, and their costs."""
    found = []

    def ask(mechanism, view):
        found.append((type(mechanism).__name__, mechanism.cost))
        return mechanism.release(mechanism.check(view), SYSTEM)

    learned.learner.run(Opened(learned.sample(records), len(records)), ask)
    return found


def test_without_delta_only_trees_are_learned():
    for n in (1, 10**4, 10**6):
        learner = learner_for(n, delta=0)
        assert learner.choice.startswith("trees") and learner.cost == Budget(1)
    assert learner_for(10**6, delta=1e-9).cost == Budget(1, 1e-9)
    assert learner_for(MANY - 1, delta=1e-9).cost == Budget(1), "trees leave δ unspent"


def test_members_that_have_too_many_tests_are_passed_over():
    wide = pp.Auto(*(pp.Points().on(f"c{i}", values=[*"abcdefghij"]) for i in range(30)))  # 300 tests
    assert learner_for(MANY - 1, wide).choice.startswith("trees of depth 2")
    assert learner_for(MANY, wide).choice == f"scorecards, {WHY}"
    with pytest.raises(ValueError, match="declare the values that rules may name: Points"):
        choice_for(pp.Auto(pp.Points().on("carrier")), Conditions.of())
    with pytest.raises(ValueError, match="learn the part on paths by itself"):
        choice_for(pp.Auto(pp.StartsWith().on("icd")), Conditions.of())


def test_long_columns_get_private_cuts_in_trees():
    long = pp.Auto(
        pp.Thresholds(0, 2**40, direction="above").on("income"), pp.Thresholds(0, 9, direction="above").on("a")
    )
    assert isinstance(learner_for(FEW, long).acting, PrivateCutTrees)
    assert isinstance(learner_for(FEW).acting, DecisionTreeLearner)
    assert isinstance(learner_for(10**6, long).acting, ScorecardLearner)


@pytest.mark.slow
def test_what_is_said_is_about_the_class_that_is_chosen():
    clf = pp.PrivateClassifier(RULES, epsilon=1)
    ahead = clf.preview(MANY - 1)
    tree = pp.PrivateClassifier(RULES.members[1], method="DecisionTreeLearner").preview(MANY - 1)
    assert ahead.title == f"{tree.title} (trees of depth 3, {WHY})" and ahead.cost == tree.cost
    assert ahead.utility.alpha == tree.utility.alpha and ahead.utility.theorem == tree.utility.theorem
    assert "the best rule means the best tree of depth 3" in ahead.utility.assumptions
    assert "that of the best rule of the class (of depth 3) + " in ahead.utility.claim
    many = clf.preview(MANY)
    assert many.utility is None and many.title == f"boosted votes of public tests (scorecards of pairs, {WHY})"
    assert "of depth 3, on a public grid" in pp.PrivateClassifier(pp.Auto(*MIXED)).preview(1000).utility.claim


@pytest.mark.slow
def test_a_plan_searches_among_all_members():
    """More records or a larger ε may certify less, since scorecards have no certificate."""
    conditions = Conditions.of(alpha="0.1")
    least = certified_n(AutoLearner, RULES, conditions)
    assert least == certified_n(DecisionTreeLearner, RULES.members[1], conditions) < MANY
    (row,) = [row for row in pp.plan(RULES, alpha=0.1).rows if row.title]
    assert row.n == least and "of depth 3" in str(row.kind) and WHY in row.title
    (row,) = [row for row in pp.plan(RULES, n=MANY, alpha=0.1).rows if row.title]
    (tree,) = [row for row in pp.plan(RULES.members[1], n=MANY, alpha=0.1).rows if row.title]
    assert row.epsilon == tree.epsilon < 1
    assert certified_n(AutoLearner, RULES, Conditions.of(alpha="0.01")) is None
    (row,) = [row for row in pp.plan(RULES, n=10**6).rows if row.title]
    assert row.alpha is None and "scorecards" in row.title and "no certificate" in str(row.kind)
    assert [kind for kind, _ in ranking(RULES, conditions)] == [AutoLearner]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_records(n):
    table = {"a": [1, 5, 8][:n], "b": [0, 1, 1][:n]}
    if n == 0:
        with pytest.raises(ValueError, match="there are no records"):
            pp.PrivateClassifier(RULES).fit(table, [])
        return
    clf = pp.PrivateClassifier(RULES, epsilon=1).fit(table, [0, 1, 1][:n])
    assert clf.learner_.choice == f"scorecards of pairs, {WHY}" and clf.guarantee_.privacy == Budget(1)


@pytest.mark.parametrize("reported", [False, True])
def test_the_choice_counts_the_records_that_are_learned_from(reported):
    rng = np.random.default_rng(5)
    n = MANY + MANY // 8  # of which a fifth may be held out
    table = {"a": rng.integers(0, 10, n), "b": rng.integers(0, 2, n)}
    clf = pp.PrivateClassifier(RULES, epsilon=1, report_error=reported).fit(table, table["a"] >= 4)
    assert isinstance(clf.learner_.acting.concept_class, Scorecards) != reported
    ran = {entry.mechanism for entry in clf.ledger_.entries}
    assert ("boosted votes" in ran) != reported
    assert clf.privacy_ == clf.preview(n).cost == (Budget(1) if reported else Budget(1, "1e-6"))


def test_an_account_remembers_the_question_as_it_was_asked(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3, 1e-5))
    table, labels = {"a": [0, 9] * 50, "b": [0, 1] * 50}, [0, 1] * 50
    first = pp.PrivateClassifier(RULES, epsilon=1, budget=account.once("rule")).fit(table, labels)
    again = pp.PrivateClassifier(RULES, epsilon=1, budget=account.once("rule")).fit(table, labels)
    assert again.hypothesis_ == first.hypothesis_ and account.spent == Budget(1)
    trees = pp.PrivateClassifier(RULES.members[1], epsilon=1, budget=account.once("rule"))
    with pytest.raises(ValueError, match="key"):
        trees.fit(table, labels)


def test_rules_for_several_labels_cost_at_most_what_is_said():
    labels = ["a", "b", "c"]
    assert total_cost(one_per_label(pp.PrivateClassifier(RULES, epsilon=3), labels)) == Budget(3)
    rules = one_per_label(pp.PrivateClassifier(RULES, epsilon=3, delta="3e-8"), labels)
    assert total_cost(rules) == Budget(3, "3e-8")
    assert rules[0].preview(10**5).cost == Budget(1, "1e-8")


def test_of_units_the_choice_counts_records_at_the_epsilon_of_a_record():
    k, ε = 200, 8
    few, many = ceil(FEW / ε), ceil(MANY / ε)
    for units, name in ((few - 1, "scorecards"), (few, "trees"), (many - 1, "trees"), (many, "scorecards")):
        assert learner_for(k * units, epsilon=ε, max_records=k).choice.startswith(name)


@pytest.mark.audit
@pytest.mark.parametrize(
    ("rules", "turns", "deepest", "name"),
    [
        (ONE, (1, 10**9), 256, "trees of depth 3"),
        (SMALL, (1, 10**9), 1, "trees of depth 2"),
        (SMALL, AutoLearner.turns, 256, "scorecards of pairs"),
        (SMALL, (1, 1), 256, "scorecards of pairs"),
        (SMALL, (1, 1), 1, "scorecards"),
    ],
)
def test_the_exact_law_of_each_member(monkeypatch, rules, turns, deepest, name):
    """Depth 3 on one column is among the audited claims, too; here, few records and tests are enough for the others."""
    monkeypatch.setattr(AutoLearner, "turns", turns)
    monkeypatch.setitem(public_tests.MOST_TESTS, 3, deepest)
    public_tests.tree_tests.cache_clear()
    for ε, δ, n, beside in ((1, 1e-6, 1, 14), (6, 1e-6, 2, 2)):
        fit = Fit.of(AutoLearner, rules, Conditions.of(epsilon=ε, delta=δ), n + beside)
        assert fit.learner.choice.startswith(name)
        points = ((0,), (1,)) if rules is ONE else ((0, 0), (1, 1))
        records = [*labeled(points), None]
        for case in stages(fit, name, records, n, crowd=(records[1],) * beside):
            assert not case.exact().refuted, case.about
    public_tests.tree_tests.cache_clear()
