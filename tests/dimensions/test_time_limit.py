"""Time limits end a search, and listeners are not told too often."""

import pytest

from privpac.dimensions import time_limit
from privpac.dimensions.time_limit import Clock, OutOfTime


@pytest.fixture
def now(monkeypatch):
    time = [100.0]
    monkeypatch.setattr(time_limit, "monotonic", lambda: time[0])
    return time


def test_time_runs_out(now):
    watch = Clock(5, None)
    now[0] += 4.9
    watch.tick()
    now[0] += 0.1
    with pytest.raises(OutOfTime):
        watch.tick()


def test_without_a_limit_it_never_does(now):
    watch = Clock(None, None)
    now[0] = 1e18
    watch.tick()
    watch.say("nobody listens")


def test_the_listener_is_told_ten_times_a_second(now):
    told = []
    watch = Clock(None, told.append)
    for step in range(41):
        now[0] = 100 + step / 32
        watch.say(str(step))
    assert told == [str(step) for step in range(0, 41, 4)]


@pytest.mark.parametrize("limit", [-1, float("nan")])
def test_limits_are_not_negative(limit):
    with pytest.raises(ValueError, match="seconds"):
        Clock(limit, None)


def test_a_share_ends_earlier():
    assert not Clock(None, None).limited
    whole = Clock(3600, None)
    assert whole.limited
    assert whole.share(1 / 4)._end < whole._end
    with pytest.raises(OutOfTime):
        Clock(0, None).share(1 / 2).tick()


def test_what_is_no_limit_and_no_listener_is_refused():
    for limit in ("1", float("nan"), -1, [1]):
        with pytest.raises(ValueError, match="seconds"):
            Clock(limit, None)
    with pytest.raises(TypeError, match="function"):
        Clock(None, 3)
    Clock(10**400, None).tick()
