"""Every value lies on one side of the bounds of a line, or is missing; it is rounded only as encoding rounds it."""

import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from privpac.data.domains.line import Line

SIGNALLING = np.array([0x7FA00000], dtype=np.uint32).view(np.float32)
SIDES = [
    (Line(3, 5), [2, 3, 5, 5.5, -math.inf, 10**30, None, math.nan], [-1, 0, 0, 1, -1, 1, 2, 2]),
    (Line(2**53 + 1, 2**53 + 3), np.array([2.0**53, 2.0**53 + 2, 2.0**53 + 4, math.nan]), [-1, 0, 1, 2]),
    (Line(3, 5), np.array([2, 3, 255], dtype=np.uint8), [-1, 0, 1]),
    (Line(0.5, 0.75), np.array([0.25, 0.5, 1, math.nan, math.inf]), [-1, 0, 1, 2, 1]),
    (Line(Decimal("0.1"), Decimal("0.2")), [0.1, Decimal("0.05"), 1, None], [0, -1, 1, 2]),
    (Line(date(2026, 1, 2), date(2026, 1, 3)), np.array(["2026-01-01", "2026-01-03", "NaT"], "M8[D]"), [-1, 0, 2]),
    (Line(date(2026, 1, 2), date(2026, 1, 3)), [datetime(2026, 1, 3, 5), date(2026, 1, 4), pd.NaT], [0, 1, 2]),
    (Line("b", "c"), ["a", "b", "c", "ca", "b\x00", None], [-1, 0, 0, 1, 0, 2]),
    (Line("\x00", "\x00"), ["", "\x00", "\x00\x00"], [-1, 0, 1]),
    (Line(3, 5), [Fraction(5 * 10**30 + 1, 10**30), Fraction(10**400), Decimal("2.9"), 10**400], [1, 1, -1, 1]),
    (Line(3, 5), np.array([3, 5]).astype(np.longdouble) + np.finfo(np.longdouble).eps * 8, [0, 1]),
    (Line(3.0, 5.0), [Decimal("2." + "9" * 40), Decimal(3), Fraction(5)], [0, 0, 0]),
    (Line(0.0, 2.0**53), np.array([-1, 2**53, 2**53 + 1]), [-1, 0, 0]),
    (Line(0.0, 2.0**53), [-1, 2**53, 2**53 + 1, 2**53 + 2], [-1, 0, 0, 1]),
    (Line(0.1, 0.1), [Decimal("0.1"), Fraction(1, 10), 0.1], [0, 0, 0]),  # numbers that the float stands for
    (Line(Decimal("0.1"), Decimal("0.2")), [Decimal("1E+999999999999999999"), Fraction(1, 5)], [1, 0]),
    (Line(Decimal("0.1"), Decimal("0.2")), SIGNALLING, [2]),
    (Line(np.datetime64(2, "ns"), np.datetime64(3, "ns")), [pd.Timestamp(1), pd.Timestamp(3), pd.NaT], [-1, 0, 2]),
    (Line(pd.Timestamp(2), pd.Timestamp(3)), [pd.Timestamp(1), pd.Timestamp(3), pd.Timestamp(4)], [-1, 0, 1]),
    (Line("b" * 5000, "b" * 5000), ["b" * 4999, "b" * 5000, "c"], [-1, 0, 1]),
]


@pytest.mark.parametrize(("line", "values", "sides"), SIDES)
def test_sides(line, values, sides):
    assert line.sides(values).tolist() == sides
