"""Whole fits that hold out records cost what they claim, and nearly all of it; every wrong way to choose them shows."""

from collections import Counter

import pytest

from privpac.audit.claims.case import labelled
from privpac.audit.claims.fits import Learned, fit_of
from privpac.audit.claims.holding_out import HELD_OUT, HELD_OUT_CONTROLS, HeldOut
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner

RATIOS = {
    "ByContent": float("inf"),
    "SameSizeByContent": 2,
    "UntilBothLabels": 1.651,
    "Stratified": float("inf"),
    "NotHeldOut": 2,
    "UnfitTwice": 1.434,
}


@pytest.mark.slow
@pytest.mark.parametrize("case", HELD_OUT, ids=lambda case: f"{case.about}, {case.claimed}")
def test_rule_and_counts_together_cost_what_one_of_them_does(case):
    found = case.exact()
    assert not found.refuted
    assert 0.95 < float(found.ratio) <= 1 + 1e-9


@pytest.mark.audit
def test_every_control_is_refuted():
    assert [control.name for control in HELD_OUT_CONTROLS] == list(RATIOS)
    for control in HELD_OUT_CONTROLS:
        found = control.exact()
        assert found.refuted
        assert float(found.ratio) == pytest.approx(RATIOS[control.name], rel=1e-3)


def test_every_record_may_be_held_out_and_every_choice_is_listed():
    made = HeldOut(Learned(fit_of(FiniteLearner, FiniteLearner.audited[0].concept_class, report_error=True), 3), 2)
    records = tuple(labelled("ab")[:3])
    choices = list(made.choices(records))
    assert Counter(record for _, held in choices for record in held) == dict.fromkeys(records, 2)
    assert all(sorted((*learned, *held)) == sorted(records) for learned, held in choices)


def test_outputs_are_those_of_the_code_that_runs():
    """Counts of 1 held-out record, without much noise: exactly one of them is 1."""
    rules = FiniteLearner.audited[0].concept_class
    made = HeldOut(Learned(fit_of(FiniteLearner, rules, epsilon=200, report_error=True), 2))
    size, _, counts = made.release(made.check((("a", 1), ("a", 1))), SYSTEM)
    assert size == 1
    assert sorted(counts) == [0, 0, 0, 1]
