"""Arcs of directions: candidates are counted, and have the law of the exponential mechanism over all of them."""

import numpy as np
import pytest

from privpac.mechanisms.half_spaces.arcs import ArcExponential, Arcs, arcs_between
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget

END = 12


class Lines:
    """Records by the candidate before which their lines are, and by what passing them adds to the errors."""

    def __init__(self, rng, n):
        self.places, self.gains = rng.integers(0, END + 1, n), rng.choice([-1, 1], n)

    def arcs(self, reach=None) -> Arcs:
        return arcs_between(self.places, self.gains, len(self.places), END)

    def errors(self, candidate, side):
        before = self.gains[self.places <= candidate]
        e = int((self.gains < 0).sum() + before.sum())
        return len(self.places) - e if side else e


@pytest.mark.parametrize("epsilon", [0.1, 1, 90])
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_the_law_is_that_of_the_exponential_mechanism(epsilon, n):
    """At ε = 90 most arcs are left out of the first list; the law has them all."""
    data = Lines(np.random.default_rng(n), n)
    law = ArcExponential(Budget(epsilon), END).law(data)
    rules = [(candidate, side) for candidate in range(END) for side in (0, 1)]
    expected = Exponential(Budget(epsilon)).law([-data.errors(*rule) for rule in rules])
    assert set(law) == set(rules)
    assert all(law[rule].overlaps(expected[i]) for i, rule in enumerate(rules))


def test_arcs_between_lines_that_coincide_are_empty():
    arcs = arcs_between(np.array([4, 4]), np.array([1, -1]), 2, END)
    assert arcs.lengths(np.arange(3)).tolist() == [4, 0, 8]
    assert arcs.within(2).tolist() == [0, 2, 3, 5]
    assert arcs.least == 0
