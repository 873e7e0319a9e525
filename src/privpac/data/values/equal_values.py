"""Equal values: one form for them, and columns compared with public values. No two records are compared.

Python's 1, 1.0, True, and Decimal("1.00") are equal, and a record may hold any of them. If a rule names a value, it
names its canonical form, so a release does not show which of several equal values a record held.

Whatever type a value arrives in, :func:`exact` first copies it into Python's own type. A date, the midnight at its
start, and numpy's and pandas' times in any unit are the same value if they are the same instant. A time with a zone
never equals one without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import (
    DIGITS,
    EXACT,
    LONG,
    SURELY_SHORT,
    TOO_MANY_DIGITS,
    UNITS,
    Form,
    Unlisted,
    exact,
    filled_in_order,
)
from privpac.data.values.columns import Array, cells, parts
from privpac.refusals.refusal import InOtherWords

MOST_PLACES = 10**6  # before or after the point of a decimal; 1e999999999 would not fit into memory
LARGEST_FLOAT = np.finfo(np.float64).max.item()


def canonical(value: object) -> Hashable:
    """The canonical form of ``value``, in one of the types of :func:`privpac.data.values.allowed_types.exact`.

    A whole number becomes an integer; another number a float if some float equals it, else a decimal if its decimal
    expansion ends, else a fraction.

    >>> [canonical(value) for value in (True, 1.0, Decimal("1.00"), Decimal("0.50"), (np.float64(2), "a"))]
    [1, 1, 1, 0.5, (2, 'a')]
    """
    return _canonical(exact(value))


def form_among(names: Iterable[object]) -> Form:
    """The function that takes a value to the form in which it is looked up among public ``names``.

    The values themselves are never released.

    >>> form_among(["EV", Ellipsis])(Ellipsis)
    Ellipsis
    """
    unlisted_types = frozenset(type(name) for name in names if _unlisted(name))  # public names may have any type
    return lambda value: value if type(value) in unlisted_types else canonical(value)


def forms(values: Iterable[Any], form: Form) -> list[Hashable]:
    """``form(value)`` for each value; ``form`` is ``canonical``, ``exact``, or ``declared``; None if it is missing.

    >>> forms(["UA", 3, 3.0, None], canonical)
    ['UA', 3, 3, None]
    """
    # Short text, short integers, and dates are their own forms, so no function is called for them, to save time.
    return [
        value
        if ((kind := type(value)) is str and len(value) <= SURELY_SHORT)
        or (kind is int and -LONG < value < LONG)
        or kind is date
        else form(value)
        for value in values
    ]


def _unlisted(name: object) -> bool:
    """Whether records may not hold a value such as ``name``."""
    try:
        exact(name)
    except Unlisted:
        return True
    return False


def _canonical(value: Hashable) -> Hashable:
    """The canonical form of a value that is already in Python's own type."""
    form = FORM_OF_TYPE.get(type(value))
    return value if form is None else form(value)


def _integer(value: int) -> int:
    if not -LONG < value < LONG:
        raise Unlisted(TOO_MANY_DIGITS)
    return value


def _complex(value: complex) -> complex:
    return _float(value.real) if value.imag == 0 else complex(value.real + 0.0, value.imag + 0.0)  # −0.0 + 0.0 is 0.0


def _float(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _decimal_or_fraction(value: Decimal | Fraction) -> int | float | Decimal | Fraction:
    if not value:
        return 0
    if isinstance(value, Decimal) and not value.is_finite():
        return float(value)
    decimal = _decimal_expansion(value)
    if decimal is None:
        return Fraction(value)
    if abs(decimal.adjusted()) > MOST_PLACES:
        raise Unlisted(TOO_MANY_DIGITS)
    if decimal.as_tuple().exponent >= 0:  # type: ignore[operator]
        return int(decimal) if decimal.adjusted() < DIGITS else decimal
    return float(decimal) if float(decimal) == decimal else decimal


def _decimal_expansion(value: Decimal | Fraction) -> Decimal | None:
    """A nonzero ``value`` as a decimal without trailing zeros; None if its decimal expansion does not end."""
    if isinstance(value, Decimal):
        return value.normalize(EXACT)
    digits = _digits_after_point(value.denominator)
    return None if digits is None else Decimal(int(value * 10**digits)).normalize(EXACT).scaleb(-digits, EXACT)


def _digits_after_point(denominator: int) -> int | None:
    """The least k such that ``denominator`` divides 10^k; None if there is no such k."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


FORM_OF_TYPE: dict[type, Form] = {
    bool: int,
    int: _integer,
    float: _float,
    Decimal: _decimal_or_fraction,
    Fraction: _decimal_or_fraction,
    complex: _complex,
    tuple: lambda value: tuple(map(_canonical, value)),
    frozenset: lambda value: filled_in_order(map(_canonical, value)),
}


def hashables(values: object, name: str, form: Form = exact) -> list[Hashable]:
    """``form(entry)`` for each entry of a column, or None if it is missing. A table gives one tuple for each row.

    >>> hashables(np.array([["a", "b"]]), "x"), hashables([("a", 1)], "x")
    ([('a', 'b')], [('a', 1)])
    """
    if hasattr(values, "columns"):  # a DataFrame
        return list(zip(*(hashables(entries, name, form) for _, entries in parts(values)), strict=True))
    with InOtherWords(lambda error: TypeError(str(error).replace("values", name, 1)), Unlisted):
        return _forms(cells(values, name), form)


def _forms(array: Array, form: Form) -> list[Hashable]:
    """``form(entry)`` for each entry of an array; arrays of numpy's integers, text, and times take fast paths."""
    if array.ndim == 1 and array.dtype.kind in "iuUS":
        return array.tolist()  # type: ignore[no-any-return]
    if array.dtype.kind == "M" and array.ndim == 1:
        in_microseconds = array.astype("datetime64[us]")
        # A time that is a whole number of microseconds is passed on as Python's own, which takes less time to copy.
        is_same = in_microseconds.astype(array.dtype) == array
        entries = zip(array, in_microseconds.tolist(), is_same, strict=True)
        return [form(python if same and isinstance(python, date) else value) for value, python, same in entries]
    # Numpy's times stay as they are: ``tolist`` would lose their unit.
    return forms(array if array.dtype.kind in "mM" else array.tolist(), form)


def outcomes(values: object, test: Callable[[Any], bool], form: Form = canonical) -> NDArray[np.bool_]:
    """The outcome of ``test`` on every entry of a column, run once per distinct value; False where it is missing.

    >>> outcomes(["ab", None, "b"], lambda text: "a" in text).tolist()
    [True, False, False]
    """
    entries = hashables(values, "values", form)
    outcome = {value: value is not None and test(value) for value in set(entries)}
    return np.array([outcome[value] for value in entries], dtype=bool)


def member(values: object, allowed: Iterable[object]) -> NDArray[np.bool_]:
    """Which entries of a column equal one of the public ``allowed`` values, exactly. A missing entry equals nothing.

    >>> member(np.array([2**53, 2**53 + 1]), [float(2**53)]).tolist()
    [True, False]
    >>> member(["UA", None, ("UA", 1)], ["UA", None]).tolist()
    [True, False, False]
    """
    public_values = list(allowed)
    form = form_among(public_values)
    allowed_forms = [value for value in map(form, public_values) if value is not None]
    if hasattr(values, "columns"):  # a DataFrame
        return outcomes(values, frozenset(allowed_forms).__contains__, form)
    array = cells(values, "values")
    if array.ndim != 1 or array.dtype.kind not in "biufM" or array.dtype.itemsize > 8 or finest(array):
        return outcomes(array, frozenset(allowed_forms).__contains__, form)
    is_member = np.zeros(len(array), dtype=bool)
    for value in allowed_forms:
        is_member |= _equal(array, value)
    return is_member


def finest(times: Any) -> bool:
    """Whether numpy's times have a unit finer than nanoseconds. Numpy cannot convert such a unit to days.

    >>> finest(np.datetime64(3, "ps")), finest(np.array([1, 2]))
    (True, False)
    """
    return times.dtype.kind == "M" and np.datetime_data(times.dtype)[0] in UNITS[:3]


def _equal(array: Array, value: Any) -> NDArray[np.bool_]:
    """``array == value`` as Python means it: neither side is rounded, and a number never equals a time."""
    array = array.view(np.int8) if array.dtype.kind == "b" else array  # False and True count as 0 and 1
    kind = array.dtype.kind
    is_number = isinstance(value, (Real, Decimal))
    is_finite = is_number and -LARGEST_FLOAT <= value <= LARGEST_FLOAT
    if kind in "iu" and is_finite and value == int(value):
        return np.asarray(array == int(value))
    if kind == "f" and is_number and (is_finite or value in (math.inf, -math.inf)) and float(value) == value:
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            return np.asarray(array.astype(np.float64) == float(value))
    if kind == "M" and isinstance(value, (date, np.datetime64)) and getattr(value, "tzinfo", None) is None:
        instant = np.datetime64(value)
        if finest(instant):
            return np.zeros(len(array), dtype=bool)
        converted = array.astype(instant.dtype)
        return np.asarray((converted == instant) & (converted.astype(array.dtype) == array))  # nothing was rounded
    return np.zeros(len(array), dtype=bool)
