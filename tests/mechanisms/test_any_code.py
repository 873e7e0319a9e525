"""One draw among sets of codes: errors by definition, and the law of proposals and rejections, whatever is heavy."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data.columns import objects
from privpac.data.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.any_code import AnyCodeExponential, Bearers, Envelope
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.statistics import assert_matches

CELLS = st.sets(st.sampled_from("abcd"), max_size=3).map(lambda codes: tuple(sorted(codes)))
RECORDS = st.lists(st.tuples(CELLS, st.booleans(), st.integers(1, 3)), max_size=7)


def bearers(records):
    points, labels = objects(x for x, *_ in records), np.array([y for _, y, _ in records], dtype=bool)
    return Bearers.of(Sample(points, labels, np.array([m for *_, m in records], dtype=np.int64), 99))


def errors(records, A):
    return sum(m for x, y, m in records if bool(set(x) & set(A)) != y)


def weights(mechanism, records):
    """By definition."""
    seen = sorted({code for x, y, _ in records if y for code in x})
    r, a = exp(float(mechanism.cost.epsilon / 2)), exp(mechanism.log_a)
    sets = [A for i in range(mechanism.k + 1) for A in combinations(seen, i)]
    return {frozenset(A): a ** len(A) * r ** -errors(records, A) for A in sets}


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.integers(1, 3))
def test_the_law_is_that_of_the_definition(records, k):
    mechanism = AnyCodeExponential(Budget(1, "0.3"), k, 3)
    expected = weights(mechanism, records)
    law, total = mechanism.law(bearers(records)), sum(expected.values())
    assert set(law) == set(expected)
    assert all(float(law[A]) == pytest.approx(expected[A] / total, rel=1e-9) for A in law)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(1, 3), st.integers(0, 4))
def test_proposals_and_rejections_give_every_set_its_weight(records, k, H):
    """Every proposal, every member and every sequence is listed; a set gets what its proposals pass on."""
    mechanism, data = AnyCodeExponential(Budget(1, "0.3"), k, 3), bearers(records)
    H = min(H, len(data.codes))
    envelope = Envelope(data, H, k, mechanism.cost.epsilon / 2, mechanism.log_a)
    rate, passed = float(envelope.rate), {}
    for (b, e, m, t), score, count, prior in zip(
        envelope.proposals, envelope.weights.scores, envelope.weights.counts, envelope.weights.log_prior, strict=True
    ):
        sets = [envelope._member(b, e, i) for i in range(envelope.listed[b][e])]
        assert len(set(sets)) == len(sets) and all(len(B) == b and data.errors(B) == e for B in sets)
        light = range(H, len(data.codes))
        sequences = [E for E in product(light, repeat=m) if sum(int(data.pos[v]) for v in E) == t]
        assert len(sequences) == envelope.sequences[m][t]
        assert count == len(sets) * len(sequences) * factorial(k) // factorial(m)
        for B, E in product(sets, sequences):
            more = data.errors((*B, *E)) - e + t
            assert more >= 0 if m else more == 0
            if len(set(E)) == m:
                A = frozenset(data.codes[v] for v in (*B, *E))
                each = exp(rate * int(score) + prior) / factorial(m) * exp(-rate * more)
                passed[A] = passed.get(A, 0) + each
    expected = weights(mechanism, records)
    assert set(passed) == set(expected)
    assert all(passed[A] == pytest.approx(expected[A], rel=1e-9) for A in passed)


MIXED = [(("a", "b"), True, 2), (("b", "c"), True, 1), (("c",), False, 1), (("a",), False, 1), (("d",), True, 1)]


@over("H", (0, 2, 4))
def test_releases_follow_the_law(H, monkeypatch):
    mechanism, data = AnyCodeExponential(Budget(2, "0.7"), 3, 2), bearers(MIXED)
    made = Envelope(data, H, 3, mechanism.cost.epsilon / 2, mechanism.log_a)
    monkeypatch.setattr(AnyCodeExponential, "envelope", lambda self, data: made)
    law = mechanism.law(data)
    unheard = AnyCodeExponential(Budget(2, "0.7"), 3, 1).law(data)
    assert_matches(lambda: mechanism.release(data, SYSTEM), law, must_reject=unheard, draws=6000)


def test_sequences_are_uniform():
    data = bearers([((code,), True, times) for code, times in zip("abcde", (1, 1, 2, 2, 3), strict=True)])
    envelope = Envelope(data, 0, 3, Fraction(1, 2), -1.0)
    found = {E: 0.0 for E in product(range(5), repeat=2) if sum(int(data.pos[v]) for v in E) == 4}
    law = dict.fromkeys(found, 1 / len(found))
    skewed = {E: 2 / 9 if 0 in E else 1 / 9 for E in found}
    assert_matches(lambda: envelope._sequence(2, 4, SYSTEM), law, must_reject=skewed, draws=20_000)


@over(("cost", "s"), product([Budget(1, 1e-6), Budget("0.2", "0.3"), Budget(6, "0.9")], [1, 2, 5]))
def test_a_is_as_large_as_privacy_allows(cost, s):
    a, odds = exp(AnyCodeExponential(cost, 3, s).log_a), float(cost.delta / (1 - cost.delta))
    spent = exp(float(cost.epsilon / 2)) * ((1 + a) ** s - 1)
    assert odds * (1 - 1e-5) < spent <= odds * (1 + 1e-9)


def test_light_codes_weigh_little_together():
    records = [((f"{i}",), True, 1) for i in range(500)] + [(("x", "y"), True, 90), (("y",), False, 40)]
    envelope = AnyCodeExponential(Budget(1, 1e-6), 3, 2).envelope(bearers(records))
    assert envelope.H == 2
