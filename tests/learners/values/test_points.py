"""Learning a point: the views by definition, exact audits with broken twins, certificates, hostile values."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from privpac.audit.claims.case import Case, labeled
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.points import OneOf, Points
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.exponential_weights import Weights
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.values.points import NEVER, missed_point, never_and_seen, number_errors
from privpac.mechanisms.selection.exponential import Selection
from privpac.mechanisms.selection.public_stable import DiscountedExponential
from privpac.mechanisms.values.points import PointExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from privpac.refusals.refusal import Refusal
from tests.grid import over
from tests.learners.whole import whole

NOISY = Budget(1, Fraction(1, 10))
VALUES = st.sampled_from(["a", "b", "ä", 1, 1.0, True, (1, "a"), 2**200, -0.0, 0])
RECORDS = st.lists(st.tuples(VALUES, st.booleans(), st.integers(1, 3)), max_size=8)


def sample_of(records, void=0):
    """A sample of (value, label) or (value, label, count)."""
    points, labels = objects(x for x, *_ in records), np.array([bool(y) for _, y, *_ in records], dtype=bool)
    counts = np.array([record[2] for record in records], dtype=np.int64) if records and len(records[0]) == 3 else None
    return Sample(points, labels, counts, len(records) + void, points)


def count_errors(records, says):
    return sum(m for x, y, m in records if says(x) != y)


@settings(max_examples=200, deadline=None)
@given(RECORDS)
def test_candidates_and_errors_are_those_of_the_definition(records):
    fallback, stable = never_and_seen(sample_of(records, void=3))
    positives = Counter()
    for x, y, m in records:
        positives[x] += m * y
    assert fallback == {NEVER: count_errors(records, lambda x: False)}
    assert set(stable.names) == {x for x, q in positives.items() if q} and len(stable.names) == len(set(stable.names))
    for v, level, q, err in zip(*stable[:4], strict=True):
        assert (level, q, err) == (0, positives[v], count_errors(records, lambda x, v=v: x == v))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 3)), max_size=8))
def test_every_number_has_the_errors_of_the_definition(records):
    values, errors, others = number_errors(sample_of(records, void=1), 7, "raise")
    assert values == sorted({x for x, _, _ in records})
    table = dict(zip(values, errors, strict=True))
    assert [table.get(v, others) for v in range(7)] == [count_errors(records, lambda x, v=v: x == v) for v in range(7)]


def test_two_to_the_64_values_cost_no_more_than_those_seen():
    rule = PrivateClassifier(Points(2**64), epsilon=1, feature=None, method="ProperPointLearner").fit(
        [2**63 + 5] * 200 + [0] * 200, [1] * 200 + [0] * 200
    )
    assert rule.hypothesis_ == OneOf(frozenset([2**63 + 5]))
    lonely = (
        PrivateClassifier(Points(2**100), epsilon=1e-3, feature=None, method="ProperPointLearner")
        .fit([3, 4], [0, 0])
        .hypothesis_
    )
    assert 0 <= min(lonely.values) < 2**100  # some number that no record has


UNIVERSE = labeled("abc")
NUMBERED = labeled(range(4))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_points_are_private_over_all_neighbors(n):
    case = whole(
        PrivateClassifier(Points(), epsilon=1, delta=0.1, method="PointLearner"), "three values", [*UNIVERSE, None], n
    )
    worst = case.exact()
    assert not worst.refuted, str(worst)
    assert float(worst.ratio) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3])
def test_numbered_points_are_purely_private_over_all_neighbors(n):
    case = whole(
        PrivateClassifier(Points(4), epsilon=1, on_invalid="default", method="ProperPointLearner"),
        "four numbers",
        [*NUMBERED, None, ("x", 1)],
        n,
    )
    worst = case.exact()
    assert not worst.refuted, str(worst)


def refuted(mechanism, view, universe, n, claimed):
    return Case(mechanism, view, "a broken twin", universe, n, claimed).exact().refuted


def test_a_record_that_counts_twice_is_refuted():
    def twice(records):
        fallback, stable = never_and_seen(sample_of(records))
        P = fallback[NEVER]
        return {NEVER: 2 * P}, stable._replace(support=stable.support * 2, errors=stable.errors * 2)

    assert refuted(DiscountedExponential(NOISY, 1), twice, UNIVERSE, 2, NOISY)


class Undiscounted(DiscountedExponential):
    """a instead of a/r."""

    def menu(self, data):
        _, errors, stable = data
        weights, outcome = super().menu(data)
        scores = np.concatenate([-errors, -stable.errors]).astype(np.int64)
        return Weights(scores, weights.rate, weights.counts, weights.log_prior), outcome


def test_a_discount_without_the_base_is_refuted():
    assert refuted(Undiscounted(NOISY, 1), lambda r: never_and_seen(sample_of(r)), UNIVERSE, 2, NOISY)


class Miscounted(Selection):
    """N − #records unseen values instead of N − #distinct."""

    name, theorem = "miscounted", ""

    def __init__(self, cost, N):
        self.cost, self.N = cost, N

    def menu(self, data):
        values, errors, P, n = data
        weights = Weights(-np.append(errors, P), self.cost.epsilon / 2, [*(1 for _ in values), self.N - n])
        proper = PointExponential(self.cost, self.N).menu((values, errors, P))[1]
        return weights, proper


class Unnamed(PointExponential):
    """Says never instead of naming an unseen value."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        return weights, lambda group, member: outcome(group, member) if group < len(data[0]) else "never"


def test_unseen_values_must_be_counted_and_named():
    pure = Budget(1)

    def view(records):
        return number_errors(sample_of(records), 6, "raise")

    universe = labeled(range(3))
    assert not refuted(PointExponential(pure, 6), view, universe, 3, pure)
    assert refuted(Miscounted(pure, 6), lambda r: (*view(r), len(r)), universe, 3, pure)
    assert refuted(Unnamed(pure, 6), view, universe, 2, pure)


def test_equal_values_lead_to_one_rule_whoever_brought_them():
    """1, 1.0 and True are one value: which of them a record held must not be seen."""
    forms = set()
    for first in (1, 1.0, True):
        values = [first] + [1, True, 1.0] * 200 + ["x"] * 300
        labels = [1] * 601 + [0] * 300
        rule = (
            PrivateClassifier(Points(), epsilon=5, feature=None, method="PointLearner").fit(values, labels).hypothesis_
        )
        forms.add((str(rule), rule.to_json()))
    assert len(forms) == 1


def test_numbers_count_whichever_of_the_equal_ones_came_first():
    """Were those of one record's type no number_errors, its record would take all equal ones with it."""
    others, labels = [5] * 9, np.ones(10, dtype=bool)
    for values in ([Decimal(5), *others], [*others, Fraction(5)], [5.0, *others], [True + 4, *others]):
        assert number_errors(Sample(Points(8).encode(values), labels, None, 10), 8, "default")[0] == [5]


@pytest.mark.parametrize(
    "value",
    ["", "ü\ud800", (1, ("a", 2.5)), 10**1500, -(2**70), 1e300, float("inf"), b"x", frozenset({1})],
    ids=range(9),
)
def test_any_value_can_be_learned_and_written(value):
    X = objects([value] * 300 + ["other"] * 300)
    clf = PrivateClassifier(Points(), epsilon=2, feature=None, method="PointLearner").fit(X, [1] * 300 + [0] * 300)
    assert clf.hypothesis_(X).tolist() == [True] * 300 + [False] * 300
    assert Hypothesis.from_json(clf.hypothesis_.to_json()) == clf.hypothesis_
    assert clf.predict(X).tolist() == [1] * 300 + [0] * 300


def test_one_class_and_missing_values():
    for labels in ([0] * 50, [1] * 50):
        rule = (
            PrivateClassifier(Points(), epsilon=1, feature=None, method="PointLearner")
            .fit([str(i) for i in range(50)], labels)
            .hypothesis_
        )
        assert isinstance(rule, (Constant, OneOf))
    for learn in (
        PrivateClassifier(Points(), feature=None, method="PointLearner"),
        PrivateClassifier(Points(9), feature=None, method="ProperPointLearner"),
    ):
        with pytest.raises(ValueError, match="missing"):
            learn.fit([1, None, 3], [0, 1, 0])


def test_values_that_are_no_numbers_are_refused_before_anything_is_spent():
    ledger = Ledger(Budget(1))
    with pytest.raises(ValueError, match="integers from 0 to N − 1"):
        PrivateClassifier(Points(9), feature=None, budget=ledger, method="ProperPointLearner").fit(
            ["secret"] * 9, [1] * 9
        )
    assert ledger.entries == ()
    rule = PrivateClassifier(Points(9), epsilon=4, feature=None, on_invalid="default", method="ProperPointLearner")
    assert rule.fit(["x"] * 9 + [True] * 60, [1] * 69).hypothesis_ == OneOf(frozenset([1]))


@over(("n", "α", "ε"), [(0, 0.1, 1), (1, 0.5, 1), (30, 0.3, 2), (400, 0.1, 1), (60, 0.999, 0.2)])
def test_the_exact_certificate_is_the_expectation_it_stands_for(n, α, ε):
    T, log_r = 12.3, ε / 2
    pmf = [comb(n, j) * α**j * (1 - α) ** (n - j) for j in range(n + 1)]
    exact = sum(p * (1 if j == 0 else 1 / (1 + exp((j - T) * log_r))) for j, p in enumerate(pmf))
    assert exact <= missed_point(n, α, T, log_r) <= exact * (1 + 1e-6) + 1e-15


def test_many_steps_only_enlarge_it():
    fine, coarse = missed_point(10**5, 0.1, 28.0, 0.5), missed_point(2 * 10**7, 0.1, 1.4e6, 1e-5)
    assert fine < 1e-9 and coarse < 0.7  # 60 % of the mass of J lies beyond T


@pytest.mark.parametrize(
    "learn",
    [
        PrivateClassifier(Points(), delta=1e-6, method="PointLearner"),
        PrivateClassifier(Points(2**64), method="ProperPointLearner"),
    ],
    ids=["any", "proper"],
)
@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_certificates_gain_by_records_and_by_larger_errors(learn, regime):
    learn = clone(learn).set_params(regime=regime).learner()
    by_n = [learn.failure(n, 0.1) for n in (0, 1, 2, 50, 300, 500, 3000, 10**5, 10**9)]
    by_α = [learn.failure(2000, α) for α in (1e-4, 0.01, 0.05, 0.1, 0.5, 0.999)]
    assert by_n == sorted(by_n, reverse=True) and by_α == sorted(by_α, reverse=True)
    assert by_n[0] == 1 and by_n[-1] < 1e-9


def test_certified_sizes_are_at_most_these():
    """What was certified once stays certified: ε = .5, 1, 3 at α = .1, β = .05, δ = 1e-6."""
    sizes = [
        PrivateClassifier(Points(), epsilon=ε, delta=1e-6, regime="realizable", method="PointLearner").certified_n()
        for ε in (0.5, 1, 3)
    ]
    assert all(n <= most for n, most in zip(sizes, (741, 400, 167), strict=True))
    assert PrivateClassifier(Points(), epsilon=1, delta=1e-6, method="PointLearner").certified_n() <= 2145


def fails(clf, rng, n, mass, noise):
    """Whether the rule of one fit errs by more than .1 beyond the best, on values of mass ``mass`` and its rest."""
    x = np.where(rng.random(n) < mass, "target", rng.choice(["a", "b", "c"], n))
    y = (x == "target") ^ (rng.random(n) < noise)
    rule = clf.fit(x.astype(object), y.astype(int)).hypothesis_
    law = {"target": mass, "a": (1 - mass) / 3, "b": (1 - mass) / 3, "c": (1 - mass) / 3}
    wrong = sum(p for v, p in law.items() if rule([v])[0] != (v == "target"))
    return (1 - 2 * noise) * wrong > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("regime", "noise"), [("realizable", 0.0), ("agnostic", 0.3)])
def test_a_certificate_fails_as_seldom_as_it_says(regime, noise):
    """Size: P(Bin(200, .05) > 29) < 1e-7. Power: a failure rate of .25 is seen with probability above .999."""
    clf = PrivateClassifier(Points(), epsilon=1, delta=1e-6, regime=regime, feature=None, method="PointLearner")
    n, rng = clf.certified_n(), np.random.default_rng()
    mass = 0.101 / (1 - 2 * noise)
    assert sum(fails(clf, rng, n, mass, noise) for _ in range(200)) <= 29


def test_a_pure_learner_of_numbers_says_that_x_holds_others():
    with pytest.raises(Refusal, match="not integers from 0") as refused:
        PrivateClassifier(Points(9), delta=0, feature=None).fit(["a", "b"], [0, 1])
    assert refused.value.parameter == "X"
