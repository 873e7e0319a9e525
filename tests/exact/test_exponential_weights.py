"""The exact draw, attacked where it could be wrong: with the drawn number on the boundary between two groups.

Throughout this file
    b      the boundary (weight of groups 0 … j)/(total weight), known to many more bits than are played
    F      the first W bits of b, so that F − 1 lies below b and F + 1 above, whatever bits follow
"""

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import exp

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.exact import exponential_weights as module
from privpac.exact.entropy import SYSTEM, Entropy
from privpac.exact.exponential_weights import Weights, draw, integers, probabilities
from tests.grid import over
from tests.statistics import assert_matches

F = Fraction
HUGE = 2 ** (2**20)
RANDOM = np.random.default_rng(20)  # shapes the inputs only: what is asserted holds for every input


class Script(Entropy):
    """Plays the ``width`` bits of ``number``, then the byte ``after`` for ever; counts what it played."""

    private = False

    def __init__(self, number, width, after=0x5A):
        assert 0 <= number < 2**width and width % 8 == 0
        self.rest, self.after, self.read = number.to_bytes(width // 8, "big"), after, 0

    def octets(self, count):
        self.read += 8 * count
        assert self.read < 2**14, "the draw does not end"
        played, self.rest = self.rest[:count], self.rest[count:]
        return played + bytes([self.after]) * (count - len(played))


def boundaries(weights, bits):
    """b for each group but the last, straight from the definition, with ``bits`` bits or so."""
    rate = fmpq(weights.rate.numerator, weights.rate.denominator)
    priors = [0.0] * len(weights.scores) if weights.log_prior is None else weights.log_prior.tolist()
    with ctx.workprec(bits):
        exponents = [arb(rate * s) + arb(p) for s, p in zip(weights.scores.tolist(), priors, strict=True)]
        sums = list(accumulate(arb(weights.count(j)) * e.exp() for j, e in enumerate(exponents)))
        return [s / sums[-1] for s in sums[:-1]]


def first_bits(b, width):
    with ctx.workprec(2 * width + 4096):
        return int((b * arb(2) ** width).floor().unique_fmpz())


def selected(sums, number, width):
    """The group that U = 0.number… selects whatever bits follow, or None if that depends on them."""
    with ctx.workprec(2 * width + 4096):
        low, high = (arb(number + step) / arb(2) ** width for step in (0, 1))
        group = next((j for j, b in enumerate(sums) if high <= b), len(sums))
        return group if group == 0 or sums[group - 1] <= low else None


def assert_right_at(weights, sums, j, width):
    """The draw tells F − 1 from F + 1 at boundary j, and has read far enough to know. How often it was asked to."""
    asked = 0
    for number in (first_bits(sums[j], width) + step for step in (-1, 1)):
        group = selected(sums, number, width) if 0 <= number < 2**width else None
        if group is not None:
            coins = Script(number, width)
            assert draw(weights, coins) == group, (j, width, number)
            assert coins.read >= width, "decided before it could be known"
            asked += 1
    return asked


def assert_right_at_boundaries(weights, widths=(128, 192, 320), bits=1600):
    sums = boundaries(weights, bits)
    inner = [j for j, b in enumerate(sums) if 0 < b < 1]
    assert sum(assert_right_at(weights, sums, j, width) for j in inner for width in widths) >= len(widths)


CASES = {
    "plain": Weights(np.arange(24), F(1, 2)),
    "shuffled": Weights(RANDOM.permutation(60), F(1, 7)),
    "negative scores": Weights([-5, -900, -7, -5, -6], F(3, 11)),
    "priors": Weights(RANDOM.integers(0, 9, 20), F(1, 3), log_prior=RANDOM.normal(0, 4, 20)),
    "large priors": Weights([0, 1, 0, 2], F(1, 2), log_prior=[1e9, 1e9 - 3, 1e9 + 0.1, -1e9]),
    "counts": Weights(RANDOM.integers(0, 30, 20), F(1, 2), counts=RANDOM.integers(1, 10**9, 20)),
    "counts and priors": Weights([0, 4, 2], F(1), counts=[9, 1, 2**80], log_prior=[0.25, -1.5, -50.0]),
    "astronomic counts": Weights([0, 5, 9, 2], F(1, 2), counts=[HUGE, HUGE + 1, HUGE >> 7, 3 * HUGE]),
    "astronomic beside small counts": Weights([2**21, 0], F(1, 3), counts=[7, HUGE // 10**5]),
    "balanced by score": Weights([1453635, 0, 1453635], F(1, 2), counts=[1, HUGE, 5]),
    "unsigned counts": Weights([0, 1, 0], F(1), counts=np.array([2**63, 1, 2**64 - 1], dtype=np.uint64)),
    "zero counts": Weights([3, 3, 0, 1, 2, 9], F(1, 2), counts=[0, 2, 0, 0, 5, 0]),
    "zero counts of large scores": Weights([10**6, 3, 2, 10**6], F(1, 2), counts=[0, 1, 1, 0]),
    "tiny rate": Weights([0, 1, 2, 2**61], F(1, 10**40)),
    "vanishing rate": Weights([0, 1, 2], F(1, 10**400)),
    "rate 0": Weights([0, 7, 9], F(0), counts=[1, 5, 3]),
    "thirds": Weights([4, 4, 4], F(1, 2)),
}
DEEP = {
    "about the floor": Weights([0, 19, 20, 21, 719, 720], F(1)),
    "below the floor": Weights([0, 5, 800], F(1), counts=[1, 2**64 - 1, 1]),
    "huge span": Weights([0, 10**6, 10**6 + 1], F(1)),
}


@pytest.mark.slow
@over("case", CASES)
def test_the_draw_is_right_on_every_boundary(case):
    assert_right_at_boundaries(CASES[case])


@pytest.mark.parametrize("case", DEEP)
def test_the_draw_is_right_on_boundaries_that_are_deep_in_the_tail(case):
    assert_right_at_boundaries(DEEP[case], widths=(1152, 1280), bits=6000)


@pytest.mark.audit
def test_the_draw_is_right_on_a_boundary_among_a_million_groups():
    scores = np.arange(10**6) * 7919 % 10
    weights, j = Weights(scores, F(1, 10), np.ones(scores.size, dtype=np.int64)), 123_456
    with ctx.workprec(400):
        powers = [arb(fmpq(s, 10)).exp() for s in range(10)]
        part, total = (
            sum((int(c) * power for c, power in zip(np.bincount(s, minlength=10), powers, strict=True)), arb(0))
            for s in (scores[: j + 1], scores)
        )
        b = part / total
    assert [draw(weights, Script(first_bits(b, 128) + step, 128)) for step in (-1, 1)] == [j, j + 1]


@pytest.mark.parametrize("width", [64, 128, 192])
def test_dyadic_boundaries_belong_to_the_group_above(width):
    weights = Weights([3] * 8, F(1, 2))
    for j in range(1, 8):
        place = j << (width - 3)
        for after in (0x01, 0xFF):
            assert draw(weights, Script(place, width, after)) == j
        for after in (0x00, 0xFE):
            assert draw(weights, Script(place - 1, width, after)) == j - 1


def test_a_number_that_stays_on_the_boundary_is_read_on():
    coins = Script((1 << 63) << 960, 1024, after=0xFF)
    assert draw(Weights([1, 1], F(1)), coins) == 1
    assert coins.read > 1024


@over("number", [0, 1, 2**63, 2**64 - 2, 2**64 - 1])
def test_a_single_group_is_always_drawn(number):
    for weights in (Weights([5], F(1)), Weights([5, 9, 9], F(1), counts=[1, 0, 0]), Weights([1], F(1), [HUGE], [-1e9])):
        assert draw(weights, Script(number, 64)) == 0


@pytest.mark.parametrize(
    "weights",
    [
        Weights([1 - 2**62, 2**62 - 1], F(1)),
        Weights([0, 1], F(10**200)),
        Weights([0, 1], F(10**4000)),
        Weights([5, 0], F(1), log_prior=[-(2.0**50), 2.0**50]),
        Weights([0, 1, 2], F(10**6), counts=[HUGE, HUGE, 1]),
    ],
)
def test_an_overwhelming_group_is_drawn_wherever_the_number_falls(weights):
    winner = len(weights.scores) - 1
    for number in (1, 2**32, 2**63, 2**64 - 1):
        assert draw(weights, Script(number, 64)) == winner
    assert draw(weights, Script(1, 512)) == winner


def test_floats_usually_decide_and_then_eight_bytes_suffice():
    undecided = 0
    for case in ("plain", "shuffled", "priors", "counts", "counts and priors", "zero counts"):
        for _ in range(100):
            coins = Script(SYSTEM.bits(64), 64)
            draw(CASES[case], coins)
            undecided += coins.read > 64
    assert undecided == 0  # the bands cover less than 10^-8 of [0, 1): a false alarm has probability below 10^-5


# Many candidates are drawn by way of their scores

MANY_CANDIDATES = {
    "ties": (np.arange(500) % 7, F(1, 2)),
    "all equal": (np.full(64, 3), F(1)),
    "far ones": (np.array([0] * 40 + [-5] * 40 + [-10_000, -10_001, -(2**60)]), F(1, 2)),
    "a steep rate": (np.arange(200) // 2, F(10**6)),
    "a wide rate": (np.arange(5000) % 997, F(1, 300)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", MANY_CANDIDATES)
def test_many_candidates_are_right_on_the_boundaries_of_scores(case):
    """On both sides of boundaries between scores, the best first, in 128 bits."""
    scores, rate = MANY_CANDIDATES[case]
    gaps, counts = np.unique(scores.max() - scores, return_counts=True)
    sums = boundaries(Weights(-gaps, rate, counts), 1600)
    for j in {*range(min(len(sums), 9)), *range(0, len(sums), 97)}:
        if sums[j] < 1 - arb(2) ** -120:  # else no number of 128 bits lies beyond it
            number = first_bits(sums[j], 128)
            found = [draw(Weights(scores, rate), Script(number + step, 128)) for step in (-1, 1)]
            assert [scores.max() - scores[i] for i in found] == [gaps[j], gaps[j + 1]]


@pytest.mark.slow
def test_the_last_numbers_reach_the_farthest_candidate():
    scores, rate = MANY_CANDIDATES["far ones"]
    deep = draw(Weights(scores, rate), Script(2**14_000 - 1, 14_000))
    assert scores[deep] == -10_000 or scores[deep] == -10_001


@over("number", [0, 2**63, 2**64 - 1])
def test_many_candidates_at_the_ends_of_what_scores_may_be(number):
    """The last of these numbers is left to balls."""
    scores = np.array([1 - 2**62] * 63 + [2**62 - 1])
    for rate in (F(1), F(10**400)):
        assert draw(Weights(scores, rate), Script(number << 64, 128)) == 63


@pytest.mark.audit
def test_candidates_with_one_score_are_equally_likely():
    scores = np.array([0, 1] * 40)
    right = {i: exp(-(1 - i % 2) / 2) / (40 * (1 + exp(-0.5))) for i in range(80)}
    wrong = {i: (i < 40) / 40 for i in range(80)}
    assert_matches(lambda: draw(Weights(scores, F(1, 2)), SYSTEM), right, must_reject=wrong, draws=20_000)


def test_a_band_of_zero_among_scores_is_caught(monkeypatch):
    monkeypatch.setattr(module, "_band", lambda *_: 0.0)
    with pytest.raises(AssertionError):
        for case in MANY_CANDIDATES:
            test_many_candidates_are_right_on_the_boundaries_of_scores(case)


# What floats decide, and by what margin


def near_a_boundary(weights, data):
    j = data.draw(st.integers(0, len(weights.scores) - 1))
    b = ([*boundaries(weights, 300), arb(1)])[j].mid()
    offset = data.draw(st.sampled_from([-1, 1])) * (2 ** data.draw(st.integers(0, 40)) + data.draw(st.integers(-1, 1)))
    return min(max(first_bits(b, 64) + offset, 0), 2**64 - 1)


@st.composite
def any_weights(draws):
    scores = draws(st.lists(st.one_of(st.integers(-9, 9), st.integers(-(10**6), 10**6)), min_size=1, max_size=12))
    size = {"min_size": len(scores), "max_size": len(scores)}
    counts = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**63), st.integers(1, 2**300)), **size)
    priors = st.lists(st.floats(-50, 50) | st.floats(-1e6, 1e6), **size)
    rate = draws(st.fractions(0, 3, max_denominator=10**6) | st.fractions(0, F(1, 1000), max_denominator=10**12))
    return Weights(scores, rate, draws(st.none() | counts.filter(any)), draws(st.none() | priors))


@pytest.mark.audit
@settings(max_examples=150, deadline=None)
@given(any_weights(), st.data())
def test_what_floats_decide_balls_confirm(weights, data):
    number = data.draw(st.integers(0, 2**64 - 1)) if data.draw(st.booleans()) else near_a_boundary(weights, data)
    group = module._decided(*module._cumulative(weights), number)
    if group is not None:
        for after in (0x00, 0xFF):
            coins = Script((number << 64) + int.from_bytes(bytes([after]) * 8, "big"), 128, after=0xA5)
            coins.octets(8)
            assert module._decide_in_balls(weights, number, 64, coins) == group


def margins(weights):
    """The errors of the computed sums, as fractions of the total, and the band."""
    cumulative, band = module._cumulative(weights)
    true = boundaries(weights, 256)
    computed = cumulative[:-1].tolist()
    with ctx.workprec(256):
        errors = [float(abs(arb(c) / arb(float(cumulative[-1])) - b)) for c, b in zip(computed, true, strict=True)]
    return max(errors, default=0.0), band / cumulative[-1]


@over("case", CASES | DEEP)
def test_the_band_covers_the_errors_of_the_sums(case):
    error, band = margins((CASES | DEEP)[case])
    assert error <= band / 2


@pytest.mark.audit
@settings(max_examples=80, deadline=None)
@given(any_weights())
def test_the_band_covers_the_errors_of_any_sums(weights):
    error, band = margins(weights)
    assert error <= band / 2


def test_the_band_covers_the_errors_of_long_sums():
    size = 3 * module.BLOCK + 5
    scores = np.arange(size) % 3
    cumulative, band = module._cumulative(Weights(scores, F(1, 3)))
    with ctx.workprec(128):
        powers = [arb(fmpq(s, 3)).exp() for s in range(3)]
        total = sum((int(c) * p for c, p in zip(np.bincount(scores), powers, strict=True)), arb(0))
        for j in (0, 10, module.BLOCK - 1, module.BLOCK, 2 * module.BLOCK, size - 2):
            true = sum((len(range(s, j + 1, 3)) * powers[s] for s in range(3)), arb(0)) / total
            assert abs(arb(float(cumulative[j])) / arb(float(cumulative[-1])) - true) <= band / cumulative[-1] / 2
    assert (np.diff(cumulative) > 0).all()


@pytest.mark.audit
@settings(max_examples=80, deadline=None)
@given(any_weights())
def test_the_exponents_are_within_their_bound(weights):
    t, sizes, η = module._exponents(weights)
    live = [j for j in range(t.size) if t[j] >= module.FLOOR]
    top = int(np.argmax(t))
    with ctx.workprec(256):
        rate = fmpq(weights.rate.numerator, weights.rate.denominator)
        mantissas = np.ones(t.size) if sizes is None else sizes

        def exponent(j):
            prior = 0.0 if weights.log_prior is None else float(weights.log_prior[j])
            return arb(rate * int(weights.scores[j])) + arb(prior) + (weights.count(j) / arb(float(mantissas[j]))).log()

        for j in live:
            assert abs(arb(float(t[j])) - (exponent(j) - exponent(top))) <= 2 * η + 2.0**-50


# The exponential function


def relative_error(t):
    """The largest relative error of e^t over an array of exponents."""
    computed = t.copy()
    module.exponentiate(computed)
    with ctx.workprec(128):
        return max(
            float(abs(arb(y) / arb(x).exp() - 1))
            for x, y in zip(np.maximum(t, module.FLOOR).tolist(), computed.tolist(), strict=True)
        )


def many_exponents():
    random = np.random.default_rng()
    steps = -random.integers(0, 700 * module.FINE, 4000) / module.FINE
    edges = [-0.0, 0.0, -5e-324, -1e-310, -(2.0**-12), -(2.0**-60), -700.0, -700.1, -1e9, -1e300, -np.inf]
    return np.concatenate(
        [
            -random.uniform(0, 700, 4000),
            -random.exponential(1, 2000),
            -(10.0 ** random.uniform(-20, 2.8, 2000)),
            steps,
            np.minimum(np.nextafter(steps, 0), 0),
            np.nextafter(steps, -np.inf),
            edges,
        ]
    )


def test_the_exponential_function_is_within_its_bound():
    assert relative_error(many_exponents()) <= 2.0**-49


def test_the_exponential_function_is_exact_where_nothing_is_to_be_rounded():
    t = np.zeros(3)
    module.exponentiate(t)
    assert t.tolist() == [1.0, 1.0, 1.0]


def table_error(whole, fine):
    with ctx.workprec(200):
        entries = [(value, -arb(a)) for a, value in enumerate(whole.tolist())]
        entries += [(value, -arb(fmpq(b, len(fine)))) for b, value in enumerate(fine.tolist())]
        return max(float(abs(arb(value) / x.exp() - 1)) for value, x in entries)


def test_every_table_entry_is_within_its_bound():
    whole, fine = module._tables()
    assert len(whole) >= 702 and len(fine) == module.FINE
    assert table_error(whole, fine) <= 2.0**-52


class Meddled:
    """A precision that another thread keeps lowering: every second time it is not what was asked for."""

    def __init__(self):
        self.asked = 0

    def workprec(self, bits):
        self.asked += 1
        return ctx.workprec(20 if self.asked % 2 else bits)


def test_tables_are_right_whatever_other_threads_do_to_the_precision(monkeypatch):
    monkeypatch.setattr(module, "ctx", Meddled())
    assert table_error(*module._tables.__wrapped__()) <= 2.0**-52


def test_ln2_is_rounded_to_nearest():
    with ctx.workprec(200):
        assert abs(arb(module.LN2) - arb(2).log()) <= 2.0**-54


# The law


def perturbed(law):
    """The first outcome's odds are off by a factor of two."""
    scaled = {outcome: p * (2 if outcome == min(law) else 1) for outcome, p in law.items()}
    return {outcome: p / sum(scaled.values()) for outcome, p in scaled.items()}


LAWS = {
    "plain": Weights([0, 1, 2, 3], F(1, 2)),
    "counts": Weights([0, 2, 1], F(1), counts=[30, 4, 11]),
    "priors": Weights([1, 0, 1, 0], F(1, 3), log_prior=[0.0, 0.7, -0.4, 0.1]),
    "astronomic counts": Weights([0, 1], F(1), counts=[5 * HUGE, 2 * HUGE]),
    "zero counts": Weights([0, 50, 1], F(1, 4), counts=[1, 0, 2]),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LAWS)
def test_draws_follow_their_probabilities(case):
    weights = LAWS[case]
    law = {j: float(p) for j, p in enumerate(probabilities(weights)) if weights.count(j)}
    assert_matches(lambda: draw(weights, SYSTEM), law, must_reject=perturbed(law), draws=6000)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain", "zero counts"])
def test_balls_alone_follow_the_same_probabilities(case, monkeypatch):
    monkeypatch.setattr(module, "_decided", lambda *_: None)
    weights = LAWS[case]
    law = {j: float(p) for j, p in enumerate(probabilities(weights)) if weights.count(j)}
    assert_matches(lambda: draw(weights, SYSTEM), law, must_reject=perturbed(law), draws=6000)


@over("case", CASES)
def test_probabilities_are_tight_balls_about_the_law(case):
    weights = CASES[case]
    with ctx.workprec(256):
        sums = [arb(0), *boundaries(weights, 256), arb(1)]
        law = probabilities(weights)
        assert abs(sum(law, arb(0)) - 1) < 1e-30
        for p, below, above in zip(law, sums, sums[1:], strict=False):
            assert p.overlaps(above - below) and p.rad() < 1e-30
    assert all(p == 0 for j, p in enumerate(law) if weights.count(j) == 0)


# Shortened lists


FULL = Weights([0, 1, 0, -90, -95, -90], F(1, 2), counts=[1, 1, 2, 3, 0, 2**3])
SHORT = Weights([0, 1, 0], F(1, 2), counts=[1, 1, 2], complete=lambda: FULL)


@pytest.mark.parametrize("width", [128, 192, 256])
def test_a_shortened_list_draws_from_the_full_one(width):
    for j, b in enumerate(boundaries(FULL, 600)):
        place = first_bits(b, width)
        below, above = (draw(SHORT, Script(place + step, width)) for step in (-1, 1))
        assert (below, above) == {0: (0, 1), 1: (1, 2), 2: (2, 3), 3: (3, 5), 4: (3, 5)}[j]


def test_the_last_numbers_reach_what_is_not_listed():
    assert draw(SHORT, Script(2**64 - 1, 64, after=0xFF)) == 5
    assert draw(SHORT, Script(2**63, 64)) == draw(FULL, Script(2**63, 64))
    assert [SHORT.count(j) for j in range(6)] == [1, 1, 2, 3, 0, 8]


def test_a_list_that_is_full_is_not_completed():
    def complete():
        raise AssertionError("completed without need")

    assert draw(Weights([0, 1], F(1, 2), complete=complete), Script(2**63, 64)) == 1


# Mutants: broken code that the checks above must catch


def test_a_band_of_zero_is_caught(monkeypatch):
    cumulative = module._cumulative
    monkeypatch.setattr(module, "_cumulative", lambda weights: (cumulative(weights)[0], 0.0))
    for case in ("plain", "shuffled", "priors", "counts", "astronomic counts"):
        with pytest.raises(AssertionError):
            assert_right_at_boundaries(CASES[case])


def test_a_perturbed_table_is_caught(monkeypatch):
    whole, fine = module._tables()
    bent = fine * (1 + 1e-9 * (np.arange(len(fine)) == 17))
    assert table_error(whole, bent) > 2.0**-52
    monkeypatch.setattr(module, "_tables", lambda: (whole, bent))
    assert relative_error(np.array([-17.5 / module.FINE, -16.5 / module.FINE])) > 2.0**-49
    with pytest.raises(AssertionError):
        assert_right_at_boundaries(Weights([0, -17], F(1, 4096)))


def test_a_missing_term_of_the_cubic_is_caught(monkeypatch):
    def quadratic(t):
        steps = np.floor(t * module.FINE)
        r, index = t - steps / module.FINE, (-steps).astype(int)
        whole, fine = module._tables()
        t[:] = whole[index // module.FINE] * fine[index % module.FINE] * (1 + r * (1 + r / 2))

    monkeypatch.setattr(module, "exponentiate", quadratic)
    assert relative_error(-np.random.default_rng().uniform(0, 700, 1000)) > 2.0**-49


def test_a_draw_that_forgets_its_first_bits_is_caught(monkeypatch):
    in_balls = module._decide_in_balls
    monkeypatch.setattr(module, "_decide_in_balls", lambda w, _, k, coins: in_balls(w, coins.bits(64), k, coins))
    with pytest.raises(AssertionError):
        assert_right_at_boundaries(CASES["plain"])


# What is accepted as weights


@pytest.mark.parametrize(
    "scores",
    [
        [1, 2],
        (1, 2),
        iter([1, 2]),
        range(1, 3),
        np.array([1, 2], dtype=np.int8),
        np.array([1, 2], dtype=np.uint64),
        pd.Series([1, 2], index=[7, 3]),
        pd.Series([1, 2], dtype="Int64"),
        [np.int16(1), np.uint8(2)],
        np.array([1, 2], dtype=object),
    ],
)
def test_integers_of_every_kind_are_read(scores):
    weights = Weights(scores, F(1))
    assert weights.scores.dtype == np.int64 and weights.scores.tolist() == [1, 2]


def test_large_integers_stay_exact():
    assert integers([2**63, -1], "counts").tolist() == [2**63, -1]
    assert integers(np.array([2**64 - 1], dtype=np.uint64), "counts").tolist() == [2**64 - 1]
    assert Weights([0], F(1), counts=[HUGE]).count(0) == HUGE


@pytest.mark.parametrize(
    "values",
    [
        *([1.0], [1, 2.5], [float("nan")], [float("inf")], np.array([1.0]), [1j], [F(1)]),
        *([True], np.array([True]), [np.True_], [None], ["1"], "12", 3, None),
        *(pd.Series([1, None], dtype="Int64"), [pd.Timestamp(0)], np.array(["2020"], dtype="M8[D]")),
    ],
)
def test_what_is_no_integer_is_a_type_error(values):
    with pytest.raises(TypeError):
        integers(values, "scores")


@pytest.mark.parametrize("values", [np.zeros((2, 2), dtype=int), [[1, 2], [3, 4]], [[1], [2, 3]], np.array(3)])
def test_what_is_not_a_list_is_a_value_error(values):
    with pytest.raises(ValueError, match="one-dimensional"):
        integers(values, "scores")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], F(1)), "no candidates"),
        (([2**62], F(1)), "strictly between"),
        (([-(2**62)], F(1)), "strictly between"),
        (([2**100], F(1)), "strictly between"),
        ((np.array([2**63], dtype=np.uint64), F(1)), "strictly between"),
        (([1, 2], F(-1)), "rate"),
        (([1, 2], F(1), [1]), "counts"),
        (([1, 2], F(1), [1, -1]), "counts"),
        (([1, 2], F(1), [-HUGE, 1]), "counts"),
        (([1, 2], F(1), [0, 0]), "counts"),
        (([1, 2], F(1), []), "counts"),
        (([1, 2], F(1), None, [0.0]), "log_prior"),
        (([1, 2], F(1), None, [0.0, float("nan")]), "log_prior"),
        (([1, 2], F(1), None, [0.0, float("inf")]), "log_prior"),
        (([1, 2], F(1), None, [0.0, 1e300]), "log_prior"),
        (([1, 2], F(1), None, [0.0, -float("inf")]), "count 0"),
        (([1, 2], F(1), None, [[0.0], [1.0]]), "log_prior"),
    ],
)
def test_weights_that_make_no_sense_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Weights(*arguments)


def test_the_callers_scores_may_change_afterwards():
    scores = np.array([0, 100])
    weights = Weights(scores, F(1))
    scores[:] = 0
    assert weights.scores.tolist() == [0, 100]


@pytest.mark.parametrize(
    ("values", "kind"),
    [([], "i"), ([-(2**63), 2**63 - 1], "i"), ([2**63], "O"), ([-(2**63) - 1], "O"), ([2**70, 1], "O")],
)
def test_listed_integers_keep_their_values(values, kind):
    array = integers(values, "counts")
    assert array.tolist() == values and array.dtype.kind == kind


@pytest.mark.parametrize("values", [[1, True], [1, 2.0], ["1"], [None]])
def test_what_is_not_an_integer_is_refused(values):
    with pytest.raises(TypeError, match="must be integers"):
        integers(values, "counts")


def test_replaced_scores_bring_their_own_largest_one():
    changed = replace(Weights([1, 5, 2], Fraction(1, 2)), scores=np.array([3, 4, 9]))
    assert changed.top == 9 and changed.rate == Fraction(1, 2)
