"""Decision trees on long columns: what is learned, certified, and chosen; the whole learner's law on a small line."""

from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import pytest

from privpac import PrivateClassifier, plan
from privpac.audit.claims.case import Case, labeled
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.learners.choice import learner_for
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.public_tests import MOST_TESTS, tree_tests
from privpac.learners.decision_trees.trees import DecisionTreeLearner, tree_rule
from privpac.learners.grids.grids import ColumnPart
from privpac.learners.grids.private_cuts import PrivateCuts
from privpac.mechanisms.algorithm import Algorithm
from privpac.mechanisms.decision_trees.tree_exponential import TreeExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.requests.conditions import Conditions
from tests.grid import over

WIDE = 2**64 - 1


def table(n=5000, seed=3):
    a, b = np.random.default_rng(seed).integers(0, 1000, (2, n))
    return {"a": a, "b": b}


def truth(X):
    return (X["a"] >= 400) & (X["b"] >= 300)


def trees(low=0, high=WIDE, depth=2, **how):
    return Trees(Thresholds(low, high, **how).on("a"), Thresholds(low, high, **how).on("b"), depth=depth)


def error_of(H, X, y, fits=5, **how):
    """The median of some fits."""
    clf = PrivateClassifier(H, **how)
    return float(np.median([(clf.fit(X, y).predict(X) != y).mean() for _ in range(fits)]))


@pytest.mark.audit
@over("high", (10**6, WIDE))
def test_the_length_of_a_line_does_not_spoil_the_tree(high):
    """5000 records without noise, ε = 1: measured errors are .3 % on average. Public cuts err by 11 %."""
    X = table()
    assert error_of(trees(high=high), X, truth(X)) <= 0.02
    assert error_of(trees(high=high), X, truth(X), fits=1, method="DecisionTreeLearner") > 0.1


@pytest.mark.audit
@over(
    "line",
    (
        (0.0, 1e300, lambda x: x * 1.0),
        (-1e6, 1e6, lambda x: x / 7 - 50),
        (date(1, 1, 1), date(9999, 12, 31), lambda x: np.datetime64("2020-01-01") + x),
        (datetime(1900, 1, 1), datetime(2100, 1, 1), lambda x: np.datetime64("2020-01-01T00:00:00.000000") + 60 * x),
        (0, WIDE, lambda x: x + 2**62),
    ),
)
def test_floats_dates_times_and_columns_far_from_0(line):
    """Measured errors at ε = 2 are at most .7 % on average, and at most 1.5 %."""
    low, high, moved = line
    X = table()
    assert (
        error_of(trees(low, high, step="finest"), {name: moved(x) for name, x in X.items()}, truth(X), epsilon=2)
        <= 0.02
    )


@pytest.mark.audit
def test_every_kind_of_part_and_direction():
    rng = np.random.default_rng(4)
    X = {"a": np.exp(rng.normal(5.5, 1.2, 5000)).astype(np.int64), "age": rng.integers(17, 91, 5000)}
    X["job"] = rng.choice(["clerk", "nurse", "cook"], 5000)
    y = np.where(X["a"] >= 300, X["age"] >= 40, X["job"] == "cook")
    for direction in ("above", "below", "either"):
        H = Trees(
            Thresholds(0, WIDE, direction=direction).on("a"),
            Thresholds(17, 90, direction="above").on("age"),
            Points().on("job", values=("clerk", "nurse", "cook")),
        )
        assert error_of(H, X, y, fits=3, epsilon=2) <= 0.03


@pytest.mark.slow
def test_who_is_chosen():
    asked = Conditions.of()
    age, job = Thresholds(17, 90, direction="above").on("age"), Points().on("job", values=("clerk", "nurse"))
    for long in (
        trees(),
        trees(high=10**6, depth=3),
        trees(0.0, 1.0, step="finest"),
        Trees(Thresholds(0, WIDE, direction="above").on("a"), age, job),
    ):
        assert learner_for(long, asked) is PrivateCutTrees
        assert not DecisionTreeLearner.for_class(long, asked.terms(1)).automatic
    for short in (
        trees(high=48),
        trees(high=1000),
        trees(high=6000),
        Trees(age, job, Thresholds(0, 1, direction="above").on("member")),
    ):
        assert not PrivateCutTrees.supports(short)
        assert learner_for(short, asked) is DecisionTreeLearner
    assert learner_for(trees(high=2**200), asked) is DecisionTreeLearner  # too long to zoom


def test_many_columns_leave_few_cuts_or_none():
    def wide(k):
        return Trees(*(Thresholds(0, WIDE, direction="above").on(f"c{i}") for i in range(k)), depth=3)

    learner = PrivateCutTrees.for_class(wide(60), Conditions.of().terms(1))
    assert (learner.cuts.cells - 1) * 60 <= MOST_TESTS[3]
    assert not PrivateCutTrees.supports(wide(90))


@pytest.mark.slow
def test_what_is_certified():
    rows = plan(trees()).rows
    assert [(row.learner, str(row.kind)) for row in rows[:2]] == [
        ("PrivateCutTrees", "certified"),
        ("DecisionTreeLearner", "certified on a public grid"),
    ]
    clf = PrivateClassifier(trees())
    assert clf.certified_alpha(5000) is None
    assert 0.02 < float(clf.certified_alpha(10**7)) < 0.1
    assert clf.certified_alpha(2**31 - 1) and clf.certified_alpha(2**31) is None  # cuts are public from there on
    mixed = Trees(Thresholds(0, WIDE, direction="above").on("a"), Thresholds(17, 90, direction="above").on("age"))
    assert PrivateClassifier(mixed).learner().within == "on a public grid"
    assert (
        PrivateClassifier(Trees(*mixed.parts[:1], Thresholds(0, 9, direction="above").on("b"))).learner().within == ""
    )


def test_the_certificate_counts_trees_as_they_are():
    """Depth 1: two labels, or one of two long columns with two labels each."""
    learner = PrivateCutTrees.for_class(trees(depth=1), Conditions.of().terms(1))
    assert (learner.long_cuts, learner.other_choices) == (1, 2 + 2 * 2**2)
    deeper = PrivateCutTrees.for_class(trees(depth=2), Conditions.of().terms(1))
    assert (deeper.long_cuts, deeper.other_choices) == (3, 2 + 2 * 10**2)


@pytest.mark.slow
def test_too_few_records_use_public_cuts():
    """All of ε then goes to one draw; otherwise two releases for each long column come first."""
    X, H = table(300), trees(high=10**6)
    clf = PrivateClassifier(H).fit(X, truth(X))
    assert [entry.mechanism for entry in clf.ledger_.entries] == ["exponential over decision trees"]
    X = table()
    clf.fit(X, truth(X))
    first = ["zoom", "quantile tree"] * 2
    assert [entry.mechanism for entry in clf.ledger_.entries] == [*first, "exponential over decision trees"]
    assert clf.privacy_ == Budget(1)


@over("label", (0, 1))
@over("n", (1, 2, 50))
def test_few_records_and_one_label(label, n):
    X = {name: column[:n] for name, column in table(50).items()}
    PrivateClassifier(trees(), epsilon=200, classes=(0, 1)).fit(X, [label] * n)


@pytest.mark.parametrize("on_invalid", ["clamp", "default"])
def test_values_out_of_the_domain(on_invalid):
    X = {"a": [-5, 10**30, 3, None, 7] * 200, "b": [1, 2, float("nan"), 4, 5] * 200}
    clf = PrivateClassifier(trees(), method="PrivateCutTrees", on_invalid=on_invalid, epsilon=3)
    assert len(clf.fit(X, [0, 1, 1, 0, 1] * 200).predict(X)) == 1000


@pytest.mark.slow
def test_units_and_an_estimate_of_the_error():
    X = table(2000)
    clf = PrivateClassifier(trees(), epsilon=8, max_records=2, report_error=True)
    clf.fit(X, truth(X), unit=np.repeat(np.arange(1000), 2))
    assert clf.privacy_ == Budget(8)
    assert [entry.mechanism for entry in clf.ledger_.entries][:5:2] == [
        "zoom",
        "zoom",
        "exponential over decision trees",
    ]


def test_given_cuts_are_the_tests():
    parts = Thresholds(0, 99, direction="below").on("a"), Thresholds(0, 1, direction="above").on("b")
    H = Trees(*parts)
    public = tree_tests(tuple(map(ColumnPart.of, parts)), H.domain, 2)
    given = public.cut_at({"a": (7, 50)})
    assert [str(rule) for rule in given.rules] == ["a < 7", "a < 50", "b ≥ 1"]
    sample = Sample(H.domain.points({"a": [0, 7, 99], "b": [0, 1, 0]}), np.array([True] * 3), None, 3)
    assert sorted(given.view(sample).cells[0].tolist()) == [0, 3, 4]  # two cells of b for each of a


@dataclass(frozen=True)
class Whole(Algorithm):
    """What ``PrivateCutTrees`` does, on a line and with limits small enough to list everything."""

    cost: Budget
    name = "private cut trees"
    theorem = "private cuts, Theorem 2"

    def run(self, data, ask):
        line = Line(0, 3)
        cuts, draw = self.cost.split((1, 1))
        (found,) = PrivateCuts(cuts, (line,), lambda sample: [sample.points], 4).run(data, ask)
        tests = tree_tests((ColumnPart.of(Thresholds(0, 3, direction="above")),), line, 1).cut_at({None: found[1:]})
        return str(tree_rule(tests, ask(TreeExponential(draw, tests.public, 1), data.see(tests.view))))


def seen(records):
    kept = [record for record in records if record is not None]
    points, labels = np.array([x for x, _ in kept], dtype=np.uint64), np.array([y for _, y in kept], dtype=bool)
    return Opened(Sample(points, labels, None, len(records)), len(records))


def case(claimed):
    return Case(Whole(Budget(12)), seen, "4 values", [*labeled((0, 3)), None], 2, Budget(claimed))


@pytest.mark.audit
def test_no_neighbors_refute_the_whole_learner():
    assert not case(12).exact().refuted
    assert case(4).exact().refuted
