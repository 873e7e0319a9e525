"""Prefixes of codes in memory: layers in the order of their nodes, and where nodes are in them."""

import numpy as np
import pytest

from privpac.data.samples.prefix_counts import Codes


@pytest.mark.parametrize("nodes", [["ab", "b", "", "ac", "\ud800"], [("a", "b"), ("b",), (), ("a", "c"), ("\ud800",)]])
def test_layers_hold_the_prefixes_of_what_was_kept(nodes):
    codes, layers = Codes(nodes, np.array([5, 1, 7, 2, 1])), []

    def look(layer):
        every = np.arange(len(layer.counts))
        found = layer.nodes_at(every)
        layers.append((layer.depth, dict(zip(found, layer.counts.tolist(), strict=True))))
        assert layer.places([*found[::-1], nodes[2]]).tolist() == [*every[::-1], -1]
        return layer.counts > 1

    codes.descend(look)
    a, b, ab, ac, s = nodes[0][:1], nodes[1], nodes[0], nodes[3], nodes[4]
    assert layers == [(1, {a: 7, b: 1, s: 1}), (2, {ab: 5, ac: 2})]
    assert codes.total == 16


def test_no_codes():
    Codes([], np.array([], dtype=np.int64)).descend(lambda _: pytest.fail("nothing to look at"))
    Codes([""], np.array([3])).descend(lambda _: pytest.fail("nothing to look at"))
