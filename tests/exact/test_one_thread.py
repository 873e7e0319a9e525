"""Matrix products on one thread, and as many as before afterwards."""

import numpy as np
import pytest

from privpac.exact.one_thread import _libraries, one_thread


def threads():
    """How many threads each library of linear algebra uses now."""
    return [each["num_threads"] for each in _libraries().info()]


def test_blocks_nest_and_the_last_one_brings_the_threads_back():
    before = threads()
    assert before and (np.eye(2) @ np.eye(2)).sum() == 2
    with one_thread():
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


def test_functions_and_errors_leave_nothing_behind():
    before = threads()
    assert one_thread()(threads)() == [1] * len(before)
    with pytest.raises(ZeroDivisionError), one_thread():
        _ = 1 // 0
    assert threads() == before
