"""RecPrefix: private on all pairs of neighbors tried, right from enough records on, defined for any number of them."""

from collections import Counter
from datetime import date
from fractions import Fraction
from itertools import combinations
from math import exp, log

import numpy as np
import pytest
from scipy.special import betaincinv

from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.quantiles.median import interior_size
from privpac.papers.yan25 import recprefix
from privpac.papers.yan25.recprefix import Costs, Margins, RecPrefix, lighter_sides, nats, pairs
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, spend
from tests.grid import over
from tests.statistics import assert_matches

F = Fraction


class Bare(RecPrefix):
    """Nothing is left out, so that few records suffice for a recursion. Privacy holds for any public margins."""

    margins = Margins(0, 0, 1)


class Trimmed(RecPrefix):
    """One length is left out at each end."""

    margins = Margins(1, 1, 2)


AUDITS = {
    "one level, two records": (Bare, 4, 3, range(4), 2, Budget(1, 0.1)),
    "one level, three records": (Bare, 4, 3, range(4), 3, Budget(1, 0.1)),
    "one level, four records": (Bare, 4, 3, range(4), 4, Budget(4, 0.5)),
    "one level, three bits": (Bare, 8, 4, range(8), 2, Budget(2, 0.3)),
    "two levels, four records": (Bare, 8, 3, (0, 2, 7), 4, Budget(4, 0.5)),
    "trimmed, six records": (Trimmed, 4, 3, (0, 2, 3), 6, Budget(4, 0.5)),
    "as shipped": (RecPrefix, 8, 3, range(8), 2, Budget(2, 0.3)),
    "a line that is no power of two": (Bare, 6, 4, range(6), 2, Budget(1, 0.1)),
}


@pytest.mark.audit
@pytest.mark.parametrize("name", AUDITS)
def test_no_pair_of_neighbors_refutes_the_promise(name):
    method, size, base, universe, n, cost = AUDITS[name]
    found = worst_divergence(method(cost, Line(0, size - 1), base=base).law, universe, n, cost)
    assert not found.refuted
    assert found.value > 0.05 * found.bound  # the audit sees what records do


UNBALANCED = ((2, 2, 5, 5, 9, 9), (2, 5, 5, 9, 9, 14))  # in sorted order every second neighbor differs


class BaseHeavy(Bare):
    """Nearly all of ε is spent on the base case."""

    costs = Costs(Budget(F(1, 10), F(1, 10)), Budget(F(1, 10)), Budget(4))


@pytest.mark.parametrize("broken", [False, True])
def test_the_audit_refutes_pairs_of_a_sorted_list(broken, monkeypatch):
    if broken:
        monkeypatch.setattr(recprefix, "pairs", lambda x, ask: zip(sorted(x)[::2], sorted(x)[1::2], strict=True))
    cost = Budget(F(42, 10), F(1, 10))
    found = worst(BaseHeavy(cost, Line(0, 15), base=5).law, [UNBALANCED], cost)
    assert found.refuted == broken


class BaseAlone(Bare):
    """The base case is paid for, the level above it is not."""

    @property
    def costs(self):
        share = self.cost.epsilon
        return Costs(Budget(2 * share, self.cost.delta), Budget(share), Budget(share))


class OneLevel(Bare):
    """One level is paid for, however many there are."""

    @property
    def costs(self):
        share = self.cost.epsilon / 4
        return Costs(Budget(2 * share, self.cost.delta), Budget(share), Budget(share))


FORGOTTEN = [
    (BaseAlone, 4, Budget(2, 0.01), range(4), True),
    (OneLevel, 4, Budget(2, 0.01), range(4), False),
    (OneLevel, 8, Budget(16, 0.1), (0, 1, 7), True),
    (Bare, 8, Budget(16, 0.1), (0, 1, 7), False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "size", "cost", "universe", "refuted"), FORGOTTEN)
def test_the_audit_refutes_a_level_that_is_not_paid_for(method, size, cost, universe, refuted):
    assert worst_divergence(method(cost, Line(0, size - 1), base=3).law, universe, 3, cost).refuted == refuted


@over(("n", "pairings"), [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3), (5, 15), (6, 15)])
def test_every_pairing_is_equally_likely(n, pairings):
    law = law_of(lambda ask: frozenset(map(frozenset, pairs(range(n), ask))))
    assert len(law) == pairings
    assert all(float(p) == pytest.approx(1 / pairings) for p in law.values())


@over("classes", [(2,) * 4, (3,) * 3, (3, 3, 2, 1), (4, 4), (1,) * 8, (4, 3, 2), (5, 5)])
def test_few_pairs_agree_where_no_prefix_has_many_records(classes):
    """Pr[T ≥ u + 1] ≤ e^(u − λ)·(λ/u)^u for u ≥ λ = (largest class − 1)/2, exactly, for even and odd n."""
    names = [c for c, size in enumerate(classes) for _ in range(size)]
    λ = (max(classes) - 1) / 2
    law = law_of(lambda ask: sum(a == b for a, b in pairs(names, ask)))
    for u in range(max(1, int(np.ceil(λ))), len(names) // 2 + 1):
        more = sum(float(p) for agreeing, p in law.items() if agreeing > u)
        assert more <= exp(u - λ) * (λ / u) ** u + 1e-12


def test_margins_are_the_least_that_the_proof_allows():
    method = RecPrefix(Budget(1, 1e-6), Line(0, 2**64 - 1), F(3))
    (low, high, bar), G = method.margins, 3 + log(7)
    q = next(q for q in range(1000) if log(7 * (1 - 5e-7) / 5e-7) + 1 / 7 + 3 <= q / 7)
    u = next(u for u in range(q, 1000) if u * log(u / (q - 1.5)) - u + q - 1.5 >= G)
    τ = next(τ for τ in range(1, 1000) if exp(-τ / 7) / (1 + exp(-1 / 7)) <= exp(-G))
    assert (low, high, bar) == (2 * τ - 2, u, τ)
    base = 2 * int(np.ceil((G + log(7)) * 14)) - 1
    assert method.least_n == 2 * (2 * (base + low + high) + low + high)


def hostile(n, bits, rng):
    """Few values, neighbors on both sides of every power of two, and prefixes that lose a few records per bit."""
    half, middle = n // 2, 2 ** (bits - 1)
    yield [0] * half + [2**bits - 1] * (n - half)
    yield [middle - 1] * half + [middle] * (n - half)
    yield [middle + 2] * (n - 40) + [middle + 3] * 40
    yield [middle ^ (1 << (i * (bits - 1) // n)) for i in range(n)]
    yield rng.integers(0, 2**62, n).tolist()


@pytest.mark.audit
def test_enough_records_are_enough():
    """The lower bound on the failure rate, wrong with probability 1e-7, exceeds β on none of the samples."""
    β, runs, cost = F(1, 5), 60, Budget(4, 1e-3)
    method = RecPrefix(cost, Line(0, 2**64 - 1), nats(β))
    assert method.depth == 2
    for sample in hostile(method.least_n, 64, np.random.default_rng()):
        inside = Counter(min(sample) <= method.release(sample, SYSTEM) <= max(sample) for _ in range(runs))
        assert not inside[False] or betaincinv(inside[False], runs - inside[False] + 1, 1e-7) <= β


def test_a_tenth_of_the_records_is_not():
    """The test above can fail: with too few records nearly all releases are the middle of the line."""
    method = RecPrefix(Budget(4, 1e-3), Line(0, 2**64 - 1), nats(F(1, 5)))
    n = method.least_n // 10
    assert sum(method.release([3 + i % 2 for i in range(n)], SYSTEM) in (3, 4) for _ in range(40)) < 32


@over("n", range(6))
@over("size", [1, 2, 3, 5, 33, 100, 2**70])
def test_any_number_of_records_has_an_answer(n, size):
    for method in (Bare, Trimmed, RecPrefix):
        for value in (0, size - 1):
            x = [value] * (n - 1) + [size // 2] * (n > 0)
            assert 0 <= method(Budget(1, 0.1), Line(0, size - 1), base=3).release(x, SYSTEM) < size


@pytest.mark.audit
def test_releases_follow_the_law():
    method, sample = Bare(Budget(3, 0.5), Line(0, 3), base=3), [1, 1, 1]
    law = {o: float(p) for o, p in method.law(sample).items()}
    swapped = law | {1: law[0], 0: law[1]}
    assert_matches(lambda: method.release(method.check(sample), SYSTEM), law, must_reject=swapped, draws=2000)


def test_balance_counts_both_sides():
    rng = np.random.default_rng()
    for _ in range(20):
        x = rng.integers(0, 9, rng.integers(0, 8)).tolist()
        assert lighter_sides(x, 9).tolist() == [min(sum(a <= v for a in x), sum(a >= v for a in x)) for v in range(9)]


def test_sizes_grow_with_certainty_and_hardly_with_the_line():
    cost, line = Budget(1, 1e-6), Line(0, 2**64 - 1)
    sizes = [RecPrefix(cost, line, nats(β)).least_n for β in (F(1, 2), F(1, 20), F(1, 10**9))]
    assert sizes == sorted(set(sizes))
    lines = [2**b for b in (5, 6, 31, 32, 2**16)]
    assert [RecPrefix(Budget(1, 1e-6), Line(0, size - 1)).depth for size in lines] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("bits", [16, 64, 1024, 2**20])
def test_it_needs_more_records_than_the_dyadic_method(bits):
    dyadic = interior_size(2**bits, epsilon=1, delta=1e-6, beta=0.05, method="dyadic")
    assert RecPrefix(Budget(1, 1e-6), Line(0, 2**bits - 1), nats(F(1, 20))).least_n > 6 * dyadic


def test_it_is_charged_by_its_name():
    ledger, method = Ledger(Budget(2, 1e-5)), RecPrefix(Budget(1, 1e-6), Line(date(1900, 1, 1), date(2100, 1, 1)))
    assert spend(method, [date(2026, 3, 1)] * 6000, ledger, None, 6000) == date(2026, 3, 1)
    (entry,) = ledger.entries
    assert (entry.mechanism, entry.theorem, entry.cost) == ("RecPrefix", "recprefix, Theorem 1", Budget(1, 1e-6))


def test_it_needs_a_base():
    with pytest.raises(ValueError, match="base"):
        RecPrefix(Budget(1, 0.1), Line(0, 9), base=2)


def test_pairs_differ_in_one_place_when_records_do():
    """The coupling of the proof: under the same draws, one substitution changes at most one length."""
    for x in combinations(range(6), 4):
        for i in range(4):
            changed = [*x[:i], 6, *x[i + 1 :]]
            for draw in ((0, 0), (1, 0), (2, 0)):
                lengths = []
                for records in (x, changed):
                    answers = iter(draw)
                    lengths.append([a ^ b for a, b in pairs(records, lambda *_, given=answers: next(given))])
                assert sum(a != b for a, b in zip(*lengths, strict=True)) == 1
