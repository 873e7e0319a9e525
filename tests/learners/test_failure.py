"""The bound on the probability of a bad rule, at the ends of its range: a probability that falls with n and with α."""

from itertools import pairwise
from math import inf

import pytest

from privpac.learners.choice import LEARNERS
from privpac.learners.decision_trees.auto import AutoLearner
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.scorecards import ScorecardLearner
from privpac.learners.rules.private_cut_rules import PrivateCutBoxes, PrivateCutRules
from privpac.learners.subspaces.flats import FlatLearner, HeavyFlatLearner
from privpac.refusals.option_words import Regime, words_of
from privpac.requests.conditions import Conditions

REGIMES = words_of(Regime)

SIZES = (0, 1, 2, 1000, 2**30, 2**30 + 1, 10**12)
# never, or not in the four columns of the audit
UNCERTIFIED = {ScorecardLearner, PrivateCutRules, PrivateCutBoxes, HeavyFlatLearner}
# nothing is proved about more records
NOT_BEYOND = {PrivateCutTrees: 2**31, FlatLearner: 2**30 + 1, AutoLearner: AutoLearner.turns[-1]}
ERRORS = (0, 1e-9, 0.5, 1)


def falls(bounds):
    return all(later <= earlier + 1e-12 for earlier, later in pairwise(bounds))


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_the_bound_is_a_probability_and_falls(kind):
    some = False
    for H in (universe.concept_class for universe in kind.audited):
        for regime in REGIMES:
            learner = kind.for_class(H, Conditions.of(regime=regime).terms(1))
            bounds = [[learner.failure(n, α) for α in ERRORS] for n in SIZES if n < NOT_BEYOND.get(kind, inf)]
            assert all(0 <= bound <= 1 for row in bounds for bound in row)
            assert set(bounds[0]) == {1.0}, "no record proves anything"
            assert all(map(falls, bounds)) and all(map(falls, zip(*bounds, strict=True)))
            some |= bounds[-1][-1] < 0.05
    assert some != (kind in UNCERTIFIED)
