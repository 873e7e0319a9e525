"""How large δ may be for n records.

(ε, δ)-privacy allows each record to be revealed outright with probability δ: of n records, δ·n on average. So δ·n ≈ 1
satisfies the definition but not its intent. Everything here depends only on δ and n, which are public.

Throughout this file
    n      the number of records that are protected, or of units if units are protected
"""

from __future__ import annotations

import warnings
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction

from privpac.refusals.refusal import Refused, Sentence, Setting

CAP = Fraction(1, 10**6)  # the default δ for few records
DOUBTFUL = Fraction(1, 100)  # a larger δ·n is warned about
LARGE = Fraction(1, 10)  # a larger δ·n is refused


class LargeDelta(Refused):
    """δ·n is above 0.1 and was not explicitly allowed; nothing was spent and nothing released."""


class LargeDeltaWarning(UserWarning):
    """δ·n is above 0.01."""


def default_delta(n: int) -> Fraction:
    """The default δ for n records: δ·n is at most 0.01.

    >>> float(default_delta(5000)), float(default_delta(10**6))
    (1e-06, 1e-08)
    """
    return min(CAP, DOUBTFUL / max(int(n), 1))


def check_delta(delta: Fraction, n: int, noun: str = "records", *, allow_large: bool = False) -> None:
    """LargeDelta if δ·n > 0.1, a warning if δ·n > 0.01; neither if ``allow_large``.

    >>> check_delta(Fraction(1, 10**6), 10**6)
    Traceback (most recent call last):
    privpac.privacy.accounting.delta.LargeDelta: a delta of 1e-06 is too large for 1000000 records: it allows 1 of \
them to be revealed outright, on average, and more than 0.1 is refused; set delta=1e-08, or allow_large_delta=True
    """
    if (revealed := delta * n) <= DOUBTFUL or allow_large:
        return
    subject = f"a delta of {float(delta):.6g} is"
    large = f"large for {n} {noun}: it allows {float(revealed):.3g} of them to be revealed outright, on average"
    smaller = Setting.to("delta", _rounded_down(default_delta(n)))
    instead = "set ", smaller, ", or ", Setting.to("allow_large_delta", True)
    if revealed > LARGE:
        raise LargeDelta("delta", f"{subject} too {large}, and more than 0.1 is refused; ", *instead)
    warnings.warn(LargeDeltaWarning(Sentence((f"{subject} {large}; ", *instead))), stacklevel=3)


def _rounded_down(delta: Fraction) -> float:
    """δ in two digits, rounded down: rounded up, it could cause the warning again."""
    down = Context(prec=2, rounding=ROUND_DOWN)
    return float(down.divide(Decimal(delta.numerator), Decimal(delta.denominator)))
