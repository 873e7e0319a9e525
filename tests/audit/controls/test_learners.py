"""Every broken learner is refuted, by about as much as theory says; the learner that it is made of is not."""

import pytest

from privpac.audit.claims.fits import AuditedFit, fit_of, stages
from privpac.audit.claims.holding_out import HeldOut
from privpac.audit.controls.learners import (
    LEARNER_CONTROLS,
    BrokenLearner,
    CutsAtRecords,
    ExactErrors,
    counted_twice,
)
from privpac.audit.sampling import audit
from privpac.classes.lines.thresholds import Thresholds
from privpac.exact.entropy import SYSTEM
from privpac.learners.choice import LEARNERS
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.privacy.budget import Budget

INFINITE = float("inf")
RATIOS = {
    "ExactErrors": INFINITE,  # What is certain on one sample never happens on the other.
    "CutsAtRecords": INFINITE,
    "CountedTwiceFiniteLearner": 2,
    "NotHeldOut": 2,
}
CONTROL = {control.name: control for control in LEARNER_CONTROLS}


def test_the_list_is_the_one_that_is_tested():
    assert [control.name for control in LEARNER_CONTROLS] == list(RATIOS)
    assert all(control.why for control in LEARNER_CONTROLS)


@pytest.mark.parametrize("name", RATIOS)
def test_every_control_is_refuted(name):
    worst = CONTROL[name].exact()
    assert worst.refuted
    assert float(worst.ratio) == pytest.approx(RATIOS[name], rel=1e-3)


@pytest.mark.parametrize("name", list(RATIOS)[:3])
def test_the_learner_without_the_fault_is_not_refuted(name):
    control = CONTROL[name]
    fit = control.mechanism.audited_fit.fit
    (original,) = set(type(fit.learner).__bases__) & set(LEARNERS)
    right = Fit(original(fit.learner.concept_class, fit.learner.terms), fit.error_cost, fit.k)
    (case,) = stages(right, "", control.universe, control.n)
    assert not case.exact().refuted


def test_measuring_on_held_out_records_is_not_refuted():
    control = CONTROL["NotHeldOut"]
    right = HeldOut(control.mechanism.fit)
    assert not control.exact().claimed.delta
    assert not type(control)(right, tuple, "", control.universe, 2, control.claimed, "").exact().refuted


def test_outputs_refute_them_too():
    """By events that have a probability of at least 1/8 on one sample and none on the other."""
    assert CONTROL["CutsAtRecords"].sampled(400, 0.999).refuted


@pytest.mark.slow
def test_outputs_of_all_stages_refute_a_number_without_noise():
    learned = AuditedFit(fit_of(ExactErrors, Thresholds(0, 9), epsilon=1, delta=0.05), 60)
    pair = tuple(learned.sample(((5, 0),) * 59 + ((5, label),)) for label in (0, 1))
    verdict = audit(lambda sample: learned.release(sample, SYSTEM)[0], pair, claimed=learned.cost, runs=200)
    assert verdict.refuted


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_every_learner_has_a_twin_that_counts_twice(kind):
    twin = counted_twice(kind)
    assert (twin.title, twin.pure, twin.failure) == (kind.title, kind.pure, kind.failure)
    assert (twin.run, super(BrokenLearner, twin).run) == (BrokenLearner.run, kind.run)
    sample = AuditedFit(fit_of(FiniteLearner, FiniteLearner.audited[0].concept_class), 3).sample(
        (("a", 1), ("b", 0), None)
    )
    _, view = twin.instead(None, None, lambda records: records)
    assert (view(sample).counts.tolist(), view(sample).size) == ([2, 2], 3)


def test_fits_are_charged_like_those_of_the_learner():
    fit = fit_of(CutsAtRecords, CONTROL["CutsAtRecords"].mechanism.audited_fit.learner.concept_class, epsilon=1)
    assert isinstance(fit.learner, CutsAtRecords)
    assert fit.cost == Budget(1)
