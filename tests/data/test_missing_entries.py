"""Missing entries, wherever records live: read alike, and neighbors stay neighbors.

One record is changed at a time: its entry is missing, spelled as missing, or odd. No other record is read in another
way, and n stays.
"""

import math
from collections import Counter
from datetime import date

import pandas as pd
import polars as pl
import pytest

import privpac as pp
from privpac.data.open_table import open_table
from tests.data.tables_in import SLOW, table_in
from tests.learners.readers import gathered

pytestmark = pytest.mark.slow

SCHEMA = pp.Schema.parse("""
[columns.age]
kind = "integer"
low = 0
high = 120
missing = true
na = ["NA", "-9"]
[columns.dose]
kind = "float64"
low = 0
high = 10
missing = true
na = ["?"]
[columns.job]
kind = "category"
values = ["clerk", "nurse"]
missing = true
na = ["?"]
[columns.day]
kind = "date"
low = 2020-01-01
high = 2020-12-31
missing = true
""")
NAMES = ("age", "dose", "job", "day", "y")
TYPES = {
    "duckdb": ("BIGINT", "DOUBLE", "VARCHAR", "DATE", "BIGINT"),
    "sqlite": ("BIGINT", "DOUBLE", "TEXT", "DATE", "BIGINT"),
    "postgres": ("BIGINT", "DOUBLE PRECISION", "TEXT", "DATE", "BIGINT"),
    "debian": ("BIGINT", "DOUBLE PRECISION", "TEXT", "DATE", "BIGINT"),
    "spark": ("BIGINT", "DOUBLE", "STRING", "DATE", "BIGINT"),
}
TEXT = {"spark": "STRING", "duckdb": "VARCHAR"}
ENGINES = ["duckdb", "sqlite", "postgres", *(pytest.param(each, marks=SLOW) for each in ("debian", "spark"))]
ROWS = [
    (37, 2.5, "clerk", date(2020, 5, 1), 1),
    (37, 2.5, "clerk", date(2020, 5, 1), 0),
    (90, None, "nurse", date(2020, 6, 1), 0),
    (None, 0.5, None, None, 1),
    (12, 9.5, "nurse", date(2020, 7, 1), 1),
]
ENDLESS = "z" * 10_001  # more bytes than are read
MISSING = {0: [None], 1: [None, math.nan], 2: [None, "?"], 3: [None]}
SPELLED = {0: ["", "NA", "-9"], 1: ["", "?"], 2: ["", "?"], 3: [""]}  # in texts; an empty cell of a file is missing
ODD = {0: ["old", "-8", "3.5"], 1: ["much", "99", "inf"], 2: ["NA", "Clerk"], 3: ["May", "2021-01-01", "NA"]}


def counts(table):
    """The sample of a table, as counts of points with labels, and n."""
    clf = pp.PrivateClassifier(SCHEMA.trees(), on_invalid="default", classes=(0, 1))
    sample = gathered(clf, table, "y")
    many = [1] * len(sample.labels) if sample.counts is None else sample.counts.tolist()
    found = Counter()
    for point, label, count in zip(map(tuple, sample.points.tolist()), sample.labels.tolist(), many, strict=True):
        found[point, label] += count
    return found, sample.size


def with_entry(place, entry, row=1, rows=ROWS):
    """The rows, one of which has this entry."""
    changed = [list(each) for each in rows]
    changed[row][place] = entry
    return list(map(tuple, changed))


POINT, GAPS = (37, 250, 0, 121), (121, 1001, 2, 366)  # codes: of the changed record, and of missing entries
EXPECTED = Counter({
    (POINT, True): 1, (POINT, False): 1, ((90, 1001, 1, 152), False): 1,
    ((121, 50, 2, 366), True): 1, ((12, 950, 1, 182), True): 1,
})  # fmt: skip
IN_MEMORY = {
    "dict": lambda rows: {name: [row[i] for row in rows] for i, name in enumerate(NAMES)},
    "rows": lambda rows: [dict(zip(NAMES, row, strict=True)) for row in rows],
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "pandas objects": lambda rows: pd.DataFrame(rows, columns=NAMES, dtype=object),
    "pandas, no floats": lambda rows: pd.DataFrame(rows, columns=NAMES).astype({"age": "Int64"}),
    "polars": lambda rows: pl.DataFrame(rows, schema=[*NAMES], orient="row", strict=False),
    "arrow": lambda rows: pl.DataFrame(rows, schema=[*NAMES], orient="row", strict=False).to_arrow(),
}


def check(held, missing, odd):
    """The usual records, then one more with each entry, then neighbors of the first table that differ in one entry."""
    usual, n = counts(held(ROWS))
    assert usual == EXPECTED and n == len(ROWS)
    lacking = [(place, entry) for place, some in missing.items() for entry in some]
    strange = [(place, entry) for place, some in odd.items() for entry in some]
    more = [with_entry(place, entry)[1] for place, entry in (*lacking, *strange)]
    found, n = counts(held([*more, *ROWS]))
    assert n == len(more) + len(ROWS)
    assert found == EXPECTED + Counter(lacking_at(place) for place, _ in lacking)  # the strange ones are void
    for place, entry in (lacking[0], lacking[-1], *strange[:: max(len(strange) - 1, 1)]):
        found, n = counts(held(with_entry(place, entry)))
        others = EXPECTED - Counter([(POINT, False)])
        assert n == len(ROWS) and found == others + Counter([lacking_at(place)] * ((place, entry) in lacking))


def lacking_at(place):
    """The point and the label of the changed record, if this entry is missing."""
    return tuple(gap if i == place else code for i, (code, gap) in enumerate(zip(POINT, GAPS, strict=True))), False


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_in_memory(kind):
    check(IN_MEMORY[kind], MISSING, {})


def test_texts_in_memory():
    missing, odd = {2: ["?", ENDLESS], 0: ["NA", "-9"]}, ODD
    check(IN_MEMORY["dict"], missing, odd)
    check(IN_MEMORY["pandas objects"], missing, odd)


@pytest.mark.parametrize("engine", ENGINES)
def test_in_typed_columns(request, engine):
    kinds = dict(zip(NAMES, TYPES[engine], strict=True))
    missing = MISSING | ({1: [None]} if engine == "sqlite" else {})  # it cannot store NaN
    check(lambda rows: table_in(request, engine, kinds, rows), missing, {})


@pytest.mark.parametrize("engine", ENGINES)
def test_in_columns_of_text(request, engine):
    def held(rows):
        texts = [tuple(None if each is None else str(each) for each in row) for row in rows]
        return table_in(request, engine, dict.fromkeys(NAMES, TEXT.get(engine, "TEXT")), texts)

    missing = {place: [None, *(each for each in some if each)] for place, some in SPELLED.items()}
    missing[2].append(ENDLESS)
    check(held, missing, ODD)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_in_files(tmp_path, ending):
    def held(rows):
        file = tmp_path / f"visits.{ending}"
        if ending == "parquet":
            pl.DataFrame(rows, schema=[*NAMES], orient="row", strict=False).write_parquet(file)
        else:
            lines = [",".join("" if each is None else str(each) for each in row) for row in [NAMES, *rows]]
            file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return open_table(file)

    check(held, *((MISSING, {}) if ending == "parquet" else (SPELLED, ODD)))
