"""Prefixes are counted in every engine as in memory, level by level; codes do not arrive, and nothing stays."""

from itertools import product

import numpy as np
import pytest

from privpac.data.engine_prefixes import PrefixesInEngine
from privpac.data.engines import is_table
from privpac.data.paths import Paths, PathsFromEnd
from privpac.data.prefixes import Codes
from privpac.data.units import Quota
from privpac.learners.reading import Reading
from tests.data.tables_in import ENGINES, FOLDERS, FOLDING, table_in

# characters of one to four bytes, combining marks, joined emoji, flags, a ligature, both ends of the planes, spaces
HOSTILE = [
    *("e\u0301x", "é", "E\u0301", "\u0301\u0301a", "👨\u200d👩\u200d👧z", "🇩🇪🇫🇷", "ﬁn", "fin", "\uffff\U00010000a"),
    *("", " ", "a  ", "  a", "İi", "ß", "SS", "\u200b", "a%_'\"\\", "\U0010ffff" * 7, "aaaaa", "\ud7ff\ue000b"),
]  # fmt: skip
CODES = HOSTILE + [f"{a}{b}{c}" for a, b, c in product("abA", "äb", "1😀")] * 3
NULS = ["a\0b", "\0", "\0\0a", "a\0c", "ab\0"]
TEXT = {"sqlite": "TEXT", "mariadb": "VARCHAR(400)", "spark": "string", "duckdb": "VARCHAR"}
DOMAINS = [Paths(None, 4), PathsFromEnd(None, 4), Paths(None), PathsFromEnd(None)]
KEY = "4f70"


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
        nodes = layer.named(every)
        layers.append((layer.depth, nodes, layer.counts.tolist()))
        np.testing.assert_array_equal(layer.places([*nodes[::-1], "absent", "\ud800"]), [*every[::-1], -1, -1])
        assert layer.counts.dtype == np.int64
        return layer.counts >= least

    prefixes.descend(look)
    return layers


def same(held, n, codes):
    assert (held.size, held.total) == (n, codes.total)
    for least in (1, 2, 1, 10):  # a layer is asked for again only if the nodes above it are others
        assert walked(held, least) == walked(codes, least)


@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_count_as_memory_does(request, engine, rule):
    codes = [*CODES, None, None, *(NULS if engine in ("duckdb", "sqlite", "spark") else [])]
    table = in_engine(request, engine, codes)
    for domain in DOMAINS:
        held = PrefixesInEngine.of(table, ["code"], domain, rule=rule)
        same(held, *in_memory({"code": codes}, domain, rule))
        held.close()
    quota = Quota("who", 2, KEY)
    held = PrefixesInEngine.of(table, ["code"], DOMAINS[0], quota, rule)
    same(held, *in_memory(table, DOMAINS[0], rule, quota))
    held.close()


@pytest.mark.parametrize("engine", FOLDERS)
def test_no_engine_decides_which_texts_are_equal(request, engine):
    kind = {"citext": "debian", "icu": "debian"}.get(engine, engine)
    rows = [("ab",), ("AB",), ("Ab",), ("ab",), ("AB ",), ("é",), ("e\u0301",)]
    held = PrefixesInEngine.of(table_in(request, kind, {"x": FOLDING[engine]}, rows), ["x"], Paths(None, 3))
    same(held, *in_memory({"x": [code for (code,) in rows]}, Paths(None, 3), "raise"))
    held.close()
