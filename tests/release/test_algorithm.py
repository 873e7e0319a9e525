"""A whole release is one algorithm: its cost, and what it asks for."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac import Ledger, Points, Rectangles, StartsWith, Thresholds, certified
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.boxes import Box
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened, Sealed
from privpac.refusals.refusal import Refused, RefusedType
from privpac.release.algorithm import ReleaseAlgorithm
from privpac.release.external_answers import GivenAnswers
from privpac.requests.conditions import Conditions
from tests.release.samples import assert_is_the_gap, sample_of

JOBS = Points().among(("a", "b"))


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize(("delta", "cls"), [(0, JOBS), ("1e-6", Points())])
def test_everything_asked_for_adds_up_to_the_cost(k, delta, cls):
    conditions = Conditions.of(epsilon=1, delta=delta, max_records=k)
    algorithm = ReleaseAlgorithm.of(cls, conditions, "auto", Fraction(1, 10), 6)
    asked = []

    def ask(mechanism, seen):
        asked.append(mechanism.cost)
        return {("a",): 6} if delta else mechanism.release(mechanism.check(seen), SYSTEM)

    algorithm.run(Opened(sample_of(cls.domain, "aabbab"), 6), ask)
    assert sum(asked, Budget(0)) == algorithm.cost <= Budget(1, delta)
    assert float(algorithm.cost.epsilon) == 1


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("share", [Fraction(1, 100), Fraction(1, 10), Fraction(9, 10)])
def test_gaussian_counts_and_their_certificate_have_one_price(k, share):
    """The noise grows with the square root of what the certificate leaves, not in proportion to it."""
    conditions = Conditions.of(epsilon=1, delta="1e-6", max_records=k)
    codes, ledger = StartsWith(height=7), Ledger(Budget(1, "1e-6"))
    algorithm, alone = (ReleaseAlgorithm.of(codes, conditions, "auto", s, 6) for s in (share, Fraction(0)))
    answers, bound = algorithm.run(Sealed(sample_of(codes.domain, ["J10"] * 4 + ["K"] * 2), 6), ledger.spend)
    assert [entry.cost for entry in ledger.entries] == [algorithm.cost] and algorithm.cost <= Budget(1, "1e-6")
    assert 0 <= bound <= answers.farthest
    more = algorithm.sanitizer.mechanism.variance / alone.sanitizer.mechanism.variance
    assert 1 < more < 1.01 / (1 - share)
    measured = 1 / algorithm.variance / (1 / algorithm.variance + 14 / algorithm.sanitizer.mechanism.variance)
    assert share / 3 < measured <= share


def test_the_gap_of_given_answers():
    ages = Thresholds(0, 3, direction="above")
    queries = tuple(map(ages.hypothesis, (1, 2)))
    assert_is_the_gap(GivenAnswers(3, queries, (3, 1)), ages.domain, (0, 1, 3, None), queries, 3)


def test_a_query_that_cannot_read_a_record_is_not_satisfied_by_it():
    """Before, it raised an error if, and only if, some record was text: whoever asked learned that for nothing."""
    starts, at_least = StartsWith(height=2).hypothesis("J"), Thresholds(0, 3, direction="above").hypothesis(1)
    answers, universe = GivenAnswers(3, (starts, at_least), (1, 0)), ("J1", "K", 0, 1, None)

    def true(records):
        texts = sum(each == "J1" for each in records)
        return max(abs(1 - texts), sum(each == 1 for each in records))

    for records in product(universe, repeat=3):
        assert answers.gap(sample_of(Points().domain, records)) == true(records)
    weights = Sample(objects(["J1", 1]), np.array([True, True]), np.array([5, 7]), 12, objects(["J1", 1]))
    assert answers.gap(weights) == 7
    table = Points().on("c")
    rows = Sample(table.domain.points({"c": objects([1, "J1"])}), np.ones(2, bool), None, 2, {"c": objects([1, "J1"])})
    assert GivenAnswers(2, (StartsWith(height=2).on("c").hypothesis("J"),), (0,)).gap(rows) == 1


@dataclass(frozen=True)
class Breaking(Hypothesis):
    """A query whose own code fails at the age of 37, in a way that no rule of the library fails."""

    def __call__(self, X):
        if 37 in X:
            raise RuntimeError("the age of 37")
        return np.asarray(X) > 18

    def sentence(self, name="x"):
        return f"{name} breaks"


def test_an_error_in_the_code_of_a_query_stays_secret():
    ages = Thresholds(0, 120)
    for records in ([12] * 50 + [38], [12] * 50 + [37]):
        assert certified(ages, [Breaking()], [0.5], records, epsilon=100).guarantee.measured >= 25
    assert GivenAnswers(3, (Breaking(),), (0,)).gap(sample_of(ages.domain, (12, 37, 38))) == 1


def test_queries_must_find_their_columns():
    ledger = Ledger(Budget(1))
    for cls, query in ((Points().on("c"), Points().on("d").hypothesis("a")), ("Points", Points().hypothesis("a"))):
        with pytest.raises((Refused, RefusedType)) as refused:
            certified(cls, [query], [0.5], {"c": ["a", "b"]}, epsilon=1, budget=ledger)
        assert refused.value.parameter in ("queries", "concept_class")
    assert ledger.spent == Budget(0)
    box = Box((1, 2), (3, 4))
    assert certified(Rectangles(0, 9, 2), [box], [0.5], [[1, 2], [9, 9]], epsilon=1).n == 2


@pytest.mark.parametrize("share", ["1e-20", "0.99999999999999"])
def test_answers_and_certificate_both_get_a_part(share):
    """With a share of 1e-20, the margin of the certificate would be cut off and half of all certificates would fail."""
    with pytest.raises(ValueError, match=r"certify must leave at least 1e-11 of epsilon"):
        ReleaseAlgorithm.of(JOBS, Conditions.of(epsilon=1), "auto", Fraction(share), 6)
    for epsilon, k in ((1, None), ("1e-9", None), ("3e-9", 3)):
        assert ReleaseAlgorithm.of(JOBS, Conditions.of(epsilon=epsilon, max_records=k), "auto", Fraction(1, 10), 6)
