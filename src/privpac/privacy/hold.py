"""A hold: an answer appears at a public moment, however long it took.

How long the work on records takes may tell something about them. With a hold of h seconds, the outcome, whether an
answer or a refusal, appears k·h seconds after the start, for the least k ≥ 1 at which the work is done. So the timing
reveals only k. If h is longer than the work on any table, k is always 1; whoever chooses h must make sure of that.

An interruption (Ctrl-C) is not held: its moment is chosen by the person who stops the work.

proof: docs/proofs/engines.md, Holds
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hold(h: float | None) -> Iterator[None]:
    """A block that works on records, and ends at a public moment; without h, when it is done."""
    start = time.monotonic()
    try:
        yield
    except Exception:  # a refusal tells something about the records, too
        _wait(start, h)
        raise
    _wait(start, h)


def moment(worked: float, h: float) -> float:
    """The first positive multiple of h at which the work, which took ``worked`` seconds, is done.

    >>> moment(0.0, 10), moment(10.0, 10), moment(10.5, 10)
    (10, 10, 20)
    """
    return max(1, math.ceil(worked / h)) * h


def _wait(start: float, h: float | None) -> None:
    if h is None:
        return
    end = start + moment(time.monotonic() - start, h)
    while (left := end - time.monotonic()) > 0:
        time.sleep(left)
