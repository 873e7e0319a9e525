"""Trees drawn from all trees: sums and laws against a list of all trees, exact audits, broken twins, extreme inputs."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy.stats import chi2

from privpac.audit.claims.case import Case, labeled
from privpac.data.samples.sample import MOST_LABELS
from privpac.exact.entropy import SYSTEM
from privpac.exact.exponential_weights import Weights, probabilities
from privpac.mechanisms.decision_trees.counts import CellRecords, PublicTests, literal_nets
from privpac.mechanisms.decision_trees.tree_exponential import (
    DEEPEST,
    ROUNDING,
    TreeExponential,
    TreePowers,
    mantissa_bits,
)
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from privpac.refusals.refusal import Refused
from tests.grid import over

BITS = PublicTests((np.array([[0, 1]], dtype=bool), np.array([[0, 1]], dtype=bool)))
MIXED = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], dtype=bool), np.array([[1, 0]], dtype=bool)))
U = 2.0**-53
SQUARE = [*labeled(list(product((0, 1), repeat=2))), None]


def in_bits(records):
    """Records of two bits and a label, some void."""
    valid = [record for record in records if record is not None]
    cells = np.array([x for x, _ in valid], dtype=np.intp).reshape(-1, 2).T
    return CellRecords.of(list(cells), np.array([1 if y else -1 for _, y in valid], dtype=np.int64), len(records))


def in_bits_of_three(records):
    """The same with three labels: 0, 1 and 2."""
    valid = [record for record in records if record is not None]
    cells = np.array([x for x, _ in valid], dtype=np.intp).reshape(-1, 2).T
    return CellRecords.by_label(list(cells), np.array([y for _, y in valid], dtype=np.intp), None, 3, len(records))


@cache
def all_trees(T, k, K=2):
    """Every tree of depth at most k, with its prior."""
    trees = {label: Fraction(1, 2 * K if k else K) for label in ((False, True) if K == 2 else range(K))}
    if k:
        sides = all_trees(T, k - 1, K)
        trees |= {(b, y, n): sides[y] * sides[n] / (2 * T) for b in range(T) for y in sides for n in sides}
    return trees


def says(tests, tree, cells):
    """The label of a tree for a record in these cells, by definition."""
    while isinstance(tree, tuple):
        b, yes, no = tree
        block, row = tests.place(b)
        tree = yes if tests.blocks[block][row, cells[block]] else no
    return tree


def gain(tests, tree, records):
    if records.w.ndim == 2:
        pairs = zip(records.cells.T, records.w.T, strict=True)
        return sum(int(w[says(tests, tree, cells)]) for cells, w in pairs)
    return sum(
        int(w) * (1 if says(tests, tree, cells) else -1) for cells, w in zip(records.cells.T, records.w, strict=True)
    )


def exact_law(tests, records, depths, rate, K=2):
    """prior·e^(rate·gain), normalized; the prior is that of each depth, added up."""
    priors = Counter()
    for depth in depths:
        for tree, prior in all_trees(tests.number, depth, K).items():
            priors[tree] += prior
    with ctx.workprec(256):
        weights = {tree: ball(prior) * ball(rate * gain(tests, tree, records)).exp() for tree, prior in priors.items()}
        total = sum(weights.values(), arb(0))
        return {tree: weight / total for tree, weight in weights.items()}


def some_records(seed, size=7, most=30):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(block.shape[1], size=size) for block in MIXED.blocks]
    w = rng.integers(-most, most + 1, size=size)
    return CellRecords.of(cells, w, int(np.abs(w).sum()))


@pytest.mark.slow
@over("seed", range(6))
@over("depth", (1, 2))
@over("ε", ("0.01", "1", "30"))
def test_the_law_is_that_of_all_trees_within_what_rounding_may_cost(seed, depth, ε):
    records, mechanism = some_records(seed), TreeExponential(Budget(ε), MIXED, depth)
    law, exact = mechanism.law(records), exact_law(MIXED, records, (depth,), mechanism.rate)
    assert set(law) == set(exact)
    with ctx.workprec(256):
        assert max(abs((law[tree] / exact[tree]).log()).upper() for tree in law) < ball(ROUNDING / 2)


@over("seed", range(3))
@over("depth", (1, 2))
@over("ε", ("0.01", "1", "30"))
@over("free", (False, True))
def test_the_law_of_three_labels_is_that_of_all_trees(seed, depth, ε, free):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(block.shape[1], size=7) for block in BITS.blocks]
    records = CellRecords.by_label(cells, rng.integers(3, size=7), rng.integers(30, size=7), 3, 7 * 30)
    mechanism = TreeExponential(Budget(ε), BITS, depth, 3, free)
    depths = range(1, depth + 1) if free else (depth,)
    law, exact = mechanism.law(records), exact_law(BITS, records, depths, mechanism.rate, 3)
    assert set(law) == set(exact)
    with ctx.workprec(256):
        assert max(abs((law[tree] / exact[tree]).log()).upper() for tree in law) < ball(ROUNDING / 2)


@over("ε", ("0.1", "2"))
@over("free", (False, True))
def test_two_labels_in_the_way_of_several_have_the_same_law(ε, free):
    """Rights at ε'/2 and gains at ε'/4 are the same exponential mechanism."""

    class InTheOtherWay(TreeExponential):
        several = True

    records = some_records(7)
    by_label = CellRecords(records.cells, np.stack([np.maximum(-records.w, 0), np.maximum(records.w, 0)]), records.size)
    usual = TreeExponential(Budget(ε), MIXED, 2, 2, free).law(records)
    other = InTheOtherWay(Budget(ε), MIXED, 2, 2, free).law(by_label)
    with ctx.workprec(256):
        assert max(abs((other[tree] / p).log()).upper() for tree, p in usual.items()) < ball(ROUNDING)


@pytest.mark.audit
def test_choices_of_three_tests_are_sums_over_all_trees():
    tests = PublicTests((MIXED.blocks[0][:1], MIXED.blocks[1]))
    rng = np.random.default_rng(0)
    cells, w = [rng.integers(block.shape[1], size=5) for block in tests.blocks], rng.integers(-9, 10, size=5)
    records, mechanism = CellRecords.of(cells, w, 45), TreeExponential(Budget(1), tests, 3)
    choices = probabilities(mechanism.choices(records, 3))
    expected = [arb(0)] * 3
    with ctx.workprec(128):
        y = cache(lambda g: ball(mechanism.rate * g).exp())
        for tree, prior in all_trees(2, 3).items():
            expected[0 if isinstance(tree, bool) else 1 + tree[0]] += ball(prior) * y(gain(tests, tree, records))
        total = sum(expected, arb(0))
        for p, q in zip(choices, expected, strict=True):
            assert abs(p / (q / total) - 1) < 2.0**-38


@over("rate", (Fraction(1, 4), Fraction(1, 10**9), Fraction(10**6, 3)))
@over("most", (100, 2**40))
def test_powers_are_as_exact_as_is_proved(rate, most):
    rng, powers = np.random.default_rng(1), TreePowers(rate, most)
    reach = int(min(most, 699 / rate))
    j = np.unique(np.concatenate([[0, reach], (rng.random(300) * reach).astype(np.int64)]))
    with ctx.workprec(128):
        for each, found in zip(j.tolist(), powers(j).tolist(), strict=True):
            assert abs(arb(found) / arb(fmpq(-rate.numerator * each, rate.denominator)).exp() - 1) < 1424 * U
    assert (powers(np.array([0, most, most])) > 0).all()


def test_regions_are_counted_by_definition():
    rng = np.random.default_rng(3)
    cells = [rng.integers(3, size=40), rng.integers(2, size=40)]
    w = rng.integers(-5, 6, size=40)
    records = CellRecords.of(cells, w, 200)
    holds = np.concatenate([block[:, cell] for block, cell in zip(MIXED.blocks, cells, strict=True)])
    literals = [np.concatenate([block[:, c], ~block[:, c]]) for block, c in zip(MIXED.blocks, cells, strict=True)]
    for among in ((), (0,), (1,), (0, 1), (1, 0), (0, 0)):
        regions = np.ones((1, 40), dtype=bool)
        for i in among:
            regions = (regions[:, None] & literals[i][None]).reshape(-1, 40)
        shape = [2 * len(MIXED.blocks[i]) for i in among]
        found = np.concatenate([together for _, together, _ in literal_nets(MIXED, records, *among)])
        alone = np.concatenate([np.atleast_1d(each) for _, _, each in literal_nets(MIXED, records, *among)])
        expected = (regions[:, None] & holds[None]) @ w
        assert found.tolist() == expected.reshape(*shape, 3).tolist()
        assert alone.ravel().tolist() == (regions @ w).tolist()


def case(kind=TreeExponential, ε=1, n=4, crowd=(), depth=2):
    return Case(kind(Budget(ε), BITS, depth), in_bits, "two bits", SQUARE, n, Budget(ε), crowd=crowd)


@pytest.mark.audit
@pytest.mark.parametrize(("ε", "n", "crowd", "tight"), [(1, 4, 0, 0.8), (1, 1, 14, 0.99), ("0.1", 1, 140, 0.099)])
def test_no_neighbors_refute_it_and_some_come_close(ε, n, crowd, tight):
    found = case(ε=ε, n=n, crowd=(SQUARE[1],) * crowd).exact()
    assert not found.refuted
    assert found.value > tight


def case_of_three(kind=TreeExponential, ε=1, n=1, crowd=(((0, 0), 1),) * 14, depth=1, free=False):
    """Three labels."""
    universe = [*product(product((0, 1), repeat=2), range(3)), None]
    mechanism = kind(Budget(ε), BITS, depth, 3, free)
    return Case(mechanism, in_bits_of_three, "two bits, three labels", universe, n, Budget(ε), crowd=crowd)


@pytest.mark.parametrize(("ε", "n", "beside", "tight"), [(1, 1, 14, 0.98), ("0.1", 1, 140, 0.098), (3, 2, 3, 2.9)])
@pytest.mark.parametrize("free", [False, True])
def test_no_neighbors_with_three_labels_refute_it_and_some_come_close(ε, n, beside, tight, free):
    found = case_of_three(ε=ε, n=n, crowd=(((0, 0), 1),) * beside, free=free).exact()
    assert not found.refuted
    assert found.value > tight


@pytest.mark.audit
@pytest.mark.parametrize("free", [False, True])
def test_no_neighbors_refute_deeper_trees_with_three_labels(free):
    found = case_of_three(depth=2, free=free).exact()
    assert not found.refuted
    assert found.value > 0.98


class OnlyTestsThatSplit(TreeExponential):
    """A test that holds for all or none of the records is not asked."""

    def choices(self, records, k):
        weights = super().choices(records, k)
        for b in range(self.tests.number):
            if not all(len(side.w) for side in records.split_by(self.tests, b)):
                weights.counts[1 + b] = 0
        return weights


class StopWhenPure(TreeExponential):
    """Where all records have one label, nothing is asked."""

    def choices(self, records, k):
        weights = super().choices(records, k)
        if abs(records.net) == records.net_bound:
            weights.counts[1:] = 0
        return weights


class WeightsAsFloats(TreeExponential):
    """Weights are plain floats, which are 0 below 2^-1074."""

    def choices(self, records, k):
        weights = super().choices(records, k)
        small = np.exp(float(weights.rate) * (weights.scores - weights.scores.max()))
        floats = small * (weights.counts.astype(np.float64) * 2.0 ** -mantissa_bits(2))
        return Weights(0 * weights.scores, weights.rate, [int(Fraction(each) * 2**1074) for each in floats.tolist()])


class TwiceTheRate(TreeExponential):
    """A weight is e^(−ε·errors)."""

    @property
    def rate(self):
        return 2 * super().rate


@pytest.mark.slow
@pytest.mark.parametrize("kind", [OnlyTestsThatSplit, StopWhenPure])
def test_candidates_that_depend_on_records_are_refuted(kind):
    found = case(kind, n=2).exact()
    assert found.refuted
    assert not found.value.is_finite()


def test_weights_that_vanish_are_refuted():
    """Fifteen records make it hopeless to stop; at some number of them, one less brings the weight back from 0."""
    losses = []
    for size in range(13, 17):
        crowd = (SQUARE[1], SQUARE[6]) * size
        with np.errstate(under="ignore"):
            losses.append(case(WeightsAsFloats, n=1, ε=100, crowd=crowd, depth=1).exact().value)
        assert not case(n=1, ε=100, crowd=crowd, depth=1).exact().refuted
    assert not all(loss.is_finite() for loss in losses)


def test_twice_the_rate_is_refuted():
    assert case(TwiceTheRate, n=1, crowd=(SQUARE[1],) * 14).exact().refuted


class GainsAtTheRateOfRights(TreeExponential):
    """A record that is labeled wrongly counts −1, as with two labels, and the rate is still ε/2."""

    @property
    def rate(self):
        return 2 * super().rate


class LabelsThatOccur(TreeExponential):
    """A leaf has one of the labels of its records."""

    def label_weights(self, records):
        weights = super().label_weights(records)
        return Weights(weights.scores, weights.rate, (records.net > 0).astype(np.int64) if records.net.any() else None)


class DeepestThatFits(TreeExponential):
    """The depth is the largest for which some tree errs less often than shallower ones."""

    def choices(self, records, *depths):
        weights, width = super().choices(records, *depths), 1 + self.tests.number
        best = [weights.scores[i * width : (i + 1) * width].max() for i in range(len(depths))]
        kept = best.index(max(best))
        weights.counts[: kept * width] = weights.counts[(kept + 1) * width :] = 0
        return weights


@pytest.mark.parametrize("kind", [GainsAtTheRateOfRights, LabelsThatOccur])
def test_broken_twins_of_three_labels_are_refuted(kind):
    assert case_of_three(kind).exact().refuted


def test_a_depth_that_depends_on_records_is_refuted():
    two_labels = ((0, 0), 0), ((0, 1), 1)  # a third one, elsewhere, needs a second test
    assert case_of_three(DeepestThatFits, depth=2, crowd=two_labels, free=True).exact().refuted


@pytest.mark.audit
def test_draws_follow_the_law():
    """Chi-square over the 202 trees, lumped; refuses a fair draw once in 10^6, and one of twice the rate always."""
    records = in_bits([SQUARE[1]] * 3 + [SQUARE[4]] * 2 + [SQUARE[7]])
    real, twice = TreeExponential(Budget(2), BITS, 2), TwiceTheRate(Budget(2), BITS, 2)
    law = {tree: float(p) for tree, p in real.law(records).items()}
    common = sorted(law, key=law.get, reverse=True)[:20]

    def statistic(mechanism, runs=600):
        drawn = [mechanism.release(records, SYSTEM) for _ in range(runs)]
        seen = np.array([drawn.count(tree) for tree in common])
        p = np.array([law[tree] for tree in common])
        seen, p = np.append(seen, runs - seen.sum()), np.append(p, 1 - p.sum())
        return ((seen - runs * p) ** 2 / (runs * p)).sum()

    bar = chi2.isf(1e-7, 20)
    assert statistic(real) < bar < statistic(twice)


@pytest.mark.parametrize("ε", ["1e-9", "1", "1000000"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_extreme_counts_leave_every_tree_possible(ε, depth):
    cells = [np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])]
    mechanism = TreeExponential(Budget(ε), MIXED, depth)
    for w in ([2**37] * 6, [-(2**37)] * 6, [2**37, -(2**37)] * 3, [0] * 6, [2**37, 0, 0, 0, 0, -1]):
        records = CellRecords.of(cells, np.array(w), 2**40)
        weights = mechanism.choices(mechanism.check(records), depth)
        assert all(weights.count(j) > 0 for j in range(4))
        mechanism.release(records, SYSTEM)


@pytest.mark.parametrize("ε", ["1e-9", "1", "1000000"])
@pytest.mark.parametrize("K", [3, MOST_LABELS])
def test_extreme_counts_of_several_labels_leave_every_tree_possible(ε, K):
    cells = [np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])]
    mechanism = TreeExponential(Budget(ε), MIXED, 3, K, draws_depth=True)
    for labels in ([K - 1] * 6, [0, K - 1] * 3, [0, 1, 2, 0, 1, 2]):
        for counts in ([2**37] * 6, [0] * 6, [2**37, 0, 1, 0, 2**37, 5]):
            records = CellRecords.by_label(cells, np.array(labels), np.array(counts), K, 2**40)
            weights = mechanism.choices(mechanism.check(records), 1, 2, 3)
            assert all(weights.count(j) > 0 for j in range(12))
            mechanism.release(records, SYSTEM)


def test_regions_of_several_labels_are_counted_by_definition():
    rng = np.random.default_rng(5)
    cells, labels = [rng.integers(3, size=40), rng.integers(2, size=40)], rng.integers(4, size=40)
    records = CellRecords.by_label(cells, labels, None, 4, 40)
    for k, (_, together, alone) in product(range(4), literal_nets(MIXED, records, 0)):
        of_k = CellRecords.of([each[labels == k] for each in cells], np.ones((labels == k).sum(), dtype=np.int64), 40)
        ((_, expected, by_itself),) = literal_nets(MIXED, of_k, 0)
        assert together[k].tolist() == expected.tolist() and alone[k].tolist() == by_itself.tolist()


@over("K", (1, MOST_LABELS + 1))
def test_too_few_and_too_many_labels_are_refused(K):
    with pytest.raises(Refused, match="2 to 64 labels"):
        TreeExponential(Budget(1), BITS, 2, K)


@over("K", (2, 3, 16, MOST_LABELS))
def test_every_weight_of_a_draw_is_a_whole_number(K):
    """The smallest M that the proof allows is far above what the integers resolve."""
    T = 2**12
    assert Fraction(1, 2**6 * T**6 * K**8) >= Fraction(2**53, 2 ** mantissa_bits(K))
    smallest = 1.0 / (2**6 * T**6 * K**8)
    assert int(np.ldexp(np.nextafter(smallest, 1), mantissa_bits(K))) != int(np.ldexp(smallest, mantissa_bits(K)))


def test_what_rounding_may_cost_is_covered():
    """Four times the errors of a whole tree of depth 3, as the proof adds them up."""
    s = Fraction(1424 + 2**12 + MOST_LABELS + 8, 2**53)
    η = [s, 3 * s, 7 * s, 15 * s]
    assert 4 * (η[3] + 2 * η[2] + 4 * η[1]) < ROUNDING * Fraction(99, 100)


def test_no_tests_no_records():
    nothing = TreeExponential(Budget(1), PublicTests(()), 3)
    alone = CellRecords.of([], np.array([3, -1]), 4)
    assert set(nothing.law(alone)) == {False, True}
    empty = CellRecords.of([np.array([], dtype=np.intp)] * 2, np.array([], dtype=np.int64), 0)
    for depth in range(DEEPEST + 1):
        TreeExponential(Budget(1), BITS, depth).release(empty, SYSTEM)
    law = TreeExponential(Budget(1), BITS, 1).law(empty)
    assert {round(float(p), 6) for p in law.values()} == {0.25, 0.0625}


def test_what_is_not_proved_is_refused():
    with pytest.raises(Refused, match="epsilon"):
        TreeExponential(Budget(Fraction(1, 2**33)), BITS, 2)
    with pytest.raises(ValueError, match="at most 3"):
        TreeExponential(Budget(1), BITS, 4)
    with pytest.raises(ValueError, match="at most 3"):
        TreeExponential(Budget(1), PublicTests((np.ones((2**12 + 1, 1), dtype=bool),)), 2)
    with pytest.raises(ValueError, match="2\\^40"):
        TreeExponential(Budget(1), BITS, 2).check(CellRecords.of([np.array([0])] * 2, np.array([1]), 2**40 + 1))


@over("blocks", [61, 62, 63, 64, 65, 130])
def test_records_that_differ_in_one_of_many_blocks_are_told_apart(blocks):
    """More combinations than machine integers: no record may be counted with the cells of another one."""
    cells = np.zeros((blocks, blocks + 1), dtype=np.intp)
    cells[np.arange(blocks), np.arange(blocks)] = 1  # record i differs from the last one in block i
    w = 1 + np.arange(blocks + 1)
    found = CellRecords.of(list(cells), w, blocks + 1)
    expected = dict(zip(map(tuple, cells.T.tolist()), w.tolist(), strict=True))
    assert dict(zip(map(tuple, found.cells.T.tolist()), found.w.tolist(), strict=True)) == expected


def test_records_whose_numbers_differ_by_a_machine_word_are_told_apart():
    """In 41 blocks of 3 cells, the digits of 2^64 would be those of 0."""
    digits = [2**64 // 3**i % 3 for i in reversed(range(41))]
    cells = np.array([[0] * 41, digits, [2] * 41]).T
    assert CellRecords.of(list(cells), np.array([1, 10, 100]), 111).w.tolist() == [1, 10, 100]
