"""Missing entries in releases of tables: a cell of their own, and blanks in synthetic rows."""

import math

import numpy as np
import pytest

import privpac as pp
from privpac.classes.tables.column_cells import cells_of
from privpac.classes.values.points import Points
from privpac.data.domains.line import Line
from privpac.data.domains.with_missing import WithMissing
from privpac.data.open_table import open_table
from privpac.exact.entropy import entropy
from privpac.release.release import Release
from privpac.release.tables.cells import CellsWithMissing, LineCells

SCHEMA = pp.Schema.parse("""
[columns.age]
kind = "integer"
low = 0
high = 120
missing = true
na = ["-9"]
[columns.job]
kind = "category"
values = ["clerk", "nurse"]
missing = true
[columns.city]
kind = "category"
open = true
missing = true
na = ["?"]
""")
RNG = np.random.default_rng(4)
N = 4000
LOST = RNG.random((3, N)) < [[0.3], [0.2], [0.1]]
TABLE = {
    name: [None if lost else each for each, lost in zip(entries, gone, strict=True)]
    for name, entries, gone in (
        ("age", RNG.integers(0, 90, N).tolist(), LOST[0]),
        ("job", RNG.choice(["clerk", "nurse"], N).tolist(), LOST[1]),
        ("city", RNG.choice(["Oslo", "Rome"], N).tolist(), LOST[2]),
    )
}


def test_the_cells_of_a_column():
    ages = cells_of(pp.Thresholds(0, 9).on("age", values=(5,), missing=True))
    assert ages.names == ["0 ≤ age ≤ 4", "5 ≤ age ≤ 9", "age is missing"]
    assert ages.numbers_of(ages.domain.encode([4, 5, None, math.nan])).tolist() == [0, 1, 2, 2]
    jobs = cells_of(Points().on("job", values=("clerk", "nurse"), missing=True, na=["?"]))
    assert jobs.names == ["clerk", "nurse", "job is missing"]
    assert jobs.numbers_of(jobs.domain.encode(["nurse", "?"])).tolist() == [1, 2]


def test_values_in_cells():
    line = Line(0, 9)
    cells = CellsWithMissing(LineCells("age", line, (0, 5), (0, 5), (3, 4)), WithMissing(line))
    values = cells.values(np.array([2, 0, 1, 2]), entropy(1))
    assert values[0] is values[3] is None and 0 <= values[1] < 5 <= values[2] <= 9
    assert cells.numbers_of(cells.domain.encode([3, None])).tolist() == [0, 2]


def shares(frame, column):
    """How many of the records a release counts in each cell of a column."""
    alone = zip(frame["column"], frame["cell"], frame["and column"], frame["records"], strict=True)
    return {cell: records / N for name, cell, other, records in alone if name == column and other is None}


@pytest.mark.slow
def test_a_table_with_missing_entries(tmp_path):
    request = pp.PrivateRelease(SCHEMA, epsilon=5, delta=1e-6, random_state=1)
    lines = [",".join(TABLE), *(",".join(_told(each) for each in row) for row in zip(*TABLE.values(), strict=True))]
    (tmp_path / "visits.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    for table in (TABLE, open_table(tmp_path / "visits.csv")):
        release = request.fit(table).release_
        for i, name in enumerate(TABLE):
            found = shares(release.counts(), name)[f"{name} is missing"]
            assert abs(found - LOST[i].mean()) < 0.02
        rows = release.synthetic(2000)
        assert abs(np.mean([each is None for each in rows["age"]]) - 0.3) < 0.04
        assert {*rows["job"]} == {"clerk", "nurse", None}
        again = Release.from_json(release.to_json())
        assert again.counts() == release.counts()
        query = release.answers_.hypothesis({"age": None, "job": "nurse"})
        assert str(query) == "age is missing and job = nurse"
        assert abs(release.answer(query) - 0.3 * 0.4) < 0.02


def _told(entry):
    return "" if entry is None else str(entry)


def test_marginals_with_missing_entries():
    parts = pp.Thresholds(0, 120).on("age", values=(50,), missing=True), SCHEMA.parts()[1]
    pairs = pp.Marginals(*parts, order=2)
    assert pairs.shape == (3, 3)
    release = pp.PrivateRelease(pairs, epsilon=5, random_state=2).fit(TABLE)
    assert abs(release.answer(pairs.hypothesis({"age": None})) - LOST[0].mean()) < 0.02
    assert {*release.synthetic(500)["job"]} == {"clerk", "nurse", None}
    labeled = pp.PrivateRelease(pairs, epsilon=5, classes=(False, True), random_state=2).fit(TABLE, LOST[0])
    rule = next(rule for rule in pairs.cells[0].rules if str(rule) == "age is missing")
    assert labeled.error(rule) < 0.02
