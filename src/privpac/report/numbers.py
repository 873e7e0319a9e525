"""Numbers of records, formatted for people."""

from __future__ import annotations

import re

WITHIN_NUMBERS = re.compile(r"(?<=\d) (?=%)")


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
    return WITHIN_NUMBERS.sub("\N{NO-BREAK SPACE}", sentence)
