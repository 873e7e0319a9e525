"""Ctrl-C, as a person presses it: once more if nothing happens."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 5  # seconds


@contextmanager
def ctrl_c(after: float, sent: list[float] | None = None) -> Iterator[list[float]]:
    """Interrupt the main thread after some seconds; yields the times at which that was done, which may be ``sent``.

    On a busy machine an early interruption may come before the block begins, and nothing is yielded.

    An interruption that falls into a callback of an engine or of the garbage collector is lost, so it is repeated.
    Programs that a shell starts in the background ignore interruptions; here they do not.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done, times = threading.Event(), [] if sent is None else sent

    def press() -> None:
        pause = after
        while not done.wait(pause):
            times.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
            pause = AGAIN

    thread = threading.Thread(target=press, daemon=True)
    try:
        thread.start()
        yield times
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
