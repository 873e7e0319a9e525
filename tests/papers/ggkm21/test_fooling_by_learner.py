"""Theorem 6.6 as a reduction: exact privacy and broken twins, and right answers at N from a learner of any kind."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import ClassVar

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.abms20.subsampling import redrawn_share
from privpac.papers.ggkm21.fooling_by_learner import FoolingByLearner
from privpac.papers.ggkm21.sanitizer import error_queries
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.accounting.composition import optimal_at_delta
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, spend
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers

TWO = ExplicitClass([[0, 1, 1], [0, 0, 1]], points="abc")


@dataclass(frozen=True)
class ByErrors(PaperLearner):
    """The exponential mechanism over the queries, for any labels."""

    H: ExplicitClass
    cost: Budget
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 10**4)
    name: ClassVar[str] = "by errors"
    theorem: ClassVar[str] = "selection, Theorem 1"

    @property
    def domain(self):
        return self.H.domain

    @property
    def N(self):  # noqa: N802
        """Half of α for the draw, half for what a sample misses of the population, by Hoeffding."""
        α, β, K = float(self.alpha), float(self.beta), self.H.size
        return ceil(max(4 / (float(self.cost.epsilon) * α), 8 / α**2) * log(4 * K / β))

    def run(self, data, ask):
        labels = self.H.matrix_on([x for x, _ in data])
        errors = (labels != np.array([y for _, y in data])).sum(axis=1)
        return self.H.hypothesis(self.H.concepts[ask(Exponential(self.cost), -errors)])


def tiny(kind=FoolingByLearner, epsilon=3):
    """Two queries, one round, one of two records."""
    return kind(TWO, ByErrors(TWO, Budget(epsilon)), Fraction(1, 2), share=HALF, rounds=1)


HALF = Fraction(1, 2)


def test_private_on_all_samples():
    game = tiny()
    assert game.cost == Budget(3 * redrawn_share(Budget(3), HALF).epsilon)
    found = worst_divergence(game.law, "abc", 2, game.cost)
    assert not found.refuted
    assert found.ratio > 0.05


@dataclass(frozen=True)
class Better(FoolingByLearner):
    """Broken: of the two hypotheses it takes the better one, by the records themselves."""

    def run(self, kinds, ask):
        def choose(mechanism, seen):
            return int(np.argmax(seen)) if isinstance(mechanism, Exponential) else ask(mechanism, seen)

        return super().run(kinds, choose)


@dataclass(frozen=True)
class WholeSample(FoolingByLearner):
    """Broken: the learner sees all records five times over, at the price of some."""

    def hypothesis(self, kinds, p, side, ask):
        points = self.queries.points
        examples = [(points[z], side) for z in kinds] * 5 + [(points[0], not side)] * len(kinds) * 5
        rule = ask(ByErrors(self.queries, Budget(30)), tuple(examples))
        return np.asarray(rule(list(points)), dtype=bool)


@pytest.mark.parametrize("twin", [Better, WholeSample])
def test_broken_twins_are_refuted(twin):
    game = tiny(twin, epsilon="0.1")
    assert worst_divergence(game.law, "abc", 2, game.cost).refuted
    assert not worst_divergence(tiny(epsilon="0.1").law, "abc", 2, game.cost).refuted


def test_the_price_is_that_of_three_releases_in_a_round():
    game = FoolingByLearner(TWO, ByErrors(TWO, Budget(1, 1e-9)), HALF, share=0.01, rounds=20, delta=1e-6)
    assert game.cost == optimal_at_delta(redrawn_share(Budget(1, 1e-9), 0.01), 60, 1e-6)
    assert game.cost.epsilon < 60 * game.use.epsilon


def test_every_query_is_answered_at_n():
    """A skewed table of cuts. The run fails with a probability of at most β = 10⁻⁶."""
    queries = error_queries(ExplicitClass([[x < c for x in range(6)] for c in range(7)]))
    learner = ByErrors(queries, Budget(1), beta=Fraction(1, 10**8))
    game = FoolingByLearner(queries, learner, HALF, Fraction(1, 10**6), share=HALF, rounds=25)
    assert max(game.N, 2 * learner.N) == game.N
    rng = np.random.default_rng(3)
    records = [(int(x), bool(y)) for x, y in zip(rng.geometric(0.5, game.N) % 6, rng.random(game.N) < 0.2, strict=True)]
    kinds = game.check(records)
    true = queries.matrix @ np.bincount(kinds, minlength=len(queries.points)) / game.N
    fooled = game.release(kinds, SYSTEM)
    assert fooled.regret <= game.generator.hedge_regret + 1e-9
    worst = np.abs(np.array(list(fooled.estimates(queries).values())) - true).max()
    assert worst <= 0.5
    assert worst < np.abs(queries.matrix.mean(axis=1) - true).max()  # better than to guess evenly


def test_charged_once_and_refused_before():
    game, ledger = tiny(), Ledger(Budget(40))
    spend(game, "abca", ledger, None)
    assert ledger.spent == game.cost
    with pytest.raises(ValueError, match=r"not among|points|declared") as refused:
        spend(game, [SECRET], Ledger(Budget(40)), None)
    assert str(SECRET) not in str(refused.value)
    with pytest.raises(ValueError, match="at least 2 records"):
        spend(game, "a", Ledger(Budget(40)), None)
    with pytest.raises(ValueError, match="read different samples"):
        FoolingByLearner(TWO, ByErrors(ExplicitClass([[0, 1]], points="xy"), Budget(1)), HALF)
    assert tiny().N is None  # one round cannot be within ½
    assert FoolingByLearner(TWO, ByErrors(TWO, Budget(1), beta=HALF), HALF, rounds=99).N is None
