"""How a sentence writes a probability or a bound: in a few digits, never rounded in its own favor.

Main declarations
    certainty      a probability of at least 1 − β
    upper_bound    a bound that nothing exceeds, rounded up
    lower_bound    a bound that nothing falls below, rounded down
"""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction

UP, DOWN = (Context(prec=3, rounding=each) for each in (ROUND_UP, ROUND_DOWN))
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
    rounded = UP.divide(Decimal(β.numerator), Decimal(β.denominator))
    share = (1 - rounded) * (100 if percent else 1)
    return f"{share.normalize():f}{' %' * percent}"


def upper_bound(share: Fraction) -> str:
    """A share in three digits, rounded up.

    >>> upper_bound(Fraction(65, 5000)), upper_bound(Fraction(2, 3)), upper_bound(Fraction(1, 10**7))
    ('0.013', '0.667', '1e-07')
    """
    return f"{float(UP.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"


def lower_bound(share: Fraction) -> str:
    """A share in three digits, rounded down.

    >>> lower_bound(Fraction(2, 3)), lower_bound(Fraction(0))
    ('0.666', '0')
    """
    return f"{float(DOWN.divide(Decimal(share.numerator), Decimal(share.denominator))):.3g}"
