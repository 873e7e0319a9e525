"""What an engine reads as a line does, the line reads as if the engine had not."""

import math
from collections import Counter
from itertools import product

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting.crosstabs import CellsInEngine, crosstabs
from privpac.data.counting.engine_numbers import EngineNumbers, read_columns
from privpac.data.counting.groups import group_counts
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.on_invalid import valid
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.columns import objects
from tests.data.each_value import EachValue
from tests.data.tables_in import SLOW, table_in

LINES = [
    *(Line(0.0, 150.0, step=0.1), Line(-1.05, 1.0, step=0.1), Line(-0.0, 3.0, step=0.25), Line(-7e5, 1e6, step=30)),
    *(Line(0.0, 1e9, step=1e-4), Line(-1e-7, 1e-7, step=1e-11), Line(0.0, 1.0), Line(-1e300, 1e300)),
]
NASTY = [
    *("1e3", " 1", "1 ", "+1", "0x1", "1_000", "1_e3", "NaN", "nan", "inf", "-Infinity", "-0", "-0.0", "0", "1e400"),
    *("-1e400", "1e-400", "123456789012345678901234567890", "0." + "3" * 30, "0.30000000000000004", "0.3", ".5", "5."),
    *(
        "+-1",
        "-+1",
        "--1",
        "1e",
        "1e+",
        "1e+2",
        "1E2",
        "e5",
        ".",
        "-",
        "1,5",
        "٣",
        "１",
        "\t1",
        "1\u00a0",
        "1\x1c",
        "abc",
    ),
    *("0.1", "0.10", "00.1", "1e-1", "2.4e-324", "2.5e-324", "1.7976931348623159e308", "9007199254740993", "1f", "1d"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "00012", "-0012", "1e18", "0b1", "'1'"),
]


def codes(line, columns, counts, rule):
    """How many records have each number of the line."""
    values, fits = valid(line, line.spell(columns), rule)
    counts = counts if fits is None else counts[fits]
    found = Counter()
    for code, count in zip(line.encode(values).tolist(), counts.tolist(), strict=True):
        found[code] += count
    return found


def duckdb_texts(texts):
    connection = ibis.duckdb.connect()
    connection.con.register("texts", pa.table({"x": pa.array(texts, pa.string())}))
    return connection.table("texts")


def near(line):
    """Numbers where floats decide: multiples, what lies next to them, and what no line holds."""
    generator = np.random.default_rng(7)
    numbers = [line.low, line.high, 0.0, -0.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324]
    if line.step is not None:
        numbers += [line.decode(int(k)) for k in generator.integers(0, line.size, 150)]
        numbers += [line.decode(k) for k in (0, 1, line.size - 1)]
    numbers += generator.uniform(line.low / 2, line.high / 2, 50).tolist()
    return [
        float(x) for each in numbers for x in (math.nextafter(each, -math.inf), each, math.nextafter(each, math.inf))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("line", [*LINES, Line(-100, 10**6), Line(0, 2**70), Line(0, 100, step=7)], ids=str)
def test_texts_are_read_as_python_reads_them(line, rule):
    texts = NASTY + [repr(x) for x in (near(line) if line.kind == "float" else [])]
    answer = group_counts(duckdb_texts(texts), ["x"], rule=rule, domains=[line])
    assert answer.n == len(texts)
    expected = codes(line, objects(texts), np.ones(len(texts), dtype=np.int64), rule)
    assert codes(line, answer.columns[0], answer.counts, rule) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("line", "cast"), [(Line(-1e300, 1e300), "float64"), (Line(-(2**62), 2**62), "int64")])
def test_all_short_texts_are_read_as_python_reads_them(line, cast):
    texts = ["".join(each) for k in range(1, 6) for each in product("0 1.e-+", repeat=k)]
    texts += ["".join(each) for k in range(1, 4) for each in product("0 1.eE-+_naif\tx,d", repeat=k)]
    answer = group_counts(duckdb_texts(texts), ["x"], rule="default", domains=[line])
    expected = codes(line, objects(texts), np.ones(len(texts), dtype=np.int64), "default")
    assert codes(line, answer.columns[0], answer.counts, "default") == expected
    reading = EngineNumbers(line, ibis.dtype("string"), "duckdb")
    read = read_columns(duckdb_texts(texts).mutate(**{"x readable": ibis._.x}), {"x": reading})
    assert read["x number"].count().execute() > 50  # most are not numbers, but the engine reads some
    assert cast in str(read.schema())


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine", ["duckdb", "postgres", *(pytest.param(each, marks=SLOW) for each in ("spark", "clickhouse"))]
)
def test_floats_are_rounded_as_python_rounds_them(request, engine):
    kind = {"postgres": "DOUBLE PRECISION"}.get(engine, "DOUBLE")
    for line in LINES:
        numbers = near(line)
        table = table_in(request, engine, {"x": kind}, [(x,) for x in numbers])
        for rule in ("clamp", "default"):
            answer = group_counts(table, ["x"], rule=rule, domains=[line])
            expected = codes(line, np.array(numbers), np.ones(len(numbers), dtype=np.int64), rule)
            assert codes(line, answer.columns[0], answer.counts, rule) == expected


def test_a_rule_sees_the_same_side_of_each_cut():
    line = Line(-1.05, 1.0, step=0.1)
    numbers = [x for x in near(line) if line.low <= x <= line.high]
    table = ibis.memtable(pa.table({"x": numbers}))
    answer = group_counts(table, ["x"], domains=[line])
    for k in range(1, line.size):
        cut = line.decode(k)
        above = int(answer.counts[answer.columns[0] >= cut].sum())
        assert above == sum(x >= cut for x in numbers)


@pytest.mark.slow
def test_distinct_floats_become_few_groups(tmp_path):
    numbers = np.random.default_rng(0).uniform(-10, 160, 20_000)
    file = tmp_path / "delays.csv"
    file.write_text("\n".join(["x", *map(repr, numbers.tolist())]))
    line = Line(0.0, 150.0, step=1)
    for table in (open_table(file), ibis.memtable(pa.table({"x": numbers}))):
        answer = group_counts(table, ["x"], rule="clamp", domains=[line])
        assert len(answer.counts) == 152 and answer.n == 20_000  # 0 to 149, and what lies beyond either bound


def test_narrow_floats_are_rounded_as_wide_ones():
    numbers, line = np.array([0.1, 0.3, 0.7, np.nan], dtype=np.float32), Line(0.0, 1.0, step=0.1)
    answer = group_counts(ibis.memtable(pa.table({"x": numbers})), ["x"], rule="default", domains=[line])
    assert codes(line, answer.columns[0], answer.counts, "default") == Counter({1: 1, 3: 1, 6: 1})


@pytest.mark.slow
@pytest.mark.parametrize("line", [Line(0.0, 150.0, step=0.1), Line(0.0, 150.0), Line(0, 150)])
def test_one_missing_or_odd_text_changes_no_other(line):
    texts = ["37", "37.0", "2", "150"] * 3
    for odd in (None, "", "old", "1_0", "1e400"):
        answer = group_counts(duckdb_texts([*texts, odd]), ["x"], rule="default", domains=[line])
        without = group_counts(duckdb_texts(texts), ["x"], rule="default", domains=[line])
        difference = codes(line, answer.columns[0], answer.counts, "default")
        difference.subtract(codes(line, without.columns[0], without.counts, "default"))
        assert sum(map(abs, difference.values())) <= 1 and answer.n == without.n + 1


def test_missing_texts_are_refused_as_before():
    with pytest.raises(ValueError, match="no value in column 'x'"):
        group_counts(duckdb_texts(["37", None]), ["x"], domains=[Line(0, 150)])


def test_units_choose_records_before_they_are_rounded():
    units, numbers = ["ann"] * 6 + ["bob"] * 3, [0.11, 0.12, 0.13, 0.21, 0.22, 0.31, 0.4, 0.41, 0.42]
    table = ibis.memtable(pa.table({"x": list(map(str, numbers)), "unit": units}))
    line, quota = Line(0.0, 1.0, step=0.1), Quota("unit", 2, "4f70")
    answer = group_counts(table, ["x"], None, quota, domains=[line])
    rows, n = slots_of(quota._replace(unit=np.array(units)), [objects(map(str, numbers))], "raise")
    expected = codes(line, np.array(numbers)[rows], np.ones(len(rows), dtype=np.int64), "raise")
    assert codes(line, answer.columns[0], answer.counts, "raise") == expected and answer.n == n


def test_other_columns_and_engines_are_left_alone():
    line = Line(0.0, 1.0, step=0.1)
    for domain, kind, engine in (
        (None, "float64", "duckdb"),
        (Listing(("1", "2")), "string", "duckdb"),
        (Line("A", "Z"), "string", "duckdb"),
        (line, "string", "postgres"),
        (line, "float64", "sqlite"),
        (line, "int64", "duckdb"),
    ):
        view = ibis.table({"x": kind, "x readable": kind})
        reading = EngineNumbers(domain, ibis.dtype(kind), engine)
        assert read_columns(view, {"x": reading}) is view and reading.places("x") == ["x"]


@pytest.mark.parametrize("columns", [2, 60])
def test_queries_grow_no_deeper_with_more_columns(columns):
    line = Line(0, 100, step=0.1)
    view = ibis.table({f"x{i}{form}": "string" for i in range(columns) for form in ("", " readable")})
    readings = {f"x{i}": EngineNumbers(line, ibis.dtype("string"), "duckdb") for i in range(columns)}
    read, depth = read_columns(view, readings).op(), 0
    while hasattr(read, "parent"):
        read, depth = read.parent, depth + 1
    assert depth <= 10


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "postgres", pytest.param("spark", marks=SLOW)])
def test_crosstabs_of_rounded_floats_are_those_of_memory(request, engine):
    kind = {"postgres": "DOUBLE PRECISION"}.get(engine, "DOUBLE")
    line = Line(-1.05, 1.0, step=0.1)
    numbers = near(line)[::5]
    held = CellsInEngine.of(table_in(request, engine, {"x": kind}, [(x,) for x in numbers]), ["x"], line, rule="clamp")
    assert len(held.columns[0].codes) <= line.size + 2
    expected = codes(line, np.array(numbers), np.ones(len(numbers), dtype=np.int64), "clamp")
    assert crosstabs(held, [EachValue(line)], [(0,)])[0].tolist() == [expected[k] for k in range(line.size)]


@pytest.mark.slow
@pytest.mark.parametrize("line", [Line(-1.05, 1.0, step=0.1), Line(0, 1200)], ids=str)
def test_crosstabs_of_texts_are_those_of_memory(line):
    texts = NASTY + [repr(x) for x in near(Line(-1.05, 1.0, step=0.1))]
    held = CellsInEngine.of(duckdb_texts(texts), ["x"], line, rule="clamp")
    expected = codes(line, objects(texts), np.ones(len(texts), dtype=np.int64), "clamp")
    assert crosstabs(held, [EachValue(line)], [(0,)])[0].tolist() == [expected[k] for k in range(line.size)]


def test_duckdb_spells_floats_so_that_they_can_be_read_again():
    numbers = np.random.default_rng(3).integers(-(2**63), 2**63, 20_000).view(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    texts = ibis.memtable(pa.table({"x": numbers})).mutate(x=ibis._.x.cast("string")).to_pyarrow()["x"].to_pylist()
    assert list(map(float, texts)) == numbers.tolist()
