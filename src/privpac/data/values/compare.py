"""One value of one record, compared with public values.

Values are compared in Python's own types, :func:`exact`, whatever type they came in. A date, the
midnight at its start, and numpy's and pandas' times in any unit are the same value if they are the same instant. A time
with a zone never equals one without.

Nothing here looks at two records at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import UNITS, Form, Unlisted, exact
from privpac.data.values.canonical import among, canonical, forms
from privpac.data.values.columns import Array, cells, parts
from privpac.refusals.refusal import InOtherWords

LARGEST_FLOAT = np.finfo(np.float64).max.item()


def hashables(values: object, name: str, form: Form = exact) -> list[Hashable]:
    """The entries of a column in their ``form``, None if they are missing; a row of a table is a tuple.

    >>> hashables(np.array([["a", "b"]]), "x"), hashables([("a", 1)], "x")
    ([('a', 'b')], [('a', 1)])
    """
    if hasattr(values, "columns"):  # a DataFrame
        return list(zip(*(hashables(part, name, form) for _, part in parts(values)), strict=True))
    with InOtherWords(lambda error: TypeError(str(error).replace("values", name, 1)), Unlisted):
        return _forms(cells(values, name), form)


def _forms(array: Array, form: Form) -> list[Hashable]:
    if array.ndim == 1 and array.dtype.kind in "iuUS":
        return array.tolist()  # type: ignore[no-any-return]
    if array.dtype.kind == "M" and array.ndim == 1:
        in_microseconds = array.astype("datetime64[us]")
        entries = zip(array, in_microseconds.tolist(), in_microseconds.astype(array.dtype) == array, strict=True)
        return [form(python if same and isinstance(python, date) else value) for value, python, same in entries]
    # Python's times would lose the unit of numpy's
    return forms(array if array.dtype.kind in "mM" else array.tolist(), form)


def each(values: object, test: Callable[[Any], bool], form: Form = canonical) -> NDArray[np.bool_]:
    """The outcome of ``test`` on every entry of a column, run once per distinct value; False where it is missing.

    >>> each(["ab", None, "b"], lambda text: "a" in text).tolist()
    [True, False, False]
    """
    entries = hashables(values, "values", form)
    outcome = {value: value is not None and test(value) for value in set(entries)}
    return np.array([outcome[value] for value in entries], dtype=bool)


def member(values: object, allowed: Iterable[object]) -> NDArray[np.bool_]:
    """Which entries of a column equal one of the ``allowed`` values, exactly. A missing entry equals nothing.

    >>> member(np.array([2**53, 2**53 + 1]), [float(2**53)]).tolist()
    [True, False]
    >>> member(["UA", None, ("UA", 1)], ["UA", None]).tolist()
    [True, False, False]
    """
    names = list(allowed)
    form = among(names)
    chosen = [value for value in map(form, names) if value is not None]
    array = None if hasattr(values, "columns") else cells(values, "values")
    if array is None or array.ndim != 1 or array.dtype.kind not in "biufM" or array.dtype.itemsize > 8 or finest(array):
        return each(values if array is None else array, frozenset(chosen).__contains__, form)
    labels = np.zeros(len(array), dtype=bool)
    for value in chosen:
        labels |= _equal(array, value)
    return labels


def finest(times: Any) -> bool:
    """Whether the unit of numpy's times is finer than nanoseconds, which numpy cannot convert to days.

    >>> finest(np.datetime64(3, "ps")), finest(np.array([1, 2]))
    (True, False)
    """
    return times.dtype.kind == "M" and np.datetime_data(times.dtype)[0] in UNITS[:3]


def _equal(array: Array, value: Any) -> NDArray[np.bool_]:
    """``array == value`` as Python means it: no rounding of either side, no comparison across kinds."""
    array = array.view(np.int8) if array.dtype.kind == "b" else array  # False and True count as 0 and 1
    kind = array.dtype.kind
    number = isinstance(value, (Real, Decimal))
    finite = number and -LARGEST_FLOAT <= value <= LARGEST_FLOAT
    if kind in "iu" and finite and value == int(value):
        return np.asarray(array == int(value))
    if kind == "f" and number and (finite or value in (math.inf, -math.inf)) and float(value) == value:
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            return np.asarray(array.astype(np.float64) == float(value))
    if kind == "M" and isinstance(value, (date, np.datetime64)) and getattr(value, "tzinfo", None) is None:
        instant = np.datetime64(value)
        if finest(instant):
            return np.zeros(len(array), dtype=bool)
        in_its_unit = array.astype(instant.dtype)
        return np.asarray((in_its_unit == instant) & (in_its_unit.astype(array.dtype) == array))
    return np.zeros(len(array), dtype=bool)
