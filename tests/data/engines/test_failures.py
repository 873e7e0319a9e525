"""Engines fail for many reasons: each is told by its kind, and no record is quoted."""

import logging
import re
import sqlite3
import warnings
from datetime import datetime

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.queries import FAILED, FAILURES, OTHER, failure_sentence
from privpac.data.open_table import open_table, table_of_bytes
from tests.data.tables_in import fetched, table_in

SECRET = "patient 37"


@pytest.mark.parametrize(
    ("error", "match"),
    [
        (duckdb.OutOfMemoryException(f"failed to allocate for {SECRET}"), "ran out of memory"),
        (psycopg.errors.OutOfMemory(SECRET), "ran out of memory"),
        (pa.ArrowMemoryError(SECRET), "ran out of memory"),
        (pa.ArrowCapacityError(SECRET), "too large"),
        (psycopg.errors.ProgramLimitExceeded(SECRET), "too large"),
        (psycopg.errors.NumericValueOutOfRange(SECRET), "out of the range"),
        (duckdb.ConversionException(SECRET), "out of the range"),
        (psycopg.DataError(f"date too large: {SECRET}"), "out of the range"),
        (psycopg.errors.UndefinedFunction(SECRET), "lacks a function"),
        (ibis.common.exceptions.OperationNotDefinedError(SECRET), "lacks a function"),
        (duckdb.IOException(SECRET), "file is damaged"),
        (psycopg.OperationalError(SECRET), "cannot be reached"),
        (KeyError(SECRET), "did not answer the query .KeyError."),
    ],
)
def test_failures_are_told_by_their_kind(error, match):
    sentence = failure_sentence(error)
    assert re.search(match, sentence)
    assert SECRET not in sentence
    assert ("damaged" in sentence) == isinstance(error, duckdb.IOException)


MISLEADING = ("out of memory", FAILED, "csv error", "overflow", "connection lost", "corrupt", "no such function: f")


@pytest.mark.parametrize("text", [*MISLEADING, "is bigger than spark.driver.maxResultSize", "Code: 241", "(1305, "])
def test_what_a_record_says_selects_no_sentence(text):
    """Neighbors whose queries fail on another value get the same refusal."""
    kinds = duckdb.ConversionException, duckdb.InvalidInputException, psycopg.DataError, sqlite3.IntegrityError
    for kind in (*kinds, sqlite3.OperationalError, psycopg.errors.RaiseException, RuntimeError):
        assert failure_sentence(kind(f"bad value: {text}")) == failure_sentence(kind("bad value: 37"))
    for sql in ("CAST(x AS INTEGER)", "error(x)", "strptime(x, '%Y')::VARCHAR"):
        refusals = set()
        for value in ("a", text):
            relation = duckdb.sql(f"SELECT {sql} AS age, 1 AS late FROM (VALUES ('{value}'), ('37')) t(x)")
            with pytest.raises(ValueError) as refusal:
                learned(relation)
            refusals.add(str(refusal.value))
        assert len(refusals) == 1


class OfMySQL(Exception):
    __module__ = "pymysql.err"


def test_codes_are_read_where_no_record_can_stand():
    assert "lacks a function" in failure_sentence(OfMySQL(1305, "FUNCTION f does not exist"))
    assert "did not answer" in failure_sentence(OfMySQL(1644, "(1305, out of memory"))
    with pytest.raises(sqlite3.OperationalError) as error:
        sqlite3.connect(":memory:").execute("SELECT no_such_function(1)")
    assert "lacks a function" in failure_sentence(error.value)


def test_the_kinds_are_told_apart():
    assert len({sentence for sentence, _ in FAILURES} | {OTHER}) == len(FAILURES) + 1


def test_a_function_that_is_missing_is_said_to_be(request):
    table = table_in(request, "sqlite", {"x": "integer", "y": "integer"}, [(1, 1)])

    @ibis.udf.scalar.builtin(signature=(("int64",), "int64"))
    def no_such_function(_): ...

    with pytest.raises(ValueError, match="lacks a function"):
        group_counts(table.mutate(x=no_such_function(table.x)), ["x"], "y")


def test_a_value_that_stops_the_engine_is_not_quoted(request):
    table = table_in(request, "postgres", {"x": "text", "y": "integer"}, [("37", 1), (SECRET, 1)])
    for read in (lambda t: group_counts(t, ["x"], "y", rule="default"), lambda t: fetched(t, ["x"])):
        with pytest.raises(ValueError, match="out of the range of its type") as refusal:
            read(table.mutate(x=table.x.cast("int64")))
        assert SECRET not in str(refusal.value)


class Quoting:
    """A value, or a row, whose own code raises errors that quote it."""

    def fails(self, *_):
        raise ValueError(SECRET)

    __eq__ = __lt__ = __hash__ = __len__ = __getitem__ = __iter__ = __str__ = __float__ = __index__ = fails


class QuotingRow(tuple):
    __slots__ = ()
    __getitem__ = __iter__ = __len__ = __contains__ = Quoting.fails


class QuotingNumber(int):
    __index__ = __eq__ = __hash__ = __lt__ = __float__ = Quoting.fails


def learned(table, y="late", feature="age", concepts=None, **options):
    return pp.PrivateClassifier(concepts or pp.Thresholds(0, 99, direction="above"), feature=feature, **options).fit(
        table, y
    )


def of_records(*ages, late=None):
    """A table of these ages and some others."""
    return {"age": [*ages, 1, 2, 3], "late": late or [0, 1, 0, 1][: len(ages) + 3]}


def in_memory(table, **options):
    return lambda request: learned(table, **options)


def in_duckdb(sql):
    return lambda request: learned(
        duckdb.sql(f"SELECT {sql} AS age, 1 AS late FROM (VALUES ('{SECRET}'), ('37')) t(x)")
    )


def through_ibis(engine, kind):
    def fit(request):
        table = table_in(request, engine, {"age": "TEXT", "late": "INTEGER"}, [(SECRET, 1), ("37", 0)])
        return learned(table.mutate(age=table.age.cast(kind)))

    return fit


def of_file(name, octets):
    def opened(request):
        file = request.getfixturevalue("tmp_path") / name
        file.write_bytes(octets)
        return learned(open_table(file))

    return opened


def of_parquet(column):
    def opened(request):
        file = request.getfixturevalue("tmp_path") / "records.parquet"
        pa.parquet.write_table(pa.table({"age": column, "late": [0] * len(column)}), file)
        return learned(open_table(file), on_invalid="default")

    return opened


def of_lazy(query):
    frame = pl.LazyFrame({"age": [SECRET, "37"], "late": [0, 1]})
    return lambda request: learned(frame.with_columns(age=query))


JANUARY = pp.Thresholds(datetime(2026, 1, 1), datetime(2026, 2, 1), direction="above")
SPOILT = pa.py_buffer(f"{SECRET}\xe9".encode("latin1"))
LATIN = f"age,late,{SECRET},\xe9\n37,1\n".encode("latin1")
CASES = {
    "text in a column of numbers": in_memory(of_records(SECRET)),
    "text, as a frame": in_memory(pd.DataFrame(of_records(SECRET))),
    "text, as an array": in_memory(np.array([[SECRET], ["37"]]), y=[0, 1], feature=0),
    "text, as objects": in_memory(np.array([[SECRET], [37]], dtype=object), y=[0, 1], feature=0),
    "text among dates": in_memory(of_records(SECRET), concepts=JANUARY),
    "text among names": in_memory(of_records(SECRET), concepts=pp.Points().on("age", values=("a", "b")), feature=None),
    "a code": in_memory(of_records(f"{SECRET}\ud800"), concepts=pp.StartsWith(height=2)),
    "bytes": in_memory(of_records(SECRET.encode())),
    "a number": in_memory(of_records(Quoting())),
    "a value": in_memory(of_records(Quoting()), concepts=pp.Points(), delta=1e-6),
    "a row": in_memory([QuotingRow((SECRET, 1)), (1, 2)], y=[0, 1], feature=0),
    "a label": in_memory(of_records(5, late=[Quoting(), 0, 1, 1])),
    "labels of several kinds": in_memory(of_records(5, late=[SECRET, 0, 1, 1]), classes=None),
    "labels that compare": in_memory(of_records(5, late=[QuotingNumber(3), 0, 1, 1]), classes=None),
    "another label": in_memory(of_records(5, late=[SECRET, "no", "yes", "yes"]), classes=("no", "yes")),
    "duckdb, text": in_duckdb("CAST(x AS INTEGER)"),
    "duckdb, time": in_duckdb("CAST(x AS TIMESTAMP)"),
    "duckdb, error": in_duckdb("error(x)"),
    "duckdb, json": in_duckdb("CAST(json(x) AS INTEGER)"),
    "ibis, duckdb": through_ibis("duckdb", "int64"),
    "ibis, duckdb, time": through_ibis("duckdb", "timestamp"),
    "ibis, postgres": through_ibis("postgres", "int64"),
    "ibis, postgres, time": through_ibis("postgres", "timestamp"),
    "polars": of_lazy(pl.col("age").cast(pl.Int64)),
    "polars, code": of_lazy(pl.col("age").map_elements(lambda text: {}[text], return_dtype=pl.Int64)),
    "text file": of_file("records.csv", f"age,late\n{SECRET},1\n37,0\n".encode()),
    "text file that is not UTF-8": of_file("records.csv", LATIN),
    "damaged Parquet": of_file("records.parquet", b"PAR1" + SECRET.encode() * 9 + b"PAR1"),
    "damaged SQLite": of_file("records.sqlite", b"SQLite format 3\0" + SECRET.encode() * 99),
    "damaged DuckDB": of_file("records.duckdb", SECRET.encode() * 99),
    "bytes that are not UTF-8": lambda request: table_of_bytes(LATIN, "records.csv"),
    "bytes of damaged Parquet": lambda request: table_of_bytes(b"PAR1" + SECRET.encode(), "records.parquet"),
    "text that is not UTF-8 in Parquet": of_parquet(
        pa.StringArray.from_buffers(
            1, pa.py_buffer(np.array([0, 11], np.int32)), pa.py_buffer(f"{SECRET}\xe9".encode("latin1"))
        )
    ),
    "times beyond 64 bits in Parquet": of_parquet(pa.array([2**62], pa.timestamp("s"))),
}


def chain(error):
    """The error, and all that can be reached from it, hidden or not."""
    seen, rest = [], [error]
    while rest:
        each = rest.pop()
        if each is not None and each not in seen:
            seen.append(each)
            rest += [each.__cause__, each.__context__]
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_refusal_keeps_nothing_of_the_error_that_it_replaces(request, capfd, caplog, case):
    """Neither in its words nor in those of an error that it hides, in warnings, on the screen, or in a log."""
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            CASES[case](request)
        except Exception as error:
            told = [f"{each!r} {each} {each.args} {vars(each)} {getattr(each, 'object', '')}" for each in chain(error)]
        else:
            pytest.fail("nothing was refused")
    told += [str(each.message) for each in warned]
    told += [*capfd.readouterr(), caplog.text]
    assert not [each for each in told if SECRET in each]
