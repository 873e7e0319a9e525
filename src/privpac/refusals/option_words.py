"""The words that options take; each list is written only here, for type checkers, checks, and the command line."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from privpac.refusals.refusal import Refused

LineRule = Literal["raise", "clamp"]  # on_invalid for values of a line
InvalidRule = Literal[LineRule, "default"]  # on_invalid for records
Regime = Literal["agnostic", "realizable"]
PlanTask = Literal["learning", "release"]
PaperConstants = Literal["printed", "tight"]  # the numbers of a paper, or the least that its corrected proof allows
QuantileMethod = Literal["auto", "exponential", "dyadic"]
ThresholdDirection = Literal["above", "below", "either"]
TreeKind = Literal["root_path", "subtree"]
UnboundedKind = Literal["float64", "date", "datetime", "string"]  # kinds of lines with default ends
BoundKind = Literal["integer", "float64", "decimal", "date", "datetime", "string"]  # how a bound is read
LineKind = Literal["integer", "decimal", "float64", "date", "datetime"]  # columns that are cut
ColumnKind = Literal[LineKind, "category", "text", "code"]
Finest = Literal["finest"]  # a step


def words_of(choice: Any) -> tuple[str, ...]:
    """The words of an option, in order."""
    return get_args(choice)


def words_in(annotation: Any) -> tuple[str, ...]:
    """The words that an annotation allows, apart from None; () if it allows other values.

    >>> words_in(TreeKind | None), words_in(str | None)
    (('root_path', 'subtree'), ())
    """
    parts = get_args(annotation) if get_origin(annotation) in (UnionType, Union) else (annotation,)
    kinds = [each for each in parts if each is not type(None)]
    return words_of(kinds[0]) if len(kinds) == 1 and get_origin(kinds[0]) is Literal else ()


def one_of(parameter: str, word: Any, choice: Any, instead: str = "") -> Any:
    """The ``word`` if it is one of the ``choice``; ``instead`` ends the sentence that refuses it.

    >>> one_of("regime", "agnostic", Regime)
    'agnostic'
    >>> one_of("regime", "hopeful", Regime)
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: regime must be one of agnostic, realizable
    """
    words = words_of(choice)
    if not isinstance(word, str) or word not in words:
        raise Refused.must(parameter, f"be one of {', '.join(words)}{instead}")
    return word
