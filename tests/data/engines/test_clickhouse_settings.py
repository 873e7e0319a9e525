"""ClickHouse: its settings that cut answers, its types, its estimates, and its failures."""

import math
import uuid
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import ibis
import pytest

from privpac.data.counting.crosstabs import CellsInEngine, crosstabs
from privpac.data.counting.groups import group_counts
from privpac.data.domains.listing import Listing
from privpac.data.engines.batches import batches
from privpac.data.engines.clickhouse import SAFE_SETTINGS, check_settings
from privpac.data.engines.exact_forms import engine_function
from privpac.data.samples.units import Quota
from privpac.refusals.refusal import Refused
from tests.data.each_value import EachValue
from tests.data.tables_in import table_in

INSTANT = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # in Berlin, half past two, like the instant an hour later
IDS = [uuid.UUID(int=37), uuid.UUID(int=2**127)]
TYPES = {  # a type, values as ClickHouse writes them, and as Python reads them
    "UUID": {f"'{each}'": str(each) for each in IDS},
    "Enum8('ab' = 1, 'AB' = -2)": {"'ab'": "ab", "'AB'": "AB"},
    "UInt64": {str(2**64 - 1): 2**64 - 1, str(2**63): 2**63, "7": 7},
    "Int128": {str(2**127 - 1): 2**127 - 1, str(-(2**127)): -(2**127)},
    "Bool": {"true": True, "false": False},
    "Float32": {"0.5": 0.5, "-inf": -math.inf},
    "Decimal(76, 10)": {"'0.5'": Decimal("0.5"), f"'{10**40}.5'": Decimal(f"{10**40}.5")},
    "Date32": {"'1900-01-01'": date(1900, 1, 1), "'2299-12-31'": date(2299, 12, 31)},
    "DateTime64(6, 'Europe/Berlin')": {
        f"fromUnixTimestamp64Micro({int(each.timestamp()) * 10**6})": each
        for each in (INSTANT, INSTANT.replace(hour=1))
    },
    "FixedString(3)": {"'ab'": "ab", "'abc'": "abc", "unhex('610062')": "a\0b"},
    "LowCardinality(FixedString(3)) NOT NULL": {"'ab'": "ab", "'AB'": "AB"},
}

UNTYPED = ["Dynamic NOT NULL", "Variant(Int64, String) NOT NULL"]  # each record has a type of its own


def connection(settings, limit=0):
    """A connection of Ibis' to ClickHouse, as far as it is asked about settings."""
    rows = SimpleNamespace(result_rows=[(list(settings), list(settings.values()))])
    return SimpleNamespace(name="clickhouse", con=SimpleNamespace(query_limit=limit), raw_sql=lambda _: rows)


def test_a_part_of_an_answer_is_refused():
    whole = SAFE_SETTINGS | {"group_by_overflow_mode": "throw", "join_overflow_mode": "throw", "limit": ""}
    check_settings(connection(whole))
    for cut in (
        *({"group_by_overflow_mode": "any"}, {"read_overflow_mode_leaf": "break"}, {"enable_analyzer": "0"}),
        *({"join_default_strictness": "ANY"}, {"distributed_group_by_no_merge": "1"}, {"skip_unavailable_shards": "1"}),
    ):
        (name,) = cut
        with pytest.raises(Refused, match=f"setting {name} = .* may return a different answer; set it to"):
            check_settings(connection(whole | cut))
    for cut in (connection(whole, limit=5000), connection(whole | {"limit": "set"})):
        with pytest.raises(Refused, match="only part of the rows of each answer; connect without the settings"):
            check_settings(cut)


def clickhouse_table(request, kind, values):
    """A table of these values, as ClickHouse writes them; the first three times, and for "ann" and "bob"."""
    table = table_in(request, "clickhouse", {"x": kind, "y": "String", "unit": "String"}, [(None, "no", "ann")])
    rows = [f"({each}, 'no', '{name}')" for each in values for name in ("ann", "bob")]
    first = next(iter(values))
    rows += [f"({first}, 'no', 'ann')", f"({first}, 'yes', 'bob')"]
    table.get_backend().con.command(f"INSERT INTO {table.get_name()} VALUES {', '.join(rows)}")
    return table


@pytest.mark.engines
@pytest.mark.parametrize("kind", TYPES)
def test_types_are_counted_as_python_counts_them(request, kind):
    values = TYPES[kind]
    table = clickhouse_table(request, kind, values)
    missing = "NOT NULL" not in kind  # else NULL has become an empty text
    first = next(iter(values.values()))
    expected = Counter({(value, "no"): 2 for value in values.values()}) + Counter({(first, "no"): 1, (first, "yes"): 1})
    expected += Counter({} if missing else {("", "no"): 1})
    answer = group_counts(table, ["x"], "y", rule="default")
    points = zip(answer.columns[0].tolist(), answer.labels, strict=True)
    assert Counter(dict(zip(points, answer.counts.tolist(), strict=True))) == expected
    assert answer.n == 2 * len(values) + 3
    units = group_counts(table, ["y"], "y", Quota("x", 1, "4f"), rule="default")
    assert units.n == units.counts.sum() == len(values) + (not missing)
    both = group_counts(table, ["x"], "y", Quota("unit", 1, "4f"), rule="default")
    assert both.n == 2
    read = [value for (column,) in batches(table, ["x"]) for value in column.tolist()]
    assert Counter(each for each in read if each is not None) == Counter(
        value for (value, _), count in expected.items() for _ in range(count)
    )


@pytest.mark.engines
@pytest.mark.parametrize("kind", ["Array(Int64) NOT NULL", "IPv4", "JSON NOT NULL", *UNTYPED])
def test_other_types_are_refused(request, kind):
    table = table_in(request, "clickhouse", {"x": kind, "y": "String"}, [])
    with pytest.raises(ValueError, match="column 'x' has a type that cannot be read exactly"):
        group_counts(table, ["x"], "y")


@pytest.mark.engines
def test_texts_may_be_any_bytes(request):
    """clickhouse-connect would return the digits of bytes that are not UTF-8, as if they were the text."""
    rows = [(b"\xff", 0), ("ff", 0), (b"\xc3", 0), ("ff", 0), ("FF", 0)]
    table = table_in(request, "clickhouse", {"x": "String", "y": "Int64"}, rows)
    assert "ff" in table.x.to_pyarrow().to_pylist()[:1]
    answer = group_counts(table, ["x"], "y", rule="default")
    found = Counter(dict(zip(answer.columns[0].tolist(), answer.counts.tolist(), strict=True)))
    assert (found["ff"], found["FF"], answer.n) == (2, 1, 5)
    assert set(found) == {"ff", "FF", None}


@pytest.mark.engines
def test_floats_of_other_bits_are_one(request):
    """The engine groups floats by their bits: it has two zeros, and many NaN."""
    bits = [0, 1 << 63, 0x7FF8 << 48, 0xFFF8 << 48, (0x7FF8 << 48) + 37]
    table = table_in(
        request, "clickhouse", {"x": "Int64", "y": "Int64"}, [(each - (each >> 63 << 64), 0) for each in bits]
    )
    table = table.mutate(x=engine_function("reinterpretAsFloat64", ("int64",), "float64")(table.x))
    assert len(table.group_by("x").agg().to_pyarrow()) == 5
    answer = group_counts(table, ["x"], "y", rule="default")
    assert len(answer.counts) == 2
    assert dict(zip(map(str, answer.columns[0].tolist()), answer.counts.tolist(), strict=True)) == {"0.0": 2, "nan": 3}
    assert group_counts(table, ["y"], "y", Quota("x", 1, "4f"), "default").n == 1


@pytest.mark.engines
def test_units_are_counted_and_not_guessed(request):
    table = table_in(request, "clickhouse", {"unit": "String", "y": "Int64"}, [])
    name, n = table.get_name(), 200_000
    table.get_backend().con.command(f"INSERT INTO {name} SELECT toString(number % {n}), 0 FROM numbers({2 * n})")
    assert group_counts(table, ["y"], "y", Quota("unit", 1, "4f")).n == n
    assert table.unit.nunique().to_pyarrow().as_py() != n


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_connections_that_cut_answers_are_refused(request):
    table, given = (
        table_in(request, "clickhouse", {"x": "Int64", "y": "Int64"}, []),
        request.getfixturevalue("clickhouse"),
    )
    table.get_backend().con.command(f"INSERT INTO {table.get_name()} SELECT number, 0 FROM numbers(200000)")
    settings = {"max_rows_to_group_by": 10, "group_by_overflow_mode": "any"}
    cutting = ibis.clickhouse.connect(**given, settings=settings).table(table.get_name())
    assert len(cutting.group_by("x").agg().to_pyarrow()) < 200_000
    with pytest.raises(Refused, match="setting group_by_overflow_mode = 'any'"):
        group_counts(cutting, ["x"], "y")
    few = "rowNumberInAllBlocks() < 3"
    for cut in ({"limit": 1}, {"offset": 1}, {"filter": few}, {"additional_result_filter": few}, {"select": "1"}):
        cutting = ibis.clickhouse.connect(**given, settings=cut)
        with pytest.raises(Refused, match="only part of the rows of each answer"):
            list(batches(cutting.sql(f"SELECT * FROM {table.get_name()}", schema=table.schema()), ["x"]))


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_joins_that_take_one_record_of_each_value_are_refused(request):
    """A crosstab would count one record in each cell of the first column, and the others would decide which."""
    table, few = table_in(request, "clickhouse", {"x": "String"}, [("a",)] * 5 + [("b",)] * 3), Listing(("a", "b"))
    held = CellsInEngine.of(table, ["x"], few)
    assert crosstabs(held, [EachValue(few)], [(0,)])[0].tolist() == [5, 3]
    given, settings = request.getfixturevalue("clickhouse"), {"join_default_strictness": "ANY"}
    with pytest.raises(Refused, match="setting join_default_strictness = 'ANY'"):
        CellsInEngine.of(ibis.clickhouse.connect(**given, settings=settings).table(table.get_name()), ["x"], few)


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_failures_are_told(request):
    table = table_in(request, "clickhouse", {"x": "Int64", "y": "Int64"}, [(37, 0), (2, 0)])
    lacking = engine_function("no_such_function", ("int64",), "int64")
    with pytest.raises(Refused, match="lacks a function"):
        group_counts(table.mutate(x=lacking(table.x)), ["x"], "y")
    stopping = engine_function("throwIf", ("boolean",), "int64")
    with pytest.raises(Refused, match=r"did not answer the query .DatabaseError.: see its log") as refusal:
        group_counts(table.mutate(x=stopping(table.x == 37)), ["x"], "y")
    assert "37" not in str(refusal.value)


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_a_lost_connection_is_told(mortal_clickhouse):
    program, given = mortal_clickhouse
    backend = ibis.clickhouse.connect(**given)
    backend.raw_sql("CREATE TABLE t (x Int64, y Int64) ENGINE = Memory")
    table = backend.table("t")
    program.kill()
    program.wait()
    with pytest.raises(Refused, match="cannot be reached, or closed the connection"):
        group_counts(table, ["x"], "y")
