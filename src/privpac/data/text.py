"""Text in lexicographic order as integers, and back.

Throughout this file
    w      how many characters count: text is cut after w of them, a public map of each record by itself
    A      the number of characters, 0x110000: every code point of Python's text
    S(k)   1 + A + … + A^(k−1), the number of texts of fewer than k characters

In lexicographic order the texts of at most w characters are: the empty one, then for each character c, in order, the
S(w) texts that start with c. So text c₁c₂…c_m has the number Σ_i (1 + c_i·S(w − i + 1)): every number below S(w + 1) is
a text, and numbers are in the order of Python's text.

Main declarations
    texts      S(w + 1): how many texts of at most w characters there are
    rank       the number of a text
    unrank     the text with a number
"""

from __future__ import annotations

from functools import cache

A = 0x110000


@cache
def texts(width: int) -> int:
    """How many texts of at most ``width`` characters there are.

    >>> texts(0), texts(1)
    (1, 1114113)
    """
    return 1 + A * texts(width - 1) if width else 1


def rank(text: str, width: int) -> int:
    """The number of ``text``, cut after ``width`` characters.

    >>> rank("", 8), rank("a", 8) < rank("aa", 8) < rank("b", 8), rank("abc", 2) == rank("ab", 2)
    (0, True, True)
    """
    return sum(1 + ord(c) * texts(width - i - 1) for i, c in enumerate(text[:width]))


def unrank(number: int, width: int) -> str:
    """The text with this number; in the order of all texts, the least one that :func:`rank` numbers so.

    >>> unrank(rank("J10", 8), 8)
    'J10'
    """
    characters = []
    while number:
        width -= 1
        c, number = divmod(number - 1, texts(width))
        characters.append(chr(c))
    return "".join(characters)
