"""One form for equal values, so that a release does not show which of several equal values a record held.

Python's 1, 1.0, True and Decimal("1.00") are equal, and a record may hold any of them. A rule that names a value names
its canonical form.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from privpac.data.values.allowed_types import (
    DIGITS,
    LONG,
    SURELY_SHORT,
    TOO_MANY_DIGITS,
    Form,
    Unlisted,
    exact,
    filled_in_order,
)

MOST_PLACES = 10**6  # before or after the point of a decimal; 1e999999999 would not fit into memory


def canonical(value: object) -> Hashable:
    """The form of ``value``, one of :func:`privpac.data.values.allowed_types.exact`.

    Whole numbers are integers, others floats if a float equals them, else decimals if they end, else fractions.

    >>> import numpy as np
    >>> [canonical(value) for value in (True, 1.0, Decimal("1.00"), Decimal("0.50"), (np.float64(2), "a"))]
    [1, 1, 1, 0.5, (2, 'a')]
    """
    return _merged(exact(value))


def among(names: Iterable[object]) -> Form:
    """The form in which values are looked up among public ``names``; the values themselves are never released.

    >>> among(["EV", Ellipsis])(Ellipsis)
    Ellipsis
    """
    own = frozenset(type(name) for name in names if _unlisted(name))
    return lambda value: value if type(value) in own else canonical(value)


def forms(values: Iterable[Any], form: Form) -> list[Hashable]:
    """The form of each value, as defined here or in :mod:`privpac.data.values.allowed_types`; None if it is missing.

    >>> forms(["UA", 3, 3.0, None], canonical)
    ['UA', 3, 3, None]
    """
    # Short text, short integers, and dates are their own form, so no function is called for them.
    return [
        value
        if ((kind := type(value)) is str and len(value) <= SURELY_SHORT)
        or (kind is int and -LONG < value < LONG)
        or kind is date
        else form(value)
        for value in values
    ]


def _unlisted(name: object) -> bool:
    try:
        exact(name)
    except Unlisted:
        return True
    return False


def _merged(value: Hashable) -> Hashable:
    merge = MERGES.get(type(value))
    return value if merge is None else merge(value)


def _integer(value: int) -> int:
    if not -LONG < value < LONG:
        raise Unlisted(TOO_MANY_DIGITS)
    return value


def _real(value: complex) -> complex:
    return _whole(value.real) if value.imag == 0 else complex(value.real + 0.0, value.imag + 0.0)  # −0.0 + 0.0 is 0.0


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _number(value: Decimal | Fraction) -> int | float | Decimal | Fraction:
    if not value or (isinstance(value, Decimal) and not value.is_finite()):
        return float(value) if value else 0
    if (d := _decimal(value)) is None:
        return Fraction(value)
    if abs(d.adjusted()) > MOST_PLACES:
        raise Unlisted(TOO_MANY_DIGITS)
    if d.as_tuple().exponent >= 0:  # type: ignore[operator]
        return int(d) if d.adjusted() < DIGITS else d
    return float(d) if float(d) == d else d


def _decimal(value: Decimal | Fraction) -> Decimal | None:
    """``value``, which is not 0, without trailing zeros; None if its decimal expansion does not end."""
    shift = _places(value.denominator) if isinstance(value, Fraction) else 0
    if shift < 0:
        return None
    shifted = Decimal(int(value * 10**shift)) if isinstance(value, Fraction) else value
    sign, digits, exponent = shifted.as_tuple()
    length = len(digits)
    while digits[length - 1] == 0:
        length -= 1
    return Decimal((sign, digits[:length], exponent + len(digits) - length - shift))  # type: ignore[operator]


def _places(denominator: int) -> int:
    """The least k such that ``denominator`` divides 10^k; −1 if there is no such k."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else -1


MERGES: dict[type, Form] = {
    bool: int,
    int: _integer,
    float: _whole,
    Decimal: _number,
    Fraction: _number,
    complex: _real,
    tuple: lambda value: tuple(map(_merged, value)),
    frozenset: lambda value: filled_in_order(map(_merged, value)),
}
