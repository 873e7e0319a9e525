"""Atoms: outputs follow the law, heavy values of wide cells are found, and the heaviest count is exact."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.releases import EIGHT, atom_cases, in_order
from privpac.data.samples.sample import InOrder
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.atoms import Atoms, heaviest
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.statistics import assert_matches

SEARCH = Atoms(Budget(2), EIGHT, (0, 3, 4), 2)  # the cells 0 … 2 and 4 … 7; the value 3 is alone


@pytest.mark.audit
def test_outputs_follow_the_law():
    data = in_order((1, 1, 3, 3, 3, 4, 6, 6))
    law, lighter = (
        {tuple(atom for atom in atoms if atom is not None): float(p) for atoms, p in SEARCH.law(each).items()}
        for each in (data, in_order((1, 3, 3, 3, 4, 6)))
    )
    assert sum(law.values()) == pytest.approx(1) and len(law) == 4 * 5
    assert_matches(lambda: SEARCH.release(data, SYSTEM), law, must_reject=lighter, draws=3000)


def test_the_law_is_that_of_the_definition():
    e = np.exp  # rate 1: ε = 2
    law = {atoms: float(p) for atoms, p in SEARCH.law(in_order((1, 1, 3, 6))).items()}
    first = {None: 3 * e(2), 0: 1, 1: e(2), 2: 1}
    second = {None: 4 * e(2), 4: 1, 5: 1, 6: e(1), 7: 1}
    expected = {(a, b): v * w for a, v in first.items() for b, w in second.items()}
    total = sum(expected.values())
    assert law == pytest.approx({atoms: w / total for atoms, w in expected.items()})


@pytest.mark.parametrize("case", list(atom_cases()), ids=lambda case: f"{case.name}, {case.claimed}")
def test_a_moved_record_costs_what_is_claimed(case):
    found = case.exact()
    assert not found.refuted
    assert found.share > 0.97


@over("bits", [16, 64, 300])
def test_an_atom_is_found_in_a_cell_of_any_width(bits):
    """With 4·ln(W)/ε records and more, all but surely."""
    tree = LineTree(2**bits)
    dtype = tree.numbers([]).dtype
    atom = 2**bits // 3
    values = np.array(sorted([*range(50), *[atom] * (4 * bits), 2**bits - 1]), dtype=dtype)
    assert atom in Atoms(Budget(1), tree, (0, 2**10), 10).release(InOrder.of(values, None), SYSTEM)


def test_cells_of_one_value_have_no_atoms():
    assert Atoms(Budget(9), EIGHT, tuple(range(8)), 1).release(in_order((3,) * 50), SYSTEM) == ()


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


def test_a_search_at_a_small_budget_finds_little():
    tree = LineTree(2**64)
    data = InOrder.of(np.arange(1000, dtype=np.uint64), None)
    search = Atoms(Budget(Fraction(1, 10)), tree, (0, 500, 2**20), 60)
    assert sum(len(search.release(data, SYSTEM)) for _ in range(20)) < 20  # 3 cells, each cut with chance .05
