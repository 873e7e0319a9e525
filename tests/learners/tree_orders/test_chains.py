"""Chains of candidates: equal ones are one entry, and size is no obstacle."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest

from privpac.learners.tree_orders.chains import UNLIMITED, Chains, chains_of_paths, chains_of_table, stable


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize("below", [False, True])
def test_long_lonely_paths_are_few_entries(below: bool) -> None:
    nodes = [letter * 5000 for letter in "abcdefgh"]
    chains = chains_of_paths(nodes, ints(*[0] * 8), ints(*[3] * 8), below)
    assert len(chains.point) <= 8 * 4 + 1
    assert chains.length.sum() == 8 * 5000 + below


@pytest.mark.parametrize("top", [None, 0])
def test_candidates_that_weigh_the_same_are_one_entry(top: int | None) -> None:
    chains = Chains(ints(0, 1, 2), ints(0, 0, 1), ints(2, 1, 1), ints(5, 5, 5), ints(1, 1, 2), ints(0, 0, 0))
    found = stable(chains, 7, lambda point, depth, i: (point, depth + i), top)
    members = [(name, int(l), int(q), int(err)) for entry, l, q, err in zip(*found[:4], strict=True) for name in entry]
    level = 0 if top is None else 1
    assert sorted(members) == [((0, 0), 0, 5, 6), ((0, 1), level, 5, 6), ((1, 0), 0, 5, 6), ((2, 1), level, 5, 5)]
    assert len(found.names) == (2 if top is None else 3)


def test_there_may_be_no_points_and_no_ones() -> None:
    for below in (False, True):
        for nodes, zeros in (([], ints()), (["a", ""], ints(2, 3))):
            chains = chains_of_paths(nodes, zeros, 0 * zeros, below)
            assert stable(chains, 0, lambda *_: None).names == ()


def test_steps_are_told_apart_whatever_characters_they_are() -> None:
    nodes = ["\0", "\0\0", "\ud800", "\U0010ffff", "a"]
    chains = chains_of_paths(nodes, ints(*[0] * 5), ints(1, 2, 4, 8, 16), below=True)
    found = stable(chains, 31, lambda point, depth, i: nodes[point][: depth + i])
    support = {name: int(q) for entry, q in zip(found.names, found.support, strict=True) for name in entry}
    assert support == {"": 31, "\0": 3, "\0\0": 2, "\ud800": 4, "\U0010ffff": 8, "a": 16}


def test_members_end() -> None:
    found = stable(Chains(ints(0), ints(0), ints(2), ints(1), ints(1), ints(0)), 1, lambda *_: None)
    with pytest.raises(IndexError, match="candidate"):
        found.names[0][2]
    with pytest.raises(IndexError, match="entry"):
        found.names[1]


def test_long_records_take_memory_in_proportion_to_their_length() -> None:
    length = 20_000
    nodes = ["a" * length + "x", "a" * length + "y", "b" * length, "c"]
    tracemalloc.start()
    for below in (False, True):
        chains = chains_of_paths(nodes, np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64), below)
        found = stable(chains, 4, lambda point, top, i: nodes[point][: top + i], int(not below))
        assert max(map(len, found.names[len(found.names) - 1])) == length + 1
        assert len(chains.point) < 20
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 600 * length


@pytest.mark.audit
@pytest.mark.parametrize("below", [False, True])
def test_runs_of_equal_steps_hide_no_candidate(below: bool) -> None:
    rng = np.random.default_rng()
    for _ in range(300):
        nodes = ["".join(run * int(rng.integers(1, 9)) for run in rng.choice(["a", "b"], rng.integers(0, 4)))
                 for _ in range(rng.integers(1, 7))]  # fmt: skip
        nodes = list(dict.fromkeys(nodes))
        nodes = [*nodes, "c"]  # so that there is a candidate
        zeros, ones = rng.integers(0, 3, (2, len(nodes)))
        ones[-1] = 1
        if not below and "" in nodes:
            zeros[nodes.index("")] = ones[nodes.index("")] = 0
        found = stable(
            chains_of_paths(nodes, zeros, ones, below), 99, lambda i, d, k, nodes=nodes: nodes[i][: d + k], 0
        )
        listed = [
            (name, int(level), int(q), 99 - int(errors), int(spare))
            for entry, level, q, errors, spare in zip(*found[:4], found.spare, strict=True)
            for name in entry
        ]
        expected = {
            (v, len(v), *_by_definition(v, nodes, zeros, ones, below))
            for node in nodes for v in (node[:l] for l in range(int(not below), len(node) + 1))
        }  # fmt: skip
        assert len(listed) == len(set(listed)) == sum(map(int, found.counts))
        assert set(listed) == {each for each in expected if each[2] > 0}


def _by_definition(v, nodes, zeros, ones, below):
    under = [i for i, node in enumerate(nodes) if node.startswith(v)]
    right = under if below else [i for i, node in enumerate(nodes) if v.startswith(node)]
    beside = [i for i, node in enumerate(nodes) if node.startswith(v[: len(v) - 2]) and i not in under]
    spare = 0 if below else UNLIMITED if len(v) <= 2 else int(ones[beside].sum())
    return int(ones[under].sum()), int((ones - zeros)[right].sum()), spare


def test_tables_and_texts_count_the_same() -> None:
    """Of the tree of all texts of at most four letters a and b, written as a table of parents."""
    every = ["".join(word) for length in range(5) for word in product("ab", repeat=length)]
    number = {node: i for i, node in enumerate(every)}
    parents, depth = ints(*(number[node[:-1]] for node in every)), ints(*map(len, every))
    rng = np.random.default_rng()
    for _ in range(50):
        zeros, ones = rng.integers(0, 3, (2, len(every)))
        zeros[0] = ones[0] = 0
        found = [
            stable(chains_of_paths(every, zeros, ones, below=False), 99, lambda i, d, k: every[i][: d + k]),
            stable(chains_of_table(parents, depth, zeros, ones, below=False), 99, lambda i, *_: every[i]),
        ]
        texts, table = (
            {
                (name, *map(int, counted))
                for entry, *counted in zip(*each[:4], each.spare, strict=True)
                for name in entry
            }
            for each in found
        )
        assert texts == table
        assert texts
