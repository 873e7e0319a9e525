"""One column as a domain reads it: which values fit, and where the others go.

What happens to a value depends only on that value: an error while reading it affects only its own record. Nor does one
record slow down the others: values are grouped by their types, and an integer beyond all bounds is not read.

Main declarations
    fitted_names    the values that are declared names
    fitted_line     values of a line: arrays of numbers and times as a whole, anything else value by value
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.canonical import among
from privpac.data.codes import NOWHERE, time_codes
from privpac.data.domain import VOID, Fitted, WhichFit, one_by_one
from privpac.data.listed import exact

if TYPE_CHECKING:
    from privpac.data.line import Line


def fitted_names(names: Iterable[Any], values: NDArray[Any]) -> Fitted:
    """The values that are among ``names``.

    >>> fitted_names(("EV", "UA"), np.array(["UA", "B6"], dtype=object))[1].tolist()
    [True, False]
    """
    form = among(names := list(names))
    known = frozenset(map(form, names))
    return one_by_one(values, lambda value: value if value in known else VOID, form)


def fitted_line(line: Line, values: NDArray[Any], clamp: bool) -> Fitted:
    """The values between the bounds; with ``clamp`` also those beyond them, moved to the nearest bound.

    >>> from privpac.data.line import Line
    >>> fitted_line(Line(0, 120), np.array([37, -1]), clamp=True)[0].tolist()
    [37, 0]
    """
    dtype = _dtype(line)
    if dtype.kind in "iu" and values.dtype.kind == "O":
        return _by_type(line, values, dtype, clamp)
    if dtype.kind in "iuf" and values.dtype.kind in "iuf" and values.dtype.itemsize <= 8:
        sides = line.sides(values)
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            whole = np.floor(values) if dtype.kind in "iu" and values.dtype.kind == "f" else values
            strict = not clamp and line.step is None
            return _bounded(line, whole, sides, dtype), _counted(sides, clamp) & ((not strict) | (whole == values))
    if dtype.kind == "M" and values.dtype.kind == "M":
        within = np.clip(time_codes(values, line.kind), line.first, line.last)
        return within.view(dtype), _counted(line.sides(values), clamp)
    return _each(line, values, clamp)


def _by_type(line: Line, values: NDArray[Any], dtype: np.dtype[Any], clamp: bool) -> Fitted:
    """Python's integers all at once, and all but those value by value; what is missing is void."""
    low, high, listed = line.low, line.high, values.tolist()
    kinds = list(map(type, listed))
    whole = np.array([kind is int for kind in kinds], dtype=bool)
    others = np.array([kind not in (int, NoneType) for kind in kinds], dtype=bool)
    integers = [each for each, kind in zip(listed, kinds, strict=True) if kind is int]
    found, fits = np.full(len(listed), low, dtype=dtype), np.zeros(len(listed), dtype=bool)
    found[whole] = np.array([low if each < low else high if each > high else each for each in integers], dtype=dtype)
    fits[whole] = np.array([clamp or low <= each <= high for each in integers], dtype=bool)
    read, fits[others] = _each(line, values[others], clamp)
    found[others] = np.array([low if each is VOID else each for each in read], dtype=dtype)
    return found, fits


def _each(line: Line, values: NDArray[Any], clamp: bool) -> Fitted:
    """Value by value."""
    ready = replace(line, on_invalid="clamp" if clamp else "raise")
    beyond = _beyond(line)
    known: dict[Any, Any] = {}  # columns repeat values

    def fitted(value: Any) -> Any:
        if type(value) is int and not -beyond < value < beyond:
            value = beyond if value > 0 else -beyond
        key = type(value), value
        if key not in known:
            known[key] = _value(ready, value)
        return known[key]

    return one_by_one(values, fitted, exact)


def _beyond(line: Line) -> int:
    """A public integer beyond both bounds and all floats: every larger one is on the same side, whatever its digits."""
    bounds = [int(each) for each in (line.low, line.high) if isinstance(each, int | float | Decimal)]
    return 1 << 1 + max(1024, *(each.bit_length() for each in bounds), 0)


def _dtype(line: Line) -> np.dtype[Any]:
    """The numpy type that holds every value of the line."""
    if line.kind == "integer":
        fitting = (t for t in (np.int64, np.uint64) if np.iinfo(t).min <= line.low and line.high <= np.iinfo(t).max)
        return np.dtype(next(fitting, object))
    return np.dtype({"float": np.float64, "decimal": object, "string": object}.get(line.kind, line.kind))


def _counted(sides: NDArray[np.int8], clamp: bool) -> WhichFit:
    return np.asarray(sides != NOWHERE if clamp else sides == 0)


def _bounded(line: Line, values: NDArray[Any], sides: NDArray[np.int8], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values within the bounds unchanged, others moved to the nearest bound."""
    bounded = np.full(len(values), line.low, dtype=dtype)
    within = sides == 0
    bounded[within] = values[within].astype(dtype)
    bounded[sides == 1] = line.high
    return bounded


def _value(line: Line, value: Any) -> Any:
    """One value after rounding to the line; raises if the line refuses it."""
    if line.kind == "string":
        return _text(line, value)
    if line.kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # one missing value turns integers into floats
    return line.decode(int(line.encode([value])[0]))


def _text(line: Line, text: Any) -> str:
    """A text after cutting; its number, which has twenty bits per character, would lead to the same one."""
    if type(text) is not str:
        raise TypeError("values must be text, like low and high")
    cut = text[: line.precision]
    if line.on_invalid == "raise" and not line.low <= cut <= line.high:
        raise ValueError("the text lies outside low … high")
    return str(min(max(cut, line.low), line.high))
