"""Decision trees: the view by definition, what is found, what is certified, small and void samples."""

from datetime import date

import numpy as np
import pytest

from privpac.audit.learning import Learned, fit_of
from privpac.classes.base import Constant
from privpac.classes.decision_trees import Split, Trees
from privpac.classes.explicit import ExplicitClass
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.points import Points
from privpac.classes.taxonomy import Taxonomy
from privpac.data.line import Line
from privpac.data.refusal import Refused
from privpac.data.sample import Sample
from privpac.learners.algorithm import Terms
from privpac.learners.certificates.decision_trees import log_priors, tree_chance
from privpac.learners.choice import certified_n, chosen
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.conditions import Conditions
from privpac.learners.decision_trees import DecisionTreeLearner
from privpac.learners.views.grids import Reads
from privpac.learners.views.public_tests import MOST_TESTS, tree_tests
from privpac.learners.views.round_cuts import round_cuts
from privpac.privacy.budget import Budget
from tests.grid import over

JOBS = ExplicitClass(np.eye(4, dtype=bool), points=["clerk", "nurse", "pilot", "cook"])
PLACES = Taxonomy({"Paris": "France", "Lyon": "France", "France": "world", "Spain": "world"}, kind="subtree")
MIXED = (
    Thresholds(17, 90).on("age"),
    Thresholds(0.0, 1e6, direction="either").on("income"),
    Thresholds(0, 1, direction="below").on("member"),
    Thresholds(date(2000, 1, 1), date(2026, 11, 15)).on("since"),
    JOBS.on("job"),
    PLACES.on("place"),
    Intervals(0, 3).on("grade"),
)


def people(rng, n):
    days = np.datetime64("2000-01-01") + rng.integers(0, 9000, n)
    return {
        "age": rng.integers(17, 91, n),
        "income": np.round(10 ** rng.uniform(0, 6, n), 2),
        "member": rng.integers(0, 2, n),
        "since": days,
        "job": rng.choice(["clerk", "nurse", "pilot", "cook"], n),
        "place": rng.choice(["Paris", "Lyon", "France", "Spain", "world"], n),
        "grade": rng.integers(0, 4, n),
    }


def public_of(trees):
    return tree_tests(tuple(map(Reads.of, trees.parts)), trees.domain, trees.depth)


@over("depth", (1, 2, 3))
def test_records_lie_in_cells_where_tests_say_what_their_rules_say(depth):
    trees, table = Trees(*MIXED, depth=depth), people(np.random.default_rng(depth), 200)
    tests = public_of(trees)
    assert sum(len(part.rules) for part in tests.parts) == tests.public.number == len(tests.rules) <= MOST_TESTS[depth]
    points = trees.domain.points(table)
    for i in range(0, 200, 4):  # a few at a time, so that none are equal
        some = {name: values[i : i + 4] for name, values in table.items()}
        records = tests.view(Sample(points[i : i + 4], np.ones(4, dtype=bool), 1 + np.arange(4), 10, some))
        order = [int(w) - 1 for w in records.w]  # each record has its own number of copies
        assert sorted(order) == [0, 1, 2, 3]
        for b, rule in enumerate(tests.rules):
            block, row = tests.public.place(b)
            holds = tests.public.blocks[block][row][records.cells[block]]
            assert holds.tolist() == rule(some)[order].tolist(), str(rule)


def test_no_test_is_constant_or_repeated_in_its_part():
    for part in public_of(Trees(*MIXED, depth=3)).parts:
        rows = {(row ^ row[0]).tobytes() for row in part.block}
        assert len(rows) == len(part.rules)
        assert all(row.any() and not row.all() for row in part.block)


@over(
    "line",
    (Line(0, 10**6), Line(-1000, 1000), Line(0.0, 1.0), Line(17, 90), Line(-1e300, 1e300), Line(10**6, 10**6 + 50)),
)
@over("most", (1, 2, 5, 24))
def test_cuts_are_few_and_inside(line, most):
    cuts = round_cuts(line, most)
    assert 1 <= len(cuts) <= most
    assert all(0 < t < line.size for t in cuts)


def test_few_values_have_all_cuts_and_one_value_has_none():
    assert round_cuts(Line(0, 32), 24) == tuple(range(1, 33))
    assert round_cuts(Line(7, 7), 24) == ()


def test_many_columns_have_fewer_cuts_and_too_many_are_refused():
    lines = [Thresholds(0, 999).on(i) for i in range(300)]
    assert public_of(Trees(*lines[:100], depth=3)).public.number <= 2**8
    assert len(public_of(Trees(*lines[:100], depth=3)).parts[0].rules) == 2
    with pytest.raises(Refused, match="fewer columns"):
        DecisionTreeLearner.learns(Trees(*lines, depth=3))


def test_what_cannot_be_listed_is_not_learned():
    assert not DecisionTreeLearner.learns(Trees(Points().on("carrier"), depth=2))
    assert not DecisionTreeLearner.learns(Trees(Intervals(0, 10**6).on("age"), depth=2))
    assert not DecisionTreeLearner.learns(Thresholds(0, 1))


def law(trees, records):
    """The law of the released rules."""
    learned = Learned(fit_of(DecisionTreeLearner, trees, epsilon=2), len(records))
    found = {}
    for (tree,), p in learned.law(learned.sample(records)).items():
        rule = learned.learner.run(learned_records(records), lambda *_, tree=tree: tree)
        found[str(rule)] = found.get(str(rule), 0) + float(p)
    return found


def learned_records(records):
    class Size:
        size = len(records)

        def see(self, view):
            return view

    return Size()


def test_the_order_of_columns_does_not_matter():
    one, other = Thresholds(0, 2).on("a"), ExplicitClass([[0, 1], [1, 1]], points=["x", "y"]).on("b")
    records = [({"a": 0, "b": "x"}, 1), ({"a": 2, "b": "y"}, 0), ({"a": 1, "b": "y"}, 1), None]
    first, second = law(Trees(one, other, depth=2), tuple(records)), law(Trees(other, one, depth=2), tuple(records))
    assert set(first) == set(second)
    assert all(abs(first[rule] - second[rule]) < 1e-9 for rule in first)


def test_a_rule_asks_nothing_that_its_path_has_decided():
    trees = Trees(Thresholds(0, 3).on("a"), depth=3)
    learner = DecisionTreeLearner(trees, Terms(Budget(1)))

    def rule(tree):
        return learner.run(learned_records([]), lambda *_: tree)

    a = public_of(trees).rules
    assert rule((1, (0, True, False), False)) == Split(a[1], Constant(True), Constant(False))
    assert rule((1, (2, False, True), (2, True, (0, False, False)))) == Split(
        a[1], Split(a[2], Constant(False), Constant(True)), Constant(False)
    )
    assert rule((1, (0, True, False), (2, False, True))) == Constant(True)


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
    trees = Trees(Thresholds(0, 9).on("a"), Thresholds(5, 5).on("b"), depth=depth)
    clf = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=50, classes=(0, 1))
    clf.fit({"a": list(range(n)) if n <= 10 else [3] * n, "b": [5] * n}, [label] * n)
    if n == 30:
        assert clf.predict({"a": [3], "b": [5]}).tolist() == [label]


def test_no_records_at_all():
    learned = Learned(fit_of(DecisionTreeLearner, Trees(Thresholds(5, 5).on("b"), depth=2), epsilon=1), 0)
    assert {outcome: float(p) for outcome, p in learned.law(learned.sample(())).items()} == {
        (False,): 0.5,
        (True,): 0.5,
    }


@pytest.mark.parametrize("on_invalid", ["default", "clamp"])
def test_void_records_and_units(on_invalid):
    trees = Trees(Thresholds(0, 9).on("a"), Thresholds(0, 1).on("b"), depth=2)
    table, who = {"a": [None, 50, 3, 7] * 200, "b": [0, 1, 0, 1] * 200}, np.repeat(np.arange(400), 2)
    made = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=8, on_invalid=on_invalid, max_records=2)
    clf = made.fit(table, [0, 1, 0, 1] * 200, unit=who)
    assert clf.predict({"a": [3, 7], "b": [0, 1]}).tolist() == [0, 1]
    assert clf.privacy_ == Budget(8)


def test_certificates_have_the_figures_of_their_formula():
    """Priors add up to 1, and ln M + n·ln φ is computed again here for one θ."""
    assert abs(log_priors(150, 3, 1)) < 1e-12
    for k, alpha in ((2, 0.0373), (3, 0.0539)):
        assert tree_chance(150, k, 30_000, alpha, 0.5, "agnostic") <= 0.05
        assert tree_chance(150, k, 30_000, alpha - 0.0003, 0.5, "agnostic") > 0.05
        cost = (2**k - 1) * np.log(300) + 2**k * np.log(2)
        θ = np.linspace(0.001, 1, 20_000)
        A = 2 ** (1 - θ)
        for _ in range(k):
            A = 2 * 4**-θ + 150 * 300**-θ * A**2
        s = np.exp(0.5 * θ)
        for regime, φ in (
            ("agnostic", (1 + alpha) / (2 * s) + (1 - alpha) * s / 2),
            ("realizable", 1 - alpha + alpha / s),
        ):
            n = 30_000 if regime == "agnostic" else 3_000
            least = np.exp((np.log(A) + θ * cost + n * np.log(φ)).min())
            assert tree_chance(150, k, n, alpha, 0.5, regime) == pytest.approx(min(1, least), rel=1e-3)


def test_trees_are_certified_and_chosen():
    trees, asked = Trees(Thresholds(0, 99).on("a"), Thresholds(0, 99).on("b"), depth=2), Conditions.of(delta=0)
    assert chosen(trees, asked) is DecisionTreeLearner
    n = certified_n(DecisionTreeLearner, trees, asked)
    learner = DecisionTreeLearner.for_class(trees, asked.terms(n))
    assert learner.failure(n, 0.1) <= 0.05 < learner.failure(n - 1, 0.1)
    for ε in ("1e-9", "1000000"):
        assert 0 <= DecisionTreeLearner(trees, Terms(Budget(ε))).failure(10**9, 0.1) <= 1


@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_no_certificate_is_violated(regime):
    """40 fits of which each fails with probability at most 0.05: 15 failures or more have probability below 10^-9."""
    rng, n = np.random.default_rng(7), 400
    trees = Trees(Thresholds(0, 3).on(0), Thresholds(0, 3).on(1), depth=2)
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
