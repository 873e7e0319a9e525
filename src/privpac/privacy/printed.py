"""Bounds as they are printed: rounded to the side on which they still hold, so that the printed claim is proved, too.

Main declarations
    no_less    rounded down
    no_more    rounded up
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor


def no_less(number: float | Fraction, places: int) -> float:
    """The number, rounded down.

    >>> no_less(0.0694, 3), no_less(0.069, 3)
    (0.069, 0.069)
    """
    scale = int(10**places)
    return floor(_exact(number) * scale) / scale


def no_more(number: float | Fraction, places: int) -> float:
    """The number, rounded up.

    >>> no_more(0.0991, 3), no_more(0.099, 3)
    (0.1, 0.099)
    """
    scale = int(10**places)
    return ceil(_exact(number) * scale) / scale


def _exact(number: float | Fraction) -> Fraction:
    """The number as it is written, not the nearest binary fraction."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
