"""Whole numbers, dates, and times that an engine rounds are read as if it had not."""

import math
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting.crosstabs import CellsInEngine, crosstabs
from privpac.data.counting.engine_steps import EngineSteps
from privpac.data.counting.groups import group_counts
from privpac.data.domains.line import Line
from privpac.data.domains.on_invalid import valid
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.columns import objects
from tests.data.each_value import EachValue
from tests.data.tables_in import SLOW, duckdb_table, table_in

ENGINES = ["duckdb", "postgres", pytest.param("spark", marks=SLOW)]
WHOLE = [
    *(
        Line(0, 100, step=7),
        Line(-50, 49, step=10),
        Line(-13, -2, step=5),
        Line(3, 3, step=2),
        Line(1, 30_000, step=1000),
    ),
    *(Line(-(2**62), 2**62, step=2**40), Line(-(10**18) + 1, 10**18, step=3)),
]
DAY, MINUTE, SECOND, TICK = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1), timedelta(microseconds=1)
DAYS = [
    Line(date(1960, 2, 29), date(2030, 1, 1), step=7 * DAY),
    Line(date(1, 1, 1), date(9999, 12, 31), step=1000 * DAY),
    Line(date(1969, 12, 30), date(1970, 1, 2), step=2 * DAY),
]
TIMES = [
    Line(datetime(1960, 2, 29, 7, 30, 5), datetime(2030, 1, 1), step=MINUTE),
    Line(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), step=37 * SECOND),
    Line(datetime(1969, 12, 31, 23), datetime(1970, 1, 1, 1), step=timedelta(milliseconds=7)),
    Line(datetime(1969, 12, 31, 23, 0, 0, 123), datetime(2026, 1, 1), step=DAY, zone="Europe/Berlin"),
    Line(date(1960, 2, 29), date(2030, 1, 1)),
    Line(date(1960, 2, 29), date(2030, 1, 1), step=30 * DAY),
    Line(np.datetime64("1969-12-30T05", "h"), np.datetime64("2040-01-01T00", "h")),
    Line(np.datetime64("1969-12-30T05:00:00.000000001"), np.datetime64("2040-01-01T00:00:00.500000000"), step=MINUTE),
]


def codes(line, values, counts, rule):
    """How many records have each number of the line."""
    values, fits = valid(line, values, rule)
    found = Counter()
    for code, count in zip(
        line.encode(values).tolist(), (counts if fits is None else counts[fits]).tolist(), strict=True
    ):
        found[code] += count
    return found


def rounds(line, column, engine):
    return EngineSteps.of(line, column.type(), engine) is not None


def check(table, lines, values=None):
    """What the engine rounds is read like what it does not round, and like the same values in memory."""
    plain = group_counts(table, ["x"], rule="default")
    for line in lines:
        there = group_counts(table, ["x"], rule="default", domains=[line])
        assert there.n == plain.n
        assert len(there.counts) <= line.size + 2 or not rounds(line, table.x, table.get_backend().name)
        for rule in ("clamp", "default"):
            expected = codes(line, plain.columns[0], plain.counts, rule)
            assert codes(line, there.columns[0], there.counts, rule) == expected
            if values is not None:
                assert codes(line, values, np.ones(len(values), dtype=np.int64), rule) == expected


def filled(request, engine, kind, values):
    """A table with these values as its column x; DuckDB reads them at once."""
    if engine == "duckdb":
        types = {"SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(), "DATE": pa.date32()}
        times = {"TIMESTAMP": pa.timestamp("us"), "TIMESTAMPTZ": pa.timestamp("us", "UTC")}
        return ibis.memtable(pa.table({"x": pa.array(values, (types | times)[kind])}))
    return table_in(request, engine, {"x": kind}, [(x,) for x in values])


def whole_near(line, bits):
    generator, most = np.random.default_rng(7), 2 ** (bits - 1)
    numbers = [line.low, line.high, 0, -most, most - 1, *(line.decode(k) for k in (0, line.size - 1, line.size // 2))]
    numbers += generator.integers(-most, most, 12).tolist() + generator.integers(line.low, line.high + 1, 12).tolist()
    near = [x + d for x in numbers for d in (-1, 0, 1)] + [x - x % line.step for x in numbers]
    return [x for x in near if -most <= x < most] + [None]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_whole_numbers_are_rounded_as_python_rounds_them(request, engine):
    for kind, bits in {"SMALLINT": 16, "BIGINT": 64}.items():
        values = list({x for line in WHOLE for x in whole_near(line, bits)})
        table = filled(request, engine, kind, values)
        assert all(rounds(line, table.x, table.get_backend().name) for line in WHOLE)
        check(table, WHOLE if engine == "duckdb" else WHOLE[::2], objects(values))


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_that_end_where_a_type_ends_do_not_overflow(request, engine):
    """A missing number, or one below the line, was counted as the smallest of its type, and rounded further down."""
    for kind, bits in {"SMALLINT": 16, "INTEGER": 32}.items():
        most = 2 ** (bits - 1)
        values = [None, -most, most - 1, 5]
        check(filled(request, engine, kind, values), [Line(-most, most - 1, step=most // 5)], objects(values))


def times_near(line, finest=TICK):
    """Multiples, the ends of the line and of the calendar, the epoch, and what lies next to them."""
    generator = np.random.default_rng(7)
    ends = [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(1970, 1, 1), datetime(1900, 1, 1)]
    known = [line.decode(k) for k in {0, 1 % line.size, line.size - 1, *generator.integers(0, line.size, 6).tolist()}]
    known += [line.low, line.high]
    times = [datetime.fromisoformat(str(np.datetime64(each, "us"))) for each in known] + ends
    first, last = (np.datetime64(each, "us").astype(int) for each in (line.low, line.high))
    times += [datetime(1970, 1, 1) + int(each) * TICK for each in generator.integers(first, last + 1, 8)]
    found = []
    for time in times:
        for apart in (-DAY, -MINUTE, -finest, 0 * DAY, finest, SECOND):
            try:
                found.append(time + apart)
            except OverflowError:
                continue
    return [*found, None]


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_are_rounded_as_python_rounds_them(request, engine):
    values = list({each and each.date() for line in DAYS for each in times_near(line, DAY)})
    table = filled(request, engine, "DATE", values)
    assert all(rounds(line, table.x, table.get_backend().name) for line in DAYS)
    check(table, DAYS, np.array(values, dtype="datetime64[D]"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_times_are_rounded_as_python_rounds_them(request, engine):
    values = [*sorted({each for line in TIMES for each in times_near(line) if each}), None]
    table = filled(request, engine, {"spark": "TIMESTAMP_NTZ"}.get(engine, "TIMESTAMP"), values)
    assert all(rounds(line, table.x, table.get_backend().name) for line in TIMES)
    check(table, TIMES, np.array(values, dtype="datetime64[us]"))


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_coarse_and_fine_times_of_duckdb_are_rounded(unit):
    finest = {"s": SECOND, "ms": timedelta(milliseconds=1)}.get(unit, TICK)
    values = {each for line in TIMES for each in times_near(line, finest)}
    values = [each for each in values if unit != "ns" or each is None or 1700 < each.year < 2200]
    times = pa.array(np.array(values, dtype="datetime64[us]")).cast(pa.timestamp(unit), safe=False)
    check(ibis.memtable(pa.table({"x": times})), TIMES)


@pytest.mark.slow
def test_nanoseconds_are_not_lost():
    numbers = [
        -1,
        0,
        1,
        59_999_999_999,
        60_000_000_000,
        -60_000_000_000,
        -60_000_000_001,
        2**63 - 1,
        -(2**63) + 2,
        None,
    ]
    table = ibis.memtable(pa.table({"x": pa.array(numbers, pa.timestamp("ns"))}))
    line = Line(datetime(1969, 12, 31), datetime(1970, 1, 1, 0, 5), step=MINUTE)
    assert rounds(line, table.x, "duckdb")
    check(table, [line, *TIMES])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ms", "s"])
def test_times_beyond_all_calendars_are_above_and_below(kind):
    """In DuckDB, a time of the year 292,277,026 is a time."""
    numbers = [2**62, -(2**62), 0, None]
    table = ibis.memtable(pa.table({"x": pa.array(numbers, pa.timestamp(kind))}))
    answer = group_counts(table, ["x"], rule="clamp", domains=[TIMES[0]])
    assert codes(TIMES[0], answer.columns[0], answer.counts, "clamp")[0] == 1 and answer.n == 4
    check(table, TIMES)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMPTZ"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_times_that_python_cannot_hold_are_read_as_before(request, engine, kind):
    words = ["infinity", "-infinity", "0044-03-15 (BC)", "20000-01-01", "2026-01-05", "1960-01-01"]
    words = [each.replace("(BC)", "BC") if engine == "postgres" else each for each in words]
    table = table_in(request, engine, {"x": kind}, [(each,) for each in words])
    line = Line(date(1970, 1, 1), date(2030, 1, 1), step=7 * DAY)
    check(table, [line])
    if engine == "postgres":  # missing, whatever the rule: of six, one fits and one lies below
        answer = group_counts(table, ["x"], rule="clamp", domains=[line])
        assert int(answer.counts.sum()) == 2 and answer.n == 6


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_random_lines_round_as_memory_rounds(request, engine):
    generator, epoch = np.random.default_rng(11), datetime(1970, 1, 1)
    ends = np.sort(generator.integers(-(10**6), 10**6, (10, 2)), axis=1).tolist()
    whole = [Line(*each, step=int(generator.integers(2, 10**5))) for each in ends]
    numbers = generator.integers(-(2 * 10**6), 2 * 10**6, 1000).tolist()
    check(filled(request, engine, "INTEGER", numbers), whole, np.array(numbers))
    steps = [int(generator.integers(2, 10**7)) * timedelta(milliseconds=1) for _ in ends]
    bounds = [[epoch + timedelta(minutes=end) for end in each] for each in ends]
    times = [epoch + timedelta(minutes=x) for x in generator.normal(0, 10**6, 1000).tolist()]
    lines = [Line(*each, step=step) for each, step in zip(bounds, steps, strict=True)]
    check(filled(request, engine, "TIMESTAMP", times), lines, np.array(times, dtype="datetime64[us]"))


def test_distinct_times_become_few_groups():
    table = duckdb_table("SELECT TIMESTAMP '2026-01-01' + to_microseconds(i * 7_654_321) AS x FROM range(20000) t(i)")
    line = Line(datetime(2026, 1, 1), datetime(2026, 1, 3), step=timedelta(hours=1))
    assert len(group_counts(table, ["x"], domains=[line]).counts) == math.ceil(20_000 * 7.654321 / 3600)
    assert len(group_counts(table, ["x"]).counts) == 20_000


@pytest.mark.parametrize(("line", "kind"), [(Line(0, 100), "int64"), (Line(0, 100, step=7), "uint64")])
def test_other_columns_are_left_alone(line, kind):
    assert EngineSteps.of(line, ibis.dtype(kind), "duckdb") is None
    assert EngineSteps.of(Line(0, 100, step=7), ibis.dtype("int64"), "sqlite") is None
    assert EngineSteps.of(Line(0, 2**70, step=7), ibis.dtype("int64"), "duckdb") is None
    assert EngineSteps.of(Line(0, 2**60, step=2**62), ibis.dtype("int64"), "duckdb") is None
    days = Line(date(2026, 1, 1), date(2026, 12, 31))
    assert EngineSteps.of(days, ibis.dtype("date"), "duckdb") is None  # nothing to round
    berlin = Line(date(2026, 1, 1), date(2026, 12, 31), zone="Europe/Berlin")
    assert EngineSteps.of(berlin, ibis.dtype("timestamp('UTC')"), "duckdb") is None


@pytest.mark.slow
def test_a_record_beyond_the_line_is_refused_under_raise():
    line = Line(datetime(2026, 1, 1), datetime(2026, 1, 3), step=timedelta(hours=1))
    for odd, n in (("2026-01-03 00:00:00.000001", 2), ("2025-12-31 23:59:59.999999", 2)):
        table = duckdb_table(f"SELECT unnest([TIMESTAMP '2026-01-01', TIMESTAMP '{odd}']) AS x")
        answer = group_counts(table, ["x"], domains=[line])
        assert answer.n == n
        with pytest.raises(ValueError, match="outside low"):
            line.encode(answer.columns[0])
    with pytest.raises(ValueError, match="no value in column 'x'"):
        group_counts(duckdb_table("SELECT NULL::TIMESTAMP AS x"), ["x"], domains=[line])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_crosstabs_of_rounded_entries_are_those_of_memory(request, engine):
    whole, days = Line(-50, 49, step=10), DAYS[0]
    numbers = whole_near(whole, 16)[:90]
    dates = [each and each.date() for each in times_near(days, DAY)][: len(numbers)]
    for line, kind, values in ((whole, "SMALLINT", numbers), (days, "DATE", dates)):
        held = CellsInEngine.of(filled(request, engine, kind, values), ["x"], line, rule="clamp")
        assert len(held.columns[0].codes) <= line.size + 2
        expected = codes(line, objects(values), np.ones(len(values), dtype=np.int64), "clamp")
        assert crosstabs(held, [EachValue(line)], [(0,)])[0].tolist() == [expected[k] for k in range(line.size)]
        held.close()


def test_units_choose_records_before_they_are_rounded():
    units, numbers = ["ann"] * 6 + ["bob"] * 3, [11, 12, 13, 21, 22, 31, 40, 41, 42]
    table = ibis.memtable(pa.table({"x": numbers, "unit": units}))
    line, quota = Line(0, 100, step=10), Quota("unit", 2, "4f70")
    answer = group_counts(table, ["x"], None, quota, domains=[line])
    rows, n = slots_of(quota._replace(unit=np.array(units)), [np.array(numbers)], "raise")
    expected = codes(line, np.array(numbers)[rows], np.ones(len(rows), dtype=np.int64), "raise")
    assert codes(line, answer.columns[0], answer.counts, "raise") == expected and answer.n == n


@pytest.mark.parametrize("digits", [0, 3])
def test_bounds_are_not_rounded_to_the_digits_of_a_column(request, digits):
    """PostgreSQL rounds a text to the digits of the type it becomes, so 00:00:00.4 became 00:00:00."""
    low, high = datetime(2026, 1, 1, 0, 0, 0, 400_400), datetime(2026, 1, 1, 0, 0, 30, 600_600)
    values = [low.replace(microsecond=0) + k * timedelta(seconds=1) for k in range(-2, 34)]
    values += [low.replace(microsecond=u) for u in (400_000, 401_000)]
    table = table_in(
        request, "postgres", {"x": f"TIMESTAMP({digits})"}, [(x,) for x in values if digits or not x.microsecond]
    )
    check(table, [Line(low, high, step=7 * SECOND)])


CELLS = [
    (Line(0, 100), (0, 37, 38, 100)),
    (Line(-50, 49, step=10), (0, 4, 5)),
    (Line(-13, -2, step=5), (0, 1)),
    (Line(-(2**62), 2**62, step=2**40), (0, 5, 2**22)),
]


def check_cells(table, line, cells, values):
    """The engine tells apart cells and misfits, and sends the first value of each cell."""
    plain = group_counts(table, ["x"], rule="default")
    there = group_counts(table, ["x"], rule="default", domains=[line], cells=[cells])
    assert there.n == plain.n
    for rule in ("clamp", "default"):
        in_cells = []
        for groups in (plain, there):
            in_cells.append(Counter())
            for code, count in codes(line, groups.columns[0], groups.counts, rule).items():
                in_cells[-1][max(t for t in cells if t <= code)] += count
        assert in_cells[0] == in_cells[1]
    assert len(there.counts) <= len(cells) + 2 + (line.kind == "float")  # infinities and NaN
    assert len(values) > 3 * len(there.counts)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_of_a_cell_arrive_as_its_first_one(request, engine):
    values = list({x for line, _ in CELLS for x in whole_near(replace(line, step=line.step or 1), 64)})
    table = filled(request, engine, "BIGINT", values)
    for line, cells in CELLS:
        check_cells(table, line, cells, values)
    days = [date(2026, 1, 1) + k * DAY for k in range(-30, 60)]
    check_cells(filled(request, engine, "DATE", [*days, None]), Line(days[10], days[70]), (0, 30, 31), days)


def test_floats_of_a_cell_arrive_as_the_first_one():
    rng = np.random.default_rng(7)
    values = [*rng.uniform(-2, 12, 200).tolist(), 0.0, -0.0, 10.0, 5e-324, -5e-324, math.inf, -math.inf, math.nan, None]
    table = ibis.memtable(pa.table({"x": pa.array(values, pa.float64())}))
    every, tenths = Line(0.0, 10.0), Line(0.0, 10.0, step=0.1)
    check_cells(table, tenths, (0, 1, 50, 99), values)
    check_cells(table, every, (0, 1, *every.encode([2.5, 7.0, 10.0]).tolist()), values)
    signed = Line(-1.0, 10.0)
    check_cells(table, signed, (0, *signed.encode([0.0, 7.0]).tolist()), values)
