"""Bounds as people read them: in a few digits, rounded to the side on which they still hold."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction
from math import ceil, floor

SHORT_UP, SHORT_DOWN = (Context(prec=3, rounding=direction) for direction in (ROUND_UP, ROUND_DOWN))
LEAST = Fraction(1, 10**9)  # nobody counts more nines


def certainty(beta: Fraction | float, percent: bool = False) -> str:
    """1 − β, rounded down.

    >>> certainty(Fraction(1, 20)), certainty(Fraction(1, 20), percent=True), certainty(1e-4, percent=True)
    ('0.95', '95 %', '99.99 %')
    >>> certainty(Fraction(1, 10**30)), certainty(Fraction(1, 3))
    ('0.999999999', '0.666')
    """
    # a float is the number it prints as
    β = max(Fraction(str(beta)), LEAST)
    rounded = SHORT_UP.divide(Decimal(β.numerator), Decimal(β.denominator))
    share = (1 - rounded) * (100 if percent else 1)
    return f"{share.normalize():f}{' %' * percent}"


def upper_bound(share: Fraction) -> str:
    """A share in three digits, rounded up.

    >>> upper_bound(Fraction(65, 5000)), upper_bound(Fraction(2, 3)), upper_bound(Fraction(1, 10**7))
    ('0.013', '0.667', '1e-07')
    """
    return f"{float(SHORT_UP.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"


def lower_bound(share: Fraction) -> str:
    """A share in three digits, rounded down.

    >>> lower_bound(Fraction(2, 3)), lower_bound(Fraction(0))
    ('0.666', '0')
    """
    return f"{float(SHORT_DOWN.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"


def no_less(number: float | Fraction, places: int) -> float:
    """The number, rounded down to ``places`` decimals: a lower bound that people can read.

    >>> no_less(0.0694, 3), no_less(0.069, 3)
    (0.069, 0.069)
    """
    scale = int(10**places)
    return floor(_exact(number) * scale) / scale


def no_more(number: float | Fraction, places: int) -> float:
    """The number, rounded up to ``places`` decimals: an upper bound that people can read.

    >>> no_more(0.0991, 3), no_more(0.099, 3)
    (0.1, 0.099)
    """
    scale = int(10**places)
    return ceil(_exact(number) * scale) / scale


def _exact(number: float | Fraction) -> Fraction:
    """The number as it is written, not the nearest binary fraction."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
