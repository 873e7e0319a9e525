"""A value has the same code, side and equals in whatever container its column comes."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.values.allowed_types import exact
from privpac.data.values.equal_values import member
from privpac.data.values.tables import pick, records

NANO = pl.Datetime("ns")
KINDS = {  # bounds, values with one below and one above them, numpy's type if it has one, polars', pyarrow's
    "integer": (Line(0, 2**60), [-1, 0, 2**53 + 1, 2**61], "int64", pl.Int64, pa.int64()),
    "unsigned": (Line(1, 200), [0, 1, 255], "uint8", pl.UInt8, pa.uint8()),
    "float": (Line(-0.5, 0.1), [-1.5, -0.5, 0.1, 0.2], "float64", pl.Float64, pa.float64()),
    "decimal": (Line(Decimal("0.5"), Decimal("2.5")), [Decimal("0.2"), Decimal("1.5"), Decimal(3)], None, *[None] * 2),
    "text": (Line("b", "d"), ["a", "b", "c", "e"], "U1", pl.String, pa.string()),
    "date": (
        Line(date(2026, 1, 2), date(2026, 1, 5)),
        [date(2026, 1, d) for d in (1, 3, 9)],
        "M8[D]",
        pl.Date,
        pa.date32(),
    ),
    "microseconds": (
        Line(datetime(2026, 1, 2), datetime(2026, 1, 5)),
        [
            datetime(2026, 1, 1, 23, 59, 59, 999999),
            datetime(2026, 1, 2),
            datetime(2026, 1, 3, 5, 6, 7, 8),
            datetime(2027, 1, 1),
        ],
        *("M8[us]", pl.Datetime("us"), pa.timestamp("us")),
    ),
    "nanoseconds": (
        Line(np.datetime64(1, "ns"), np.datetime64(7, "ns")),
        [pd.Timestamp(i) for i in (0, 1, 5, 9)],
        *("M8[ns]", NANO, pa.timestamp("ns")),
    ),
}


def containers(values, dtype, polars, arrow):
    """The values as columns of every kind."""
    whole = [getattr(value, "value", value) for value in values] if polars == NANO else values
    series = pl.Series(whole) if polars is None else pl.Series(whole).cast(polars)
    yield from (values, tuple(values), iter(values), np.array(values, dtype=object), pd.Series(values, dtype=object))
    yield from (series, pa.array(values, arrow), pa.chunked_array([values], arrow))
    yield from (pick({"x": values}, "x"), pick([(value,) for value in values], 0))
    yield from (pick(pl.DataFrame({"x": series}), "x"), pick(pa.table({"x": pa.array(values, arrow)}), 0))
    if dtype is not None and None not in values:
        array = np.array(whole, dtype=dtype)
        yield from (array, list(array), pd.Series(array), pd.DataFrame({"x": array})["x"])
    if arrow is not None:
        yield pd.Series(pd.array(values, dtype=pd.ArrowDtype(arrow)))


def everywhere(kind, values, ask):
    """What is told about the values, in every container."""
    return [ask(column) for column in containers(values, *KINDS[kind][2:])]


@pytest.mark.parametrize("kind", KINDS)
def test_codes(kind):
    line, values = KINDS[kind][:2]
    clamp = Line(line.low, line.high, on_invalid="clamp")
    alone = [clamp.encode([value]).tolist()[0] for value in values]
    assert alone == sorted(alone) and alone[0] == 0 and alone[-1] == line.size - 1
    assert all(codes == alone for codes in everywhere(kind, values, lambda column: clamp.encode(column).tolist()))
    inside = values[1:-1]
    codes = everywhere(kind, inside, lambda column: line.encode(column).tolist())
    assert all(found == alone[1:-1] for found in codes)
    assert [exact(line.decode(code)) for code in codes[0]] == [exact(value) for value in inside]


@pytest.mark.parametrize("kind", KINDS)
def test_sides(kind):
    line, values = KINDS[kind][:2]
    sides = [-1, *[0] * (len(values) - 2), 1]
    assert all(found == sides for found in everywhere(kind, values, lambda column: line.sides(column).tolist()))
    found = everywhere(kind, [*values, None], lambda column: line.sides(column).tolist())
    assert all(each == [*sides, 2] for each in found)


@pytest.mark.parametrize("kind", KINDS)
def test_members_and_names(kind):
    values = KINDS[kind][1]
    for missing in ([], [None]):
        labels = [*[False] * (len(values) - 1), True, *[False] * len(missing)]
        found = everywhere(kind, [*values, *missing], lambda column: member(column, [values[-1]]).tolist())
        assert all(each == labels for each in found)
    names = Listing(tuple(values))
    assert all(
        each == list(range(len(values))) for each in everywhere(kind, values, lambda c: names.encode(c).tolist())
    )
    plainly = [exact(value) for value in values]
    assert all(each == plainly for each in everywhere(kind, values, lambda column: Anything().encode(column).tolist()))


@pytest.mark.parametrize("kind", KINDS)
def test_how_many(kind):
    values = KINDS[kind][1]
    assert set(everywhere(kind, values, records)) == {len(values)}
