"""Editions as learners: the examples of a sample in random order, certificates, and what they refuse."""

import pickle
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.audit.exact_divergence import worst_divergence
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.edition import Goal
from privpac.papers.editions import BY_KEY, EDITIONS
from privpac.papers.methods import METHODS, InRandomOrder, examples_of
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from privpac.refusals.refusal import Refused, RefusedType
from privpac.requests.conditions import Conditions
from tests.grid import over
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers

ONE = Budget(1)
CUTS = pp.ExplicitClass(np.tri(8, dtype=int)[:, ::-1])
BELOW = pp.Thresholds(1, 8, direction="below")
TWICE = pp.Or(BELOW, pp.Thresholds(1, 8, direction="above"))
AT = {"points": pp.Points(8), "below": BELOW, "listed": CUTS, "composed": TWICE}
KINDS = {
    **dict.fromkeys(("ProperPoints", "KeyedOccam", "Boosted", "ProperFromLight"), "points"),
    **dict.fromkeys(("IntervalExponential", "SwitchingLearner", "DenoisedLearner"), "below"),
    "ClosureLearn": "composed",
}
TIGHT = [each.name for each in EDITIONS if each.runs]


@dataclass(frozen=True)
class ByPlace(PaperLearner):
    """Whether each of two examples is labeled 1, at ε each: private if neighbors differ at one place."""

    cost: Budget = ONE
    name, theorem = "by place", "composition, Theorem 1"
    domain, N = Line(0, 9), 2

    def run(self, data, ask):
        return tuple(ask(Exponential(ONE), [int(y), 0]) for _, y in data)


@dataclass(frozen=True)
class Sorted(InRandomOrder):
    """Broken: one record moves the others to other places."""

    def run(self, data, ask):
        return ask(self.inner, tuple(sorted(data)))


@dataclass(frozen=True)
class Far(ByPlace):
    """Compares each label with the parity of its place."""

    def run(self, data, ask):
        return tuple(ask(Exponential(ONE), [int(y) ^ (i % 2), 0]) for i, (_, y) in enumerate(data))


RECORDS = list(product((0, 1), (False, True)))


def test_random_places_keep_the_cost_and_sorted_ones_do_not():
    for inner in (ByPlace(Budget("0.5")), Far(Budget("0.5"))):
        found = worst_divergence(InRandomOrder(inner).law, RECORDS, 3, inner.cost)
        assert not found.refuted
    assert worst_divergence(Sorted(ByPlace(Budget("0.5"))).law, RECORDS, 3, Budget("0.5")).refuted


@pytest.mark.parametrize("name", TIGHT)
def test_each_learns_and_is_certified_from_its_number_on(name):
    """β is 0.05 and one run of each is too few to refute it; a wrong rule in 14 runs at once is a bug."""
    H, regime = AT[KINDS.get(name, "listed")], METHODS[name].edition.regime
    conditions = Conditions.of(alpha="0.25", delta="1e-6", regime=regime)
    known = {"alpha": 0.25, "delta": 1e-6, "regime": regime, "allow_large_delta": True}
    clf = pp.PrivateClassifier(H, method=name, feature=None, random_state=3, **known)
    N = clf.certified_n()
    learner = METHODS[name](H, conditions.terms(1))
    assert learner.algorithm.N == N
    assert clf.preview(N).utility.alpha <= 0.25
    assert clf.preview(N - 1).utility is None
    assert learner.cost <= conditions.terms(1).cost
    x = np.random.default_rng(1).integers(1, 8, min(N, 30_000))
    y = x == 3 if KINDS.get(name) == "points" else x < 4 if KINDS.get(name) == "below" else x >= 4
    clf.fit(x, y)
    assert (clf.predict(x) != y).mean() < 0.3 or len(x) < N
    assert clf.privacy_ <= Budget(1, "1e-6")
    restored = pickle.loads(pickle.dumps(clf))
    assert restored.hypothesis_ == clf.hypothesis_
    assert restored.learner_ == clf.learner_


def test_a_certificate_needs_the_labels_of_its_theorem_and_proved_numbers():
    for regime, method in (("agnostic", "PolyPriLearn"), ("realizable", "PolyPriLearn-printed")):
        clf = pp.PrivateClassifier(CUTS, alpha=0.3, delta=1e-6, regime=regime, method=method, allow_large_delta=True)
        assert clf.preview(10**9).utility is None


REFUSALS = [
    ({"method": "OPTPrivateLearner", "concept_class": pp.Thresholds(0, 9)}, "thresholds in one direction"),
    ({"method": "ProperPoints"}, "declare their number"),
    ({"method": "IntervalExponential", "concept_class": pp.Thresholds(0, 9)}, "thresholds on 1"),
    ({"method": "PolyPriLearn", "delta": 0}, "positive epsilon and a delta"),
    ({"method": "PolyPriLearn-printed", "concept_class": pp.Points()}, "too many for a class that is not listed"),
    ({"method": "PolyPriLearn", "concept_class": pp.Points(3).on("a")}, "cannot read the columns"),
    ({"method": "PolyPriPropLearn", "concept_class": pp.Points(2**64)}, "too large to list"),
    ({"method": "corollary_6_5", "epsilon": 2}, r"epsilon must lie in \(0, 1\]"),
    ({"method": "PrivateOccam", "class_weight": {0: 1, 1: 3}, "regime": "agnostic"}, "errors cost the same"),
    ({"method": "PrivateOccam", "class_weight": "balanced", "regime": "agnostic"}, "errors cost the same"),
    ({"method": "OPTPrivateLearner", "concept_class": pp.Spider(2), "on_invalid": "default"}, "leave those out"),
    ({"method": "PrivateOccam", "public": [1, 2, 3]}, "uses no public records; leave out public"),
    ({"method": "OPTPrivateLearner", "public": [1, 2, 3]}, "uses no public records; leave out public"),
    ({"method": "PrivateOccam", "max_records": 2}, "protect records, not units"),  # some may have fewer than two
    ({"method": "ClosureLearn", "regime": "agnostic"}, "compositions of two classes or more"),
    ({"method": "ClosureLearn", "concept_class": pp.Not(BELOW)}, "compositions of two classes or more"),
    ({"method": "DenoisedLearner", "concept_class": pp.Thresholds(1, 2**13, direction="below")}, "at most 4096"),
]


@pytest.mark.parametrize(("given", "words"), REFUSALS)
def test_what_cannot_be_learned_is_refused_before_a_record_is_read(given, words):
    clf = pp.PrivateClassifier(**{"concept_class": CUTS, "feature": None, "regime": "realizable", **given})
    with pytest.raises(Refused, match=words) as caught:
        clf.fit([3], [1])
    assert caught.value.parameter == "method"


@pytest.mark.parametrize(("X", "y"), [([3, 99] * 20, [0, 1] * 20), ([3, None] * 20, [0, 1] * 20)])
def test_the_rule_that_a_refusal_advises_works(X, y):
    made = {"feature": None, "regime": "realizable", "method": "PrivateOccam"}
    with pytest.raises(Refused) as caught:
        pp.PrivateClassifier(CUTS, **made).fit(X, y)
    assert "on_invalid='default'" in str(caught.value)
    pp.PrivateClassifier(CUTS, **made, on_invalid="default").fit(X, y)


def test_an_unknown_method_is_refused_as_before():
    with pytest.raises(Refused, match="method must be auto or, for this class, one of FiniteLearner"):
        pp.PrivateClassifier(CUTS, method="PolyPri").learner()


def test_the_goal_is_never_wider_than_what_was_asked():
    for α, δ in (("1/3", "1.7e-6"), ("0.10009", "9.99e-9")):
        learner = METHODS["OPTPrivateLearner"](CUTS, Conditions.of(alpha=α, delta=δ).terms(1))
        assert isinstance(learner.goal, Goal)
        assert learner.goal.cost <= learner.terms.cost
        assert learner.goal.alpha <= learner.terms.alpha


def test_a_composition_over_columns():
    """Each base learner reads its own column; N examples with noisy labels."""
    H = pp.And(pp.Thresholds(0, 7).on("a"), pp.Thresholds(0, 7).on("b"))
    clf = pp.PrivateClassifier(H, epsilon=3, alpha=0.3, method="ClosureLearn", random_state=5)
    rng, N = np.random.default_rng(5), clf.certified_n()
    assert N < 60_000
    table = {name: rng.integers(0, 8, N).tolist() for name in "ab"}
    clean = (np.array(table["a"]) >= 2) & (np.array(table["b"]) < 5)
    clf.fit(table, clean ^ (rng.random(N) < 0.1))
    assert (clf.predict(table) != clean).mean() <= 0.3
    assert clf.guarantee_.utility.alpha == pytest.approx(0.3)
    assert clf.learner_.proper
    with pytest.raises(Refused, match="may be missing"):
        pp.PrivateClassifier(
            pp.And(pp.Thresholds(0, 7).on("a", missing=True), pp.Thresholds(0, 7).on("b")), method="ClosureLearn"
        ).learner()


def test_keyed_sets_are_drawn_once():
    first, second = (BY_KEY["keyed-sets"].make(pp.Points(9), Goal(ONE, *GOAL)) for _ in range(2))
    assert first.H == second.H


GOAL = (Budget("0.25").epsilon, Budget("0.05").epsilon)


MIXED = pp.And(pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("ward", values=("A", "B")))


@pytest.mark.parametrize(
    ("H", "method", "fitting", "stands"),
    [
        (pp.Thresholds(1, 8, direction="above"), "OPTPrivateLearner", 5, (1, False)),
        (BELOW, "SwitchingLearner", 5, (1, True)),
        (CUTS, "PolyPriLearn", 5, (7, True)),
        (pp.Points(8), "ProperPoints", 5, (0, False)),
        (pp.Points(40), "PolyPriLearn", 5, ("", False)),
        (pp.Points(), "PolyPriLearn", "B6", ("", False)),
        (pp.Points(2**64), "OPTPrivateLearner", 5, ("", False)),
        (pp.RootPaths(height=3), "OPTPrivateLearner", "a/b", ("", True)),
    ],
    ids=["above", "below", "listed", "points", "few", "texts", "numbers", "paths"],
)
def test_records_that_do_not_fit_count_as_a_public_example(H, method, fitting, stands):
    """The number of examples is n, whatever the records are: neighbors stay neighbors, and no record stops a fit."""
    known = {"regime": "realizable", "on_invalid": "default", "alpha": 0.25, "delta": 1e-6, "allow_large_delta": True}
    clf = pp.PrivateClassifier(H, method=method, feature="x", random_state=1, **known)
    learner = clf.learner()
    assert learner.instead == stands
    assert learner.algorithm.check([stands]) == (stands,)
    assert learner.extra_assumptions[0].startswith(f"the best rule is {('negative', 'positive')[stands[1]]} at")
    learned = clf.fit({"x": [fitting, None, 99, "odd"] * 40}, [1, 0, 1, 7] * 40)
    assert learned.n_records_ == 160
    assert learned.privacy_ <= Budget(1, "1e-6")


def test_each_void_record_is_one_example():
    sample = Sample(np.array([3]), np.array([True]), np.array([2]), 5, np.array([3]))
    assert examples_of(sample, Line(0, 9), (0, False)) == ((3, True), (3, True), *[(0, False)] * 3)


def test_one_public_example_for_each_void_record_keeps_the_cost_and_leaving_them_out_does_not():
    """Composition, Theorem 14: all pairs of neighbors among records that fit and records that do not (None)."""
    inner = ByPlace(Budget("0.281"))  # ln(2/(1 + e^-½)) is what one label changes

    def law(records, *, void):
        x, y = np.array([each for each in records if each], dtype=int).reshape(-1, 2).T
        sample = Sample(x, y.astype(bool), None, len(records), x)
        examples = examples_of(sample, Line(0, 9), (0, False))
        return InRandomOrder(inner).law(examples if void else examples[: len(x)])

    kept = worst_divergence(partial(law, void=True), [*RECORDS, None], 3, inner.cost)
    assert not kept.refuted and kept.share > 0.99
    assert worst_divergence(partial(law, void=False), [*RECORDS, None], 3, inner.cost).refuted


def test_the_certificate_of_misfits_holds_if_the_best_rule_agrees_with_their_example():
    """A third of the records are void. The rule is right on the others, because it agrees with the public example."""
    H = pp.Thresholds(1, 100, direction="above")
    known = {"regime": "realizable", "on_invalid": "default", "alpha": 0.1, "delta": 1e-6, "allow_large_delta": True}
    clf = pp.PrivateClassifier(H, method="PrivateOccam", feature="x", random_state=1, **known)
    x = np.random.default_rng(1).integers(1, 151, 3000).astype(float)
    clf.fit({"x": x}, x >= 60)
    fits = x <= 100
    wrong = (clf.predict({"x": x[fits]}) != (x[fits] >= 60)).sum() / len(x)
    assert wrong <= 0.1 == float(clf.guarantee_.utility.alpha)
    assert any("stands for records that do not fit" in each for each in clf.guarantee_.utility.assumptions)


@pytest.mark.parametrize("rule", ["default", "clamp"])
def test_what_a_refused_record_is_told_to_say_works_without_a_list(rule):
    """A third of the records cannot be read. The refusal names a rule for them, with which the rest is learned."""
    known = {"regime": "realizable", "alpha": 0.1, "delta": 1e-6, "method": "PolyPriLearn", "feature": None}
    x = [f"order {i}" if i % 3 else None for i in range(1500)] + ["EV"] * 500
    y = [0] * 1500 + [1] * 500
    with pytest.raises(Refused, match=f"on_invalid='{rule}'"):
        pp.PrivateClassifier(pp.Points(), **known).fit(x, y)
    clf = pp.PrivateClassifier(pp.Points(), on_invalid=rule, random_state=1, **known).fit(x, y)
    assert (str(clf.hypothesis_), clf.n_records_) == ("x = EV", 2000)
    *_, stands = clf.guarantee_.utility.assumptions
    assert stands == "the best rule is negative at '', which stands for records that do not fit"


def test_rows_of_several_columns_have_a_public_example():
    known = {"regime": "realizable", "on_invalid": "default", "allow_large_delta": True, "delta": 1e-6}
    clf = pp.PrivateClassifier(MIXED, method="PrivateOccam", random_state=1, **known)
    table = {"age": [3, None, 0, 9] * 50, "ward": ["A", "A", "C", "B"] * 50}
    assert clf.fit(table, [1, 0, 0, 0] * 50).n_records_ == 200


@pytest.mark.parametrize(
    ("H", "target", "others"),
    [(pp.Points(2**64), 2**64 - 1, range(300)), (pp.Points(), "東京", [f"name {i}" for i in range(300)])],
    ids=["2^64", "texts"],
)
def test_points_of_a_domain_that_is_not_listed(H, target, others):
    known = {"alpha": 0.25, "delta": 1e-6, "regime": "realizable", "feature": "x"}
    clf = pp.PrivateClassifier(H, method="PolyPriLearn", random_state=1, **known)
    assert clf.certified_n() == 285
    x = [target, *others] + [target] * 100
    clf.fit({"x": x}, [v == target for v in x])
    assert clf.hypothesis_ == H.hypothesis(target)
    assert (clf.privacy_, clf.guarantee_.utility.theorem) == (Budget(1, "1e-6"), "ggkm21, Theorem 2")
    assert pickle.loads(pickle.dumps(clf)).hypothesis_ == clf.hypothesis_


@pytest.mark.parametrize(
    "odd", [None, float("nan"), {SECRET}, object(), 10**3000], ids=["missing", "nan", "set", "object", "huge"]
)
def test_a_record_that_points_cannot_read_is_refused_before_anything_is_spent(odd):
    ledger = Ledger(Budget(1, "1e-6"))
    known = {"alpha": 0.25, "delta": 1e-6, "regime": "realizable", "feature": "x", "budget": ledger}
    with pytest.raises((Refused, RefusedType)) as caught:
        pp.PrivateClassifier(pp.Points(), method="PolyPriLearn", **known).fit({"x": ["a", odd]}, [0, 1])
    assert str(SECRET) not in str(caught.value) and "0000" not in str(caught.value)
    assert ledger.spent == Budget(0)


PAIR = pp.And(*[pp.Thresholds(1, 2, direction="below").on(name) for name in "ab"])


@over("H", [PAIR, pp.Thresholds(1, 3, direction="below").on("a"), pp.Points(3).on("a")])
def test_every_rule_reads_the_columns_of_the_table_and_is_kept(H):
    table = {name: [1, 2] * 200 for name in "ab"}
    ran = set()
    for name, kind in METHODS.items():
        given = {"alpha": 0.4, "epsilon": 3, "regime": kind.edition.regime, "allow_large_delta": True}
        if METHODS[name].for_class(H, Conditions.of(**given).terms(1)) is None:
            continue
        clf = pp.PrivateClassifier(H, method=name, **given).fit(table, [0, 1] * 200)
        model = pp.Model.from_json(pp.model_of(clf, "y").to_json())
        assert model.predict(table).tolist() == clf.predict(table).tolist(), name
        ran.add(name)
    assert {"PrivateOccam", "PolyPriPropLearn"} <= ran


def test_what_is_asked_for_and_not_needed_is_neither_charged_nor_required(tmp_path):
    """At ε = 50, Algorithm 4 costs less than 3; the account has no more than that left, with a key and without."""
    clf = pp.PrivateClassifier(CUTS, epsilon=50, method="PrivateAgnostic", feature=None)
    cost, X, y = clf.learner().cost, [0, 7] * 50, [0, 1] * 50
    assert clf.preview(100).cost == cost and 2 < cost.epsilon < 3
    assert clf.asking(report_error=True).preview(100).cost == Budget(50), "the estimate takes what it gets"
    for each in (lambda account: account, lambda account: account.once("rule")):
        store = pp.BudgetStore(f"sqlite:///{tmp_path}/{len(list(tmp_path.iterdir()))}.db")
        account = store.account("clinic", Budget(3))
        fitted = clf.asking(budget=each(account)).fit(X, y)
        assert account.spent == fitted.privacy_ == cost
