"""No engine decides which values are equal: neighbors stay neighbors however it compares them."""

from collections import Counter
from datetime import UTC, date, datetime, time
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.exact_forms import BYTES_FUNCTIONS as KNOWN
from privpac.data.engines.exact_forms import imported_values
from privpac.data.samples.units import Quota
from privpac.data.values.allowed_types import missing
from privpac.learners.classifier import PrivateClassifier
from tests.data.tables_in import ENGINES, FOLDERS, FOLDING, duckdb_table, fetched, table_in
from tests.learners.readers import gathered

KEY = "4f70"
RECORDS = [("ab", "no", "ann")] * 5 + [("zz", "yes", "bob")] * 3 + [("ab ", "no", "ann"), ("\\x41", "No", "ann")]


def found(answer):
    return Counter(
        {
            (*point, label): count
            for *point, label, count in zip(*answer.columns, answer.labels, answer.counts.tolist(), strict=True)
        }
    )


def folding(request, engine, rows):
    """Records whose texts the engine compares without their case."""
    return table_in(request, engine, dict.fromkeys(("x", "y", "unit"), FOLDING[engine]), rows)


def test_a_text_of_sqlite_that_is_not_utf8_concerns_its_own_record(request):
    rows = [("ab", "no", "ann"), ("cd", "no", "bob")]
    table = folding(request, "sqlite", rows)
    table.get_backend().con.execute("INSERT INTO t VALUES (CAST(x'FF' AS TEXT), 'no', CAST(x'FE41' AS TEXT))")
    answer = group_counts(table, ["x"], "y", Quota("unit", 1, KEY), rule="default")
    assert (found(answer), answer.n) == ({("ab", "no"): 1, ("cd", "no"): 1, (None, "no"): 1}, 3)


@pytest.mark.parametrize("engine", FOLDERS)
def test_what_is_released_says_nothing_of_one_spelling(request, engine):
    learner = pp.PrivateClassifier(
        pp.Points(), epsilon=1, delta="1/100", feature="x", classes=("no", "yes"), allow_large_delta=True
    )
    rows = [("AB", "yes", "ann"), *[("ab", "yes", "ann")] * 200, *[("zz", "no", "ann")] * 100]
    learner.fit(folding(request, engine, rows).drop("unit"), "y")
    assert str(learner.hypothesis_) == "x = ab"


@pytest.mark.parametrize("engine", FOLDERS)
def test_texts_are_fetched_as_they_are(request, engine):
    rows = [*RECORDS, ("AB", None, "é\\")]
    x, y, unit = fetched(folding(request, engine, rows), ["x", "y", "unit"])
    assert Counter(zip(x, y, unit, strict=True)) == Counter(rows)


def test_json_is_its_text(request):
    rows = [("1.0", 1), ("1.00", 1), ("1.0", 1)]
    table = table_in(request, "postgres", {"x": "jsonb", "y": "integer"}, rows)
    assert found(group_counts(table, ["x"], "y")) == {("1.0", 1): 2, ("1.00", 1): 1}


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_a_unit_that_is_a_number_is_one_in_every_spelling(request, engine):
    kind = "numeric" if engine == "postgres" else "decimal(20, 3)"
    rows = [(Decimal("1.0"), 1), (Decimal("1.00"), 1), (Decimal("1.5"), 0)]
    table = table_in(request, engine, {"unit": kind, "y": "integer"}, rows).mutate(x=ibis.literal(1))
    assert group_counts(table, ["x"], "y", Quota("unit", 1, KEY)).n == 2


@pytest.mark.slow
def test_which_records_of_a_unit_count_does_not_depend_on_their_order(request):
    rows = [(-0.0, 1, 7), (0.0, 1, 7), (2.5, 1, 7), (3.5, 0, 7)]
    for key in map(str, range(5)):
        answers = [
            found(
                group_counts(
                    table_in(request, "duckdb", {"x": "double", "y": "integer", "unit": "integer"}, order),
                    ["x"],
                    "y",
                    Quota("unit", 2, key),
                )
            )
            for order in (rows, [rows[1], rows[0], *rows[2:]])
        ]
        assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT INTERVAL 1 MONTH AS x, 1 AS y", "x"),
        ("SELECT {'a': 1} AS x, 1 AS y", "x"),
        ("SELECT [0.5] AS x, 1 AS y", "x"),
        ("SELECT 1 AS x, MAP {'a': 1} AS y", "y"),
        ("SELECT '101'::BIT AS x, 1 AS y", "x"),
    ],
)
def test_types_that_cannot_be_read_exactly_are_refused(sql, column):
    with pytest.raises(ValueError, match=f"column '{column}' has a type that cannot be read exactly"):
        group_counts(duckdb_table(sql), ["x"], "y", rule="default")
    with pytest.raises(ValueError, match="cannot be read exactly"):
        fetched(duckdb_table(sql), ["x", "y"])


def test_units_have_one_spelling_each():
    table = duckdb_table("SELECT TIME '12:00' AS unit, 1 AS x, 1 AS y")
    with pytest.raises(ValueError, match="name units by text or numbers"):
        group_counts(table, ["x"], "y", Quota("unit", 1, KEY))


def test_engines_that_are_not_known_are_refused():
    table = ibis.polars.connect({"t": pl.DataFrame({"x": ["a"], "y": [1]})}).table("t")
    assert table.get_backend().name not in KNOWN
    with pytest.raises(ValueError, match=r"how polars compares values; write the table to a Parquet file"):
        group_counts(table, ["x"], "y")


def test_lists_are_tuples():
    table = duckdb_table("SELECT UNNEST([['a, b'], ['a', 'b'], ['A', NULL]]) AS x, 1 AS y")
    assert set(group_counts(table, ["x"], "y").columns[0]) == {("a, b",), ("a", "b"), ("A", None)}
    numbers = duckdb_table("SELECT [[1, 2], [3]] AS x, 1 AS y")
    assert fetched(numbers, ["x"])[0].tolist() == [((1, 2), (3,))]


@pytest.mark.parametrize("engine", ENGINES)
def test_one_missing_value_changes_no_other(request, engine):
    large = [2**60 + 1, 2**60 + 2, None, 2**60 + 2]
    table = table_in(request, engine, {"x": "bigint", "y": "bigint"}, [(x, 2**60 + 1) for x in large])
    answer = group_counts(table, ["x"], "y", rule="default")
    assert found(answer) == {(2**60 + 1, 2**60 + 1): 1, (2**60 + 2, 2**60 + 1): 2}
    assert answer.n == 4
    assert sorted(map(str, fetched(table, ["x"])[0])) == sorted(map(str, large))
    swapped = table.rename(x="y", y="x")
    answer = group_counts(swapped, ["x"], "y", rule="default")
    assert found(answer) == {(2**60 + 1, 2**60 + 1): 1, (2**60 + 1, 2**60 + 2): 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_and_truths_arrive_as_they_were(request, engine):
    types = {"x": "double precision", "y": "boolean"}
    table = table_in(
        request, engine, types | ({"x": "double"} if engine == "spark" else {}), [(0.1, True), (None, False)]
    )
    answer = group_counts(table, ["x"], "y", rule="default")
    assert (found(answer), answer.n) == ({(0.1, True): 1}, 2)
    assert [bool(y) for y in sorted(fetched(table, ["y"])[0])] == [False, True]


def test_what_is_no_number_concerns_its_own_record_in_sqlite(request):
    rows = [(2**60 + 1, 0.5), ("many", "much"), (2**60 + 2, 0.25)]
    table = table_in(request, "sqlite", {"x": "integer", "y": "real"}, rows)
    x, y = fetched(table, ["x", "y"])
    assert x.tolist() == [2**60 + 1, None, 2**60 + 2]
    assert [None if pd.isna(each) else each for each in y] == [0.5, None, 0.25]


WHEN = {
    "day": ("date", "2020-02-08", date(2020, 2, 8)),
    "moment": ("timestamp", "2020-02-08 10:30:00.5", datetime(2020, 2, 8, 10, 30, 0, 500_000)),
    "instant": ("timestamptz", "2020-02-08 10:30:00+02", datetime(2020, 2, 8, 8, 30, tzinfo=UTC)),
    "clock": ("time", "10:30:00.25", time(10, 30, 0, 250_000)),
    "amount": ("numeric", "1234567890123456789.125", Decimal("1234567890123456789.125")),
    "id": ("uuid", "123E4567-E89B-12D3-A456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    "raw": ("bytea", "\\x4100", b"A\0"),
}
BEYOND = {
    "day": ("infinity", "-infinity", "0044-03-15 BC", "5874897-12-31"),
    "moment": ("infinity", "-infinity", "0044-03-15 12:00 BC", "294276-12-31"),
    "instant": ("infinity", "0044-03-15 12:00+00 BC"),
    "clock": ("24:00",),
    "amount": ("NaN",),
}


@pytest.mark.parametrize("style", ["ISO", "German", "SQL, DMY"])
@pytest.mark.parametrize("column", WHEN)
def test_postgres_is_read_whatever_one_record_holds(request, column, style):
    kind, spelled, value = WHEN[column]
    rows = [(spelled, 1), *((each, 1) for each in BEYOND.get(column, ()))]
    table = table_in(request, "postgres", {"x": kind, "y": "integer"}, rows)
    table.get_backend().con.execute(f"SET datestyle = '{style}'")
    answer = group_counts(table, ["x"], "y", rule="default")
    assert (answer.n, answer.counts.sum()) == (len(rows), len(rows))
    for values in (answer.columns[0], fetched(table, ["x"])[0]):
        assert [each for each in values.tolist() if not missing(each)] == [value]


@pytest.mark.parametrize(
    ("cls", "column", "points"),
    [
        (pp.Thresholds(date(2020, 1, 1), date(2020, 12, 31), direction="above"), "day", [38]),
        (
            pp.Thresholds(Decimal("0.000"), Decimal("2000000000000000000.000"), direction="above"),
            "amount",
            [1234567890123456789125],
        ),
        (pp.Points(), "id", None),
    ],
)
def test_the_public_rule_reaches_every_record(request, cls, column, points):
    kind, spelled, _ = WHEN[column]
    rows = [(spelled, 1), *((each, 1) for each in BEYOND.get(column, ()))]
    table = table_in(request, "postgres", {"x": kind, "y": "integer"}, rows)
    for rule in ("clamp", "default"):
        sealed = gathered(PrivateClassifier(cls, feature="x", on_invalid=rule), table, "y")
        assert sealed.size == len(rows)
        assert points is None or [int(point) for point in sealed.points] == points
    if len(rows) > 1:
        with pytest.raises(
            (ValueError, TypeError), match=r"or say on_invalid='default', .* or on_invalid='clamp'"
        ) as refusal:
            gathered(PrivateClassifier(cls, feature="x"), table, "y")
        assert not any(each in str(refusal.value) for each, _ in rows)


@pytest.mark.engines
def test_infinite_numbers_go_to_the_ends(request):
    table = table_in(
        request, "debian", {"x": "numeric", "y": "integer"}, [("Infinity", 1), ("-Infinity", 1), ("NaN", 1)]
    )
    sealed = gathered(
        PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature="x", on_invalid="clamp"), table, "y"
    )
    assert sorted(sealed.points.tolist()) == [0, 9]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "null"])
def test_hexadecimal_digits_are_read_in_every_type_of_text(kind):
    entries = [None, None] if kind == "null" else ["4142", None, "4142", "C3A9"]
    values = pa.chunked_array([pa.array(entries, getattr(pa, kind)())] * 2)
    expected = [None, None] if kind == "null" else ["AB", None, "AB", "é"]
    assert imported_values(values, ibis.dtype("string"), "pyspark").tolist() == expected * 2
    assert imported_values(pa.chunked_array([], values.type), ibis.dtype("string"), "pyspark").tolist() == []


def test_whole_numbers_that_do_not_fit_stay_pythons():
    texts = [[b"37".hex(), str(2**70).encode().hex()], [b"37".hex(), None], [b"37".hex()]]
    found = [imported_values(pa.array(each), ibis.dtype("int64"), "sqlite") for each in texts]
    assert [each.tolist() for each in found] == [[37, 2**70], [37, None], [37]]
    assert [each.dtype for each in found] == [object, object, np.int64]


@pytest.mark.slow
def test_the_order_of_two_spellings_of_nan_does_not_decide_which_records_of_a_unit_count():
    nan = np.array([0xFFF8 << 48, 0x7FF8 << 48], dtype=np.uint64).view(np.float64)  # DuckDB spells them -nan and nan

    def chosen(values):
        connection, units = ibis.duckdb.connect(), np.arange(40).repeat(3)
        connection.con.register("t", pa.table({"x": np.tile([*values, 5.0], 40), "unit": units}))
        found = group_counts(connection.table("t"), ["x"], quota=Quota("unit", 1, "4f"), rule="default", apart=True)
        return sorted(zip(found.units.tolist(), map(str, found.columns[0]), strict=True))

    assert chosen(nan) == chosen(nan[::-1])


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_decimals_without_a_scale_are_whole_numbers(engine):
    """Sums of DuckDB are such decimals; a line of integers used to find no record that fits."""
    kind, number = ibis.dtype("decimal(38, 0)"), 2**70 + 1
    column = pa.array([Decimal(number), None]) if engine == "duckdb" else pa.array([str(number).encode().hex(), None])
    assert [(type(each), each) for each in imported_values(column, kind, engine)] == [(int, number), (type(None), None)]
