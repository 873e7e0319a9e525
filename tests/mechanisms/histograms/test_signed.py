"""The signed histogram: its law by definition, releases, exact audits, order, scale."""

from fractions import Fraction
from itertools import product
from math import prod
from time import process_time

import numpy as np
import pytest
from flint import arb, ctx

from privpac.audit.claims.case import Case, labeled, tally_of
from privpac.data.samples.sample import Tally
from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.privacy.budget import Budget
from tests.audit.mechanism_mutants import EARLY_WEIGHTS
from tests.audit.mutants import Mutant, planted
from tests.grid import over
from tests.statistics import assert_matches


def tally(**counts):
    zeros, ones = (np.array([each[y] for each in counts.values()], dtype=np.int64) for y in (0, 1))
    return Tally(np.array(list(counts), dtype=object), zeros, ones)


def shown_by_definition(records, ε, δ, reach):
    """Every value with a positive record; w + Z where it is at least k₀, up to k₀ + reach."""
    values = {x for x, y in records if y == 1}
    w = {v: sum(1 if y else -1 for x, y in records if x == v) for v in sorted(values)}
    ρ = (-arb(ε.numerator) / (2 * ε.denominator)).exp()
    k0 = next(k for k in range(1, 10**4) if ρ ** (k - 1) / (1 + ρ) <= arb(δ.numerator) / δ.denominator)

    def chance(z):
        return (1 - ρ) / (1 + ρ) * ρ ** abs(z)

    def choices(v):
        listed = [((v, m), chance(m - w[v])) for m in range(k0, k0 + reach)]
        below = sum((chance(z) for z in range(-400, k0 - w[v])), arb(0))
        return [(None, below), *listed, ((v, k0 + reach), 1 - below - sum((p for _, p in listed), arb(0)))]

    found = {}
    for pick in product(*map(choices, w)):
        shown = sorted((item for item, _ in pick if item), key=lambda item: (-item[1], item[0]))
        found[tuple(shown)] = prod((p for _, p in pick), start=arb(1))
    return found


@over("ε", [Fraction(1), Fraction(4)])
@over(
    "records",
    [
        (("a", 1),),
        (("a", 0),),
        (("a", 1), ("a", 0), ("a", 0)),
        (("a", 1),) * 4 + (("b", 0), ("b", 1)),
        (),
    ],
)
def test_the_law_is_its_definition(ε, records):
    δ = Fraction(1, 10)
    with ctx.workprec(128):
        law = SignedHistogram(Budget(ε, δ)).law(tally_of(records), reach=4)
        defined = shown_by_definition(records, ε, δ, 4)
        assert law.keys() == defined.keys()
        assert all(abs(p - defined[outcome]) < 1e-25 for outcome, p in law.items())


@pytest.mark.audit
def test_releases_follow_the_law():
    """Of weights above and below the threshold, 3 and 0, where k₀ is 2."""
    mechanism, seen = SignedHistogram(Budget(2, "0.3")), tally(a=(0, 3), b=(1, 1), c=(4, 0))
    assert mechanism.least == 2
    data = mechanism.check(seen)
    with planted(Mutant("signed histogram", *EARLY_WEIGHTS)):
        early = mechanism.law(seen, reach=20)
    assert_matches(
        lambda: mechanism.release(data, SYSTEM),
        mechanism.law(seen, reach=20),
        must_reject=early,
    )


@pytest.mark.slow
@over(("ε", "δ"), [(1, "8.534e-7"), ("0.2", "0.31842"), (6, "0.047426"), (1, "0.6225"), (2, "0.9"), (3, "1e-9")])
@over(("values", "n"), [("abc", 1), ("abc", 2), ("ab", 3)])
def test_no_neighbors_refute_the_claim(ε, δ, values, n):
    cost = Budget(ε, δ)
    assert not Case(SignedHistogram(cost), tally_of, "", labeled(values), n, cost).exact().refuted


def test_only_positive_records_give_birth():
    mechanism = SignedHistogram(Budget("0.001", "0.99"))  # noise of about 2000, and k₀ = 1
    data = mechanism.check(tally(a=(5, 0), b=(0, 0), c=(3, 1)))
    assert data == {"c": -2}
    assert {value for _ in range(60) for value, _ in mechanism.release(data, SYSTEM)} == {"c"}


@over("seed", range(5))
def test_the_order_of_arrival_is_not_told(seed):
    mechanism, names = SignedHistogram(Budget(1, "0.5")), [f"v{i}" for i in range(9)]
    seen = Tally(np.array(names[::-1], dtype=object), np.zeros(9, np.int64), np.full(9, 4))
    shown = mechanism.release(mechanism.check(seen), Seeded(seed))
    assert list(shown) == sorted(shown, key=lambda item: (-item[1], item[0]))


@pytest.mark.parametrize(("ε", "δ"), [("1e-30", "0.3"), ("1e-300", "1e-9"), (10**6, "1e-9")])
def test_extreme_costs_release_something(ε, δ):
    mechanism = SignedHistogram(Budget(ε, δ))
    data = mechanism.check(tally(a=(0, 10**9), b=(3, 1)))
    assert {value for value, _ in mechanism.release(data, SYSTEM)} <= {"a", "b"}
    assert ε != 10**6 or dict(mechanism.release(data, SYSTEM)) == {"a": 10**9}


@pytest.mark.slow
def test_a_million_values_take_seconds():
    """Measured: 2 s on a busy machine. One draw at a time takes 40 s."""
    N = 10**6
    seen = Tally(np.arange(N).astype(object), np.zeros(N, np.int64), np.ones(N, np.int64))
    mechanism, start = SignedHistogram(Budget(1, 1e-6)), process_time()
    assert len(mechanism.release(mechanism.check(seen), SYSTEM)) < 20  # 0.85 are expected: more with chance 1e-20
    assert process_time() - start < 20
