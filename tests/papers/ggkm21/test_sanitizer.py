"""The fooling game: its exact privacy and broken twins, its regret, its answers, and its numbers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import log, sqrt

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions import littlestone_dimension
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.ggkm21.sanitizer import (
    FoolingGame,
    Synthetic,
    appendix_c_epsilon,
    corollary_6_7,
    error_queries,
    labeled_dual,
    rounds_by_dual,
)
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, spend
from tests.dimensions.oracles import random_rows
from tests.grid import over
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers

ONE = Budget(1)
TWO_QUERIES = ExplicitClass([[0, 0, 1], [0, 1, 1]], points="abc")
POINTS = ExplicitClass(np.eye(3, dtype=int), points="abc")


def tiny(cls=FoolingGame, queries=TWO_QUERIES, cost=ONE, rounds=2):
    return cls(queries, cost, Fraction(1, 4), rounds=rounds)


@over(("queries", "at_least"), [(TWO_QUERIES, 0.67), (POINTS, 0.62)])
def test_the_exact_cost_of_two_rounds(queries, at_least):
    """3 points, 3 records, ε₀ = ½: all neighbors stay within 1, and the worst come near."""
    game = tiny(queries=queries)
    assert game.round_cost == Budget("0.5")
    found = worst_divergence(game.law, "abc", 3, ONE)
    assert not found.refuted
    assert at_least < found.ratio < 0.69


def test_labeled_records():
    game = tiny(queries=error_queries(ExplicitClass([[0, 1]], points="ab")))
    records = list(product("ab", (False, True)))
    found = worst_divergence(game.law, records, 2, ONE)
    assert not found.refuted
    assert found.ratio > 0.6


@dataclass(frozen=True)
class TrueSign(FoolingGame):
    """The generator steps by the true error: the discriminator names a query, and the records say which way."""

    def run(self, counts, ask):
        q, n = self.queries.matrix.astype(np.int64), int(counts.sum())
        losses, plays = np.zeros(self.size, dtype=np.int64), []
        for _ in range(self.T):
            p = self.weights(losses)
            off = self.whole_counts(q @ p, int(p.sum()), n) - q @ counts
            row = ask(Exponential(self.round_cost), np.abs(off))
            s = 1 if off[row] > 0 else -1
            losses += q[row] if s == 1 else 1 - q[row]
            plays.append((row, s))
        return Synthetic(tuple(plays), tuple(losses.tolist()), 0.0)


@dataclass(frozen=True)
class TrueStep(FoolingGame):
    """The same, but only the weights show it: the generator moves the chosen query's points by its true error."""

    def run(self, counts, ask):
        q, n = self.queries.matrix.astype(np.int64), int(counts.sum())
        losses, discriminator = np.zeros(self.size, dtype=np.int64), Exponential(self.round_cost)
        for _ in range(self.T):
            p = self.weights(losses)
            off = self.whole_counts(q @ p, int(p.sum()), n) - q @ counts
            play = ask(discriminator, np.concatenate([off, -off]))
            losses += np.abs(off[play % len(q)]) * (q[play] if play < len(q) else 1 - q[play - len(q)])
        return Synthetic((), tuple(losses.tolist()), 0.0)

    def weights(self, losses):
        return np.asarray(self._powers[np.minimum(losses - losses.min(), self.T)])


@dataclass(frozen=True)
class CountedTwice(FoolingGame):
    """Answers at twice the ε₀ that is charged."""

    @cached_property
    def round_cost(self):
        return Budget(2 * self.cost.epsilon / self.T)


@pytest.mark.parametrize("twin", [TrueSign, TrueStep, CountedTwice])
def test_broken_twins_are_refuted(twin):
    assert worst_divergence(tiny(twin).law, "abc", 3, ONE).refuted


def test_the_state_is_a_function_of_the_answers():
    """Given the same answers, the requests see the same p_t whatever the records are; only the true counts differ."""
    game, seen = tiny(rounds=3), {}

    def play(counts):
        asked = []
        answers = iter([0, 3, 1])
        game.run(counts, lambda mechanism, scores: asked.append(scores) or next(answers))
        return asked

    for counts in (np.array([3, 0, 0]), np.array([0, 1, 2])):
        true = TWO_QUERIES.matrix.astype(int) @ counts
        seen[tuple(counts)] = [scores[:2] + true for scores in play(counts)]
    first, second = seen.values()
    assert np.array_equal(first, second)


def test_many_rounds_need_few_powers():
    """All powers of 20,000 rounds, most of them 0, in well under a second; those that are not are exact."""
    game = tiny(rounds=20_000)
    powers, b = game._powers, Fraction(game.base, 2**16)
    assert len(powers) == 20_001
    last = int(np.flatnonzero(powers)[-1])
    assert b ** (last + 1) * 2**40 < 1 <= b**last * 2**40
    assert [int(powers[k]) for k in (0, 1, 500, last)] == [int(b**k * 2**40) for k in (0, 1, 500, last)]


def test_weights_are_integers_relative_to_the_least_loss():
    """b^(L − min L) in units of 2^−40, rounded down; a common loss changes nothing."""
    game = tiny(rounds=60)
    found = game.weights(np.array([50, 51, 60]))
    assert found.tolist() == [2**40, game.base * 2**24, (game.base**10 << 40) >> 160]
    assert np.array_equal(found, game.weights(np.array([0, 1, 10])))


def test_the_law_adds_up():
    law = tiny().law(tuple("abc"))
    assert len(law) == 16
    assert float(sum(law.values())) == pytest.approx(1)
    assert law_of(lambda ask: tiny().run(tiny().check("abc"), ask)).keys() == law.keys()


def random_game(rng, T):
    rows = random_rows(rng, 9, 12)
    return FoolingGame(ExplicitClass(rows), ONE, Fraction(1, 4), rounds=T)


def test_the_regret_never_exceeds_what_is_promised():
    """Against random and against greedy answers, on 60 random classes; the bound is what Hedge's theorem says."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        game = random_game(rng, int(rng.integers(2, 60)))
        n = 50
        counts = rng.multinomial(n, np.ones(game.size) / game.size)
        for answer in (lambda m, scores: int(rng.integers(len(scores))), lambda m, scores: int(np.argmax(scores))):
            released = game.run(counts, answer)
            assert released.regret <= game.hedge_regret + 1e-9
    T, Z = game.T, game.size
    assert game.hedge_regret == pytest.approx(sqrt(log(Z) / (2 * T)), rel=0.05)


def test_the_best_answers_give_the_promised_error():
    """Without noise, every query is answered within the regret and the rounding."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        game = random_game(rng, 80)
        counts = rng.multinomial(400, rng.dirichlet(np.full(game.size, 0.3)))
        released = game.run(counts, lambda m, scores: int(np.argmax(scores)))
        true = game.queries.matrix @ counts / 400
        said = np.array(list(released.estimates(game.queries).values()))
        assert np.abs(said - true).max() <= released.regret + 1 / 400 + 1e-9


def test_answers_at_the_promised_size():
    """20 runs at N on a skewed table: each within α and within its certificate. Each may fail with β = 10⁻⁸."""
    rng = np.random.default_rng(6)
    F = ExplicitClass([[x < c for x in range(8)] for c in range(9)])
    game = FoolingGame(error_queries(F), Budget(1, 1e-6), Fraction(1, 5), Fraction(1, 10**8))
    records = [(int(x), bool(y)) for x, y in zip(rng.geometric(0.4, game.N) % 8, rng.random(game.N) < 0.3, strict=True)]
    counts = game.check(records)
    true = {c: np.mean([(x < c) != y for x, y in records]) for c in F.concepts}
    for _ in range(20):
        released = game.release(counts, SYSTEM)
        said = released.estimates(game.queries)
        assert max(abs(said[c] - true[c]) for c in F.concepts) <= game.error_bound(released, game.N) <= 0.2 + 1e-9


def test_the_price_of_an_answer_is_by_zcdp():
    """e₀ = √(8ρ/T) for many rounds, ρ for (1, 10⁻⁶)."""
    game = FoolingGame(TWO_QUERIES, Budget(1, 1e-6), Fraction(1, 20), rounds=500)
    ρ = Concentrated.within(Budget(1, 1e-6)).rho
    assert float(game.round_cost.epsilon) == pytest.approx(sqrt(8 * float(ρ) / 500))


def test_the_fewest_records_of_all_shares():
    goal = (TWO_QUERIES, Budget(1, 1e-6), Fraction(1, 4))
    fewest = min(FoolingGame(*goal, rounds=T).N or 10**9 for T in range(20, 70, 5))
    assert fewest / 1.1 <= FoolingGame(*goal).N <= 1.1 * fewest
    assert tiny(rounds=1).N is None  # one round cannot be within ¼


def test_charged_once_and_refused_before():
    ledger = Ledger(Budget(1))
    assert isinstance(spend(tiny(), "abca", ledger, None), Synthetic)
    assert ledger.spent == Budget(1)
    with pytest.raises(ValueError, match=r"not among|points|declared") as refused:
        spend(tiny(), [SECRET], Ledger(Budget(1)), None)
    assert str(SECRET) not in str(refused.value)


@over(
    ("made", "sentence"),
    [
        (lambda: FoolingGame([[0, 1]], ONE, Fraction(1, 4)), "list what a record can be"),
        (lambda: FoolingGame(ExplicitClass(np.zeros((0, 2))), ONE, Fraction(1, 4)), "at least one concept"),
        (lambda: error_queries(ExplicitClass(np.zeros((0, 2)))), "at least one concept"),
        (lambda: FoolingGame(TWO_QUERIES, ONE, 2), "strictly between 0 and 1"),
        (lambda: FoolingGame(TWO_QUERIES, ONE, Fraction(1, 4), rounds=0), "rounds"),
    ],
)
def test_bad_parameters(made, sentence):
    with pytest.raises(ValueError, match=sentence):
        made()


def test_the_dual_of_labeled_queries():
    """At most 2d* + 1, for 100 random classes and one that attains it."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        F = ExplicitClass(random_rows(rng, 7, 5))
        dual = littlestone_dimension(F.dual()).value
        assert dual <= littlestone_dimension(error_queries(F).dual()).value <= labeled_dual(dual)
    assert littlestone_dimension(error_queries(ExplicitClass([[0], [1]])).dual()).value == labeled_dual(0) == 1


def test_numbers():
    assert rounds_by_dual(1, 0.1) == 283
    assert log(284) <= 0.02 * 283
    assert log(283) > 0.02 * 282
    assert corollary_6_7(2, 1, 4, alpha=0.5, beta=0.5, epsilon=1, delta=0.5) == pytest.approx(
        32 * 2 * log(64) ** 2 * log(16) * 8
    )
    assert appendix_c_epsilon(1e-6) == pytest.approx(7 * sqrt(2) + 147 / log(1e6))
