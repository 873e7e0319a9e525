"""The least integer at which a claim holds, by bisection.

Main declarations
    smallest            above a number, as far up as it takes or up to a limit
    smallest_between    between a number at which the claim fails and one at which it holds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload


@overload
def smallest(holds: Callable[[int], bool], above: int = ..., limit: None = ...) -> int: ...
@overload
def smallest(holds: Callable[[int], bool], above: int = ..., *, limit: int) -> int | None: ...
def smallest(holds: Callable[[int], bool], above: int = 0, limit: int | None = None) -> int | None:
    """The least number above ``above`` ≥ 0 that ``holds``, for a claim that stays true once it is.

    Without a limit the claim must hold somewhere; with one, None says that it was not seen to hold up to there.

    >>> smallest(lambda n: n * n >= 200), smallest(lambda n: n < 0, limit=64)
    (15, None)
    """
    low, high = above, max(2 * above, 1)
    while not holds(high):
        low, high = high, 2 * high
        if limit is not None and high > limit:
            return None
    return smallest_between(holds, low, high)


def smallest_between(holds: Callable[[int], bool], fails: int, known: int) -> int:
    """The least number that ``holds`` and is larger than ``fails``, where ``known`` is taken to hold, unasked.

    >>> smallest_between(lambda n: n * n >= 200, 0, 100), smallest_between(lambda n: False, 0, 100)
    (15, 100)
    """
    while known - fails > 1:
        middle = (fails + known) // 2
        fails, known = (fails, middle) if holds(middle) else (middle, known)
    return known
