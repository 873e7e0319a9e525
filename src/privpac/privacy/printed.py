"""Bounds as they are printed: rounded to the side on which they still hold, so that the printed claim is proved, too.

Main declarations
    at_least    rounded down
    at_most     rounded up
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor


def at_least(number: float | Fraction, places: int) -> float:
    """The number, rounded down.

    >>> at_least(0.0694, 3), at_least(0.069, 3)
    (0.069, 0.069)
    """
    scale = int(10**places)
    return floor(_exact(number) * scale) / scale


def at_most(number: float | Fraction, places: int) -> float:
    """The number, rounded up.

    >>> at_most(0.0991, 3), at_most(0.099, 3)
    (0.1, 0.099)
    """
    scale = int(10**places)
    return ceil(_exact(number) * scale) / scale


def _exact(number: float | Fraction) -> Fraction:
    """The number as it is written, not the nearest binary fraction."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
