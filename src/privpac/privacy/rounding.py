"""Real numbers as rationals, and bounds as people read them, both rounded in the safe direction.

A *ball* is an interval that certainly contains the exact value (Arb, through python-flint). Costs are rounded up and
allowances are rounded down, so a rounded number never promises more than the theorem behind it. The functions from
``certainty`` on write a bound with few digits, rounded so that it still holds.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_UP, Context, Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

PRECISION = 128  # bits: enough for 100,000 operations without an error in the fifteenth digit
TINY = Fraction(1, 10**300)  # smaller fractions could fill the memory (e^(−10⁹⁹) is a legal δ), and floats underflow

UP = Context(prec=15, rounding=ROUND_CEILING)  # 15 digits survive conversion to a float and back
DOWN = Context(prec=15, rounding=ROUND_FLOOR)
SHORT_UP, SHORT_DOWN = (Context(prec=3, rounding=direction) for direction in (ROUND_UP, ROUND_DOWN))
LEAST_BETA = Fraction(1, 10**9)  # certainties are shown with at most nine nines


def ball(value: Fraction) -> arb:
    """``value`` as a ball at the current precision."""
    from flint import arb, fmpq  # noqa: PLC0415  (formatting a bound needs no balls, nor does `privpac --help`)

    return arb(fmpq(value.numerator, value.denominator))


def rounded_up(x: arb) -> Fraction:
    """The least decimal of 15 digits that is certainly at or above ``x`` ≥ 0, and never below 10⁻³⁰⁰.

    >>> from flint import arb
    >>> float(rounded_up(arb(1).exp()))
    2.71828182845905
    """
    return TINY if x <= ball(TINY).lower() else _decimal(x.upper(), UP)


def chance_up(x: arb) -> Fraction:
    """``rounded_up(x)`` for an upper bound ``x`` on a probability; 1 unless ``x`` is certainly below 1.

    ``x`` may be too large for a decimal (e^(10⁹⁹)).

    >>> from flint import arb
    >>> chance_up(arb(1e99).exp()), chance_up(arb("0.25"))
    (Fraction(1, 1), Fraction(1, 4))
    """
    return rounded_up(x) if x < 1 else Fraction(1)


def rounded_down(x: arb) -> Fraction:
    """The greatest decimal of 15 digits that is certainly at or below ``x`` ≥ 0; 0 where that is below 10⁻³⁰⁰.

    >>> from flint import arb
    >>> float(rounded_down(arb(1).exp()))
    2.71828182845904
    """
    return _decimal(x.lower(), DOWN) if x >= ball(TINY).upper() else Fraction(0)


def _decimal(point: arb, context: Context) -> Fraction:
    exact = point.fmpq()
    return Fraction(context.divide(Decimal(int(exact.p)), Decimal(int(exact.q))))


def certainty(beta: Fraction | float, percent: bool = False) -> str:
    """1 − β, rounded down.

    >>> certainty(Fraction(1, 20)), certainty(Fraction(1, 20), percent=True), certainty(1e-4, percent=True)
    ('0.95', '95 %', '99.99 %')
    >>> certainty(Fraction(1, 10**30)), certainty(Fraction(1, 3))
    ('0.999999999', '0.666')
    """
    β = max(_exact(beta), LEAST_BETA)
    rounded = SHORT_UP.divide(Decimal(β.numerator), Decimal(β.denominator))
    share = (1 - rounded) * (100 if percent else 1)
    return f"{share.normalize():f}{' %' * percent}"


def text_rounded_up(share: Fraction) -> str:
    """A share in three digits, rounded up.

    >>> text_rounded_up(Fraction(65, 5000)), text_rounded_up(Fraction(2, 3)), text_rounded_up(Fraction(1, 10**7))
    ('0.013', '0.667', '1e-07')
    """
    return f"{float(SHORT_UP.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"


def text_rounded_down(share: Fraction) -> str:
    """A share in three digits, rounded down.

    >>> text_rounded_down(Fraction(2, 3)), text_rounded_down(Fraction(0))
    ('0.666', '0')
    """
    return f"{float(SHORT_DOWN.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"


def floor_to(number: float | Fraction, places: int) -> float:
    """The number, rounded down to ``places`` decimal places: a lower bound that people can read.

    >>> floor_to(0.0694, 3), floor_to(0.069, 3)
    (0.069, 0.069)
    """
    scale = int(10**places)
    return floor(_exact(number) * scale) / scale


def ceil_to(number: float | Fraction, places: int) -> float:
    """The number, rounded up to ``places`` decimal places: an upper bound that people can read.

    >>> ceil_to(0.0991, 3), ceil_to(0.099, 3)
    (0.1, 0.099)
    """
    scale = int(10**places)
    return ceil(_exact(number) * scale) / scale


def _exact(number: float | Fraction) -> Fraction:
    """The number; a float, including NumPy's, is taken as the decimal it prints as, not as its exact binary value."""
    return Fraction(number) if isinstance(number, int | Fraction) else Fraction(str(number))
