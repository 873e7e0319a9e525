"""Weights of errors: copies of records, exactly; their price, their certificates, and what is refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.fits import AuditedFit, fit_of
from privpac.data.samples.sample import Sample
from privpac.learners.choice import LEARNERS
from privpac.learners.finite import FiniteLearner
from privpac.learners.lines.thresholds import PureThresholdLearner
from privpac.learners.sample_sizes import certified_n
from privpac.privacy.ledger import Ledger
from privpac.requests.conditions import Conditions
from privpac.requests.weights import EVEN, ErrorWeights
from tests.audit.mutants import Mutant, planted
from tests.grid import over

RULES = pp.ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
RARE = {"age": np.arange(3000) % 100}
ILL = (RARE["age"] >= 70) & (np.arange(3000) % 7 == 0)  # 4 % of all, and 14 % of those above 70
AGES = pp.Thresholds(0, 99, direction="above").on("age")


def law(fit, records):
    learned = AuditedFit(fit, len(records))
    return {outcome: float(p) for outcome, p in learned.law(learned.sample(records)).items()}


@pytest.mark.parametrize("by_label", [(1, 3), (5, 2), (1, 1)])
@pytest.mark.parametrize("kind", [FiniteLearner, PureThresholdLearner])
def test_a_weighted_fit_is_an_equal_one_of_copies_at_a_share_of_epsilon(kind, by_label):
    concept_class = RULES if kind is FiniteLearner else pp.Thresholds(0, 3, direction="above")
    values = "abc" if kind is FiniteLearner else (0, 2, 3)
    records = ((values[0], 0), (values[1], 1), (values[2], 1), (values[2], 0))
    copies = tuple(record for record in records for _ in range(by_label[record[1]]))
    weighted = law(fit_of(kind, concept_class, epsilon=3, weights=ErrorWeights(by_label)), records)
    span = 2 * max(by_label) if kind is FiniteLearner else sum(by_label)  # cuts of one direction never disagree twice
    repeated = law(fit_of(kind, concept_class, epsilon=Fraction(6, span)), copies)
    assert weighted == pytest.approx(repeated)


def test_copies_keep_records_apart_from_their_number():
    both = Sample(np.array([3, 5]), np.array([False, True]), np.array([2, 4]), size=9)
    found = ErrorWeights((1, 9)).copies(both)
    assert found.counts.tolist() == [2, 36]
    assert found.size == 81


def test_rare_answers_are_learned_with_weights_and_not_without():
    class_ = pp.Trees(AGES, depth=1)
    plain = pp.PrivateClassifier(class_, epsilon=2).fit(RARE, ILL)
    weighed = pp.PrivateClassifier(class_, epsilon=2, class_weight={0: 1, 1: 15}).fit(RARE, ILL)
    found = weighed.predict(RARE).astype(bool)
    assert plain.predict(RARE).mean() < 0.05
    assert found[ILL].mean() > 0.9  # a learner that weighs the wrong label says never
    assert weighed.class_weight_ == {0: 1, 1: 15}
    assert "average cost ≤" in str(weighed.guarantee_)
    assert weighed.privacy_ == pp.Budget(2)


@pytest.mark.parametrize("report_error", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.04])
def test_balanced_weights_cost_nothing_more(prevalence, report_error):
    clf = pp.PrivateClassifier(
        pp.Trees(AGES, depth=1), epsilon=30, class_weight="balanced", prevalence=prevalence, report_error=report_error
    ).fit(RARE, ILL)
    assert clf.privacy_ == pp.Budget(30)
    assert clf.class_weight_[0] == 1
    assert clf.class_weight_[1] in ((20,) if prevalence else (10, 15, 20, 30, 50, 70, 100))
    counted = prevalence is None and not report_error
    assert (clf.guarantee_.utility is None) == counted
    assert clf.predict(RARE).astype(bool)[ILL].mean() > 0.8


def test_realizable_labels_ignore_weights():
    conditions = [Conditions.of(regime="realizable", weights=each) for each in (EVEN, ErrorWeights((1, 9)))]
    assert conditions[0].terms(100) == conditions[1].terms(100)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_weights_never_need_fewer_records(kind):
    """A certificate with weights is one for more general losses."""
    universe = kind.audited[0]
    needed = [
        certified_n(kind, universe.concept_class, Conditions.of(delta=1e-6, alpha=0.2, weights=ErrorWeights(each)))
        for each in ((1, 1), (1, 2))
    ]
    assert None in needed or needed[0] <= needed[1] <= 2.5 * needed[0]


WRONG = {
    "zero": {0: 0, 1: 1},
    "negative": {0: 1, 1: -3},
    "one label": {0: 1},
    "another label": {0: 1, "yes": 9},
    "too many labels": {0: 1, 1: 2, 2: 3},
    "too large a ratio": {0: 1, 1: 10_001},
    "not a number": {0: 1, 1: "nine"},
    "infinite": {0: 1, 1: float("inf")},
    "missing": {0: 1, 1: float("nan")},
    "another word": "even",
    "a number": 9,
    "three": (1, 2, 3),
}


@pytest.mark.parametrize("weights", WRONG.values(), ids=WRONG)
def test_wrong_weights_are_refused_and_nothing_is_spent(weights):
    ledger = Ledger(pp.Budget(1))
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 99, direction="above"), feature="age", class_weight=weights, budget=ledger
    )
    with pytest.raises((ValueError, TypeError), match="weight"):
        clf.fit(RARE, ILL)
    assert ledger.spent == pp.Budget(0)


@pytest.mark.parametrize("prevalence", [0, 1, -0.1, 1.5, float("nan"), "many"])
def test_an_impossible_prevalence_is_refused(prevalence):
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), class_weight="balanced", prevalence=prevalence)
    with pytest.raises((ValueError, TypeError), match="prevalence"):
        clf.preview(100)


def test_what_does_not_go_with_weights():
    with pytest.raises(ValueError, match="goes with class_weight='balanced'"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), prevalence=0.1).preview(100)
    with pytest.raises(ValueError, match="declared labels"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), class_weight={0: 1, 1: 9}, classes=None).preview(
            100
        )
    with pytest.raises(TypeError, match="class_weight"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above")).fit([[1]], [1], sample_weight=[1])


@pytest.mark.parametrize("n", [0, 1, 2, 6])
@pytest.mark.parametrize("label", [0, 1])
def test_few_records_of_one_label_raise_nothing(n, label):
    for weights in ({0: 1, 1: 9}, "balanced"):
        clf = pp.PrivateClassifier(pp.Trees(AGES, depth=1), class_weight=weights, report_error=True)
        if n:
            clf.fit({"age": [50] * n}, [label] * n)
            assert clf.privacy_.epsilon <= 1


def test_weights_in_lowest_terms_and_in_any_spelling():
    found = [
        ErrorWeights.of(each, ("no", "yes"))
        for each in ({"no": 2, "yes": 18}, (0.5, 4.5), ("1", "9"), {"yes": 9, "no": 1})
    ]
    assert Counter(found) == {ErrorWeights((1, 9)): 4}
    assert ErrorWeights.of(None, None) == EVEN


def test_a_plan_says_what_weights_cost():
    plan = pp.plan(pp.Thresholds(0, 120, direction="above"), class_weight=(1, 9))
    even = pp.plan(pp.Thresholds(0, 120, direction="above"))
    assert f"{plan.best.n / even.best.n:.2g} times as many records" in str(plan)
    assert "average cost ≤ that of the best rule + 0.9" in str(plan)


def test_a_plan_has_a_weight_for_each_of_several_labels():
    told = str(pp.plan(pp.Trees(AGES, depth=1), classes=("a", "b", "c"), class_weight=(1, 1, 9)))
    assert "an error costs 1, 1, or 9, by its label" in told and "Weights 1 : 1 : 9 take " in told


def test_a_learner_that_weighs_the_wrong_label_would_be_noticed():
    line = "[sample.labels.astype(np.intp)]"
    wrong = Mutant("any", "requests.weights:ErrorWeights.copies", line, f"[::-1]{line}")
    with planted(wrong), pytest.raises(AssertionError):
        test_rare_answers_are_learned_with_weights_and_not_without()


@pytest.mark.parametrize("report_error", [False, True])
@pytest.mark.parametrize(
    ("class_", "epsilon"),
    [
        (pp.Trees(AGES, depth=1), Fraction(1, 10**6)),
        (pp.And(AGES, pp.Thresholds(0, 9, direction="above").on("stays")), Fraction(1, 500)),
    ],
)
def test_a_count_leads_to_no_weight_that_the_learner_refuses(class_, epsilon, report_error):
    table, none = {"age": RARE["age"], "stays": RARE["age"] % 10}, np.zeros(3000, dtype=bool)
    method = "DecisionTreeLearner" if isinstance(class_, pp.Trees) else "CutPairLearner"
    for _ in range(5):  # whatever the noise is
        ledger = Ledger(pp.Budget(epsilon))
        clf = pp.PrivateClassifier(
            class_, epsilon=epsilon, method=method, class_weight="balanced", report_error=report_error, budget=ledger
        )
        assert clf.fit(table, none).privacy_ == ledger.spent == pp.Budget(epsilon)


def test_a_count_leaves_some_delta_for_each_copy():
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 99, direction="above"),
        epsilon=800,
        delta=1e-7,
        method="ThresholdLearner",
        class_weight="balanced",
        feature="age",
    )
    assert clf.fit(RARE, np.zeros(3000, dtype=bool)).privacy_.epsilon == 800


def test_nothing_is_certified_for_weights_that_are_not_known_yet():
    counted = pp.PrivateClassifier(pp.Trees(AGES, depth=1), class_weight="balanced", report_error=True)
    assert counted.certified_n() is None
    assert counted.certified_alpha(9000) is None
    known = counted.fit(RARE, ILL).with_counted_weights()
    assert known.weights == counted.learner_.terms.weights
    assert known.certified_alpha(3000) == counted.guarantee_.utility.alpha


def test_no_cost_is_above_the_largest_weight():
    clf = pp.PrivateClassifier(AGES, epsilon=0.001, class_weight={0: 1, 1: 9}, report_error=True).fit(RARE, ILL)
    assert clf.error_.cost_high <= 9


def test_several_labels_have_a_measured_cost():
    groups = np.minimum(RARE["age"] // 30, 2)
    trees = pp.Trees(AGES, depth=2)
    clf = pp.PrivateClassifier(trees, epsilon=9, classes=(0, 1, 2), class_weight=(1, 2, 5), report_error=True)
    error = clf.fit(RARE, groups).error_
    assert str(error).startswith("costs about ") and "an error on 0 costs 1, on 1 2, on 2 5" in str(error)
    assert 0 <= error.cost_low <= error.cost <= error.cost_high < min(error.constant_costs)
    assert pp.Model.from_json(pp.model_of(clf).to_json()).error == clf.error_
    assert "where errors cost 1, 2, and 5" in str(clf.guarantee_)


def test_a_key_refused_for_its_weights_says_so(tmp_path):
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", pp.Budget(3))
    ask = {"classes": (0, 1), "budget": account.once("k"), "delta": 0}
    pp.PrivateClassifier(AGES, **ask).fit(RARE, ILL)
    with pytest.raises(ValueError, match="with other weights; give each question"):
        pp.PrivateClassifier(AGES, class_weight=(1, 9), **ask).fit(RARE, ILL)


@pytest.mark.slow
def test_a_report_lists_declared_weights_but_not_counted_ones(tmp_path):
    for weights, told in ({0: 1, 1: 9}, True), ("balanced", False):
        clf = pp.PrivateClassifier(AGES, class_weight=weights, classes=(0, 1)).fit(RARE, ILL)
        pp.write_report(clf, page := tmp_path / "page.html")
        assert ("<th>What an error costs</th><td>1 on 0, 9 on 1</td>" in page.read_text("utf-8")) == told
        page.unlink()


def test_plans_do_not_balance():
    with pytest.raises(ValueError, match="a plan reads no record"):
        pp.plan(AGES, class_weight="balanced")


def test_a_set_of_weights_has_no_order():
    with pytest.raises(ValueError, match="name a weight for each label"):
        ErrorWeights.of({1, 9}, (0, 1))


def test_if_some_rule_makes_no_error_costs_choose_nothing():
    trees, groups = pp.Trees(AGES, depth=2), np.minimum(RARE["age"] // 30, 2)
    given = {"classes": (0, 1, 2), "class_weight": (1, 2, 5), "regime": "realizable", "report_error": True}
    assert pp.PrivateClassifier(trees, epsilon=9, **given).fit(RARE, groups).error_.weights == (1, 2, 5)  # measured


@over("regime", ["agnostic", "realizable"])
def test_the_least_epsilon_grows_with_weights_only_if_they_choose(regime):
    given = {"epsilon": 2e-9, "class_weight": (1, 5), "classes": (0, 1), "regime": regime}
    asked = pp.PrivateClassifier(AGES, **given).conditions
    if regime == "realizable":
        assert asked().epsilon
    else:
        with pytest.raises(ValueError, match="times its weight"):
            asked()


@pytest.mark.parametrize("kind", [kind for kind in LEARNERS if kind.with_constants is True])
def test_learners_that_count_on_both_constants_are_compared_with_both(kind):
    """On the points of every audit. A class without one of them is refuted by this."""
    for universe in kind.audited:
        points = list(universe.points)
        found = {tuple(rule(points).tolist()) for rule in universe.concept_class.representatives(points)}
        assert {(False,) * len(points), (True,) * len(points)} <= found
    assert (False,) * 3 not in {tuple(rule(list("abc")).tolist()) for rule in RULES.representatives(list("abc"))}


def test_listed_rules_have_small_costs_only_if_both_constants_are_listed():
    """With one of them missing, the best rule may cost 10 on all records, and no bound may use that it costs little."""
    rows = np.tri(20, 21, dtype=bool)  # "never" is missing, and so is "always"
    never, always = np.zeros((1, 21), dtype=bool), np.ones((1, 21), dtype=bool)
    sizes = []
    for more in ([never], [always], [never, always]):
        listed = pp.ExplicitClass(np.concatenate([rows, *more]))
        learner = pp.PrivateClassifier(listed, method="FiniteLearner", class_weight=(1, 10), feature=None).learner()
        assert learner.cheapest == pytest.approx(1 / 11 if len(more) == 2 else 0.5)
        sizes.append(certified_n(FiniteLearner, listed, Conditions.of(alpha=0.1, weights=ErrorWeights((1, 10)))))
    assert sizes[0] == sizes[1] > 1.5 * sizes[2]


def test_equal_weights_and_more_labels_say_nothing_of_the_best_rule():
    tree = pp.Trees(AGES, depth=1)
    for classes, weights in (((0, 1), (1, 1)), ((0, 1, 2), (1, 1, 10))):
        clf = pp.PrivateClassifier(tree, classes=classes, class_weight=weights)
        assert clf.learner().cheapest == 0.5
