"""[ABMS20, Lemma 3.12]: the price of drawing with replacement, and what it buys."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.data.domains.line import Line
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.papers.abms20.agnostic import PrivateAgnostic
from privpac.papers.abms20.subsampling import EmpiricalLearner, redrawn_share
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.accounting.amplification import redrawn
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.grid import over

pytestmark = pytest.mark.papers


@dataclass(frozen=True)
class Votes(PaperLearner):
    """How many positive examples it sees, with noise: an inner learner whose law is small, and tight."""

    cost: Budget
    N: int = 3
    name: ClassVar[str] = "votes"
    theorem: ClassVar[str] = "noise, Theorem 1"

    @property
    def domain(self) -> Any:
        return Line(0, 1)

    def run(self, S, ask):
        return ask(DiscreteLaplace(self.cost, 1, 0, 2), sum(y for _, y in S))


@over("cost", [Budget(1, "1e-6"), Budget("0.1", "0.01"), Budget(3)])
@over("share", [Fraction(1, 9), Fraction(1, 2), Fraction(2)])
def test_the_share_is_the_limit_from_above(cost, share):
    limit = redrawn_share(cost, share)
    at = [redrawn(cost, int(share * n), n) for n in (18, 180, 18_000, 1_800_000)]
    assert all(price <= limit for price in at)
    assert all(a.epsilon < b.epsilon for a, b in pairwise(at))
    assert limit.epsilon - at[-1].epsilon < limit.epsilon / 10**4


def test_the_empirical_learner_is_private_on_all_samples():
    """Two draws from 18 examples, 15 of them fixed: ε = 0.71 is claimed for all n, ε = 0.6 is refuted at n = 18."""
    learner = EmpiricalLearner(Votes(Budget(2)), "tight")

    def law(sample):
        return learner.law((*sample, *[(0, False)] * 15))

    found = worst_divergence(law, [(0, False), (0, True)], 3, learner.cost)
    assert not found.refuted
    assert worst_divergence(law, [(0, False), (0, True)], 3, Budget("0.6")).refuted


def test_the_printed_cost_is_charged_only_where_it_is_true():
    cost = {ε: EmpiricalLearner(Votes(Budget(ε))).cost for ε in (1, 3, 4)}
    assert cost[1] == Budget(1) and cost[3] == Budget(3)
    assert cost[4] == redrawn_share(Budget(4), Fraction(1, 9)) and cost[4].epsilon > 5


def test_it_runs_on_a_ninth():
    seen = []

    @dataclass(frozen=True)
    class Sees(Votes):
        def run(self, S, ask):
            seen.append(len(S))
            return super().run(S, ask)

    EmpiricalLearner(Sees(Budget(1), N=2)).learn([0, 1] * 10, [0, 1] * 10, rng=1)
    assert seen == [2]


@pytest.mark.parametrize("constants", ["Printed", "loose", ""])
def test_unknown_constants_are_refused(constants):
    with pytest.raises(ValueError, match="constants must be one of"):
        EmpiricalLearner(Votes(Budget(1)), constants)


@pytest.mark.parametrize("share", [0, -1])
def test_a_share_of_nothing_is_refused(share):
    with pytest.raises(ValueError, match="share must be positive"):
        redrawn_share(Budget(1), share)


def test_what_the_learner_inside_would_refuse_is_refused_before_anything_is_spent():
    """Fewer than nine examples leave none; a ninth of 170 is too little for Algorithm 4, which wants 18."""
    cuts = ExplicitClass([[0, 0], [0, 1], [1, 1]], points="ab")
    occam = PrivateOccam(cuts, Budget(1), Fraction(1, 100), Fraction(1, 1000))
    nested = EmpiricalLearner(PrivateAgnostic(occam, cuts, 0.1, 0.05))
    ledger = Ledger(Budget(9))
    for learner, n, few in ((EmpiricalLearner(occam), 8, 9), (nested, 8, 9), (nested, 161, 18)):
        with pytest.raises(ValueError, match=f"at least {few} examples"):
            learner.learn("a" * n, [1] * n, budget=ledger)
    assert ledger.spent == Budget(0)
    assert len(nested.check([("a", 1)] * 162)) == 162
    with pytest.raises(TypeError, match="private algorithm"):
        EmpiricalLearner(cuts)


def test_a_large_epsilon_has_a_price_too():
    """e^(e³⁰/9) has no decimal; δ is 1 then."""
    assert redrawn_share(Budget(30, 1e-6), Fraction(1, 9)).delta == 1
    assert redrawn(Budget(30, 1e-6), 10**13, 1).delta == 1
