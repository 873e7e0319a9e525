"""The words that options accept. Type checkers, checks at run time, and the command line all read these lists."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from privpac.refusals.refusal import Refused

LineRule = Literal["raise", "clamp"]  # ``on_invalid`` of a line, an ordered domain
InvalidRule = Literal[LineRule, "default"]  # ``on_invalid`` of a learner or a release
Regime = Literal["agnostic", "realizable"]
PlanTask = Literal["learning", "release"]
PaperConstants = Literal["printed", "tight"]  # the numbers of a paper, or the least that its corrected proof allows
QuantileMethod = Literal["auto", "exponential", "dyadic"]
ThresholdDirection = Literal["above", "below", "either"]
TreeKind = Literal["root_path", "subtree"]
UnboundedKind = Literal["float64", "date", "datetime", "string"]  # kinds of lines with default ends
BoundKind = Literal["integer", "float64", "decimal", "date", "datetime", "string"]  # how a bound is read
LineKind = Literal["integer", "decimal", "float64", "date", "datetime"]  # columns that rules cut at thresholds
ColumnKind = Literal[LineKind, "category", "text", "code"]
Finest = Literal["finest"]  # the step of a line that has every value of its type


def words_of(choice: Any) -> tuple[str, ...]:
    """The words of an option, in order."""
    return get_args(choice)


def words_in(annotation: Any) -> tuple[str, ...]:
    """The words that an annotation allows, apart from None; () if it allows other values.

    >>> words_in(TreeKind | None), words_in(str | None)
    (('root_path', 'subtree'), ())
    """
    members = get_args(annotation) if get_origin(annotation) in (UnionType, Union) else (annotation,)
    types = [member for member in members if member is not type(None)]
    return words_of(types[0]) if len(types) == 1 and get_origin(types[0]) is Literal else ()


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
