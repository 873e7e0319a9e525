"""Chains of candidates: equal ones are one entry, and size is no obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from privpac.learners.views.tree_counts import Chains, Members, stable, text_chains


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize("below", [False, True])
def test_long_lonely_paths_are_few_entries(below: bool) -> None:
    nodes = [letter * 5000 for letter in "abcdefgh"]
    chains = text_chains(nodes, ints(*[0] * 8), ints(*[3] * 8), below)
    assert len(chains.point) <= 17
    assert chains.length.sum() == 8 * 5000 + below


@pytest.mark.parametrize("top", [None, 0])
def test_candidates_that_weigh_the_same_are_one_entry(top: int | None) -> None:
    chains = Chains(ints(0, 1, 2), ints(0, 0, 1), ints(2, 1, 1), ints(5, 5, 5), ints(1, 1, 2))
    found = stable(chains, 7, lambda point, depth, i: (point, depth + i), top)
    members = [(name, int(l), int(q), int(err)) for entry, l, q, err in zip(*found[:4], strict=True) for name in entry]
    level = 0 if top is None else 1
    assert sorted(members) == [((0, 0), 0, 5, 6), ((0, 1), level, 5, 6), ((1, 0), 0, 5, 6), ((2, 1), level, 5, 5)]
    assert len(found.names) == (2 if top is None else 3)


def test_there_may_be_no_points_and_no_ones() -> None:
    for below in (False, True):
        for nodes, zeros in (([], ints()), (["a", ""], ints(2, 3))):
            chains = text_chains(nodes, zeros, 0 * zeros, below)
            assert stable(chains, 0, lambda *_: None).names == ()


def test_steps_are_told_apart_whatever_characters_they_are() -> None:
    nodes = ["\0", "\0\0", "\ud800", "\U0010ffff", "a"]
    chains = text_chains(nodes, ints(*[0] * 5), ints(1, 2, 4, 8, 16), below=True)
    found = stable(chains, 31, lambda point, depth, i: nodes[point][: depth + i])
    support = {name: int(q) for entry, q in zip(found.names, found.support, strict=True) for name in entry}
    assert support == {"": 31, "\0": 3, "\0\0": 2, "\ud800": 4, "\U0010ffff": 8, "a": 16}


def test_members_end() -> None:
    with pytest.raises(IndexError):
        Members(lambda *_: None, ints(0), ints(0), ints(2))[2]
