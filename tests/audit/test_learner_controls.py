"""Every broken learner is refuted, by about as much as theory says; the learner that it is made of is not."""

import inspect
from dataclasses import replace

import pytest

from privpac.audit import broken_learners as broken
from privpac.audit.learner_controls import LEARNER_CONTROLS
from privpac.audit.learning import Learned
from privpac.learners import LEARNERS

INFINITE = float("inf")
RATIOS = {
    "ExactErrors": 10,  # 1/δ: what is certain on one sample never happens on the other
    "OneLevelPaths": 1.875,
    "OneLevelSubtrees": 2.5,  # three candidates of weight δ/(1 − δ)
    "OneLevelSpider": 1.2,
    "DoublePositives": 1.5483,
    "UnseenByRecords": INFINITE,
    "KeyFromValues": 1.6963,
    "BalancedRules": 1.7254,
    "CentreFromRecords": 1.2892,
    "OriginFromRecords": 1.7271,
    "LineFromRecords": INFINITE,
    "CellsFromRecords": 1.9648,
    "CutsAtRecords": INFINITE,
    "OncePerColumn": 2,  # the columns
    "UndiscountedNames": 1.3731,
    "SpentTwice": 1.1,  # the share for the estimate on top
    "ShareOfValid": INFINITE,
    "FiniteLearner": 1.1827,  # whose slots are given by row
}
CONTROL = {control.name: control for control in LEARNER_CONTROLS}


def test_the_list_is_the_one_that_is_tested():
    assert [control.name for control in LEARNER_CONTROLS] == list(RATIOS)
    assert all(control.why for control in LEARNER_CONTROLS)


@pytest.mark.parametrize("name", RATIOS)
def test_every_control_is_refuted(name):
    found = CONTROL[name].exact()
    assert found.refuted
    assert float(found.ratio) == pytest.approx(RATIOS[name], rel=1e-3)


@pytest.mark.parametrize("name", RATIOS)
def test_the_learner_without_the_fault_is_not_refuted(name):
    control = CONTROL[name]
    made = control.mechanism.learner
    (original,) = {type(made), *type(made).__bases__} & set(LEARNERS)
    learned = Learned(original(**made.get_params()), control.n)
    assert not replace(control, mechanism=learned, view=learned.sample).exact().refuted


@pytest.mark.parametrize("name", ["LineFromRecords", "CutsAtRecords"])
def test_outputs_refute_them_too(name):
    """By events that have a probability of at least 1/8 on one sample and none on the other."""
    assert CONTROL[name].sampled(400, 0.999).refuted


def test_every_broken_learner_is_a_control():
    twins = {name for name, kind in vars(broken).items() if inspect.isclass(kind) and hasattr(kind, "_learn")}
    own = {name for name in twins if vars(broken)[name].__module__ == broken.__name__}
    assert own - {"Broken", "OneLevel"} <= set(RATIOS)
