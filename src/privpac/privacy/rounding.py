"""Real numbers as rationals, rounded in the safe direction.

A *ball* is an interval that certainly contains the exact value (Arb, through python-flint). Costs are rounded up and
allowances are rounded down, so a rounded number never promises more than the theorem behind it.

How a sentence writes a probability or a bound: in a few digits, never rounded in its own favor.

Bounds as they are printed: rounded to the side on which they still hold, so that the printed claim is proved, too.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from flint import arb, fmpq

PRECISION = 128  # bits: enough for 100,000 operations without an error in the fifteenth digit
TINY = Fraction(1, 10**300)  # smaller decimals may outgrow memory (e^(−10⁹⁹) is a legal δ), and no float holds them

UP = Context(prec=15, rounding=ROUND_CEILING)  # 15 digits survive conversion to a float and back
DOWN = Context(prec=15, rounding=ROUND_FLOOR)


def ball(value: Fraction) -> arb:
    """``value`` as a ball at the current precision.

    >>> ball(Fraction(1, 4))
    0.250000000000000
    """
    return arb(fmpq(value.numerator, value.denominator))


def rounded_up(x: arb) -> Fraction:
    """The least decimal of 15 digits that is certainly at or above ``x`` ≥ 0, and never below 10⁻³⁰⁰.

    >>> float(rounded_up(arb(1).exp()))
    2.71828182845905
    """
    return TINY if x <= ball(TINY).lower() else _decimal(x.upper(), UP)


def chance_up(x: arb) -> Fraction:
    """The same for a probability: 1 unless ``x`` is certainly below, however large it is (e^(10⁹⁹) has no decimal).

    >>> chance_up(arb(1e99).exp()), chance_up(arb("0.25"))
    (Fraction(1, 1), Fraction(1, 4))
    """
    return rounded_up(x) if x < 1 else Fraction(1)


def rounded_down(x: arb) -> Fraction:
    """The greatest decimal of 15 digits that is certainly at or below ``x`` ≥ 0; 0 where that is below 10⁻³⁰⁰.

    >>> float(rounded_down(arb(1).exp()))
    2.71828182845904
    """
    return _decimal(x.lower(), DOWN) if x >= ball(TINY).upper() else Fraction(0)


def _decimal(point: arb, context: Context) -> Fraction:
    exact = point.fmpq()
    return Fraction(context.divide(Decimal(int(exact.p)), Decimal(int(exact.q))))
