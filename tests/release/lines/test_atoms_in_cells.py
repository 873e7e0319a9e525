"""Atoms in cells: counts at the ends of cells stay as they are, and those in between never fall."""

from itertools import starmap

import numpy as np

from privpac.mechanisms.lines.atoms import Atom, Atoms
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.privacy.budget import Budget
from privpac.release.lines.answers import Line, LineCounts
from privpac.release.lines.within_cells import cells_by_atoms
from tests.grid import over

RNG = np.random.default_rng(8)


def cut(size, cells, *atoms, ε=10):
    return cells_by_atoms(size, cells, (Atoms(Budget(ε), LineTree(size), cells[0]), tuple(starmap(Atom, atoms))))


@over("size", [16, 2**40, 2**64, 2**300])
def test_counts_never_fall_and_ends_of_cells_keep_theirs(size):
    """Atoms that hold far more than their cells, and far less; next to each other, and at the ends of cells."""
    for _ in range(50):
        starts = tuple(sorted({0, 1, 2, 5, size // 2, *RNG.integers(6, min(size, 2**62), 2).tolist()}))
        below = (0, *np.cumsum(RNG.integers(0, 100, len(starts)) * RNG.integers(0, 2, len(starts))).tolist())
        values = sorted({0, 2, 3, 4, 7, 8, size - 1, *RNG.integers(0, min(size, 2**62), 3).tolist()})
        atoms = [
            (v, int(o)) for v, o in zip(values, RNG.integers(1, 10 ** RNG.integers(1, 6), len(values)), strict=True)
        ]
        finer = cut(size, (starts, below), *atoms)
        assert set(zip((*starts, size), below, strict=True)) <= set(zip((*finer[0], size), finer[1], strict=True))
        assert {v for v in values if v} <= set(finer[0])
        LineCounts(below[-1], Line(0, size - 1), *finer)  # which refuses counts that fall


def test_an_atom_gets_its_records_and_the_others_are_even_around_it():
    """With hardly any noise: 50 of 90 records at 30, and 40 on either side."""
    assert cut(100, ((0,), (0, 90)), (30, 50)) == ((0, 30, 31), (0, 12, 62, 90))


def test_two_atoms_share_what_their_cell_holds():
    assert cut(100, ((0,), (0, 90)), (30, 150), (60, 50)) == ((0, 30, 31, 60, 61), (0, 0, 67, 67, 89, 90))


@over(("noisy", "kept"), [(35, 0), (45, 26), (60, 61)])
def test_an_atom_that_noise_explains_gets_little(noisy, kept):
    """Noise of rate 2/3 lifts one of 2^40 values to 42, and that is e² times likelier than an atom: 45 is in doubt."""
    cells = cut(2**40, ((0,), (0, 1000)), (2**39, noisy), ε=1)
    (before, after) = cells[1][1:3]
    assert abs(after - before - kept) <= 4


def test_without_a_search_cells_stay():
    assert cells_by_atoms(9, ((0, 4), (0, 3, 5)), None) == ((0, 4), (0, 3, 5))
