"""Round cuts: few, inside, and all where there are few."""

import numpy as np

from privpac.data.domains.line import Line
from privpac.learners.decision_trees.round_cuts import round_cuts
from tests.grid import over


@over(
    "line",
    (Line(0, 10**6), Line(-1000, 1000), Line(0.0, 1.0), Line(17, 90), Line(-1e300, 1e300), Line(10**6, 10**6 + 50)),
)
@over("most", (1, 2, 5, 24))
def test_cuts_are_few_and_inside(line, most):
    cuts = round_cuts(line, most)
    assert 1 <= len(cuts) <= most
    assert all(0 < t < line.size for t in cuts)


def test_few_values_have_all_cuts_and_one_value_has_none():
    assert round_cuts(Line(0, 32), 24) == tuple(range(1, 33))
    assert round_cuts(Line(7, 7), 24) == ()


def test_years_beyond_what_a_range_can_count():
    line = Line(np.datetime64(-(2**63) + 1, "Y"), np.datetime64(2**63 - 1, "Y"))
    cuts = round_cuts(line, 24)
    assert len(cuts) == 24 and cuts[0] < line.size // 24 and cuts[-1] > line.size // 24 * 23
