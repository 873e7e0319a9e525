"""PrivateMedian: private, and as near to the middle as it says."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.papers.yan25.medians import MEDIANS, Middle
from privpac.papers.yan25.recprefix import RecPrefix
from privpac.privacy.budget import Budget

pytestmark = pytest.mark.papers


def test_the_middle_of_the_records():
    middle = Middle(RecPrefix(Budget(1, "0.1"), Line(0, 4)), 1)
    assert max(middle.law([4, 0, 2, 1, 3]).items(), key=lambda item: float(item[1]))[0] == 2
    assert middle.rank_error(5, middle.cost.delta) is None
    claims = worst_divergence(middle.law, range(5), 3, middle.cost)
    assert not claims.refuted


@pytest.mark.parametrize("name", MEDIANS)
def test_the_rank_error_holds(name):
    """At β = 1 %: of 200 medians of spread numbers 14 or more miss it with probability below 3e-8."""
    t, β = 2001, Fraction(1, 100)
    median = MEDIANS[name](Budget(1, 1e-6), Line(0, 999), β)
    e, numbers = median.rank_error(t, β), np.sort(np.arange(t) * 7919 % 1000)
    found = np.array([int(median.release(median.check(numbers.tolist()), SYSTEM)) for _ in range(200)])
    below, above = (numbers[:, None] < found).sum(axis=0), (numbers[:, None] > found).sum(axis=0)
    assert e < t / 2
    assert (np.maximum(below, above) > t // 2 + e).sum() < 14
