"""The split tree: outputs follow the law, the price covers every path, deep lines and odd samples."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil, exp, log, log1p

import numpy as np
import pytest
from flint import arb, ctx

from privpac.audit.claims.releases import EIGHT, in_order, split_tree_cases, two_paths
from privpac.data.samples.sample import InOrder
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.lines.split_tree import NEGLIGIBLE, SplitTree
from privpac.mechanisms.noise.laplace import laplace_tail
from privpac.privacy.budget import Budget
from tests.audit.mutants import Mutant, planted
from tests.audit.release_mutants import ONE_PATH
from tests.grid import over
from tests.statistics import assert_matches

TREES = [
    SplitTree(Budget(1), EIGHT, 3, 4, 2),
    SplitTree(Budget(6), LineTree(8, 3), 1, 1, 1),
]


@pytest.mark.audit
@pytest.mark.parametrize("tree", TREES, ids=["1", "6"])
def test_outputs_follow_the_law_and_those_of_the_broken_twin_do_not(tree):
    crowd = (4,) * (tree.least(1) + tree.floor // 2) + (0,) * (tree.threshold(2) + tree.floor)
    data = in_order(crowd)
    with planted(Mutant("split tree", *ONE_PATH)):
        mutant = replace(tree).law(data)
    law = {cells: float(p) for cells, p in tree.law(data).items()}
    assert sum(law.values()) == pytest.approx(1)
    assert_matches(lambda: tree.release(data, SYSTEM), law, must_reject=mutant, draws=3000)


@pytest.mark.parametrize(
    "case", [case for case in split_tree_cases() if case.claimed.epsilon >= 1], ids=lambda case: case.about
)
def test_a_moved_record_costs_what_is_claimed_over_all_neighbors(case):
    found = case.exact()
    assert not found.refuted
    assert found.share > 0.8


def test_entries_that_stand_for_many_records_have_the_same_law():
    tree, crowd = TREES[0], two_paths(TREES[0])
    values, counts = np.unique(np.array(crowd, np.uint64), return_counts=True)
    grouped = tree.law(InOrder.of(values[::-1], counts[::-1]))
    assert all(p.overlaps(grouped[cells]) for cells, p in tree.law(in_order(crowd)).items())


def most_on_a_path(tree, x, height):
    """The largest sum of ln(s(c + 1)/s(c)) over non-increasing counts, by dynamic programming in floats."""
    ρ = exp(-x)

    def log_s(k):  # of Pr[Z ≥ k]
        return -x * k - log(1 + ρ) if k > 0 else log1p(-exp(-x * (1 - k)) / (1 + ρ))

    def gain(count, depth):
        t = tree.theta + depth * tree.step
        return log_s(t - max(count + 1, t - tree.floor)) - log_s(t - max(count, t - tree.floor))

    largest = tree.theta + height * tree.step + 5

    @cache
    def best(count, depth):
        """With at most this count from this depth on."""
        if depth == height or count < 0:
            return 0.0
        return max(best(count - 1, depth), gain(count, depth) + best(count, depth + 1))

    for count in range(largest):
        for depth in reversed(range(1, height + 1)):
            best(count, depth)
    return best(largest - 1, 1)


@over(("ε", "θ", "d", "w"), [(1, 3, 4, 2), (1, 5, 1, 3), (4, 1, 1, 1), (Fraction(1, 3), 4, 6, 9)])
def test_the_price_covers_every_path_of_any_height_and_long_paths_reach_it(ε, θ, d, w):
    tree = SplitTree(Budget(ε), LineTree(2**16), θ, d, w)
    x = float(tree.rate)
    reached = [x + most_on_a_path(tree, x, height) for height in (2, 3, 8, 24)]
    assert reached == sorted(reached)
    price = float(tree.price(tree.rate))
    assert reached[-1] <= price * (1 + 1e-9) and price <= ε
    if x * d * 23 > 7:  # 24 levels are almost infinitely many
        assert reached[-1] > 0.999 * price
    assert price > 0.99 * ε


@over(("θ", "d", "w", "x"), [(3, 4, 2, "0.5"), (1, 1, 1, "2"), (4, 6, 9, "0.1")])
def test_the_price_covers_the_levels_that_are_not_listed(θ, d, w, x):
    """Twice as many levels as are added up: the rest is less than e^(−40), and it is in the price."""
    tree, x = SplitTree(Budget(6), LineTree(2**16), θ, d, w), Fraction(x)
    levels = 2 * ceil(NEGLIGIBLE / (x * d))
    with ctx.workprec(256):
        tails = [(laplace_tail(x, w - i * d - 1), laplace_tail(x, w - i * d)) for i in range(levels)]
        reached = sum(((more / less).log() for more, less in tails), arb(0))
        assert reached < tree.gains(x) < reached + arb(2) ** -40


def test_a_cell_costs_the_rate_where_subtraction_from_one_loses_everything():
    """ln((1 − s)/(1 − s')) = x at s = 1 − e^(−1000), where floats give 0/0; the price has x for it."""
    tree = TREES[0]
    assert tree.price(tree.rate) - tree.gains(tree.rate) >= float(tree.rate) * (1 - 1e-12)


@over("size", [1, 2, 3, 501, 2**64, 2**64 + 1, 2**300])
def test_any_size_of_the_line(size):
    tree = SplitTree(Budget(8), LineTree(size, size // 3), 5, 1, 1)
    dtype = np.uint64 if size <= 2**64 else object
    for values in ([], [0] * 40, [size - 1] * 40, [0, size - 1] * 30):
        starts = tree.release(InOrder.of(np.array(values, dtype=dtype), None), SYSTEM)
        assert starts[0] == 0 and list(starts) == sorted(set(starts)) and starts[-1] < size


def test_an_atom_gets_a_cell_of_its_own_on_a_line_of_any_width():
    """Above 64 bits too. It takes 128 cuts or so of nodes that hold 4000 records; each fails with chance e^(−2000)."""
    for size, atom in ((2**64, 2**63 + 12345), (2**128, 3**70)):
        tree = SplitTree(Budget(5), LineTree(size), 5, 1, 1)
        dtype = np.uint64 if size <= 2**64 else object
        starts = set(tree.release(InOrder.of(np.array([atom] * 4000, dtype=dtype), None), SYSTEM))
        assert {atom, atom + 1} <= starts


def test_empty_stretches_are_rarely_cut():
    tree = SplitTree(Budget("0.2"), LineTree(2**64), 30, 20, 10)
    cells = [len(tree.release(InOrder.of(np.array([], np.uint64), None), SYSTEM)) for _ in range(200)]
    assert sum(cells) < 200 * 8  # about 3.1 on average, with a standard deviation of 0.2 of the mean


@over("wrong", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (2**41, 1, 1)])
def test_bad_parameters(wrong):
    with pytest.raises(ValueError, match="must lie in"):
        SplitTree(Budget(1), EIGHT, *wrong)
