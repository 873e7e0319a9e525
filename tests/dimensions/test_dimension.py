"""Bounds, values and sentences of a dimension; what rules know about themselves; clocks and bitsets."""

import numpy as np
import pytest

from privpac.classes.concept_class import Known
from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions import time_limit
from privpac.dimensions.bitset import bitset, bitsets, members
from privpac.dimensions.dimension import Dimension, closed_form
from privpac.dimensions.time_limit import Clock, OutOfTime


def test_the_value_of_bounds_is_refused():
    d = Dimension("VC", 2, 3, None, "time limit")
    assert not d.exact and str(d) == "VC dimension between 2 and 3 (time limit)"
    with pytest.raises(ValueError, match="only bounds"):
        d.value  # noqa: B018
    assert Dimension("VC", 2, 2, None, "search").value == 2


def test_closed_forms_come_with_their_reason():
    class Wise(ExplicitClass):
        def known(self, kind):
            return Known(7, "a theorem") if kind == "VC" else None

    assert closed_form(Wise([[0]]), "VC") == Dimension("VC", 7, 7, None, "a theorem")
    assert closed_form(Wise([[0]]), "threshold") is None
    assert closed_form([[0]], "VC") is None


def test_irreducibility_is_no_dimension():
    assert str(Dimension("irreducibility", 3, 3, None, "search")) == "irreducibility 3 (search)"


def test_bounds_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="exceeds"):
        Dimension("VC", 2, 0, None, "claimed")


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


def test_sets_and_members_are_inverse():
    rng = np.random.default_rng()
    for _ in range(200):
        numbers = np.flatnonzero(rng.random(rng.integers(0, 200)) < 0.3).tolist()
        assert members(bitset(numbers)) == numbers
        assert bitset(numbers) == sum(2**i for i in numbers)


def test_rows_are_the_sets_of_their_ones():
    matrix = np.random.default_rng().random((9, 77)) < 0.5
    assert [members(bits) for bits in bitsets(matrix)] == [np.flatnonzero(row).tolist() for row in matrix]
    assert bitsets(np.zeros((0, 3), dtype=bool)) == []
