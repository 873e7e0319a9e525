"""Public, stable and fallback candidates in one draw: the laws by definition, the releases, and what is refused."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from math import floor, inf, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.mechanisms import Public, Stable, discounted_exponential, public_stable_exponential
from privpac.mechanisms.selection.public_stable import (
    NO_PUBLIC,
    NO_STABLE,
    DiscountedExponential,
    PublicStableExponential,
    whole_steps,
)
from privpac.privacy.budget import Budget
from tests.sentinels import SECRET, assert_pays_first, assert_refused
from tests.statistics import assert_matches

F = Fraction


def rational(x):
    return fmpq(x.numerator, x.denominator)


def normalized(weights):
    """Weights by outcome, those of equal name added, as a law."""
    law = {}
    for outcome, weight in weights:
        law[outcome] = law.get(outcome, arb(0)) + weight
    total = sum(law.values(), arb(0))
    return {outcome: weight / total for outcome, weight in law.items()}


def shares(level, levels):
    return levels if levels is not None else (level + 1) * (level + 2)


def ps_em(fallback, stable, public, cap, ε, δ, levels):
    """The definition: r^max(0, C−err), min(a·r^(q−1), r^(C−err)), prior·r^(C−err)."""
    with ctx.workprec(200):
        r, prior = arb(rational(ε / 2)).exp(), arb(public.log_prior).exp()
        weights = [(name, r ** max(0, cap - err)) for name, err in fallback.items()]
        for name, level, q, err in zip(*stable[:4], strict=True):
            a = arb(rational(len(fallback) * δ / ((1 - δ) * shares(level, levels))))
            weights.append((name, min(a * r ** (q - 1), r ** (cap - err), key=lambda w: float(w.log()))))
        weights += [(name, prior * r ** (cap - err)) for name, err in zip(*public[:2], strict=True)]
        return normalized(weights)


def discounted(fallback, stable, ε, δ, levels):
    """The definition: r^(−err) and (a/r)·r^(−err)."""
    with ctx.workprec(200):
        r = arb(rational(ε / 2)).exp()
        weights = [(name, r ** (-err)) for name, err in fallback.items()]
        for name, level, _, err in zip(*stable[:4], strict=True):
            a = arb(rational(δ / ((1 - δ) * shares(level, levels))))
            weights.append((name, a * r ** (-err - 1)))
        return normalized(weights)


@st.composite
def candidates(draws, levels):
    level = draws(st.lists(st.integers(0, (levels or 9) - 1), max_size=6))
    size = {"min_size": len(level), "max_size": len(level)}
    support, errors = draws(st.lists(st.integers(1, 60), **size)), draws(st.lists(st.integers(0, 60), **size))
    return Stable([f"v{i}" for i in range(len(level))], level, support, errors)


FALLBACKS = st.dictionaries(st.sampled_from(["none", "all", "root"]), st.integers(0, 60), min_size=1)
LEVELS = st.none() | st.integers(1, 9)
ERRORS = st.lists(st.integers(0, 60), max_size=4)
EPSILON, DELTA = st.fractions(F(1, 10), 4), st.fractions(F(1, 10**9), F(99, 100))


def assert_same_law(law, defined):
    assert law.keys() == defined.keys()
    assert all(abs(p - defined[outcome]) <= 1e-13 * defined[outcome] + 1e-30 for outcome, p in law.items())


@pytest.mark.audit
@settings(max_examples=80, deadline=None)
@given(FALLBACKS, LEVELS, st.data(), ERRORS, st.floats(-9, 9), st.integers(-20, 80), EPSILON, DELTA)
def test_the_public_stable_law_is_its_definition(fallback, levels, data, errors, prior, cap, ε, δ):
    stable = data.draw(candidates(levels))
    public = Public([f"w{i}" for i in range(len(errors))], errors, log_prior=prior)
    law = PublicStableExponential(Budget(ε, δ), levels, cap).law((fallback, stable, public))
    assert_same_law(law, ps_em(fallback, stable, public, cap, ε, δ, levels))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 60), LEVELS, st.data(), EPSILON, DELTA)
def test_the_discounted_law_is_its_definition(err, levels, data, ε, δ):
    stable = data.draw(candidates(levels))
    stable = stable._replace(errors=[max(e, err - q) for e, q in zip(stable.errors, stable.support, strict=True)])
    law = DiscountedExponential(Budget(ε, δ), levels).law(({"none": err}, stable))
    assert_same_law(law, discounted({"none": err}, stable, ε, δ, levels))


def expanded(entries):
    """The same candidates, one entry each."""
    where = [j for j, count in enumerate(entries.counts) for _ in range(count)]
    names = [name for j, count in enumerate(entries.counts) for name in entries.names[j][:count]]
    columns = {f: np.asarray(getattr(entries, f))[where] for f in ("level", "support", "errors") if hasattr(entries, f)}
    return entries._replace(names=names, counts=None, **columns)


RUNS = Stable([["a", "b"], ["c"], ["d", "e", "f"]], [0, 2, 1], [3, 1, 9], [2, 7, 1], counts=[2, 0, 3])


def test_runs_are_short_for_their_members():
    public = Public([range(10, 14), ["x"]], [4, 0], [4, 1], log_prior=-1.0)
    mechanism = PublicStableExponential(Budget(1, 0.1), 4, 8)
    assert_same_law(
        mechanism.law(({"none": 5}, RUNS, public)),
        mechanism.law(({"none": 5}, expanded(RUNS), expanded(public))),
    )
    mechanism = DiscountedExponential(Budget(1, 0.1), 4)
    assert_same_law(mechanism.law(({"none": 5}, RUNS)), mechanism.law(({"none": 5}, expanded(RUNS))))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, object])
def test_counts_of_every_kind_are_read(dtype):
    runs = RUNS._replace(counts=np.array([2, 0, 3], dtype=dtype))
    assert discounted_exponential({"none": 5}, runs, epsilon=1, delta=0.1, levels=4) in {"none", *"abdef"}
    for _ in range(5):
        chosen = public_stable_exponential({"none": 5}, runs, cap=8, epsilon=1, delta=0.1, levels=4)
        assert chosen in {"none", *"abdef"}


def test_runs_may_be_astronomic():
    public = Public([range(2 ** (2**20))], [0], [2 ** (2**20)])
    assert public_stable_exponential({"none": 0}, public=public, cap=0, epsilon=1, delta=0.1) in range(2 ** (2**20))


@pytest.mark.audit
@pytest.mark.parametrize("levels", [None, 2])
def test_public_stable_releases_follow_the_law(levels):
    fallback, stable = {"none": 6}, Stable(["a", "b"], [0, 1], [9, 8], [2, 1])
    public = Public(["x"], [4], log_prior=-0.5)
    law, mutant = (ps_em(fallback, stable, public, 7, ε, F(1, 5), levels) for ε in (F(1), F(1, 2)))

    def release():
        return public_stable_exponential(fallback, stable, public, cap=7, epsilon=1, delta=0.2, levels=levels)

    assert_matches(release, law, must_reject=mutant, draws=2500)


@pytest.mark.audit
def test_discounted_releases_follow_the_law():
    fallback, stable = {"none": 9}, Stable(["a", "b"], [0, 0], [9, 2], [2, 8])
    law, mutant = (discounted(fallback, stable, F(1), δ, 1) for δ in (F(1, 5), F(2, 5)))
    assert_matches(
        lambda: discounted_exponential(fallback, stable, epsilon=1, delta=0.2, levels=1),
        law,
        must_reject=mutant,
        draws=2500,
    )


# Privacy, on a small class where records support the points they carry


def points(sample):
    """Points: a record (x, y) with y = 1 supports x; h_v errs where it differs from the label."""
    positives = Counter(x for x, y in sample if y)
    errors = {v: sum((x == v) != y for x, y in sample) for v in positives}
    names = sorted(positives)
    stable = Stable(names, [0] * len(names), [positives[v] for v in names], [errors[v] for v in names])
    return {"none": sum(y for _, y in sample)}, stable


def worst(law, ε, n=2):
    records = list(product("abc", [False, True]))
    laws = {sample: law(*points(sample)) for sample in product(records, repeat=n)}
    with ctx.workprec(128):
        base = arb(rational(ε)).exp()

        def divergence(P, Q):
            gaps = [p - base * Q.get(c, arb(0)) for c, p in P.items()]
            return sum((gap for gap in gaps if gap > 0), arb(0)).upper().fmpq()

        return max(
            divergence(P, laws[(*s[:i], record, *s[i + 1 :])])
            for s, P in laws.items()
            for i in range(n)
            for record in records
        )


@pytest.mark.parametrize(("ε", "δ"), [(F(1), F(1, 10)), (F(1, 4), F(1, 100)), (F(3), F(6, 10))])
def test_small_samples_do_not_refute_the_claims(ε, δ):
    discounted_law = DiscountedExponential(Budget(ε, δ), 1)
    capped = PublicStableExponential(Budget(ε, δ), 1, 3)
    assert worst(lambda f, s: discounted_law.law((f, s)), ε) <= rational(δ)
    assert worst(lambda f, s: capped.law((f, s, NO_PUBLIC)), ε) <= rational(δ)


def test_a_discount_that_is_too_small_is_caught():
    heavy = DiscountedExponential(Budget(1, F(13, 100)), 1)
    assert worst(lambda f, s: heavy.law((f, s)), F(1)) > rational(F(1, 10))


# The pieces


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), st.fractions(F(1, 10**9), 10**6).filter(bool))
def test_quotients_are_exact(values, rate):
    floors = whole_steps(np.array(values), rate, floor)
    assert [int(q) for q in floors] == [F(v) // rate for v in values]


def test_quotients_stop_beyond_every_difference_of_counts():
    tiny = F(1, 10**40)
    assert whole_steps(np.array([1.0, -1.0]), tiny, floor).tolist() == [2**62, -(2**62)]
    stable = Stable(["v"], [0], [2**60], [2**60])
    mechanism = PublicStableExponential(Budget(2 * tiny, F(1, 10**6)), 1, -(2**60))
    law = mechanism.law(({"none": 0}, stable, NO_PUBLIC))
    assert law["v"] < 1e-5  # by support: its discount counts, although q − 1 − (C − err) is near 3·2^60


def test_the_share_of_an_unbounded_level_falls():
    mechanism = PublicStableExponential(Budget(1, 0.5), None, 0)
    λ = mechanism.log_discounts(np.array([0, 1, 5, 0, 10**9]), 1)
    assert λ == pytest.approx(np.log([2, 6, 42, 2, (10**9 + 1) * (10**9 + 2)]))
    assert sum(F(1, (l + 1) * (l + 2)) for l in range(1000)) < 1


def test_a_well_supported_candidate_wins():
    nodes = Stable(pd.Index(["/", "/usr"]), np.array([0, 1], dtype=np.int8), pd.Series([900, 800]), (100, 0))
    assert public_stable_exponential({"none": 800}, nodes, cap=700, epsilon=1, delta=1e-6, levels=32) == "/usr"
    assert discounted_exponential({"none": 800}, nodes, epsilon=1, delta=1e-6, levels=32) == "/usr"


def test_without_candidates_the_fallback_remains():
    assert public_stable_exponential({"none": 5}, cap=3, epsilon=1, delta=1e-6) == "none"
    assert discounted_exponential({"none": 5}, NO_STABLE, epsilon=1, delta=1e-6) == "none"


def test_both_pay_first():
    fallback, stable = {"none": 9}, Stable(["a"], [0], [SECRET], [2])
    assert_pays_first(
        public_stable_exponential,
        *(fallback, stable),
        cap=5,
        epsilon=0.5,
        delta=1e-6,
        cost=Budget("0.5", "1e-6"),
        theorem="selection, Theorem 3",
    )
    assert_pays_first(
        discounted_exponential,
        *(fallback, stable),
        epsilon=0.5,
        delta=1e-6,
        cost=Budget("0.5", "1e-6"),
        theorem="selection, Theorem 4",
    )


# What is refused


GOOD = Stable(["a", "b"], [0, 1], [SECRET, 3], [1, 2])
BAD_STABLE = {
    "a name too few": GOOD._replace(names=["a"]),
    "a level too few": GOOD._replace(level=[0]),
    "a support too many": GOOD._replace(support=[SECRET, 3, 4]),
    "an error too few": GOOD._replace(errors=[1]),
    "no support": GOOD._replace(support=[SECRET, 0]),
    "negative support": GOOD._replace(support=[-SECRET, 3]),
    "negative level": GOOD._replace(level=[-1, 0]),
    "level beyond the last": GOOD._replace(level=[0, 4]),
    "negative errors": GOOD._replace(errors=[1, -2]),
    "real support": GOOD._replace(support=[float(SECRET), 3.0]),
    "support that is not a number": GOOD._replace(support=[nan, SECRET]),
    "infinite errors": GOOD._replace(errors=[inf, 1]),
    "boolean errors": GOOD._replace(errors=[True, False]),
    "huge support": GOOD._replace(support=[2**100, SECRET]),
    "two-dimensional support": GOOD._replace(support=[[SECRET, 3]]),
    "real counts": GOOD._replace(counts=[1.0, 1.0]),
    "negative counts": GOOD._replace(counts=[1, -SECRET]),
    "a count too few": GOOD._replace(counts=[1]),
}
BAD_FALLBACK = [{}, [("none", 1)], None, "none", {"none": -1}, {"none": nan}, {"none": float(SECRET)}, {"none": 2**61}]
BOTH = [(public_stable_exponential, {"cap": 5}), (discounted_exponential, {})]


@pytest.mark.parametrize("stable", BAD_STABLE.values(), ids=BAD_STABLE)
@pytest.mark.parametrize(("mechanism", "parameters"), BOTH, ids=["capped", "discounted"])
def test_bad_stable_candidates_are_refused(mechanism, parameters, stable):
    assert_refused(mechanism, {"none": SECRET}, stable, epsilon=1, delta=0.1, levels=4, **parameters)


@pytest.mark.parametrize("fallback", BAD_FALLBACK, ids=repr)
@pytest.mark.parametrize(("mechanism", "parameters"), BOTH, ids=["capped", "discounted"])
def test_bad_fallbacks_are_refused(mechanism, parameters, fallback):
    assert_refused(mechanism, fallback, GOOD, epsilon=1, delta=0.1, levels=4, **parameters)


@pytest.mark.parametrize(
    "public",
    [
        *(Public(["x"], [SECRET, 1]), Public(["x"], [-1]), Public(["x"], [float(SECRET)]), Public(["x"], [nan])),
        *(Public(["xy"], [1], [-SECRET]), Public(["xy"], [1], [1, 2]), Public(["xy"], [1], [1.0])),
        *(Public(["x"], [SECRET], log_prior=nan), Public(["x"], [SECRET], log_prior=inf)),
    ],
)
def test_bad_public_candidates_are_refused(public):
    assert_refused(public_stable_exponential, {"none": SECRET}, GOOD, public, cap=5, epsilon=1, delta=0.1)


@pytest.mark.parametrize(
    "parameters",
    [
        *({"epsilon": 0}, {"epsilon": nan}, {"delta": 0}, {"delta": 1}, {"delta": nan}, {"delta": 2}),
        *({"levels": 0}, {"levels": -1}, {"levels": 1.5}, {"levels": True}, {"levels": "3"}, {"rng": 7}),
    ],
    ids=repr,
)
@pytest.mark.parametrize(("mechanism", "own"), BOTH, ids=["capped", "discounted"])
def test_bad_parameters_are_refused(mechanism, own, parameters):
    assert_refused(mechanism, {"none": SECRET}, GOOD, **({"epsilon": 1, "delta": 0.1, "levels": 4} | own | parameters))


@pytest.mark.parametrize("cap", [1.5, nan, True, None, "5", 2**61, -(2**61)])
def test_bad_caps_are_refused(cap):
    assert_refused(public_stable_exponential, {"none": SECRET}, GOOD, cap=cap, epsilon=1, delta=0.1, match="cap")


def test_a_candidate_that_beats_the_fallback_by_more_than_its_support_is_refused():
    unfounded = Stable(["a"], [0], [3], [SECRET - 4])
    match = "beat the first fallback"
    assert_refused(discounted_exponential, {"none": SECRET}, unfounded, epsilon=1, delta=0.1, levels=1, match=match)
    founded = unfounded._replace(errors=[SECRET - 3])
    assert discounted_exponential({"none": SECRET}, founded, epsilon=1, delta=0.1, levels=1) in {"none", "a"}


def test_the_discounted_mechanism_needs_a_fallback_and_takes_others_as_public_candidates():
    assert_refused(discounted_exponential, {}, GOOD, epsilon=1, delta=0.1, match="at least one")
    one = Stable(["a"], [0], [2], [SECRET - 2])
    law = DiscountedExponential(Budget(2, 0.5), 1).law(({"none": SECRET, "all": SECRET - 1}, one))
    assert float(law["all"] / law["none"]) == pytest.approx(math.e)
    assert float(law["a"] / law["none"]) == pytest.approx(math.e)  # a = 1: r^(2 − 1)


@pytest.mark.parametrize("cost", [Budget(1, 1e-6), Budget(1, 7.9e-7), Budget("0.3", "0.01"), Budget(7, 1e-9)])
def test_the_minimum_is_decided_where_it_changes(cost):
    """A candidate weighs min(a·r^(q−1), r^(C−err)) also on the two steps around the one where both are nearest."""
    C, levels, fallback = 5, 3, {"nothing": 0}
    rate = cost.epsilon / 2
    with ctx.workprec(128):
        r, a = arb(rational(rate)).exp(), arb(rational(cost.delta / ((1 - cost.delta) * levels)))
        turn = int(float(-a.log() / arb(rational(rate)))) + C + 1
        decided = set()
        for q, errors in product(range(max(turn - 3, 1), turn + 4), (0, 1)):
            law = PublicStableExponential(cost, levels, C).law(
                (fallback, Stable(["v"], level=[0], support=[q], errors=[errors]), NO_PUBLIC)
            )
            by_support, by_errors = a * r ** (q - 1), r ** (C - errors)
            least = by_support if by_support < by_errors else by_errors
            decided.add(by_support < by_errors)
            assert float(law["v"] / law["nothing"] * r**C) == pytest.approx(float(least), rel=1e-9)
    assert decided == {False, True}
