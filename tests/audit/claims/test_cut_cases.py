"""Private cuts and a rule, all releases together: not refuted, and a claim that is a tenth smaller is."""

import pytest

from privpac.audit.claims.mechanisms import CutThenChosen, cut_cases, labeled_values
from privpac.exact.entropy import SYSTEM
from privpac.learners.grids.private_cuts import SHARES as OF_CUTS
from privpac.privacy.budget import Budget


@pytest.mark.audit
@pytest.mark.parametrize("case", list(cut_cases()), ids=lambda case: case.about)
def test_neighbours_come_within_a_tenth_of_the_claim(case):
    found = case.exact()
    assert not found.refuted
    assert float(found.ratio) == pytest.approx(0.91699, abs=1e-4)
    assert case.overspent().exact().refuted


def test_all_releases_are_seen_and_charged():
    """Zoom, quantiles and the rule, by the shares of the learner."""
    asked = []

    def ask(mechanism, seen):
        asked.append((mechanism.name, mechanism.cost.epsilon))
        return mechanism.release(mechanism.check(seen), SYSTEM)

    told = CutThenChosen(Budget(15)).run(labeled_values([(1, 0), (4, 1), None]), ask)
    assert OF_CUTS == (1, 2)
    assert asked == [("zoom", 2), ("quantile tree", 4), ("permute-and-flip", 9)]
    assert len(told) == 3
    hash(told)
