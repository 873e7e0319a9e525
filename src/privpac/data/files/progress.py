"""How far a long reading has come, for the eyes of the person who started it.

Only a command on a terminal listens. Nothing said here is released or written, and all of it is about the number of
records, which is public; with units, the number of rows is for the curator's eyes only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

LISTENERS: list[Callable[..., None]] = []  # one list for the process, because engines read in their own threads


@contextmanager
def listening(listener: Callable[..., None]) -> Iterator[None]:
    """A block whose progress ``listener`` hears: a sentence with places for numbers, and the numbers.

    >>> with listening(print):
    ...     say("{} rows read", 5000)
    {} rows read 5000
    """
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)


def say(how_far: str, *numbers: int) -> None:
    """Tell the listener, who writes the numbers as people read them."""
    for listener in LISTENERS[-1:]:
        listener(how_far, *numbers)
