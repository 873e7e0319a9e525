"""True counts of nodes: those that are listed, and the largest of those that are not."""

import numpy as np
import pytest

import privpac as pp
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.release.code_trees.true_counts import node_counts, prefixes_of, subtree_counts, tallied_codes

CODES = ["aab"] * 5 + ["ab"] * 3 + ["b"] * 4 + [""] * 2
TREE = pp.StartsWith(height=3)
SAMPLE = Sample(objects(CODES), np.ones(len(CODES), dtype=bool), None, len(CODES))


@pytest.mark.parametrize(
    ("nodes", "unseen"),
    [
        (["", "a", "aa", "aab", "ab", "b"], 0),
        (["", "a", "b"], 5),
        (["", "ab"], 8),
        (["", "zz"], 8),
        ([""], 8),
        (["a", "b"], 14),  # an unlisted root holds every record
        ([], 14),
    ],
)
def test_counts_of_subtrees(nodes, unseen):
    counts, largest = subtree_counts(SAMPLE, TREE.domain, TREE, nodes)
    assert counts.tolist() == [sum(code.startswith(node) for code in CODES) for node in nodes]
    assert largest == unseen
    assert node_counts(SAMPLE, TREE.domain, TREE, nodes).tolist() == counts.tolist()


def test_codes_in_memory_are_tallied():
    found = tallied_codes(SAMPLE, TREE.domain)
    assert dict(zip(found.nodes, found.counts.tolist(), strict=True)) == {"aab": 5, "ab": 3, "b": 4, "": 2}
    assert prefixes_of(SAMPLE, TREE.domain).total == len(CODES)
