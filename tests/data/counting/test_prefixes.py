"""Prefixes are counted in every engine as in memory, level by level; codes do not arrive, and nothing stays."""

from itertools import product

import numpy as np
import pytest

from privpac.data.counting import prefixes as module
from privpac.data.counting.prefixes import PrefixesInEngine
from privpac.data.domains.paths import Paths, PathsFromEnd
from privpac.data.engines.exact_forms import engine_function
from privpac.data.engines.queries import answer
from privpac.data.engines.views import is_table
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.units import Quota
from privpac.refusals.refusal import Refused
from privpac.requests.reading import Reading
from tests.data.tables_in import ENGINES, FOLDERS, FOLDING, SLOW, duckdb_table, table_in

# characters of one to four bytes, combining marks, joined emoji, flags, a ligature, both ends of the planes, spaces
HOSTILE = [
    *("e\u0301x", "é", "E\u0301", "\u0301\u0301a", "👨\u200d👩\u200d👧z", "🇩🇪🇫🇷", "ﬁn", "fin", "\uffff\U00010000a"),
    *("", " ", "a  ", "  a", "İi", "ß", "SS", "\u200b", "a%_'\"\\", "\U0010ffff" * 7, "aaaaa", "\ud7ff\ue000b"),
]  # fmt: skip
CODES = HOSTILE + [f"{a}{b}{c}" for a, b, c in product("abA", "äb", "1😀")] * 3
NULS = ["a\0b", "\0", "\0\0a", "a\0c", "ab\0"]
TEXT = {"sqlite": "TEXT", "spark": "string", "duckdb": "VARCHAR"}
DOMAINS = {"clamp": (Paths(None, 4), PathsFromEnd(None, 3)), "default": (Paths(None, 3), PathsFromEnd(None))}
KEY = "4f70"
CUTTING, FOLDING_AND_CUTTING = (
    [each for each in some if "mariadb" not in getattr(each, "values", ())] for some in (ENGINES, FOLDERS)
)


def in_engine(request, engine, codes):
    rows = [(code, i % 40) for i, code in enumerate(codes)]
    return table_in(request, engine, {"code": TEXT.get(engine, "TEXT"), "who": "BIGINT"}, rows)


def in_memory(X, domain, rule, quota=None):
    reading = Reading(domain, 0, rule, ("who",))
    sample = reading.gathered(X, None if is_table(X) else reading.table(X), None, quota, None).sample
    points, _, counts = sample.tally()
    return sample.size, Codes(points.tolist(), counts)


def walked(prefixes, least):
    """All layers below nodes of at least so many records."""
    layers = []

    def look(layer):
        every = np.arange(len(layer.counts))
        nodes = layer.nodes_at(every)
        layers.append((layer.depth, nodes, layer.counts.tolist()))
        np.testing.assert_array_equal(layer.places([*nodes[::-1], "absent", "\ud800"]), [*every[::-1], -1, -1])
        assert layer.counts.dtype == np.int64
        return layer.counts >= least

    prefixes.descend(look)
    return layers


def same(held, n, codes):
    assert (held.size, held.total) == (n, codes.total)
    for least in (1, 3, 1):  # a layer is asked for again only if the nodes above it are others
        assert walked(held, least) == walked(codes, least)


@pytest.mark.audit
@pytest.mark.parametrize("rule", DOMAINS)
@pytest.mark.parametrize("engine", CUTTING)
def test_engines_count_as_memory_does(request, engine, rule):
    codes = [*CODES, None, None, *(NULS if engine in ("duckdb", "sqlite", "spark", "clickhouse") else [])]
    table = in_engine(request, engine, codes)
    for domain in DOMAINS[rule]:
        held = PrefixesInEngine.of(table, ["code"], domain, rule=rule)
        same(held, *in_memory({"code": codes}, domain, rule))
        held.close()
    quota = Quota("who", 2, KEY)
    held = PrefixesInEngine.of(table, ["code"], Paths(None, 2), quota, rule)
    same(held, *in_memory(table, Paths(None, 2), rule, quota))
    held.close()


@pytest.mark.slow
@pytest.mark.parametrize("engine", FOLDING_AND_CUTTING)
def test_no_engine_decides_which_texts_are_equal(request, engine):
    kind = {"citext": "debian", "icu": "debian"}.get(engine, engine)
    rows = [("ab",), ("AB",), ("Ab",), ("ab",), ("AB ",), ("é",), ("e",)]
    held = PrefixesInEngine.of(table_in(request, kind, {"x": FOLDING[engine]}, rows), ["x"], Paths(None, 3))
    same(held, *in_memory({"x": [code for (code,) in rows]}, Paths(None, 3), "raise"))
    held.close()


def test_codes_do_not_arrive(monkeypatch):
    """Of 20,000 distinct codes, only children of heavy nodes do: ten digits for each."""
    arrivals = []
    monkeypatch.setattr(module, "answer", lambda query: arrivals.append(answer(query)) or arrivals[-1])
    table = duckdb_table("SELECT CAST(1000000 + 37 * i AS VARCHAR) AS code FROM range(20000) AS t(i)")
    held = PrefixesInEngine.of(table, ["code"], Paths(None, 7))
    shown = sum(int((np.array(counts) >= 1000).sum()) for _, _, counts in walked(held, 1000))
    assert shown == 9
    assert sum(len(each) for each in arrivals) <= 1 + 10 + 11 * shown  # and the code that ends at its parent
    held.close()


def test_layers_are_asked_for_once(monkeypatch):
    """The certificate looks below the same nodes as the counts did."""
    held = PrefixesInEngine.of(duckdb_table("SELECT unnest(['ab', 'ab', 'ac']) AS code"), ["code"], Paths(None, 2))
    first = walked(held, 2)
    monkeypatch.setattr(module, "answer", None)
    assert walked(held, 2) == first
    held.close()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_what_does_not_fit_is_refused_and_nothing_stays(request, engine):
    table = in_engine(request, engine, ["abcd", "abcde", None])
    before = tables_of(table.get_backend())
    for domain, rows, told in [
        (Paths(None, 5), table, "no value in column 'code'"),
        (Paths(None, 4), table.filter(table.code.notnull()), "'code': some values lie deeper than height=4; declare a"),
    ]:
        with pytest.raises(ValueError, match=told):
            PrefixesInEngine.of(rows, ["code"], domain)
        assert tables_of(table.get_backend()) == before
    held = PrefixesInEngine.of(table.filter(table.code.notnull()), ["code"], PathsFromEnd(None, 5))
    walked(held, 1)
    assert tables_of(table.get_backend()) != before
    held.close()
    assert tables_of(table.get_backend()) == before
    with pytest.raises(ValueError, match="no column 'icd'"):
        PrefixesInEngine.of(table, ["icd"], Paths(None, 4))


def test_codes_arrive_if_the_engine_keeps_no_table(request, monkeypatch):
    def only_reads(_):
        raise Refused("table", "cannot execute CREATE TABLE in a read-only transaction")

    monkeypatch.setattr(module, "cached_table", only_reads)
    assert PrefixesInEngine.of(in_engine(request, "duckdb", ["ab"]), ["code"], Paths(None, 4)) is None


def test_records_without_a_unit_are_refused(request):
    table = table_in(request, "duckdb", {"code": "VARCHAR", "who": "BIGINT"}, [("a", 1), ("b", None)])
    with pytest.raises(ValueError, match="have no unit"):
        PrefixesInEngine.of(table, ["code"], Paths(None, 4), Quota("who", 2, KEY))
    held = PrefixesInEngine.of(table, ["code"], Paths(None, 4), Quota("who", 2, KEY), "default")
    assert (held.size, held.total) == (2, 1)
    held.close()


def test_other_columns_arrive(request):
    """Numbers, which are no texts, and paths of components, which engines do not split as Python does."""
    table = table_in(request, "duckdb", {"code": "VARCHAR", "who": "BIGINT"}, [("a", 1)])
    assert PrefixesInEngine.of(table, ["who"], Paths(None, 4)) is None
    assert PrefixesInEngine.of(table, ["code"], Paths("/", 4)) is None


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_codes_of_mariadb_arrive(request):
    """Its temporary tables have the characters of the database, which need not be all."""
    table = table_in(request, "mariadb", {"code": "VARCHAR(20)"}, [("a",)])
    assert PrefixesInEngine.of(table, ["code"], Paths(None, 4)) is None


def test_texts_that_are_not_unicode_are_void(request):
    table = in_engine(request, "sqlite", ["ab", b"a\xff", b"\xc3\xa9", 7, 1.5])
    table.get_backend().con.execute("UPDATE t SET code = CAST(code AS TEXT)")
    held = PrefixesInEngine.of(table, ["code"], Paths(None, 4), rule="default")
    same(held, *in_memory(table, Paths(None, 4), "default"))
    assert (held.size, held.total) == (5, 4)
    held.close()
    with pytest.raises(ValueError, match="no value in column"):
        PrefixesInEngine.of(table, ["code"], Paths(None, 4))


@pytest.mark.parametrize("engine", [pytest.param(each, marks=SLOW) for each in ("spark", "clickhouse")])
def test_bytes_that_are_not_utf8_are_void(request, engine):
    """Texts of these engines may be any bytes; cut in the middle of one, a text would begin codes of others."""
    octets = [
        b"ab",
        b"ab",
        "é".encode(),
        b"\xc3",
        b"a\xff",
        b"\xffa",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xc0\xaf",
        b"",
    ]
    table = table_in(request, engine, {"code": TEXT.get(engine, "TEXT")}, [(each.hex(),) for each in octets])
    table = table.mutate(code=engine_function("unhex", ("string",), "binary")(table.code).cast("string"))
    valid = {"code": ["ab", "ab", "é", *[None] * 6, ""]}
    held = PrefixesInEngine.of(table, ["code"], Paths(None, 2), rule="default")
    n, codes = in_memory(valid, Paths(None, 2), "default")
    assert (held.size, held.total) == (n, codes.total) == (10, 4)
    assert walked(held, 1) == walked(codes, 1)
    held.close()
    with pytest.raises(ValueError, match="no value in column"):
        PrefixesInEngine.of(table, ["code"], Paths(None, 4))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_there_may_be_no_codes(request, engine):
    table = in_engine(request, engine, [None, ""])
    for rows, found in [(table.filter(table.who < 0), (0, 0)), (table.filter(table.who < 1), (1, 0)), (table, (2, 1))]:
        held = PrefixesInEngine.of(rows, ["code"], Paths(None, 4), rule="default")
        assert (held.size, held.total) == found
        assert walked(held, 1) == []
        held.close()


@pytest.mark.slow
def test_neighbors_stay_neighbors(request):
    """In a column that ignores case, replacing one record changes each count by one at most, along two paths."""
    texts, crowd, seen = ["ab", "AB", "aB", "a", "", "b"], ["AB", "ab", "Ab", "A"], {}
    for code in texts:
        table = table_in(request, "duckdb", {"x": FOLDING["duckdb"]}, [(each,) for each in (*crowd, code)])
        held = PrefixesInEngine.of(table, ["x"], Paths(None, 2))
        layers = walked(held, 1)
        held.close()
        seen[code] = {v: c for _, nodes, counts in layers for v, c in zip(nodes, counts, strict=True)}
    for one, other in product(texts, repeat=2):
        nodes = {*seen[one], *seen[other]}
        assert {code[:l] for code in (one, other) for l in (1, 2)} - {""} <= nodes
        assert all(
            seen[other].get(v, 0) - seen[one].get(v, 0) == other.startswith(v) - one.startswith(v) for v in nodes
        )


def tables_of(engine):
    """All tables and views that a connection sees, temporary ones too."""
    asked = {
        "duckdb": "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()",
        "sqlite": "SELECT name FROM sqlite_master UNION SELECT name FROM sqlite_temp_master",
        "postgres": "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v')",
    }
    return {row[0] for row in engine.raw_sql(asked[engine.name]).fetchall()}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_two_releases_at_once_keep_tables_of_their_own(request, engine):
    """Ibis would hand out one table for the same query, which ends with the first of them."""
    table = in_engine(request, engine, ["ab", "b"])
    one, other = (PrefixesInEngine.of(table, ["code"], Paths(None, 3)) for _ in range(2))
    one.close()
    assert walked(other, 1) == [(1, ["a", "b"], [1, 1]), (2, ["ab"], [1])]
    other.close()
