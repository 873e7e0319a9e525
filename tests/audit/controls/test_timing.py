"""Controls of the stopwatch have the laws of what they break, and only their time is not private."""

import numpy as np

from privpac.audit.claims.mechanisms import one_each
from privpac.audit.controls.timing import TIMED_CONTROLS, CountingFlips, LoopingLaplace, loops_laplace
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget
from tests.statistics import assert_matches

SURE = 1 - 1e-9


def test_the_controls_have_the_laws_of_what_they_break():
    broken = LoopingLaplace(Budget(1))
    law = {z: float(p) for z, p in DiscreteLaplace(Budget(1)).law(0, 8).items() if abs(z) < 8}
    wrong = {z: float(p) for z, p in DiscreteLaplace(Budget("1.3")).law(0, 8).items() if abs(z) < 8}
    assert_matches(lambda: broken.release(0, SYSTEM), law, must_reject=wrong, draws=20_000)
    flips, gaps = CountingFlips(Budget(1)), np.array([0, 1, 2])
    law, wrong = (PermuteAndFlip(Budget(ε)).law(-gaps) for ε in (1, 2))
    law, wrong = ({i: float(p) for i, p in each.items()} for each in (law, wrong))
    assert_matches(lambda: flips.release(gaps, SYSTEM), law, must_reject=wrong)
    assert loops_laplace(Budget("0.25").epsilon, SYSTEM) in range(-400, 400)
    assert not any(control.exact().refuted for control in TIMED_CONTROLS)


def test_a_stopwatch_refutes_loops_and_not_the_library():
    """By the real clock, which may be busy: the loops differ by microseconds, and one of three tries is enough."""
    looping, quick = TIMED_CONTROLS[0], one_each()[[case.name for case in one_each()].index("discrete Laplace")]
    assert any(looping.timed(3000, 0.999)[0].refuted for _ in range(3))
    correlations = [abs(quick.timed(1500, SURE)[1]) for _ in range(3)]
    assert min(correlations) < 0.1 < 0.3 < abs(looping.timed(1500, SURE)[1])
