"""Every engine × every kind of equal values: whatever an engine takes for equal, neighbors stay neighbors.

The records of each table are counted as Python counts them, so one record moves one count. The controls say which of
these texts and numbers the engine itself takes for equal: there, grouping by the values as they are fails.
"""

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

from privpac.data.engines import counted
from privpac.data.listed import missing
from privpac.data.units import Quota, slots_of
from tests.data.tables_in import SLOW, table_in

K = 2  # records of a unit that count
LONG = "a" * 700  # in digits, more than MariaDB looks at when it sorts
PAIRS = {
    "case": ("ab", "AB"),
    "blank": ("ab", "ab "),
    "accent": ("resume", "résumé"),
    "normal form": ("\u00e9", "e\u0301"),
    "invisible": ("ab", "a\u200bb"),
    "sharp s": ("strasse", "straße"),
    "long": (f"{LONG}1", f"{LONG}2"),
    "code": ("A", "\\x41"),
}
EVERYTHING = {"case", "accent", "normal form", "invisible", "sharp s"}
TEXTS = {  # types of text, and the pairs that are equal there
    ("duckdb", "VARCHAR COLLATE NOCASE"): {"case"},
    ("duckdb", "VARCHAR COLLATE NOCASE.NOACCENT"): {"case", "accent", "normal form"},
    ("sqlite", "TEXT COLLATE NOCASE"): {"case"},
    ("sqlite", "TEXT COLLATE RTRIM"): {"blank"},
    ("postgres", "TEXT"): set(),
    ("postgres", "CHAR(800)"): {"blank"},
    ("debian", "CITEXT"): {"case"},
    ("debian", "TEXT COLLATE folded"): {"case", "normal form", "invisible"},
    ("debian", "TEXT COLLATE bare"): EVERYTHING,
    ("mariadb", "VARCHAR(800) CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "VARCHAR(800) COLLATE utf8mb4_unicode_ci"): EVERYTHING | {"blank"},
    ("mariadb", "VARCHAR(800) COLLATE utf8mb4_bin"): {"blank"},
    ("mariadb", "LONGTEXT CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "CHAR(200) CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "VARCHAR(800) CHARACTER SET latin1"): {"case", "blank", "accent"},
    ("spark", "STRING COLLATE UTF8_LCASE"): {"case"},
    ("spark", "STRING COLLATE UNICODE_CI_AI_RTRIM"): EVERYTHING | {"blank"},
    ("clickhouse", "String"): set(),
    ("clickhouse", "String NOT NULL"): set(),
    ("clickhouse", "LowCardinality(String) NOT NULL"): set(),
    ("clickhouse", "LowCardinality(Nullable(String)) NOT NULL"): set(),
    ("clickhouse", "FixedString(200)"): set(),
}
SERVERS = ("debian", "mariadb", "spark", "clickhouse")
FLOATS = {"postgres": "DOUBLE PRECISION", "debian": "DOUBLE PRECISION"}
WITHOUT_NAN = ("sqlite", "mariadb")  # engines that cannot store it
NUMBERS = {
    "large": [2**60 + 1, 2**60 + 2, None, 2**60 + 2],
    "floats": [0.0, -0.0, 2.5, None, 0.1, 0.1 + 2**-56, math.nan],
    "decimals": [Decimal("1.0"), Decimal("1.00"), Decimal("1.5"), None],
}


def marked(engine, *others):
    """A point of the table; servers run where they are asked for."""
    return pytest.param(engine, *others, marks=SLOW if engine in SERVERS else ())


def held(kind):
    """The texts that a column of this type can hold."""
    without = {"latin1": {"normal form", "invisible"}, "CHAR(200)": {"long"}, "FixedString": {"long"}}
    lacks = next((names for word, names in without.items() if word in kind), set())
    return {name: pair for name, pair in PAIRS.items() if name not in lacks}


def text_of(kind, text):
    """The value that a column of this type holds: to a CHAR, blanks at the end are none of it."""
    return text.rstrip(" ") if kind.startswith("CHAR") else text


def at_each_place(values):
    """Rows (x, y, unit) that differ at one place, and which it is: in this order and in the other."""
    for place in range(3):
        rows = [
            tuple(each if i == place else other for i, other in enumerate(("v", "no", "ann")))
            for j, each in enumerate(values)
            for _ in range(1 + j % 3)
        ]
        yield place, rows
        yield place, rows[::-1]


def as_python_counts(rows, k):
    """The records that count, and n."""
    there = [row for row in rows if not missing(row[2])]
    x, y, unit = (np.array([None, *column], dtype=object)[1:] for column in zip(*there, strict=True))
    chosen, n = slots_of(Quota(unit, k, "4f"), [x, y], "raise")
    return Counter(there[i][:2] for i in chosen if not any(map(missing, there[i]))), n


def as_the_engine_counts(table, k):
    answer = counted(table, ["x"], "y", Quota("unit", k, "4f"), "default")
    found = Counter()
    for x, y, count in zip(*answer.columns, answer.labels, answer.counts.tolist(), strict=True):
        found[x, y] += 0 if missing(x) or missing(y) else count
    return +found, answer.n


def check(request, engine, kinds, values, told, *, spelled_alike):
    """The counts are Python's, without units and with them, wherever the values stand."""
    others = {}
    for place, rows in at_each_place(values):
        types = {name: kinds[0] if i == place else kinds[1] for i, name in enumerate(("x", "y", "unit"))}
        table = table_in(request, engine, types, rows)
        read = [tuple(map(told, row)) for row in rows]
        if place < 2:
            answer = counted(table, ["x"], "y", rule="default")
            points = zip(answer.columns[0].tolist(), answer.labels.tolist(), answer.counts.tolist(), strict=True)
            points = [((x, y), count) for x, y, count in points if not missing(x) and not missing(y)]
            assert len({point for point, _ in points}) == len(points)
            assert dict(points) == Counter(row[:2] for row in read if not any(map(missing, row)))
            assert all(math.copysign(1, x) == 1 for point, _ in points for x in point if isinstance(x, float))
            assert answer.n == len(rows)
        found, n = as_the_engine_counts(table, K)
        expected, units = as_python_counts(read, K)
        assert n == units and found.total() <= n
        if spelled_alike or place == 2:  # an engine spells numbers in its own way, and chooses by what it spells
            assert found == expected
        else:
            assert found == others.setdefault(place, found)  # in either order of the rows


@pytest.mark.parametrize(("engine", "kind"), [marked(*each) for each in TEXTS])
def test_texts_are_counted_as_python_counts_them(request, engine, kind):
    texts = list(dict.fromkeys(each for pair in held(kind).values() for each in pair))
    check(request, engine, (kind, kind), texts, lambda text: text_of(kind, text), spelled_alike=True)


@pytest.mark.parametrize(("engine", "kind"), [marked(*each) for each in TEXTS])
def test_the_engine_itself_takes_these_for_equal(request, engine, kind):
    pairs = held(kind)
    rows = [(text, name) for name, pair in pairs.items() for text in pair]
    table = table_in(request, engine, {"x": kind, "name": kind}, rows)
    equal = {name for name in pairs if len(table.filter(table.name == name).group_by("x").agg().to_pyarrow()) == 1}
    assert equal == TEXTS[engine, kind] & set(pairs)


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("engine", [marked(each) for each in dict.fromkeys(engine for engine, _ in TEXTS)])
def test_numbers_are_counted_as_python_counts_them(request, engine, numbers):
    kinds = {"large": "BIGINT", "floats": FLOATS.get(engine, "DOUBLE"), "decimals": "DECIMAL(30, 3)"}
    values = [each for each in NUMBERS[numbers] if engine not in WITHOUT_NAN or not missing(each) or each is None]
    if engine == "sqlite" and numbers == "decimals":
        values = [each and float(each) for each in values]  # it has no decimals
    text = {"mariadb": "VARCHAR(20)", "spark": "STRING"}.get(engine, "TEXT")
    check(request, engine, (kinds[numbers], text), values, lambda each: 0.0 if each == 0 else each, spelled_alike=False)
