"""Every control is refuted, by about as much as theory says; repaired, none is."""

from dataclasses import replace

import pytest

from privpac.audit.controls.mechanisms import controls
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget

CONTROLS = controls(1e-6)
CONTROL = {control.about: control for control in CONTROLS}
INFINITE = float("inf")
RATIOS = {
    "noise scale 30 % too small": 1 / 0.7,
    "the best candidate instead of a draw": INFINITE,
    "shown two counts too early": 2.3197,  # e^ε, less what rounding up k₀ left unused
    "bounds inferred from the data": INFINITE,
    "quantile weights that underflow": INFINITE,
    "an accountant that ignores the count": 3,
}
REPAIRS = {
    "noise scale 30 % too small": {"mechanism": DiscreteLaplace(Budget(1))},
    "the best candidate instead of a draw": {"mechanism": PermuteAndFlip(Budget(1))},
    "shown two counts too early": {"mechanism": StabilityHistogram(Budget(1, 1e-6))},
    "bounds inferred from the data": {"mechanism": DiscreteLaplace(Budget(1), 3, 0, 3), "view": max},
    "quantile weights that underflow": {"n": 300},
    "an accountant that ignores the count": {"claimed": Budget(3)},
}


def test_the_list_is_the_one_that_is_tested():
    assert [control.about for control in CONTROLS] == list(RATIOS) == list(REPAIRS)
    assert all(control.why for control in CONTROLS)


@pytest.mark.audit
@pytest.mark.parametrize("about", RATIOS)
def test_every_control_is_refuted(about):
    worst = CONTROL[about].exact()
    assert worst.refuted
    assert float(worst.ratio) == pytest.approx(RATIOS[about], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("about", REPAIRS)
def test_without_its_fault_a_control_is_not_refuted(about):
    assert not replace(CONTROL[about], **REPAIRS[about]).exact().refuted


@pytest.mark.audit
@pytest.mark.parametrize("control", controls(0.2), ids=lambda control: control.about)
def test_controls_are_false_at_any_delta(control):
    assert control.exact().refuted


@pytest.mark.audit
@pytest.mark.parametrize("about", [about for about in RATIOS if about != "shown two counts too early"])
def test_outputs_refute_them_too(about):
    """By at least five standard deviations of what is estimated from 8000 runs."""
    assert CONTROL[about].sampled(8000, 0.999).refuted
