"""Programs: their law is that of their lines, and what they release follows it."""

import copy
import pickle
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import Algorithm, Coin, Uniform, law_of
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded, Ledger, Sealed
from tests.statistics import assert_matches

F = Fraction


class Adaptive(Algorithm):
    """The second release depends on the first: a noisy bit decides between a vote and a coin."""

    name, theorem, cost = "adaptive", "composition, Theorem 1", Budget(2)

    def run(self, data, ask):
        bit = ask(DiscreteLaplace(Budget(1), 1, 0, 1), data[0])
        return "vote", ask(Exponential(Budget(1)), data) if bit else ask(Coin(F(1, 4)), None)


def by_hand(data):
    bit, vote = DiscreteLaplace(Budget(1), 1, 0, 1).law(data[0]), Exponential(Budget(1)).law(data)
    law = {("vote", i): float(bit[1] * vote[i]) for i in vote}
    law["vote", 1] += float(bit[0]) / 4  # True is 1
    law["vote", 0] += float(bit[0]) * 3 / 4
    return law


@pytest.mark.parametrize("data", [(0, 1, 2), (1, 0, 0)])
def test_the_law_is_that_of_the_lines(data):
    law = Adaptive().law(data)
    assert {o: float(p) for o, p in law.items()} == pytest.approx(by_hand(data))


@pytest.mark.slow
def test_releases_follow_the_law():
    law = {o: float(p) for o, p in Adaptive().law((0, 1, 2)).items()}
    swapped = law | {("vote", 0): law["vote", 2], ("vote", 2): law["vote", 0]}
    assert_matches(lambda: Adaptive().release((0, 1, 2), SYSTEM), law, must_reject=swapped)


def test_a_program_is_charged_once_and_before_it_runs():
    ledger = Ledger(Budget(3))
    ledger.spend(Adaptive(), Sealed((0, 1, 2)))
    assert ledger.spent == Budget(2)
    with pytest.raises(BudgetExceeded):
        ledger.spend(Adaptive(), Sealed((0, 1, 2)))


@dataclass(frozen=True)
class Told(Algorithm):
    """Told its cost, which it looks at when it is made."""

    cost: Budget
    name, theorem = "told", "no record is seen"

    def __post_init__(self) -> None:
        assert self.cost.epsilon > 0

    def run(self, data, ask):
        return None


@pytest.mark.parametrize("cost", [1, 0.5, "1", None, (1, 1e-6)])
def test_a_cost_is_a_budget(cost):
    with pytest.raises(TypeError, match=r"cost must be a budget, like cost=Budget\(1\)"):
        Told(cost)
    with pytest.raises(TypeError, match="cost must be a budget"):
        replace(Told(Budget(1)), cost=cost)


def test_a_cost_is_a_field_like_others():
    program = Told(Budget(2))
    assert program == copy.deepcopy(program) == pickle.loads(pickle.dumps(program)) == replace(program)
    assert program != replace(program, cost=Budget(1))
    assert (repr(program), {program: 1}[Told(Budget(2))]) == ("Told(cost=Budget(2, 0))", 1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'cost'"):
        Told()
    assert not hasattr(Algorithm, "cost")


def test_equal_returns_are_one_outcome():
    law = law_of(lambda ask: ask(Uniform(3), None) // 2)
    assert {o: float(p) for o, p in law.items()} == pytest.approx({0: 2 / 3, 1: 1 / 3})


def test_unbounded_noise_ends_the_lines_beyond_reach():
    law = law_of(lambda ask: ("done", ask(DiscreteLaplace(Budget(1)), 0)), reach=2)
    assert set(law) == {(-2,), (2,), ("done", -1), ("done", 0), ("done", 1)}
    assert float(sum(law.values())) == pytest.approx(1)


def test_bounded_noise_never_does():
    law = law_of(lambda ask: ("done", ask(DiscreteLaplace(Budget(1), 1, 0, 12), 3)), reach=2)
    assert set(law) == {("done", z) for z in range(13)}


@pytest.mark.parametrize(("mechanism", "mutant"), [(Uniform(4), {0: 1.0}), (Coin(F(1, 5)), {True: 0.5, False: 0.5})])
def test_draws_that_see_no_record(mechanism, mutant):
    law = {o: float(p) for o, p in mechanism.law(None).items()}
    assert_matches(lambda: mechanism.release(None, SYSTEM), law, must_reject=mutant)
    assert mechanism.cost == Budget(0)
