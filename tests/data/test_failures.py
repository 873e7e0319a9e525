"""Engines fail for many reasons: each is told by its kind, and no record is quoted."""

import re

import duckdb
import ibis
import psycopg
import pyarrow as pa
import pytest

from privpac.data.engines import counted
from privpac.data.failures import KINDS, OTHER, told
from tests.data.tables_in import fetched, table_in

SECRET = "patient 37"


@pytest.mark.parametrize(
    ("error", "match"),
    [
        (duckdb.OutOfMemoryException(f"failed to allocate for {SECRET}"), "ran out of memory"),
        (psycopg.errors.OutOfMemory(SECRET), "ran out of memory"),
        (pa.ArrowMemoryError(SECRET), "ran out of memory"),
        (pa.ArrowCapacityError(SECRET), "too large"),
        (RuntimeError(f"{SECRET} is bigger than spark.driver.maxResultSize"), "too large"),
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
    sentence = told(error)
    assert re.search(match, sentence)
    assert SECRET not in sentence
    assert ("damaged" in sentence) == isinstance(error, duckdb.IOException)


def test_the_kinds_are_told_apart():
    assert len({sentence for sentence, _ in KINDS} | {OTHER}) == len(KINDS) + 1


def test_a_function_that_is_missing_is_said_to_be(request):
    table = table_in(request, "sqlite", {"x": "integer", "y": "integer"}, [(1, 1)])

    @ibis.udf.scalar.builtin(signature=(("int64",), "int64"))
    def no_such_function(_): ...

    with pytest.raises(ValueError, match="lacks a function"):
        counted(table.mutate(x=no_such_function(table.x)), ["x"], "y")


def test_a_value_that_stops_the_engine_is_not_quoted(request):
    table = table_in(request, "postgres", {"x": "text", "y": "integer"}, [("37", 1), (SECRET, 1)])
    for read in (lambda t: counted(t, ["x"], "y", rule="default"), lambda t: fetched(t, ["x"])):
        with pytest.raises(ValueError, match="out of the range of its type") as refusal:
            read(table.mutate(x=table.x.cast("int64")))
        assert SECRET not in str(refusal.value)
