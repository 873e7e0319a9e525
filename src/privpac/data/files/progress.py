"""Progress reports while many records are read, shown only to the person who started the command.

Only a command on a terminal listens. Progress reports are neither released nor written to a file. They say how many
records were read, and that number is public. (With units, the number of rows is not public, but only the curator sees
the reports.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

LISTENERS: list[Callable[..., None]] = []  # one list for the process, because engines read in their own threads


@contextmanager
def listening(listener: Callable[..., None]) -> Iterator[None]:
    """A block in which ``listener`` receives each report: a sentence with ``{}`` for each number, and the numbers.

    >>> with listening(print):
    ...     say("{} rows read", 5000)
    {} rows read 5000
    """
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)


def say(sentence: str, *numbers: int) -> None:
    """Report to the latest listener, if any, which formats the numbers for people."""
    for listener in LISTENERS[-1:]:
        listener(sentence, *numbers)
