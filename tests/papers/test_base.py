"""Algorithms of papers: what they accept, and whom they charge."""

from dataclasses import dataclass

import pytest

from privpac.data.line import Line
from privpac.mechanisms.programs import Uniform
from privpac.papers.base import PaperLearner
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.refusals import SECRET


@dataclass(frozen=True)
class Nothing(PaperLearner):
    """Looks at no example."""

    cost: Budget = Budget(1)  # noqa: RUF009
    name, theorem = "nothing", "no record is seen"
    domain, N = Line(0, 9), 5

    def run(self, data, ask):
        return len(data), ask(Uniform(1), None)


def test_any_number_of_examples():
    assert Nothing().learn([], []) == (0, 0)
    assert Nothing().learn([3, 9], [True, 0]) == (2, 0)


def test_what_ran_is_charged():
    ledger = Ledger(Budget(2))
    Nothing().learn([1], [1], budget=ledger)
    assert ledger.spent == Budget(1)


@pytest.mark.parametrize(
    ("points", "labels"),
    [([1], [2]), ([SECRET], [1]), ([1, 2], [1]), ([1], [float("nan")]), ([1], [[1]]), ([1], [None])],
)
def test_bad_examples_are_refused_before_anything_is_spent(points, labels):
    ledger = Ledger(Budget(1))
    with pytest.raises((ValueError, TypeError)) as caught:
        Nothing().learn(points, labels, budget=ledger)
    assert str(SECRET) not in str(caught.value)
    assert ledger.spent == Budget(0)
