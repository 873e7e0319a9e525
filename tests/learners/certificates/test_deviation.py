"""The bounds behind certificates: never below the probabilities they bound, and not far above."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr, gammaln, ndtr
from scipy.stats import binom

from privpac.learners.certificates.deviation import (
    CHORDS,
    Groups,
    by_costs,
    by_deviations,
    by_groups,
    by_kinds,
    by_pairs,
    by_small_costs,
    by_weighted_deviations,
    chance,
)
from privpac.refusals.option_words import Regime, words_of
from tests.grid import over

REGIMES = words_of(Regime)


def law(n, up, down):
    """The law of D, a sum of n terms that are 1, −1 or 0: values and probabilities."""
    step = np.array([down, 1 - up - down, up])
    total = np.ones(1)
    for _ in range(n):
        total = np.convolve(total, step)
    return np.arange(-n, n + 1), total


def exactly(M, h, n, up, down, log_r):
    """min(1, M·E[min(1, r^(h − D))])."""
    D, p = law(n, up, down)
    return min(1.0, M * float(p @ np.exp(np.minimum((h - D) * log_r, 0))))


EDGES = list(product([1, 7, 10**6], [0, 1, 12.5, 500], [0, 1, 2, 60], [0.001, 0.3, 0.999], [0.01, 0.5, 5]))


@over(("M", "h", "n", "alpha", "log_r"), EDGES)
def test_the_bound_holds_for_the_law_it_takes_for_the_worst(M, h, n, alpha, log_r):
    slack = 1 - 1e-9
    assert by_pairs(log(M), h, n, alpha, log_r, "realizable") >= slack * exactly(M, h, n, alpha, 0.0, log_r)
    agnostic = by_pairs(log(M), h, n, alpha, log_r, "agnostic")
    assert agnostic >= slack * exactly(M, h, n, (1 + alpha) / 2, (1 - alpha) / 2, log_r)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0, 8), st.floats(0, 30), st.integers(0, 80), st.floats(0.01, 0.99), st.floats(0, 1), st.floats(0.01, 4)
)
def test_the_bound_holds_for_every_law_with_this_excess(log_m, h, n, alpha, share, log_r):
    down = share * (1 - alpha) / 2
    bound = by_pairs(log_m, h, n, alpha, log_r, "agnostic")
    assert bound >= (1 - 1e-9) * exactly(exp(log_m), h, n, alpha + down, down, log_r)


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 8), st.floats(0, 30), st.integers(0, 300), st.floats(0.01, 0.98), st.floats(0.01, 4))
def test_more_records_and_worse_rules_make_it_less_likely(log_m, h, n, alpha, log_r):
    for regime in REGIMES:
        here = chance(log_m, h, n, alpha, log_r, regime)
        assert here >= chance(log_m, h, n + 1, alpha, log_r, regime) * (1 - 1e-12)
        assert here >= chance(log_m, h, n, alpha + 0.01, log_r, regime) * (1 - 1e-12)
        assert 0 <= here <= 1


@pytest.mark.parametrize("regime", REGIMES)
def test_nothing_is_promised_without_records_or_with_a_handicap_beyond_them(regime):
    assert chance(0, 0, 0, 0.1, 1, regime) == chance(0, 100, 50, 0.1, 1, regime) == chance(0, 0, 9, 0.0, 1, regime) == 1


@pytest.mark.parametrize("regime", REGIMES)
def test_a_base_that_no_float_holds_promises_no_more_than_a_large_one(regime):
    assert chance(0, 0, 9, 0.1, 1e6, regime) == chance(0, 0, 9, 0.1, 600, regime) < 1


@pytest.mark.parametrize("n", [200, 1000])
def test_the_bound_is_not_far_above_what_it_bounds(n):
    """A certificate that asked for twice the records would fail here: the exponents agree to 10 %."""
    for regime, down in (("realizable", 0.0), ("agnostic", 0.45)):
        exact = exactly(1, 0, n, 0.1 + down, down, 0.5)
        assert log(by_pairs(0, 0, n, 0.1, 0.5, regime)) <= 0.9 * log(exact) + 4 * log(log(n))


def test_a_record_less_in_the_handicap_would_be_seen():
    """With s^(h − 1) for s^h the bound fails for the very law it is made for: the test above can fail."""
    n, alpha, log_r, h = 60, 0.3, 0.5, 12.5
    assert by_pairs(0, h - 1, n, alpha, log_r, "realizable") < exp(0.5) * by_pairs(0, h, n, alpha, log_r, "realizable")
    assert (
        by_pairs(0, 20, 20, 0.999, 5, "realizable")
        >= exactly(1, 20, 20, 0.999, 0, 5)
        > by_pairs(0, 18, 20, 0.999, 5, "realizable")
    )


@over("n", (1, 2, 3, 10, 57, 400))
def test_the_binomial_tail_is_below_the_normal_one(n):
    """Lemma 5, with j + 1; with j + ½ instead it fails somewhere."""
    j, p = np.arange(n)[:, None], np.linspace(0, 1, 201)
    z = 2 * (j + 1 - n * p) / n**0.5
    assert (bdtr(j, n, p) <= ndtr(z) * (1 + 1e-9))[z <= 0].all()
    assert n < 2 or not (bdtr(j, n, p) <= ndtr(z - 1 / n**0.5))[z <= 0].all()


def selected(M, h, n, p, alpha, log_r, fair):
    """How often one of M bad rules wins an exponential mechanism.

    The numbers of errors are independent; if ``fair``, all bad rules err where the best one does not."""
    rng = np.random.default_rng(7)
    best = rng.binomial(n, p, size=4000)
    bad = rng.binomial(n, p + alpha, size=(4000, M)) if not fair else (n - best)[:, None].repeat(M, axis=1)
    weights = np.exp((h + best[:, None] - bad) * log_r).sum(axis=1)
    return float((weights / (1 + weights)).mean())


@pytest.mark.audit
@over(("M", "h", "n", "alpha", "log_r"), product([1, 40], [0, 3], [50, 400], [0.1, 0.3], [0.1, 1, 5]))
def test_the_best_rule_apart_holds_for_dependent_and_independent_errors(M, h, n, alpha, log_r):
    bound = float(by_deviations(log(M), h, n, alpha, log_r))
    for p in (0, 0.1, (1 - alpha) / 2, 1 - alpha):
        assert selected(M, h, n, p, alpha, log_r, fair=False) <= bound + 0.02
    assert selected(M, h, n, (1 - alpha) / 2, alpha, log_r, fair=True) <= bound + 0.02


def test_the_best_rule_apart_is_close_to_the_truth():
    """299 rules with independent errors: half as many records are not enough, and pairs ask for more."""
    n = 880
    assert by_deviations(log(150), 0, n, 0.1, 0.5) <= 0.05 < by_pairs(log(150), 0, n, 0.1, 0.5, "agnostic")
    assert selected(299, 0, n // 2, 0.45, 0.1, 0.5, fair=False) > 0.05


@over(("M", "n", "alpha", "log_r"), product([1, 7], [1, 20, 60], [0.05, 0.4], [0.2, 3]))
def test_one_rule_apart_exactly(M, n, alpha, log_r):
    """Against the exact law of two independent numbers of errors."""
    q = (1 - alpha) / 2
    best, bad = binom.pmf(np.arange(n + 1), n, q), binom.pmf(np.arange(n + 1), n, q + alpha)
    D = np.arange(n + 1)[None, :] - np.arange(n + 1)[:, None]
    weight = M * np.exp(-D * log_r)
    assert float(best @ (weight / (1 + weight)) @ bad) <= float(by_deviations(log(M), 0, n, alpha, log_r)) * (1 + 1e-9)


def test_chords_lie_above_the_share_that_they_bound_and_touch_it():
    """The proof of Lemma 8: any smaller multiple would be refuted, and min(1, W) is larger."""
    w = np.append(np.geomspace(1e-6, 1e6, 2000), [0.5, 2])
    above = sum(c * np.minimum(1, b * w) for b, c in CHORDS) / (w / (1 + w))
    assert 1 - 1e-12 <= above.min() <= 1 + 1e-12 and (above * w / (1 + w) <= np.minimum(1, w) + 1e-12).all()


def shares(n, p, alpha, log_r, kinds):
    """E[W/(1 + W)], W of rules that all err alike, independently of the best rule: the exact law."""
    best, bad = (binom.pmf(np.arange(n + 1), n, each) for each in (p, p + alpha))
    D = np.arange(n + 1)[None, :] - np.arange(n + 1)[:, None]
    W = sum(M * np.exp((k - D) * log_r) for M, k in kinds)
    return float(best @ (W / (1 + W)) @ bad)


@over(
    ("kinds", "n", "alpha", "log_r"),
    product([((1, 0),), ((5, -3), (1, 4)), ((400, -9), (2, 3))], [1, 12, 40, 90], [0.05, 0.4], [0.2, 0.5, 3]),
)
def test_several_kinds_of_rules_are_released_no_more_often_than_their_bound(kinds, n, alpha, log_r):
    """Lemma 9, for rules of all kinds that err together, whatever the best rule's error is."""
    bound = by_kinds(*zip(*((log(M), k) for M, k in kinds), strict=True), n, alpha, log_r)
    for p in (0, 0.2, (1 - alpha) / 2, 1 - alpha):
        assert shares(n, p, alpha, log_r, kinds) <= bound * (1 + 1e-9)


def test_the_bound_of_several_kinds_asks_for_few_records_too_many():
    """One heavy rule and 2000 light ones, all with independent errors: two thirds of the certified records fail."""
    n, kinds = 1035, ([0.0, log(2000)], [30, 0])
    assert by_kinds(*kinds, n, 0.1, 0.5) <= 0.05 < by_kinds(*kinds, n - 1, 0.1, 0.5)
    rng, few = np.random.default_rng(1), 2 * n // 3 - 30
    best, heavy = rng.binomial(few, 0.45, 1000), rng.binomial(few, 0.55, 1000)
    light = rng.binomial(few, 0.55, (1000, 2000)) - best[:, None]
    W = np.exp(30 / 2 - (heavy - best) / 2) + np.exp(-light / 2).sum(axis=1)
    assert (W / (1 + W)).mean() > 0.05


def test_a_handicap_forgotten_would_be_seen():
    """A bound without the handicap is refuted by a rule that errs where the best one does not."""
    best = np.arange(701)
    W = np.exp((30 - (700 - 2 * best)) * 0.5)
    exact = float(binom.pmf(best, 700, 0.45) @ (W / (1 + W)))
    assert by_kinds([0.0], [0], 700, 0.1, 0.5) < exact <= by_kinds([0.0], [30], 700, 0.1, 0.5)


def released(n, best, bad, log_r, kinds, cost=1):
    """E[W/(1 + W)], W of rules that all cost the same, independently of the best rule: the exact law.

    ``best`` and ``bad`` are the probabilities that a record costs 0, 1, … and ``cost``, the largest weight."""
    laws = []
    for each in (best, bad):
        total = np.ones(1)
        for _ in range(n):
            total = np.convolve(total, each)
        laws.append(total)
    D = (np.arange(n * cost + 1)[None, :] - np.arange(n * cost + 1)[:, None]) / cost
    W = sum(M * np.exp(np.minimum((k - D) * log_r, 600)) for M, k in kinds)
    return float(laws[0] @ (W / (1 + W)) @ laws[1])


KINDS = ((1, 0),), ((5, -3), (1, 4)), ((400, -9), (2, 3))


def small(kinds, n, alpha, log_r, cheapest):
    """The bound of Lemma 10 on several kinds."""
    return float(by_small_costs(*zip(*((log(M), k) for M, k in kinds), strict=True), n, alpha, log_r, cheapest))


@over(("kinds", "n", "alpha", "log_r"), product(KINDS, [1, 12, 40, 90], [0.05, 0.3, 0.6], [0.2, 0.5, 3, 50]))
def test_a_best_rule_that_costs_little_is_missed_no_more_often_than_its_bound(kinds, n, alpha, log_r):
    """Lemma 10: the bound for p₀ holds for all best rules that cost less, if costs are all or nothing."""
    for cheapest in (1 / 101, 1 / 11, 1 / 3):
        bound = small(kinds, n, alpha, log_r, cheapest)
        for p in (0, cheapest / 3, cheapest):
            assert released(n, (1 - p, p), (1 - p - alpha, p + alpha), log_r, kinds) <= bound * (1 + 1e-9)


@over(("kinds", "n", "log_r"), product(KINDS, [5, 30], [0.5, 3, 50]))
def test_costs_of_two_sizes_are_within_the_bound(kinds, n, log_r):
    """Errors cost 1 and 3: the constants cost at most ¾, of 3, and bad rules .2 more, of which a part is small."""
    for light in (0, 0.25, 0.5):
        heavy = (3 / 4 - light) / 3
        best, bad = (1 - light - heavy, light, 0, heavy), (0.8 - light - heavy, light, 0, heavy + 0.2)
        assert released(n, best, bad, log_r, kinds, 3) <= small(kinds, n, 0.2 - 1e-9, log_r, 1 / 4) * (1 + 1e-9)


def missed(n, p, alpha, M):
    """How often one of M rules with independent errors does no worse than the best one: the exact law."""
    j = np.arange(n + 1)
    return float(binom.pmf(j, n, p) @ -np.expm1(M * np.log1p(-np.minimum(binom.cdf(j, n, p + alpha), 1 - 1e-12))))


@over(("n", "p", "M"), product([100, 400], [0.02, 0.2, 0.4], [1, 10**3, 10**9]))
def test_the_best_of_many_rules_with_independent_errors_is_within_the_bound(n, p, M):
    assert missed(n, p, 0.1, M) <= small([(M, 0)], n, 0.1, 600, p) * (1 + 1e-9)


def test_half_of_what_a_best_rule_may_cost_would_be_refuted():
    """With p₀/2 for p₀ the bound is below the exact law, and so it would be if a rule that costs p₀/2 were missing."""
    n, p, alpha, M = 6000, 1 / 11, 0.05, 10**25
    half, whole = (small([(M, 0)], n, alpha, 600, each) for each in (p / 2, p))
    assert half < 0.01 < 0.08 < missed(n, p, alpha, M) < whole


def test_small_costs_are_one_more_bound_where_weights_differ():
    """The smaller of Lemmas 7 and 10; with p₀ = ½, and without weights, it is as if nothing were known of the costs."""
    sizes = log(300), 0, 700, 0.1
    assert by_small_costs([sizes[0]], [0], 700, 0.1, 0.5, 0.5) == 1
    assert float(by_costs(*sizes, 0.5, 0.5)) == float(by_weighted_deviations(*sizes, 0.5)) > 0.05
    assert float(by_costs(*sizes, 0.5, 1 / 11)) == by_small_costs([sizes[0]], [0], 700, 0.1, 0.5, 1 / 11) < 0.05
    assert chance(*sizes, 0.05, "agnostic", copies=10, cheapest=1 / 11) == float(by_costs(*sizes, 0.5, 1 / 11))
    assert chance(*sizes, 0.5, "agnostic", cheapest=1 / 11) == chance(*sizes, 0.5, "agnostic")
    fewer = [float(by_small_costs([5.0], [3], n, 0.1, 0.5, 1 / 11)) for n in range(50, 1500, 7)]
    assert fewer == sorted(fewer, reverse=True)
    large = [float(by_small_costs([0.0], [0], 50, α, 0.5, 0.2)) for α in (0.1, 0.29, 0.3, 0.31, 0.9)]
    assert large == sorted(large, reverse=True) and large[2] == large[-1]


def test_large_and_small_bases_give_probabilities():
    for log_r in (1e-9, 1e-3, 1, 600, 1e6):
        for n in (1, 1000, 10**6):
            assert 0 <= by_kinds([0.0, 3.0], [0, 9], n, 0.1, log_r) <= 1
            assert 0 <= by_small_costs([0.0, 3.0], [0, 9], n, 0.1, log_r, 1e-4) <= 1
    assert by_kinds([0.0], [0], 0, 0.1, 1) == by_kinds([0.0], [0], 9, 0.1, 0) == 1
    assert by_kinds([0.0], [0], 10**6, 0.1, 0.05) < 1e-9  # no overflow where privacy decides


def selected_of_two(n, masses, many, log_r):
    """How often an exponential mechanism selects one of two bad rules, each ``many`` times on its list: the exact law.

    Of the records, the first share are errors of the best rule alone, the second of both bad ones, the third and the
    fourth of one bad rule each, and the rest of none.
    """
    a, b, c = np.indices((n + 1,) * 3).reshape(3, -1)
    some = a + b + c <= n
    a, b, c = a[some], b[some], c[some]
    d = np.arange(n + 1)[:, None]
    left = n - a - b - c - d
    kept = np.maximum(left, 0)
    logs = np.log(np.array([*masses, 1 - sum(masses)]))
    p = np.where(
        left < 0,
        0,
        np.exp(
            gammaln(n + 1)
            - sum(gammaln(each + 1) for each in (a, b, c, d, kept))
            + sum(each * log_p for each, log_p in zip((a, b, c, d, kept), logs, strict=True))
        ),
    )
    weight = many * (np.exp((a - b - c) * log_r) + np.exp((a - b - d) * log_r))
    return float((p * weight / (1 + weight)).sum())


@pytest.mark.audit
@over("many", [1, 30, 10**4])
@over("log_r", [0.3, 1, 3])
@over(
    "masses",
    [
        (0.02, 0.7, 0.1, 0.1),
        (0.1, 0.5, 0.2, 0.15),
        (0.001, 0.4, 0.05, 0.5),
        (0.001, 0.94, 0.001, 0.05),
        (0.3, 0.69, 0.004, 0.002),
    ],
)
def test_similar_rules_are_selected_no_more_often_than_the_bound_of_groups(many, log_r, masses):
    """One group of two rules that differ on the third and the fourth share; exactly, for a few n."""
    best, both, one, other = masses
    alpha = both + min(one, other) - best - 1e-9
    for n in (5, 15, 30):
        exact = selected_of_two(n, masses, many, log_r)
        groups = Groups(1, one + other)
        for p in (None, 0.5, best):
            bound = by_groups(log(2 * many), 0, n, alpha, log_r, groups, p)
            assert exact <= bound * (1 + 1e-9)


def multinomial(n, shares):
    """All ways in which n records fall into cells with these shares, and their probabilities."""
    rest = np.indices((n + 1,) * (len(shares) - 1)).reshape(len(shares) - 1, -1).T
    rest = rest[rest.sum(axis=1) <= n]
    counts = np.column_stack([n - rest.sum(axis=1), rest])
    return counts, np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(shares))


@pytest.mark.audit
@over("seed", range(30))
@over("log_r", [0.05, 0.5, 2])
def test_groups_of_all_rules_that_differ_on_two_cells(seed, log_r):
    """Two groups, each with every pattern on two of four cells that is bad; exactly, as often as may be selected."""
    rng = np.random.default_rng(seed)
    shares, n, many = rng.dirichlet([2, 2, 2, 0.3]) * 0.99 + 0.0025, int(rng.integers(15, 40)), 10 ** rng.uniform(-1, 2)
    best, every = np.array([0, 0, 0, rng.integers(2)]), np.array(list(product((0, 1), repeat=4)))  # errors on each cell
    halves = [0, 1], [2, 3]
    bad = np.concatenate([every[every[:, fixed].all(axis=1)] for fixed in halves])  # and anything on the other half
    excess = bad @ shares - best @ shares
    bad, alpha = bad[excess > 0.4], excess[excess > 0.4].min(initial=1)
    counts, p = multinomial(n, shares)
    selected = np.minimum(1, many * np.exp(-log_r * (counts @ (bad - best).T)).sum(axis=1)) @ p
    mass = max(shares[half].sum() for half in halves)
    for p in (None, 0.5, min(float(best @ shares), 0.5)):
        bound = by_groups(log(many * len(bad)), 0, n, alpha - 1e-9, log_r, Groups(2, mass), p)
        assert selected <= bound * (1 + 1e-9)


def test_groups_bound_what_pairs_bound_and_fall_with_the_number_of_groups():
    """Where chance decides, few groups ask for fewer records; where rules of a group differ much, they gain nothing."""
    few, many = Groups(10, 0.01), Groups(10**6, 0.01)
    for p, bound in ((None, by_deviations), (0.5, by_weighted_deviations)):
        chances = [by_groups(25, 0, 2000, 0.1, 0.5, each, p) for each in (few, many)]
        assert chances[0] < chances[1] and chances[0] < float(bound(25, 0, 2000, 0.1, 0.5))
        assert by_groups(25, 0, 2000, 0.1, 0.5, Groups(10, 1.7), p) == 1
    assert by_groups(25, 0, 2000, 0.1, 1e6, few) == by_groups(25, 0, 2000, 0.1, 0, few) == 1


@pytest.mark.parametrize("copies", [1, 10])
def test_groups_are_one_more_bound(copies):
    """The certificate is the smallest bound; realizable labels, where they are not proved, do not use them."""
    groups = [Groups(528, 1 / 16), Groups(2, 1)]
    with_groups = chance(21.5, 0, 2400, 0.1, 0.5 / copies, "agnostic", copies=copies, groups=groups)
    assert with_groups == by_groups(21.5, 0, 2400, 0.1, 0.5, groups[0], 0.5 if copies > 1 else None)
    assert with_groups < chance(21.5, 0, 2400, 0.1, 0.5 / copies, "agnostic", copies=copies)
    exact = [chance(21.5, 0, 300, 0.1, 0.5, "realizable", groups=each) for each in (groups, [])]
    assert exact[0] == exact[1]
