"""Reorder, slice, compute: what the slices hold, what they cost, and attempts to show that they cost more."""

from collections import defaultdict
from fractions import Fraction
from itertools import islice
from math import exp
from random import Random

import pytest
from flint import arb, ctx

from privpac.audit.exact import divergence, loss, worst, worst_divergence
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import Algorithm
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential, SparseExponential
from privpac.mechanisms.slicing import (
    THETAS,
    More,
    ReorderSliceCompute,
    Slice,
    per_slice,
    removals,
    slicing_cost,
    unmatched,
)
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Sealed
from tests.grid import over
from tests.statistics import assert_matches

F = Fraction


class Unclaimed(ReorderSliceCompute):
    """Slices without a claim about all of them: what the audits measure."""

    def __post_init__(self):
        pass


def slices(each, plan):
    return Unclaimed(Budget(0), each, plan)


def response(each):
    """A bit, told truly e^ε₀ times as often as not: the least private mechanism of its cost."""
    return DiscreteLaplace(each, 1, 0, 1)


def law(program, data):
    """The law of the releases, by states instead of runs: what was released and what is left."""
    states, ended = {((), tuple(data)): arb(1)}, defaultdict(lambda: arb(0))
    with ctx.workprec(128):
        while states:
            following = defaultdict(lambda: arb(0))
            for (released, left), p in states.items():
                if (step := program.plan(released)) is None:
                    ended[released] += p
                    continue
                ranked = sorted(left, key=step.key)
                for g, p_g in More(program.each.epsilon, len(left)).law(None).items():
                    taken, rest = ranked[: step.size + g], tuple(ranked[step.size + g :])
                    for y, p_y in step.mechanism.law(step.view(tuple(taken))).items():
                        following[(*released, y), rest] += p * p_g * p_y
            states = following
    return dict(ended)


def alternating(each, k, size=1, key=lambda record: record):
    """k slices in the same order; each tells whether its first record is odd, as well as ε₀ allows."""
    step = Slice(key, size, response(each), lambda taken: taken[0] % 2 if taken else 0)
    return lambda released: step if len(released) < k else None


def adaptive(each, k):
    """From the small end after an even release, from the large end after an odd one, in slices of changing size."""

    def plan(released):
        up = 1 - 2 * (sum(released) % 2)
        step = Slice(lambda record: up * record, len(released) % 3, Exponential(each), votes)
        return step if len(released) < k else None

    return plan


def votes(taken):
    return [sum(record % 3 == v for record in taken) for v in range(3)]


def hostile(each, k, seed):
    """Sizes and orders at random, and responses to a random property of the slice and of all that was released."""
    sizes = [Random(f"{seed} {i}").randrange(3) for i in range(k)]

    def plan(released):
        coin = Random(f"{seed} {released}")
        up = coin.choice((1, -1))

        def view(taken):
            return Random(f"{seed} {released} {sorted(taken)}").randrange(2)

        if len(released) == k:
            return None
        return Slice(lambda record: up * record, sizes[len(released)], response(each), view)

    return plan


class Look(Algorithm):
    """The slice itself, as it was handed over."""

    name, theorem, cost = "look", "nothing is promised", Budget(0)

    def run(self, data, ask):
        return data


def test_slices_are_disjoint_and_in_order():
    steps = [Slice(abs, 3, Look(), tuple), Slice(lambda x: -x, 0, Look(), tuple), Slice(abs, 50, Look(), tuple)]
    records = [5, -1, 3, -9, 2, 7, -3]  # by size −1, 2, 3, −3, 5, 7, −9
    program = slices(Budget(1), lambda released: steps[len(released)] if len(released) < 3 else None)
    for _ in range(50):
        first, second, third = program.release(records, SYSTEM)
        assert first[:3] == (-1, 2, 3)
        assert first == (-1, 2, 3, -3, 5, 7, -9)[: len(first)]
        assert (*second, *sorted(third, reverse=True)) == tuple(sorted(set(records) - set(first), reverse=True))
        assert list(third) == sorted(third, key=abs)


@pytest.mark.parametrize("records", [(), (4,), (1, 1, 2), (0, 3, 3, 7)])
def test_two_ways_to_the_law_agree(records):
    program = slices(Budget(1), adaptive(Budget(1), 2))
    one, two = program.law(records), law(program, records)
    assert {o: float(p) for o, p in one.items()} == pytest.approx({o: float(p) for o, p in two.items()})


@pytest.mark.slow
def test_releases_follow_the_law():
    program = slices(Budget(2), alternating(Budget(2), 2))
    right = {o: float(p) for o, p in law(program, (1, 2, 4)).items()}
    mutant = right | {(1, 0): right[0, 0], (0, 0): right[1, 0]}
    assert_matches(lambda: program.release((1, 2, 4), SYSTEM), right, must_reject=mutant, draws=2000)


def test_more_records_are_geometric():
    right = {g: float(p) for g, p in More(F(1, 2), 3).law(None).items()}
    assert right[3] == pytest.approx(exp(-1.5))
    assert_matches(lambda: More(F(1, 2), 3).release(None, SYSTEM), right, must_reject={0: 0.25, 1: 0.25, 2: 0.5})


# --- Theorems 1 and 2: one record more ---


def grown(n):
    """Samples of n records and what they become with one more: all places where it can be."""
    records = tuple(range(1, 2 * n, 2))
    return [(records, tuple(sorted((*records, x)))) for x in range(0, 2 * n + 1, 2)]


@over("seed", range(12))
@over("ε0", [F(1, 2), F(2)])
def test_one_record_more(seed, ε0):
    """Pr[D] ≤ e^(2ε₀)·Pr[D'] and Pr[D'] ≤ e^c·Pr[D] + δ_r, for hostile plans and all r and θ that matter."""
    each = Budget(ε0)
    program = slices(each, hostile(each, 3, seed))
    for D, D_ in grown(seed % 4):
        P, P_ = law(program, D), law(program, D_)
        assert loss(P, P_) <= arb(2 * ε0.numerator) / ε0.denominator
        for θ in (THETAS[0], F(1, 4), F(1)):
            assert all(divergence(P_, P, c) <= δ for c, δ in islice(removals(each, θ), 4))


@pytest.mark.slow
def test_the_bounds_are_nearly_met_for_large_costs():
    """At ε₀ = 2 hostile plans come close to both bounds, at r = 2 too: there is little slack to hide an error in."""
    each, found = Budget(2), []
    for seed in range(60):
        program = slices(each, hostile(each, 3, seed))
        for D, D_ in grown(2):
            P, P_ = law(program, D), law(program, D_)
            more = [float(divergence(P_, P, c) / δ) for c, δ in islice(removals(each, THETAS[0]), 2)]
            found.append((float(loss(P, P_)) / 4, *more))
    of_theorem_1, at_r_1, at_r_2 = (max(parts) for parts in zip(*found, strict=True))
    assert 0.8 < of_theorem_1 <= 1
    assert 0.8 < at_r_1 <= 1
    assert 0.6 < at_r_2 <= 1


def test_inner_deltas_count():
    """With a mechanism that has a δ₀ of its own the bounds hold too, and would not without it."""
    each = Budget(F(1, 4), F(1, 10))
    step = Slice(lambda x: x, 1, SparseExponential(each), lambda taken: {x: taken.count(x) for x in taken})
    program = slices(each, lambda released: step if len(released) < 2 else None)
    exceeded = []
    for D, D_ in grown(3):
        P, P_ = law(program, D), law(program, D_)
        assert divergence(P, P_, F(1, 2)) <= 0.1
        assert all(divergence(P_, P, c) <= δ for c, δ in islice(removals(each, F(1, 2)), 6))
        exceeded += [divergence(P_, P, c) > δ for c, δ in islice(removals(Budget(each.epsilon), F(1, 2)), 6)]
    assert any(exceeded)


def test_the_sum_of_unmatched_parts_is_that_of_its_terms():
    for ε, c, θ in [(F(1, 100), 0, F(1, 8)), (F(1, 10), F(3, 10), F(1)), (F(1), 0, F(1)), (F(1, 2), 5, F(3))]:
        ρ, K = exp(-ε), exp(c + ε)
        d, s, j, total = K * (exp(θ * ε) - 1), 0.0, 0, 0.0
        while s < 1:
            total, s, j = total + (1 - ρ) * ρ**j * (1 - s), d + K * s, j + 1
        assert float(unmatched(ε, F(c), θ)) == pytest.approx(total, rel=1e-9)


# --- Theorem 3: substitution ---


@pytest.mark.audit
@over("δ", [F(1, 2), F(1, 5), F(1, 20)])
@over("each", [Budget(F(1, 2)), Budget(1), Budget(F(1, 2), F(1, 1000))])
def test_no_pair_of_neighbours_refutes_the_cost(each, δ):
    cost = slicing_cost(each, δ)
    for plan, universe, n in ((adaptive(each, 3), (0, 1, 2), 3), (alternating(each, 4), (0, 1, 2, 5), 3)):
        program = ReorderSliceCompute(cost, each, plan)
        assert not worst_divergence(lambda S, program=program: law(program, S), universe, n, cost).refuted


def test_no_pair_of_neighbours_refutes_it_where_order_breaks_ties():
    each = Budget(1)
    cost = slicing_cost(each, F(1, 2))
    program = ReorderSliceCompute(cost, each, alternating(each, 3, key=lambda record: record // 2))
    assert not worst_divergence(lambda S: law(program, S), (0, 1, 2), 3, cost, ordered=True).refuted


SHIFTED = (tuple(range(1, 10)), tuple(range(9)))  # 9 became 0: every slice of one record changes its parity


class NoNoise(ReorderSliceCompute):
    """Slices of exactly the planned size."""

    def run(self, data, ask):
        return super().run(data, lambda mechanism, seen: 0 if isinstance(mechanism, More) else ask(mechanism, seen))


@pytest.mark.slow
def test_the_audit_refutes_slices_of_a_fixed_size():
    each, δ = Budget(1), F(1, 5)
    cost = slicing_cost(each, δ)
    broken, sound = (method(cost, each, alternating(each, 9)) for method in (NoNoise, ReorderSliceCompute))
    assert worst(broken.law, [SHIFTED], cost).refuted
    assert worst(lambda S: law(sound, S), [SHIFTED], cost).ratio < 0.5


# --- figures ---


FIGURES = [(0.01, 1e-6, 0.13), (0.05, 1e-6, 0.71875), (0.1, 1e-6, 1.50625), (0.1, 1e-10, 2.2)]


@pytest.mark.parametrize(("ε0", "δ", "total"), FIGURES)
def test_what_slices_cost_together(ε0, δ, total):
    assert slicing_cost(Budget(ε0), δ) == Budget(total, δ)


@pytest.mark.audit
@over("cost", [Budget(1, 1e-6), Budget(0.1, 1e-10), Budget(5, 1e-3)])
@over("δ0", [0, 1e-12])
def test_what_a_slice_may_cost(cost, δ0):
    each = per_slice(cost, δ0)
    assert slicing_cost(each, cost.delta) <= cost
    assert not slicing_cost(Budget(each.epsilon * F(101, 100), δ0), cost.delta) <= cost


def test_claims_are_checked_before_anything_is_spent():
    plan = alternating(Budget(0.05), 3)
    with pytest.raises(ValueError, match="per_slice"):
        ReorderSliceCompute(Budget(0.7, 1e-6), Budget(0.05), plan)
    ledger = Ledger(Budget(1, 1e-5))
    program = ReorderSliceCompute(Budget(0.72, 1e-6), Budget(0.05), plan)
    assert len(ledger.spend(program, Sealed([1, 2, 3]))) == 3
    assert ledger.spent == Budget(0.72, 1e-6)


@pytest.mark.parametrize(
    "step", [Slice(abs, 1, Exponential(Budget(2)), votes), Slice(abs, -1, Exponential(Budget(1)), votes)]
)
def test_plans_stay_within_their_slices(step):
    with pytest.raises(ValueError, match="the plan must ask"):
        slices(Budget(1), lambda released: step).release([1], SYSTEM)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: slicing_cost(Budget(1), 0), "delta"),
        (lambda: slicing_cost(Budget(0), 0.1), "epsilon"),
        (lambda: slicing_cost(Budget(0.1, 0.1), 0.05), "delta"),
        (lambda: per_slice(Budget(1)), "delta"),
        (lambda: per_slice(Budget(1, 1e-6), 1e-5), "slice"),
    ],
)
def test_costs_that_cannot_be(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_a_key_that_is_no_number_comes_last():
    """As first or as last of equals, a NaN among the keys must not turn the order of the others about."""
    each = Budget(F(1, 20))
    step = Slice(lambda x: x, 100, Exponential(each), lambda taken: [taken.count(1.0), 0])
    program = slices(each, lambda released: None if released else step)
    seen = []

    def ask(mechanism, data):
        if mechanism.cost == each:
            seen.append(data[0])
        return 0

    D = [3.0] * 200 + [1.0] * 200
    for records in (D, [*D[:200], float("nan"), *D[201:]], [float("nan"), *D[1:]]):
        program.run(records, ask)
    assert seen == [100, 100, 100]


def test_slices_that_cost_next_to_nothing_are_refused():
    with pytest.raises(ValueError, match="at least 1e-12"):
        slicing_cost(Budget(F(1, 10**22)), F(1, 10**6))
