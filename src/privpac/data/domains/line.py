"""Lines: ordered domains, whose values have the numbers 0 … size − 1.

The values are integers of any width, float64 (in the order of their bits, so that every representable number has its
own code), decimals with as many places as the bounds, dates and times, or text in lexicographic order, cut to the
length of the longer bound. A line with a step has only the multiples of the step (line_steps.py). Bounds, step, and
zone are public and declared; nothing is inferred from the values.

What happens to a value depends only on that value: an error while reading it affects only its own record. Nor does one
record slow down the others: values are grouped by their types, and an integer beyond all bounds is not read.

Throughout this file
    kind        the type of the values: integer, float, decimal, string, or a numpy time unit such as datetime64[D]
    code        an integer for every value of the kind, within the bounds or not (line_codes.py)
    first       the code of ``low``          last       the code of ``high``
    multiple    the k of the last multiple k·step up to a value; if the line has no step, the code of the value
    number      0 … size − 1: a multiple minus the multiple of ``low``; what ``encode`` returns
    side        −1 below ``low``, 0 within the bounds, 1 above ``high``, NOWHERE for a missing value
    absent      a mask: which values are missing
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import VOID, DomainWithCache, Fitted, WhichFit, one_by_one
from privpac.data.domains.line_steps import FINEST, FloatSteps, own_step, places_of, units_in
from privpac.data.values.allowed_types import EXACT, exact, gaps, missing
from privpac.data.values.columns import Array, cells, column, number_below, objects
from privpac.data.values.equal_values import hashables
from privpac.data.values.float_lengths import Places
from privpac.data.values.line_codes import (
    EXACT_FLOATS,
    NO_INTEGERS,
    NOWHERE,
    as_float,
    bounds,
    float_codes,
    float_near,
    floats_with,
    integer_codes,
    kind_of,
    number,
    time_codes,
)
from privpac.data.values.spelling import spelled
from privpac.data.values.text_order import rank, unrank
from privpac.data.values.time_zones import known_zone, local_time
from privpac.data.values.value_text import readable_bound
from privpac.refusals.option_words import LineRule, one_of
from privpac.refusals.refusal import InPython, Part, Refused, RefusedType, Setting

EXAMPLES = {
    "integer": "whole numbers like 37",
    "float": "numbers like 37.5",
    "decimal": "numbers like 37.50",
    "string": "text",
}
COMMAS = (
    "if the file writes 1.234,5, say ",
    Setting.to("decimal_comma", True),
    InPython(" in open_table"),
    "; otherwise, ",
)
DATES = ('if the file writes dates otherwise, declare that in a schema: format = "%d/%m/%Y"; otherwise, ',)
FILE_ADVICE: dict[str, tuple[Part, ...]] = {"integer": COMMAS, "float": COMMAS, "decimal": COMMAS, "string": ()}


@dataclass(frozen=True, eq=False)
class Scale(DomainWithCache):
    """The values from ``low`` to ``high``: all of their kind, or the multiples of a ``step``.

    This class knows the values and their codes; its subclass ``Line`` reads columns of them.
    """

    low: Any
    high: Any
    on_invalid: LineRule = "raise"
    step: Any = None  # None means every value of the kind
    zone: str | None = None  # the time zone of the line; None means UTC
    numbered = True  # values have the numbers 0 … size − 1

    def __post_init__(self) -> None:
        one_of("on_invalid", self.on_invalid, LineRule)
        for name, bound in zip(("low", "high"), bounds(self.low, self.high, self.step), strict=True):
            object.__setattr__(self, name, bound)
        known_zone(self.zone, self.kind)
        if self.step is not None:
            object.__setattr__(self, "step", own_step(self.step, self.kind))
            if self.kind != "float":
                units_in(self.step, self.kind, self.precision)  # refuses a step that is not a whole number of units
            elif not self._floats.distinct:
                too_fine = "the step is finer than floats of this size; choose a larger one, narrower bounds, or "
                raise Refused("step", too_fine, Setting.to("step", FINEST))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Hashable, ...]:
        return self.kind, self.first, self.last, self.precision, self.on_invalid, self.step, self.zone

    @cached_property
    def kind(self) -> str:
        return kind_of(self.low)

    @cached_property
    def first(self) -> int:
        return self._code(self.low)

    @cached_property
    def last(self) -> int:
        return self._code(self.high)

    @property
    def size(self) -> int:
        return self.ends[1] - self.ends[0] + 1

    @cached_property
    def units(self) -> int:
        """How many codes lie in one step; 1 without a step, and for floats, whose codes are not equally spaced."""
        return 1 if self.step is None or self.kind == "float" else units_in(self.step, self.kind, self.precision)

    @property
    def places(self) -> int | None:
        """How many decimals floats of the line are written with; None: as many as they need."""
        return None if self.step is None or self.kind != "float" else places_of(self.step)

    @property
    def by_bits(self) -> bool:
        """Whether the line has all floats between its bounds; most of these lie close to 0."""
        return self.kind == "float" and self.step is None

    @property
    def arithmetic(self) -> tuple[Fraction, int]:
        """(d, k): neighboring values differ by d, and k·d is the last multiple of d up to ``low``.

        Only a line of numbers has these, and only if it does not hold all floats (``by_bits``).

        >>> Line(0, 150, step=0.1).arithmetic, Line(-3, 9).arithmetic
        ((Fraction(1, 10), 0), (Fraction(1, 1), -3))
        """
        unit = Fraction(1, 10**self.precision) if self.kind == "decimal" else Fraction(1)
        step = Fraction(str(self.step)) if self.kind == "float" and self.step is not None else unit * self.units
        return step, self.ends[0]

    @cached_property
    def room(self) -> Places:
        """The places of the line, divided among its values (see ``float_lengths``).

        On a line of all floats, a value gets about as many as its distance to the next float; on other lines, all get
        one.
        """
        return Places.of_floats(self.first, self.size) if self.by_bits else Places(self.size)

    @cached_property
    def _floats(self) -> FloatSteps:
        return FloatSteps(self.step, max(abs(self.low), abs(self.high)))

    @property
    def float_steps(self) -> FloatSteps | None:
        """The steps of a line of floats, if floating point computes their multiples exactly; otherwise None."""
        return self._floats if self.kind == "float" and self.step is not None and self._floats.fast else None

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The multiples of ``low`` and of ``high``."""
        low, high = self.multiples(objects([self.first, self.last])).tolist()
        return low, high

    def multiples(self, codes: Array) -> Array:
        """The multiple of each code."""
        if self.step is None:
            return codes
        if self.kind == "float":
            return self._floats.numbers(floats_with(codes.astype(np.int64)))
        if codes.dtype.kind == "O" or self.units >= 2**63:
            return np.asarray(codes.astype(object) // self.units)
        wide = np.uint64 if codes.dtype == np.uint64 else np.int64
        return np.asarray(codes.astype(wide) // wide(self.units))

    @cached_property
    def precision(self) -> int:
        """How many places decimals have, or how many characters of text count: as many as the longest bound or step."""
        if self.kind == "string":
            return max(len(self.low), len(self.high))
        if self.kind == "decimal":
            return max(places_of(number) for number in (self.low, self.high, self.step or Decimal(1)))
        return 0

    def decode(self, number: int) -> Any:
        multiple = self.ends[0] + number_below(number, self.size)
        if self.step is not None and multiple == self.ends[0]:
            return self.low  # which need not be a multiple of the step
        code = multiple * self.units
        if self.kind == "integer":
            return code
        if self.kind == "float":
            return self._floats.value(multiple) if self.step is not None else float(floats_with(np.array([code]))[0])
        if self.kind == "decimal":
            return Decimal(code).scaleb(-self.precision, EXACT)
        if self.kind == "string":
            return unrank(code, self.precision)
        value = np.array(code, dtype=np.int64).view(self.kind)[()]
        return value if isinstance(self.low, np.datetime64) else value.item()

    def _code(self, bound: Any) -> int:
        """The code of a bound."""
        if self.kind == "integer":
            return int(bound)
        if self.kind == "float":
            return int(float_codes(np.array([bound]))[0])
        if self.kind == "decimal":
            return int(bound.scaleb(self.precision, EXACT))
        if self.kind == "string":
            return rank(bound, self.precision)
        return int(np.array(bound, dtype=self.kind).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Line(Scale):
    """The values from ``low`` to ``high``, numbered in order. Two lines are equal if every value has the same number.

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

    def encode(self, values: object) -> Array:
        """The numbers of ``values`` in a new array: uint64 where they fit, Python integers otherwise.

        Each number depends only on its own value. Text is cut to the width of the line, a time to its unit. A number is
        rounded to the nearest float, or down to a decimal or to an integer; a ``strict`` line refuses to round to
        integers. With a step, every value is then rounded down to a multiple of it.
        """
        array = self._read(values)
        codes, absent = self._codes(array)
        first, last = self.first, self.last
        if absent.any():
            codes[absent] = first - 1
        if codes.size and (codes.min() < first or codes.max() > last):
            if self.on_invalid == "raise":
                examples = EXAMPLES.get(self.kind, "dates like 2026-11-15 or 2026-11-15 08:30")
                misfits = f"some values are missing, cannot be read as {examples}, or lie outside low … high; "
                instead = "declare bounds that cover every possible value"
                raise Refused("values", misfits, *FILE_ADVICE.get(self.kind, DATES), instead)
            codes = np.clip(codes.astype(object), first, last)
        return self._numbers(self.multiples(codes), array)

    def _numbers(self, multiples: Array, values: Array) -> Array:
        """The numbers of ``multiples``, computed in place where possible.

        The caller's ``values`` are never overwritten, although ``multiples`` may share their memory.
        """
        first = self.ends[0]
        if self.size > 2**64 or multiples.dtype.kind == "O":
            numbers = multiples.astype(object) - first
            return numbers if self.size > 2**64 else numbers.astype(np.uint64)
        is_wide = multiples.dtype in (np.int64, np.uint64)
        numbers = multiples.view(np.uint64) if is_wide else multiples.astype(np.uint64)
        out = None if np.may_share_memory(numbers, values) or not numbers.size else numbers
        return np.asarray(np.subtract(numbers, np.uint64(first % 2**64), out=out))  # modulo 2^64 on both sides: exact

    def encode_all(self, values: object) -> Array:
        """The numbers that ``encode`` returns. Under "clamp", an unreadable or missing entry counts as ``low``.

        No record can then stop the run, whatever it holds.

        >>> Line(3, 9, "clamp").encode_all([5, 12, None, "six", b"", 10**5000]).tolist()
        [2, 6, 0, 0, 0, 6]
        """
        if self.on_invalid == "raise":
            return self.encode(values)
        array = self._of_this_kind(cells(values, "values"))
        if array.ndim != 1:
            raise ValueError("values must be one-dimensional")
        fitted, fits = self.fit(array, clamp=True)
        codes = self.encode(fitted[fits])
        numbers = np.zeros(len(fits), dtype=codes.dtype)  # the number of low
        numbers[fits] = codes
        return numbers

    def sides(self, values: object) -> NDArray[np.int8]:
        """The side of each value.

        Numbers and text are compared with the bounds before any rounding or cutting; on a line of floats, however, each
        number is first rounded to the nearest float.

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
        kind = EXAMPLES.get(self.kind, "dates" if self.kind == "datetime64[D]" else "times").partition(" like")[0]
        step = "" if self.step is None or self.kind.startswith("datetime64") else f" in steps of {self.step}"
        return f"{kind} from {readable_bound(self.low)} to {readable_bound(self.high)}{step}"

    @property
    def line(self) -> Line:
        return self

    def fit(self, values: Array, clamp: bool) -> Fitted:
        return fitted_line(self, values, clamp)

    def spell(self, texts: Array) -> Array:
        return spelled(self.kind, texts)

    def _read(self, values: object) -> Array:
        """The column, one value for each record."""
        return self._of_this_kind(column(values, "values"))

    def _of_this_kind(self, array: Array) -> Array:
        """The array itself; refuses numpy's times where they would be read as numbers."""
        if array.dtype.kind == "m" or (array.dtype.kind == "M" and not self.kind.startswith("datetime64")):
            raise TypeError("values are times or durations, but low and high are not; declare bounds of the same kind")
        return array

    def _codes(self, array: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The codes, and which values are missing; numpy's numbers and times all at once, other values one by one.

        A value beyond a bound has some code beyond that bound.
        """
        if self.kind == "integer" and _holds_numbers(array) and (self.strict or array.dtype.kind != "f"):
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
        entries = array.tolist()
        absent_list = gaps(entries)
        code_of = self._number_code if self.kind in ("integer", "decimal") else self._time_code
        code_type = int if self.kind == "integer" else None  # values of this type are their own codes
        pairs = zip(entries, absent_list, strict=True)
        codes = [x if type(x) is code_type else 0 if is_absent else code_of(x) for x, is_absent in pairs]
        return objects(codes), np.array(absent_list, dtype=bool)

    @property
    def strict(self) -> bool:
        """Whether a line of integers refuses numbers that are not whole, instead of rounding them down."""
        return self.on_invalid == "raise" and self.step is None

    def _as_floats(self, array: Array) -> NDArray[np.float64]:
        if _holds_numbers(array):
            return _float64(array)
        return np.array([as_float(x) for x in array.tolist()], dtype=np.float64)

    def _number(self, value: object) -> Any:
        """The exact number; on a line of decimals, a float counts as the decimal that it prints as."""
        x = number(value)
        if self.kind != "decimal" or isinstance(x, Fraction):
            return x
        return Decimal(repr(x) if type(x) is float else x)

    def _side(self, x: Any) -> int:
        return int(x > self.high) - int(x < self.low)

    def _number_code(self, value: object) -> int:
        """The code of a number on a line of integers or decimals, rounded down unless ``strict`` refuses that."""
        x = self._number(value)
        if isinstance(x, float) and abs(x) < EXACT_FLOATS and x.is_integer():
            x = int(x)  # only on a line of integers: on a line of decimals, ``_number`` has made x a decimal
        if self.strict and self.kind == "integer" and not isinstance(x, int):
            raise RefusedType("values", *NO_INTEGERS)
        if side := self._side(x):  # checked before the decimal point is moved, because exponents are unbounded
            return self.last + 1 if side > 0 else self.first - 1
        if self.kind == "decimal":
            x = x * 10**self.precision if isinstance(x, Fraction) else x.scaleb(self.precision, EXACT)
        code: int = math.floor(x)
        return code

    def _texts(self, array: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The texts, empty where one is missing, and which are missing."""
        entries = hashables(array, "values")
        absent = np.array([text is None for text in entries], dtype=bool)
        if not set(map(type, entries)) <= {str, type(None)}:
            raise TypeError("values must be text, like low and high")
        return objects("" if text is None else text for text in entries), absent

    def _time_code(self, value: object) -> int:
        value = local_time(value, self.zone)
        time = np.array([value], dtype=value.dtype if isinstance(value, np.datetime64) else "datetime64[us]")
        return int(time_codes(time, self.kind)[0])


def _holds_numbers(array: Array) -> bool:
    """Whether an array holds floats or integers of at most 64 bits, rather than Python objects or anything else."""
    return array.dtype.kind in "fiu" and array.dtype.itemsize <= 8


def _float64(array: Array) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return array.astype(np.float64, copy=False)


def fitted_line(line: Line, values: Array, clamp: bool) -> Fitted:
    """The values between the bounds; with ``clamp`` also those beyond them, moved to the nearest bound."""
    dtype = _dtype(line)
    if dtype.kind in "iu" and values.dtype.kind == "O":
        return _integers_at_once(line, values, dtype, clamp)
    if dtype.kind in "iuf" and _holds_numbers(values):
        sides = line.sides(values)
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            rounded = np.floor(values) if dtype.kind in "iu" and values.dtype.kind == "f" else values
            may_round = clamp or line.step is not None
            acceptable = True if may_round else rounded == values
            return _bounded(line, rounded, sides, dtype), _which_fit(sides, clamp) & acceptable
    if dtype.kind == "M" and values.dtype.kind == "M":
        clipped_codes = np.clip(time_codes(values, line.kind), line.first, line.last)
        return clipped_codes.view(dtype), _which_fit(line.sides(values), clamp)
    return _one_at_a_time(line, values, clamp)


def _integers_at_once(line: Line, values: Array, dtype: np.dtype, clamp: bool) -> Fitted:
    """Python objects on a line of integers: Python's integers all at once, other values one by one."""
    low, high, entries = line.low, line.high, values.tolist()
    kinds = list(map(type, entries))
    is_integer = np.array([kind is int for kind in kinds], dtype=bool)
    is_other = np.array([kind not in (int, NoneType) for kind in kinds], dtype=bool)
    integers = [x for x, kind in zip(entries, kinds, strict=True) if kind is int]
    fitted, fits = np.full(len(entries), low, dtype=dtype), np.zeros(len(entries), dtype=bool)
    fitted[is_integer] = np.array([low if x < low else high if x > high else x for x in integers], dtype=dtype)
    fits[is_integer] = np.array([clamp or low <= x <= high for x in integers], dtype=bool)
    others, fits[is_other] = _one_at_a_time(line, values[is_other], clamp)
    fitted[is_other] = np.array([low if x is VOID else x for x in others], dtype=dtype)
    return fitted, fits


def _one_at_a_time(line: Line, values: Array, clamp: bool) -> Fitted:
    """Values of any kind, one by one."""
    with_rule = replace(line, on_invalid="clamp" if clamp else "raise")
    far = _far_integer(line)
    results: dict[Hashable, object] = {}  # a column repeats its values, so each is fitted only once

    def fit_value(value: Hashable) -> object:
        if type(value) is int and not -far < value < far:
            value = far if value > 0 else -far
        key = type(value), value
        if key not in results:
            results[key] = _fitted_value(with_rule, value)
        return results[key]

    return one_by_one(values, fit_value, exact)


def _far_integer(line: Line) -> int:
    """A public power of two above all floats and both bounds, in absolute value. It stands for every larger integer."""
    bounds = [int(bound) for bound in (line.low, line.high) if isinstance(bound, int | float | Decimal)]
    return 1 << 1 + max(1024, *(bound.bit_length() for bound in bounds), 0)


def _dtype(line: Line) -> np.dtype:
    """The numpy type that holds every value of the line."""
    if line.kind == "integer":
        fitting = (t for t in (np.int64, np.uint64) if np.iinfo(t).min <= line.low and line.high <= np.iinfo(t).max)
        return np.dtype(next(fitting, object))
    return np.dtype({"float": np.float64, "decimal": object, "string": object}.get(line.kind, line.kind))


def _which_fit(sides: NDArray[np.int8], clamp: bool) -> WhichFit:
    return np.asarray(sides != NOWHERE if clamp else sides == 0)


def _bounded(line: Line, values: Array, sides: NDArray[np.int8], dtype: np.dtype) -> Array:
    """Values within the bounds unchanged, others moved to the nearest bound."""
    bounded = np.full(len(values), line.low, dtype=dtype)
    within = sides == 0
    bounded[within] = values[within].astype(dtype)
    bounded[sides == 1] = line.high
    return bounded


def _fitted_value(line: Line, value: object) -> object:
    """One value, rounded to a value of the line; raises if the line refuses it."""
    if line.kind == "string":
        return _text(line, value)
    if line.kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # pandas stores integers as floats if one is missing
    return line.decode(int(line.encode([value])[0]))


def _text(line: Line, text: object) -> str:
    """A text, cut to the width of the line.

    Encoding and decoding would return the same text, but the number in between has 20 bits for each character.
    """
    if type(text) is not str:
        raise TypeError("values must be text, like low and high")
    cut = text[: line.precision]
    if line.on_invalid == "raise" and not line.low <= cut <= line.high:
        raise ValueError("the text lies outside low … high")
    return str(min(max(cut, line.low), line.high))
