"""Ordered values as integers 0 … size − 1, and back.

Integers of any width, float64 (in the order of their bits, so that every representable number has its own code),
decimals with as many decimals as the bounds have, dates and times, and text in lexicographic order, of which as many
characters count as the longer bound has. The bounds are public and declared; nothing is inferred from the values.

Main declarations
    Line    the declared values between low and high; encodes records, decodes a release, tells the sides of its bounds
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.codes import as_float, float_codes, float_near, kind_of, number, time_codes
from privpac.data.columns import column
from privpac.data.records import missing, objects
from privpac.data.text import rank, unrank

RULES = ("raise", "clamp")
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)  # moving the decimal point rounds nothing
MISSING = 2  # neither below (−1) nor within (0) nor above (1)
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
    >>> Line(Decimal("0.00"), Decimal("9.99")).size, Line("A00", "Z99").encode(["A000", "A01"]).tolist()
    (1000, [0, 1])
    """

    low: Any
    high: Any
    on_invalid: str = "raise"

    def __post_init__(self) -> None:
        if self.on_invalid not in RULES:
            raise ValueError(f"on_invalid must be one of {', '.join(RULES)}")
        mixed = {self.kind, kind_of(self.high)}
        if mixed in ({"integer", "float"}, {"integer", "decimal"}):
            for name in ("low", "high"):
                bound = getattr(self, name)
                object.__setattr__(self, name, as_float(bound) if "float" in mixed else Decimal(bound))
        if self.kind != kind_of(self.high):
            raise TypeError("low and high must be of one type: integers, floats, decimals, dates, times or text")
        if self.last < self.first:
            raise ValueError("low must not exceed high")

    @property
    def kind(self) -> str:
        """What the values are: integer, float, decimal, string, or a numpy time unit such as datetime64[D]."""
        return kind_of(self.low)

    @property
    def first(self) -> int:
        """The code of ``low`` on the unbounded line."""
        return self._code(self.low)

    @property
    def last(self) -> int:
        """The code of ``high`` on the unbounded line."""
        return self._code(self.high)

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.last - self.first + 1

    @cached_property
    def decimals(self) -> int:
        """How many decimals a decimal has: those of the bound that has more."""
        return max(0, *(-int(bound.as_tuple().exponent) for bound in (self.low, self.high)))

    @cached_property
    def width(self) -> int:
        """How many characters of a text count: the length of the longer bound."""
        return max(len(self.low), len(self.high))

    def encode(self, values: Any) -> NDArray[Any]:
        """The numbers of ``values`` in a new array: uint64 where they fit, Python integers otherwise.

        Each number depends on its own value alone. A text is cut to the width, a time to the unit.
        """
        codes, absent = self._codes(values)
        first, last = self.first, self.last
        if codes.dtype.kind in "fO":
            self._check_grid(codes)
            codes = codes.astype(object)  # numpy would round integers to compare them with floats
        if absent.any():
            codes[absent] = first - 1
        if codes.size and (codes.min() < first or codes.max() > last):
            if self.on_invalid == "raise":
                raise ValueError(MISFIT)
            codes = np.clip(codes.astype(object), first, last)
        if self.size > 2**64 or codes.dtype.kind == "O":
            numbers = objects(math.floor(code) - first for code in codes.tolist())
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
        if self.kind == "decimal":
            return Decimal(code).scaleb(-self.decimals, EXACT)
        if self.kind == "string":
            return unrank(code, self.width)
        value = np.array(code, dtype=np.int64).view(self.kind)[()]
        return value if isinstance(self.low, np.datetime64) else value.item()

    def sides(self, values: Any) -> NDArray[np.int8]:
        """For each value −1 below ``low``, 0 from ``low`` to ``high``, 1 above ``high``, 2 if it is missing.

        Every value has a side, whether or not it could be encoded; text is compared in full.

        >>> Line(3, 5).sides([2, 3, 5, 5.5, 10**30, None]).tolist()
        [-1, 0, 0, 1, 1, 2]
        """
        array = column(values, "values")
        first: Any = self.first
        last: Any = self.last
        if self.kind == "string":
            keys, absent = self._texts(array)
            first, last = objects([self.low]), objects([self.high])  # numpy's own text ends before a final NUL
        elif self.kind == "decimal" and array.dtype.kind == "f" and array.dtype.itemsize <= 8:
            keys, absent = array.astype(np.float64), np.isnan(array)
            first, last = float_near(self.low, math.inf), float_near(self.high, -math.inf)
        else:
            keys, absent = self._codes(array)
            if keys.dtype.kind == "f":
                first, last = float_near(first, math.inf), float_near(last, -math.inf)
        sides: NDArray[np.int8] = (keys > last).astype(np.int8) - (keys < first)
        sides[absent] = MISSING
        return sides

    def _code(self, bound: Any) -> int:
        """The code of a bound on the unbounded line."""
        if self.kind == "integer":
            return int(bound)
        if (self.kind == "float" and not math.isfinite(bound)) or (self.kind == "decimal" and not bound.is_finite()):
            raise ValueError("low and high must be finite")
        if self.kind == "float":
            magnitude = int(np.array(abs(float(bound))).view(np.int64))
            return magnitude if bound >= 0 else -magnitude
        if self.kind == "decimal":
            return int(bound.scaleb(self.decimals, EXACT))
        if self.kind == "string":
            return rank(bound, self.width)
        time = np.array(bound, dtype=self.kind)
        if np.isnat(time):
            raise ValueError("low and high must be dates or times, not NaT")
        return int(time.astype(np.int64))

    def _codes(self, values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Codes on the unbounded line, and which values are missing: arrays at once, anything else one by one.

        A number between two of the line's has a code between theirs.
        """
        array = column(values, "values")
        if self.kind == "integer" and array.dtype.kind in "iu":
            return array, np.zeros(array.shape, dtype=bool)
        if self.kind in ("float", "integer") and array.dtype.kind in "fiu" and array.dtype.itemsize <= 8:
            with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
                numbers = array.astype(np.float64)
            return numbers if self.kind == "integer" else float_codes(numbers), np.isnan(numbers)
        if array.dtype.kind == "M" and self.kind.startswith("datetime64"):
            return time_codes(array, self.kind), np.isnat(array)
        if self.kind == "string":
            texts, absent = self._texts(array)
            return objects(rank(text, self.width) for text in texts), absent
        one_by_one = array if array.dtype.kind == "O" else array.tolist()
        absent = np.array([missing(value) for value in one_by_one], dtype=bool)
        if self.kind == "float":
            return float_codes(np.array([as_float(value) for value in one_by_one], dtype=np.float64)), absent
        read = {"integer": number, "decimal": self._shifted}.get(self.kind, self._time)
        return objects(0 if gone else read(value) for value, gone in zip(one_by_one, absent, strict=True)), absent

    def _check_grid(self, codes: NDArray[Any]) -> None:
        """Numbers between those of the line are refused or rounded down, as the rule for misfits says."""
        if self.on_invalid == "clamp":
            return
        if self.kind == "integer" and (codes.dtype.kind == "f" or not all(isinstance(code, int) for code in codes)):
            raise TypeError(
                "values are floats but low and high are integers; declare low and high as floats, "
                "and mind that a missing value makes pandas store integers as floats"
            )
        if self.kind == "decimal" and any(code != Decimal(code).to_integral_value() for code in codes):
            raise ValueError("some values have more decimals than low and high; write the bounds with as many decimals")

    def _shifted(self, value: Any) -> Decimal:
        """A decimal, or a float as it prints, without its decimal point."""
        x = number(value)
        return Decimal(repr(x) if isinstance(x, float) else x).scaleb(self.decimals, EXACT)

    def _texts(self, values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The texts themselves, and which are missing."""
        texts = column(values, "values").astype(object)
        absent = np.array([missing(text) for text in texts], dtype=bool)
        texts[absent] = ""
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("values must be text, like low and high")
        return texts, absent

    def _time(self, value: Any) -> int:
        if not isinstance(value, (date, np.datetime64)) or getattr(value, "tzinfo", None) is not None:
            raise TypeError("values must be dates or times without a zone, like low and high")
        time = np.array([value], dtype=value.dtype if isinstance(value, np.datetime64) else "datetime64[us]")
        return int(time_codes(time, self.kind)[0])
