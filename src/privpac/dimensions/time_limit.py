"""Time limits and progress reports for searches."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from time import monotonic

from privpac.refusals.refusal import Refused, RefusedType, Setting

Progress = Callable[[str], None]
FOREVER = 1e9  # seconds; no search takes longer
PAUSE = 0.1  # seconds between two reports to the listener


class OutOfTime(Exception):
    """The time limit has passed."""


class Clock:
    """A time limit in seconds that starts now, and a listener for progress; either may be None.

    >>> Clock(0, None).tick()
    Traceback (most recent call last):
    privpac.dimensions.time_limit.OutOfTime
    >>> Clock(None, print).say("VC ≥ 3; trying 4")
    VC ≥ 3; trying 4
    """

    def __init__(self, time_limit: float | None, progress: Progress | None) -> None:
        if time_limit is not None and not (isinstance(time_limit, Real) and time_limit >= 0):
            raise Refused("time_limit", Setting("time_limit"), " must be a number of seconds ≥ 0, or None for no limit")
        if progress is not None and not callable(progress):
            raise RefusedType.must("progress", "be a function that takes a sentence, or None")
        self._end = math.inf if time_limit is None else monotonic() + float(min(time_limit, FOREVER))
        self._progress = progress
        self._said = -math.inf

    @property
    def limited(self) -> bool:
        """Whether there is a time limit."""
        return self._end < math.inf

    def share(self, part: float) -> Clock:
        """A clock for this part of the time that is left, without a listener."""
        return Clock(part * max(0.0, self._end - monotonic()) if self.limited else None, None)

    def tick(self) -> None:
        """Raise :class:`OutOfTime` if the time is up."""
        if monotonic() >= self._end:
            raise OutOfTime

    def say(self, sentence: str) -> None:
        """Report to the listener, unless it heard a report less than PAUSE seconds ago."""
        if self._progress is not None and monotonic() >= self._said + PAUSE:
            self._progress(sentence)
            self._said = monotonic()
