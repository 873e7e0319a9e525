"""Broken releases are refuted, by as much as their faults explain."""

from fractions import Fraction

import pytest

from privpac.audit.claims.mechanisms import CATALOGUE
from privpac.audit.claims.releases import release_cases
from privpac.audit.controls.broken_releases import Fractional, Noiseless, off_by
from privpac.audit.controls.releases import RELEASE_CONTROLS
from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import Budget

RATIOS = {
    "a certificate without noise": float("inf"),
    "a certificate of fractions": float("inf"),
    "a certificate of counts that use up the cost": 5.45,  # times δ
    "every record counted in one cell": 2,
    "categories inferred from the data": float("inf"),
    "sensitivity over the points seen": 10.3189,  # of outcomes up to ±3; farther ones show more
}
ELSEWHERE = ("a split tree: ", "a table: ")  # have tests of their own beside this one
HERE = [control for control in RELEASE_CONTROLS if not control.about.startswith(ELSEWHERE)]


def test_the_list_is_the_one_that_is_tested():
    assert [control.about for control in HERE] == list(RATIOS)
    assert all(control.why for control in RELEASE_CONTROLS)


@pytest.mark.slow
@pytest.mark.parametrize("control", HERE, ids=lambda control: control.about)
def test_every_broken_release_is_refuted(control):
    found = control.exact()
    assert found.refuted
    ratio = float("inf") if not found.ratio.is_finite() else float(found.ratio)
    assert ratio == pytest.approx(RATIOS[control.about], rel=1e-3)


def test_every_claim_of_a_release_is_in_the_catalogue_whose_tests_audit_it():
    def told(cases):
        return {(case.name, case.about, case.n, case.claimed) for case in cases}

    assert len(told(release_cases())) > 30
    assert told(release_cases()) <= told(CATALOGUE)


def test_outputs_of_broken_certificates_follow_their_laws():
    noiseless, fractional = (kind(Budget(1), Fraction(1, 20)) for kind in (Noiseless, Fractional))
    assert noiseless.law(3).keys() == {noiseless.release(3, SYSTEM)}
    assert fractional.release(off_by({"a": 0.25}, "b"), SYSTEM) % 1 == 0.25
