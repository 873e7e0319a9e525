"""What becomes of records that do not fit: each by itself, and never an error."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.hierarchy import Hierarchy
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.on_invalid import chosen_records, valid
from privpac.data.domains.pairs import Pairs
from privpac.data.domains.paths import Paths, PathsFromEnd
from privpac.data.values.tables import entry, pick_with_gaps


class Hostile:
    """A value that does nothing but fail."""

    def __eq__(self, other):
        raise RuntimeError

    def __hash__(self):
        raise RuntimeError


JUNK = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    *(3, 3.5, 3.0, -7, 10**30, -0.0, True, 1 + 2j, Fraction(7, 2)),
    *("a", "zz", "", "a/b/c/d/e", "J\ud800", b"x", "5"),
    *((1, 2), [1, [2]], {}, {"a": 1}, set(), object(), Hostile(), (Hostile(),)),
    *(Decimal("0.5"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999")),
    *(date(2020, 1, 1), datetime(2020, 1, 1, 3), datetime(2020, 1, 1, tzinfo=UTC), date.max),
    *(np.datetime64("NaT"), np.datetime64(3, "ps"), np.timedelta64(3, "s"), np.timedelta64(3, "Y")),
    *(np.float32(2.5), np.int8(3), np.longdouble(3.25), pd.NA, pd.NaT, pd.Timestamp(2020, 1, 1)),
]
COLUMNS = {
    "integers": Line(0, 5),
    "wide integers": Line(-(2**70), 2**70),
    "unsigned": Line(0, 2**64 - 1),
    "floats": Line(0.0, 5.0),
    "decimals": Line(Decimal("0.0"), Decimal("9.9")),
    "dates": Line(date(2019, 1, 1), date(2021, 1, 1)),
    "times": Line(datetime(2019, 1, 1), datetime(2021, 1, 1)),
    "text": Line("a", "c"),
    "paths": Paths("/", 3),
    "characters": Paths(None, 2),
    "deep paths": Paths("/"),
    "paths from the end": PathsFromEnd("/", 3),
    "last characters": PathsFromEnd(None, 2),
    "names": Listing(("a", 3)),
    "tree": Hierarchy.read({"a": "r", "zz": "a"}),
    "anything": Anything(),
}
TABLES = {
    "grid": Grid(0, 5, dim=2),
    "pairs": Pairs(3),
    "columns": Columns((0, 1), (Line(0, 5), Listing(("a", "zz")))),
}
LENIENT = ("clamp", "default")


def alike(one, other):
    return len(one) == len(other) and all(type(a) is type(b) and a == b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("rule", LENIENT)
@pytest.mark.parametrize("domain", COLUMNS.values(), ids=COLUMNS)
def test_every_value_is_read_or_void_by_itself(domain, rule):
    values, fits = valid(domain, JUNK, rule)
    assert len(domain.points(values)) == len(values) == fits.sum()
    alone = [valid(domain, [value], rule)[0].tolist() for value in JUNK]
    assert [len(each) for each in alone] == fits.astype(int).tolist()
    assert alike(values.tolist(), [value for each in alone for value in each])
    assert not fits[[0, 1]].any(), "missing values are void"


@pytest.mark.parametrize("rule", LENIENT)
@pytest.mark.parametrize("domain", TABLES.values(), ids=TABLES)
def test_every_row_is_read_or_void_by_itself(domain, rule):
    rows = [(a, b) for a in JUNK for b in JUNK[::3]] + [(1,), (1, 2, 3), 7, None, {0: 1, 1: "a"}, {}, "ab", [3, 4]]
    values, fits = valid(domain, rows, rule)
    assert 0 < fits.sum() < len(rows)
    assert len(domain.points(values)) == fits.sum()
    alone = [valid(domain, [row], rule)[1].tolist() == [True] for row in rows[::7]]
    assert alone == fits[::7].tolist()


@pytest.mark.parametrize("rule", LENIENT)
@pytest.mark.parametrize(
    ("domain", "array"),
    [
        (Line(0, 5), np.array([-3, 0, 3, 5, 6, 127], dtype=np.int8)),
        (Line(200, 300), np.array([-3, 0, 127], dtype=np.int8)),
        (Line(0, 5), np.array([2**64 - 1, 3], dtype=np.uint64)),
        (Line(0, 5), np.array([-0.5, 0.0, 2.5, 5.0, 5.5, 1e300, np.inf, -np.inf, np.nan])),
        (Line(0, 2**64 - 1), np.array([1e30, 2.0**63, -1.0])),
        (Line(-(2**70), 2**70), np.array([1e30, -1e30, 2.5, np.nan])),
        (Line(0.5, 5.5), np.array([0, 1, 5, 6])),
        (Line(0.5, 5.5), np.array([0.4, 0.5, 5.6, np.inf, np.nan], dtype=np.float32)),
        (Line(0.5, 5.5), np.array([0.4, 0.5, 5.6], dtype=np.longdouble)),
        (Line(0, 5), np.array([True, False])),
        (Line(0, 5), np.array(["3", "x"])),
        (Line(date(2019, 1, 1), date(2021, 1, 1)), np.array(["2018-01-01", "2020-01-01T05", "NaT", "2030"], "M8[h]")),
        (Line(0, 5), np.array(["2018-01-01"], "M8[D]")),
        (Line("a", "c"), np.array(["b", "bb", "z"])),
    ],
)
def test_arrays_are_read_like_lists(domain, array, rule):
    listed = list(array) if array.dtype.kind in "mM" else array.tolist()
    fast, fast_fits = valid(domain, array, rule)
    slow, slow_fits = valid(domain, listed, rule)
    np.testing.assert_array_equal(domain.points(fast), domain.points(slow))
    np.testing.assert_array_equal(fast_fits, slow_fits)


def test_clamping_goes_to_the_nearest():
    assert valid(Line(0, 5), [-3, 2.9, 5.2, math.inf, -math.inf], "clamp")[0].tolist() == [0, 2, 5, 5, 0]
    assert valid(Line("b", "dd"), ["a", "ccc", "zzz"], "clamp")[0].tolist() == ["b", "cc", "dd"]
    assert valid(Paths("/", 2), ["a/b/c", "/a//b"], "clamp")[0].tolist() == ["a/b", "/a//b"]
    assert valid(Paths(None, 2), ["J10"], "clamp")[0].tolist() == ["J1"]
    assert valid(PathsFromEnd("/", 2), ["a/b/c", "/a//b"], "clamp")[0].tolist() == ["b/c", "/a//b"]
    assert valid(PathsFromEnd(None, 2), ["N3JB"], "clamp")[0].tolist() == ["JB"]
    assert valid(Grid(0, 5, dim=2), np.array([[1.7, -3.0], [np.inf, 2.0]]), "clamp")[0].tolist() == [[1, 0], [5, 2]]


def test_the_default_keeps_what_fits_and_nothing_else():
    assert valid(Line(0, 5), [3, 3.0, 3.5, 6], "default")[0].tolist() == [3, 3]
    assert valid(Paths("/", 2), ["a/b/c", "a/b"], "default")[0].tolist() == ["a/b"]
    assert valid(Listing(("a", "b")), ["a", "c"], "default")[0].tolist() == ["a"]


@pytest.mark.parametrize("rule", LENIENT)
def test_records_that_all_fit_take_no_shorter_way(rule):
    """A mask, and new columns: the same steps as with a record that does not fit."""

    class Same(Anything):
        """Values that are read as they are."""

        def fit(self, values, clamp):
            return values, np.ones(len(values), dtype=bool)

    values = np.array([3, 4])
    found, fits = valid(Same(), values, rule)
    assert fits.tolist() == [True, True] and not np.may_share_memory(found, values)


def test_under_raise_values_stay_as_they_are():
    values = [3, "x"]
    assert valid(Line(0, 5), values, "raise") == (values, None)


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="raise, clamp, default"):
        valid(Line(0, 5), [3], "drop")


@pytest.mark.parametrize(
    "table",
    [
        {"a": [3, None, 9], "b": [4, 4, 4]},
        pd.DataFrame({"a": [3, None, 9], "b": [4, 4, 4]}),
        pl.DataFrame({"a": [3, None, 9], "b": [4, 4, 4]}),
        pa.table({"a": [3, None, 9], "b": [4, 4, 4]}),
        [(3, 4), (None, 4), (9, 4)],
        np.array([[3, 4], [np.nan, 4], [9, 4]]),
    ],
    ids=["dict", "pandas", "polars", "pyarrow", "rows", "array"],
)
def test_tables_of_every_kind_are_read_alike(table):
    values, fits = valid(Grid(0, 5, dim=2), table, "clamp")
    assert values.tolist() == [[3, 4], [5, 4]]
    assert fits.tolist() == [True, False, True]


def test_tables_of_another_width_or_length_are_refused():
    with pytest.raises(ValueError, match="reads 2 columns"):
        valid(Grid(0, 5, dim=2), np.zeros((3, 3)), "clamp")
    with pytest.raises(ValueError, match="differ in length"):
        valid(Pairs(3), ([1, 2], [1, 2, 3]), "clamp")


def test_columns_come_apart_and_together():
    grid = Grid(0, 5, dim=2)
    assert len(grid.columns) == 2
    assert grid.join(grid.split([(1, 2), (3, 4)])).tolist() == [[1, 2], [3, 4]]
    assert chosen_records({"a": np.array([1, 2])}, np.array([True, False]))["a"].tolist() == [1]
    assert pick_with_gaps({"a": [[1], [2]]}, "a").tolist() == [[1], [2]]
    assert entry(None, 0) is None
    assert entry(np.array(7), 0) is None


@given(*[st.text(st.sampled_from("\0ab\ud800z\U0010ffff"), max_size=5)] * 3)
def test_a_text_goes_where_its_number_goes(one, other, text):
    for rule, fitted in (("raise", "default"), ("clamp", "clamp")):
        line = Line(*sorted((one, other)), on_invalid=rule)
        try:
            expected = [line.decode(int(line.encode([text])[0]))]
        except ValueError:
            expected = []
        assert valid(line, [text], fitted)[0].tolist() == expected
