"""The law of a learner is that of its fits, whatever the order of records, and every stage of it is looked at."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from flint import arb

from privpac.audit.claims.case import labeled
from privpac.audit.claims.fits import AuditedFit, Stage, fit_of, stages
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.tree_orders.learners import PathLearner
from privpac.learners.values.points import PointLearner
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.accounting.group_privacy import per_record
from privpac.privacy.budget import Budget

RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
NOISY = fit_of(ThresholdLearner, Thresholds(0, 3, direction="above"), epsilon=2, delta=0.1, beta=0.9)
RECORDS = ((1, 1), (3, 0), None)


def law_of(made, records, reach=8):
    learned = AuditedFit(made, len(records), reach)
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


@pytest.mark.audit
def test_outputs_follow_the_law():
    """A deviation of 0.06 in one of four probabilities is seen with 4000 fits at nine standard deviations."""
    learned = AuditedFit(fit_of(FiniteLearner, RULES, epsilon=2), 2)
    sample = learned.sample((("a", 1), ("c", 0)))
    law = learned.law(sample)
    seen = Counter(learned.release(learned.check(sample), SYSTEM) for _ in range(4000))
    assert set(seen) <= set(law)
    assert all(abs(seen[outcome] / 4000 - float(p)) < 0.04 for outcome, p in law.items())


@pytest.mark.audit
@pytest.mark.parametrize(
    ("made", "records"),
    [
        (NOISY, ((0, 1), (3, 0), (3, 1))),
        (fit_of(PathLearner, RootPaths("/", height=2), epsilon=2, delta=0.1), (("", 1), ("a/b", 1), ("a", 0))),
        (fit_of(PointLearner, Points(), epsilon=2, delta=0.1), (("b", 1), (7, 1), ("b", 0))),
        (fit_of(FiniteLearner, RULES, epsilon=2), (("b", 1), ("a", 1), ("b", 0))),
    ],
)
def test_the_order_of_records_does_not_matter_nor_whether_they_are_counted(made, records):
    expected = law_of(made, records)
    for order in permutations(records):
        law = law_of(made, order)
        assert set(law) == set(expected)
        assert all(law[outcome].overlaps(expected[outcome]) for outcome in law)
    learned = AuditedFit(made, len(records))
    sample = learned.sample(records)
    twice = learned.law(learned.sample(records * 2))
    counted = learned.law(Sample(sample.points, sample.labels, np.full(3, 2), 6, sample.values))
    assert all(p.overlaps(twice[outcome]) for outcome, p in counted.items())


def test_void_records_count_in_n_only():
    learned = AuditedFit(fit_of(FiniteLearner, RULES, epsilon=1), 3)
    sample = learned.sample((None, ("a", 1), None))
    assert (sample.size, len(sample.labels), sample.values) == (3, 1, ["a"])


def test_the_estimate_of_the_error_is_a_stage_and_paid_for():
    law = law_of(fit_of(FiniteLearner, RULES, epsilon=1, report_error=True), (("a", 1), ("b", 0)))
    assert {len(released) for released in law} == {2}
    told = fit_of(FiniteLearner, RULES, epsilon=1, report_error=True)
    claims = list(stages(told, "error reported", labeled("ab"), 2, after=((), (0,))))
    assert [case.claimed for case in claims] == [Budget(1), Budget(1)]  # each about records of its own
    assert not any(case.exact().refuted for case in claims)


def test_units_have_slots():
    made = fit_of(PointLearner, Points(), epsilon=2, delta=0.1, max_records=2)
    learned = AuditedFit(made, 2)
    sample = learned.sample(((("a", 1),) * 5, (("b", 0),)))
    assert (sample.size, len(sample.labels), learned.fit.k) == (4, 3, 2)
    alone = AuditedFit(fit_of(PointLearner, Points(), epsilon=1, delta=per_record(Budget(2, "0.1"), 2).delta), 4)
    expected = alone.law(alone.sample((("a", 1), ("a", 1), ("b", 0), None)))
    assert all(p.overlaps(expected[outcome]) for outcome, p in learned.law(sample).items())


def test_a_claim_that_is_too_small_is_refuted():
    (case,) = stages(fit_of(FiniteLearner, RULES, epsilon=6), "3 rules", labeled("abc"), 2)
    assert (case.name, case.claimed) == ("FiniteLearner", Budget(6))
    assert not case.exact().refuted
    assert case.overspent("1.2").exact().refuted


def test_stages_in_turn_are_the_whole():
    """The probability of all releases is the product of those of each, given the answers before it."""
    learned = AuditedFit(NOISY, 3)
    sample = learned.sample(RECORDS)
    whole, first = learned.law(sample), Stage(learned).law(sample)
    for (_, errors, rule), p in first.items():
        assert rule is None  # which is not known yet
        if abs(errors) < 8:
            second = Stage(learned, (errors,)).law(sample)
            assert all((p * q).overlaps(whole[errors, cut]) for (_, cut, _), q in second.items())
            assert Stage(learned, (errors, next(iter(second))[1])).law(sample) == {None: arb(1)}


def test_outputs_of_a_stage_are_among_those_of_its_law():
    learned = AuditedFit(NOISY, 3)
    stage, sample = Stage(learned, (1,)), learned.sample(RECORDS)
    told = {(answer, rule) for _, answer, rule in stage.law(sample)}
    assert all(stage.release(stage.check(sample), SYSTEM) in told for _ in range(50))
    assert any("Threshold" in rule for _, rule in told)
    assert Stage(learned, (1, (0, True))).release(sample, SYSTEM) is None


def test_a_crowd_stands_beside_the_records():
    (case,) = stages(NOISY, "4 values", labeled((0, 3)), 1, crowd=((0, 0),) * 5)
    assert case.about == "4 values, 5 more records"
    assert [sample.size for sample in (case.data(((3, 1),)), case.view(()))] == [6, 0]


def test_stages_are_charged_no_more_than_the_learner_claims():
    class Greedy(FiniteLearner):
        """Asks for one more release than it claims."""

        def run(self, records, ask):
            ask(DiscreteLaplace(Budget("0.1")), records.see(lambda sample: sample.positives))
            return super().run(records, ask)

    first, second = stages(fit_of(Greedy, RULES, epsilon=1), "", labeled("ab"), 2, after=((), (0,)))
    assert (first.claimed, second.claimed) == (Budget("0.1"), Budget("0.9"))
    assert not first.exact().refuted
    assert second.exact().refuted


def test_a_fit_that_measures_more_than_it_claims_is_refuted():
    class Greedy(Fit):
        """Measures at a higher cost than it claims."""

        @property
        def cost(self):
            return self.learner.cost

    greedy = Greedy(fit_of(FiniteLearner, RULES, epsilon=1).learner, Budget("1.1"))
    first, second = stages(greedy, "", labeled("ab"), 2, after=((), (0,)))
    assert (first.claimed, second.claimed) == (Budget(1), Budget(1))
    assert not first.exact().refuted
    assert second.exact().refuted


def test_what_is_charged_is_public():
    class Telling(FiniteLearner):
        """Charges less when all records have label 1."""

        def run(self, sample, ask):
            def told(mechanism, seen):
                ones = sample.see(lambda records: records.labels.all())
                return ask(replace(mechanism, cost=Budget(self.cost.epsilon / 2)) if ones else mechanism, seen)

            return super().run(sample, told)

    (case,) = stages(fit_of(Telling, RULES, epsilon=1), "", labeled("ab"), 1)
    assert case.exact().refuted


def test_answers_that_nothing_is_asked_for_after_are_refused():
    with pytest.raises(ValueError, match="asks for fewer releases than there are answers; leave out the last answers"):
        list(stages(fit_of(FiniteLearner, RULES, epsilon=1), "", labeled("ab"), 1, after=((0,),)))
