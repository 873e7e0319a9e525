"""How sure a sentence is: 1 − β in a few digits, never rounded up.

Main declarations
    certainty    a probability of at least 1 − β, as a sentence writes it
"""

from __future__ import annotations

from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction

UP = Context(prec=3, rounding=ROUND_UP)
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
