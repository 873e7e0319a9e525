"""One record changes what learners hand on by what their mechanisms allow, and not by less."""

from fractions import Fraction

import pytest

from privpac.audit.claims.sensitivities import SENSITIVITIES, MechanismInput
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import DiscountedExponential, Stable
from privpac.mechanisms.selection.regret import RegretExponential
from privpac.privacy.budget import Budget

COST = Budget(1, 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("case", SENSITIVITIES, ids=lambda case: f"{case.name}, {case.about}")
def test_the_largest_change_is_what_is_allowed(case):
    found = case.exact()
    assert (float(found.value), found.refuted) == (1.0, False)
    assert found.share == pytest.approx(1)


def stable(**support):
    """Candidates on one level."""
    return Stable(list(support), [0] * len(support), list(support.values()), [0] * len(support))


def test_changes_are_parts_of_what_is_allowed():
    noisy = DiscreteLaplace(Budget(1), 4)
    assert MechanismInput.of(noisy, 9).change(MechanismInput.of(noisy, 3)) == Fraction(6, 4)
    scores = PermuteAndFlip(Budget(1))
    assert MechanismInput.of(scores, [3, 5]).change(MechanismInput.of(scores, [3, 3])) == 2


@pytest.mark.parametrize("levels", [2, None])
def test_new_candidates_have_support_1_and_are_one_per_level(levels):
    few, many = ({"never": 3}, stable(a=4)), ({"never": 3}, stable(a=4, b=1, c=1))
    mechanism = DiscountedExponential(COST, levels)
    here, there = MechanismInput.of(mechanism, many), MechanismInput.of(mechanism, few)
    assert here.change(there) == (1 if levels else 2)
    assert MechanismInput.of(mechanism, ({"never": 3}, stable(a=4, b=2))).change(there) == 2
    assert MechanismInput.of(mechanism, ({"never": 5}, stable(a=4))).change(there) == 2
    assert MechanismInput.of(mechanism, ({"never": 3}, stable(a=1))).change(there) == 3


def test_entries_of_several_candidates_are_told_apart():
    both = Stable(["ab"], [0], [2], [1], counts=[2])
    numbers = MechanismInput.of(RegretExponential(COST, 2, near=False), (("root", 1), both))
    assert numbers.support == {"a": 2, "b": 2}
    assert numbers.plain == {"root": 1, ("errors", "a"): 1, ("errors", "b"): 1}


def test_outputs_are_those_of_the_release():
    assert not SENSITIVITIES[0].sampled(100, 1 - 1e-9).refuted
