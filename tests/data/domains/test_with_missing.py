"""Domains with one more value, *missing*: each entry is read by itself, and what is there is read as without it."""

import math
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.on_invalid import spelled_columns, valid
from privpac.data.domains.pairs import Pairs
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import objects
from tests.data.domains.test_on_invalid import COLUMNS, JUNK, LENIENT
from tests.grid import over

NA = "?", "zzz"


@over("rule", LENIENT)
@over("name", list(COLUMNS))
def test_what_is_there_is_read_as_without_missing_values_and_these_fit(rule, name):
    inner, entries = COLUMNS[name], [*JUNK, *NA]
    if not inner.numbered or name == "text":  # they would be values
        entries = JUNK
    domain = WithMissing(inner, () if entries is JUNK else NA)
    absent = np.array([missing(each) or (type(each) is str and each in domain.na) for each in entries])
    values, fits = valid(domain, entries, rule)
    there, there_fit = valid(inner, [each for each, gap in zip(entries, absent, strict=True) if not gap], rule)
    assert fits[absent].all() and fits[~absent].tolist() == there_fit.tolist()
    codes = domain.points(values)
    gaps = domain.absent(codes)
    assert gaps.tolist() == absent[fits].tolist()
    assert codes[~gaps].tolist() == inner.points(there).tolist()
    assert [domain.decode(code) for code in codes[gaps].tolist()] == [None] * int(gaps.sum())
    alone = [valid(domain, [each], rule)[0] for each in entries]
    assert {each.dtype for each in alone} == {values.dtype}, "one entry decides no type"
    assert [len(each) for each in alone] == fits.astype(int).tolist()


LINES = {
    "integers": (Line(0, 9), [3, None, 5], "int64"),
    "floats": (Line(0.0, 9.0), [3.5, None, 5.0], "float64"),
    "dates": (Line(date(2020, 1, 1), date(2020, 12, 31)), [date(2020, 2, 1), None, date(2020, 3, 1)], "date32"),
    "times": (Line(datetime(2020, 1, 1), datetime(2021, 1, 1)), [datetime(2020, 2, 1, 5), None, datetime(2020, 3, 1)],
              "timestamp[us]"),
    "decimals": (Line(Decimal("0.0"), Decimal("9.9")), [Decimal("3.5"), None, Decimal("5.0")], "decimal128(4, 1)"),
    "names": (Listing(("a", "b")), ["b", None, "a"], "string"),
}  # fmt: skip


@over("rule", ["raise", *LENIENT])
@over("name", list(LINES))
def test_tables_of_every_kind_are_read_alike(rule, name):
    inner, entries, kind = LINES[name]
    column = pa.array(entries, pa.type_for_alias(kind) if "(" not in kind else pa.decimal128(4, 1))
    table = pa.table({"x": column})
    tables = {
        "dict": {"x": entries},
        "arrow": table,
        "polars": pl.from_arrow(table),
        "pandas": table.to_pandas(),
        "pandas of arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
        "rows": [{"x": each} for each in entries],
    }
    domain = Columns(("x",), (WithMissing(inner),))
    first, last = inner.encode([entries[0], entries[2]]).tolist()
    for each in tables.values():
        values, fits = valid(domain, each, rule)
        assert domain.points(values).ravel().tolist() == [first, inner.size, last]
        assert fits is None or fits.all()


def test_texts_that_spell_no_value_are_not_missing():
    ages = WithMissing(Line(0, 120), ("NA", "-9"))
    texts = objects(["37", "NA", "-9", "old", None, "", "-8"])
    spelled = spelled_columns(ages, [texts])
    assert spelled.tolist() == [37, None, None, "old", None, "", -8]
    values, fits = valid(ages, spelled, "default")
    assert fits.tolist() == [True, True, True, False, True, False, False]
    assert ages.encode(values).tolist() == [37, 121, 121, 121]
    with pytest.raises(ValueError, match="cannot be read as whole numbers"):
        ages.encode(spelled)
    assert spelled_columns(WithMissing(Listing((1, 2)), ("NA",)), [objects(["1.0", "NA"])]).tolist() == [1, None]


def test_spellings_stand_for_a_missing_value_in_memory_too():
    table = {"age": [37, "?", None], "job": np.array(["a", "?", "b"])}
    domain = Columns(("age", "job"), (WithMissing(Line(0, 120), ("?",)), WithMissing(Listing(("a", "b")), ("?",))))
    for rule in ("raise", *LENIENT):
        assert domain.points(valid(domain, table, rule)[0]).tolist() == [[37, 0], [121, 2], [121, 1]]


def test_what_cannot_be_declared_is_refused():
    with pytest.raises(ValueError, match="also a declared value"):
        WithMissing(Listing(("a", "NA")), ("NA",))
    with pytest.raises(ValueError, match="also a declared value"):
        WithMissing(Listing((1, 2)), ("1.0",))
    for na in ("NA", ("NA", 3)):
        with pytest.raises(ValueError, match="must list texts"):
            WithMissing(Line(0, 9), na)
    for domain in (WithMissing(Line(0, 9)), Pairs(3)):
        with pytest.raises(ValueError, match="only a single column"):
            WithMissing(domain)


def test_numbers_beyond_machine_integers():
    for line in (Line(0, 2**64 - 1), Line(-(2**70), 2**70)):
        domain = WithMissing(line)
        codes = domain.encode([line.high, None, line.low])
        assert codes.tolist() == [line.size - 1, line.size, 0]
        assert [domain.decode(code) for code in codes] == [line.high, None, line.low]
        values, fits = valid(domain, [line.high, math.nan, line.high + 1], "default")
        assert values.tolist() == [line.high, None] and fits.tolist() == [True, True, False]
