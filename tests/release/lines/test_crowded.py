"""Cells that hold many records: half at either end if their neighbors hold few, and even otherwise."""

import numpy as np

from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.release.lines.answers import LineCounts
from privpac.release.lines.within_cells import cells_by_ends
from tests.grid import over

SIZE, LINE = 1024, Line(0, 1023)


def read(*cells):
    """Cells given as (first number, records), as they are and with crowded ones read by their ends."""
    starts, counts = zip(*cells, strict=True)
    plain = starts, (0, *np.cumsum(counts).tolist())
    return plain, cells_by_ends(SIZE, plain, plain, sum(counts))


@over(
    "cells",
    [
        ((0, 45), (512, 35), (768, 20)),  # neighbors hold many records
        ((0, 25), (128, 0), (256, 25), (512, 25), (600, 0), (900, 25)),  # alone, but light
        ((0, 0), (1, 0), (2, 0), (4, 100), (6, 0), (8, 0), (128, 0), (512, 0)),  # two values: ends are all there is
        ((0, 100),),  # no neighbor
    ],
)
def test_other_cells_stay_even(cells):
    plain, found = read(*cells)
    assert found == plain


@over("at", [512, 513, 640, 766, 767])
def test_a_crowd_anywhere_in_a_cell_costs_half_of_it_at_most(at):
    (plain, found), n = read((0, 10), (512, 86), (768, 4)), 100
    values = np.concatenate([np.zeros(10), np.full(86, at), np.full(4, 1000)]).astype(np.uint64)
    sample = Sample(values, np.ones(n, bool), None, n)
    by_its_ends, evenly = (LineCounts(n, LINE, *cells).gap(sample) for cells in (found, plain))
    assert by_its_ends <= 43
    assert evenly > by_its_ends or at == 640  # the middle is where even counts do as well


def test_finer_cells_within_a_crowded_one_are_replaced():
    cells = (0, 512, 768), (0, 4, 100, 100)
    finer = (0, 256, 512, 600, 768), (0, 2, 4, 50, 100, 100)
    assert cells_by_ends(SIZE, cells, finer, 100) == ((0, 256, 512, 513, 767, 768), (0, 2, 4, 52, 52, 100, 100))


def test_an_empty_sample_has_no_crowd():
    assert read((0, 0), (512, 0))[1] == ((0, 512), (0, 0, 0))
