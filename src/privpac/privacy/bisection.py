"""The least integer for which a claim holds, by bisection. Once true, the claim must stay true."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf


def smallest(holds: Callable[[int], bool], above: int = 0) -> int:
    """The least number above ``above`` ≥ 0 that ``holds``, for a claim that eventually holds.

    >>> smallest(lambda n: n * n >= 200)
    15
    """
    least = smallest_upto(inf, holds, above)
    assert least is not None
    return least


def smallest_upto(limit: float, holds: Callable[[int], bool], above: int = 0) -> int | None:
    """The least number above ``above`` that ``holds``; None if it is too large.

    The claim is tried at 2·``above`` (at 1 if that is 0), and then at its doublings up to ``limit``. If it fails at all
    of them, the result is None; numbers between the last doubling and ``limit`` are not tried.

    >>> smallest_upto(64, lambda n: n * n >= 200), smallest_upto(64, lambda n: n < 0)
    (15, None)
    """
    low, high = above, max(2 * above, 1)
    while not holds(high):
        low, high = high, 2 * high
        if high > limit:
            return None
    return smallest_between(holds, low, high)


def smallest_in_stretches(holds: Callable[[int], bool], ends: Iterable[int], above: int = 0) -> int | None:
    """The least number above ``above``, up to the last of the ``ends``, that ``holds``; None if there is none.

    Between two neighboring ends, the claim must stay true once it is; after an end, it may fail again.

    >>> smallest_in_stretches(lambda n: n in (8, 9) or n > 50, [9, 64]), smallest_in_stretches(lambda n: n > 9, [9])
    (8, None)
    """
    for end in sorted(ends):
        if end > above and holds(end):
            return smallest_between(holds, above, end)
        above = max(above, end)
    return None


def smallest_between(holds: Callable[[int], bool], fails: int, known: int) -> int:
    """The least number above ``fails`` that ``holds``; ``known`` is assumed to hold and is not checked.

    >>> smallest_between(lambda n: n * n >= 200, 0, 100), smallest_between(lambda n: False, 0, 100)
    (15, 100)
    """
    while known - fails > 1:
        middle = (fails + known) // 2
        fails, known = (fails, middle) if holds(middle) else (middle, known)
    return known
