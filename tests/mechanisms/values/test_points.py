"""Numbers that no record has are one group: its members, and the law of all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.mechanisms.selection.exponential import Exponential
from privpac.mechanisms.values.points import PointExponential
from privpac.privacy.budget import Budget


@settings(max_examples=100, deadline=None)
@given(st.sets(st.integers(0, 12)), st.integers(13, 16))
def test_the_members_of_the_unseen_group_are_the_unseen_numbers(found, N):
    weights, outcome = PointExponential(Budget(1), N).menu((sorted(found), np.zeros(len(found), dtype=np.int64), 0))
    k = len(found)
    assert [outcome(k, member) for member in range(weights.count(k))] == [v for v in range(N) if v not in found]
    assert [outcome(i, 0) for i in range(k)] == sorted(found)


@pytest.mark.parametrize("epsilon", [0.1, 1, 40])
def test_the_law_is_that_of_the_exponential_mechanism(epsilon):
    values, errors, others = [1, 4, 5], np.array([7, 0, 3]), 2
    law = PointExponential(Budget(epsilon), 7).law((values, errors, others))
    every = [dict(zip(values, errors, strict=True)).get(v, others) for v in range(7)]
    expected = Exponential(Budget(epsilon)).law([-int(wrong) for wrong in every])
    assert set(law) == set(range(7))
    assert all(law[v].overlaps(expected[v]) for v in range(7))
