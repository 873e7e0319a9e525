"""What a hold lets through, and when."""

import time

import pytest

from privpac.privacy import hold as module
from privpac.privacy.hold import hold, moment
from tests.grid import over


class Clock:
    """A clock that only sleeping and working move."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += 0.7 * seconds if seconds > 1e-6 else seconds  # a sleep may end early


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@over(("worked", "ends"), [(0, 10), (0.1, 10), (9.9, 10), (10, 10), (10.1, 20), (35, 40)])
def test_a_block_ends_at_the_first_multiple_at_which_it_is_done(clock, worked, ends):
    start = clock.now
    with hold(10):
        clock.now += worked
    assert clock.now - start == pytest.approx(ends)
    assert moment(worked, 10) == ends


@over("error", [ValueError("refused"), MemoryError(), ZeroDivisionError()])
def test_refusals_and_failures_are_held(clock, error):
    start = clock.now
    with pytest.raises(type(error)), hold(10):
        clock.now += 3
        raise error
    assert clock.now - start == pytest.approx(10)


def test_an_interruption_is_not_held(clock):
    start = clock.now
    with pytest.raises(KeyboardInterrupt), hold(10):
        clock.now += 3
        raise KeyboardInterrupt
    assert clock.now - start == 3


def test_without_a_hold_nothing_waits(clock):
    start = clock.now
    with hold(None):
        clock.now += 3
    assert clock.now - start == 3


def test_the_clock_is_the_real_one():
    start = time.monotonic()
    with hold(0.05):
        pass
    assert time.monotonic() - start >= 0.05
