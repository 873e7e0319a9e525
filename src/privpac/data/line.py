"""Ordered values as integers 0 … size − 1, and back.

Integers of any width, float64 (in the order of their bits, so that every representable number has its own code), dates
and times. The bounds are public and declared; nothing is inferred from the values.

Main declarations
    Line    the declared values between low and high; encodes records, decodes a release
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.exact.weighted import column

RULES = ("raise", "clamp")
INFINITY = int(np.array(np.inf).view(np.int64))  # the code of +∞; NaNs lie beyond ±INFINITY
MISFIT = (
    "some values are missing or lie outside low … high; declare bounds that cover every possible value, "
    'or on_invalid="clamp" to move them to the nearest bound (missing ones to low)'
)


@dataclass(frozen=True)
class Line:
    """The values from ``low`` to ``high``, numbered in order.

    >>> line = Line(date(2026, 1, 1), date(2026, 12, 31))
    >>> line.size, line.encode([date(2026, 1, 1), date(2026, 2, 1)]).tolist(), line.decode(31)
    (365, [0, 31], datetime.date(2026, 2, 1))
    >>> Line(-1.0, 1.0).decode(0)
    -1.0
    """

    low: Any
    high: Any
    on_invalid: str = "raise"

    def __post_init__(self) -> None:
        if self.on_invalid not in RULES:
            raise ValueError(f"on_invalid must be one of {', '.join(RULES)}")
        if {self.kind, _kind(self.high)} == {"integer", "float"}:
            object.__setattr__(self, "low", _float(self.low))
            object.__setattr__(self, "high", _float(self.high))
        if self.kind != _kind(self.high):
            raise TypeError("low and high must be of one type: integers, floats, dates or times")
        if self.last < self.first:
            raise ValueError("low must not exceed high")

    @property
    def kind(self) -> str:
        """What the values are: integer, float, or a numpy time unit such as datetime64[D]."""
        return _kind(self.low)

    @property
    def first(self) -> int:
        """The code of ``low`` on the unbounded line."""
        return _code(self.low)

    @property
    def last(self) -> int:
        """The code of ``high`` on the unbounded line."""
        return _code(self.high)

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.last - self.first + 1

    def encode(self, values: Any) -> NDArray[Any]:
        """The numbers of ``values`` in a new array: uint64 where they fit, Python integers otherwise.

        Each number depends on its own value alone.
        """
        codes, first, last = self._codes(values), self.first, self.last
        if codes.size and (codes.min() < first or codes.max() > last):  # missing values have codes beyond all others
            if self.on_invalid == "raise":
                raise ValueError(MISFIT)
            if self.kind == "float":
                codes[codes > INFINITY] = -INFINITY  # NaN, which is missing
            codes = np.clip(codes.astype(object), first, last)
        if self.size > 2**64 or codes.dtype.kind == "O":
            numbers = codes.astype(object) - first
            return numbers if self.size > 2**64 else numbers.astype(np.uint64)
        numbers = codes.astype(np.uint64)
        numbers -= np.uint64(first % 2**64)  # modulo 2^64 on both sides: exact
        return numbers

    def decode(self, number: int) -> Any:
        """The value with this number."""
        code = self.first + int(number)
        if self.kind == "integer":
            return code
        if self.kind == "float":
            magnitude = float(np.array(abs(code), dtype=np.uint64).view(np.float64))
            return magnitude if code >= 0 else -magnitude
        value = np.array(code, dtype=np.int64).view(self.kind)[()]
        return value if isinstance(self.low, np.datetime64) else value.item()

    def _codes(self, values: Any) -> NDArray[Any]:
        """Codes on the unbounded line, of arrays at once, of anything else one by one; missing values lie below all."""
        array = column(values, "values")
        if self.kind == "integer" and array.dtype.kind in "iu":
            return array
        if self.kind == "float" and array.dtype.kind in "fiu" and array.dtype.itemsize <= 8:
            return _float_codes(array)
        if array.dtype.kind == "M" and self.kind.startswith("datetime64"):
            return _time_codes(array, self.kind)
        one_by_one = array if array.dtype.kind == "O" else array.tolist()
        if self.kind == "float":
            return _float_codes(np.array([_float(value) for value in one_by_one]))
        read = self._integer if self.kind == "integer" else self._time
        below, above = self.first - 1, self.last + 1  # a code beyond the bounds need not say how far
        return np.array([min(max(read(value), below), above) for value in one_by_one], dtype=object)

    def _integer(self, value: Any) -> int | float:
        if _missing(value):
            return -math.inf
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            raise TypeError("values must be integers, like low and high")
        if isinstance(value, (int, np.integer)):
            return int(value)
        if self.on_invalid == "raise":
            raise TypeError(
                "values are floats but low and high are integers; declare low and high as floats, "
                "and mind that a missing value makes pandas store integers as floats"
            )
        return float(value) if math.isinf(value) else math.floor(float(value))

    def _time(self, value: Any) -> int | float:
        if _missing(value):
            return -math.inf
        if not isinstance(value, (date, np.datetime64)) or getattr(value, "tzinfo", None) is not None:
            raise TypeError("values must be dates or times without a zone, like low and high")
        time = np.array([value], dtype=value.dtype if isinstance(value, np.datetime64) else "datetime64[us]")
        return int(_time_codes(time, self.kind)[0])


def _missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, which is not equal to anything but does not say so."""
    return value is None or type(value).__name__ == "NAType" or (np.ndim(value) == 0 and bool(value != value))  # noqa: PLR0124


def _float(value: Any) -> float:
    if _missing(value):
        return math.nan
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError("values must be numbers, like low and high")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def _float_codes(array: NDArray[Any]) -> NDArray[np.int64]:
    """The magnitude's bits with the sign: in the order of the numbers, 0 for both zeros, NaNs beyond ±INFINITY."""
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        bits = array.astype(np.float64, copy=False).view(np.int64)
    sign = bits >> 63  # −1 or 0
    codes = sign & np.int64(2**63 - 1)
    codes ^= bits
    codes -= sign
    return codes


def _time_codes(array: NDArray[Any], kind: str) -> NDArray[np.int64]:
    """Counts of the unit of ``kind``; times that a finer unit cannot hold go to the ends, NaT lies below all."""
    codes = array.astype(kind).astype(np.int64)
    if np.can_cast(array.dtype, kind):
        lost = codes.view(kind).astype(array.dtype) != array
        codes[lost] = np.where(array[lost].astype(np.int64) > 0, 2**63 - 1, -(2**63))
    return codes


def _kind(bound: Any) -> str:
    if isinstance(bound, np.datetime64):
        return str(bound.dtype)
    if isinstance(bound, datetime):
        if bound.tzinfo is not None:
            raise TypeError("times must carry no zone; convert them to one zone and drop it")
        return "datetime64[us]"
    if isinstance(bound, date):
        return "datetime64[D]"
    if isinstance(bound, (int, np.integer)) and not isinstance(bound, (bool, np.bool_)):
        return "integer"
    if isinstance(bound, (float, np.floating)):
        return "float"
    raise TypeError("low and high must be integers, floats, dates or datetimes; convert text first")


def _code(bound: Any) -> int:
    kind = _kind(bound)
    if kind == "integer":
        return int(bound)
    if kind == "float":
        if not math.isfinite(bound):
            raise ValueError("low and high must be finite")
        magnitude = int(np.array(abs(float(bound))).view(np.int64))
        return magnitude if bound >= 0 else -magnitude
    time = np.array(bound, dtype=kind)
    if np.isnat(time):
        raise ValueError("low and high must be dates or times, not NaT")
    return int(time.astype(np.int64))
