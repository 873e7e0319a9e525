"""Broken releases of tables are refuted by as much as their faults explain; the right one, in their place, is not."""

from dataclasses import replace

import pytest

from privpac.audit.claims.tables import BITS, TABLE_CONTROLS, TIGHT
from privpac.audit.controls.broken_releases import RangeOfCells, tabled
from privpac.audit.controls.releases import RELEASE_CONTROLS
from privpac.exact.entropy import SYSTEM
from privpac.release.tables.measuring import TableCounts

RATIOS = {
    "a table: categories inferred from the data": 10**6,  # a value is shown for certain, and δ = 10⁻⁶
    "a table: cells inferred from the data": 10**6,
    "a table: exact n with noise for adding a record": 796.52,
}
CONTROL = {control.about: control for control in TABLE_CONTROLS}


def test_all_of_them_are_among_the_broken_releases():
    assert list(CONTROL) == list(RATIOS)
    assert set(CONTROL) < {control.about for control in RELEASE_CONTROLS}


@pytest.mark.parametrize("about", RATIOS)
def test_a_broken_table_is_refuted(about):
    found = CONTROL[about].exact()
    assert found.refuted
    assert float(found.ratio) == pytest.approx(RATIOS[about], rel=1e-3)


def test_the_right_noise_is_not_refuted():
    control = CONTROL["a table: exact n with noise for adding a record"]
    right = TableCounts(control.mechanism.cost, control.mechanism.columns)
    assert not replace(control, mechanism=right).exact().refuted


def test_a_broken_table_runs():
    cells, counts = RangeOfCells(TIGHT, BITS).release(tabled(BITS, [(1,), (1,)]), SYSTEM)
    assert cells[0].starts == (0, 1)
    assert len(counts) == 2
