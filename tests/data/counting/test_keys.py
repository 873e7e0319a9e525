"""Keys arrive with their counts as memory has them, and none becomes a Python value before it is named."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

import privpac as pp
from privpac.data.counting.keys import KeysOfEngine, ManyKeys
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.files.progress import listening
from privpac.data.samples.units import Quota
from privpac.release.histograms import key_counts
from privpac.requests.reading import Reading
from tests.data.tables_in import FOLDING, table_in

BOTH = Columns(("x", "k"), (Anything(), Anything()))
TEXTS = ["ab", "AB", "ab", "e\u0301", "é", "", " ", "a ", "37", "37.0", "nan", "😀"]
ROWS = [(text, k, i % 7) for i, (text, k) in enumerate(zip(TEXTS * 3, [1, 2, -(2**63), 2**63 - 1] * 9, strict=True))]
VOID = [(None, 1, 0), ("ab", None, 1), (None, None, 2), ("ab", 1, None)]
TYPES = {"x": "TEXT", "k": "BIGINT", "who": "BIGINT"}


def counts_of(found):
    keys = found.keys.named(np.arange(len(found.keys.counts)))
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.keys.counts.tolist(), strict=True))


def in_memory(table, domain, rule, quota=None):
    sample = Reading(domain, 0, rule, ("who",)).gathered(table, None, None, quota, None).sample
    return sample.size, key_counts(sample, domain)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["raise", "default"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_keys_are_those_of_memory(request, engine, rule):
    table = table_in(request, engine, TYPES, ROWS + VOID * (rule == "default"))
    for domain, names in ((BOTH, ["x", "k"]), (Columns(("x",), (Anything(),)), ["x"])):
        found = KeysOfEngine.of(table, names, domain, rule=rule)
        assert (found.size, counts_of(found)) == in_memory(table, domain, rule)
    quota = Quota("who", 2, "4f70")
    found = KeysOfEngine.of(table, ["x", "k"], BOTH, quota, rule)
    assert (found.size, counts_of(found)) == in_memory(table, BOTH, rule, quota)
    assert found.size == 14


def test_no_engine_decides_which_texts_are_equal(request):
    table = table_in(request, "duckdb", {"x": FOLDING["duckdb"]}, [("ab",), ("AB",), ("ab",)])
    assert counts_of(KeysOfEngine.of(table, ["x"], Anything())) == {("ab",): 2, ("AB",): 1}


def test_what_does_not_fit_is_refused(request):
    table = table_in(request, "duckdb", TYPES, ROWS + VOID)
    with pytest.raises(ValueError, match="some records have no value in column 'x'"):
        KeysOfEngine.of(table, ["x", "k"], BOTH)
    with pytest.raises(ValueError, match="have no unit"):
        KeysOfEngine.of(table, ["x", "k"], BOTH, Quota("who", 2, "4f70"))
    with pytest.raises(ValueError, match="no column 'y'"):
        KeysOfEngine.of(table, ["y"], Anything())


def test_other_keys_arrive_one_by_one(request):
    """Decimals and floats have canonical forms; SQLite has no bytes; a line is not a set of keys."""
    table = table_in(request, "duckdb", {"x": "DOUBLE", "d": "DECIMAL(4, 2)", "k": "BIGINT"}, [(1.0, 1, 1)])
    assert KeysOfEngine.of(table, ["x"], Anything()) is None
    assert KeysOfEngine.of(table, ["d"], Anything()) is None
    assert KeysOfEngine.of(table, ["k"], Line(0, 9)) is None
    assert KeysOfEngine.of(table_in(request, "sqlite", {"x": "TEXT"}, [("a",)]), ["x"], Anything()) is None


def test_keys_stay_in_the_memory_of_arrow(request):
    found = KeysOfEngine.of(table_in(request, "duckdb", TYPES, ROWS), ["x"], Anything())
    assert all(isinstance(each, pa.Array) for each in found.keys.columns)
    assert isinstance(found.keys.counts, np.ndarray)
    found.close()


@pytest.mark.slow
def test_a_text_that_is_not_utf8_is_told_by_no_line():
    """Its record is void, and all others are counted as they were; the listener hears of them once."""
    lines = []
    for last in (b"zz", b"\xff", b"\xed\xa0\x80"):
        ends = np.array([0, *range(2, 402, 2), 400 + len(last)], dtype=np.int32)
        texts = pa.Array.from_buffers(pa.string(), 201, [None, pa.py_buffer(ends), pa.py_buffer(b"ab" * 200 + last)])
        connection = ibis.duckdb.connect()
        connection.con.register("t", pa.table({"x": texts}))
        for queries in (pp.Points().on("x"), pp.StartsWith(height=3).on("x")):
            with listening(lambda said, *numbers: lines.append(said.format(*numbers))):
                release = pp.PrivateRelease(queries, delta=1e-6, on_invalid="default").fit(connection.table("t"))
            assert release.n_records_ == 201 and max(release.counts()["records"]) > 100
    assert [line for line in lines if "counted" in line] == ["201 records counted"] * 6  # a slow machine says more


def test_some_keys_are_named_in_the_order_asked_for():
    keys = ManyKeys((pa.array(["a", "b\0", "é"], pa.large_string()), pa.array([2**63, 0, 7], pa.uint64())), np.ones(3))
    assert keys.named(np.array([2, 0])) == [("é", 7), ("a", 2**63)]
    assert keys.named(np.array([], dtype=np.int64)) == []
