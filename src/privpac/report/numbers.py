"""Numbers of records, formatted for people.

Main declarations
    grouped    digits in groups of three
"""

from __future__ import annotations


def grouped(n: int) -> str:
    """The digits of n in groups of three.

    >>> grouped(617), grouped(12345)
    ('617', '12 345')
    """
    return f"{n:,}".replace(",", " ")
