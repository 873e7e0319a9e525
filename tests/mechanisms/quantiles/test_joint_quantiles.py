"""Joint quantiles: the law by its definition, draws that follow it, wide lines, floats, rounded weights."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from flint import arb, ctx

import privpac as pp
from privpac.audit.exact_divergence import worst_divergence
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.exact.powers import Powers, Sums
from privpac.mechanisms.quantiles import joint_quantiles
from privpac.mechanisms.quantiles.joint_quantiles import JointQuantiles, next_cells
from privpac.mechanisms.quantiles.several_quantiles import RefinedValues, break_ties
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from privpac.refusals.refusal import Refused
from tests.grid import over
from tests.statistics import assert_matches

THIRDS = Fraction(1, 3), Fraction(2, 3)
TAILS = Fraction(1, 10), Fraction(9, 10)
QUARTILES = tuple(Fraction(i, 4) for i in (1, 2, 3))


def defined(mechanism, values):
    """The law as the definition says: all tuples, listed."""
    n, m = len(values), len(mechanism.taus)
    wanted = np.diff([0, *(int(τ * n + Fraction(1, 2)) for τ in mechanism.taus), n])
    with ctx.workprec(128):
        weights = {}
        for cuts in combinations_with_replacement(range(mechanism.line.size), m):
            held = np.diff([0, *(sum(v < z for v in values) for z in cuts), n])
            weights[cuts] = ball(-mechanism.rate * int(np.abs(held - wanted).sum())).exp()
        total = sum(weights.values(), arb(0))
        return {cuts: weight / total for cuts, weight in weights.items()}


@over(
    "taus",
    [(Fraction(1, 2),), THIRDS, QUARTILES, (Fraction(1, 100), Fraction(1, 50)), (Fraction(98, 100), Fraction(99, 100))],
)
@over("values", [[0], [2, 2], [0, 3, 3], [1, 1, 1, 1, 4], [0, 1, 2, 3, 4, 4]])
@over("epsilon", ["1/10", "1", "12", "2000"])
def test_the_law_is_the_defined_one(taus, values, epsilon):
    mechanism = JointQuantiles(Budget(epsilon), Line(0, 4), taus)
    law, expected = mechanism.law(values), defined(mechanism, values)
    assert law.keys() == expected.keys()
    assert all(abs(float(law[cuts] / p) - 1) < 2**-30 for cuts, p in expected.items())


@pytest.mark.audit
@over(("last", "n", "taus", "reached"), [(3, 3, THIRDS, 0.55), (2, 5, QUARTILES, 0.85), (2, 6, TAILS, 0.999)])
@over("epsilon", [Fraction(1, 2), 9])
def test_no_neighbors_exceed_the_claim(last, n, taus, reached, epsilon):
    """All of them; some come near at a large ε."""
    mechanism = JointQuantiles(Budget(epsilon), Line(0, last), taus)
    found = worst_divergence(mechanism.law, range(last + 1), n, mechanism.cost)
    assert not found.refuted
    assert epsilon < 9 or float(found.ratio) > reached


def law_with_ties(mechanism, values):
    """The law of a release, tie bits and all."""
    ordered = mechanism.check(list(values))
    bits, law = len(ordered).bit_length(), Counter()
    with ctx.workprec(128):
        for ties in product(range(2**bits), repeat=len(ordered)):
            v, b = zip(*sorted(zip(ordered.tolist(), ties, strict=True)), strict=True)
            records = RefinedValues(np.array(v, dtype=ordered.dtype), np.array(b, dtype=np.uint64), bits)
            for cuts, p in mechanism._tuples(mechanism._cut_weights(records), len(mechanism.taus), None):
                law[tuple(mechanism._value(z, bits) for z in cuts)] += p / 2 ** (bits * len(ordered))
    return dict(law)


@pytest.mark.audit
@over("epsilon", [1, 6])
@over("n", [1, 2])
def test_tie_bits_keep_the_claim(n, epsilon):
    mechanism = JointQuantiles(Budget(epsilon), Line(0, 2), THIRDS)
    assert not worst_divergence(lambda sample: law_with_ties(mechanism, sample), range(3), n, mechanism.cost).refuted


@pytest.mark.audit
def test_releases_follow_the_law(monkeypatch):
    """Without ties, of which the law breaks none."""
    monkeypatch.setattr(joint_quantiles, "break_ties", lambda ordered, coins: RefinedValues.without_ties(ordered))
    law, mutant = (JointQuantiles(Budget(ε), Line(0, 3), THIRDS).law([0, 2, 3]) for ε in (6, 18))
    mechanism = JointQuantiles(Budget(6), Line(0, 3), THIRDS)
    checked = mechanism.check([0, 2, 3])
    assert_matches(lambda: tuple(mechanism.release(checked, SYSTEM)), law, must_reject=mutant, draws=2000)


@pytest.mark.slow
@over("wanted", [0, 1, 2, 7, 40])
@over("rate", [Fraction(1, 1000), Fraction(1, 4), Fraction(50)])
def test_cells_add_up_to_the_definition(wanted, rate):
    rng, powers = np.random.default_rng(3), Powers(rate, 2**50)
    F = Sums(1 + rng.random(40) * 0.2, rng.integers(-(10**6), 10**6, 40))
    G = next_cells(F, wanted, powers)
    with ctx.workprec(200):
        y = ball(rate).exp()
        terms = [arb(M) * y ** int(g) for M, g in zip(F.M, F.g, strict=True)]
        for i in (1, 2, 17, 39):
            true = sum((term * y ** -abs(i - j - wanted) for j, term in enumerate(terms[:i])), arb(0))
            assert abs(float(arb(float(G.M[i])) * y ** int(G.g[i]) / true) - 1) < 2**-38


def test_gaps_are_as_large_as_their_cuts():
    rng = np.random.default_rng(4)
    for line in (Line(0, 2**64 - 1), Line(0, 9), Line(-3.5, 100.0), Line(0, 2**200)):
        mechanism = JointQuantiles(Budget(1), line, THIRDS)
        values = [line.decode(int(v * (line.size - 1))) for v in rng.random(30)] * 2 + [line.low, line.high]
        records = break_ties(mechanism.check(values), SYSTEM)
        sizes = joint_quantiles.gap_sizes(records, line.room)
        cuts = [mechanism._cuts(records, gap) for gap in range(len(values) + 1)]
        assert all(first + count == after for (first, count), (after, _) in pairwise(cuts))
        unit = Fraction(float(sizes[0])) / cuts[0][1]
        for size, (_, count) in zip(sizes.tolist(), cuts, strict=True):
            assert abs(Fraction(size) - unit * count) <= unit * count / 2**45


def test_heavy_values_are_cut_in_two():
    assert pp.private_quantiles([7] * 500, [0.2, 0.5, 0.8], low=0, high=10**6, epsilon=1) == [7, 7, 7]
    zeros = np.where(np.arange(4000) % 2, 0.0, 1 + np.arange(4000) / 4000)
    answers = pp.private_quantiles(zeros, [0.1, 0.3, 0.9], low=-100.0, high=100.0, epsilon=1)
    assert answers[:2] == [0.0, 0.0]
    assert 1.7 < answers[2] < 1.9


def test_floats_weigh_by_length():
    """Half of the floats up to 100 are below 1e-150; half of the line is above 50."""
    drawn = [pp.private_median([0.0, 100.0], low=0.0, high=100.0, epsilon=0.001) for _ in range(60)]
    assert 10 < sum(value > 50 for value in drawn) < 50
    assert min(drawn) > 1e-6


@pytest.mark.parametrize("n", [1, 2, 50])
def test_nineteen_quantiles_of_few_records(n):
    q = [i / 20 for i in range(1, 20)]
    answers = pp.private_quantiles(list(range(n)), q, low=0, high=2**64 - 1, epsilon=0.01)
    assert answers == sorted(answers)
    assert len(answers) == 19


def test_an_epsilon_below_what_rounding_costs_is_refused():
    with pytest.raises(Refused, match="epsilon") as caught:
        pp.private_quantiles([1, 2, 3], [0.3, 0.6], low=0, high=9, epsilon=1e-8)
    assert caught.value.parameter == "epsilon"


def test_more_quantiles_are_those_of_a_distribution():
    ledger, x = pp.Ledger(Budget(2)), np.random.default_rng(5).integers(0, 1000, 5000)
    many = pp.private_quantiles(x, [i / 50 for i in range(1, 50)], low=0, high=1000, epsilon=1, budget=ledger)
    assert many == sorted(many)
    few = pp.private_quantiles(x, [0.5, 0.6], low=0, high=1000, epsilon=1, budget=ledger)
    assert len(few) == 2
    assert [entry.mechanism for entry in ledger.entries] == ["quantiles of a distribution", "joint quantiles"]
    assert ledger.spent == Budget(2)
