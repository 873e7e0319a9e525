"""A release from a file or a database is the one from memory, whether records arrive as points or stay there."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Schema
from privpac.classes.tables.marginals import Marginals
from privpac.data.counting.crosstabs import CellsInEngine, values_of
from privpac.data.counting.groups import group_counts
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.open_table import open_table
from privpac.release.private_release import PrivateRelease
from privpac.requests import reading
from tests.data.tables_in import table_in

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(3)
N = 1200
TABLE = pd.DataFrame(
    {
        "carrier": RNG.choice(["EV", "UA", "ev"], N),
        "hour": RNG.integers(0, 24, N),
        "late": RNG.integers(0, 2, N),
        "plane": [f"N{i}" for i in RNG.integers(0, 500, N)],
    }
)
CARRIERS = pp.Points().on("carrier", values=("EV", "UA", "ev"))
HOURS, LATE = pp.Thresholds(0, 23, direction="above").on("hour", values=(6, 18)), pp.Points().on("late", values=(0, 1))
MARGINALS = Marginals(CARRIERS, HOURS, LATE, order=2)
LINE = pp.Thresholds(0, 23, direction="above").on("hour")


@pytest.fixture
def file(tmp_path):
    pa.parquet.write_table(pa.table(TABLE), tmp_path / "flights.parquet")
    return open_table(tmp_path / "flights.parquet")


@pytest.mark.parametrize("slots", [None, 2])
@pytest.mark.parametrize("queries", [MARGINALS, LINE], ids=["marginals", "line"])
def test_a_release_from_a_file_is_the_one_from_memory(file, queries, slots):
    front = PrivateRelease(queries, delta=1e-6, max_records=slots, random_state=5)
    found = [front.fit(X, unit=slots and "plane").release_ for X in (file, TABLE)]
    assert found[0].answers_ == found[1].answers_
    assert found[0].guarantee == found[1].guarantee


def test_combinations_of_open_values_are_counted_in_a_file(file):
    both = pp.And(pp.Points().on("carrier"), pp.Points().on("late"))
    counts = PrivateRelease(both, delta=1e-6).fit(file).counts()
    true = Counter(zip(TABLE.carrier, TABLE.late, strict=True))
    found = {key: records for *key, records in zip(*counts.values(), strict=True) for key in [tuple(key)]}
    assert found.keys() == true.keys()  # all occur more than 54 times
    assert all(abs(found[key] - true[key]) <= 27 for key in true)


def test_crosstabs_are_counted_where_the_records_are(file, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("no record may arrive")

    monkeypatch.setattr(reading, "group_counts", refused)
    assert PrivateRelease(MARGINALS, delta=1e-6).fit(file).n_records_ == N
    with pytest.raises(AssertionError, match="no record may arrive"):
        PrivateRelease(LINE, delta=1e-6).fit(file)
    assert reading.group_counts is not group_counts


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_every_engine_releases_marginals(request, engine):
    types = {"sqlite": ("TEXT", "INTEGER", "INTEGER")}
    types = types.get(engine, ("VARCHAR(20)", "BIGINT", "BIGINT"))
    rows = [(str(a), int(b), int(c)) for a, b, c, _ in TABLE.itertuples(index=False)]
    rows += [("other", 3, 1), ("EV", 99, 0), (None, 1, 1)]
    table = table_in(request, engine, dict(zip(("carrier", "hour", "late"), types, strict=True)), rows)
    front = PrivateRelease(MARGINALS, delta=1e-6, on_invalid="default", random_state=5)
    columns = dict(zip(("carrier", "hour", "late"), map(list, zip(*rows, strict=True)), strict=True))
    one, other = front.fit(table).release_, front.fit(columns).release_
    assert one == other
    assert one.n == N + 3


def test_refusals_name_the_column_and_spend_nothing(file):
    narrow = Marginals(pp.Points().on("carrier", values=("EV", "UA")), LATE, order=2)
    account = pp.Ledger(pp.Budget(1, 1e-5))
    with pytest.raises(ValueError, match="column 'carrier': some names are not declared"):
        PrivateRelease(narrow, delta=1e-6, budget=account).fit(file)
    with pytest.raises(ValueError, match="no column 'airline'"):
        PrivateRelease(Marginals(pp.Points().on("airline", values=("EV", "UA")), order=1), budget=account).fit(file)
    assert account.spent == pp.Budget(0)


SCHEMA = Schema(
    (
        Column("carrier", "category", values=("EV", "UA", "ev")),
        Column("hour", "integer", 0, 23),
        Column("late", "integer", 0, 1),
    )
)


@pytest.mark.parametrize("marginals", [None, [("late", "hour"), ("carrier",)]], ids=["pairs", "some"])
@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_every_engine_counts_tables_and_keeps_nothing(request, monkeypatch, engine, marginals):
    def refused(*_, **__):
        raise AssertionError("no record may arrive")

    monkeypatch.setattr(reading, "group_counts", refused)
    types = ("TEXT", "INTEGER", "INTEGER") if engine == "sqlite" else ("VARCHAR(20)", "BIGINT", "BIGINT")
    names = ("carrier", "hour", "late")
    rows = [(str(a), int(b), int(c)) for a, b, c, _ in TABLE.itertuples(index=False)]
    rows += [("other", 3, 1), ("EV", 99, 0), (None, 1, 1)]
    table = table_in(request, engine, dict(zip(names, types, strict=True)), rows)
    before = tables_of(table.get_backend())
    front = PrivateRelease(SCHEMA, delta=1e-6, on_invalid="default", random_state=5, marginals=marginals)
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    one, other = front.fit(table).release_, front.fit(columns).release_
    assert one == other
    assert one.n == N + 3
    assert tables_of(table.get_backend()) == before


CODES = [str(code) for code in RNG.choice(["J10.1", "J10.8", "J11", "K20", "k20", "é1", "Z99", ""], N)]
TREES = {
    "prefixes": pp.StartsWith(height=4),
    "suffixes": pp.EndsWith(height=3),
    "declared prefixes": pp.StartsWith(height=5).among(("J1", "J10", "K", "\ud800")),
}


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_every_engine_counts_prefixes_and_keeps_nothing(request, monkeypatch, engine, tree):
    """With the same coins, the counts and their certificate are those of memory."""

    def refused(*_, **__):
        raise AssertionError("no code may arrive")

    monkeypatch.setattr(reading, "group_counts", refused)
    rows = [(code, i % 500) for i, code in enumerate([*CODES, None, None])]
    table = table_in(request, engine, {"icd": "TEXT", "who": "BIGINT"}, rows)
    before = tables_of(table.get_backend())
    columns = dict(zip(("icd", "who"), map(list, zip(*rows, strict=True)), strict=True))
    for front, unit in [
        (PrivateRelease(TREES[tree].on("icd"), 4, 1e-6, on_invalid="clamp", random_state=5), None),
        (
            PrivateRelease(TREES[tree], 4, 1e-6, feature="icd", on_invalid="default", random_state=5, max_records=1),
            "who",
        ),
    ]:
        one, other = front.fit(table, unit=unit).release_, front.fit(columns, unit=unit).release_
        assert one == other
        assert one.n == (500 if unit else N + 2)
    assert one.guarantee.measured is not None
    assert tables_of(table.get_backend()) == before


def test_refused_prefixes_spend_and_leave_nothing(request):
    table = table_in(request, "duckdb", {"icd": "TEXT"}, [(code,) for code in CODES])
    before, account = tables_of(table.get_backend()), pp.Ledger(pp.Budget(1, 1e-5))
    with pytest.raises(
        ValueError, match="column 'icd': some values lie deeper than height=4; declare a height"
    ) as told:
        PrivateRelease(pp.StartsWith(height=4), delta=1e-6, budget=account).fit(table)
    assert "on_invalid='clamp'" in str(told.value) and "on_invalid='default'" in str(told.value)
    with pytest.raises(ValueError, match="delta"):
        PrivateRelease(pp.StartsWith(height=5), delta=0.01, budget=account).fit(table)
    with pytest.raises(ValueError, match="there are no records"):
        PrivateRelease(pp.StartsWith(height=5), delta=1e-6, budget=account).fit(table.filter(table.icd == "none"))
    assert account.spent == pp.Budget(0)
    assert tables_of(table.get_backend()) == before


def test_open_values_become_python_values_only_if_they_are_shown(request, monkeypatch):
    monkeypatch.setattr(reading, "group_counts", None)
    rows = [(code, 1) for code in CODES] + [(f"secret {i}", 2) for i in range(100)]
    table = table_in(request, "duckdb", {"icd": "TEXT", "k": "BIGINT"}, rows)
    front = PrivateRelease(pp.And(pp.Points().on("icd"), pp.Points().on("k")), delta=1e-6)
    counts = front.fit(table).counts()
    assert {*zip(counts["icd"], counts["k"], strict=True)} == {(code, 1) for code in CODES}  # all occur over 54 times
    true = Counter(CODES)
    assert all(abs(number - true[code]) <= 27 for code, number in zip(counts["icd"], counts["records"], strict=True))


def tables_of(engine):
    """All tables and views that a connection sees, temporary ones too."""
    asked = {
        "duckdb": "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()",
        "sqlite": "SELECT name FROM sqlite_master UNION SELECT name FROM sqlite_temp_master",
        "postgres": "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v')",
    }
    found = engine.raw_sql(asked[engine.name])
    return {row[0] for row in found.fetchall()}


def test_values_that_are_not_declared_are_counted_where_they_are(file):
    named = Columns(("plane", "late"), (Anything(), Line(0, 1)))
    held = CellsInEngine.of(file, ["plane", "late"], named)
    for i, name in enumerate(("plane", "late")):
        codes, counts = values_of(held, i)
        assert dict(zip(codes.tolist(), counts.tolist(), strict=True)) == TABLE[name].value_counts().to_dict()
    schema = Schema((Column("plane", "text"), Column("late", "integer", 0, 1)))
    release = PrivateRelease(schema, epsilon=5, delta=1e-6).fit(file)
    late = release.release_.answers_.hypothesis({"late": 1})
    assert release.answer(late) == pytest.approx(TABLE["late"].mean(), abs=0.05)  # σ is below 3 records
    held.close()
    assert not held._cell_tables
