"""The list of values is closed, and what a subclass says of itself is not asked."""

from datetime import date, time
from decimal import Decimal
from pathlib import PureWindowsPath

import numpy as np
import pandas as pd
import pytest
from flint import fmpz

from privpac.data.domains.line import Line
from privpac.data.domains.on_invalid import valid
from privpac.data.values.allowed_types import DEPTH, exact
from privpac.data.values.columns import objects
from privpac.data.values.equal_values import canonical


def shape(value):
    """All that can be seen of a value."""
    return type(value), repr(value)


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = (value,)
    return value


class Blob:
    """What is equal to everything, and prints as it likes."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("ua")


class Pretender(Blob):
    """It says that it is text."""

    __class__ = str


UNLISTED = [
    *(
        object(),
        Blob(),
        Pretender(),
        [Blob()],
        ("a", {}),
        {1: 2},
        {1},
        range(0, 3, 2),
        memoryview(b"a"),
        bytearray(b"a"),
    ),
    *(PureWindowsPath("UA"), Ellipsis, NotImplemented, len, Blob, pd.Period("2026"), pd.Interval(0, 1), fmpz(1)),
    *(np.clongdouble(1j), np.void(b"a"), np.ma.masked, np.ma.array([1], mask=[True]), nested(DEPTH + 1), nested(3000)),
    pd.Timestamp(3, tz="UTC"),
    *(np.datetime64(2**62, unit) for unit in ("W", "M", "Y", "7D", "15m")),
]


@pytest.mark.parametrize("value", UNLISTED, ids=range(len(UNLISTED)))
def test_the_list_is_closed(value):
    with pytest.raises(TypeError) as refusal:
        canonical(value)
    assert str(refusal.value).partition(" ")[0] in ("values", "tuples", "times", "durations")


def test_depth():
    assert canonical(nested(DEPTH)) == nested(DEPTH)


class Text(str):
    """Text that answers to every name, sorts as it likes and prints another one."""

    __slots__ = ()
    __hash__ = Blob.__hash__
    __eq__ = Blob.__eq__

    def __str__(self):
        return "who held it"

    __repr__ = __lt__ = __len__ = __iter__ = encode = __str__


class Whole(int):
    """A number that fails where it can."""

    def __lt__(self, other):
        raise RuntimeError("secret")

    __eq__ = __hash__ = __int__ = __index__ = __str__ = __bool__ = __neg__ = __trunc__ = __lt__


def failing(base):
    """A subclass of ``base`` of which nothing works but what C code takes from it."""

    def fail(*_):
        raise RuntimeError("secret")

    names = set(dir(base)) - {"__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__dict__"}
    return type("Failing", (base,), dict.fromkeys(names - {"__getattribute__", "__slots__"}, property(fail)))


HOSTILE = [
    *((Text("ua"), "ua"), (Whole(7), 7), (failing(float)(0.5), 0.5), (failing(bytes)(b"a"), b"a")),
    *((failing(Decimal)("0.1"), Decimal("0.1")), (failing(complex)(1j), 1j), (failing(str)("ua"), "ua")),
    *((failing(date)(2026, 1, 1), date(2026, 1, 1)), (failing(time)(3, 4, 5, 6), time(3, 4, 5, 6))),
    *((failing(tuple)((1, 2)), (1, 2)), (failing(frozenset)({1}), frozenset({1}))),
]


@pytest.mark.parametrize(("value", "known"), HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_subclass_says_is_not_asked(value, known):
    for form in (exact(value), exact([value])[0], canonical(value)):
        assert shape(form) == shape(known)


def test_what_is_missing_has_no_form():
    for nothing in (None, float("nan"), Decimal("sNaN"), np.datetime64("NaT"), pd.NaT, pd.NA, complex("nan")):
        assert exact(nothing) is canonical(nothing) is None
        assert canonical(("a", nothing)) == ("a", None)


def test_a_far_week_does_not_decide_how_a_day_is_read():
    week = np.datetime64(2**62, "W")
    day = np.datetime64(7 * 2**62 - 2**65, "D")
    assert week == day  # though they are far apart: numpy's overflow
    line = Line(date(2020, 1, 1), date(2027, 1, 1))
    for order in ([week, day], [day, week]):
        values, fits = valid(line, objects(order), "clamp")
        assert dict(zip(map(str, (each.dtype for each in order)), fits.tolist(), strict=True)) == {
            "datetime64[W]": False,
            "datetime64[D]": True,
        }
        assert values.tolist() == [date(2020, 1, 1)]
