"""Numbers, formatted for people."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from privpac.privacy.rounding import ceil_to

SPACE_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")


def grouped(n: int) -> str:
    """The digits of n in groups of three.

    >>> grouped(617), grouped(12345)
    ('617', '12,345')
    """
    return f"{n:,}"


def ungrouped(text: str) -> str:
    """The text without commas and blanks.

    >>> ungrouped("12,345"), ungrouped(" 12 345")
    ('12345', '12345')
    """
    return re.sub("[, ]", "", text)


def unbroken(sentence: str) -> str:
    """The sentence with no-break spaces before %.

    >>> ascii(unbroken("5 % of the records"))
    "'5\\\\xa0% of the records'"
    """
    return SPACE_BEFORE_PERCENT.sub("\N{NO-BREAK SPACE}", sentence)


def tenths(share: float) -> str:
    """A share in percent, to a tenth."""
    return f"{100 * share:.1f} %"


def percent(bound: float | Fraction) -> str:
    """An upper bound in percent, rounded up to hundredths.

    >>> percent(0.05), percent(0.12341)
    ('5 %', '12.35 %')
    """
    return f"{100 * ceil_to(bound, 4):.6g} %"


def number_text(number: float, rounding: str = ROUND_HALF_EVEN, digits: int = 4) -> str:
    """A number that was measured, with four digits or, if it is large, without decimals.

    ``rounding`` is a mode of ``decimal``, so that callers can round the ends of an interval outward.

    >>> number_text(5.4712), number_text(5.4712, "ROUND_CEILING"), number_text(-0.03), number_text(1932544.2)
    ('5.471', '5.472', '−0.03', '1,932,544')
    """
    exact = Decimal(number)
    exponent = min(exact.adjusted() + 1 - digits, 0) if exact else 0  # of the last digit
    text = f"{exact.quantize(Decimal(1).scaleb(exponent), rounding):,f}"
    return (text.rstrip("0").rstrip(".") if exponent else text).replace("-", "\N{MINUS SIGN}")
