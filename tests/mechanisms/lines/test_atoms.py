"""Atoms: outputs follow the law, heavy values of wide cells are found, and the heaviest count is exact."""

from collections import Counter
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from flint import arb

from privpac.audit.claims.releases import EIGHT, atom_cases, in_order
from privpac.data.samples.sample import InOrder
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.atoms import Atom, Atoms, heaviest, skewed_tail
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.statistics import assert_matches

SEARCH = Atoms(Budget(2), EIGHT, (0, 3, 4, 5, 6))  # the cells 0 … 2 and 6, 7; the values 3, 4, and 5 are alone
X, Y = float(SEARCH.steep), float(SEARCH.flat)


def noise(z):
    """Pr[Z = z], by its definition."""
    weight = {k: exp(-X * k if k >= 0 else Y * k) for k in range(-80, 81)}
    return weight[z] / sum(weight.values())


@pytest.mark.audit
@over("records", [(1, 1, 3, 3, 3, 6), (0, 0, 0, 6, 6, 6, 6), ()])
def test_outputs_follow_the_law(records):
    """Noisy counts are merged as in the law. One record less, or more if there is none, would be noticed."""

    def law(those):
        found = Counter()
        for shown, p in SEARCH.law(in_order(those), reach=2).items():
            found[tuple(atom for atom in shown if atom)] += float(p)
        return dict(found)

    def merged():
        atoms = SEARCH.release(in_order(records), SYSTEM)
        return tuple(Atom(v, min(c, SEARCH.least(3 if v < 3 else 2) + 2)) for v, c in atoms)

    assert sum(law(records).values()) == pytest.approx(1)
    assert_matches(merged, law(records), must_reject=law(records[1:] or (0,)), draws=6000)


def test_the_law_is_that_of_the_definition():
    counts, chance = {0: 0, 1: 2, 2: 0, 6: 1, 7: 0}, {}
    for v, c in counts.items():
        T = SEARCH.least(3 if v < 3 else 2)
        shown = {Atom(v, o): noise(o - c) for o in range(T, T + 3)}
        chance[v] = shown | {None: sum(noise(z) for z in range(-80, T - c))}
        chance[v][Atom(v, T + 3)] = 1 - sum(chance[v].values())
    law = SEARCH.law(in_order((1, 1, 3, 4, 6)), reach=3)
    assert len(law) == 5**5
    for outcome, p in law.items():
        expected = np.prod([chance[v][each] for v, each in zip(counts, outcome, strict=True)])
        assert float(p) == pytest.approx(expected)


@over("least", [-3, -1, 0, 1, 2, 5])
def test_the_tails_of_skewed_noise(least):
    expected = sum(noise(z) for z in range(least, 81))
    assert float(skewed_tail(SEARCH.steep, SEARCH.flat, least)) == pytest.approx(expected)
    assert skewed_tail(SEARCH.flat, SEARCH.steep, 1 - least).overlaps(
        arb(1) - skewed_tail(SEARCH.steep, SEARCH.flat, least)
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", list(atom_cases()), ids=lambda case: f"{case.name}, {case.claimed}")
def test_a_moved_record_costs_what_is_claimed(case):
    found = case.exact()
    assert not found.refuted
    assert found.share > 0.97


@over("bits", [16, 64, 300])
def test_an_atom_is_shown_in_a_cell_of_any_width(bits):
    """With 4·ln(W)/ε records, all but surely; with noise, its count is off by less than ln(10⁶)/y."""
    tree, atom, ε = LineTree(2**bits), 2**bits // 3, 1
    dtype, many = tree.numbers([]).dtype, 4 * bits
    values = np.array(sorted([*range(50), *[atom] * many, 2**bits - 1]), dtype=dtype)
    search = Atoms(Budget(ε), tree, (0, 2**10))
    assert search.least(2**bits - 2**10) == pytest.approx(1.5 * bits * log(2), abs=1)
    shown = dict(search.release(InOrder.of(values, None), SYSTEM))
    assert abs(shown[atom] - many) <= 42


def test_a_value_that_is_listed_without_records_is_like_one_that_is_not():
    """Otherwise it would be drawn twice: in 40 runs, some of 7 has G ≥ T with probability above 1 − 10⁻²⁰."""
    listed = InOrder.of(np.arange(8, dtype=np.uint64), np.array([0] * 7 + [5]))
    search = Atoms(Budget("0.2"), EIGHT, (0, 4))
    for _ in range(40):
        assert {each.value for each in search._with_records(listed, SYSTEM)} <= {7}


def test_cells_of_one_value_have_no_atoms():
    assert Atoms(Budget(9), EIGHT, tuple(range(8))).release(in_order((3,) * 50), SYSTEM) == ()


def test_a_third_of_all_cells_show_a_value_by_chance():
    """Of 2^20 values, at most one has G ≥ T in the mean, and .36 have G − H ≥ T: 62 to 71 in 200 cells, ± 7 σ."""
    starts = tuple(range(0, 200 * 2**20, 2**20))
    search = Atoms(Budget("0.2"), LineTree(200 * 2**20), starts)
    everywhere = np.arange(0, 200 * 2**20, 2**12, dtype=np.uint64)  # a record at each of many values
    for values in (everywhere, everywhere[:0]):
        shown = search.release(InOrder.of(values, None), SYSTEM)
        assert 10 < len(shown) < 125 and len({atom.value for atom in shown}) == len(shown)


@over("most", [5, 60, 10**6])
def test_what_an_atom_has_is_likely(most):
    """Next to nothing if its noisy count is T, and nearly all far above T, unless its cell holds fewer records."""
    search, W = Atoms(Budget("0.3"), LineTree(2**64), (0,)), 2**10
    T = search.least(W)
    found = [search.records(noisy, most, W) for noisy in range(T, T + 100)]
    assert found[0] < 0.2 * (T + 10) and all(a <= b for a, b in pairwise(found))
    mean = 1 / np.expm1(0.2) - 1 / np.expm1(0.1)  # of the noise
    assert found[-1] == pytest.approx(T + 99 - mean, rel=0.01) if most > T + 99 else found[-1] < T + 99


def test_too_small_a_budget_for_a_line_is_refused():
    with pytest.raises(ValueError, match="too small"):
        Atoms(Budget("1e-19"), LineTree(2**64), (0,))


@over("stretch", [(0, 99), (30, 30), (2**40, 2**40 + 9)])
def test_the_heaviest_value(stretch):
    """Beside the definition, on lists and on counts, for all floors."""
    rng, tree, starts = np.random.default_rng(0), LineTree(2**64), (0, 7, 8, 2**39)
    for n in (0, 1, 2, 40, 400):
        values = rng.integers(*stretch, n, np.uint64, endpoint=True) // np.uint64(3)
        distinct, counts = np.unique(values, return_counts=True)
        true = max((int(c) for v, c in zip(distinct, counts, strict=True) if v != 7), default=0)
        for floor in (1, 2, 3, 4, 7, 20, 1000):
            for data in (InOrder.of(values, None), InOrder.of(distinct[::-1], counts[::-1])):
                assert heaviest(data, tree, starts, floor) == max(true, floor)
