"""Numbers of records, formatted for people.

Main declarations
    grouped     digits in groups of three
    unbroken    a sentence in which the parts of a number stay on one line
"""

from __future__ import annotations

import re

WITHIN_NUMBERS = re.compile(r"(?<=\d) (?=\d{3}\b|%)")


def grouped(n: int) -> str:
    """The digits of n in groups of three.

    >>> grouped(617), grouped(12345)
    ('617', '12 345')
    """
    return f"{n:,}".replace(",", " ")


def unbroken(sentence: str) -> str:
    """The sentence with no-break spaces between groups of digits, and before %.

    >>> ascii(unbroken("of the 5 000 records"))
    "'of the 5\\\\xa0000 records'"
    """
    return WITHIN_NUMBERS.sub("\N{NO-BREAK SPACE}", sentence)
