"""Scorecards: what is found, that nothing is certified, one entry in the ledger, small and void samples."""

import re
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.fits import UnseenRecords
from privpac.classes.decision_trees.scorecards import Scorecard, Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.learners.choice import learner_for, ranking
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.decision_trees.scorecards import (
    MOST_LINES,
    MOST_LINES_OF_PAIRS,
    ScorecardLearner,
    _card,
    _finding,
    _tests,
)
from privpac.learners.finite import FiniteLearner
from privpac.learners.model import model_of
from privpac.learners.sample_sizes import certified_n
from privpac.mechanisms.decision_trees.boosting import BoostedVotes
from privpac.privacy.accounting.delta import default_delta
from privpac.privacy.budget import Budget
from privpac.requests.conditions import Conditions, Terms
from privpac.requests.reading import Reading
from tests.grid import over
from tests.learners.decision_trees.people import MIXED, people

CARDS = Scorecards(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 1, direction="above").on("b"))


def test_what_cannot_be_listed_is_not_learned():
    assert not ScorecardLearner.supports(Scorecards(Points().on("carrier")))
    assert not ScorecardLearner.supports(Scorecards(Intervals(0, 10**6).on("age")))
    assert not ScorecardLearner.supports(Trees(Thresholds(0, 1, direction="above")))


def test_nothing_is_certified_and_others_come_first():
    asked = Conditions.of(delta=1e-6)
    assert learner_for(CARDS, asked) is ScorecardLearner and certified_n(ScorecardLearner, CARDS, asked) is None
    assert ScorecardLearner(CARDS, Terms(Budget(1, 1e-6))).utility(10**9) is None
    small = Scorecards(Thresholds(0, 1, direction="above").on("a"), Thresholds(0, 1, direction="above").on("b"))
    assert [kind for kind, _ in ranking(small, asked)] == [FiniteLearner, ScorecardLearner]
    assert learner_for(small, asked) is FiniteLearner
    (row,) = [row for row in pp.plan(CARDS, delta=1e-6).rows if row.learner == "ScorecardLearner"]
    assert row.n is None and "no certificate" in str(pp.plan(CARDS, delta=1e-6))


GAPS = [
    (Thresholds(0, 3), Thresholds(0, 2, direction="below"), range(4)),
    (Points(), Thresholds(0, 2), ("x", "y", "z")),
    (Intervals(0, 3), Thresholds(0, 2, direction="above"), range(4)),
]


@over(("first", "second", "values"), GAPS)
def test_a_card_of_pairs_answers_as_its_votes_do_where_entries_are_missing(first, second, values):
    """On every row of values and gaps: each pair of tests alone, and cards of several."""
    listed = {"values": values} if isinstance(first, Points) else {}
    H = Scorecards(first.on("a", missing=True, **listed), second.on("b", missing=True), pairs=True)
    rows = list(product([*values, None], [0, 1, 2, None]))
    table = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    reading = Reading(H.domain, 0, "raise")
    sample = reading.gathered(table, reading.table(table), [1] * len(rows), None, (0, 1)).sample
    tests, rng = _tests(H), np.random.default_rng(6)
    boosted, records = BoostedVotes(Budget(1), tests.public, 30, MOST_LINES_OF_PAIRS, True), tests.labeled(sample)
    order = np.lexsort(np.array(tests.cells(sample))[::-1])
    assert (np.array(tests.cells(sample))[:, order] == records.cells).all()  # every row has cells of its own
    for b in boosted.findings[boosted.findings != tests.public.number].tolist():
        assert (_finding(tests, b)(sample.values)[order] == boosted.holds(records, b)).all()
    for _ in range(20):
        votes = tuple((int(rng.choice(boosted.findings)), int(rng.choice([-1, 1]))) for _ in range(8))
        assert (_card(tests, votes)(sample.values)[order] == (boosted.totals(records, votes) > 0)).all()


def test_without_delta_it_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="every learner of this class needs a delta above 0; leave out delta"):
        PrivateClassifier(CARDS, delta=0).fit({"a": [1, 2], "b": [0, 1]}, [0, 1])


def test_votes_become_points():
    learner = ScorecardLearner(CARDS, Terms(Budget(1, 1e-6)))
    tests = [f"a ≥ {t}" for t in range(1, 10)] + ["b ≥ 1"]

    def card(*votes):
        return learner.run(UnseenRecords(0), lambda *_: votes)

    rule = card((4, 1), (9, 1), (4, 1), (0, -1), (0, 1), (10, -1))
    assert isinstance(rule, Scorecard) and [str(test) for test in rule.tests] == [tests[4], tests[9]]
    assert card((10, 1)) == Constant(True) and card((10, -1)) == card() == Constant(False)
    assert str(card((3, 1))) == "a ≥ 4" and str(card((3, -1))) == "a < 4"


@over("seed", range(20))
def test_points_are_enough_where_votes_for_the_label_outnumber_the_others(seed):
    rng = np.random.default_rng(seed)
    votes = tuple((int(rng.integers(11)), int(rng.choice([-1, 1]))) for _ in range(seed * 2))
    rule = ScorecardLearner(CARDS, Terms(Budget(1, 1e-6))).run(UnseenRecords(0), lambda *_: votes)
    for a in range(10):
        for b in (0, 1):
            holds = [a >= t for t in range(1, 10)] + [b == 1, True]
            total = sum(s if holds[test] else -s for test, s in votes)
            assert rule({"a": [a], "b": [b]}).tolist() == [total > 0]


@pytest.mark.slow
def test_a_sum_of_points_is_found_under_noise():
    rng = np.random.default_rng(5)
    table = people(rng, 20_000)
    true = 2 * (table["age"] >= 40) + (table["job"] == "pilot") + (table["income"] >= 1000) + table["member"] >= 3
    labels = true ^ (rng.random(20_000) < 0.1)
    clf = PrivateClassifier(Scorecards(*MIXED), epsilon=2).fit(table, labels)
    assert np.mean(clf.predict(table) != true) < 0.05
    assert clf.privacy_ == Budget(2, default_delta(20_000))
    assert str(clf.ledger_).startswith("boosted votes: ε = 2, δ = ") and len(str(clf.ledger_).splitlines()) == 1
    assert clf.guarantee_.utility is None and len(clf.hypothesis_.tests) <= MOST_LINES
    again = pp.Hypothesis.from_json(clf.hypothesis_.to_json())
    assert (again(table) == clf.hypothesis_(table)).all()


@over("n", (1, 2, 60))
@over("label", (0, 1))
def test_small_and_one_sided_samples(n, label):
    clf = PrivateClassifier(CARDS, method="ScorecardLearner", epsilon=50, classes=(0, 1))
    clf.fit({"a": [3] * n, "b": [0] * n}, [label] * n)
    if n == 60:
        assert clf.predict({"a": [3], "b": [0]}).tolist() == [label]


@pytest.mark.parametrize("on_invalid", ["default", "clamp"])
def test_void_records_and_units(on_invalid):
    table, who = {"a": [None, 50, 3, 7] * 1000, "b": [0, 1, 0, 1] * 1000}, np.repeat(np.arange(2000), 2)
    made = PrivateClassifier(CARDS, epsilon=8, on_invalid=on_invalid, max_records=2)
    clf = made.fit(table, [0, 1, 0, 1] * 1000, unit=who)
    assert clf.predict({"a": [3, 7], "b": [0, 1]}).tolist() == [0, 1]
    assert clf.privacy_.epsilon <= 8


PAIRS = Scorecards(*CARDS.parts, pairs=True)


def both_sides(rng, n, values=50):
    """Records whose label says which of two columns are large: just one of them."""
    table = {name: rng.integers(0, values, n) for name in ("a", "b", "c")}
    return table, (table["a"] >= values // 2) ^ (table["b"] >= values // 2)


@pytest.mark.slow
def test_pairs_learn_what_single_tests_cannot():
    table, labels = both_sides(np.random.default_rng(7), 6000)
    parts = [Thresholds(0, 49, direction="above").on(name) for name in table]

    def error(pairs):
        clf = PrivateClassifier(Scorecards(*parts, pairs=pairs), epsilon=2).fit(table, labels)
        assert str(clf.ledger_).startswith("boosted votes: ε = 2, δ = ") and len(str(clf.ledger_).splitlines()) == 1
        return np.mean(clf.predict(table) != labels), clf.hypothesis_

    alone, (wrong, card) = error(pairs=False)[0], error(pairs=True)
    assert wrong < 0.05 and alone > 0.4
    assert "exactly one of: a ≥ " in str(card) and len(card.tests) <= MOST_LINES_OF_PAIRS
    assert (pp.Hypothesis.from_json(card.to_json())(table) == card(table)).all()


@over("seed", range(20))
def test_points_of_pairs_are_enough_where_votes_outnumber_the_others(seed):
    """By definition, with tests of one column, and of two, also if an entry is missing."""
    rng = np.random.default_rng(seed)
    part = Thresholds(0, 2, direction="above").on("a", missing=True), Thresholds(0, 1, direction="above").on("b")
    learner, T = ScorecardLearner(Scorecards(*part, pairs=True), Terms(Budget(1, 1e-6))), 4
    tables = (0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0), (0, 1, 1, 0)
    numbers = [
        *range(T + 1),
        *(T + 1 + (k * T + i) * T + j for k in range(5) for i in range(T) for j in range(i + 1, T)),
    ]
    votes = tuple((int(rng.choice(numbers)), int(rng.choice([-1, 1]))) for _ in range(seed * 2))
    rule = learner.run(UnseenRecords(0), lambda *_: votes)
    for a in (None, 0, 1, 2):
        for b in (0, 1):
            single = [a is not None and a >= 1, a is not None and a >= 2, a is None, b == 1]
            total = 0
            for number, s in votes:
                k, i, j = (number - T - 1) // T**2, (number - T - 1) // T % T, (number - T - 1) % T
                holds = [*single, True][number] if number <= T else tables[k][2 * single[i] + single[j]]
                total += s if holds else -s
            assert rule({"a": [a], "b": [b]}).tolist() == [total > 0]


def test_too_many_tests_are_refused_before_anything_is_paid():
    wide = Scorecards(*(Points().on(f"c{i}", values=[*"abcdefghij"]) for i in range(30)), pairs=True)
    table = {f"c{i}": ["a", "b"] for i in range(30)}
    most = "scorecards of pairs choose from at most 256 tests, and these columns have more, even with one cut each"
    fewer = re.escape("declare fewer columns (the first 25 have few enough), or leave out pairs")
    with pytest.raises(ValueError, match=f"{most}; {fewer}"):
        PrivateClassifier(wide).fit(table, [0, 1])
    assert ScorecardLearner.supports(Scorecards(*wide.parts))


def test_long_lines_have_fewer_cuts_in_pairs():
    lines = [Thresholds(0, 10**6, direction="above").on(f"c{i}") for i in range(12)]
    few = ScorecardLearner(Scorecards(*lines, pairs=True), Terms(Budget(1, 1e-6)))
    asked = []
    few.run(UnseenRecords(100), lambda mechanism, _: asked.append(mechanism) or ())
    assert asked[0].tests.number <= 256 and asked[0].pairs and asked[0].most == MOST_LINES_OF_PAIRS


def test_pairs_with_weights_of_errors_risks_and_missing_entries():
    rng = np.random.default_rng(3)
    table, labels = both_sides(rng, 4000, 4)
    table = {"a": [None if x == 3 else int(x) for x in table["a"]], "b": table["b"]}
    cards = Scorecards(
        Thresholds(0, 3, direction="above").on("a", missing=True),
        Thresholds(0, 3, direction="above").on("b"),
        pairs=True,
    )
    clf = PrivateClassifier(cards, epsilon=8, class_weight={0: 1, 1: 2}, report_error=True).fit(table, labels)
    assert np.mean(clf.predict(table) != labels) < 0.3 and clf.privacy_.epsilon <= 8
    assert len(clf.risks_) > 1 and clf.guarantee_.utility is None
    assert "<svg" in model_of(clf)._repr_html_()
