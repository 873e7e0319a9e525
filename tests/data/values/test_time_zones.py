"""Time zones: times with a zone are read as the clock of the line shows them, alone, in columns, and in engines."""

from datetime import UTC, date, datetime, timedelta, timezone

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pytest

import privpac as pp
from privpac.classes.exports.python import to_python
from privpac.classes.exports.sql import to_sql
from privpac.classes.lines.rules import Threshold
from privpac.data.open_table import open_table
from privpac.data.values.allowed_types import exact
from privpac.data.values.columns import cells, objects
from privpac.data.values.equal_values import member
from privpac.data.values.time_zones import known_zone, local_time
from privpac.refusals.refusal import Refused
from tests.data.counting.test_engine_steps import ENGINES, TIMES, check, filled, rounds, times_near


@pytest.mark.parametrize(
    ("value", "zone", "clock"),
    [
        (datetime(2026, 7, 1, 12, tzinfo=UTC), None, datetime(2026, 7, 1, 12)),
        (datetime(2026, 7, 1, 12, tzinfo=UTC), "Europe/Berlin", datetime(2026, 7, 1, 14)),
        (datetime(2026, 1, 1, 12, tzinfo=UTC), "Europe/Berlin", datetime(2026, 1, 1, 13)),
        (datetime(2026, 7, 1, 12), "Europe/Berlin", datetime(2026, 7, 1, 12)),
        (date(2026, 7, 1), "Europe/Berlin", date(2026, 7, 1)),
        (np.datetime64("2026-07-01T12:00"), "Europe/Berlin", datetime(2026, 7, 1, 12)),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))), None, datetime.min),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-9))), None, datetime.max),
    ],
)
def test_clocks_of_a_zone(value, zone, clock):
    assert local_time(value, zone) == clock


@pytest.mark.parametrize("value", ["2026-07-01", 37, None])
def test_other_values_are_not_times(value):
    with pytest.raises(TypeError, match="values must be dates or times"):
        local_time(value, None)


@pytest.mark.parametrize(
    ("zone", "kind", "words"),
    [
        ("Atlantis/Capital", "datetime64[us]", "there is no time zone of this name"),
        ("", "datetime64[us]", "there is no time zone of this name"),
        ("Europe/Berlin", "integer", "applies to dates and times only"),
    ],
)
def test_unsuitable_zones_are_refused(zone, kind, words):
    with pytest.raises(Refused, match=words) as refusal:
        known_zone(zone, kind)
    assert refusal.value.parameter == "zone"


def test_times_with_a_zone_equal_none_without():
    assert not member(np.array(["2026-01-01"], "M8[us]"), [datetime(2026, 1, 1, tzinfo=UTC)]).any()
    assert not member([datetime(2026, 1, 1, tzinfo=UTC)], [date(2026, 1, 1)]).any()


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_time_of_polars_that_nobody_can_hold_stops_no_other(unit, zone):
    tick = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    times = cells(pl.Series([5 * tick, 2**63 - 1, None]).cast(pl.Datetime(unit, zone)), "values")
    there = datetime(1970, 1, 1, 0, 0, 5, tzinfo=zone and UTC)
    assert exact(times[0]) == there and exact(times[2]) is None
    assert unit == "ns" or times[1] is None


INSTANT = datetime(2026, 7, 1, 12, 30, tzinfo=timezone(timedelta(hours=-4)))
LATE = datetime(2026, 7, 1, 23, 30, tzinfo=UTC)
ZONED = {
    "python": [INSTANT, LATE],
    "pandas": pd.Series(pd.to_datetime(["2026-07-01T12:30-04:00", "2026-07-01T19:30-04:00"])),
    "polars": pl.Series([INSTANT.astimezone(UTC), LATE]).dt.convert_time_zone("America/New_York"),
}


@pytest.mark.parametrize("source", ZONED)
def test_times_with_a_zone_are_instants(source):
    hours = pp.Thresholds(datetime(2026, 7, 1), datetime(2026, 7, 3), step=timedelta(hours=1), direction="above")
    assert hours.encode(ZONED[source]).tolist() == [16, 23]
    assert hours.at(17)(ZONED[source]).tolist() == [False, True]
    berlin = pp.Thresholds(date(2026, 7, 1), date(2026, 7, 3), zone="Europe/Berlin", direction="above")
    assert berlin.encode(ZONED[source]).tolist() == [0, 1]
    assert berlin.at(1)(ZONED[source]).tolist() == [False, True]
    assert str(berlin.at(1)) == "x ≥ 2026-07-02 (Europe/Berlin)"


def test_zones_in_text_and_engines(tmp_path):
    texts = [
        "2026-07-01T12:30Z",
        "2026-07-01 12:30:00.5+02:00",
        "2026-07-01T12:30-0400",
        "2026-07-01",
        "2026-07-01T25:00Z",
    ]
    line = pp.Thresholds(
        datetime(2026, 7, 1), datetime(2026, 7, 3), step=timedelta(minutes=30), direction="above"
    ).domain
    read = line.spell(np.array(texts, dtype=object))
    assert read[-1] is None
    assert line.encode(read[:-1]).tolist() == [25, 21, 33, 0]
    (tmp_path / "t.csv").write_text("t\n" + "\n".join(texts) + "\n")
    rule = Threshold(datetime(2026, 7, 1, 12, 30))
    model = pp.Model(rule, line, "t", (0, 1), 9, "-", pp.Certificate(pp.Budget(1)), on_invalid="default")
    assert model.predict(open_table(tmp_path / "t.csv")).tolist() == [1, 0, 1, 0, 0]
    con = ibis.duckdb.connect()
    con.raw_sql("SET TimeZone = 'America/New_York'")
    times = ["2026-07-01 12:30:00+00", "2026-07-01 12:29:00+00"]
    con.raw_sql(f"CREATE TABLE t AS SELECT CAST(UNNEST({times}) AS TIMESTAMPTZ) AS t")
    assert model.predict(con.table("t")).tolist() == [1, 0]


def test_instants_at_the_ends_of_time_and_wrong_zones():
    far = [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-9))),
    ]
    line = pp.Thresholds(kind="date", direction="above").domain
    assert line.encode(far).tolist() == [0, line.size - 1]
    names: dict = {}
    rule = Threshold(datetime(5000, 1, 1))
    exec(to_python(rule), names)
    assert [names["rule"](x) for x in [*far, INSTANT]] == rule([*far, INSTANT]).tolist() == [False, True, False]
    for zone in ("Europe/Nowhere", "", "../../etc/passwd", 3):
        with pytest.raises(ValueError, match="time zone"):
            pp.Thresholds(date(2026, 1, 1), date(2026, 2, 1), zone=zone, direction="above")
    with pytest.raises(ValueError, match="dates and times only"):
        pp.Thresholds(0, 9, zone="UTC", direction="above")
    with pytest.raises(ValueError, match="declared zone"):
        to_sql(Threshold(date(2026, 1, 1), zone="Europe/Berlin"), ["t"])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_round_times_with_a_zone_as_python_rounds_them(request, engine):
    """Sessions have zones, in which the first and the last hours of the calendar may not exist."""
    times = sorted({each for line in TIMES for each in times_near(line) if each})
    kept = [min(max(each, datetime(1, 1, 3)), datetime(9999, 12, 30)) for each in times[::6]]
    values = [*(each.replace(tzinfo=UTC) for each in kept), None]
    table = filled(request, engine, {"spark": "TIMESTAMP"}.get(engine, "TIMESTAMPTZ"), values)
    there = engine != "spark"  # to Ibis, times of Spark are those that a clock in UTC shows
    rounded = [line for line in TIMES if rounds(line, table.x, table.get_backend().name)]
    assert rounded == [line for line in TIMES if not there or line.zone is None]
    check(table, TIMES, objects(values) if there else np.array([*kept, None], dtype="datetime64[us]"))
