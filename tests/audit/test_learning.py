"""The law of a learner is that of its fits, whatever the order of records, and every stage of it is looked at."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from flint import arb

from privpac.audit.cases import labelled
from privpac.audit.learning import Learned, learner
from privpac.classes.explicit import ExplicitClass
from privpac.classes.line import Thresholds
from privpac.classes.paths import RootPaths
from privpac.classes.points import Points
from privpac.data.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner
from privpac.learners.points import PointLearner
from privpac.learners.thresholds import ThresholdLearner
from privpac.learners.trees import PathLearner
from privpac.privacy.budget import Budget
from privpac.privacy.groups import per_record

RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
NOISY = ThresholdLearner(Thresholds(0, 3), epsilon=2, delta=0.1, beta=0.9)
RECORDS = ((1, 1), (3, 0), None)


def law_of(made, records, reach=8):
    learned = Learned(made, len(records), reach)
    return learned.law(learned.sample(records))


def total(law, chosen=lambda released: True):
    """The probability of some outcomes, as a ball."""
    return sum((p for released, p in law.items() if chosen(released)), arb(0))


@pytest.mark.parametrize("reach", [3, 8])
def test_probabilities_of_all_stages_add_up_to_1(reach):
    law = law_of(NOISY, RECORDS, reach)
    assert total(law).overlaps(arb(1))
    assert {len(released) for released in law} == {1, 2}
    assert {released[0] for released in law if len(released) == 1} == {-reach, reach}  # nothing is asked after these


def test_a_shorter_reach_only_lumps():
    """What is released after little noise has the same probability, however far one looks."""
    near, far = law_of(NOISY, RECORDS, 3), law_of(NOISY, RECORDS, 8)
    both = [released for released in near if len(released) == 2]
    assert both
    assert all(near[released].overlaps(far[released]) for released in both)
    assert total(far, lambda released: released[0] >= 3).overlaps(near[3,])


def test_outputs_follow_the_law():
    """A deviation of 0.06 in one of four probabilities is seen with 4000 fits at nine standard deviations."""
    learned = Learned(FiniteLearner(RULES, epsilon=2), 2)
    sample = learned.sample((("a", 1), ("c", 0)))
    law = learned.law(sample)
    seen = Counter(learned.release(learned.check(sample), SYSTEM) for _ in range(4000))
    assert set(seen) <= set(law)
    assert all(abs(seen[outcome] / 4000 - float(p)) < 0.04 for outcome, p in law.items())


@pytest.mark.parametrize(
    ("made", "records"),
    [
        (NOISY, ((0, 1), (3, 0), (3, 1))),
        (PathLearner(RootPaths("/", height=2), epsilon=2, delta=0.1), (("", 1), ("a/b", 1), ("a", 0))),
        (PointLearner(Points(), epsilon=2, delta=0.1), (("b", 1), (7, 1), ("b", 0))),
        (FiniteLearner(RULES, epsilon=2, report_error=True), (("b", 1), ("a", 1), ("b", 0))),
    ],
)
def test_the_order_of_records_does_not_matter_nor_whether_they_are_counted(made, records):
    expected = law_of(made, records)
    for order in permutations(records):
        law = law_of(made, order)
        assert set(law) == set(expected)
        assert all(law[outcome].overlaps(expected[outcome]) for outcome in law)
    learned = Learned(made, len(records))
    sample = learned.sample(records)
    twice = learned.law(learned.sample(records * 2))
    counted = learned.law(Sample(sample.points, sample.labels, np.full(3, 2), 6, sample.values))
    assert all(p.overlaps(twice[outcome]) for outcome, p in counted.items())


def test_void_records_count_in_n_only():
    learned = Learned(FiniteLearner(RULES, epsilon=1), 3)
    sample = learned.sample((None, ("a", 1), None))
    assert (sample.size, len(sample.labels), sample.values) == (3, 1, ["a"])


def test_the_estimate_of_the_error_is_a_stage_and_paid_for():
    law = law_of(FiniteLearner(RULES, epsilon=1, report_error=True), (("a", 1), ("b", 0)))
    assert {len(released) for released in law} == {2}
    claim = learner(FiniteLearner(RULES, epsilon=1, report_error=True), "error reported", labelled("ab"), 2)
    assert claim.claimed == Budget(1)
    assert not claim.exact().refuted


def test_units_have_slots():
    made = PointLearner(Points(), epsilon=2, delta=0.1, max_records=2)
    learned = Learned(made, 2)
    sample = learned.sample(((("a", 1),) * 5, (("b", 0),)))
    assert (sample.size, len(sample.labels), learned.slots) == (4, 3, 2)
    alone = Learned(PointLearner(Points(), epsilon=1, delta=per_record(Budget(2, "0.1"), 2).delta), 4)
    expected = alone.law(alone.sample((("a", 1), ("a", 1), ("b", 0), None)))
    assert all(p.overlaps(expected[outcome]) for outcome, p in learned.law(sample).items())


def test_a_claim_that_is_too_small_is_refuted():
    made = FiniteLearner(RULES, epsilon=6)
    assert learner(made, "3 rules", labelled("abc"), 2, Budget(5)).exact().refuted
    assert not learner(made, "3 rules", labelled("abc"), 2).exact().refuted
    assert learner(made, "3 rules", labelled("abc"), 2).name == "FiniteLearner"
