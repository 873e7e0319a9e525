"""A broken learner is the learner itself but for one request: it learns and charges like it."""

import pytest

from privpac.audit.claims.fits import Learned, fit_of
from privpac.audit.controls import broken_capped
from privpac.audit.controls import broken_learners as broken
from privpac.audit.controls.learners import LEARNER_CONTROLS
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Intervals, Thresholds
from privpac.exact.entropy import SYSTEM
from privpac.learners.algorithm import Learner
from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.privacy.budget import Budget

TWINS = [
    kind
    for room in (broken, broken_capped)
    for kind in vars(room).values()
    if isinstance(kind, type) and issubclass(kind, Learner) and kind.__module__ == room.__name__
]
SHARED = {twin for twin in TWINS if not any(kind in twin.__bases__ for kind in LEARNERS)}  # faults of several learners
FAULTS = SHARED - {broken.Broken, broken_capped.BrokenCapped}


def fits_by(twin, concept_class, **parameters):
    """An estimator whose fits are those of the twin."""

    class Faulty(PrivateClassifier):
        """Of one column."""

        def fitting(self, n):
            return Fit.of(twin, self.concept_class, self.conditions(), n)

    return Faulty(concept_class, feature=None, **parameters)


@pytest.mark.parametrize("twin", [twin for twin in TWINS if twin not in SHARED], ids=lambda twin: twin.__name__)
def test_a_twin_is_a_learner_and_a_control(twin):
    (original,) = [kind for kind in LEARNERS if issubclass(twin, kind) and kind in twin.__bases__]
    assert (twin.title, twin.pure, twin.failure) == (original.title, original.pure, original.failure)
    assert (twin.run, super(broken.Broken, twin).run) == (broken.Broken.run, original.run)
    assert any(type(control.mechanism.learned.learner) is twin for control in LEARNER_CONTROLS)


@pytest.mark.parametrize("fault", sorted(FAULTS, key=lambda fault: fault.__name__), ids=lambda fault: fault.__name__)
def test_a_fault_of_several_learners_is_one_of_some_control(fault):
    assert any(isinstance(control.mechanism.learned.learner, fault) for control in LEARNER_CONTROLS)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_every_learner_has_a_twin_that_counts_twice(kind):
    twin = broken.counted_twice(kind)
    sample = Learned(fit_of(FiniteLearner, RULES), 3).sample((("a", 1), ("b", 0), None))
    assert (twin.run, super(broken.Broken, twin).run) == (broken.Broken.run, kind.run)
    assert twin.sample(None, sample).counts.tolist() == [2, 2]
    assert twin.sample(None, sample).size == 3


def test_fits_are_charged_like_those_of_the_learner():
    fitted = fits_by(broken.LineFromRecords, Intervals(0, 9), epsilon=1).fit([1, 2], [0, 1])
    assert isinstance(fitted.learner_, broken.LineFromRecords)
    assert fitted.privacy_ == Budget(1)


def test_a_unit_with_many_rows_takes_those_of_others():
    made = fit_of(FiniteLearner, ExplicitClass([[0, 1], [1, 0]], points="ab"), max_records=1)
    units = ((("a", 1),) * 2, (("b", 0),))
    assert broken.FirstRows(made, 2).sample(units).values == ["a", "a"]
    assert Learned(made, 2).sample(units).values == ["a", "b"]


RULES = ExplicitClass([[0, 0], [1, 0]], points="ab")
AT_REAL_SIZES = {  # two neighbours of sixty records, and what tells them apart
    "the only positive record weighs as much as all others": (
        fits_by(broken.BalancedRules, RULES, epsilon=1),
        ((["a"] * 60, [0] * 60), (["a"] * 60, [0] * 59 + [1])),
    ),
    "no interval beyond the largest record": (
        fits_by(broken.LineFromRecords, Intervals(0, 9), epsilon=1),
        (([1] * 60, [0] * 60), ([1] * 59 + [9], [0] * 60)),
    ),
    "a number without noise": (
        fits_by(broken_capped.ExactErrors, Thresholds(0, 9), epsilon=1, delta=0.05),
        (([5] * 60, [0] * 60), ([5] * 60, [0] * 59 + [1])),
    ),
}


@pytest.mark.parametrize("about", list(AT_REAL_SIZES)[:2])
def test_fits_at_real_sizes_refute_them(about):
    """The least likely of the two events has a probability of 1/2 beyond what the claim allows; 400 runs see 1/8."""
    twin, pair = AT_REAL_SIZES[about]
    assert audit(twin, pair, claimed=Budget(1), runs=400, confidence=0.999).refuted


@pytest.mark.audit
def test_outputs_of_all_stages_refute_a_number_without_noise():
    twin, _ = AT_REAL_SIZES["a number without noise"]
    learned = Learned(twin.fitting(60), 60)
    pair = tuple(learned.sample(((5, 0),) * 59 + ((5, label),)) for label in (0, 1))
    verdict = audit(lambda sample: learned.release(sample, SYSTEM)[0], pair, claimed=learned.cost, runs=200)
    assert verdict.refuted
