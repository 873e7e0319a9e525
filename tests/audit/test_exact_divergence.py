"""Divergences are the suprema over events that they claim to be, and verdicts change exactly at the bound."""

from fractions import Fraction
from itertools import chain, combinations
from math import exp, log

import pytest
from flint import arb, ctx, fmpq

from privpac.audit.exact_divergence import divergence, loss, worst, worst_divergence
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget

LAWS = [
    {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    {"a": Fraction(1, 4), "b": Fraction(3, 4)},
    {"a": Fraction(1, 8), "b": Fraction(1, 8), "c": Fraction(3, 4)},
    {"c": Fraction(2, 3), "d": Fraction(1, 3)},
    {"d": Fraction(1)},
]
PAIRS = [(P, Q) for P in LAWS for Q in LAWS]


def balls(law):
    with ctx.workprec(128):
        return {outcome: arb(fmpq(p.numerator, p.denominator)) for outcome, p in law.items()}


def events(*laws):
    outcomes = sorted(set(chain(*laws)))
    return chain.from_iterable(combinations(outcomes, size) for size in range(len(outcomes) + 1))


def chance(law, event):
    return float(sum(law.get(outcome, 0) for outcome in event))


@pytest.mark.parametrize(("P", "Q"), PAIRS)
@pytest.mark.parametrize("epsilon", [0, 0.3, 2])
def test_divergence_is_the_largest_excess_of_any_event(P, Q, epsilon):
    largest = max(chance(P, event) - exp(epsilon) * chance(Q, event) for event in events(P, Q))
    assert float(divergence(balls(P), balls(Q), epsilon)) == pytest.approx(largest, abs=1e-15)


@pytest.mark.parametrize(("P", "Q"), PAIRS)
def test_loss_is_the_largest_ratio_of_any_event(P, Q):
    ratios = [
        log(chance(P, event) / chance(Q, event)) if chance(Q, event) else float("inf")
        for event in events(P, Q)
        if chance(P, event)
    ]
    assert float(loss(balls(P), balls(Q))) == pytest.approx(max(ratios), abs=1e-15)


@pytest.mark.parametrize(("P", "Q"), PAIRS)
def test_divergence_vanishes_from_the_loss_on(P, Q):
    if (least := float(loss(balls(P), balls(Q)))) < float("inf"):
        assert not divergence(balls(P), balls(Q), least + 1e-9) > 0
        assert least == 0 or divergence(balls(P), balls(Q), least - 1e-9) > 0


def geometric(sample):
    return DiscreteLaplace(Budget(1), 1, 0, 1).law(sample[0])


TINY = Fraction(1, 10**25)


def test_a_tight_pure_claim_is_met_and_anything_less_is_refuted():
    met = worst_divergence(geometric, (0, 1), 1, Budget(1))
    assert not met.refuted
    assert 0 < met.excess < 1e-30
    assert worst_divergence(geometric, (0, 1), 1, Budget(1 - TINY)).refuted
    assert not worst_divergence(geometric, (0, 1), 1, Budget(1 + TINY)).refuted


def test_a_tight_approximate_claim_is_met_and_anything_less_is_refuted():
    def reveals(sample):
        return {sample[0]: arb(1) / 4, None: arb(3) / 4}

    for epsilon in (0, 1, 10):
        assert not worst_divergence(reveals, "ab", 2, Budget(epsilon, Fraction(1, 4)), ordered=True).refuted
        assert worst_divergence(reveals, "ab", 2, Budget(epsilon, Fraction(1, 4) - TINY), ordered=True).refuted


def test_both_directions_are_tried():
    def one_sided(sample):
        return {"seen": arb(1) / 8, "other": arb(7) / 8} if "a" in sample else {"other": arb(1)}

    for pair in ((("a",), ("b",)), (("b",), ("a",))):
        found = worst(one_sided, [pair], Budget(1))
        assert found.refuted
        assert found.pair == (("a",), ("b",))
        assert float(found.ratio) == float("inf")


def test_order_matters_where_it_is_asked_for():
    def reveals_first(sample):
        return {sample[0]: arb(1)}

    assert worst_divergence(reveals_first, "ab", 2, Budget(1), ordered=True).refuted
    assert worst_divergence(reveals_first, "ab", 2, Budget(1), ordered=True).pairs == 4


def test_the_worst_pair_is_found_and_each_law_is_asked_for_once():
    asked = []

    def uneven(sample):
        asked.append(sample)
        p = {("a",): Fraction(1, 2), ("b",): Fraction(1, 3), ("c",): Fraction(1, 10)}[sample]
        return balls({0: p, 1: 1 - p})

    found = worst_divergence(uneven, "abc", 1, Budget(1))
    assert set(found.pair) == {("a",), ("c",)}
    assert float(found.value) == pytest.approx(log(5))
    assert sorted(asked) == [("a",), ("b",), ("c",)]
    assert "REFUTED: ('a',) against ('c',) costs 1.60944" in str(found)


def test_a_refuted_pair_is_not_hidden_by_others_without_bound():
    def law(sample):
        return {"x": arb(1)} if sample == ("a",) else {"y": arb(1)}

    found = worst_divergence(law, "abc", 1, Budget(1))
    assert found.refuted
    assert str(found).startswith("REFUTED: ('a',) against ('b',) costs inf, more than the claimed ε = 1")


def test_a_law_must_be_whole_and_narrow():
    with pytest.raises(ArithmeticError, match="add up to 1"):
        worst_divergence(lambda sample: {sample: arb(0.5)}, "ab", 1, Budget(1))
    with pytest.raises(ArithmeticError, match="add up to 1"):
        worst_divergence(lambda sample: {sample: arb.nan()}, "ab", 1, Budget(1, 0.5))
    with pytest.raises(ArithmeticError, match="compute the law more precisely"):
        loss({"x": arb(1), "y": arb(0, 1e-30)}, {"x": arb(1), "y": arb(1e-20)})
    with pytest.raises(ArithmeticError, match="compute the law more precisely"):
        loss({"x": arb(1), "y": arb(1e-20)}, {"x": arb(1), "y": arb(0, 1e-30)})


def test_there_must_be_a_pair():
    with pytest.raises(ValueError, match="at least two different records"):
        worst_divergence(geometric, (0,), 1, Budget(1))
