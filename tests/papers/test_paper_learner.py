"""Algorithms of papers: what they accept, what they say before they spend, and whom they charge."""

import warnings
from dataclasses import dataclass
from fractions import Fraction

import pytest

from privpac.audit import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import Uniform
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.abms20 import EmpiricalLearner, PrivateAgnostic
from privpac.papers.bbkn14 import (
    DenoisedLearner,
    IntervalExponential,
    NoiseLearner,
    PrivateOccam,
    SwitchingLearner,
)
from privpac.papers.bbkn14.intervals import interval
from privpac.papers.ggkm21 import FoolingByLearner
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, spend
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers


@dataclass(frozen=True)
class Nothing(PaperLearner):
    """Looks at no example."""

    cost: Budget = Budget(1)  # noqa: RUF009
    name, theorem = "nothing", "no record is seen"
    domain, N = Line(0, 9), 1

    def run(self, data, ask):
        return len(data), ask(Uniform(1), None)


@dataclass(frozen=True)
class Asking(Nothing):
    """The same, after a theorem that asks for three."""

    N = 3


def test_any_number_of_examples():
    with pytest.warns(UserWarning, match="asks for N = 1"):
        assert Nothing().learn([], []) == (0, 0)
    assert Nothing().learn([3, 9], [True, 0]) == (2, 0)


def test_fewer_than_the_theorem_asks_for():
    """It is said before anything is spent, once, and by learn alone: laws and releases are for those who audit."""
    ledger = Ledger(Budget(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="N = 3 examples, but there are 2: privacy still holds, but nothing"):
            Asking().learn([3, 9], [1, 0], budget=ledger)
        assert ledger.spent == Budget(0)
        assert Asking().learn([3, 9, 1], [1, 0, 1], budget=ledger) == (3, 0)
        assert Asking().release(Asking().check([(3, 1)]), SYSTEM) == (1, 0)
        assert set(Asking().law([(3, 1)])) == {(1, 0)}
    with pytest.warns(UserWarning) as said:
        Asking().learn([3, 9], [1, 0])
    assert [each.filename for each in said] == [__file__]


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


@dataclass(frozen=True)
class Honest(PaperLearner):
    """The rule with the fewest errors, by an exponential mechanism that may cost more than it states."""

    cost: Budget = Budget(1)  # noqa: RUF009
    paid: Budget = Budget(1)  # noqa: RUF009
    name, theorem = "honest", "selection, Theorem 1"
    domain, N = Line(0, 1), 1

    def run(self, data, ask):
        errors = [sum((x == v) != y for x, y in data) for v in (0, 1)]
        return ask(Exponential(self.paid), [-each for each in errors])


class Peeking(Honest):
    """Broken: it reads the records without ``ask``."""

    def run(self, data, ask):
        return sum(y for _, y in data)


@pytest.mark.parametrize(("base", "refuted"), [(Honest(), False), (Honest(paid=Budget(2)), True), (Peeking(), True)])
def test_an_audit_refutes_a_base_learner_that_lies_about_its_cost(base, refuted):
    records = [(x, y) for x in (0, 1) for y in (False, True)]
    assert worst_divergence(base.law, records, 2, base.cost, ordered=True).refuted is refuted


NINTH = EmpiricalLearner(IntervalExponential(6, Budget(1), "1/40", "1/120"))  # refuses fewer than nine examples
NOISY = NoiseLearner(NINTH, frozenset(interval(6, j) for j in range(1, 8)), Fraction(1, 50))
RULES = ExplicitClass([[0, 1], [1, 1]], points=(3, 4))
BASE = PrivateAgnostic(PrivateOccam(RULES, Budget(1), 0.01, 1e-5, "tight"), RULES, 0.05, 1e-4, "tight")


@pytest.mark.parametrize(
    ("algorithm", "record", "too_few", "enough"),
    [
        (NOISY, (3, 1), 8, 9),
        (DenoisedLearner(NOISY), (3, 1), 8, 9),
        (SwitchingLearner(NINTH, 3, 0.1, 0.05, "tight"), (3, 1), 50, 100),
        (FoolingByLearner(RULES, BASE, 0.4, share=Fraction(1, 3), rounds=1), 3, 53, 54),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_an_inner_learner_refuses_is_refused_before_anything_is_spent(algorithm, record, too_few, enough):
    ledger = Ledger(Budget(40))
    with pytest.raises(ValueError, match="fewer leave none"):
        spend(algorithm, [record] * too_few, ledger, None)
    assert ledger.spent == Budget(0)
    spend(algorithm, [record] * enough, ledger, None)
    assert ledger.spent == algorithm.cost
