"""Text in lexicographic order as integers, and back.

Throughout this file
    w      the width: each text is cut after its first w characters, whatever the other records are
    A      0x110000, the number of code points that a character of Python's text may have
    c      the code points of a text, c₁ … c_m
    S(k)   1 + A + … + A^(k−1) = (A^k − 1)/(A − 1), the number of texts of fewer than k characters

In lexicographic order the texts of at most w characters are: the empty one, then for each character c, in order, the
S(w) texts that start with c. So text c₁c₂…c_m has rank Σ_i (1 + c_i·S(w − i + 1)). Every number below S(w + 1) is the
rank of a text, and ranks are in the order of Python's text. Let V = Σ_i c_i·A^(m − i), the number with digits c_1 … c_m
in base A. Then the rank is m + (V·A^(w − m + 1) − Σ_i c_i)/(A − 1).
"""

from __future__ import annotations

from functools import reduce
from math import log, log1p

A = 0x110000
FEW = 64  # up to this many digits, reading them one by one is fast enough
LARGEST_EXPONENT = 50  # A^50 is the largest power of A that is a finite float


def texts(width: int) -> int:
    """How many texts of at most ``width`` characters there are.

    >>> texts(0), texts(1)
    (1, 1114113)
    """
    count: int = (A ** (width + 1) - 1) // (A - 1)
    return count


def log_texts(width: int) -> float:
    """The natural logarithm of ``texts(width)``, without computing that number, which may have millions of digits.

    >>> round(log_texts(1), 6), round(log_texts(10**6))
    (13.923569, 13923568)
    """
    # ln((A^(w + 1) − 1)/(A − 1)); for large w, the last term is 0 in floats anyway.
    return width * log(A) + log(A / (A - 1)) + log1p(-1 / A / A ** min(width, LARGEST_EXPONENT))


def rank(text: str, width: int) -> int:
    """How many texts of at most ``width`` characters come before ``text``, cut after ``width`` characters.

    >>> rank("", 8), rank("a", 8) < rank("aa", 8) < rank("b", 8), rank("abc", 2) == rank("ab", 2)
    (0, True, True)
    """
    c = [ord(character) for character in text[:width]]
    scale: int = A ** (width - len(c) + 1)
    return len(c) + (_number(c) * scale - sum(c)) // (A - 1)


def _number(c: list[int]) -> int:
    """V, computed by halves: digit by digit, the time would grow with the square of the number of digits."""
    if len(c) <= FEW:
        return reduce(lambda V, digit: V * A + digit, c, 0)
    half = len(c) // 2
    V: int = _number(c[:half]) * A ** (len(c) - half) + _number(c[half:])
    return V


def unrank(number: int, width: int) -> str:
    """The text of at most ``width`` characters with this :func:`rank`."""
    characters, S = [], texts(width)
    while number:
        S = (S - 1) // A
        c, number = divmod(number - 1, S)
        characters.append(chr(c))
    return "".join(characters)
