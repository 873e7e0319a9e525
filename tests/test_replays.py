"""A replay catches what must not depend on records: what is asked, how often, with which parameters, and how far."""

import pytest

from privpac.mechanisms.algorithm import Algorithm
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.accounting.group_privacy import PerUnit
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Sealed
from tests.replays import Tape

LAPLACE = DiscreteLaplace(Budget(1))


class Asking(Algorithm):
    """An algorithm that asks what ``run`` says."""

    name, theorem, cost = "asking", "none", Budget(3)

    def __init__(self, asking):
        self.asking = asking

    def run(self, data, ask):
        return self.asking(data, ask)


def replay(run, one, other):
    """The tape of a run on one sample, replayed on the other."""
    tape = Tape()
    with tape.recorded():
        Ledger(Budget(9)).spend(Asking(run), Sealed(one))
    with tape.replayed():
        Ledger(Budget(9)).spend(Asking(run), Sealed(other))
    return tape


def test_a_run_that_adapts_to_answers_only_is_replayed():
    def run(data, ask):
        return ask(LAPLACE, sum(data)) + ask(DisjointCounts(Budget(1), abs(ask(LAPLACE, data[0]))), (0, 1))[0]

    tape = replay(run, [0, 1], [1, 1])
    assert [step.answer for step in tape.steps] == [step.answer for step in tape.again]
    assert tape.too_far() == [] and len(tape.steps) == 3


@pytest.mark.parametrize(
    "run",
    [
        lambda data, ask: ask(DiscreteLaplace(Budget(1), 1 + data[0]), 0),  # a parameter
        lambda data, ask: [ask(LAPLACE, 0) for _ in range(1 + data[0])],  # one more
        lambda data, ask: [ask(LAPLACE, 0) for _ in range(2 - data[0])],  # one less
        lambda data, ask: ask(PerUnit(LAPLACE, 2) if data[0] else LAPLACE, 0),
    ],
)
def test_what_records_decide_is_caught(run):
    with pytest.raises(AssertionError):
        replay(run, [0, 1], [1, 1])


def test_what_is_handed_on_must_not_change_by_more_than_is_allowed():
    assert replay(lambda data, ask: ask(LAPLACE, 2 * sum(data)), [0], [1]).too_far() == ["discrete Laplace"]
    assert replay(lambda data, ask: ask(PerUnit(LAPLACE, 2), 2 * sum(data)), [0], [1]).too_far() == []
    scores = replay(lambda data, ask: ask(Exponential(Budget(1)), [3 * data[0], 0]), [0], [1])
    assert scores.too_far() == ["exponential"]  # by its law
