"""Did you mean …? The column that a misspelled name was meant for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """The question to add to a refusal; empty if no name is close.

    >>> did_you_mean("dealy", ["delay", "carrier"]), did_you_mean("x", ["delay"])
    ("; did you mean 'delay'?", '')
    """
    texts = [each for each in names if isinstance(each, str)]
    close = isinstance(name, str) and (same_letters(name, texts) or get_close_matches(name, texts, n=1))
    return f"; did you mean {close[0]!r}?" if close else ""


def same_letters(name: str, names: Iterable[str]) -> list[str]:
    """The names with the same letters and digits as the one that was typed.

    >>> same_letters("dep_delay", ["Dep Delay", "arr_delay"])
    ['Dep Delay']
    """
    return [each for each in names if _letters(each) == _letters(name) != ""]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
