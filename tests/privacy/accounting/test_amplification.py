"""Amplification by exact enumeration: no pair exceeds the claim, and the worst mechanism attains it."""

from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import pytest
from flint import arb, ctx

from privpac.privacy.accounting.amplification import cost_on_subsample, redrawn, star_rate, star_replaced, subsampled
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball, rounded_up
from tests.grid import over

STAR = "⋆"
ROUNDING = arb(1e-14)  # costs are rounded up at their fifteenth digit


@pytest.fixture(autouse=True)
def precise():
    with ctx.workprec(192):
        yield


def divergence(P, Q, t: Fraction) -> arb:
    growth = ball(t).exp()
    return sum((x for x in (p - growth * q for p, q in zip(P, Q, strict=True)) if not x <= 0), arb(0))


def respond(bit: bool, cost: Budget) -> list[arb]:
    """The worst (ε, δ)-private answer to a yes-no question."""
    growth, δ = ball(cost.epsilon).exp(), ball(cost.delta)
    yes = [δ, (1 - δ) * growth / (1 + growth), (1 - δ) / (1 + growth), arb(0)]
    return yes if bit else yes[::-1]


def mixture(laws) -> list[arb]:
    laws = list(laws)
    return [sum((weight * law[o] for weight, law in laws), arb(0)) for o in range(len(laws[0][1]))]


def starred(mechanism, sample, q: Fraction) -> list[arb]:
    """The law of ``mechanism`` after each record was kept with probability q and replaced by ⋆ otherwise."""
    patterns = product((True, False), repeat=len(sample))
    return mixture(
        (
            ball(q ** sum(kept) * (1 - q) ** (len(kept) - sum(kept))),
            mechanism(tuple(x if keep else STAR for x, keep in zip(sample, kept, strict=True))),
        )
        for kept in patterns
    )


def sampled(mechanism, sample, m: int, shuffle: bool) -> list[arb]:
    """The law of ``mechanism`` on m records drawn without replacement, in sample order or in random order."""
    draws = list(permutations(sample, m) if shuffle else combinations(sample, m))
    return mixture((arb(1) / len(draws), mechanism(draw)) for draw in draws)


def drawn(mechanism, sample, m: int) -> list[arb]:
    """The law of ``mechanism`` on m draws from the sample, with replacement."""
    draws = list(product(sample, repeat=m))
    return mixture((arb(1) / len(draws), mechanism(draw)) for draw in draws)


def worst(law, n: int, t: Fraction, records=(0, 1)) -> arb:
    """The largest divergence over all ordered pairs of neighboring samples of size n."""
    laws = {sample: law(sample) for sample in product(records, repeat=n)}
    pairs = [(a, b) for a, b in product(laws, laws) if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    return max(divergence(laws[a], laws[b], t).upper() for a, b in pairs)


COSTS = [Budget(1, "0.01"), Budget("0.2"), Budget(3, "0.1")]


@over("cost", COSTS)
@over("q", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_star_replacement_holds_and_is_tight(cost, q):
    def law(sample):
        return starred(lambda kept: respond(kept[0] == 1, cost), sample, q)

    claim = star_replaced(cost, q)
    assert abs(worst(law, 2, claim.epsilon) - ball(claim.delta)) < ROUNDING
    assert worst(law, 2, claim.epsilon - Fraction(1, 10**4)) > ball(claim.delta) + 1e-7


@over("cost", COSTS)
@over(("m", "n"), [(1, 4), (2, 3), (3, 3)])
def test_subsampling_holds_and_is_tight(cost, m, n):
    def law(sample):
        return sampled(lambda kept: respond(1 in kept, cost), sample, m, shuffle=False)

    claim = subsampled(cost, m, n)
    assert abs(worst(law, n, claim.epsilon) - ball(claim.delta)) < ROUNDING
    assert worst(law, n, claim.epsilon - Fraction(1, 10**4)) > ball(claim.delta) + 1e-7


def counted_yes(seen: int, cost: Budget, least: Fraction) -> list[arb]:
    """Yes as often as an (ε, δ)-private answer may say it that says it with probability ``least`` at 0."""
    growth, p = ball(cost.epsilon).exp(), ball(least)
    for _ in range(seen):
        p = growth * p + ball(cost.delta)
    assert p <= arb(1) / 2
    return [p, 1 - p]


REDRAWN = [(1, 3), (2, 2), (2, 4), (3, 2), (3, 3), (4, 3)]


@over("cost", [Budget("0.7", "0.01"), Budget("0.3", "0.05"), Budget("0.7")])
@over(("m", "n"), REDRAWN)
def test_redrawing_holds_and_is_tight(cost, m, n):
    """All neighbors of size n and all n^m draws; the mechanism is private, and neither number can be smaller."""

    def inner(kept):
        return counted_yes(kept.count(1), cost, Fraction(1, 100))

    def law(sample):
        return drawn(inner, sample, m)

    assert worst(inner, m, cost.epsilon) <= ball(cost.delta) + ROUNDING
    claim = redrawn(cost, m, n)
    assert abs(worst(law, n, claim.epsilon) - ball(claim.delta)) < ROUNDING
    assert worst(law, n, claim.epsilon - Fraction(1, 10**4)) > ball(claim.delta) + 1e-7


@over("seed", range(10))
@over(("m", "n"), [(2, 2), (2, 3), (3, 2)])
def test_redrawing_for_arbitrary_mechanisms_that_read_the_order(seed, m, n):
    table, cost = random_mechanism(seed, (0, 1), m)
    claim = redrawn(cost, m, n)
    assert worst(lambda sample: drawn(table.get, sample, m), n, claim.epsilon) <= ball(claim.delta)


def test_redrawing_as_if_without_replacement_is_refuted():
    """The twin: ln(1 + (m/n)(e^ε − 1)), right without replacement, forgets that a record may be drawn twice."""
    cost, m, n = Budget("0.7", "0.01"), 2, 3
    law = {
        s: drawn(lambda kept: counted_yes(kept.count(1), cost, Fraction(1, 20)), s, m)
        for s in product((0, 1), repeat=n)
    }
    claim = subsampled(cost, m, n)
    assert divergence(law[1, 0, 0], law[0, 0, 0], claim.epsilon) > ball(claim.delta) + 1e-3


@over("m", [1, 10, 1000, 10**6])
def test_a_ninth_of_the_records_costs_a_fifth(m):
    claim = redrawn(Budget(1, "1e-6"), m, 9 * m)
    assert Fraction("0.174") < claim.epsilon < Fraction("0.191")
    assert Fraction("1.1e-7") < claim.delta < Fraction("1.23e-7")


def random_mechanism(seed: int, entries, length: int):
    """A table of laws of all inputs, with its measured δ at a random ε: the inner mechanism is arbitrary."""
    random = Random(seed)
    table = {}
    for x in product(entries, repeat=length):
        weights = [random.randint(1, 6) for _ in range(3)]
        table[x] = [arb(w) / sum(weights) for w in weights]
    ε = Fraction(random.randint(2, 20), 10)
    close = [(a, b) for a, b in product(table, table) if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    return table, Budget(ε, max(rounded_up(divergence(table[a], table[b], ε)) for a, b in close))


@over("seed", range(10))
def test_star_replacement_of_arbitrary_mechanisms(seed):
    table, cost = random_mechanism(seed, (0, 1, STAR), 2)
    claim = star_replaced(cost, Fraction(1, 3))
    assert worst(lambda sample: starred(table.get, sample, Fraction(1, 3)), 2, claim.epsilon) <= ball(claim.delta)


@over("seed", range(10))
def test_subsampling_in_random_order_of_arbitrary_mechanisms(seed):
    table, cost = random_mechanism(seed, (0, 1), 2)
    claim = subsampled(cost, 2, 3)
    assert worst(lambda sample: sampled(table.get, sample, 2, shuffle=True), 3, claim.epsilon) <= ball(claim.delta)


def test_a_mechanism_that_shows_the_stars_is_not_covered():
    """It hides which record it saw, but not whether it saw one: ε* holds between records and not toward ⋆."""
    cost, q = Budget("0.1"), Fraction(1, 2)

    def law(sample):
        def shows(kept):
            return [*(respond(kept[0] == 1, cost) if kept[0] != STAR else [arb(0)] * 4), arb(kept[0] == STAR)]

        return starred(shows, sample, q)

    assert worst(law, 1, star_replaced(cost, q).epsilon) > 0.01


def test_a_mechanism_that_reads_the_order_is_not_covered_in_sample_order():
    """Each position answered at ε*: drawing another record shifts the others, which costs more than ε*."""
    cost = Budget("0.7")

    def each(kept):
        first, second = (respond(x == 1, cost) for x in kept)
        return [p * r for p in first for r in second]

    claim = subsampled(cost, 2, 3)
    assert worst(lambda sample: sampled(each, sample, 2, shuffle=False), 3, claim.epsilon) > 0.005
    assert worst(lambda sample: sampled(each, sample, 2, shuffle=True), 3, claim.epsilon) < ROUNDING


@pytest.mark.parametrize("ε", ["0.001", "0.1", "0.5", "0.999"])
def test_the_rate_is_the_largest_for_its_epsilon(ε):
    cost = Budget(1, "1e-6")
    q = star_rate(cost, ε)
    assert 0 < q < 1
    assert star_replaced(cost, q) <= Budget(ε, q * cost.delta)
    assert star_replaced(cost, q * (1 + Fraction(1, 10**6))).epsilon > Fraction(ε)


def test_the_rate_beats_the_printed_one():
    """[BBKN14, Lemma 4.4] at ε* = ln 4, as the paper uses it."""
    inner, outer = arb(4), arb("0.5").exp()
    printed = (outer - 1) / (inner + outer - outer / inner - 1)
    assert ball(star_rate(Budget("1.38629436111989"), "0.5")) > 1.14 * printed


@over(("ε", "m", "n"), [("1", 10, 100), ("0.1", 1, 3), ("3", 5, 6), ("0.001", 1, 10**6), ("1", 7, 7)])
def test_what_is_allowed_on_some_records_uses_up_the_budget_and_no_more(ε, m, n):
    whole = Budget(ε)
    found = subsampled(cost_on_subsample(whole, m, n), m, n).epsilon
    assert whole.epsilon * (1 - Fraction(1, 10**12)) <= found <= whole.epsilon * (1 + Fraction(1, 10**14))


def test_keeping_everything_changes_nothing():
    cost = Budget("0.7", "1e-6")
    assert star_replaced(cost, 1) == subsampled(cost, 5, 5) == cost
    assert star_rate(cost, "0.7") == star_rate(cost, 2) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: subsampled(Budget(1), 11, 10),
        lambda: subsampled(Budget(1), 0, 10),
        lambda: subsampled(Budget(0), 1, 10),
        lambda: subsampled(Budget(1, 1), 1, 10),
        lambda: redrawn(Budget(1), 0, 10),
        lambda: redrawn(Budget(1), 1, 0),
        lambda: redrawn(Budget(0), 1, 10),
        lambda: star_replaced(Budget(1), 0),
        lambda: star_replaced(Budget(1), 1.5),
        lambda: star_replaced(Budget(1), -0.5),
        lambda: star_replaced(Budget(1), float("nan")),
        lambda: star_replaced(Budget(0), 0.5),
        lambda: star_rate(Budget(1), 0),
        lambda: star_rate(Budget(1), float("nan")),
        lambda: star_rate(Budget(0), 1),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r"\b(m|n|q|epsilon|delta)\b must"):
        call()


@pytest.mark.parametrize(("m", "n"), [(1.0, 10), (1, 10.0), (True, 10), ("1", 10)])
def test_sizes_are_integers(m, n):
    with pytest.raises(TypeError, match="must be an integer"):
        subsampled(Budget(1), m, n)
