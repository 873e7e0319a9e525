"""Crosstabs are counted in every engine as in memory, and no row arrives."""

import math
from itertools import combinations, product
from types import SimpleNamespace

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting import crosstabs as module
from privpac.data.counting.crosstabs import CellsInEngine, crosstabs
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.engines.queries import answer
from privpac.data.engines.views import is_table
from privpac.data.samples.sample import Sample
from privpac.data.samples.units import Quota
from privpac.requests.reading import Reading
from tests.data.each_value import EachValue
from tests.data.tables_in import ENGINES, FOLDERS, FOLDING, duckdb_table, table_in

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(5)
N, KEY = 300, "4f70"
DOMAIN = Columns(("a", "b", "c"), (Listing(("x", "X", "é")), Line(0, 4), Line(0, 1, step=0.25)))
CELLS = [EachValue(domain) for domain in DOMAIN.domains]
SETS = [each for size in (0, 1, 2, 3) for each in combinations(range(3), size)] + [(2, 0)]
TYPES = {
    "duckdb": ("VARCHAR", "BIGINT", "DOUBLE", "BIGINT"),
    "sqlite": ("TEXT", "INTEGER", "REAL", "INTEGER"),
    "mariadb": ("VARCHAR(20)", "BIGINT", "DOUBLE", "BIGINT"),
    "spark": ("string", "bigint", "double", "bigint"),
}
WHOLE = [
    (str(a), int(b), float(c), int(u))
    for a, b, c, u in zip(
        RNG.choice(["x", "X", "é"], N), RNG.integers(0, 5, N), RNG.integers(0, 5, N) / 4, RNG.integers(0, 90, N),
        strict=True,
    )
]  # fmt: skip
ODD = [(None, 1, 0.5, 0), ("y", 1, 0.5, 1), ("x", None, 0.5, 2), ("x", 9, 0.5, 3), ("x", -7, 0.0, 3), ("é", 4, None, 3)]
BESIDES = [("x", 0, 0.3, 4), ("x", 0, 7.5, 4), ("X", 0, -0.0, 4), ("X", 0, 1e-310, 5)]
ROWS = WHOLE + ODD + BESIDES


def in_engine(request, engine, rows):
    types = TYPES.get(engine, ("TEXT", "BIGINT", "DOUBLE PRECISION", "BIGINT"))
    return table_in(request, engine, dict(zip(("a", "b", "c", "who"), types, strict=True)), rows)


def in_memory(rows, rule):
    columns = [np.array(each, dtype=object) for each in zip(*rows, strict=True)]
    return gathered(dict(zip(("a", "b", "c", "who"), columns, strict=True)), None, rule)


def gathered(X, quota, rule):
    """All records as one sample."""
    reading = Reading(DOMAIN, 0, rule, ("who",))
    return reading.gathered(X, None if is_table(X) else reading.table(X), None, quota, None).sample


def same(held, sample, cells=CELLS, sets=SETS):
    assert held.size == sample.size
    for one, other in zip(crosstabs(held, cells, sets), crosstabs(sample, cells, sets), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == np.int64


@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_count_as_memory_does(request, engine, rule):
    table = in_engine(request, engine, ROWS)
    same(CellsInEngine.of(table, ["a", "b", "c"], DOMAIN, rule=rule), in_memory(ROWS, rule))
    if engine != "sqlite":  # which lacks the hash that chooses a unit's records
        quota = Quota("who", 2, KEY)
        same(CellsInEngine.of(table, ["a", "b", "c"], DOMAIN, quota, rule), gathered(table, quota, rule))


@pytest.mark.parametrize("many", [1, 20, module.MOST_CELLS])
def test_blocks_make_no_difference(request, monkeypatch, many):
    monkeypatch.setattr(module, "MOST_CELLS", many)
    held = CellsInEngine.of(in_engine(request, "duckdb", WHOLE), ["a", "b", "c"], DOMAIN)
    same(held, in_memory(WHOLE, "raise"))
    assert len(module._blocks(CELLS, SETS)) == 1  # the largest set holds the others
    assert len(module._blocks(CELLS, [(0, 1), (0, 2), (1, 2)])) == (1 if many > 75 else 3)


def test_counts_in_memory_by_definition():
    sample = in_memory(WHOLE, "raise")
    for columns, table in zip(SETS, crosstabs(sample, CELLS, SETS), strict=True):
        for cell in product(*(range(CELLS[i].size) for i in columns)):
            found = sum(
                all(row[i] == DOMAIN.domains[i].decode(c) for i, c in zip(columns, cell, strict=True)) for row in WHOLE
            )
            assert table[cell] == found


def test_cells_may_hold_several_values(request):
    coarse = [
        CELLS[0],
        SimpleNamespace(size=2, numbers_of=lambda codes: codes.astype(np.int64) // 3),
        SimpleNamespace(size=1, numbers_of=lambda codes: 0 * codes),
    ]
    held = CellsInEngine.of(in_engine(request, "duckdb", WHOLE), ["a", "b", "c"], DOMAIN)
    same(held, in_memory(WHOLE, "raise"), coarse)
    assert [table.sum() for table in crosstabs(held, coarse, SETS)] == [N] * len(SETS)


@pytest.mark.parametrize("engine", FOLDERS)
def test_no_engine_decides_which_values_are_equal(request, engine):
    kind = {"citext": "debian", "icu": "debian"}.get(engine, engine)
    rows = [("ab", 0), ("AB", 1), ("Ab", 1)]
    table = table_in(request, kind, {"x": FOLDING[engine], "z": "BIGINT"}, rows)
    names = Columns(("x", "z"), (Listing(("ab", "AB")), Line(0, 1)))
    held = CellsInEngine.of(table, ["x", "z"], names, rule="default")
    (found,) = crosstabs(held, [EachValue(each) for each in names.domains], [(0, 1)])
    assert found.tolist() == [[1, 0], [0, 1]]
    assert held.size == 3


def test_missing_numbers_are_void():
    table = duckdb_table("SELECT unnest([0.25, 'NaN'::DOUBLE, 'inf'::DOUBLE, -0.0, 0.0]) AS c")
    held = CellsInEngine.of(table, ["c"], DOMAIN.domains[2], rule="default")
    assert crosstabs(held, CELLS[2:], [(0,)])[0].tolist() == [2, 1, 0, 0, 0]
    assert held.size == 5


@pytest.mark.parametrize(
    ("rows", "quota", "told"),
    [
        ([("x", None, 0.0, 1)], None, "column 'b': some records have no value"),
        ([("secret", 1, 0.0, 1)], None, "column 'a': some names are not declared"),
        ([("x", 77, 0.0, 1)], None, "column 'b': some values .* outside"),
        ([("x", 1, 0.0, None)], Quota("who", 2, KEY), "have no unit"),
    ],
)
def test_what_does_not_fit_is_refused(request, rows, quota, told):
    with pytest.raises(ValueError, match=told) as refused:
        CellsInEngine.of(in_engine(request, "duckdb", WHOLE + rows), ["a", "b", "c"], DOMAIN, quota)
    assert "secret" not in str(refused.value)
    assert "77" not in str(refused.value)


def test_no_row_arrives(request, monkeypatch):
    arrivals = []
    monkeypatch.setattr(module, "answer", lambda query: arrivals.append(answer(query)) or arrivals[-1])
    held = CellsInEngine.of(in_engine(request, "duckdb", WHOLE * 5), ["a", "b", "c"], DOMAIN)
    crosstabs(held, CELLS, [(0, 1), (1, 2)])
    assert sum(len(each) for each in arrivals) <= 1 + 3 + 5 + 5 + math.prod(cut.size for cut in CELLS)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_all_records_may_be_void(request, engine):
    held = CellsInEngine.of(
        in_engine(request, engine, [("y", 1, 0.5, 1), (None, 2, 0.5, 2)]), ["a", "b", "c"], DOMAIN, rule="default"
    )
    assert [table.sum() for table in crosstabs(held, CELLS, SETS)] == [0] * len(SETS)
    assert held.size == 2


@pytest.mark.parametrize("sides", [[1] * 70, [2] * 70, [1] * 40 + [3, 2] * 15])
def test_more_columns_than_an_array_has_axes(sides):
    """Beside a count by hand; columns of one cell add no cells to a block, but axes."""
    last, X = len(sides) - 1, np.random.default_rng(8).integers(0, sides, (40, len(sides)))
    cells = [EachValue(Line(0, side - 1)) for side in sides]
    numbered = ibis.memtable(pa.table({f"c{i}": column for i, column in enumerate(X.T)}))
    sets = [(), *((i,) for i in range(len(sides))), (0, last), (last, 1, 0)]
    assert max(map(len, module._blocks(cells, sets))) <= module.MOST_COLUMNS
    for records in (SimpleNamespace(in_cells=lambda _: numbered), Sample(X, np.ones(40, dtype=bool), None, 40)):
        for columns, counts in zip(sets, crosstabs(records, cells, sets), strict=True):
            for cell in product(*(range(sides[i]) for i in columns)):
                assert counts[cell] == (X[:, list(columns)] == cell).all(axis=1).sum()
