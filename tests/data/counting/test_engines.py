"""Files and databases count as memory does: DuckDB and PostgreSQL here, Spark where it is asked for."""

import gzip
import math
import sys
from collections import Counter
from datetime import date
from functools import partial
from subprocess import run

import duckdb
import numpy as np
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.views import is_table
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota, slots_of
from privpac.learners.classifier import PrivateClassifier
from privpac.requests.reading import Reading
from tests.data.tables_in import fetched
from tests.learners.readers import gathered

RNG = np.random.default_rng(8)
N = 400
DELAYS = [None if i % 37 == 0 else int(x) for i, x in enumerate(RNG.integers(-20, 140, N))]
LATE = [None if i % 41 == 0 else int(x) for i, x in enumerate(RNG.integers(0, 3, N))]
PLANES = [None if i % 43 == 0 else f"N{x}" for i, x in enumerate(RNG.integers(0, 60, N))]
FLIGHTS = pa.table({"delay": DELAYS, "late": LATE, "plane": PLANES, "records": RNG.integers(0, 9, N)})
KEY = "4f70"


def in_postgres(url: str):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE flights (delay bigint, late integer, plane text, records integer)")
        with connection.cursor().copy("COPY flights FROM STDIN") as copy:
            for row in FLIGHTS.to_pylist():
                copy.write_row(tuple(row.values()))
    return open_table(url, "flights")


def in_spark(session):
    import ibis  # noqa: PLC0415

    schema = "delay bigint, late int, plane string, records bigint"
    session.createDataFrame([tuple(row.values()) for row in FLIGHTS.to_pylist()], schema).createOrReplaceTempView(
        "flights"
    )
    return ibis.pyspark.connect(session).table("flights")


SPARK = pytest.param("spark", marks=[pytest.mark.engines, pytest.mark.filterwarnings("ignore")])


@pytest.fixture(params=["parquet", "csv", "duckdb", "postgres", SPARK])
def flights(request, tmp_path):
    """The same records in each engine."""
    if request.param == "spark":
        return in_spark(request.getfixturevalue("spark"))
    if request.param == "postgres":
        table = in_postgres(request.getfixturevalue("postgres")())
        request.addfinalizer(table.get_backend().disconnect)
        return table
    file = tmp_path / f"flights.{request.param}"
    if request.param == "parquet":
        pa.parquet.write_table(FLIGHTS, file)
    elif request.param == "csv":
        pa.csv.write_csv(FLIGHTS, file)
    else:
        import duckdb  # noqa: PLC0415

        with duckdb.connect(str(file)) as connection:
            connection.register("given", FLIGHTS)
            connection.execute("CREATE TABLE flights AS SELECT * FROM given")
    return open_table(file)


def opened(table, *, feature="delay", rule="clamp", slots=None):
    learner = PrivateClassifier(
        pp.Thresholds(0, 120, direction="above"), feature=feature, on_invalid=rule, max_records=slots, random_state=5
    )
    return gathered(learner, table, "late", "plane" if slots else None, slots or 1)


@pytest.mark.slow
@pytest.mark.parametrize("slots", [None, 1, 3, 50])
@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_engines_count_as_memory_does(flights, rule, slots):
    engine, memory = opened(flights, rule=rule, slots=slots), opened(FLIGHTS, rule=rule, slots=slots)
    assert engine.size == memory.size
    for one, other in zip(engine.tally(), memory.tally(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert engine.counts.sum() == len(memory.points)


def test_counts_by_definition(flights):
    answer, found = group_counts(flights, ["delay", "records"], "late", rule="default"), Counter()
    for delay, other, late, count in zip(*answer.columns, answer.labels, answer.counts, strict=True):
        found[int(delay), int(other), int(late)] += int(count)
    rows = zip(DELAYS, FLIGHTS["records"].to_pylist(), LATE, strict=True)
    assert found == Counter(row for row in rows if None not in row)
    assert answer.n == N


def test_counts_without_labels_by_definition(flights):
    answer, found = group_counts(flights, ["delay", "records"], rule="default"), Counter()
    for delay, other, count in zip(*answer.columns, answer.counts, strict=True):
        found[int(delay), int(other)] += int(count)
    assert found == Counter(row for row in zip(DELAYS, FLIGHTS["records"].to_pylist(), strict=True) if None not in row)
    assert len(found) == len(answer.labels)  # each point arrives once
    assert answer.labels.all()
    assert answer.n == N


def test_labels_are_read_once_each(tmp_path, monkeypatch):
    """They came one by one, for each distinct value: 10⁶ distinct floats took four million steps in Python."""
    file, looked = tmp_path / "floats.csv", []
    file.write_text("\n".join(["x,late", *(f"0.{i},{i % 2}" for i in range(1000, 1500))]))
    monkeypatch.setattr(
        "privpac.requests.reading.positives", lambda labels, *_, **__: looked.append(len(labels)) or 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        gathered(
            PrivateClassifier(pp.Thresholds(0.0, 1.0, step="finest", direction="above"), feature="x"),
            open_table(file),
            "late",
        )
    assert looked == [2]


@pytest.mark.slow
@pytest.mark.parametrize("slots", [None, 1, 3])
def test_engines_count_as_memory_does_without_labels(flights, slots):
    reading = Reading(pp.Thresholds(0, 120, direction="above").domain, "delay", "clamp", ("plane",))
    quota = slots and Quota("plane", slots, KEY)
    engine = reading.gathered(flights, None, None, quota, None).sample
    memory = reading.gathered(FLIGHTS, reading.table(FLIGHTS), None, quota, None).sample
    assert engine.size == memory.size == (slots * len(set(PLANES) - {None}) if slots else N)
    for one, other in zip(engine.tally(), memory.tally(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert engine.labels.all()
    assert not engine.tally().zeros.any()


def test_a_unit_has_its_slots(flights):
    found = group_counts(flights, ["delay"], "late", Quota("plane", 2, KEY), "default")
    counts, n = found.counts, found.n
    named = set(PLANES) - {None}
    rows, expected = slots_of(
        Quota(np.array(PLANES, dtype=object), 2, KEY), [np.array(DELAYS), np.array(LATE)], "default"
    )
    assert n == expected == 2 * len(named)
    assert counts.sum() == sum(DELAYS[row] is not None and LATE[row] is not None for row in rows)


@pytest.mark.slow
def test_missing_values_are_refused_before_anything_is_spent(flights):
    with pytest.raises(ValueError, match="no value in columns 'delay', 'late'"):
        group_counts(flights, ["delay"], "late")
    with pytest.raises(ValueError, match="no value in column 'late'"):
        group_counts(flights, ["records"], "late")
    with pytest.raises(ValueError, match="have no unit"):
        group_counts(flights, ["records"], "records", Quota("plane", 2, KEY))


def test_missing_columns_are_named(flights):
    shown = "not among the 4 there" if flights.schema()["delay"].is_string() else "; its columns are delay, late, plane"
    with pytest.raises(ValueError, match=f"no column 'dealy'.*{shown}"):
        group_counts(flights, ["dealy"], "late")
    with pytest.raises(ValueError, match="no column 'tail'"):
        group_counts(flights, ["delay"], "late", Quota("tail", 2, KEY))


def test_columns_are_fetched_in_order(flights):
    plane, records = fetched(flights.limit(N), ["plane", "records"])
    assert sorted(map(str, plane)) == sorted(map(str, PLANES))
    assert [int(x) for x in records].count(3) == FLIGHTS["records"].to_pylist().count(3)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_several_files_are_one_table(tmp_path, kind):
    write = pa.parquet.write_table if kind == "parquet" else pa.csv.write_csv
    for i in range(3):
        write(FLIGHTS.slice(100 * i, 100), tmp_path / f"flights-{i}.{kind}")
    assert group_counts(open_table(f"{tmp_path}/flights-*.{kind}"), ["delay"], "late", rule="default").n == 300


def test_rules_read_engines(tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("age,senior\n" + "\n".join(f"{i % 100},{'no' if i % 100 < 65 else 'yes'}" for i in range(2000)))
    rules = pp.ExplicitClass([[x >= cut for x in range(100)] for cut in (20, 65, 80)], points=list(range(100)))
    learner = pp.PrivateClassifier(rules, epsilon=5, classes=("no", "yes"), feature="age").fit(
        open_table(file), "senior"
    )
    assert learner.predict(open_table(file)).tolist().count("yes") == 700
    assert learner.n_records_ == 2000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "feature"),
    [
        (pp.Thresholds(0, 120, direction="above"), 0),
        (pp.Rectangles(0, 120, dim=2), ["delay", "records"]),
        (pp.Rectangles(0, 120, dim=2), (0, 2)),
        (
            pp.And(
                pp.Thresholds(0, 120, direction="above").on("delay"),
                pp.Thresholds(0, 9, direction="above").on("records"),
            ),
            0,
        ),
        (pp.And(pp.Thresholds(0, 120, direction="above").on(0), pp.Thresholds(0, 9, direction="above").on(2)), 0),
        (pp.Points(), "plane"),
    ],
)
def test_features_are_names_or_positions(flights, cls, feature):
    learner = PrivateClassifier(cls, feature=feature, on_invalid="clamp")
    found = [gathered(learner, table, "late").tally() for table in (flights, FLIGHTS)]
    for one, other in zip(*found, strict=True):
        assert sorted(map(str, one.tolist())) == sorted(map(str, other.tolist()))


@pytest.mark.parametrize(
    ("cls", "feature"),
    [(pp.Thresholds(0, 1, direction="above"), None), (pp.Thresholds(0, 1, direction="above"), 9), (pp.Spider(), 0)],
)
def test_what_a_rule_reads_must_be_said(flights, cls, feature):
    with pytest.raises(ValueError, match="the rule reads"):
        gathered(PrivateClassifier(cls, feature=feature), flights, "late")


def test_a_column_is_read_once(flights):
    for y, unit in (("delay", None), ("late", "delay")):
        with pytest.raises(ValueError, match="'delay' holds the labels or the units"):
            gathered(PrivateClassifier(pp.Thresholds(0, 120, direction="above"), feature="delay"), flights, y, unit, 1)


def test_what_an_engine_taught_is_asked_of_memory(tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("age,senior\n" + "\n".join(f"{i % 100},{int(i % 100 >= 65)}" for i in range(2000)))
    learner = pp.PrivateClassifier(pp.Thresholds(0, 120, direction="above"), epsilon=5, feature=np.int64(0))
    learner.fit(open_table(file), "senior")
    assert (learner.feature_names_in_.tolist(), learner.n_features_in_) == (["age"], 1)
    assert learner.predict(pd.DataFrame({"age": [3, 99]})).tolist() == [0, 1]


def test_labels_and_units_are_names(flights):
    with pytest.raises(TypeError, match="names of its columns"):
        gathered(PrivateClassifier(pp.Thresholds(0, 120, direction="above"), feature="delay"), flights, LATE)


def test_a_duckdb_file_is_read_and_never_made(tmp_path):
    file = tmp_path / "flights.file"
    with pytest.raises(FileNotFoundError, match="there is no file"):
        open_table(f"duckdb://{file}", "flights")
    assert not file.exists()
    duckdb.connect(file).close()
    with pytest.raises(ValueError, match="has no tables"):
        open_table(f"duckdb://{file}")
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE flights AS SELECT 37 AS delay")
    assert open_table(f"duckdb://{file}").columns == ("delay",)


def test_bad_sources_are_refused_in_one_sentence(tmp_path):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 this is no table PAR1")
    with pytest.raises(ValueError, match="cannot be read"):
        open_table(broken)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        open_table(tmp_path / "absent.csv")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        open_table(f"{tmp_path}/none-*.parquet")
    with pytest.raises(ValueError, match=r"mongodb:// cannot be opened; start with postgresql://"):
        open_table("mongodb://host/flights")
    (tmp_path / "flights.ods").write_text("")
    with pytest.raises(ValueError, match="not a CSV, Parquet, Excel, DuckDB, or SQLite file"):
        open_table(tmp_path / "flights.ods")
    with pytest.raises(ValueError, match="cannot be read") as refusal:
        open_table("postgres://user:secret@127.0.0.1:1/flights", "flights")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("latin.csv", b"age,late\n37,n\xe9\n", "a line that is not UTF-8"),
        ("latin head.csv", b"\xe2ge,late\n37,1\n", "UTF-8 text, with commas"),
        ("cut.csv.gz", gzip.compress(b"age,late\n37,1\n", mtime=0)[:12], "UTF-8 text, with commas"),
        ("picture.parquet", b"\x89PNG" * 9, "not a Parquet file"),
        ("table.duckdb", b"PAR1" * 2000, "complete DuckDB or SQLite file"),
    ],
)
def test_broken_files_are_refused_as_what_they_are(tmp_path, name, content, match):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=match) as refusal:
        group_counts(open_table(tmp_path / name), ["age"], "late")
    assert "37" not in str(refusal.value)


def test_a_page_that_is_broken_is_refused_without_a_value(tmp_path):
    file = tmp_path / "flights.parquet"
    pa.parquet.write_table(FLIGHTS, file, compression="gzip")
    content = bytearray(file.read_bytes())
    content[60:200] = bytes(140)
    file.write_bytes(content)
    with pytest.raises(ValueError, match="the file is damaged"):
        group_counts(open_table(file), ["delay"], "late", rule="default")


@pytest.mark.slow
def test_a_unit_that_is_no_number_is_missing(tmp_path):
    file = tmp_path / "flights.parquet"
    pa.parquet.write_table(pa.table({"delay": [1, 2, 3], "late": [0, 1, 1], "plane": [7.0, math.nan, None]}), file)
    quota = Quota("plane", 2, KEY)
    with pytest.raises(ValueError, match="have no unit"):
        group_counts(open_table(file), ["delay"], "late", quota)
    answer = group_counts(open_table(file), ["delay"], "late", quota, "default")
    assert (answer.columns[0].tolist(), answer.n) == ([1], 2)


@pytest.mark.slow
def test_a_date_that_python_cannot_hold_fits_no_domain_and_stops_nothing(tmp_path):
    file, days = tmp_path / "flights.parquet", pa.array([18_300, 10_000_000], pa.int32()).view(pa.date32())
    pa.parquet.write_table(pa.table({"day": days, "late": [0, 1]}), file)
    days_of_2020 = pp.Thresholds(date(2020, 1, 1), date(2020, 12, 31), direction="above")
    for rule in ("clamp", "default"):
        records = gathered(PrivateClassifier(days_of_2020, feature="day", on_invalid=rule), open_table(file), "late")
        assert (records.size, records.points.tolist()) == (2, [38])
    assert fetched(open_table(file), ["day"])[0].tolist() == [date(2020, 2, 8), None]
    with pytest.raises(ValueError, match="cannot be read as dates") as refusal:
        gathered(PrivateClassifier(days_of_2020, feature="day"), open_table(file), "late")
    assert "29349" not in str(refusal.value)


def test_a_table_must_be_named_where_there_are_several(postgres):
    url = postgres()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE a (x integer); CREATE TABLE b (x integer)")
    with pytest.raises(ValueError, match="several tables; choose one with table=…: a, b"):
        open_table(url)
    table = open_table(url, "b")
    assert table.columns == ("x",)
    table.get_backend().disconnect()


@pytest.fixture(params=["duckdb", "postgres"])
def schemas(request, tmp_path):
    """A database with a second schema, which has a table of the same name; and tables whose own names have a dot."""
    if request.param == "duckdb":
        source, schema, connect = tmp_path / "flights.duckdb", "more", duckdb.connect
    else:
        fresh = request.getfixturevalue("postgres")
        source, schema = fresh(), fresh().rpartition("%3D")[2]
        connect = partial(psycopg.connect, autocommit=True)
    with connect(source) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        there = (
            ("a", "x"),
            (f'"{schema}.b"', "z"),
            (f"{schema}.a", "y"),
            (f"{schema}.b", "y"),
            (f'{schema}."c.d"', "w"),
        )
        for name, column in there:
            connection.execute(f"CREATE TABLE {name} ({column} integer)")
    return source, schema


@pytest.mark.slow
def test_a_table_of_another_schema(schemas):
    source, schema = schemas
    for name, column in (("a", "x"), (f"{schema}.a", "y"), (f"{schema}.b", "z"), (f"{schema}.c.d", "w")):
        table = open_table(source, name)
        assert table.columns == (column,)
        table.get_backend().disconnect()
    with pytest.raises(ValueError, match=rf": a, {schema}\.a, {schema}\.b, {schema}\.c\.d$"):
        open_table(source, f"{schema}.c")
    for name in ("nowhere.a", "a.", ".a", "."):
        with pytest.raises(ValueError, match=rf": a, {schema}\.b$"):
            open_table(source, name)


def test_a_schema_whose_name_has_a_dot_is_not_taken_for_another(tmp_path):
    file = tmp_path / "flights.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute('CREATE SCHEMA more; CREATE SCHEMA "flights.more"; CREATE TABLE more.a (x integer)')
        connection.execute('CREATE TABLE "flights.more".a (y integer)')
    with pytest.raises(ValueError, match="if they are in another schema"):
        open_table(file, "flights.more.a")


def test_engines_are_loaded_when_a_table_is_opened_and_not_before(tmp_path):
    code = (
        "import sys, privpac as pp\n"
        "rules = pp.ExplicitClass([[0, 1], [1, 1]], points=['a', 'b'])\n"
        "pp.PrivateClassifier(rules, feature=None).fit(['a', 'b'] * 50, [0, 1] * 50)\n"
        "assert not {'ibis', 'duckdb', 'pyspark'} & set(sys.modules)\n"
        "sys.modules['ibis'] = None\n"
        "from privpac.data.open_table import open_table\n"
        "try: open_table('flights.csv')\n"
        "except ImportError as error: print(error)\n"
    )
    done = run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip().endswith("pip install 'privpac[sql]'")


def test_only_tables_of_engines_are_tables(flights):
    assert is_table(flights)
    assert not is_table(FLIGHTS)


@pytest.mark.parametrize("name", ["flights.csv", "flights.parquet"])
def test_a_file_of_one_table_has_no_table_of_a_name(tmp_path, name):
    pyarrow.parquet.write_table(pa.table({"delay": [1]}), tmp_path / "flights.parquet")
    (tmp_path / "flights.csv").write_text("delay\n1\n")
    with pytest.raises(ValueError, match="is a file with a single table; leave out table=…"):
        open_table(tmp_path / name, "flights")


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    folder = tmp_path / "flights [2026]"
    folder.mkdir()
    with pytest.raises(FileNotFoundError, match=r"no file ends with .parquet in"):
        open_table(folder)
    for i in range(3):
        pa.parquet.write_table(pa.table({"delay": [i, i], "late": [0, 1]}), folder / f"{i}.parquet")
    (folder / "_SUCCESS").touch()
    assert group_counts(open_table(folder), ["delay"], "late").n == 6
