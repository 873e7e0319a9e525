"""Every broken learner is refuted, by about as much as theory says; the learner that it is made of is not."""

import inspect

import pytest

from privpac.audit.claims.fits import Learned, stages
from privpac.audit.controls.learners import LEARNER_CONTROLS
from privpac.audit.controls.mechanisms import (
    broken_capped,
    broken_flats,
    broken_half_planes,
    broken_learners,
    broken_seen,
    broken_trees,
)
from privpac.learners.algorithm import Learner
from privpac.learners.choice import LEARNERS
from privpac.learners.fit import Fit

INFINITE = float("inf")
RATIOS = {
    "ExactErrors": INFINITE,  # what is certain on one sample never happens on the other
    "OneLevelPathLearner": 1.875,
    "OneLevelSubtreeLearner": 2.5,  # three candidates of weight δ/(1 − δ)
    "OneLevelSpiderLearner": 1.2,
    "DoubledThresholdLearner": 2,
    "PaidTwiceThresholdLearner": 141.39,  # of δ = 10⁻⁶; so is the next
    "TwiceSelected": 131743,
    "FinerUncounted": 9.6058,  # 83 cuts where 8 are counted, but those that nodes propose already
    "OneDirection": 1.8696,  # 2, less what nodes propose already
    "FallbackTwice": 10.7407,  # of δ = 10⁻⁶
    "VoidErrors": 11119.2,  # of δ = 10⁻⁶
    "GroupAsWritten": 3.3142,  # 1/δ
    "DoublePositives": 1.5483,
    "UnseenByRecords": INFINITE,
    "KeyFromValues": 1.6963,
    "BalancedRules": 1.7254,
    "OriginFromRecordsArcLearner": 1.2892,
    "EvenCells": 1.1982,
    "BetweenRecords": INFINITE,
    "OriginFromRecordsNetLearner": 1.7271,
    "LineFromRecords": INFINITE,
    "CellsFromRecords": 1.9648,
    "CutsAtRecords": INFINITE,
    "OncePerColumn": 2,  # the columns
    "UndiscountedNames": 1.3731,
    "OnlyDividing": INFINITE,
    "StopsIfPure": INFINITE,
    "Vanishing": INFINITE,
    "CutsForFree": 2,
    "OneLevelEqualities": 2.4661,
    "UndiscountedEqualities": 1.5247,
    "NoGain": 1.5621,
    "OneCode": 1.868,
    "OncePerSet": 2.4603,
    "LevelsUncounted": 1.9802,
    "DealtSorted": 1.4427,
    "FloorlessVotes": 4.0892,
    "CapFromRecords": 9.5824,
    "FiniteLearner": 1.1827,  # whose slots are given by row
}
TWICE = [f"CountedTwice{kind.__name__}" for kind in LEARNERS]  # one for each learner, whatever else is broken in it
BY_ZCDP = {"CountedTwicePerceptronLearner"}  # twice the change of a Gaussian multiplies a small δ
CONTROL = {control.name: control for control in LEARNER_CONTROLS}


def test_the_list_is_the_one_that_is_tested():
    assert [control.name for control in LEARNER_CONTROLS] == [*RATIOS, *TWICE]
    assert all(control.why for control in LEARNER_CONTROLS)


@pytest.mark.parametrize("name", RATIOS)
def test_every_control_is_refuted(name):
    found = CONTROL[name].exact()
    assert found.refuted
    assert float(found.ratio) == pytest.approx(RATIOS[name], rel=1e-3)


@pytest.mark.parametrize("name", TWICE)
def test_a_record_that_counts_twice_is_refuted(name):
    """By e^ε or, where a new candidate weighs δ, by √e at least."""
    found = CONTROL[name].exact()
    assert found.refuted
    assert 1.59 < float(found.ratio) <= (3000 if name in BY_ZCDP else 2.0001)


@pytest.mark.parametrize("name", [*RATIOS, *TWICE])
def test_the_learner_without_the_fault_is_not_refuted(name):
    control = CONTROL[name]
    made, after = control.mechanism.learned.fit, (control.mechanism.answers,)
    (original,) = {type(made.learner), *type(made.learner).__bases__} & set(LEARNERS)
    fit = Fit(original(made.learner.concept_class, made.learner.terms), made.telling, made.k)
    right = Learned(fit, control.n + len(control.crowd))
    (case,) = stages(right, "", control.universe, control.n, after=after, crowd=control.crowd)
    assert not case.exact().refuted


@pytest.mark.parametrize("name", ["LineFromRecords", "CutsAtRecords"])
def test_outputs_refute_them_too(name):
    """By events that have a probability of at least 1/8 on one sample and none on the other."""
    assert CONTROL[name].sampled(400, 0.999).refuted


@pytest.mark.parametrize(
    ("room", "twins_at_least"),
    [
        (broken_learners, 6),
        (broken_capped, 6),
        (broken_flats, 4),
        (broken_trees, 4),
        (broken_seen, 5),
        (broken_half_planes, 2),
    ],
)
def test_every_broken_learner_is_a_control(room, twins_at_least):
    twins = {name for name, kind in vars(room).items() if inspect.isclass(kind) and issubclass(kind, Learner)}
    own = {name for name in twins if vars(room)[name].__module__ == room.__name__}
    shared = {"Broken", "CountedTwice", "OriginFromRecords", "BrokenCapped", "OneLevel", "Doubled", "PaidTwice"}
    assert len(own - shared) >= twins_at_least
    assert own - shared <= set(RATIOS)
