"""Ordered values as integers 0 … size − 1, and back.

The values are integers of any width, float64 (in the order of their bits, so that every representable number has its
own code), decimals with as many places as the bounds, dates and times, or text in lexicographic order, cut to the
length of the longer bound. A line with a step has only the multiples of the step (privpac.data.steps). Bounds, step,
and zone are public and declared; nothing is inferred from the values.

Main declarations
    Line    the declared values between low and high; encodes records, decodes a release, finds values beyond its bounds
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.codes import (
    EXACT_FLOATS,
    NO_INTEGERS,
    NOWHERE,
    as_float,
    float_codes,
    float_near,
    integer_codes,
    number,
    time_codes,
)
from privpac.data.columns import cells, column, objects
from privpac.data.domain import Fitted
from privpac.data.fitting import fitted_line
from privpac.data.listed import gaps, missing
from privpac.data.refusal import Refused, RefusedType, Setting
from privpac.data.scale import Scale
from privpac.data.spelling import spelled
from privpac.data.steps import EXACT
from privpac.data.text import rank
from privpac.data.values import begun, hashables
from privpac.data.zones import local_time

MISFIT = (
    "some values are missing, cannot be read as {}, or lie outside low … high; "
    "declare bounds that cover every possible value"
)
LIKE = {
    "integer": "whole numbers like 37",
    "float": "numbers like 37.5",
    "decimal": "numbers like 37.50",
    "string": "text",
}
OFF_GRID = (
    *("some values have more decimal places than low and high; say how finely they count: ",),
    *(Setting.to("step", 0.01), ", or write the bounds with as many places"),
)


@dataclass(frozen=True, eq=False)
class Line(Scale):
    """The values from ``low`` to ``high``, numbered in order. Lines are equal if they number the same values alike.

    >>> from datetime import date
    >>> line = Line(date(2026, 1, 1), date(2026, 12, 31))
    >>> line.size, line.encode([date(2026, 1, 1), date(2026, 2, 1)]).tolist(), line.decode(31)
    (365, [0, 31], datetime.date(2026, 2, 1))
    >>> Line(-1.0, 1.0).decode(0), Line(0, 1) == Line(0.0, 1.0)
    (-1.0, False)
    >>> Line(Decimal("0.00"), Decimal("9.99")).size, Line("A00", "Z99").encode(["A000", "A01"]).tolist()
    (1000, [0, 1])
    >>> tenths = Line(0, 150, step=0.1)
    >>> tenths.size, tenths.encode([0.1 + 0.2, 0.3, 0.29]).tolist(), tenths.decode(3)
    (1501, [3, 3, 2], 0.3)
    """

    def encode(self, values: Any) -> NDArray[Any]:
        """The numbers of ``values`` in a new array: uint64 where they fit, Python integers otherwise.

        Each number depends only on its own value. Text is cut to the width and a time to the unit; a number is rounded
        to the nearest float or, if misfits are clamped, down to an integer or decimal. With a step, all are then
        rounded down to a multiple of it.
        """
        array = self._read(values)
        codes, absent = self._codes(array)
        first, last = self.first, self.last
        if absent.any():
            codes[absent] = first - 1
        if codes.size and (codes.min() < first or codes.max() > last):
            if self.on_invalid == "raise":
                raise ValueError(MISFIT.format(LIKE.get(self.kind, "dates like 2026-11-15 or 2026-11-15 08:30")))
            codes = np.clip(codes.astype(object), first, last)
        codes, first = self.multiples(codes), self.ends[0]
        if self.size > 2**64 or codes.dtype.kind == "O":
            numbers = codes.astype(object) - first
            return numbers if self.size > 2**64 else numbers.astype(np.uint64)
        numbers = codes.view(np.uint64) if codes.dtype in (np.int64, np.uint64) else codes.astype(np.uint64)
        room = None if np.may_share_memory(numbers, array) or not numbers.size else numbers
        return np.asarray(np.subtract(numbers, np.uint64(first % 2**64), out=room))  # modulo 2^64 on both sides: exact

    def encode_all(self, values: Any) -> NDArray[Any]:
        """As ``encode``; but if misfits are clamped, an entry that is no value of this kind counts as a missing one.

        So no record stops the others, whatever it holds.

        >>> Line(3, 9, "clamp").encode_all([5, 12, None, "six", b"", 10**5000]).tolist()
        [2, 6, 0, 0, 0, 6]
        """
        if self.on_invalid == "raise":
            return self.encode(values)
        array = self._of_this_kind(cells(values, "values"))
        if array.ndim != 1:
            raise ValueError("values must be one-dimensional")
        found, fits = self.fit(array, clamp=True)
        known = self.encode(found[fits])
        numbers = np.zeros(len(fits), dtype=known.dtype)  # the number of low
        numbers[fits] = known
        return numbers

    def sides(self, values: Any) -> NDArray[np.int8]:
        """For each value −1 below ``low``, 0 from ``low`` to ``high``, 1 above ``high``, 2 if it is missing.

        Every value has a side, whether or not it could be encoded; numbers and text are compared in full, but with
        floats as the nearest float.

        >>> Line(3, 5).sides([2, 3, 5, 5.5, 10**30, None]).tolist()
        [-1, 0, 0, 1, 1, 2]
        """
        array = self._read(values)
        keys, absent = array, np.zeros(array.shape, dtype=bool)
        low, high = self.low, self.high
        if self.kind == "string":
            keys, absent = self._texts(array)
            low, high = objects([low]), objects([high])  # numpy's text drops a final NUL
        elif self.kind.startswith("datetime64"):
            keys, absent = self._codes(array)
            low, high = self.first, self.last
        elif self.kind == "float":
            keys = self._as_floats(array)
            absent = np.isnan(keys)
        elif array.dtype.kind in "iu":
            low, high = math.ceil(low), math.floor(high)
        elif array.dtype.kind == "f" and array.dtype.itemsize <= 8:
            keys = _float64(array)
            absent = np.isnan(keys)
            low, high = float_near(low, math.inf), float_near(high, -math.inf)
        else:
            return np.array([NOWHERE if missing(x) else self._side(self._number(x)) for x in array], dtype=np.int8)
        sides: NDArray[np.int8] = (keys > high).astype(np.int8) - (keys < low)
        sides[absent] = NOWHERE
        return sides

    @property
    def words(self) -> str:
        kind = LIKE.get(self.kind, "dates" if self.kind == "datetime64[D]" else "times").partition(" like")[0]
        step = "" if self.step is None or self.kind.startswith("datetime64") else f" in steps of {self.step}"
        return f"{kind} from {begun(self.low)} to {begun(self.high)}{step}"

    @property
    def line(self) -> Line:
        return self

    def fit(self, values: NDArray[Any], clamp: bool) -> Fitted:
        return fitted_line(self, values, clamp)

    def spell(self, texts: NDArray[Any]) -> NDArray[Any]:
        return spelled(self.kind, texts)

    def _read(self, values: Any) -> NDArray[Any]:
        """The column, one value for each record."""
        return self._of_this_kind(column(values, "values"))

    def _of_this_kind(self, array: NDArray[Any]) -> NDArray[Any]:
        """The array itself; refuses numpy's times where they would be read as numbers."""
        if array.dtype.kind == "m" or (array.dtype.kind == "M" and not self.kind.startswith("datetime64")):
            raise TypeError("values are times or durations, but low and high are not; declare bounds of the same kind")
        return array

    def _codes(self, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Codes on the unbounded line, and which values are missing: arrays as a whole, anything else one by one.

        A value beyond a bound has some code beyond that bound.
        """
        if self.kind == "integer" and _plain(array) and (self.strict or array.dtype.kind != "f"):
            return integer_codes(array)
        if self.kind == "float":
            numbers = self._as_floats(array)
            return float_codes(numbers), np.isnan(numbers)
        if array.dtype.kind == "M":
            return time_codes(array, self.kind), np.isnat(array)
        if self.kind == "string":
            texts, absent = self._texts(array)
            number_of = {text: rank(text, self.precision) for text in set(texts)}
            return objects(number_of[text] for text in texts), absent
        one_by_one = array.tolist()
        gone = np.array(gaps(one_by_one), dtype=bool)
        read = self._step if self.kind in ("integer", "decimal") else self._time
        own = int if self.kind == "integer" else None  # values of this type are their own codes
        pairs = zip(one_by_one, gone.tolist(), strict=True)
        return objects([x if type(x) is own else 0 if absent else read(x) for x, absent in pairs]), gone

    @property
    def strict(self) -> bool:
        """Whether numbers between two values are refused."""
        return self.on_invalid == "raise" and self.step is None

    def _as_floats(self, array: NDArray[Any]) -> NDArray[np.float64]:
        return _float64(array) if _plain(array) else np.array([as_float(x) for x in array.tolist()], dtype=np.float64)

    def _number(self, value: Any) -> Any:
        """The exact number; on a line of decimals, a float is the decimal it prints as."""
        x = number(value)
        return x if self.kind != "decimal" or isinstance(x, Fraction) else Decimal(repr(x) if type(x) is float else x)

    def _side(self, x: Any) -> int:
        return int(x > self.high) - int(x < self.low)

    def _step(self, value: Any) -> int:
        """The code of an integer or a decimal. A number between two codes is refused or rounded down."""
        x = self._number(value)
        if isinstance(x, float) and abs(x) < EXACT_FLOATS and x.is_integer():
            x = int(x)  # never on a line of decimals, where a float is a decimal
        if self.strict and self.kind == "integer" and not isinstance(x, int):
            raise RefusedType("values", *NO_INTEGERS)
        if side := self._side(x):  # before moving the decimal point: exponents are unbounded
            return self.last + 1 if side > 0 else self.first - 1
        if self.kind == "decimal":
            x = x * 10**self.precision if isinstance(x, Fraction) else x.scaleb(self.precision, EXACT)
        code: int = math.floor(x)
        if self.strict and code != x:
            raise Refused("values", *OFF_GRID)
        return code

    def _texts(self, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The texts themselves, and which are missing."""
        listed = hashables(array, "values")
        absent = np.array([text is None for text in listed], dtype=bool)
        if not set(map(type, listed)) <= {str, type(None)}:
            raise TypeError("values must be text, like low and high")
        return objects("" if text is None else text for text in listed), absent

    def _time(self, value: Any) -> int:
        value = local_time(value, self.zone)
        time = np.array([value], dtype=value.dtype if isinstance(value, np.datetime64) else "datetime64[us]")
        return int(time_codes(time, self.kind)[0])


def _plain(array: NDArray[Any]) -> bool:
    """Whether numpy holds numbers that are floats or integers of 64 bits at most."""
    return array.dtype.kind in "fiu" and array.dtype.itemsize <= 8


def _float64(array: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return array.astype(np.float64, copy=False)
