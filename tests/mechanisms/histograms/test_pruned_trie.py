"""Heavy prefixes: σ² and τ, the law against its definition, all neighbors, releases against the law, bad input."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp
from statistics import NormalDist

import numpy as np
import pytest

from privpac.audit.claims.case import Case, counts_by_code
from privpac.audit.exact_divergence import divergence
from privpac.data.samples.prefix_counts import Codes
from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie, prefix_counts
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.statistics import assert_matches


def gaussian(σ2):
    weights = {z: exp(-(z**2) / (2 * float(σ2))) for z in range(-2000, 2001)}
    whole = sum(weights.values())
    return {z: w / whole for z, w in weights.items()}


@over(("ε", "δ", "H"), [("1", "1e-6", 7), ("3", "1e-6", 7), ("8", "1e-6", 7), ("0.5", "0.01", 2), ("6", "0.3", 1)])
def test_the_threshold_is_the_least(ε, δ, H):
    """By a float sum over the law itself; a rounded normal quantile would be one too low at some of these."""
    trie = PrunedTrie(Budget(ε, δ), H)
    noise = gaussian(trie.variance)
    beyond = {τ: sum(p for z, p in noise.items() if 1 + z >= τ) for τ in (trie.least - 1, trie.least)}
    assert beyond[trie.least] <= float(trie.rare) * (1 + 1e-9)
    assert trie.least == 2 or beyond[trie.least - 1] > float(trie.rare) * (1 - 1e-9)
    assert 0 < trie.rare < trie.cost.delta


@over(("ε", "δ"), [("0.02", "1e-6"), ("0.0002", "1e-6"), ("1e-6", "1e-6"), ("1e-9", "1e-200"), ("1e-20", "1e-30")])
def test_wide_noise_has_a_threshold_at_once(ε, δ):
    """Near the normal quantile, which is right for wide noise, and not below it."""
    trie = PrunedTrie(Budget(ε, δ), 7)
    quantile = 1 - NormalDist().inv_cdf(float(trie.rare)) * float(trie.variance) ** 0.5
    assert quantile * (1 - 1e-12) - 1 <= trie.least <= quantile * (1 + 1e-6) + 2


@pytest.mark.slow
def test_noise_beyond_machine_integers_shows_no_single_record():
    trie = PrunedTrie(Budget("1e-20", "1e-30"), 2, "")
    assert float(trie.variance) ** 0.5 > 2**64
    assert all(set(trie.release(counts_by_code(("se", "cr")), SYSTEM)) == {""} for _ in range(20))


def test_the_law_is_the_algorithm():
    """Every outcome of a small tree, computed by enumerating the noise of each node."""
    trie = PrunedTrie(Budget(6, "0.1"), 2)
    noise = {z: p for z, p in gaussian(trie.variance).items() if abs(z) <= 6}
    counts, expected = {"a": 3, "aa": 2, "b": 1}, Counter()
    for (z, p), (y, q), (x, r) in product(noise.items(), repeat=3):
        shown = {"a": counts["a"] + z} if counts["a"] + z >= trie.least else {}
        if shown and counts["aa"] + y >= trie.least:
            shown["aa"] = counts["aa"] + y
        if counts["b"] + x >= trie.least:
            shown["b"] = counts["b"] + x
        expected[frozenset(shown.items())] += p * q * r
    law = trie.law(counts_by_code(("aa", "aa", "a", "b")), reach=20)
    assert {o for o, p in expected.items() if p > 1e-6} <= set(law)
    for outcome, p in law.items():
        assert float(p) == pytest.approx(expected[outcome], abs=1e-6)


COSTS = (Budget(6, "2.4e-6"), Budget(3, "0.03"), Budget(8, "0.2"))


@pytest.mark.slow
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_all_neighbors_are_within_the_claim(cost):
    """Of one record in a tree of height 2, alone and among records that make some of its nodes appear."""
    codes = ("aa", "ab", "a", "b", "", None)
    trie = PrunedTrie(cost, 2)
    for crowd in ((), ("ab",) * 2, ("aa",) * trie.least):
        found = Case(trie, counts_by_code, "", codes if len(crowd) < 3 else codes[1:], 1, cost, crowd=crowd).exact()
        assert not found.refuted, str(found)


def test_a_path_that_one_sample_has_is_paid_for_once():
    """However long it is: all of δ₀, and no more."""
    cost = Budget(2, "0.01")
    chances = []
    for H in (2, 5, 8):
        trie = PrunedTrie(cost, H)
        laws = [trie.law(counts_by_code((code * H,)), reach=0) for code in "ab"]
        chances.append(float(divergence(*laws, 2)) / float(trie.rare))
    assert all(0.3 < chance <= 1 for chance in chances)


@pytest.mark.audit
def test_releases_follow_the_law():
    cost, records = Budget(6, "0.1"), ("aa", "aa", "aa", "a", "b", "b")
    trie, data = PrunedTrie(cost, 2), counts_by_code(records)
    law, other = trie.law(data, reach=8), trie.law(counts_by_code((*records[1:], "b")), reach=8)
    checked = trie.check(data)

    def told():
        return frozenset((v, min(c, trie.least + 8)) for v, c in trie.release(checked, SYSTEM).items())

    assert_matches(told, law, must_reject=other, draws=2_500)


@pytest.mark.audit
def test_many_codes_take_no_loop_over_records():
    """10⁵ distinct codes: what is shown is near, prefixes of shown nodes are shown, and nothing is invented."""
    rng = np.random.default_rng(5)
    nodes = [f"{i:07d}"[::-1] for i in range(100_000)]
    counts = np.sort(rng.zipf(1.6, len(nodes)))[::-1].clip(1, 10**5)
    trie = PrunedTrie(Budget(1, "1e-6"), 7)
    shown = trie.release(trie.check(Codes(nodes, counts)), SYSTEM)
    σ, true = float(trie.variance) ** 0.5, prefix_counts(Codes(nodes, counts))
    assert len(shown) > 1000
    assert all(v[:-1] in shown or len(v) == 1 for v in shown)
    assert max(abs(shown[v] - true[v]) for v in shown) < 9 * σ  # Pr < 10⁵·2·Q(9) < 1e-13
    assert min(shown.values()) >= trie.least
    assert list(shown) == sorted(shown)


def test_the_order_of_records_does_not_show():
    trie, codes = PrunedTrie(Budget(50, "1e-6"), 3), [("x", "y"), ("a", "b", "c"), ("x",)]
    counts = np.array([400, 500, 600])
    shown = [
        list(trie.release(trie.check(Codes([codes[i] for i in order], counts[list(order)])), Seeded(3)))
        for order in ((0, 1, 2), (2, 1, 0))
    ]
    assert shown[0] == shown[1] == [("a",), ("a", "b"), ("a", "b", "c"), ("x",), ("x", "y")]


def test_nothing_is_looked_at_below_what_is_not_shown():
    seen = []

    def look(layer):
        seen.append(layer.counts.tolist())
        return layer.counts > 1

    Codes(["ab", "cde"], np.array([5, 1])).descend(look)
    assert seen == [[5, 1], [5]]


def test_nothing_is_looked_at_below_the_height():
    """Wherever codes are, however long: they are cut by whoever counts them, and here once more."""

    @dataclass
    class Endless:
        total = 500

        def descend(self, look):
            depth = 1
            while look(Same(depth)).any():
                depth += 1

    @dataclass
    class Same:
        depth: int
        counts = np.array([500])

        def nodes_at(self, which):
            return ["a" * self.depth] * len(which)

    trie = PrunedTrie(Budget(50, "1e-6"), 3)
    assert list(trie.release(trie.check(Endless()), SYSTEM)) == ["a", "aa", "aaa"]
    with pytest.raises(TypeError, match="give codes"):
        trie.check({"a": 500})


def test_the_root():
    cost = Budget(50, "1e-6")
    data = Codes(["a"], np.array([500]))
    released = PrunedTrie(cost, 1, root="").release(data, SYSTEM)
    assert abs(released[""] - 500) < 20 and list(released) == ["", "a"]
    empty = Codes([], np.array([], dtype=np.int64))
    assert PrunedTrie(cost, 1).release(PrunedTrie(cost, 1).check(empty), SYSTEM) == {}
    assert set(PrunedTrie(cost, 1, root=()).release(empty, SYSTEM)) == {()}


@pytest.mark.audit
def test_the_root_follows_the_law():
    """With a root, all that is released has the law of the proof; a root without noise has another."""
    trie, data = PrunedTrie(Budget(6, "0.1"), 1, root=""), counts_by_code(("a", "a", "b"))
    reach = 4
    law = trie.law(data, reach=reach)
    bare = {frozenset(shown | {("", 3)}): p for shown, p in PrunedTrie(trie.cost, 1).law(data, reach=reach).items()}
    checked = trie.check(data)

    def told():
        shown = trie.release(checked, SYSTEM)
        high = {v: min(c, trie.least + reach) for v, c in shown.items()}
        return frozenset((high | {"": max(high[""], -reach - 1)}).items())

    assert_matches(told, law, must_reject=bare, draws=2_500)


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_with_the_root_all_neighbors_are_within_the_claim(cost):
    """A record without a code changes the root's count; so does one that has the only code, in the other way."""
    found = Case(PrunedTrie(cost, 1, root=""), counts_by_code, "", ("a", "b", "", None), 1, cost, crowd=("a",)).exact()
    assert not found.refuted, str(found)


@pytest.mark.parametrize(
    ("codes", "named"),
    [
        (Codes(["a", "a"], np.array([1, 1])), "once"),
        (Codes(["a"], np.array([0])), "once"),
        (Codes(["a"], np.array([1, 2])), "once"),
        (Codes(["abc"], np.array([1])), "height"),
        (Codes(["a", "b"], np.array([2**62, 2**61])), "2\\^62"),
    ],
)
def test_what_is_refused(codes, named):
    with pytest.raises(ValueError, match=named):
        PrunedTrie(Budget(1, "1e-6"), 2).check(codes)


def test_unicode_and_half_characters():
    nodes = ["\U0001f600é", "\ud800", "é", ""]
    trie = PrunedTrie(Budget(50, "1e-6"), 2)
    shown = trie.release(trie.check(Codes(nodes, np.array([300, 200, 100, 7]))), SYSTEM)
    assert set(shown) == {"\U0001f600", "\U0001f600é", "\ud800", "é"}


def test_a_share_of_delta_is_a_fraction():
    assert isinstance(PrunedTrie(Budget(1, "1e-6"), 7).rare, Fraction)
