"""Several quantiles: order, privacy over all neighbors, accuracy, bad input."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import privpac as pp
from privpac.audit.exact_divergence import worst_divergence
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.quantiles import several_quantiles as quantile_tree
from privpac.mechanisms.quantiles.several_quantiles import (
    QuantileTree,
    RefinedValues,
    SeparateQuantiles,
    Span,
    balanced_tree,
    break_ties,
    cut_menu,
)
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused, RefusedType
from tests.grid import over
from tests.statistics import assert_matches

QUARTILES = tuple(Fraction(i, 4) for i in (1, 2, 3))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("N", "n", "taus"),
    [
        (4, 3, QUARTILES),
        (5, 2, QUARTILES),
        (5, 3, (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100))),
        (6, 3, (Fraction(1, 3), Fraction(2, 3))),
        (6, 2, (Fraction(1, 2),)),
    ],
)
@pytest.mark.parametrize("growth", [Fraction(1), Fraction(3, 2), Fraction(1, 5)])
def test_the_tree_is_not_refuted(N, n, taus, growth):
    mechanism = QuantileTree(Budget(1), Line(0, N - 1), taus, growth)
    found = worst_divergence(lambda s: mechanism.law(list(s)), range(N), n, Budget(1))
    assert not found.refuted
    assert float(found.ratio) > 0.3  # the audit sees the records


def test_a_tree_that_charges_nothing_for_its_second_node_is_refuted(monkeypatch):
    """The broken twin: each level as if one substitution touched no score at all."""
    monkeypatch.setattr(QuantileTree, "rates", lambda self, root: [4 * self.cost.epsilon] * 2)
    mechanism = QuantileTree(Budget(1), Line(0, 3), QUARTILES)
    assert worst_divergence(lambda s: mechanism.law(list(s)), range(4), 3, Budget(1)).refuted


@pytest.mark.audit
def test_releases_follow_the_law(monkeypatch):
    """Without ties, of which the law breaks none."""
    monkeypatch.setattr(quantile_tree, "break_ties", lambda ordered, coins: RefinedValues.without_ties(ordered))
    thirds, values = (Fraction(1, 3), Fraction(2, 3)), [0, 2, 3]
    law, mutant = (QuantileTree(Budget(ε), Line(0, 3), thirds).law(values) for ε in (6, 12))
    mechanism = QuantileTree(Budget(6), Line(0, 3), thirds)
    checked = mechanism.check(values)
    assert_matches(lambda: tuple(mechanism.release(checked, SYSTEM)), law, must_reject=mutant, draws=2000)


def test_rates_share_the_budget_over_levels():
    tree = QuantileTree(Budget(1), Line(0, 9), QUARTILES)
    assert tree.rates(balanced_tree(QUARTILES)) == [Fraction(1, 4), Fraction(1, 4)]
    assert replace(tree, growth=Fraction(3, 2)).rates(balanced_tree(QUARTILES)) == [Fraction(1, 5), Fraction(3, 10)]
    skewed = (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100))
    assert QuantileTree(Budget(1), Line(0, 9), skewed).rates(balanced_tree(skewed))[1] == Fraction(1, 4) / Fraction(
        196, 100
    )


def test_cuts_weigh_what_the_definition_says():
    positions = break_ties(np.array([1, 1, 1, 6], dtype=np.uint64), SYSTEM)
    span = Span(0, 4, 0, 8 << positions.bits)
    weights, cut = cut_menu(positions, Fraction(1, 2), Fraction(1), span)
    records = positions.between(0, 4)
    seen = []
    for group, score in enumerate(weights.scores.tolist()):
        for member in range(weights.count(group)):
            z, rank = cut(group, member)
            seen.append(z)
            below = sum(record < z for record in records)
            assert rank == below
            assert weights.rate * score == -abs(below - 2)
    assert sorted(seen) == list(range(8 << positions.bits))


def test_the_shortened_list_gives_way_to_the_full_one():
    positions = break_ties(np.arange(500, dtype=np.uint64), SYSTEM)
    span = Span(0, 500, 0, 512 << positions.bits)
    weights, cut = cut_menu(positions, Fraction(1, 2), Fraction(5), span)
    full = weights.complete()
    assert full.scores[: len(weights.scores)].tolist() == weights.scores.tolist()
    assert sum(full.counts.tolist()) == 512 << positions.bits
    starts = [cut(group, 0) for group in range(len(full.scores)) if full.count(group)]
    assert len(set(starts)) == len(starts)
    records = positions.between(0, 500)
    assert all(rank == sum(record < z for record in records) for z, rank in starts)


def test_records_that_share_one_position_are_still_cut():
    positions = break_ties(np.array([3] * 50, dtype=np.uint64), SYSTEM)._replace(ties=np.zeros(50, dtype=np.uint64))
    weights, cut = cut_menu(positions, Fraction(1, 2), Fraction(9), Span(0, 50, 0, 8 << positions.bits))
    assert weights.complete is None
    assert {cut(group, 0)[1] for group in range(len(weights.scores)) if weights.count(group)} == {0, 50}


def test_ties_are_refined_in_order():
    x = np.array([2, 2, 2, 5, 5, 9], dtype=np.uint64)
    places = break_ties(x, SYSTEM).between(0, 6)
    assert all(a <= b for a, b in pairwise(places))
    assert [place >> 3 for place in places] == x.tolist()


SAMPLES = {
    "uniform": (lambda rng: rng.integers(-(2**63), 2**63 - 1, 20_000), -(2**63), 2**63 - 1),
    "normal": (lambda rng: rng.normal(size=20_000), -1e12, 1e12),
    "atom": (lambda rng: np.where(rng.random(20_000) < 0.8, 7, rng.integers(0, 100, 20_000)), 0, 2**32),
    "constant": (lambda rng: np.full(20_000, 123), 0, 2**32),
    "two values": (lambda rng: rng.integers(0, 2, 20_000), 0, 1),
    "wide integers": (lambda rng: [2**90 + int(v) for v in rng.integers(0, 2**40, 20_000)], 0, 2**100),
}


@pytest.mark.slow
@over("name", SAMPLES)
@over("q", [[0.25, 0.5, 0.75], [i / 10 for i in range(1, 10)], [0.99]])
def test_answers_are_ordered_and_close(name, q):
    sampler, low, high = SAMPLES[name]
    x = sampler(np.random.default_rng())
    answers = pp.private_quantiles(x, q, low=low, high=high, epsilon=2)
    assert answers == sorted(answers)
    n = len(x)
    ordered = sorted(x.tolist() if isinstance(x, np.ndarray) else x)
    below = [sum(1 for a in ordered if a < v) for v in answers]
    upto = [sum(1 for a in ordered if a <= v) for v in answers]
    worst = max(max(0, b - τ * n, τ * n - u) for b, u, τ in zip(below, upto, q, strict=True))
    # levels · (2/ε_level)·(ln of the refined line + a margin of e^-30 per draw), halved at every step down the tree
    levels = math.ceil(math.log2(len(q) + 1))
    size = math.log(float(high - low) + 1 if not isinstance(low, float) else 2.0**64) + math.log(2 * n)
    assert worst <= 2 * levels * (size + 30) * 2


def test_dyadic_quantiles_on_an_enormous_line():
    x = [2**9000 + i for i in range(3000)]
    answers = pp.private_quantiles(x, [0.25, 0.75], low=0, high=2**10_000, epsilon=1, delta=1e-6, method="dyadic")
    assert 2**9000 <= answers[0] <= answers[1] < 2**9000 + 3000


def test_what_it_costs():
    ledger = pp.Ledger(Budget(2, 1e-5))
    pp.private_quantiles(range(1000), [0.25, 0.5, 0.75], low=0, high=999, epsilon=1, delta=1e-6, budget=ledger)
    assert ledger.spent == Budget(1)  # the pure method was good enough: no δ was spent
    pp.private_quantiles(range(99), [0.3, 0.6], low=0, high=9, on_invalid="clamp", epsilon=1, budget=ledger)
    assert [entry.theorem for entry in ledger.entries] == ["quantiles, Theorem 3"] * 2


@pytest.mark.parametrize(
    "q", [[1 / 3, 1 / 2], np.linspace(0.05, 0.95, 19), np.array([0.1, 0.5, 0.9], "f4"), [1e-300, 1 / 3]]
)
def test_quantiles_with_long_decimals_never_fail(q):
    for n in (1, 2, 2768):
        x = [0] * (n // 2) + [2**32] * (n - n // 2)
        answers = pp.private_quantiles(x, q, low=0, high=2**32, epsilon=0.1)
        assert len(answers) == len(q)
        assert answers == sorted(answers)


def test_one_quantile_is_as_good_as_a_median():
    assert pp.private_quantiles([77] * 200, [0.5], low=0, high=2**64 - 1, epsilon=1) == [77]


def test_delta_is_spent_only_where_it_helps():
    deciles = [i / 10 for i in range(1, 10)]
    ledger = pp.Ledger(Budget(2, 1e-5))
    pp.private_quantiles(range(10_000), deciles, low=0, high=2**64 - 1, epsilon=1, delta=1e-6, budget=ledger)
    assert ledger.spent == Budget(1)
    pp.private_quantiles(range(1000), [0.4, 0.6], low=0, high=2**9000, epsilon=1, delta=1e-6, budget=ledger)
    assert ledger.spent == Budget(2, 1e-6)


@pytest.mark.parametrize("q", [[], [0], [1], [0.5, 0.25], [0.5, 0.5], [math.nan], ["a"], [-0.1], 7, None])
def test_bad_quantiles(q):
    ledger = pp.Ledger(Budget(1))
    with pytest.raises((Refused, RefusedType)) as caught:
        pp.private_quantiles([1, 2, 3], q, low=0, high=9, epsilon=1, budget=ledger)
    assert caught.value.parameter == "q"
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize("x", [[], [987654321], [1, None], ["x"], np.zeros((2, 2), dtype=int)])
def test_bad_records(x):
    ledger = pp.Ledger(Budget(1))
    with pytest.raises((ValueError, TypeError)) as caught:
        pp.private_quantiles(x, [0.5], low=0, high=9, epsilon=1, budget=ledger)
    assert "987654321" not in str(caught.value)
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize(("cost", "method"), [(Budget(1), "exponential"), (Budget(1, 1e-6), "dyadic")])
def test_separate_quantiles_together_cost_what_they_are_charged(cost, method):
    separate = SeparateQuantiles(cost, Line(0, 9), QUARTILES, 10, method)
    assert sum((part.cost for part in separate.parts), Budget(0)) == cost


def test_what_runs_is_what_is_charged(monkeypatch):
    """Whatever the method, the parts that a release is made of cost no more than the entry in the ledger."""
    charged = []

    def spent(mechanism, *_):
        parts = getattr(mechanism, "parts", [mechanism])
        charged.append((mechanism.cost, sum((part.cost for part in parts), Budget(0)), len(parts)))
        return [0] * len(parts)

    monkeypatch.setattr("privpac.release.lines.quantiles.spend", spent)
    for q, method in (([0.1, 0.5, 0.9], "dyadic"), ([0.5], "dyadic"), ([0.1, 0.9], "auto")):
        pp.private_quantiles([1, 2, 3], q, low=0, high=9, epsilon=1, delta=1e-6, method=method)
    assert all(ran <= entry <= Budget(1, 1e-6) for entry, ran, _ in charged)
    assert charged[0] == (Budget(1, 1e-6), Budget(1, 1e-6), 3)
