"""Steps of many paths as numbers: equal steps have equal numbers, groups divide as paths do, sums are exact."""

import numpy as np
import pytest

from privpac.data.domains.paths import next_groups, path_steps

TEXTS = ["ab", "", "a\ud800", "\U0001f600", "ab" * 50]


@pytest.mark.parametrize("nodes", [TEXTS, [tuple(text) for text in TEXTS], [], [()]])
def test_steps_are_equal_where_those_of_the_nodes_are(nodes):
    numbers, start, depth = path_steps(nodes)
    assert depth.tolist() == list(map(len, nodes)) and len(numbers) == depth.sum()
    listed = [(step, int(numbers[start[i] + j])) for i, node in enumerate(nodes) for j, step in enumerate(node)]
    assert len(set(listed)) == len({step for step, _ in listed}) == len({number for _, number in listed})


def test_groups_divide_as_prefixes_do():
    nodes = ["ab", "ac", "bb", "ab", "ba"]
    numbers, start, _ = path_steps(nodes)
    group = np.zeros(len(nodes), dtype=np.int64)
    for depth in (1, 2):
        group, parents = next_groups(group, numbers[start + depth - 1])
        same = [[a[:depth] == b[:depth] for b in nodes] for a in nodes]
        assert (group[:, None] == group[None, :]).tolist() == same
        assert len(parents) == len({node[:depth] for node in nodes})
