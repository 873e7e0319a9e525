"""Times with a zone are read as the clock of the line shows them."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from privpac.data.values.time_zones import known_zone, local_time
from privpac.refusals.refusal import Refused


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
