"""Values survive JSON with their types."""

import json
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from privpac.classes.plain_values import from_plain, parse, to_plain
from privpac.data.values.equal_values import canonical
from tests.data.values.test_equal_values import ANY

VALUES = [
    *(None, True, 0, 2**200, -1.5, 5e-324, float("inf"), "é\u0301 ∅ \ud800", b"\x00\xff"),
    *(date(2026, 11, 15), time(8, 30), time(8, 30, 0, 1, timezone(timedelta(seconds=1))), timedelta(-1, 5, 7)),
    *(
        UUID(int=7),
        1j,
        complex(0.1, float("inf")),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(1) - timedelta.resolution)),
    ),
    *(datetime(2026, 1, 2, 3, 4, 5, 6), np.datetime64("2026-01-02T03:04:05.000000007")),
    *(np.datetime64(4, "25s"), np.datetime64("2026")),
    *(Decimal("1.50"), Fraction(1, 3), (1, ("a", 2.0)), frozenset({1, "a"}), frozenset(), ()),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_round_trip(value):
    back = from_plain(json.loads(json.dumps(to_plain(value))))
    assert back == value
    assert type(back) is type(value)
    assert isinstance(value, frozenset) or repr(back) == repr(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.int64(3), 3), (np.float64(0.5), 0.5), (np.str_("a"), "a"), (np.True_, True)],
)
def test_numpy_scalars_become_plain(value, plain):
    assert to_plain(value) == plain
    assert type(to_plain(value)) is type(plain)


def test_times_of_pandas_keep_their_nanoseconds():
    assert from_plain(to_plain(pd.Timestamp(3))) == np.datetime64(3, "ns")
    zoned = pd.Timestamp("2026-01-02 03:04:05", tz="UTC")
    assert from_plain(to_plain(zoned)) == zoned


@pytest.mark.audit
@settings(max_examples=300, deadline=None)
@given(ANY)
def test_every_form_can_be_written_and_read_back(value):
    """What a learner may release can be kept: nothing is paid for and then lost."""
    form = canonical(value)
    assert canonical(from_plain(json.loads(json.dumps(to_plain(form))))) == form


def test_equal_sets_give_equal_text():
    assert to_plain(frozenset("abc")) == to_plain(frozenset("cba"))


def test_nan_travels():
    assert np.isnan(from_plain(to_plain(float("nan"))))


@pytest.mark.parametrize("value", [object(), [1], {1: 2}, np.timedelta64(3, "ns")])
def test_other_types_are_refused(value):
    with pytest.raises(TypeError, match="no JSON form"):
        to_plain(value)


WRONG = [
    *({"time": 3}, {"time": "late"}, {"duration": [1]}, {"duration": [1.5, 0, 0]}, {"duration": [10**10, 0, 0]}),
    *({"duration": "1"}, {"uuid": "7"}, {"uuid": 7}, {"complex": "one"}, {"complex": [0, 1]}),
]


@pytest.mark.parametrize("plain", [[1], {}, {"pickle": "cos\nsystem"}, {"date": "2026-01-01", "x": 1}, *WRONG])
def test_foreign_json_is_refused(plain):
    with pytest.raises(ValueError, match="does not hold"):
        from_plain(plain)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_are_not_json_are_refused(constant):
    with pytest.raises(ValueError, match="not JSON as privpac writes it"):
        parse(f'{{"x": [{constant}]}}')
