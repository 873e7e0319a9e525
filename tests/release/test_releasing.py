"""A whole release is one algorithm: its cost, and what it asks for."""

from fractions import Fraction

import pytest

from privpac import Points, Thresholds
from privpac.exact.entropy import SYSTEM
from privpac.learners.conditions import Conditions
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.release.given_answers import GivenAnswers
from privpac.release.releasing import Releasing
from tests.release.samples import assert_is_the_gap, sample_of

JOBS = Points().among(("a", "b"))


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize(("delta", "cls"), [(0, JOBS), ("1e-6", Points())])
def test_everything_asked_for_adds_up_to_the_cost(k, delta, cls):
    conditions = Conditions.of(epsilon=1, delta=delta, max_records=k)
    releasing = Releasing.of(cls, conditions, "auto", Fraction(1, 10), 6)
    asked = []

    def ask(mechanism, seen):
        asked.append(mechanism.cost)
        return {("a",): 6} if delta else mechanism.release(mechanism.check(seen), SYSTEM)

    releasing.run(Opened(sample_of(cls.domain, "aabbab"), 6), ask)
    assert sum(asked, Budget(0)) == releasing.cost <= Budget(1, delta)
    assert float(releasing.cost.epsilon) == 1


def test_the_gap_of_given_answers():
    ages = Thresholds(0, 3)
    queries = tuple(map(ages.hypothesis, (1, 2)))
    assert_is_the_gap(GivenAnswers(3, queries, (3, 1)), ages.domain, (0, 1, 3, None), queries, 3)


@pytest.mark.parametrize("share", ["1e-20", "0.99999999999999"])
def test_answers_and_certificate_both_get_a_part(share):
    """With a share of 1e-20, the margin of the certificate would be cut off and half of all certificates would fail."""
    with pytest.raises(ValueError, match=r"certify must leave at least 1e-11 of epsilon"):
        Releasing.of(JOBS, Conditions.of(epsilon=1), "auto", Fraction(share), 6)
    for epsilon, k in ((1, None), ("1e-9", None), ("3e-9", 3)):
        assert Releasing.of(JOBS, Conditions.of(epsilon=epsilon, max_records=k), "auto", Fraction(1, 10), 6)
