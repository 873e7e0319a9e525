"""The compiled search gives the same answers however it is interrupted and whatever it remembers."""

import numpy as np
import pytest

pytest.importorskip("numba")

from privpac.dimensions.kernels import littlestone as littlestone_kernel
from privpac.dimensions.littlestone import Littlestone
from tests.dimensions.oracles import random_rows


def silent():
    pass


def classes(count):
    """Classes with a tree of depth 2 or more, and their dimensions by the other search."""
    rng = np.random.default_rng(1)
    while count:
        H = Littlestone(np.array(random_rows(rng, 90, 9), dtype=bool))
        d = H.dimension(H.everything)
        if d >= 2:
            count -= 1
            yield H, d


@pytest.mark.slow
def test_it_agrees_with_the_other_search():
    for H, d in classes(60):
        search = littlestone_kernel.Search(H.columns, H.everything.bit_count())
        for k in range(3, H.everything.bit_count().bit_length()):
            x = search.split(H.everything, k, silent)
            assert (x is not None) == (k <= d)
            if x is not None:
                one = H.columns[x]
                assert H.at_least(H.everything & one, k - 1)
                assert H.at_least(H.everything & ~one, k - 1)


def test_interruptions_change_nothing(monkeypatch):
    monkeypatch.setattr(littlestone_kernel, "VISIT", 1)
    ticks = []
    for H, d in classes(20):
        search = littlestone_kernel.Search(H.columns, H.everything.bit_count())
        assert (search.split(H.everything, 3, lambda: ticks.append(1)) is not None) == (d >= 3)
        assert (search.split(H.everything, 4, lambda: ticks.append(1)) is not None) == (d >= 4)
    assert len(ticks) > 20


def test_without_memory_it_is_as_exact(monkeypatch):
    monkeypatch.setattr(littlestone_kernel, "MEMORY", 1 << 10)
    for H, d in classes(40):
        search = littlestone_kernel.Search(H.columns, H.everything.bit_count())
        assert search.split(H.everything, d + 1, silent) is None
        assert search.octets <= 1 << 10
        if d >= 3:
            assert search.split(H.everything, d, silent) is not None
            assert len(search.tree(H.everything, d)) == 2 ** (d - 1) - 1


def test_room_is_made_when_needed():
    for H, d in classes(20):
        search = littlestone_kernel.Search(H.columns, H.everything.bit_count())
        search.stack = search.stack._replace(room=np.empty(1, np.uint64))
        assert search.split(H.everything, d + 1, silent) is None


def intervals(n):
    left, right = np.triu_indices(n)
    x = np.arange(n)
    return (left[:, None] <= x) & (x <= right[:, None])


def test_names_do_not_matter():
    """The same class again, on other points with 0 and 1 exchanged, is known from the memo."""
    block = intervals(38)
    half = len(block)
    matrix = np.vstack([np.hstack([block, block & False]), np.hstack([block & False, ~block])])
    H = Littlestone(matrix)
    search = littlestone_kernel.Search(H.columns, 2 * half)
    first, second = (1 << half) - 1, (1 << 2 * half) - (1 << half)
    assert search.split(first, 9, silent) is None
    entries, nodes = search.octets, search.nodes
    assert search.split(second, 9, silent) is None
    assert search.octets == entries > 1000
    assert search.nodes - nodes < nodes / 4


def test_an_impatient_clock_is_obeyed(monkeypatch):
    class Late(Exception):
        pass

    def late():
        raise Late

    H = Littlestone(intervals(38))
    search = littlestone_kernel.Search(H.columns, H.everything.bit_count())
    monkeypatch.setattr(littlestone_kernel, "VISIT", 1000)
    with pytest.raises(Late):
        search.split(H.everything, 9, late)
    assert search.split(H.everything, 8, silent) is not None
    assert search.split(H.everything, 9, silent) is None
